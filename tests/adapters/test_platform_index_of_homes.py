"""The platform's own search, recomputed from the recorded homes of four releases."""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from memconsole.adapters.platform.disk import DiskPlatform
from memconsole.adapters.platform.home import find_home
from memconsole.adapters.platform_index import PlatformIndexFiles
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.platform_search.candidates import Placed, Rules
from memconsole.domain.platform_search.profile import limits_of
from memconsole.engine.platform_search.explain import placed
from tests.program import tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home
    from memconsole.ports.search import OpenPlatformIndex
    from tests.conftest import FixtureHome

pytestmark = pytest.mark.shared

FILE_ERAS = ("clawdbot-2026.1", "openclaw-2026.3", "openclaw-2026.7")
RECORDED_S = 1_795_816_415.744
"""When the searches of 2026.9 were recorded, in seconds since 1970."""


def home_at(state: Path) -> Home:
    choice = find_home(state, {}, state.parent)
    now = datetime.fromtimestamp(RECORDED_S, UTC)
    return DiskPlatform(choice, environ={}, now=lambda: now, copies=PrivateCopies()).read()


def agent_of(home: Home, agent_id: str) -> Agent:
    return next(agent for agent in home.agents if agent.id == agent_id)


def searched(
    state: Path, agent_id: str, query: str, vector: Sequence[float], now: float = RECORDED_S
) -> list[Placed]:
    """Return what the agent is shown, as its own search would."""
    home = home_at(state)

    def reading(index: OpenPlatformIndex) -> tuple[Placed, ...]:
        facts = index.facts
        limits = limits_of(facts.profile, home.config.checked, agent_id)
        rules = Rules(facts.profile, limits, query, now, facts.is_text_only)
        return placed(index, rules, vector)

    found = PlatformIndexFiles(PrivateCopies()).read(agent_of(home, agent_id), home, reading)
    assert found is not None
    shown = [one for one in found if one.rank is not None]
    return sorted(shown, key=lambda one: one.rank or 0)[:6]


def stub_vector(text: str) -> list[float]:
    """Return what the recorded gateways' embedding service of 2026.9 gave a text.

    Every word goes to one of 64 places with a sign; told from the stored vectors, which it
    reproduces.
    """
    found = [0.0] * 64
    for word in re.findall(r"[a-z0-9_]+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        found[digest[7] % 64] += 1 if digest[3] & 1 else -1
    length = math.hypot(*found) or 1.0
    return [one / length for one in found]


def records(shared: Path, release: str) -> list[dict[str, Any]]:
    lines = (shared / "fixtures" / release / "expected" / "memory-search.jsonl").read_text("utf-8")
    return [json.loads(line) for line in lines.splitlines()]


class TestFileEras:
    """Every recorded search of the three file eras, whole: places, lines, scores, order."""

    @pytest.mark.parametrize("release", FILE_ERAS)
    def test_recorded_searches_come_out_again(
        self, release: str, shared: Path, fixture_home: FixtureHome
    ) -> None:
        state = fixture_home(release)
        for one in records(shared, release):
            found = searched(state, one["agent"], one["query"], one["queryVector"])
            wanted = one["results"]
            assert [place(got) for got in found] == [
                (row["path"], row["startLine"], row["endLine"]) for row in wanted
            ], one["query"]
            assert [got.score for got in found] == pytest.approx(
                [row["score"] for row in wanted], abs=5e-4
            )
            for got, row in zip(found, wanted, strict=True):
                if "vectorScore" in row:
                    assert got.vector == pytest.approx(row["vectorScore"], abs=5e-4)
                    assert got.text == pytest.approx(row["textScore"], abs=5e-4)

    def test_all_recorded_searches_are_compared(self, shared: Path) -> None:
        assert [len(records(shared, release)) for release in FILE_ERAS] == [4, 4, 4]


def place(one: Placed) -> tuple[str, int, int]:
    return one.chunk.path, one.chunk.start_line, one.chunk.end_line


class Recorded(NamedTuple):
    """One result of a search of 2026.9 over the wire (`frames/rpc-read.jsonl`)."""

    agent: str
    query: str
    path: str
    score: float
    vector: float


@pytest.mark.parametrize(
    "one",
    [
        Recorded("main", "backup drill", "MEMORY.md", 0.7118438512, 0.5883483588),
        Recorded("main", "backup drill postgres", "MEMORY.md", 0.7483587890, 0.6405125558),
        Recorded("work", "invoice", "memory/2026-11-26.md", 0.5238250060, 0.3535534143),
    ],
    ids=lambda one: one.query,
)
def test_scores_of_2026_9_come_out_again(one: Recorded, fixture_home: FixtureHome) -> None:
    found = searched(fixture_home("openclaw-2026.9"), one.agent, one.query, stub_vector(one.query))
    [first] = found
    assert first.chunk.path == one.path
    assert first.score == pytest.approx(one.score, abs=5e-4)
    assert first.vector == pytest.approx(one.vector, abs=5e-4)


@pytest.mark.parametrize("release", [*FILE_ERAS, "openclaw-2026.9"])
def test_nothing_is_left_behind(release: str, fixture_home: FixtureHome) -> None:
    state = fixture_home(release)
    before = tree(state)
    searched(state, "main", "backup archive", stub_vector("backup archive"))
    assert tree(state) == before
