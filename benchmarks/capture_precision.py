"""How many of the lines that capture writes are right, by labels that were made before tuning.

Sentences worth keeping in turns that were drawn before an extractor existed; verdicts on lines that
were drawn from what it wrote, before it was tuned on them and, with another seed, afterwards; and
verdicts on fresh lines of the conversations and of homes, of which one half was never looked at
while rules were tried on the other; and verdicts of several readers, on most of which the weights
of `domain/observe/doubt.py` are fitted. None holds a word of the conversations.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.budgets import ROOT
from benchmarks.capture_home import hash_of, plain
from memconsole.domain.observe.sentences import content_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.capture_sample import Written
    from memconsole.domain.memory.observations import Observation

TURNS: Final = Path(__file__).with_name("capture_labels.json")
LINES: Final = Path(__file__).with_name("capture_lines.json")
TUNED: Final = Path(__file__).with_name("capture_lines_tuned.json")
FRESH: Final = Path(__file__).with_name("capture_lines_fresh.json")
AGAIN: Final = Path(__file__).with_name("capture_lines_again.json")
NEWEST: Final = Path(__file__).with_name("capture_lines_newest.json")
TRIED: Final = Path(__file__).with_name("capture_lines_tried.json")
LEARNED: Final = Path(__file__).with_name("capture_lines_learned.json")
FITTED: Final = {
    "train": "lines of several readers that weights were fitted on",
    "held": "more that no weight was fitted on",
}
HALVES: Final = {
    "tuned": "100 fresh lines that rules were tried on",
    "held": "100 fresh lines that no rule was tried on",
}
_SAME: Final = 0.6
"""Share of a labelled passage's words that a line needs to be about it."""
_RIGHT, _WRONG = "right", "wrong"


@dataclass
class Precision:
    """What the labels say of the lines of all conversations.

    Attributes:
        by_turn: Of each line from a labelled turn, `right` when it holds a sentence worth keeping.
        by_line: The verdict on each labelled line that is still written.
        fresh: The same of fresh lines, by half.
        learned: What several readers said of each of theirs that is still written, by half.
    """

    by_turn: list[str] = field(default_factory=list)
    by_line: list[str] = field(default_factory=list)
    fresh: dict[str, list[str]] = field(default_factory=lambda: {half: [] for half in HALVES})
    learned: dict[str, list[Readers]] = field(default_factory=lambda: {half: [] for half in FITTED})

    def add_fresh(self, name: str, lines: Iterable[Observation]) -> None:
        """Judge the fresh lines of one conversation or home.

        Args:
            name: Of the conversation or home.
            lines: Its observations.
        """
        verdicts, learned = {**_fresh(FRESH), **_fresh(AGAIN)}, _learned()
        for one in lines:
            place = (name, one.source, hash_of(one))
            if (found := verdicts.get(place)) is not None:
                half, verdict = found
                self.fresh[half].append(verdict)
            if (read := learned.get(place)) is not None:
                self.learned[read.half].append(read)

    def add(self, lines: Iterable[Written]) -> None:
        """Judge the lines of one conversation."""
        passages, verdicts = _passages(), _verdicts(LINES)
        for one in lines:
            if (wanted := passages.get(one.place[:3])) is not None:
                self.by_turn.append(_RIGHT if _holds_any(one, wanted) else _WRONG)
            if (verdict := verdicts.get(one.place)) is not None:
                self.by_line.append(verdict)

    def right(self, half: str) -> float:
        """Return the share of right lines in one half of the fresh ones."""
        found = Counter(self.fresh[half])
        return found[_RIGHT] / found.total()

    def right_of_learned(self) -> float:
        """Return the share of right lines that no weight was fitted on."""
        found = Counter(one.verdict for one in self.learned["held"])
        return found[_RIGHT] / found.total()

    def table(self) -> list[str]:
        """Return the shares of right lines, with what they were judged by."""
        drawn, kept = Counter(_verdicts(LINES).values()), Counter(self.by_line)
        tuned = Counter(_verdicts(TUNED).values())
        head = "| lines that were judged | right | share (Wilson, 95 %) | labels of commit |"
        shares = (
            (f"{drawn.total()} drawn by a seed, as they were before tuning", drawn, LINES),
            ("of these, those that are still written", kept, LINES),
            (f"{tuned.total()} drawn by another seed after tuning", tuned, TUNED),
            ("those from the 420 drawn turns", Counter(self.by_turn), TURNS),
            *self._of_halves(),
            *_of_newest(),
            *self._of_learned(),
        )
        rows = [_row(name, counts, labels) for name, counts, labels in shares]
        return [head, "|---|---|---|---|", *rows, "", _gone(drawn, kept), *self._by_reader()]

    def _of_halves(self) -> Iterator[tuple[str, Counter[str], Path]]:
        for half, name in HALVES.items():
            before = Counter(v for h, v in _fresh(FRESH).values() if h == half)
            yield f"{name}, as they were before tuning", before, FRESH
            yield "the same, of those that are still written", Counter(self.fresh[half]), AGAIN

    def _of_learned(self) -> Iterator[tuple[str, Counter[str], Path]]:
        for half, name in FITTED.items():
            before = Counter(one.verdict for one in _learned().values() if one.half == half)
            kept = Counter(one.verdict for one in self.learned[half])
            yield f"{before.total()} {name}, as they were before", before, LEARNED
            yield "the same, of those that are still written", kept, LEARNED

    def _by_reader(self) -> Iterator[str]:
        """Yield how far the readers agree, and what each of them says of the half held back."""
        every = list(_learned().values())
        agreed = kappa([(one.verdicts[0], one.verdicts[1]) for one in every])
        held = [one for one in every if one.half == "held"]
        before, kept = (_shares_of(ones) for ones in (held, self.learned["held"]))
        yield (
            f"- Two readers agree on the {len(every)} lines by a kappa of {agreed:.2f} (Cohen). Of"
            f" those that no weight was fitted on three readers call right: {before} before, {kept}"
            " of those that are still written."
        )


