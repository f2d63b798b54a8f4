"""`config check` and `config fix` on the recorded homes: what their transcripts really hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.acceptance.fixtures import give_times_back, program_for
from tests.program import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FixtureHome
    from tests.program import Program

pytestmark = pytest.mark.shared

EVIDENCE = {
    "clawdbot-2026.1": {("critical", "summary-unavailable")},
    "openclaw-2026.3": set(),
    "openclaw-2026.7": {("warning", "too-short")},
    "openclaw-2026.9": {("warning", "blank-history")},
}
MODE = {
    "clawdbot-2026.1": "high",
    "openclaw-2026.3": "high",
    "openclaw-2026.7": "info",
    "openclaw-2026.9": "info",
}
"""What safeguard means there: no home names its release, two prove a newer one by their stores."""


def stage(release: str, fixture_home: FixtureHome) -> tuple[Path, Program]:
    state = fixture_home(release)
    give_times_back(state)
    return state, program_for(state)


@pytest.mark.parametrize("release", EVIDENCE)
def test_what_the_transcripts_hold_is_found(release: str, fixture_home: FixtureHome) -> None:
    state, program = stage(release, fixture_home)
    before = tree(state)
    answer = program.json("config", "check")
    rows = answer.data
    assert answer.code == 1
    found = {
        (row["severity"], row["current"]) for row in rows if row["id"] == "compaction-evidence"
    }
    assert found == EVIDENCE[release]
    assert [row["severity"] for row in rows if row["id"] == "compaction-mode"] == [MODE[release]]
    assert not [row for row in rows if row["id"] in ("evidence-unread", "config-unreadable")]
    assert tree(state) == before
    assert "fake" not in answer.out


def test_the_lost_session_is_named_with_its_time(fixture_home: FixtureHome) -> None:
    _, program = stage("clawdbot-2026.1", fixture_home)
    rows = program.json("config", "check").data
    [row] = [one for one in rows if one["id"] == "compaction-evidence"]
    [case] = row["details"]
    assert case["session_id"] == "85cde2dd-4eb2-4916-afa6-fe6c6f92133e"
    assert case["at"] == "2026-11-27T21:33:02.090000+00:00"
    assert "safeguard hook" in case["why"]
    assert "recover" in row["hint"]


def test_a_fix_changes_its_value_and_no_other_byte(fixture_home: FixtureHome) -> None:
    state, program = stage("openclaw-2026.9", fixture_home)
    config = state / "openclaw.json"
    text = config.read_text("utf-8")
    broken = text.replace("memoryFlush: { enabled: true", "memoryFlush: { enabled: false")
    assert broken != text
    config.write_text(broken, "utf-8")
    before = tree(state)
    plan = program.json("config", "fix")
    assert (plan.code, tree(state)) == (0, before)
    done = program.json("config", "fix", "--apply", "--yes")
    assert (done.code, done.data[0]["status"]) == (0, "done")
    assert config.read_text("utf-8") == text
    changed = {path for path, value in tree(state).items() if before.get(path) != value}
    assert changed == {".", "openclaw.json"}
    again = program.json("config", "fix", "--apply", "--yes")
    assert again.data[0]["reason"] == "nothing-to-fix"
