"""The windows of the cases' sessions: what is listed of each, and what is told of nobody's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.stage import prepare
from tests.cases.test_cases import CASES, pytestmark

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ("pytestmark",)

MAIN = "agent:main:main"
RESET, DELETED = "33363ebe-89e3-50c6-a7b9-1b501a32224c", "83b08207-45fc-50b5-8fb4-c671211447d8"
PACKED, ORPHAN = "cd73a262-8cba-58ba-87f8-1afc90f9dcb3", "3bb20b0b-f31e-5f6b-a7fa-4f2e3a5b7050"


def test_every_window_of_a_folder_full_of_files_is_listed(tmp_path: Path) -> None:
    stage = prepare(CASES, "c07-sessions-dir-zoo", tmp_path / "case")
    seen = stage.run("session", MAIN, "--windows").data
    [current] = seen["windows"]
    assert (current["state"], current["messages"], current["why"]) == ("current", 6, None)
    assert current["bytes"] > 0
    found = {one["id"]: one for one in seen["unattributed_windows"]}
    assert len(found) == seen["unattributed"] == 4
    assert [(one, found[one]["why"], found[one]["ended_at"]) for one in found] == [
        (RESET, "reset", "2026-04-11T02:00:00+00:00"),
        (DELETED, "deleted", "2026-04-09T12:00:00+00:00"),
        (ORPHAN, None, "2026-04-07T10:02:00+00:00"),
        (PACKED, "reset", "2026-04-05T02:00:00+00:00"),
    ]
    assert all(one["bytes"] or one["id"] == PACKED for one in found.values())
    assert all(one["captured"] == [] for one in found.values())

    stage.run("observe", "--recover", RESET)
    after = stage.run("session", MAIN, "--windows").data["unattributed_windows"]
    assert [one["captured"] for one in after] == [["observations"], [], [], []]

    [skipped] = stage.run("restore", MAIN, "--dry-run").data
    assert skipped["message"].endswith(f"is left in any earlier window of {MAIN}")
    [plan] = stage.run("restore", MAIN, "--window", PACKED, "--dry-run").data
    assert plan["status"] == "planned"


def test_where_no_session_ever_was_there_is_no_window(tmp_path: Path) -> None:
    stage = prepare(CASES, "c73-recycle-bins-and-sync-copies", tmp_path / "case")
    assert stage.run("sessions", "--all").data == []
    for words in (("session", MAIN, "--windows"), ("restore", MAIN, "--dry-run")):
        answer = stage.run(*words)
        assert answer.code in (1, 2)
        assert "window" not in answer.err or "no window" in answer.err