@dataclass(frozen=True)
class Readers:
    """What several readers said of one line.

    Attributes:
        half: `train` or `held`.
        verdicts: One a reader, in the same order everywhere.
        verdict: The majority's; of two who differ the stricter one.
    """

    half: str
    verdicts: tuple[str, ...]
    verdict: str


def _learned() -> dict[tuple[str, str | None, str], Readers]:
    """Return what was said of each line of several readers, by its home, source and words."""
    return {
        (one["conversation"], one["source"], one["line"]): Readers(
            one["half"], tuple(one["readers"]), one["verdict"]
        )
        for one in json.loads(LEARNED.read_text("utf-8"))["labels"]
    }


def _shares_of(lines: Sequence[Readers]) -> str:
    """Return the share of lines that each reader calls right."""
    columns = zip(*(one.verdicts for one in lines), strict=True)
    return ", ".join(f"{column.count(_RIGHT) / len(column):.3f}" for column in columns)


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Return how far two readers agree beyond chance, 1 for always (Cohen's kappa)."""
    agreed = sum(one == other for one, other in pairs) / len(pairs)
    first, second = (Counter(column) for column in zip(*pairs, strict=True))
    chance = sum(first[name] * second[name] for name in first) / len(pairs) ** 2
    return 1.0 if chance == 1.0 else (agreed - chance) / (1 - chance)


def _of_newest() -> Iterator[tuple[str, Counter[str], Path]]:
    """Yield what was judged once, behind all rules, and changed none of them."""
    found: dict[str, Counter[str]] = {"talks": Counter(), "homes": Counter()}
    for (name, _, _), (_, verdict) in _fresh(NEWEST).items():
        found["talks" if name.startswith("conv-") else "homes"][verdict] += 1
    for part, counts in found.items():
        yield f"{counts.total()} fresh lines of {part}, behind the newest rules", counts, NEWEST
    tried = Counter(verdict for _, verdict in _fresh(TRIED).values())
    yield f"{tried.total()} more, drawn behind rules that were not kept", tried, TRIED


def _row(name: str, counts: Counter[str], labels: Path) -> str:
    right, of = counts[_RIGHT], counts.total()
    low, high = wilson(right, of)
    share = f"{right / of:.3f} ({low:.3f} to {high:.3f})"
    return f"| {name} | {right} of {of} | {share} | `{_commit(labels)}` |"


def _gone(drawn: Counter[str], kept: Counter[str]) -> str:
    gone = {verdict: drawn[verdict] - kept[verdict] for verdict in sorted(drawn)}
    told = ", ".join(f"{number} of {drawn[verdict]} {verdict}" for verdict, number in gone.items())
    return f"- Of the lines that were drawn, no longer written as they were: {told}."


def wilson(right: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of a share that was counted."""
    share, square = right / of, z * z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return middle - half, middle + half


def _holds_any(one: Written, passages: Sequence[tuple[int, int]]) -> bool:
    """Whether a line holds most words of a passage of its turn."""
    said = frozenset(content_words(plain(one.line)))
    wanted = (frozenset(content_words(one.turn.text[a:b])) for a, b in passages)
    return any(len(words & said) >= _SAME * len(words) for words in wanted)


def _verdicts(path: Path) -> dict[tuple[str, str, str, str], str]:
    """Return the verdict on each line that was drawn, by its place."""
    rows = json.loads(path.read_text("utf-8"))["labels"]
    return {(one["session"], one["turn"], one["hash"], one["line"]): one["verdict"] for one in rows}


def judged_before() -> frozenset[str]:
    """Return the hashes of all lines that have a verdict."""
    places = (place for path in (LINES, TUNED) for place in _verdicts(path))
    return frozenset(
        {place[-1] for place in places}
        | {place[-1] for path in (FRESH, AGAIN, NEWEST, TRIED, LEARNED) for place in _fresh(path)}
    )


def _fresh(path: Path) -> dict[tuple[str, str | None, str], tuple[str, str]]:
    """Return half and verdict of each fresh line, by its home, its source and its words."""
    rows = json.loads(path.read_text("utf-8"))["labels"]
    places = ((one["conversation"], one["source"], one["line"]) for one in rows)
    return dict(zip(places, ((one["half"], one["verdict"]) for one in rows), strict=True))


def _passages() -> dict[tuple[str, str, str], Sequence[tuple[int, int]]]:
    """Return where something worth keeping stands in each turn that was drawn."""
    rows = json.loads(TURNS.read_text("utf-8"))["labels"]
    return {(one["session"], one["turn"], one["hash"]): one["durable"] for one in rows}


def _commit(path: Path) -> str:
    command = ["git", "log", "-1", "--format=%h", "--", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
