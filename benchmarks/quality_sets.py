"""Measures the provider `quality` beside `static` on three labelled sets: `make bench-quality`.

Needs the extra `memconsole[quality]`. The index of a set is built once for each provider; with
`quality` that takes some minutes for LoCoMo, which is read where it lies. `cold` measures how much
longer a search by a new process takes than a Python that does nothing, over the operator's memory;
the processor's time says it on a busy machine too.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from benchmarks.__main__ import table as figures
from benchmarks.budgets import Row, environment, memconsole
from benchmarks.measure import Subject, measure, run_once
from benchmarks.operator_set import SET, WORKSHOP, read_rows
from benchmarks.search import LOCOMO, link_home, store_between
from memconsole.adapters.clock import SystemClock
from memconsole.compose.engine import build_engine
from memconsole.compose.recall import measure as recall_of
from memconsole.compose.recall import read_questions
from memconsole.domain.agents import Origin
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.search.recall import Recall

BEGIN, END = "<!-- quality results -->", "<!-- end of quality results -->"
PROVIDERS = ("static", "quality")
COLD, ROUNDS = 16.0, 13
COLD_BEGIN, COLD_END = "<!-- cold quality results -->", "<!-- end of cold quality results -->"
ASKED = "what do we do when the disk of the mail server is full?"
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
            yield name, recall_of(engine, [asked[at] for at in numbers], clock)


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
            own = (row[part] for row in found)
            cells = [f"{it.recall[6]:.3f} / {it.ndcg:.3f}" for it in own]
            lines.append(f"| {part} | {one.questions} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def cold() -> list[Row]:
    """Return what a search by a new process takes of both providers, its index being whole."""
    workspace = next(one for one in SET.iterdir() if one.is_dir())
    subjects = [Subject("python -c pass", [sys.executable, "-c", "pass"], environment("bare"))]
    for provider in PROVIDERS:
        link_home(f"cold {provider}", workspace)
        seen = environment(f"home-cold {provider}") | {"MEMCONSOLE_SEARCH__PROVIDER": provider}
        run_once(Subject("reindex", [memconsole(), "reindex"], seen))
        asked = [memconsole(), "search", "--agent", "main", ASKED]
        subjects.append(Subject(provider, asked, seen))
    found = measure(subjects, rounds=ROUNDS)
    bare = found["python -c pass"]
    rows = []
    for provider in PROVIDERS:
        ours = found[provider]
        name = f"cold search with `{provider}`"
        for what, own, other in (
            ("processor", ours.cpu_s, bare.cpu_s),
            ("clock", ours.seconds, bare.seconds),
        ):
            told = f"{own / other:.1f} × ({1000 * own:.0f} ms against {1000 * other:.0f} ms)"
            rows.append(Row(f"{name}, by the {what}", told, f"{COLD:g} ×", own / other / COLD))
    return rows


def main() -> int:
    """Print the tables, store them when all was measured; 1 when the processor takes too much."""
    names = sys.argv[1:] or [*SETS, "cold"]
    is_all = names == [*SETS, "cold"]
    sets = [one for one in names if one != "cold"]
    if sets:
        print(text := table(sets))
        if is_all:
            store_between(BEGIN, END, text)
    rows = cold() if "cold" in names else []
    if rows:
        print(text := figures(rows, f"Medians of {ROUNDS} interleaved runs"))
        store_between(COLD_BEGIN, COLD_END, text)
    return int(any(row.share > 1 for row in rows if row.work.endswith("processor")))


if __name__ == "__main__":
    sys.exit(main())
