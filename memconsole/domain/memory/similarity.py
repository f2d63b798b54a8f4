"""Judges whether two remembered lines say the same: similarity with guards.

Similarity alone merges contradictions: "use X" and "do not use X" score 95, "150000" and "120000"
97, "A over B" and "B over A" 100. So a likeness counts only when nothing that turns a meaning
around differs: negations and opposites, numbers (also versions, dates, identifiers), names, and the
order of words where the order is the meaning.

A text is looked at once (`features`); comparing two of them is cheap.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from memconsole.domain.memory.observations import Priority
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


SIMILAR: Final = 90.0
"""`token_sort_ratio` from which two lines may be the same."""

ALIKE: Final = 95.0
"""The same from which an entry of a memory stands there already."""

SAME_ORDER: Final = 95.0
"""Plain `ratio` that is wanted besides where the order of words is the meaning."""

FINGERPRINT_CHARS: Final = 80

_LOOKED_AT: Final = 2_000
"""Characters of a line that are compared: one of other hands may be of any length."""

_SAME_FORM: Final = 75.0
"""`ratio` of two first words that are forms of one, such as "chose" and "choose"."""


class Guard(StrEnum):
    """What differs between two similar lines although it must not.

    NAMES means another person or thing, so both lines may be true; the others contradict.
    """

    NEGATION = "negation"
    NUMBERS = "numbers"
    NAMES = "names"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Features:
    """What is compared of one text.

    Attributes:
        folded: Words in small letters without signs.
        fingerprint: At most 80 characters without bullet, emoji, time, emphasis, dates, day names.
        negations: Parity of the negations.
        poles: Words with an opposite, such as "enable", sorted.
        numbers: Numbers, versions, dates, identifiers, sorted.
        names: Words with capitals behind the first.
        first: The first word, folded.
        has_order: The order of its words is its meaning ("A over B").
    """

    folded: str
    fingerprint: str
    negations: int
    poles: tuple[str, ...]
    numbers: tuple[str, ...]
    names: frozenset[str]
    first: str
    has_order: bool


_ESCAPED = r"\\([!-/:-@\[-`{-~])"
_DRESS = (
    rf"\s*(?:[-*+]|\d{{1,9}}[.)])\s+(?:[{''.join(Priority)}]\ufe0f?\s*)?"
    r"(?:(?:\d{1,2}:\d{2}|\?\?:\?\?)(?!\S)\s*)?"
)
_SIGNS = rf"[{''.join(Priority)}\ufe0f]|\*\*|__|`|\[[ xX]\]"
_EMPHASIS = r"\*\*|`"
_CLOCK = r"(?i)(?:\d{1,2}:\d{2}|\?\?:\?\?)(?::\d{2})?\s*(?:[ap]m\b)?"
_DAYS = (
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?"
    r"|(?:today|tomorrow|yesterday|tonight)\b"
)
_DATE = rf"(?i)\(?\b(?:\d{{4}}-\d{{2}}(?:-\d{{2}})?|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|{_DAYS})\)?"
_WORD = r"[^\W_]+(?:['’][^\W\d_]+)?"
_NOT_A_WORD = r"[\W_]+"


@lru_cache(maxsize=4_096)  # some lines more than observations hold; 1 KB each
def features(text: str) -> Features:
    r"""Return what is compared of a text; `\`-escapes of Markdown are undone first."""
    plain = compiled(_ESCAPED).sub(r"\1", text[:_LOOKED_AT])
    said = compiled(_SIGNS).sub("", compiled(_DRESS).sub("", plain, count=1))
    words = [word.replace("’", "'") for word in compiled(_WORD).findall(said)]
    folded = [word.casefold() for word in words]
    return Features(
        folded=" ".join(folded),
        fingerprint=_fingerprint(said),
        negations=len(compiled(NEGATION).findall(said)) % 2,
        poles=tuple(sorted(word for word in folded if word in POLES)),
        numbers=_numbers(said, folded),
        names=frozenset(_names(words[1:])),
        first=folded[0] if folded else "",
        has_order=compiled(ORDER).search(said) is not None,
    )


def same_words(text: str) -> str:
    r"""Return a text by which lines of the very same words are equal, whatever their Markdown.

    Nothing is left out of it but emphasis, `\`-escapes, runs of blanks and a full stop at the end:
    a line that may not be lost may not be reworded either, and what a word means is not known here.
    """
    plain = compiled(_EMPHASIS).sub("", compiled(_ESCAPED).sub(r"\1", text))
    return " ".join(plain.casefold().split()).rstrip(" .;,!")


def forget() -> None:
    """Give back what was looked up: some megabytes that a process of months need not keep."""
    features.cache_clear()


def fingerprint(text: str) -> str:
    """Return the text without bullet, emoji, time, emphasis, dates and day names; 80 characters."""
    return features(text).fingerprint


def differing(one: Features, other: Features) -> frozenset[Guard]:
    """Return the guards that two texts break; none when they may be the same."""
    broken = set()
    if one.negations != other.negations or one.poles != other.poles:
        broken.add(Guard.NEGATION)
    if one.numbers != other.numbers:
        broken.add(Guard.NUMBERS)
    if not (_same_names(one, other) and _same_subject(one, other)):
        broken.add(Guard.NAMES)
    if (one.has_order or other.has_order) and _ratio(one.folded, other.folded) < SAME_ORDER:
        broken.add(Guard.ORDER)
    return frozenset(broken)


def similarity(one: Features, other: Features) -> float:
    """Return 0 to 100: the likeness of the words, whatever their order."""
    return fuzz.token_sort_ratio(one.folded, other.folded)


def is_exact(one: Features, other: Features) -> bool:
    """Whether two texts have one fingerprint and differ in nothing that matters.

    A fingerprint leaves dates out and ends at 80 characters; the guards look at the whole text.
    """
    same = bool(one.fingerprint) and one.fingerprint == other.fingerprint
    return (same or one.folded == other.folded) and not differing(one, other)


def is_same(one: Features, other: Features, *, at_least: float = SIMILAR) -> bool:
    """Whether two texts say the same: alike enough, and no guard is broken."""
    if is_exact(one, other):
        return True
    return similarity(one, other) >= at_least and not differing(one, other)


def twin(new: Features, known: Iterable[Features], *, at_least: float = SIMILAR) -> Features | None:
    """Return the first of many texts that says the same as a new one."""
    for one in known:
        if one.fingerprint == new.fingerprint and is_exact(new, one):
            return one
        score = fuzz.token_sort_ratio(new.folded, one.folded, score_cutoff=at_least)
        if score and not differing(new, one):
            return one
    return None


def _ratio(one: str, other: str) -> float:
    return fuzz.ratio(one, other)


def _fingerprint(said: str) -> str:
    bare = compiled(_DATE).sub(" ", compiled(_CLOCK).sub(" ", said))
    return compiled(_NOT_A_WORD).sub(" ", bare.casefold()).strip()[:FINGERPRINT_CHARS].rstrip()


def _numbers(said: str, folded: Iterable[str]) -> tuple[str, ...]:
    found = (
        token.strip("./:@#+~-").casefold() or token for token in compiled(IDENTIFIER).findall(said)
    )
    return tuple(sorted([*found, *(word for word in folded if word in NUMBER_WORDS)]))


def _names(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        folded = word.casefold()
        if word != folded and folded not in NO_NAMES:
            yield folded.removesuffix("'s")


def _same_names(one: Features, other: Features) -> bool:
    """Whether each name of one text is a word of the other, whatever its letters.

    A name and its beginning count as one.
    """
    return _are_covered(one.names - other.names, other) and _are_covered(
        other.names - one.names, one
    )


def _are_covered(names: frozenset[str], by: Features) -> bool:
    if not names:
        return True
    words = by.folded.split()
    return all(
        name in words or any(_begins(name, known) for known in (*by.names, by.first))
        for name in names
    )


def _begins(one: str, other: str) -> bool:
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _same_subject(one: Features, other: Features) -> bool:
    """Whether the first words, whose capital says nothing, may belong to one sentence.

    "Ada prefers tea" and "Bob prefers tea" differ in nothing but their first words.
    """
    if one.first == other.first or _begins(one.first, other.first):
        return True
    is_moved = one.first in other.folded.split() or other.first in one.folded.split()
    return is_moved or _ratio(one.first, other.first) >= _SAME_FORM


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATION = (
    r"(?i)\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|cant"
    r"|wont|isnt|avoid(?:s|ed|ing)?|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|nunca|sin|não|niet"
    r"|geen|не|нет|никогда|без)\b|[不没沒別别未勿无無]|ない|ません|않|없"
)
_OPPOSITES: Final = (
    ("enable", "disable"),
    ("enables", "disables"),
    ("enabled", "disabled"),
    ("enabling", "disabling"),
    ("on", "off"),
    ("true", "false"),
    ("yes", "no"),
    ("allow", "deny", "forbid", "block"),
    ("allowed", "denied", "forbidden", "blocked"),
    ("add", "remove", "delete", "drop"),
    ("added", "removed", "deleted", "dropped"),
    ("start", "stop", "pause"),
    ("started", "stopped", "paused"),
    ("before", "after"),
    ("more", "less", "fewer"),
    ("up", "down"),
    ("increase", "decrease", "reduce"),
    ("increased", "decreased", "reduced"),
    ("always", "sometimes", "rarely"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("open", "close"),
    ("opened", "closed"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("like", "dislike"),
    ("likes", "dislikes", "hates"),
    ("love", "hate"),
    ("loves", "hates"),
    ("with", "without"),
    ("public", "private"),
    ("read", "write"),
    ("first", "last"),
    ("success", "failure"),
    ("succeeded", "failed"),
    ("passed", "failed"),
    ("works", "fails", "broken"),
    ("old", "new"),
    ("left", "right"),
    ("morning", "evening", "night"),
    ("staging", "production"),
    ("install", "uninstall"),
    ("installed", "uninstalled"),
    ("include", "exclude"),
    ("included", "excluded"),
    ("sync", "async"),
    ("lock", "unlock"),
    ("locked", "unlocked"),
)
POLES: Final = frozenset(word for words in _OPPOSITES for word in words)

NUMBER_WORDS: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty"
    " sixty seventy eighty ninety hundred thousand million once twice thrice half"
    " monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday"
    " january february march april june july august september october november december"
)
IDENTIFIER = (
    r"[A-Za-z0-9_./:@#+~$%€£-]*\d[A-Za-z0-9_./:@#+~%€£-]*"  # holds a digit
    r"|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+"  # snake_case
    r"|[A-Za-z0-9_~-]*(?:[./][A-Za-z0-9_-]+)+"  # path, host, module
    r"|--?[a-z][a-z-]+(?=[\s=]|$)"  # an option
    r"|(?<=\s)[<>=!]=?(?=\s)"  # a comparison
)
ORDER = (
    r"(?i)\b(?:over|instead of|rather than|than|in favou?r of|replac\w+|from\b.*\bto|before|after"
    r"|statt|anstatt|lieber)\b"
)
NO_NAMES: Final = _words(
    "i i'm i'd i'll i've the a an it its it's this that these those he she we they you your my our"
    " his her their and but or so if when while as at in on for to of with by from then there here"
    " what which who how why is are was were be do does did not no yes ok also"
)


def may_be_one_thing(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lines may speak of one thing, by their numbers, sorted.

    One number in the place of another is a new value. Where several differ, as in "rule 8 …
    service 8" and "rule 16 … service 16", they tell two things apart.
    """
    if one == other:
        return True
    if len(one) != len(other):
        return False
    places = [0, 0]
    extra = [0, 0]
    while places[0] < len(one) and places[1] < len(other) and max(extra) < 2:
        mine, its = one[places[0]], other[places[1]]
        for side, is_behind in enumerate((mine < its, its < mine)):
            extra[side] += is_behind
            places[side] += is_behind or mine == its
    return max(extra) < 2
