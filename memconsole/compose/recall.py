"""Measures search on a labelled set, in a home and a state that are made for it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.compose.engine import build_engine
from memconsole.domain.agents import Origin
from memconsole.engine.measure_recall import measure, read_questions

if TYPE_CHECKING:
    from memconsole.domain.search.recall import Recall
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock


def measure_recall(
    settings: Settings, folder: Path, clock: Clock, *, all_agents: bool = False
) -> Recall:
    """Measure search on a labelled set, as the command line would search it.

    A home of links to the set and a state of its own are made and removed again; the set is only
    read.

    Args:
        settings: Provider, weights and sizes; home and state are replaced.
        folder: With `queries.jsonl` and one workspace an agent.
        clock: The clock of the process.
        all_agents: Ask each question of all agents at once.

    Raises:
        UsageError: It is no labelled set.
    """
    asked = read_questions(folder)
    with tempfile.TemporaryDirectory(prefix="memconsole-recall-") as place:
        home = Path(place) / ".openclaw"
        home.mkdir()
        names = sorted({question.agent for question in asked})
        roster = [{"id": name, "workspace": str((folder / name).resolve())} for name in names]
        (home / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}), "utf-8")
        own = replace(settings, home=home, state_dir=Path(place) / "state", agents={})
        engine = build_engine(own, Origin.CLI, clock=clock)
        return measure(engine, asked, clock, all_agents=all_agents)
