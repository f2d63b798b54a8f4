"""Finds what a message takes back: "no wait, Thursday" changes what was said before.

A correction is only believed where it can be seen what it corrects: a line of the same speaker that
names another weekday, time, number or name in the same place, or the very word that "not" denies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.observe import patterns as cue
from memconsole.domain.observe.sentences import content_words
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CORRECTS: Final = (
    r"(?i)(?:(?:oh|ah|oops|ups|sorry|hm+|uh|u?m+|argh|nah|nope|hang on|hold on|well)\b\W+)*"
    r"(?:no\W+wait|wait\W+(?:no|i meant?|actually)|no\W+(?:sorry|not\b|i meant?|it['’]s|make)"
    r"|scratch that|strike that|correction|i meant?(?: to say)?|make (?:that|it)\b|my mistake"
    r"|i was wrong|actually|not \w+(?:,| but|;)|nein\W+(?:doch|warte)|quatsch|ich meine?"
    r"|(?:(?:ach|oh|äh)\W+)?(?:nein|nee|quatsch)\b\W*(?:sorry\b|doch\b|(?=(?:\S+\s+){0,3}\S+$))"
    r"|korrektur\b|sorry\W+(?:nein|doch)\b|perdón\b|quiero decir|mejor dicho|corrección\b"
    r"|en realidad\b|no\W+espera\b"
    r"|(?:enfin|ah) non\b|(?:non\W+)?pardon\b|je (?:veux|voulais) dire|en fait\b|rectification\b"
    r"|não\W+(?:espera|desculpa)\b|desculpa\b|quero dizer|quer dizer|na verdade\b|mudou\b"
    r"|anzi\b|scusa\b|volevo dire|in realtà\b|correzione\b"
    r"|不对|不對|说错了|說錯了|更正|訂正|間違え|すみません(?=.{1,12}$)"
    r"|edit\s*:|\*(?=\w)"
    r"|(?:oops|ups|sorry|argh|no|nah|nope|ne)\W+(?=(?:\S+\s+){0,3}\S+$))"
)
"""How a message begins that may take something back."""

JOKES: Final = (
    # What was passed over is not looked at again: a message may be a megabyte of signs.
    r"(?i)\W*+(?:(?:lol|haha\w*|nah|no)\W*+)?"
    r"(?:(?:i['’]m |i was )?(?:just |only |totally )?(?:kidding|joking)"
    r"|j/?k|not serious(?:ly)?|that was a joke)\b\W*+(?:(?:lol|haha\w*|obviously|of course)\W*+)?"
)
"""Whole messages that say that the one before was a joke."""

_FILLER: Final = frozenset(
    {"no", "not", "wait", "sorry", "actually", "meant", "mean", "correction", "scratch", "strike"}
    | {"that", "make", "it's", "wrong", "mistake", "oops", "said", "hold", "hang", "edit", "rather"}
    | {"der", "die", "das", "den", "dem", "erst", "doch", "nein", "ist", "korrektur", "los", "las"}
    | {"del", "les", "des", "aux", "pas", "non", "dos", "às", "não", "sondern", "anzi", "quatsch"}
    | {"alle", "est", "que", "mudou", "pardon", "perdón", "enfin", "à", "é", "es"}
)
"""Words of the correcting itself."""
_DENIED: Final = (
    r"(?i)\b(?:not|instead of|rather than|nicht|statt|no|pas|não|non)\s+"
    r"(?:on |at |the |am |um |der |die |das |el |la |los |las |les? |aux? |à |os? |as |il )*"
    r"(\w[\w.:-]*)"
)
_SLOTS: Final = {
    "weekday": (
        r"(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|montag|dienstag|mittwoch|donnerstag"
        r"|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
        r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|segunda|terça|quarta|quinta|sexta"
        r"|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|today|tomorrow|tonight)\b"
        r"|[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"
    ),
    "time": r"(?i)\b\d{1,2}(?::\d\d\b|\s?[ap]m\b|\s?uhr\b|h\d*\b)|\b(?:noon|midnight)\b",
    "month": (
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November"
        r"|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b"
    ),
    "number": (
        r"(?i)(?<![\w.:(-])\d[\d.,]*(?:st|nd|rd|th)?\b(?!:|\s?[ap]m\b)"
        r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf|sechs"
        r"|sieben|acht|neun|zehn|elf|zwölf)\b"
    ),
    "name": r"(?:(?<=[\w,;:)] )|^)[A-Z][\w'’-]+",
}
_ADDED_DATE: Final = r" \((?:week of |weekend of )?\d{4}(?:-\d\d){0,2}\)"
_NEAR: Final = 2
"""Words in common from which two lines of different days speak of one thing."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message changes.

    Attributes:
        words: What it says beside the new value.
    """

    slots: dict[str, frozenset[str]]
    denied: frozenset[str]
    words: frozenset[str]

    def says_it_all(self, text: str) -> bool:
        """Whether it names what it corrects, so that it is understood without that line."""
        return len(self.words & frozenset(content_words(text))) >= _NEAR

    def changes(self, text: str, *, is_bare_enough: bool) -> bool:
        """Whether a line says what this takes back.

        Args:
            text: The line.
            is_bare_enough: It was said just before, so that a new value alone is understood.
        """
        said = frozenset(content_words(text))
        if self.denied & said:
            return True
        theirs = _slots(text)
        is_other = any(
            kind in theirs and not values <= theirs[kind] for kind, values in self.slots.items()
        )
        shared = len(self.words & said)
        if not self.words:
            return is_other and is_bare_enough
        return is_other and (shared >= (1 if is_bare_enough else _NEAR))

    def undoes(self, text: str, old: str) -> bool:
        """Whether a line of the agent only said again what is taken back ("Noted: Friday at ten").

        Args:
            text: The agent's line.
            old: The line that is corrected.
        """
        shared = frozenset(content_words(text)) & frozenset(content_words(old))
        return len(shared) >= _NEAR and self.changes(text, is_bare_enough=True)


def correction_of(text: str) -> Correction | None:
    """Return what a message takes back; None when it takes nothing back."""
    begins = compiled(CORRECTS).match(text)
    if begins is None:
        return None
    denied = frozenset(word.casefold() for word in compiled(_DENIED).findall(text))
    slots = _slots(text)
    values = {word for found in slots.values() for one in found for word in content_words(one)}
    said = (one for one in content_words(text[begins.end() :]) if not _is_grammar(one))
    words = frozenset(said) - _FILLER - denied - values
    slots = {kind: found - denied for kind, found in slots.items() if found - denied}
    if not slots and not denied - _FILLER:
        return None
    return Correction(slots, denied - _FILLER, words)


def _is_grammar(pair: str) -> bool:
    """Whether a pair of Japanese characters is an ending or particle, or holds one."""
    return any("\u3041" <= char <= "\u309f" for char in pair)


def is_joke(text: str) -> bool:
    """Whether a message says that the one before it was not meant."""
    return compiled(JOKES).fullmatch(text) is not None


def corrected(correction: Correction, before: Sequence[str], *, just_said: int) -> int | None:
    """Return the place of the line that is corrected, the newest first; None when there is none.

    Args:
        correction: What is taken back.
        before: Lines of the same speaker, oldest first.
        just_said: How many of the last ones were said just before.
    """
    near = len(before) - just_said
    places: Iterable[int] = reversed(range(len(before)))
    return next(
        (n for n in places if correction.changes(before[n], is_bare_enough=n >= near)), None
    )


def _slots(text: str) -> dict[str, frozenset[str]]:
    plain = compiled(_ADDED_DATE).sub("", text)
    found = {
        kind: frozenset(one.casefold() for one in compiled(pattern).findall(plain))
        for kind, pattern in _SLOTS.items()
    }
    found["name"] -= found["weekday"] | found["month"] | cue.COMMON | _FILLER
    return {kind: values for kind, values in found.items() if values}
