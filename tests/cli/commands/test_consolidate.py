"""`consolidate`: shows first, asks, and does what is said."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.output.stream import Output
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.entries import entries_of
from tests.cli.contract import check_data, check_envelope
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

OBSERVATIONS = "memory/observations.md"
NOTES = "memory/2026-01-20.md"
OLD = (
    "# Observations Log\n\nDate: 2026-01-10\n"
    "- 🔴 09:00 Two keys <!-- dc:type=rule dc:importance=8.0 -->\n"
    "- 🟡 09:10 The rack stands on the second floor <!-- dc:type=fact dc:importance=5.0 -->\n"
)
DAILY = "# main — 2026-01-20\n\n## 09:00 - Note\n\n- [FACT] Port 8443 is the gateway\n"
ID = entries_of(NOTES, DAILY)[0].id


@pytest.fixture(autouse=True)
def memory(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations that have decayed and shall go, and a note that was found often."""
    monkeypatch.setenv("MEMCONSOLE_CONSOLIDATE__TOKEN_TARGET", "1")
    root = world.platform.agents[0].workspace
    world.workspace.files |= {
        (root, OBSERVATIONS): OLD,
        (root, NOTES): DAILY,
        (root, "MEMORY.md"): "# Memory\n",
    }
    hits = [
        NoteHit(ID, NOTES, f"{number:016x}", (NOW - timedelta(days=number)).date(), 0.9, NOW)
        for number in range(6)
    ]
    world.consolidation.add(str(root), hits, keep_since=NOW - timedelta(days=60))


def text(world: World, path: str = OBSERVATIONS) -> str | None:
    return world.workspace.text(world.platform.agents[0].workspace, path)


def test_the_preview_has_every_field_and_writes_nothing(world: World, call: Caller) -> None:
    result = call.json("consolidate")
    check_envelope(result.envelope)
    main, work = result.data
    assert [one["text"] for one in main["archive"]] == ["The rack stands on the second floor"]
    assert (main["archive"][0]["score"], main["archive"][0]["age_days"]) == (3.4, 16)
    assert [one["text"] for one in main["archive_high"]] == ["Two keys"]
    assert main["hook"].startswith("Archived 1 line")
    [proposal] = main["proposals"]
    assert (proposal["id"], proposal["recalls"], proposal["queries"]) == (ID, 6, 6)
    assert proposal["text"] == "- 2026-01-20: [FACT] Port 8443 is the gateway"
    assert (work["archive"], work["proposals"], work["hook"]) == ([], [], None)
    assert world.workspace.writes == []


def test_people_see_the_same_and_how_to_go_on(call: Caller) -> None:
    out = call("consolidate").out
    assert "1 line could be archived" in out
    assert "The rack stands on the second floor" in out
    assert "memconsole consolidate --agent main --apply\n" in out
    assert "1 line with 🔴 could go as well" in out
    assert "1 daily note could go into MEMORY.md" in out
    assert "consolidate.search_log = true remembers them" in out
    assert "Nothing has decayed, and nothing is proposed." in out


def test_archiving_needs_a_yes_and_can_be_undone(world: World, call: Caller) -> None:
    refused = call.json("consolidate", "--apply")
    assert (refused.code, refused.error["code"]) == (2, "not-confirmed")
    plan = call("consolidate", "--apply", "--dry-run")
    assert "The rack stands" in plan.out
    assert text(world) == OLD
    result = call.json("consolidate", "--agent", "main", "--apply", "--yes")
    check_data(result.data, "checkpoint")
    assert (result.data[0]["command"], result.data[0]["status"]) == ("consolidate", "done")
    assert "Two keys" in (text(world) or "")
    assert "second floor" not in (text(world) or "")
    [back] = call.json("memory", "undo").data
    assert (back["details"]["undid"], text(world)) == ("consolidate", OLD)
    [row] = call.json("consolidate", "--agent", "main", "--apply-high", "--yes").data
    assert (row["status"], "Two keys" in (text(world) or "")) == ("done", False)


@pytest.mark.parametrize("answer", ["y\n", "n\n"])
def test_on_a_terminal_the_lines_are_shown_and_asked_for(
    answer: str, world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "can_ask", True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    result = call("consolidate", "--agent", "main", "--apply")
    assert "The rack stands on the second floor" in result.err
    assert (text(world) == OLD) is (answer == "n\n")
    assert result.code == (2 if answer == "n\n" else 0)


def test_an_edit_while_the_question_stands_is_not_touched(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world.platform.agents[0].workspace
    monkeypatch.setattr(Output, "can_ask", True)

    def edited(*_: object, **__: object) -> bool:
        world.workspace.files[root, OBSERVATIONS] = OLD + "- 🟢 mine\n"
        return True

    monkeypatch.setattr("typer.confirm", edited)
    result = call("consolidate", "--agent", "main", "--apply")
    assert (result.code, text(world)) == (1, OLD + "- 🟢 mine\n")
    assert "was changed since it was shown; nothing was done" in result.out


def test_a_note_is_accepted_by_its_id_and_another_declined(world: World, call: Caller) -> None:
    [row] = call.json("memory", "decline", ID).data
    assert (row["status"], row["details"]["notes"]) == ("done", [ID])
    assert call.json("consolidate", "--agent", "main").data[0]["proposals"] == []
    assert call("memory", "promote", ID, "--dry-run").code == 0
    assert text(world, "MEMORY.md") == "# Memory\n"
    [row] = call.json("memory", "promote", ID).data
    assert (row["command"], row["status"], row["details"]["path"]) == (
        "memory promote",
        "done",
        "MEMORY.md",
    )
    assert (text(world, "MEMORY.md") or "").endswith(
        "- 2026-01-20: [FACT] Port 8443 is the gateway\n"
    )


def test_the_report_goes_into_dreams_md(world: World, call: Caller) -> None:
    [main, work] = call.json("consolidate", "--report").data
    assert (main["status"], main["wrote"][0]["path"]) == ("done", "DREAMS.md")
    assert (work["status"], work["reason"]) == ("skipped", "nothing-new")
    assert "Port 8443" in (text(world, "DREAMS.md") or "")


@pytest.mark.parametrize(
    "words",
    [
        ("consolidate", "--apply", "--report"),
        ("memory", "promote"),
        ("memory", "promote", "d-00000000"),
        ("memory", "decline", ""),
        ("memory", "promote", ID, "--agent", "nobody"),
        ("consolidate", "--agent", "nobody"),
        ("consolidate", "--apply", "--agent", "nobody", "--yes"),
    ],
)
def test_wrong_calls_do_nothing(words: tuple[str, ...], world: World, call: Caller) -> None:
    assert call(*words).code == 2
    assert world.workspace.writes == []
    assert world.consolidation.refused == {}


@pytest.mark.parametrize(
    "words",
    [
        ("consolidate", "--apply", "--yes"),
        ("consolidate", "--report"),
        ("memory", "promote", ID),
        ("memory", "decline", ID),
    ],
)
def test_read_only_shows_and_does_nothing(
    words: tuple[str, ...], world: World, call: Caller
) -> None:
    assert call("--read-only", *words).code == 1
    assert world.workspace.writes == []
    assert call("--read-only", "consolidate").code == 0
