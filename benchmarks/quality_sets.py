"""Measures the provider `quality` beside `static` on three labelled sets: `make bench-quality`.

Needs the extra `memconsole[quality]`. The index of a set is built once for each provider; with
`quality` that takes some minutes for LoCoMo, which is read where it lies.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from benchmarks.operator_set import SET, WORKSHOP, read_rows
from benchmarks.search import LOCOMO, store_between
from memconsole.adapters.clock import SystemClock
from memconsole.compose.engine import build_engine
from memconsole.domain.agents import Origin
from memconsole.domain.settings import SearchSettings, Settings
from memconsole.engine.measure_recall import measure, read_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.search.recall import Recall

BEGIN, END = "<!-- quality results -->", "<!-- end of quality results -->"
PROVIDERS = ("static", "quality")
_KINDS = ("paraphrase", "cross-language")
Parts: TypeAlias = dict[str, list[int]]
"""Which questions are measured together: their numbers, by a name."""


def recalls(folder: Path, provider: str, parts: Parts) -> Iterator[tuple[str, Recall]]:
    """Yield what parts of a set come to, over one index.

    Args:
        folder: The labelled set.
        provider: Of vectors.
        parts: Of the questions.
    """
    asked = read_questions(folder)
    clock = SystemClock()
    with tempfile.TemporaryDirectory(prefix="memconsole-quality-") as place:
        home = Path(place) / ".openclaw"
        home.mkdir()
        names = sorted({one.agent for one in asked})
        roster = [{"id": name, "workspace": str((folder / name).resolve())} for name in names]
        (home / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}), "utf-8")
        settings = Settings(
            home=home,
            state_dir=Path(place) / "state",
            search=SearchSettings(provider=provider),
        )
        engine = build_engine(settings, Origin.CLI, clock=clock)
        for name, numbers in parts.items():
            yield name, measure(engine, [asked[at] for at in numbers], clock)


def operator_parts() -> Parts:
    """Return the halves of the operator's set, whole and by the kinds that need a model."""
    parts: Parts = {}
    for at, row in enumerate(read_rows()):
        half = f"operator, {row['half']} half"
        parts.setdefault(half, []).append(at)
        if row["category"] in _KINDS:
            parts.setdefault(f"{half}, {row['category']}", []).append(at)
    return parts


def workshop_parts() -> Parts:
    """Return the third set, whole and by kind."""
    parts: Parts = {}
    for at, row in enumerate(read_rows(WORKSHOP)):
        for name in ("workshop", f"workshop, {row['category']}"):
            parts.setdefault(name, []).append(at)
    return parts


def locomo_parts() -> Parts:
    """Return the talks as one."""
    return {"LoCoMo, six development talks": list(range(len(read_questions(LOCOMO))))}


SETS: dict[str, tuple[Path, Callable[[], Parts]]] = {
    "operator": (SET, operator_parts),
    "workshop": (WORKSHOP, workshop_parts),
    "locomo": (LOCOMO, locomo_parts),
}


def table(names: list[str]) -> str:
    """Return the table as Markdown."""
    lines = [f"| R@6 / nDCG@10 | questions | {' | '.join(PROVIDERS)} |", "|---|---|---|---|"]
    for folder, parts in (SETS[name] for name in names):
        found = [dict(recalls(folder, provider, parts())) for provider in PROVIDERS]
        for part, one in found[0].items():
            figures = (row[part] for row in found)
            cells = [f"{own.recall[6]:.3f} / {own.ndcg:.3f}" for own in figures]
            lines.append(f"| {part} | {one.questions} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def main() -> None:
    """Print the table; store it when all sets were measured."""
    names = sys.argv[1:] or list(SETS)
    text = table(names)
    print(text)
    if names == list(SETS):
        store_between(BEGIN, END, text)


if __name__ == "__main__":
    main()
