"""Measures what capture keeps of public conversations, without a model: `make bench-capture`.

The conversations are read where they are (`LOCOMO`, by default beside the checkout).
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final

from benchmarks.__main__ import PAGE
from benchmarks.capture_home import Captured, in_order
from benchmarks.capture_precision import Precision
from benchmarks.capture_sample import written
from benchmarks.capture_talks import (
    BASELINES,
    conversations,
    holds,
    survival,
    within,
)
from benchmarks.search import LOCOMO
from memconsole.domain.observe.sentences import content_words
from memconsole.domain.search.values import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.capture_talks import Conversation, Kept

BEGIN, END = "<!-- capture results -->", "<!-- end of capture results -->"
BUDGETS: Final = (2_000, 5_000, 10_000)
_RESULTS: Final = 6
_EVERY: Final = 3
"""One question of so many is searched for: twice all of them would take half an hour."""

OURS: Final = "observations.md"
REFLECTED: Final = "the same, reflected"


@dataclass
class Measured:
    """What all conversations came to.

    Attributes:
        shares: Surviving evidence at each budget, by way of capturing, one list a conversation.
        found: Share of the evidence among the results, by whether talks were searched too.
        lines: How many were written.
    """

    shares: dict[str, list[list[float]]] = field(default_factory=dict)
    found: dict[bool, list[float]] = field(default_factory=lambda: {False: [], True: []})
    precision: Precision = field(default_factory=Precision)
    lines: int = 0

    def mean(self, name: str) -> list[float]:
        """Return the share at each budget, every conversation counting once."""
        return [mean(column) for column in zip(*self.shares[name], strict=True)]


def main() -> int:
    """Print and store the table; return 1 when an aim is missed."""
    measured = Measured()
    for talk in conversations(LOCOMO):
        sys.stderr.write(f"capturing {talk.name}\n")
        _measure(talk, measured)
    text = table(measured)
    print(text)
    store(text)
    return int("**missed**" in text)


def _measure(talk: Conversation, measured: Measured) -> None:
    def note(name: str, orders: Sequence[Sequence[Kept]]) -> None:
        shares = [[survival(within(o, b), talk.evidence) for b in BUDGETS] for o in orders]
        row = [mean(column) for column in zip(*shares, strict=True)]
        measured.shares.setdefault(name, []).append(row)

    for name, build in BASELINES.items():
        note(name, build(talk))
    with tempfile.TemporaryDirectory(prefix="memconsole-capture-") as place:
        captured = Captured(talk, Path(place))
        note(OURS, [in_order(captured.observed)])
        note(REFLECTED, [in_order(captured.reflected)])
        for with_sessions in measured.found:
            measured.found[with_sessions] += _found(captured, with_sessions=with_sessions)
    measured.lines += len(captured.observed.observations)
    measured.precision.add(written(talk, captured.observed))


def _found(captured: Captured, *, with_sessions: bool) -> Iterator[float]:
    """Yield for each question the share of its evidence that the first results hold."""
    for question in captured.talk.questions[::_EVERY]:
        request = SearchRequest(
            question.text, "main", max_results=_RESULTS, with_sessions=with_sessions
        )
        words = []
        for hit in captured.engine.search.find(request).hits:
            said = " ".join(captured.lines(hit.path)[hit.start_line - 1 : hit.end_line])
            words.append(frozenset(content_words(said)))
        alive = sum(any(holds(one, turn) for one in words) for turn in question.evidence)
        yield alive / len(question.evidence)


def table(measured: Measured) -> str:
    """Return everything as Markdown."""
    ours, reflected = measured.mean(OURS), measured.mean(REFLECTED)
    head = "".join(f" {budget // 1000},000 tokens |" for budget in BUDGETS)
    lines = [f"| evidence that survives |{head}", "|---|" + "---|" * len(BUDGETS)]
    lines += [
        f"| {name} |" + "".join(f" {one:.3f} |" for one in measured.mean(name))
        for name in (OURS, REFLECTED, *BASELINES)
    ]
    random = measured.mean("random sentences")[1]
    best = max(measured.mean(name)[1] for name in BASELINES)
    lines += ["", "| at 5,000 tokens | measured | aim | |", "|---|---|---|---|"]
    lines += [
        _row("against random sentences", f"{ours[1] / random:.2f} ×", "2 ×", ours[1] >= 2 * random),
        _row("against the best other way", f"{ours[1] / best:.2f} ×", "over 1 ×", ours[1] > best),
        _row(
            "lost by reflection",
            f"{1 - reflected[1] / ours[1]:.1%}",
            "under 10 %",
            reflected[1] > 0.9 * ours[1],
        ),
    ]
    alone, beside = mean(measured.found[False]), mean(measured.found[True])
    lines += [
        "",
        *measured.precision.table(),
        f"- {measured.lines:,} lines were written in all.",
        f"- Found among {_RESULTS} results of `search`: {alone:.3f} of the evidence in"
        f" observations, summaries and daily logs alone, {beside:.3f} with transcripts.",
    ]
    return "\n".join(lines)


def _row(what: str, measured: str, aim: str, is_met: bool) -> str:
    return f"| {what} | {measured} | {aim} | {'ok' if is_met else '**missed**'} |"


def store(text: str, page: Path = PAGE) -> None:
    """Put the table between the markers of the page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
