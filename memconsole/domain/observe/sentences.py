"""Judges one sentence of a message: its words, its cues, whether it says anything."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from memconsole.domain.observe import patterns as cue
from memconsole.domain.observe.patterns import CUES, Cue
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.text.sentences import Sentence

NAME_POINTS: Final = 0.4
MOST_NAMES: Final = 3
_LOOKED_AT: Final = 1_000
"""Characters of one sentence: what has no full stop for longer is none."""

_WORD = r"[^\W_]+(?:['’.-][^\W_]+)*"
_SOLID = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}"


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence and what was found in it."""

    text: str
    words: frozenset[str]
    cues: tuple[Cue, ...]
    names: int
    is_kept: bool
    is_new_line: bool

    @property
    def points(self) -> float:
        """What its cues and names are worth."""
        return sum(max(0.0, one.points) for one in self.cues) + self.names * NAME_POINTS


def judged(
    part: Sentence, labels: frozenset[str], *, is_kept: bool | None = None
) -> JudgedSentence:
    """Return a sentence with what was found in it.

    Args:
        part: The sentence.
        labels: Names of those who talk; they make nothing worth more.
        is_kept: Whether it is kept; None looks whether it says something.
    """
    whole = part.text[:_LOOKED_AT]
    text = compiled(cue.INTERJECTIONS).sub("", whole) or whole
    words = frozenset(content_words(text))
    names = sum(1 for name in compiled(cue.NAME).findall(text) if not _is_partner(name, labels))
    cues = tuple(one for one in CUES if compiled(one.pattern).search(whole))
    return JudgedSentence(
        text,
        words,
        cues,
        min(MOST_NAMES, names),
        is_kept=_says_something(part, text, words, cues) if is_kept is None else is_kept,
        is_new_line=part.is_new_line,
    )


def _says_something(part: Sentence, text: str, words: frozenset[str], cues: Sequence[Cue]) -> bool:
    is_said = not part.is_note and _is_language(part.text)
    return is_said and not _is_chatter(text, words, cues)


def _is_partner(name: str, labels: frozenset[str]) -> bool:
    """Whether a name is one of those who talk, or its short form."""
    bare = name.removesuffix("'s").removesuffix("’s")
    return bare in {"I", "OK"} or any(one.startswith(bare[:3]) for one in labels)


def _is_language(text: str) -> bool:
    """Whether a line is talk: no row of a table, no data, code or trace."""
    if compiled(cue.NO_SENTENCE).match(text) or compiled(cue.PLATFORM).search(text):
        return False
    return 3 * sum(map(str.isalpha, text)) >= len(text.replace(" ", ""))


def _is_chatter(text: str, words: frozenset[str], cues: Sequence[Cue]) -> bool:
    """Whether a sentence asks, greets, announces, praises or wishes and says nothing else."""
    if compiled(cue.QUESTION).search(text) or compiled(cue.ANNOUNCES).fullmatch(text):
        return True
    if compiled(cue.SHOWS).match(text):
        return True
    strong = sum(one.points for one in cues)
    if not words:
        return True
    if compiled(cue.CHATTER).match(text):
        return len(words) < 4 and strong < 1.5
    return len(words) < 2 and strong < 0.8


def labels_of(texts: Sequence[str]) -> frozenset[str]:
    """Return the names that messages begin with, such as "Ada: …", when that is their habit."""
    counts = Counter(
        match[1] for one in texts if (match := compiled(cue.LABEL).match(one)) is not None
    )
    least = max(2, len(texts) // 5)
    return frozenset(name for name, count in counts.items() if count >= least)


def without_label(text: str, labels: frozenset[str]) -> tuple[str, str]:
    """Return the name in front of a message, with its colon, and the message."""
    match = compiled(cue.LABEL).match(text)
    if match is None or match[1] not in labels:
        return "", text
    return match[0], text[match.end() :]


def content_words(text: str) -> Iterator[str]:
    """Yield the words of a text that say something."""
    for word in compiled(_WORD).findall(text.casefold().replace("’", "'")):
        if (solid := compiled(_SOLID).search(word)) is not None:
            yield from (solid[0][at : at + 2] for at in range(len(solid[0]) - 1))
        elif word not in cue.COMMON and (len(word) > 2 or not word.isascii() or word.isdigit()):
            yield word
