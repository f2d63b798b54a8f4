"""Fits the weights of `domain/observe/doubt.py` again: `python -m benchmarks.capture_fit`.

Logistic regression with a ridge, on all verdicts but those of the halves that are held back. Files
differ in how strict their readers were, so each has a base rate of its own, which is no weight. The
weights are printed as they stand in the table; then, for each bar that a line could have to reach,
what is right of the lines that reach it, by weights of the other conversations.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import numpy as np

from benchmarks.capture_home import Captured, hash_of, plain
from benchmarks.capture_precision import (
    AGAIN,
    FRESH,
    LEARNED,
    LINES,
    NEWEST,
    TRIED,
    TUNED,
)
from benchmarks.capture_talks import conversations
from benchmarks.search import LOCOMO
from memconsole.domain.observe import doubt
from memconsole.domain.observe.sentences import labels_of, without_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memconsole.domain.memory.observations import Observation

_RIDGE: Final = 20.0
_BASE: Final = 3.0
"""What a file's base rate is scaled by: the ridge hardly holds it back."""
_TURNS: Final = 8
_NAMES: Final = tuple(name for name, _ in doubt.FITTED)
_BARS: Final = tuple(round(-0.4 + 0.2 * n, 1) for n in range(9))
_OFFSET: Final = 0.4
"""The bar that was chosen: log-odds of the average file."""


@dataclass(frozen=True)
class Verdict:
    """One reader's verdict on one line.

    Attributes:
        source: Reader or file, by which strictness differs.
        weight: Two readers of one line count half each.
    """

    talk: str
    source: str
    counted: tuple[float, ...]
    is_sure: bool
    is_right: bool
    weight: float


def labels() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return source and verdict of each line by its hash; nothing of what is held back."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for source, paths in (("tuned", (LINES, TUNED, FRESH, AGAIN)), ("newest", (NEWEST, TRIED))):
        for path in paths:
            for one in _rows(path):
                found[one["line"]] = ((source, one["verdict"]),)
    for one in _rows(LEARNED):
        readers = enumerate(one["readers"], start=1)
        found[one["line"]] = tuple((f"reader {n}", verdict) for n, verdict in readers)
    return found


def _rows(path: Path) -> Iterator[Mapping[str, str]]:
    rows = json.loads(path.read_text("utf-8"))["labels"]
    return (one for one in rows if one.get("half") != "held")


def verdicts() -> Iterator[Verdict]:
    """Capture every conversation with all its lines, and yield what was said of them."""
    known = labels()
    for talk in conversations(LOCOMO):
        sys.stderr.write(f"capturing {talk.name}\n")
        names = labels_of([turn.text for turn in talk.turns])
        with (
            patch.object(doubt, "LEAST", -math.inf),
            tempfile.TemporaryDirectory(prefix="memconsole-capture-") as place,
        ):
            lines = Captured(talk, Path(place)).observed.observations
        for line in lines:
            said = known.get(hash_of(line), ())
            if said:
                yield from _verdicts(talk.name, line, names, said)


def _verdicts(
    talk: str, line: Observation, names: frozenset[str], said: Sequence[tuple[str, str]]
) -> Iterator[Verdict]:
    body = without_label(plain(line), names)[1]
    features = doubt.features(body, names)
    counted = tuple(features[name] for name in _NAMES)
    is_sure = doubt.is_sure(body, line.kind, names)
    for source, verdict in said:
        yield Verdict(talk, source, counted, is_sure, verdict == "right", 1 / len(said))


def fit(ones: Sequence[Verdict]) -> tuple[NDArray[np.float64], float]:
    """Return the weights, and the constant of the average file."""
    sources = sorted({one.source for one in ones})
    counted = np.array([one.counted for one in ones])
    mean, spread = counted.mean(0), counted.std(0) + 1e-9
    files = np.array([[_BASE * (one.source == name) for name in sources] for one in ones])
    table = np.hstack([(counted - mean) / spread, files, np.ones((len(ones), 1))])
    right, weight = (
        np.array([getattr(it, n) for it in ones], float) for n in ("is_right", "weight")
    )
    ridge = np.append(np.full(table.shape[1] - 1, _RIDGE), 1e-6)
    found = np.zeros(table.shape[1])
    for _ in range(_TURNS):
        chance = 1 / (1 + np.exp(-table @ found))
        bend = (table * (weight * chance * (1 - chance))[:, None]).T @ table + np.diag(ridge)
        found -= np.linalg.solve(bend, table.T @ (weight * (chance - right)) + ridge * found)
    weights = found[: len(_NAMES)] / spread
    base = files.mean(0) @ found[len(_NAMES) : -1] + found[-1]
    return weights, float(base - weights @ mean)


def crossed(ones: Sequence[Verdict]) -> list[float]:
    """Return the log-odds of each line by weights that were fitted on the other conversations."""
    fitted = {
        talk: fit([it for it in ones if it.talk != talk]) for talk in {one.talk for one in ones}
    }
    return [float(fitted[it.talk][0] @ np.array(it.counted) + fitted[it.talk][1]) for it in ones]


def curve(ones: Sequence[Verdict]) -> Iterator[str]:
    """Yield for each bar the share that is right, and how many of the right ones stay."""
    odds = crossed(ones)
    for bar in _BARS:
        told = []
        for source in sorted({one.source for one in ones}):
            right = [
                (it.is_right, it.is_sure or at >= bar)
                for it, at in zip(ones, odds, strict=True)
                if it.source == source
            ]
            kept = [is_right for is_right, is_kept in right if is_kept]
            stay = sum(kept) / sum(is_right for is_right, _ in right)
            told.append(f"{source} {sum(kept) / len(kept):.3f} ({stay:.2f} stay)")
        yield f"{bar:5.1f}  " + "  ".join(told)


def main() -> int:
    """Print the table of weights, the bar, and what other bars would do."""
    ones = list(verdicts())
    weights, base = fit(ones)
    for name, weight in zip(_NAMES, weights, strict=True):
        print(f'    ("{name}", {weight:.2f}),')
    print(f"LEAST: Final = {_OFFSET - base:.2f}\n")
    print("\n".join(curve(ones)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
