"""Measures search on a labelled set, in a home and a state made for it: `bench recall`."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memconsole.compose.engine import build_engine
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.search.chunking import chunks
from memconsole.domain.search.recall import DEPTH, Sums, questions
from memconsole.domain.search.values import SearchRequest
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.search.recall import Question, Range, Recall
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
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


_QUERIES: Final = "queries.jsonl"


def read_questions(folder: Path) -> tuple[Question, ...]:
    """Return the questions of a labelled set.

    Raises:
        UsageError: There are none, or a line is no question.
    """
    path = folder / _QUERIES
    hint = (
        "Each line is an object with agent, query and evidence; `bench recall --help` tells more."
    )
    try:
        with path.open(encoding="utf-8") as lines:
            found = tuple(questions(lines))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    except ValueError as error:
        raise UsageError(f"{path}: {error}", hint=hint) from error
    if not found:
        raise UsageError(f"{path} holds no question with evidence", hint=hint)
    missing = sorted({one.agent for one in found if not (folder / one.agent).is_dir()})
    if missing:
        raise UsageError(f"{folder} has no workspace {missing[0]!r}", hint=hint)
    return found


def measure(
    engine: Engine, asked: Sequence[Question], clock: Clock, *, all_agents: bool = False
) -> Recall:
    """Ask every question; an index is built before the first one of its agent, untimed.

    Args:
        engine: Over a home with the set's agents.
        asked: The questions.
        clock: Takes the time.
        all_agents: Ask each question of all agents at once; only notes of its own count.
    """
    sums = Sums()
    sizes: dict[str, int] = {}
    existing: dict[tuple[str, str], list[Range]] = {}
    provider, seconds = "none", 0.0
    for agent in dict.fromkeys(question.agent for question in asked):
        if engine.settings.search.provider == "quality":
            engine.run(Reindex(AgentRef(HomeRef(str(engine.settings.home)), agent)))
        built = engine.search.find(SearchRequest("anything", agent_id=agent))
        sizes[agent], provider = built.index.chunks, built.index.provider
    for question in asked:
        whose = None if all_agents else question.agent
        request = SearchRequest(question.query, agent_id=whose, max_results=DEPTH)
        start = clock.monotonic()
        found = engine.search.find(request)
        seconds += clock.monotonic() - start
        ranked = [
            (hit.path if hit.agent == question.agent else "", hit.start_line, hit.end_line)
            for hit in found.hits
        ]
        for path in {path for path, _ in question.evidence}:
            if (question.agent, path) not in existing:
                existing[question.agent, path] = _ranges(engine, question.agent, path)
        known = [
            one
            for path in {path for path, _ in question.evidence}
            for one in existing[question.agent, path]
        ]
        sums.add(question, ranked, known)
    return sums.mean(
        agents=len(sizes), chunks=sum(sizes.values()), provider=provider, seconds=seconds
    )


def _ranges(engine: Engine, agent: str, path: str) -> list[Range]:
    own = engine.settings.for_agent(agent).search
    text = "\n".join(engine.search.lines(agent, path))
    cut = chunks(text, tokens=own.chunk_tokens, overlap_tokens=own.chunk_overlap)
    return [(path, one.start_line, one.end_line) for one in cut]
