"""The public conversations that capture is measured on, and what other ways keep of them.

They are read where they are: their licence forbids copying them, or what is derived from them. Only
figures leave this program; labels name their turns by number and hash.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from memconsole.domain.observe.sentences import content_words
from memconsole.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

SHARE: Final = 0.5
"""Share of a turn's words that have to be there for it to count as kept."""

_SEEDS: Final = 5


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        session: Session id of its transcript.
        id: Its record's id.
        position: Byte offset of its record.
        day: `YYYY-MM-DD`.
        text: With the speaker's name in front.
    """

    session: str
    id: str
    position: int
    day: str
    text: str

    @property
    def hash(self) -> str:
        """What labels know of the text."""
        return sha256(self.text.encode()).hexdigest()[:16]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that say something, without the speaker's name and a picture's caption."""
        body = self.text.partition(": ")[2]
        said = [one.text for one in sentences(body) if not one.is_note]
        return frozenset(word for text in said for word in content_words(text))

    @property
    def place(self) -> str:
        """How a line of `observations.md` names the turn that it came from."""
        return f"main/{self.session[:8]}#{self.position}"


@dataclass(frozen=True)
class Question:
    """One labelled question, with the turns that answer it."""

    text: str
    evidence: tuple[Turn, ...]


@dataclass(frozen=True)
class Conversation:
    """All turns of one conversation, oldest first, and its questions."""

    name: str
    folder: Path
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def evidence(self) -> tuple[Turn, ...]:
        """Every turn that a question needs, once."""
        return tuple(dict.fromkeys(turn for one in self.questions for turn in one.evidence))

    @property
    def sessions(self) -> tuple[str, ...]:
        """Session ids, oldest first."""
        return tuple(dict.fromkeys(turn.session for turn in self.turns))


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """Read all of them."""
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    names = sorted({row["agent"] for row in rows})
    return tuple(_conversation(folder, name, rows) for name in names)


def _conversation(folder: Path, name: str, rows: Sequence[Mapping[str, object]]) -> Conversation:
    turns = sorted(_turns(folder / name), key=lambda one: one[0])
    ordered = tuple(turn for _, turn in turns)
    known = {(turn.day, turn.text): turn for turn in ordered}
    lines = _daily_lines(folder / name)
    questions = []
    for row in rows:
        if row["agent"] == name and row["category"] != "adversarial":
            places = row["evidence"]
            assert isinstance(places, list)
            found = [known[lines[place["path"], place["line"]]] for place in places]
            questions.append(Question(str(row["query"]), tuple(found)))
    return Conversation(name, folder / name, ordered, tuple(questions))


def _turns(folder: Path) -> Iterator[tuple[tuple[str, str, int], Turn]]:
    for path in (folder / "sessions").glob("*.jsonl"):
        position = 0
        for line in path.read_bytes().splitlines(keepends=True):
            record = json.loads(line)
            if record["type"] == "message":
                at = record["timestamp"]
                text = record["message"]["content"][0]["text"]
                turn = Turn(path.stem, record["id"], position, at[:10], text)
                yield (at, path.stem, position), turn
            position += len(line)


def _daily_lines(folder: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """Return day and text of each bullet of the daily logs, by path and line."""
    found = {}
    for path in (folder / "memory").glob("*.md"):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if line.startswith("- **"):
                name, _, text = line[4:].partition("**: ")
                found[f"memory/{path.name}", number] = (path.stem, f"{name}: {text}")
    return found


@dataclass(frozen=True)
class Kept:
    """One line that a way of capturing keeps.

    Attributes:
        source: What it came from; lines of one source count together.
        tokens: What it takes of a budget.
    """

    source: object
    text: str
    tokens: int


def tokens(text: str) -> int:
    """Return the estimate: four characters a token, with the line feed."""
    return math.ceil((len(text) + 1) / 4)


Sources = dict[object, list[frozenset[str]]]
"""Words of each line that is kept, by what the line came from."""


def within(lines: Iterable[Kept], budget: float) -> Sources:
    """Return the words of the lines that fit."""
    kept: Sources = {}
    used = 0
    for line in lines:
        if used + line.tokens <= budget:
            used += line.tokens
            kept.setdefault(line.source, []).append(frozenset(content_words(line.text)))
    return kept


def holds(words: frozenset[str], turn: Turn) -> bool:
    """Whether enough of a turn is there."""
    return bool(turn.words) and len(turn.words & words) >= SHARE * len(turn.words)


def survival(kept: Sources, evidence: Sequence[Turn]) -> float:
    """Return the share of the evidence that survives; lines of one source count together."""
    sources = [frozenset[str]().union(*lines) for lines in kept.values()]
    alive = sum(any(holds(words, turn) for words in sources) for turn in evidence)
    return alive / len(evidence)


def strict_survival(kept: Sources, evidence: Sequence[Turn]) -> float:
    """Return the same where each line counts alone, and for the turn that it came from only."""
    alive = 0
    for turn in evidence:
        lines = (*kept.get(turn, ()), *kept.get(turn.place, ()))
        alive += any(holds(words, turn) for words in lines)
    return alive / len(evidence)


def last_messages(talk: Conversation) -> list[Kept]:
    """What a plain checkpoint keeps: the newest messages, whole."""
    return [Kept(turn, turn.text, tokens(turn.text)) for turn in reversed(talk.turns)]


def longest(talk: Conversation) -> list[Kept]:
    """The longest sentences first."""
    return sorted(_sentences(talk), key=lambda one: -len(one.text))


def distinctive(talk: Conversation) -> list[Kept]:
    """The sentences whose words are rarest on average first (TF-IDF)."""
    lines = _sentences(talk)
    words = [list(content_words(line.text)) for line in lines]
    counts = Counter(word for one in words for word in set(one))

    def weight(one: list[str]) -> float:
        return sum(math.log(len(lines) / counts[word]) for word in one) / (len(one) + 1)

    ranked = sorted(zip(lines, words, strict=True), key=lambda pair: -weight(pair[1]))
    return [line for line, _ in ranked]


def shuffled(talk: Conversation, seed: int) -> list[Kept]:
    """Sentences in random order."""
    lines = _sentences(talk)
    random.Random(seed).shuffle(lines)
    return lines


def _sentences(talk: Conversation) -> list[Kept]:
    return [
        Kept(turn, one.text, tokens(one.text))
        for turn in talk.turns
        for one in sentences(turn.text)
    ]


BASELINES: Final[Mapping[str, Callable[[Conversation], Sequence[list[Kept]]]]] = {
    "random sentences": lambda talk: [shuffled(talk, seed) for seed in range(_SEEDS)],
    "last messages": lambda talk: [last_messages(talk)],
    "longest sentences": lambda talk: [longest(talk)],
    "top TF-IDF sentences": lambda talk: [distinctive(talk)],
}
"""Other ways, each in one or more orders that are averaged."""
