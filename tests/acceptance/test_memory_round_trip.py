"""What is done to a memory can be taken back to the last byte, by the program itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-04-12T09:00:00+00:00"
FILES = {
    "MEMORY.md": b"\xef\xbb\xbf# Memory\r\n\r\n- Ada prefers tea\r\n\r\n## Notes\r\n- one",
    "USER.md": "# User\n\n## Stil\n\n- kurze Antworten, ohne Umschweife\n".encode("utf-16"),
    "memory/2026-04-12.md": b"# main\r\rold Mac line ends\r\r## 09:00 - Note\r\r- kept",
    "memory/2026-04-10.md": (
        b"# main\n\n## 08:00 - Note\n\n- [FACT] The zebra gateway listens on port 8443\n"
        b"- a | table | <!-- and --> [a link](http://x) `and` # more\n"
    ),
    "memory/observations.md": (
        b"# Observations Log\r\n\r\nProse.\r\n\r\nDate: 2026-03-01\r\n"
        b"- \xf0\x9f\x9f\xa1 14:06 The rack moved <!-- dc:type=fact dc:importance=5.0 -->\r\n"
        b"  - \xf0\x9f\x94\xb4 child <!-- dc:type=rule dc:importance=9.5 -->\r\n"
        b"- \xf0\x9f\x9f\xa2 Lunch <!-- dc:type=event dc:importance=1.0 -->"
    ),
    "memory/deep/er/vendored/notes.md": b"- far down\n",
    "memory/picture.md": bytes(range(256)),
    "memory/empty.md": b"",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace of files that many hands wrote, in many ways."""
    home, root = tmp_path / ".openclaw", tmp_path / "ws"
    home.mkdir()
    roster = {"agents": {"list": [{"id": "main", "workspace": str(root)}]}}
    (home / "openclaw.json").write_text(json.dumps(roster), encoding="utf-8")
    for name, data in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


@pytest.fixture
def program(workspace: Path) -> Program:
    """The program in that home, remembering what searches find."""
    environment = {
        "HOME": str(workspace.parent),
        "TZ": "UTC",
        "MEMCONSOLE_NOW": NOW,
        "MEMCONSOLE_CONSOLIDATE__SEARCH_LOG": "true",
        "MEMCONSOLE_CONSOLIDATE__TOKEN_TARGET": "1",
    }
    return Program(environment)


def held(root: Path) -> dict[str, bytes]:
    """Return every file of the pool."""
    paths = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def test_add_search_forget_undo_leaves_every_byte(workspace: Path, program: Program) -> None:
    before = held(workspace)
    [added] = program.json("memory", "add", "The quokka server answers on 9443").data
    assert added["status"] == "done", added
    with_it = held(workspace)
    assert with_it != before
    hits = program.json("memory", "search", "quokka server").data["hits"]
    assert any("quokka" in hit["snippet"] for hit in hits)
    [forgotten] = program.json("memory", "forget", added["details"]["id"], "--yes").data
    assert forgotten["status"] == "done", forgotten
    own = {name: data for name, data in held(workspace).items() if "archive" not in name}
    assert not any(b"quokka" in data.replace(b"\0", b"") for data in own.values())
    [back] = program.json("memory", "undo").data
    assert (back["details"]["undid"], held(workspace)) == ("forget", with_it)
    [back] = program.json("memory", "undo").data
    assert (back["details"]["undid"], held(workspace)) == ("add", before)


def test_consolidate_and_undo_leaves_every_byte(workspace: Path, program: Program) -> None:
    before = held(workspace)
    [shown] = program.json("consolidate").data
    assert [one["text"] for one in shown["archive"]] == ["The rack moved", "Lunch"]
    assert held(workspace) == before
    [done] = program.json("consolidate", "--apply", "--yes").data
    assert done["status"] == "done", done
    after = held(workspace)
    for text in (b"The rack moved", b"Lunch"):
        assert text not in after["memory/observations.md"]
        assert text in after["memory/archive/observations/2026-04-12.md"]
    assert b"Prose.\r\n" in after["memory/observations.md"]
    [again] = program.json("consolidate", "--apply", "--yes").data
    assert (again["status"], held(workspace)) == ("skipped", after)
    [back] = program.json("memory", "undo").data
    assert (back["details"]["undid"], held(workspace)) == ("consolidate", before)


def test_a_note_that_is_found_often_is_promoted_and_taken_back(
    workspace: Path, program: Program
) -> None:
    for words in ("zebra gateway", "port 8443", "zebra listens", "gateway port"):
        assert program.json("search", words).data["hits"]
    before = held(workspace)
    [shown] = program.json("consolidate").data
    [proposal] = shown["proposals"]
    assert proposal["text"] == "- 2026-04-10: [FACT] The zebra gateway listens on port 8443"
    [done] = program.json("memory", "promote", proposal["id"]).data
    assert done["status"] == "done", done
    assert held(workspace)["MEMORY.md"].startswith(before["MEMORY.md"])
    [back] = program.json("memory", "undo").data
    assert (back["details"]["undid"], held(workspace)) == ("promote", before)


def test_searches_leave_nothing_behind_unless_they_shall(workspace: Path, program: Program) -> None:
    silent = Program({**program.environment, "MEMCONSOLE_CONSOLIDATE__SEARCH_LOG": "false"})
    assert silent.json("search", "zebra gateway").data["hits"]
    assert not list(workspace.parent.rglob("state.db"))
    assert program.json("search", "zebra gateway").data["hits"]
    assert list(workspace.parent.rglob("state.db"))
