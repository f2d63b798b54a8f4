"""Configurations of any shape: every one gives a home, and no secret comes through."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memconsole.adapters.platform.disk import DiskPlatform
from memconsole.adapters.platform.home import find_home
from memconsole.adapters.sqlite.private_copy import PrivateCopies

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.agents import Home

AT = datetime(2026, 4, 12, 9, tzinfo=UTC)
SECRET = "example-token-not-real"

WORDS = st.sampled_from(
    """agents list entries defaults id name workspace agentDir identity default systemAgent agentId
    session store mainKey models providers contextWindow gateway port auth token compaction
    reserveTokens main ops""".split()  # noqa: SIM905 - a list of so many would be long
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | WORDS
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
NO_FIXTURE_CHECK = [HealthCheck.function_scoped_fixture]


def read(state: Path, config: object) -> Home:
    state.mkdir(exist_ok=True)
    (state / "openclaw.json").write_text(json.dumps(config), encoding="utf-8")
    choice = find_home(state, {}, state.parent)
    return DiskPlatform(choice, environ={}, now=lambda: AT, copies=PrivateCopies()).read()


@given(st.dictionaries(WORDS, TREES, max_size=5))
@settings(suppress_health_check=NO_FIXTURE_CHECK)
def test_any_configuration_gives_a_home(user_home: Path, config: dict[str, object]) -> None:
    gateway = {"auth": {"token": SECRET, "password": SECRET}, "remote": {"token": SECRET}}

    home = read(user_home / ".openclaw", {**config, "gateway": gateway})

    ids = [agent.id for agent in home.agents]
    assert bool(ids) == home.config.is_readable  # of nothing at all only a sound roster has `main`
    assert len(set(ids)) == len(ids)
    assert SECRET not in repr(home)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
@settings(suppress_health_check=NO_FIXTURE_CHECK)
@example(["агент", "Агент", "агент "])
def test_nobody_becomes_main_who_was_not_called_so(user_home: Path, names: list[str]) -> None:
    home = read(user_home / ".openclaw", {"agents": {"list": [{"id": name} for name in names]}})

    ids = [agent.id for agent in home.agents]
    has_roster = any(name.replace("\0", "").strip() for name in names)
    is_called = any("main" in name.lower() for name in names)
    assert len(set(ids)) == len(ids)
    assert ("main" in ids) <= (is_called or not has_roster)


@given(st.text(max_size=30))
@settings(suppress_health_check=NO_FIXTURE_CHECK)
@example("\ud800")
@example("a\0b")
@example("~" * 300)
@example("/" + "x/" * 3000)
@example("${HOME}")
@example("~/../../../../..")
def test_any_workspace_is_a_path_and_nothing_is_made(user_home: Path, workspace: str) -> None:
    state = user_home / ".openclaw"
    state.mkdir(exist_ok=True)
    before = sorted(user_home.rglob("*"))
    roster = {"list": [{"id": "a", "workspace": workspace, "agentDir": workspace}]}

    home = read(state, {"agents": roster, "session": {"store": workspace}})

    assert home.agents[0].workspace.is_absolute()
    assert {*user_home.rglob("*")} - {*before} <= {state / "openclaw.json"}
    assert all("\x1b" not in notice.message for notice in home.agents[0].problems)
