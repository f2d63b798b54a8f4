"""Measures search: `make bench-search`.

Ratios come from one run. LoCoMo's labelled questions are read where they are (`LOCOMO`, by default
beside the checkout); their licence forbids copying them or what is derived from them, so only
figures leave this program. Our own (`benchmarks/operator_memory`) get a table of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import operator_set
from benchmarks.__main__ import PAGE, table
from benchmarks.budgets import CACHE, MB, ROOT, Row, environment, memconsole, ratio
from benchmarks.measure import Subject, measure
from benchmarks.operator_set import recall
from benchmarks.searching import TYPED

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCOMO = Path(os.environ.get("LOCOMO", ROOT.parent / "shared" / "bench" / "locomo"))
BEGIN, END = "<!-- search results -->", "<!-- end of search results -->"
OWN_BEGIN, OWN_END = "<!-- own results -->", "<!-- end of own results -->"
QUESTION = "When did Caroline go to the support group?"
SIZES = (10_000, 100_000)
COLD = 11
TURNS = {10_000: 5, 100_000: 1}
"""How often an index is built: seconds are soon disturbed, a minute is not."""


def quality() -> Iterator[Row]:
    """Recall through the command line's own path, and of words alone."""
    found = recall(LOCOMO, operator_set.WAYS["hybrid"])
    words = recall(LOCOMO, operator_set.WAYS["text alone"])
    together = recall(LOCOMO, operator_set.WAYS["hybrid"], "--all-agents")
    yield at_least("LoCoMo R@6, default settings", found["recall_at_6"], 0.858)
    yield at_least("LoCoMo nDCG@10, default settings", found["ndcg_at_10"], 0.785)
    yield at_least("LoCoMo R@6, all agents at once", together["recall_at_6"], 0.84)
    yield at_least("LoCoMo R@6 against words alone", found["recall_at_6"], words["recall_at_6"])


def cold() -> Iterator[Row]:
    """A search by a new process, its index being fresh."""
    home = link_home("cold", LOCOMO / "conv-26")
    seen = environment("cold")
    bare = Subject("python -c pass", [sys.executable, "-c", "pass"], seen)
    command = [memconsole(), "--home", str(home), "search", "--agent", "main", QUESTION]
    ours = Subject("memconsole search", command, seen)
    found = measure([bare, ours], rounds=COLD)
    yield ratio("cold `memconsole search`", found[ours.name], found[bare.name], 16.0)


def scale() -> Iterator[Row]:
    """Build, search and change indexes of two sizes, each in a process of its own."""
    for size in SIZES:
        folder = corpus(size)
        turns = [(work(folder, "floor"), work(folder, "build")) for _ in range(TURNS[size])]
        base, seconds = (
            median(one["seconds"] for one in those) for those in zip(*turns, strict=True)
        )
        built, times = turns[-1][1], seconds / base
        told = f"{times:.2f} × ({seconds:.1f} s against {base:.1f} s)"
        yield Row(
            f"build of {size:,} chunks against tokenising and writing", told, "2 ×", times / 2
        )
        each = built["bytes"] / built["chunks"]
        yield Row(f"index of {size:,} chunks", f"{each:.0f} bytes a chunk", "3072", each / 3072)
        warm, limit = work(folder, "warm"), {10_000: 15, 100_000: 100}[size]
        told = f"{1000 * warm['p95']:.0f} ms (p50 {1000 * warm['p50']:.0f} ms"
        told += f"; least disturbed, p95 {1000 * warm['best']:.0f} ms)"
        name = f"warm search, {size:,} chunks, p95"
        yield Row(name, told, f"{limit} ms", 1000 * warm["p95"] / limit)
        changed = work(folder, "changed")
        told = f"{1000 * changed['seconds']:.0f} ms (best {1000 * changed['fastest']:.0f} ms)"
        name = f"one changed file to searchable, {size:,} chunks"
        yield Row(name, told, "50 ms", 1000 * changed["seconds"] / 50)
        yield Row(
            f"memory of the build, {size:,} chunks",
            f"{built['peak'] / MB:.0f} MB",
            "1500 MB",
            built["peak"] / MB / 1500,
        )


def corpus(size: int) -> Path:
    """Return a folder with a generated workspace, written once."""
    folder = CACHE / f"search-{size}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "benchmarks.corpus", str(folder / "ws")]
        subprocess.run(
            [*command, "--chunks", str(size)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL
        )
        (folder / "done").touch()
    return folder


def work(folder: Path, name: str) -> dict[str, float]:
    """Return what one piece of work took (`benchmarks.searching`)."""
    command = [sys.executable, "-m", "benchmarks.searching", str(folder), name]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def link_home(name: str, workspace: Path) -> Path:
    """Return a platform home whose only agent has that workspace."""
    home = CACHE / "users" / f"home-{name}".replace(" ", "-") / ".openclaw"
    home.mkdir(parents=True, exist_ok=True)
    roster = {"agents": {"list": [{"id": "main", "workspace": str(workspace)}]}}
    (home / "openclaw.json").write_text(json.dumps(roster), encoding="utf-8")
    return home


def at_least(name: str, value: float, limit: float) -> Row:
    """Compare a figure with what it has to reach."""
    return Row(name, f"{value:.4f}", f"at least {limit:.4f}", limit / value if value else 2.0)


PARTS = {"quality": quality, "cold": cold, "scale": scale}
OWN = "own"


def main() -> int:
    """Return 1 when a budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *PARTS, OWN])
    chosen = parser.parse_args().names or [*PARTS, OWN]
    rows: list[Row] = []
    for name in filter(PARTS.get, chosen):
        if name != "scale" and not (LOCOMO / "queries.jsonl").exists():
            sys.stderr.write(f"{name} needs the labelled questions at {LOCOMO}: left out\n")
            continue
        sys.stderr.write(f"measuring {name}\n")
        rows.extend(PARTS[name]())
    if rows:
        text = table(rows, f"Medians: {COLD} cold searches in turns, {TYPED} rounds of typing")
        print(text)
        if set(PARTS) <= set(chosen):
            store_between(BEGIN, END, text)
    if OWN in chosen:
        own = operator_set.table()
        print(own)
        store_between(OWN_BEGIN, OWN_END, own)
    return int(any(row.share > 1 for row in rows))


def store_between(begin: str, end: str, text: str, page: Path = PAGE) -> None:
    """Put a table between its markers in the page."""
    before, _, rest = page.read_text("utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
