"""One sound home, and every way in which it can be bad."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "agent:main:main"
SESSION = "0f0e0d0c-0b0a-4908-8706-050403020100"

Breaking = Callable[["Path"], None]


@dataclass(frozen=True, slots=True)
class Bad:
    """One way a home can be bad.

    Attributes:
        name: What is wrong.
        break_it: Breaks a sound home.
        code: Exit code of `status`.
        says: What its error or one of its warnings says.
    """

    name: str
    break_it: Breaking
    code: int
    says: str


def sound_home(state: Path) -> Path:
    """Write the smallest home that works: two agents, one conversation each, one workspace."""
    for agent in ("main", "other"):
        sessions = state / "agents" / agent / "sessions"
        sessions.mkdir(parents=True)
        key = f"agent:{agent}:main"
        entry = {
            "sessionId": SESSION,
            "updatedAt": 1775984160000,
            "totalTokens": 152000,
            "totalTokensFresh": True,
            "contextTokens": 200000,
        }
        (sessions / "sessions.json").write_text(json.dumps({key: entry}))
        records = [{"type": "session", "version": 3, "id": SESSION}, *messages()]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (sessions / f"{SESSION}.jsonl").write_text(lines)
        os.utime(sessions / f"{SESSION}.jsonl", (1775984160, 1775984160))
    for workspace in ("workspace", "workspace-other"):
        memory = state / workspace / "memory"
        memory.mkdir(parents=True)
        (memory / "notes.md").write_text("- [FACT] The home is sound.\n")
    (state / "openclaw.json").write_text("{ agents: { list: [{ id: 'main' }, { id: 'other' }] } }")
    return state


def messages() -> list[dict[str, object]]:
    """Enough conversation for a checkpoint."""
    return [
        {
            "type": "message",
            "id": f"{number:08x}",
            "parentId": None if number == 0 else f"{number - 1:08x}",
            "timestamp": f"2026-04-12T08:5{number}:00.000Z",
            "message": {
                "role": "assistant" if number % 2 else "user",
                "content": f"Sentence {number} of a sound home. " + "It goes on for a while. " * 9,
            },
        }
        for number in range(6)
    ]


def stores(state: Path) -> list[Path]:
    return sorted(state.glob("agents/*/sessions/sessions.json"))


def remove(state: Path) -> None:
    shutil.rmtree(state)


def empty(state: Path) -> None:
    shutil.rmtree(state)
    state.mkdir()


def a_file(state: Path) -> None:
    shutil.rmtree(state)
    state.write_text("not a folder")


def closed(state: Path) -> None:
    state.chmod(0)


def agents_is_a_file(state: Path) -> None:
    shutil.rmtree(state / "agents")
    (state / "agents").write_text("")


def agents_are_closed(state: Path) -> None:
    (state / "agents").chmod(0)


def all_stores_are_closed(state: Path) -> None:
    for store in stores(state):
        store.parent.chmod(0)


def one_store_is_closed(state: Path) -> None:
    stores(state)[0].parent.chmod(0)


def stores_are_empty(state: Path) -> None:
    for store in stores(state):
        store.write_text("")


def stores_are_cut(state: Path) -> None:
    for store in stores(state):
        store.write_text(store.read_text()[:90])


def a_store_is_a_folder(state: Path) -> None:
    stores(state)[0].unlink()
    stores(state / "x")  # nothing there: the folder above is not a home
    (state / "agents" / "main" / "sessions" / "sessions.json").mkdir()


def a_store_is_a_pipe(state: Path) -> None:
    stores(state)[0].unlink()
    os.mkfifo(state / "agents" / "main" / "sessions" / "sessions.json")


def transcripts_are_pipes(state: Path) -> None:
    for path in state.glob("agents/*/sessions/*.jsonl"):
        path.unlink()
        os.mkfifo(path)


def a_database_is_empty(state: Path) -> None:
    agent = state / "agents" / "main" / "agent"
    agent.mkdir()
    (agent / "openclaw-agent.sqlite").write_bytes(b"")


def a_database_is_noise(state: Path) -> None:
    agent = state / "agents" / "main" / "agent"
    agent.mkdir()
    (agent / "openclaw-agent.sqlite").write_bytes(b"SQLite format 3\0" + b"\x7f" * 9000)


def links_go_in_circles(state: Path) -> None:
    (state / "agents" / "circle").symlink_to("circle")
    (state / "agents" / "main" / "sessions" / "up").symlink_to("..")
    (state / "workspace" / "memory" / "again").symlink_to("..")
    (state / "workspace" / "memory" / "self.md").symlink_to("self.md")


def config_is_broken(state: Path) -> None:
    (state / "openclaw.json").write_text("{ agents: { list: [ { id: 'main' ")


def config_is_a_folder(state: Path) -> None:
    (state / "openclaw.json").unlink()
    (state / "openclaw.json").mkdir()


def config_is_noise(state: Path) -> None:
    (state / "openclaw.json").write_bytes(bytes(range(256)) * 20)


def a_store_is_deep(state: Path) -> None:
    stores(state)[0].write_text('{"agent:main:main": ' + "[" * 200_000 + "]" * 200_000 + "}")


def names_are_hostile(state: Path) -> None:
    sessions = os.fsencode(state / "agents" / "main" / "sessions")
    for name in (b"\xff\xfe.jsonl", b"\x1b[2J.jsonl", b"new\nline.jsonl", b"[bad].jsonl"):
        with open(os.path.join(sessions, name), "wb") as file:  # noqa: PTH118, PTH123 - bytes
            file.write(b"{}\n")


def half_copied(state: Path) -> None:
    for path in state.glob("agents/other/sessions/*"):
        path.unlink()
    path = state / "agents" / "main" / "sessions" / f"{SESSION}.jsonl"
    path.write_bytes(path.read_bytes()[:700])
    (state / "agents" / "main" / "sessions" / ".sessions.json.Xy12").write_text("{")


def of_another_user(state: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    for path in (state, *state.rglob("*")):
        os.chown(path, 65534, 65534)
        path.chmod(0o700 if path.is_dir() else 0o600)


BAD_HOMES = (
    Bad("missing", remove, 3, "does not exist"),
    Bad("empty", empty, 0, ""),
    Bad("a file in its place", a_file, 3, "folder"),
    Bad("closed", closed, 3, "can be read"),
    Bad("of another user", of_another_user, 3, "can be read"),
    Bad("agents is a file", agents_is_a_file, 3, "can be read"),
    Bad("agents is closed", agents_are_closed, 3, "can be read"),
    Bad("all stores closed", all_stores_are_closed, 3, "can be read"),
    Bad("one store closed", one_store_is_closed, 0, "main"),
    Bad("empty stores", stores_are_empty, 0, "sessions.json"),
    Bad("cut stores", stores_are_cut, 0, "sessions.json"),
    Bad("a folder as store", a_store_is_a_folder, 0, "sessions.json"),
    Bad("a pipe as store", a_store_is_a_pipe, 0, "sessions.json"),
    Bad("pipes as transcripts", transcripts_are_pipes, 0, ""),
    Bad("empty database", a_database_is_empty, 0, "openclaw-agent.sqlite"),
    Bad("noise as database", a_database_is_noise, 0, "openclaw-agent.sqlite"),
    Bad("circles", links_go_in_circles, 0, ""),
    Bad("broken config", config_is_broken, 0, "openclaw.json"),
    Bad("a folder as config", config_is_a_folder, 0, "openclaw.json"),
    Bad("noise as config", config_is_noise, 0, "openclaw.json"),
    Bad("deep store", a_store_is_deep, 0, "sessions.json"),
    Bad("hostile names", names_are_hostile, 0, ""),
    Bad("half copied", half_copied, 0, ""),
)
