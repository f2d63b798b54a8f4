"""`logs rotate` and `cleanup`: what is due, what came of it, and the jobs that do the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.output.stream import Output
from memconsole.domain.recover import SILENT
from memconsole.domain.upkeep import LogFile, LogOwner, OldFile, OldKind
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    import pytest

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

BIG = LogFile(Path("/logs/big.log"), LogOwner.FOREIGN, 5_242_880)
SMALL = LogFile(Path("/logs/small.log"), LogOwner.FOREIGN, 5_242_879)


def test_only_logs_that_have_grown_are_rotated(world: World, call: Caller) -> None:
    assert "no log has reached" in call("logs", "rotate").out
    world.logs.files = [SMALL, BIG]
    result = call.json("logs", "rotate", "--dry-run")
    check_envelope(result.envelope)
    assert [(one["key"], one["status"]) for one in result.data] == [("/logs/big.log", "planned")]
    assert world.logs.rotated == []
    [done] = call.json("logs", "rotate").data
    assert done["wrote"] == [{"path": "/logs/big.log.1", "bytes": 5_242_880, "mode": "0600"}]
    assert world.logs.rotated == [("big.log", 3)]


def test_one_that_fails_does_not_stop_the_others(world: World, call: Caller) -> None:
    world.logs.files = [BIG, LogFile(Path("/logs/own.log"), LogOwner.OWN, 9_999_999)]
    world.logs.refused = {"big.log"}
    result = call.json("logs", "rotate")
    assert (result.code, [one["status"] for one in result.data]) == (1, ["failed", "done"])
    assert "left alone" in call("logs", "rotate").out


def test_the_job_does_the_same(world: World, call: Caller) -> None:
    assert call.json("once", "log_rotation").data[0]["reason"] == "nothing-due"
    world.logs.files = [BIG]
    assert call.json("once", "log_rotation").data[0]["status"] == "done"
    world.logs.refused = {"big.log"}
    assert call.json("once", "log_rotation").code == 1


def test_read_only_rotates_nothing(world: World, call: Caller) -> None:
    world.logs.files = [BIG]
    assert call("--read-only", "logs", "rotate").code == 1
    assert world.logs.rotated == []


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
