"""Homes of every kind: where each feature keeps its data, and homes that cannot be read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.platform.disk import DiskPlatform
from memconsole.adapters.platform.home import find_home
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.agents import Era, Storage
from memconsole.errors import HomeNotFoundError, HomeUnreadableError
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.agents import Home
    from tests.conftest import FixtureHome, PreparedCase

AT = datetime(2026, 4, 12, 9, tzinfo=UTC)
FILES, SQLITE, NONE = Storage.FILES, Storage.SQLITE, Storage.NONE


def platform(home: Path) -> DiskPlatform:
    choice = find_home(home, {}, home.parent)
    return DiskPlatform(choice, environ={}, now=lambda: AT, copies=PrivateCopies())


def read(home: Path) -> Home:
    return platform(home).read()


def make_home(state: Path) -> Path:
    """Make a home with agents `main` and `work` that have nothing yet."""
    for agent in ("main", "work"):
        for folder in ("sessions", "agent"):
            (state / "agents" / agent / folder).mkdir(parents=True)
    return state


@pytest.fixture
def home(user_home: Path) -> Path:
    """One in the usual place."""
    return make_home(user_home / ".openclaw")


def read_without_rights(folder: str) -> Home:
    """Read such a home, one folder of which belongs to somebody else."""
    with reachable_folder() as place:
        state = make_home(place / ".openclaw")
        (state / folder).chmod(0o000)
        with powerless():
            return read(state)


def make_tables(path: Path, *names: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        for name in names:
            connection.execute(f"CREATE TABLE {name} (id INTEGER)")


def database(home: Path, agent: str) -> Path:
    return home / "agents" / agent / "agent" / "openclaw-agent.sqlite"


RELEASES = {
    "clawdbot-2026.1": Era(FILES, FILES, FILES),
    "openclaw-2026.3": Era(FILES, FILES, FILES),
    "openclaw-2026.7": Era(FILES, SQLITE, SQLITE),
    "openclaw-2026.9": Era(SQLITE, SQLITE, SQLITE),
}


@pytest.mark.shared
@pytest.mark.parametrize(("release", "era"), RELEASES.items(), ids=RELEASES.keys())
def test_the_fixtures(fixture_home: FixtureHome, release: str, era: Era) -> None:
    state = fixture_home(release)
    before = {path: path.stat().st_mtime_ns for path in state.parent.rglob("*")}

    home = read(state)

    assert [(agent.id, agent.era, agent.problems) for agent in home.agents] == [
        ("main", era, ()),
        ("work", era, ()),
    ]
    assert all(agent.workspace_exists for agent in home.agents)
    assert (home.era, home.notices) == (era, ())
    assert {path: path.stat().st_mtime_ns for path in state.parent.rglob("*")} == before


@pytest.mark.shared
def test_case_c13(prepared_case: PreparedCase) -> None:
    dest, _ = prepared_case("c13-two-storage-eras")

    home = read(dest / "home" / ".openclaw")

    assert home.era.sessions is SQLITE
    assert [agent.id for agent in home.agents] == ["main"]


def test_nothing_yet(home: Path) -> None:
    assert read(home).era == Era()


def test_an_agent_that_has_nothing_makes_no_home_mixed(home: Path) -> None:
    (home / "agents" / "main" / "sessions" / "x.jsonl").write_text("")

    found = read(home)

    assert [agent.era.sessions for agent in found.agents] == [FILES, NONE]
    assert found.era.sessions is FILES


def test_a_home_of_two_eras_is_mixed(home: Path) -> None:
    (home / "agents" / "main" / "sessions" / "sessions.json").write_text("{}")
    make_tables(database(home, "work"), "session_nodes", "memory_index_meta")

    found = read(home)

    assert [agent.era.sessions for agent in found.agents] == [FILES, SQLITE]
    assert (found.era.sessions, found.era.memory_index) == (Storage.MIXED, SQLITE)


def test_a_database_without_sessions_leaves_them_to_the_files(home: Path) -> None:
    make_tables(database(home, "main"), "memory_index_chunks", "memory_index_meta")
    (home / "agents" / "main" / "sessions" / "x.jsonl.reset.2026-04-11T02-00-00Z").write_text("")

    assert read(home).agents[0].era == Era(FILES, SQLITE, NONE)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_database_that_cannot_be_read_is_not_an_agent_without_sessions(
    home: Path, content: bytes
) -> None:
    database(home, "main").write_bytes(content)
    (home / "state").mkdir()
    (home / "state" / "openclaw.sqlite").write_bytes(content)

    agent = read(home).agents[0]

    assert agent.era == Era(Storage.UNREADABLE, Storage.UNREADABLE, Storage.UNREADABLE)


def test_jobs_of_both_eras(home: Path) -> None:
    (home / "cron").mkdir()
    (home / "cron" / "jobs.json").write_text("{}")
    assert read(home).era.cron is FILES

    make_tables(home / "state" / "openclaw.sqlite", "cron_jobs")
    assert read(home).era.cron is SQLITE
    assert read(home).agents[0].era.cron is SQLITE


def test_an_index_of_its_own_belongs_to_the_file_era(home: Path) -> None:
    make_tables(home / "memory" / "main.sqlite", "chunks")

    assert [agent.era.memory_index for agent in read(home).agents] == [FILES, NONE]


def test_a_change_of_era_is_seen_at_the_next_reading(home: Path) -> None:
    make_tables(database(home, "main"), "memory_index_meta")
    same = platform(home)
    assert same.read().agents[0].era.sessions is NONE
    assert same.read().agents[0].era.sessions is NONE

    make_tables(database(home, "main"), "transcript_events")

    assert same.read().agents[0].era.sessions is SQLITE


def test_a_home_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HomeNotFoundError) as raised:
        read(tmp_path / "nowhere")

    assert str(raised.value) == f"the platform home {tmp_path / 'nowhere'} does not exist"


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")

    with pytest.raises(HomeUnreadableError, match="it is a file, not a folder"):
        read(tmp_path / "home")


def test_a_home_whose_agents_are_a_file(tmp_path: Path) -> None:
    (tmp_path / "agents").write_text("")

    with pytest.raises(HomeUnreadableError, match="not a directory"):
        read(tmp_path)


@pytest.mark.parametrize("folder", [".", "agents"])
def test_a_home_of_another_user(folder: str) -> None:
    with pytest.raises(HomeUnreadableError, match="permission denied"):
        read_without_rights(folder)


def test_an_impossible_name(tmp_path: Path) -> None:
    with pytest.raises(HomeUnreadableError, match="its name is impossible"):
        read(tmp_path / "a\0b\x1b[31m")


@pytest.mark.parametrize("folder", ["agents/work", "agents/work/sessions"])
def test_sessions_of_another_user_are_not_an_agent_without_sessions(folder: str) -> None:
    main, work = read_without_rights(folder).agents

    assert (main.id, main.era.sessions) == ("main", NONE)
    assert (work.id, work.era.sessions) == ("work", Storage.UNREADABLE)


def test_links_in_circles_are_no_agents(home: Path) -> None:
    (home / "agents" / "loop").mkdir()
    (home / "agents" / "loop" / "sessions").symlink_to("sessions")

    assert [agent.id for agent in read(home).agents] == ["main", "work"]


def test_other_homes_are_among_the_notices(user_home: Path, home: Path) -> None:
    (user_home / ".clawdbot").mkdir()
    choice = find_home(None, {}, user_home)

    found = DiskPlatform(choice, environ={}, now=lambda: AT, copies=PrivateCopies()).read()

    assert [notice.code for notice in found.notices] == ["other-home-found"]
