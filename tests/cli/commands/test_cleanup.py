"""`cleanup`: what is due, what came of it, and the job that does the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.output.stream import Output
from memconsole.domain.cleanup import OldFile, OldKind
from memconsole.domain.recover import SILENT
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    import pytest

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

PLACE = Path("/home/operator/.openclaw/agents/main/sessions")
COPY = OldFile(
    PLACE / "live.jsonl.bak.2026-01-01T00-00-00Z",
    "live",
    90_000,
    NOW - timedelta(days=9),
    kind=OldKind.BACKUP,
)
PACKED = OldFile(PLACE / "caf\udce9.jsonl.gz", "old", 700, NOW - timedelta(days=40), is_packed=True)


def test_cleanup_gives_an_outcome_a_file_and_the_totals_in_the_last(
    world: World, call: Caller
) -> None:
    world.old_transcripts.there = [COPY, PACKED]
    result = call.json("cleanup", "--agent", "main", "--uncaptured", "--dry-run")
    check_envelope(result.envelope)
    rows = [(one["status"], one["details"]["step"], one["details"]["kind"]) for one in result.data]
    assert rows == [("planned", "pack", "bak"), ("planned", "delete", "orphan")]
    assert "totals" not in result.data[0]["details"]
    assert result.data[1]["details"]["totals"]["bytes_before"] == 90_700
    assert world.old_transcripts.done == []

    done = call.json("cleanup", "--agent", "main", "--uncaptured", "--yes")
    assert [one["status"] for one in done.data] == ["done", "done"]
    gz = f"{COPY.path}.gz"
    assert done.data[0]["wrote"] == [{"path": gz, "bytes": 9_000, "mode": "0600"}]
    totals = done.data[1]["details"]["totals"]
    assert (totals["bytes_after"], totals["bytes_kept"]) == (9_000, 700)

    back = call.json("cleanup", "--agent", "main", "--undo", "--yes")
    assert [one["message"] for one in back.data] == ["put back", "unpacked"]
    assert {one.path for one in world.old_transcripts.there} == {COPY.path, PACKED.path}


def test_cleanup_says_why_each_file_stays(world: World, call: Caller) -> None:
    world.old_transcripts.there = [COPY]
    [row] = call.json("cleanup", "--agent", "main", "--yes").data
    assert (row["status"], row["reason"], row["details"]["captured"]) == ("skipped", "kept", "not")
    assert row["hint"] == "`--uncaptured` takes what nobody captured as well."
    said = call("cleanup", "--agent", "main", "--dry-run").out
    assert "it is not known that everything in this copy was captured" in said
    assert "1 old file, 87 KB before" in said


def test_cleanup_shows_the_plan_and_does_nothing_without_a_yes(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.old_transcripts.there = [COPY]
    refused = call.json("cleanup", "--uncaptured")
    assert (refused.code, refused.error["code"]) == (2, "not-confirmed")
    monkeypatch.setattr(Output, "can_ask", True)
    for answer, code in ((False, 2), (True, 0)):
        assert world.old_transcripts.done == []
        monkeypatch.setattr("typer.confirm", lambda *_, says=answer, **__: says)
        shown = call("cleanup", "--uncaptured")
        assert shown.code == code
        assert "- pack 87 KB bak 2026-01-17" in shown.err
    assert world.old_transcripts.done == [("compress", "live")]


def test_a_file_that_cannot_be_packed_is_one_sentence_and_exit_1(
    world: World, call: Caller
) -> None:
    world.old_transcripts.there = [COPY]
    world.old_transcripts.refused = {"live"}
    result = call("cleanup", "--uncaptured", "--yes")
    assert result.code == 1
    assert f"{COPY.path}: it was left alone: permission denied" in result.err


def test_cleanup_of_our_own_names_no_agent(world: World, call: Caller) -> None:
    path = Path("/state/logs/serve.log.1")
    old = OldFile(path, "", 700, NOW - timedelta(days=8), kind=OldKind.LOG)
    world.old_transcripts.ours = [old]
    [row] = call.json("cleanup", "--own", "--dry-run").data
    assert (row["agent"], row["key"], row["status"]) == (None, str(path), "planned")
    assert row["details"]["totals"]["bytes_before"] == 700
    last = call.json("cleanup", "--yes").data[-1]
    assert (last["agent"], last["status"]) == (None, "done")
    assert "memconsole  done" in call("cleanup", "--own", "--undo", "--yes").out


def test_wrong_calls_of_cleanup_touch_nothing(world: World, call: Caller) -> None:
    world.old_transcripts.there = [COPY]
    for words in (
        ["--undo", "--uncaptured"],
        ["--older-than", "soon"],
        ["--agent", "nobody"],
        ["--agent", "main", "--own"],
    ):
        assert call("cleanup", *words, "--yes").code == 2
    assert call("--read-only", "cleanup", "--uncaptured", "--yes").code == 1
    assert world.old_transcripts.done == []


def test_the_job_of_cleanup_only_plans_while_it_is_off(world: World, call: Caller) -> None:
    world.old_transcripts.there = [PACKED]
    world.sessions.transcripts["old"] = []
    world.recovery.remember(world.platform.agents[0].ref, "old", SILENT, NOW)
    [row] = [one for one in call.json("once", "transcript_cleanup").data if one["agent"] == "main"]
    assert (row["command"], row["status"]) == ("cleanup", "planned")
    assert world.old_transcripts.done == []
