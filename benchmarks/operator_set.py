"""Measures search on the labelled set of our own, by half and kind: text, vectors, both.

`python -m benchmarks.operator_set` prints the table of both halves; `--half dev` that of one, so
that nobody sees the other while something is being tried.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.budgets import CACHE, ROOT, environment, memconsole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

SET = ROOT / "benchmarks" / "operator_memory"
WORKSHOP = ROOT / "benchmarks" / "workshop_memory"
"""A third set, written before `search.provider = "quality"` was tried and measured once."""

HALVES = ("dev", "test")
WAYS: Mapping[str, Mapping[str, str]] = {
    "text alone": {"PROVIDER": "none"},
    "vectors alone": {"TEXT_WEIGHT": "0.000001"},
    "hybrid": {},
}
"""What is measured, as settings of search; a weight is never nothing."""

_DIGITS = 3


class Figures(NamedTuple):
    """Means over some questions."""

    questions: int
    recall: float
    ndcg: float


def read_rows(place: Path = SET) -> list[dict[str, object]]:
    """Return the questions of a set as they are written down."""
    text = (place / "queries.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def measure(half: str, kind: str, way: str) -> Figures:
    """Ask the questions of one half and kind."""
    folder = _part(half, kind)
    found = recall(folder, WAYS[way])
    return Figures(int(found["questions"]), found["recall_at_6"], found["ndcg_at_10"])


def recall(folder: Path, settings: Mapping[str, str], *options: str) -> dict[str, float]:
    """Return what `bench recall` measures on a labelled set with settings of search."""
    own = {f"MEMCONSOLE_SEARCH__{name}": value for name, value in settings.items()}
    command = [memconsole(), "--json", "bench", "recall", str(folder), *options]
    done = subprocess.run(
        command, env=environment("recall") | own, capture_output=True, check=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)["data"]
    return found


def together(parts: Iterable[Figures]) -> Figures:
    """Return the means over all questions of the parts."""
    parts = tuple(parts)
    count = sum(one.questions for one in parts)
    return Figures(
        count,
        sum(one.recall * one.questions for one in parts) / count,
        sum(one.ndcg * one.questions for one in parts) / count,
    )


def table(halves: Sequence[str] = HALVES) -> str:
    """Return the table as Markdown, with the commit of the labels."""
    kinds = list(dict.fromkeys(str(row["category"]) for row in read_rows()))
    lines = [
        f"| R@6 / nDCG@10 | questions | {' | '.join(WAYS)} |",
        f"|---|---|{'---|' * len(WAYS)}",
    ]
    for half in halves:
        measured = {kind: [measure(half, kind, way) for way in WAYS] for kind in kinds}
        whole = [together(one) for one in zip(*measured.values(), strict=True)]
        lines.append(_row(f"**{half}**", whole))
        lines += [_row(f"{half}, `{kind}`", figures) for kind, figures in measured.items()]
    lines += ["", f"Labels of commit {labels_commit()}."]
    return "\n".join(lines)


def labels_commit() -> str:
    """Return the commit that last touched files or labels of the set."""
    command = ["git", "log", "-1", "--format=%h", "--", f"{SET / 'operator'}", f"{SET}/*.jsonl"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    return f"`{done.stdout.strip()}`" if done.stdout.strip() else "unknown"


def _part(half: str, kind: str) -> Path:
    """Return a labelled set of some of the questions over the same files."""
    folder = CACHE / "operator-set" / f"{half}-{kind}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rows = [row for row in read_rows() if (row["half"], row["category"]) == (half, kind)]
    for agent in {str(row["agent"]) for row in rows}:
        (folder / agent).symlink_to(SET / agent, target_is_directory=True)
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (folder / "queries.jsonl").write_text(text, encoding="utf-8")
    return folder


def _row(name: str, figures: Sequence[Figures]) -> str:
    cells = [f"{one.recall:.{_DIGITS}f} / {one.ndcg:.{_DIGITS}f}" for one in figures]
    return f"| {name} | {figures[0].questions} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES)
    half = parser.parse_args().half
    sys.stdout.write(f"{table(HALVES if half is None else (half,))}\n")


if __name__ == "__main__":
    main()
