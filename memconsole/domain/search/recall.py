"""How much of the evidence of labelled questions the first results of a search hold."""

from __future__ import annotations

import json
import math
from dataclasses import field
from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PLACES: Final = (5, 6, 10)
DEPTH: Final = 10

Range: TypeAlias = "tuple[str, int, int]"
"""(path, first line, last line) of a result."""


@dataclass(frozen=True, slots=True)
class Question:
    """One labelled question.

    Attributes:
        evidence: (path, line) of every line that answers it.
    """

    agent: str
    query: str
    evidence: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Recall:
    """What was measured, as means over the questions.

    Attributes:
        recall: Share of the evidence lines inside the first results, by number of results.
        ndcg: Of the first ten; a result counts when it holds evidence.
        mrr: Of the first result with any evidence.
        seconds: Time of all searches together.
    """

    questions: int
    agents: int
    chunks: int
    provider: str
    recall: Mapping[int, float]
    ndcg: float
    mrr: float
    seconds: float


@dataclass(slots=True)
class Sums:
    """Adds up the answers to questions."""

    questions: int = 0
    recall: dict[int, float] = field(default_factory=lambda: dict.fromkeys(PLACES, 0.0))
    ndcg: float = 0.0
    mrr: float = 0.0

    def add(self, question: Question, ranked: Sequence[Range], existing: Iterable[Range]) -> None:
        """Take the results of one question.

        Args:
            question: What was asked.
            ranked: Best first.
            existing: Every chunk that could have been found.
        """
        self.questions += 1
        for place in PLACES:
            self.recall[place] += _covered(question, ranked[:place])
        relevant = sum(1 for one in existing if _held(question, one))
        self.ndcg += _ndcg(question, ranked[:DEPTH], relevant)
        first = next((at for at, one in enumerate(ranked[:DEPTH]) if _held(question, one)), None)
        self.mrr += 0.0 if first is None else 1 / (first + 1)

    def mean(self, *, agents: int, chunks: int, provider: str, seconds: float) -> Recall:
        """Return the means."""
        count = max(1, self.questions)
        return Recall(
            questions=self.questions,
            agents=agents,
            chunks=chunks,
            provider=provider,
            recall={place: value / count for place, value in self.recall.items()},
            ndcg=self.ndcg / count,
            mrr=self.mrr / count,
            seconds=seconds,
        )


def questions(lines: Iterable[str]) -> Iterator[Question]:
    """Yield the questions of a labelled set; those without an answer are left out.

    Raises:
        ValueError: A line is no such object; says which one.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            evidence = tuple((str(one["path"]), int(one["line"])) for one in row["evidence"])
            question = Question(str(row["agent"]), str(row["query"]), evidence)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} is no labelled question ({error!r})") from error
        if evidence and row.get("category") != "adversarial":
            yield question


def _held(question: Question, one: Range) -> set[tuple[str, int]]:
    path, start, end = one
    return {
        (name, line) for name, line in question.evidence if name == path and start <= line <= end
    }


def _covered(question: Question, ranked: Sequence[Range]) -> float:
    held = set().union(*(_held(question, one) for one in ranked))
    return len(held) / len(set(question.evidence))


def _ndcg(question: Question, ranked: Sequence[Range], relevant: int) -> float:
    """Gain is one for a result with evidence; ideal is all of those in front."""
    gains = [bool(_held(question, one)) for one in ranked]
    ideal = min(max(relevant, sum(gains), 1), DEPTH)
    best = sum(1 / math.log2(place + 2) for place in range(ideal))
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)) / best
