"""What cannot be read is never taken for what is not there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.bad_homes import MAIN, sound_home
from tests.program import Program
from tests.rights import reachable_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder() -> Iterator[Path]:
    with reachable_folder() as made:
        (made / "state").mkdir()
        sound_home(made / ".openclaw")
        for path in (made, *made.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        (made / "state").chmod(0o700)
        yield made


@pytest.fixture
def program(folder: Path) -> Program:
    environment = {
        "HOME": str(folder),
        "MEMCONSOLE_NOW": "2026-04-12T09:00:00Z",
        "MEMCONSOLE_STATE__DIR": str(folder / "state"),
        "MEMCONSOLE_SEARCH__SESSIONS": "true",
        "TZ": "UTC",
    }
    return Program(environment, is_plain_user=True)


RECORDS = (("runs",), ("jobs",), ("alerts", "list"), ("recover",), ("memory", "undo", "--dry-run"))


@pytest.mark.parametrize("command", RECORDS, ids=" ".join)
def test_records_that_cannot_be_read_are_not_none(
    program: Program, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "state").chmod(0)

    answer = program(*command)

    assert answer.code == 1
    assert "cannot be read: Permission denied" in answer.out + answer.err


def test_health_does_not_call_well_what_it_cannot_see(program: Program, folder: Path) -> None:
    (folder / "state").chmod(0)

    answer = program.json("health")

    checks = {one["id"]: one["status"] for one in answer.data["checks"]}
    unseen = ("jobs", "locks", "capture-skips", "reset-ineffective", "secrets")
    told = [one for one in answer.data["checks"] if one["id"] in unseen]
    assert {one["status"] for one in told} == {"unknown"}
    assert [one["message"].partition(":")[0] for one in told] == ["could not look"] * len(unseen)
    assert checks["state"] in ("warning", "critical")
    assert checks["index"] == "warning"


def test_status_goes_on_and_says_so(program: Program, folder: Path) -> None:
    (folder / "state").chmod(0)

    answer = program.json("status")

    assert (answer.code, len(answer.data["agents"])) == (0, 2)
    assert answer.data["index"] == {"waiting": None, "changed": None}
    assert "state-unwritable" in answer.warning_codes()


def test_a_store_that_cannot_be_read_is_unknown_to_health(program: Program, folder: Path) -> None:
    (folder / ".openclaw" / "agents" / "main" / "sessions").chmod(0)

    answer = program.json("health")

    [check] = [one for one in answer.data["checks"] if one["id"] == "stores"]
    assert check["status"] == "unknown"
    assert "cannot be" in check["message"]


@pytest.mark.parametrize("command", [("recover",), ("observe",), ("checkpoint",)], ids=" ".join)
def test_sessions_that_cannot_be_read_are_not_none(
    program: Program, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / ".openclaw" / "agents" / "main" / "sessions").chmod(0)

    answer = program.json(*command, "--agent", "main")

    row = answer.row(command=command[0])
    assert (answer.code, row["status"], row["reason"]) == (1, "failed", "store-unreadable")


def test_an_index_keeps_the_sessions_that_cannot_be_read_now(
    program: Program, folder: Path
) -> None:
    assert program.json("reindex", "--agent", "main").code == 0
    before = program.json("search", "hello", "--agent", "main", "--sessions").data["hits"]
    sessions = folder / ".openclaw" / "agents" / "main" / "sessions"
    sessions.chmod(0)

    again = program.json("reindex", "--agent", "main")
    sessions.chmod(0o777)

    assert again.code == 1
    assert program.json("search", "hello", "--agent", "main", "--sessions").data["hits"] == before


def test_a_transcript_that_cannot_be_read_leaves_a_warning(program: Program, folder: Path) -> None:
    sessions = folder / ".openclaw" / "agents" / "main" / "sessions"
    for path in sessions.glob("*.jsonl"):
        path.chmod(0)

    answer = program.json("sessions", "--agent", "main")

    assert answer.row(key=MAIN)["tokens_estimated"] is None
    assert "store-unreadable" in answer.warning_codes()


SHUT = "memory-unreadable"


@pytest.fixture
def memory(folder: Path) -> Path:
    """The memory folder of main, with something to find."""
    found = folder / ".openclaw" / "workspace" / "memory"
    found.mkdir(exist_ok=True)
    (found / "boats.md").write_text("- [DECISION] Zebra boats leave at noon.\n")
    for path in (found.parent, *found.parent.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    return found


@pytest.mark.parametrize("shut", ["", "boats.md"], ids=["folder", "file"])
def test_an_index_keeps_the_memory_that_cannot_be_read_now(
    program: Program, memory: Path, shut: str
) -> None:
    assert program.json("reindex", "--agent", "main").code == 0
    (memory / shut).chmod(0)

    again = program.json("reindex", "--agent", "main")
    full = program.json("reindex", "--full", "--agent", "main")
    found = program.json("search", "zebra", "--agent", "main")

    assert SHUT in again.warning_codes()
    assert again.row(command="reindex")["details"]["files_removed"] == 0
    assert full.code == 1
    assert SHUT in found.warning_codes()
    assert [one["path"] for one in found.data["hits"]] == ["memory/boats.md"]
    assert found.data["index"]["state"] == "stale"


@pytest.mark.parametrize("command", [("markers",), ("index-md",), ("reindex",)], ids=" ".join)
def test_memory_that_cannot_be_read_is_told_of(
    program: Program, memory: Path, command: tuple[str, ...]
) -> None:
    memory.chmod(0)

    assert SHUT in program.json(*command, "--agent", "main").warning_codes()


def test_health_does_not_call_memory_small_that_it_cannot_see(
    program: Program, memory: Path
) -> None:
    memory.chmod(0)

    checks = {one["id"]: one for one in program.json("health").data["checks"]}

    for name in ("memory-file-size", "observations-budget"):
        assert checks[name]["status"] == "unknown"
        assert "memory/ cannot be read" in checks[name]["message"]


ROTATIONS = (("rotate", "--dry-run"), ("rotate", "--yes"), ("once", "rotation"))


@pytest.mark.parametrize("command", ROTATIONS, ids=" ".join)
def test_sessions_that_cannot_be_read_are_not_nothing_to_do(
    program: Program, folder: Path, command: tuple[str, ...]
) -> None:
    for sessions in (folder / ".openclaw" / "agents").glob("*/sessions"):
        sessions.chmod(0)

    answer = program(*command)

    assert answer.code in (1, 3)
    assert "none of the session stores" in answer.out + answer.err
    assert "Nothing to do" not in answer.out


def test_a_rotation_names_the_agent_whose_sessions_cannot_be_read(
    program: Program, folder: Path
) -> None:
    (folder / ".openclaw" / "agents" / "main" / "sessions").chmod(0)

    answer = program.json("rotate", "--dry-run")

    assert answer.row(agent="main")["reason"] == "store-unreadable"
    assert "store-unreadable" in answer.warning_codes()


@pytest.mark.parametrize("words", [("memory", "show"), ("get",), ("memory", "get")], ids=" ".join)
@pytest.mark.parametrize("path", ["memory", "memory/folder.md"])
def test_a_folder_is_no_memory_file_and_no_empty_one(
    program: Program, folder: Path, words: tuple[str, ...], path: str
) -> None:
    (folder / ".openclaw" / "workspace" / "memory" / "folder.md").mkdir(mode=0o777)

    answer = program(*words, path)

    assert answer.code in (1, 2)
    assert "folder" in answer.err or f"has no file '{path}'" in answer.err
    assert not answer.out.strip()


@pytest.mark.parametrize("words", [("memory", "show"), ("get",), ("memory", "get")], ids=" ".join)
def test_a_pipe_where_a_memory_file_should_be_keeps_nobody_waiting(
    program: Program, folder: Path, words: tuple[str, ...]
) -> None:
    os.mkfifo(folder / ".openclaw" / "workspace" / "memory" / "pipe.md", 0o666)

    answer = program(*words, "memory/pipe.md")

    assert answer.code == 1
    assert "pipe" in answer.err
    assert "The home is sound" in program("memory", "show", "--all").out
