"""Measures what capture keeps of public conversations, without a model: `make bench-capture`.

The conversations are read where they are (`LOCOMO`, by default beside the checkout).
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final

from benchmarks.__main__ import PAGE
from benchmarks.budgets import ROOT
from benchmarks.capture_home import Captured, in_order, plain
from benchmarks.capture_talks import (
    BASELINES,
    conversations,
    holds,
    survival,
    within,
)
from benchmarks.search import LOCOMO
from memconsole.domain.cue_sentences import content_words
from memconsole.domain.search import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.capture_talks import Conversation, Kept

BEGIN, END = "<!-- capture results -->", "<!-- end of capture results -->"
LABELS: Final = Path(__file__).with_name("capture_labels.json")
BUDGETS: Final = (2_000, 5_000, 10_000)
JUDGED: Final = 200
_RESULTS: Final = 6
_EVERY: Final = 3
"""One question of so many is searched for: twice all of them would take half an hour."""
_SAME: Final = 0.6
"""Share of a labelled passage's words that a line needs to be about it."""


OURS: Final = "observations.md"
REFLECTED: Final = "the same, reflected"


@dataclass
class Measured:
    """What all conversations came to.

    Attributes:
        shares: Surviving evidence at each budget, by way of capturing, one list a conversation.
        found: Share of the evidence among the results, by whether talks were searched too.
        verdicts: (place in the sample, whether the line is right).
    """

    shares: dict[str, list[list[float]]] = field(default_factory=dict)
    found: dict[bool, list[float]] = field(default_factory=lambda: {False: [], True: []})
    verdicts: list[tuple[int, bool]] = field(default_factory=list)
    lines: int = 0

    def mean(self, name: str) -> list[float]:
        """Return the share at each budget, every conversation counting once."""
        return [mean(column) for column in zip(*self.shares[name], strict=True)]

    @property
    def judged(self) -> list[bool]:
        """The first 200 lines of the sample that were extracted."""
        return [is_right for _, is_right in sorted(self.verdicts)[:JUDGED]]


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
    measured.verdicts += _verdicts(captured)


def _found(captured: Captured, *, with_sessions: bool) -> Iterator[float]:
    """Yield for each question the share of its evidence that the first results hold."""
    for question in captured.talk.questions[::_EVERY]:
        request = SearchRequest(
            question.text, "main", max_results=_RESULTS, with_sessions=with_sessions
        )
        words = []
        for hit in captured.engine.search(request).hits:
            said = " ".join(captured.lines(hit.path)[hit.start_line - 1 : hit.end_line])
            words.append(frozenset(content_words(said)))
        alive = sum(any(holds(one, turn) for one in words) for turn in question.evidence)
        yield alive / len(question.evidence)


def _verdicts(captured: Captured) -> Iterator[tuple[int, bool]]:
    """Yield (place in the sample, whether it is right) of every line from a labelled turn."""
    labels = json.loads(LABELS.read_text("utf-8"))["labels"]
    turns = {(turn.session[:8], turn.position): turn for turn in captured.talk.turns}
    places = {(label["session"], label["turn"]): place for place, label in enumerate(labels)}
    for one in captured.observed.observations:
        session, _, position = (one.source or "").partition("/")[2].partition("#")
        turn = turns[session, int(position)]
        place = places.get((turn.session, turn.id))
        if place is None or labels[place]["hash"] != turn.hash:
            continue
        said = frozenset(content_words(plain(one)))
        yield place, any(_is_about(said, turn.text[a:b]) for a, b in labels[place]["durable"])


def _is_about(said: frozenset[str], passage: str) -> bool:
    words = frozenset(content_words(passage))
    return len(words & said) >= _SAME * len(words)


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
    judged = measured.judged
    low, high = wilson(sum(judged), len(judged))
    alone, beside = mean(measured.found[False]), mean(measured.found[True])
    number = f"{len(judged)} of {measured.lines:,} lines"
    lines += [
        "",
        f"- Precision: {sum(judged) / len(judged):.3f} ({low:.3f} to {high:.3f}, Wilson, 95 %) over"
        f" {number}, by labels of commit {_commit(LABELS)}.",
        f"- Found among {_RESULTS} results of `search`: {alone:.3f} of the evidence in"
        f" observations, summaries and daily logs alone, {beside:.3f} with transcripts.",
    ]
    return "\n".join(lines)


def _row(what: str, measured: str, aim: str, is_met: bool) -> str:
    return f"| {what} | {measured} | {aim} | {'ok' if is_met else '**missed**'} |"


def wilson(right: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of a share that was counted."""
    share, square = right / of, z * z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return middle - half, middle + half


def _commit(path: Path) -> str:
    command = ["git", "log", "-1", "--format=%h", "--", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return f"`{done.stdout.strip() or 'unknown'}`"


def store(text: str, page: Path = PAGE) -> None:
    """Put the table between the markers of the page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
