"""The homes of four releases, through the command line, against their READMEs."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.main import main
from tests.cli.caller import Result
from tests.cli.contract import check_envelope
from tests.program import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Json
    from tests.conftest import FixtureHome

pytestmark = pytest.mark.shared

RELEASES = ("clawdbot-2026.1", "openclaw-2026.3", "openclaw-2026.7", "openclaw-2026.9")
NOW = "2026-11-27T22:30:00+00:00"
LATEST = "openclaw-2026.9"


class Operator:
    """Runs memconsole on one fixture home, and sees that the home stays as it is."""

    def __init__(self, state: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.state = state
        self.capture = capture

    def __call__(self, *words: str) -> Result:
        workspaces = tuple(self.state.glob("workspace*"))
        before = tree(self.state, without=workspaces)
        code = main(["--home", str(self.state), *words])
        assert tree(self.state, without=workspaces) == before
        return Result(code, *self.capture.readouterr())

    def json(self, *words: str) -> Result:
        """Run one command with `--json` and hold its answer against the contract."""
        result = self(*words, "--json")
        check_envelope(result.envelope)
        return result

    def row(self, key: str) -> Json:
        """Return the one session of that key."""
        [row] = [one for one in self.json("sessions", "--all").data if one["key"] == key]
        return row


@pytest.fixture
def operator(
    request: pytest.FixtureRequest,
    fixture_home: FixtureHome,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Operator:
    """An operator at the home of the release that the test names, the newest unless it does."""
    monkeypatch.setenv("MEMCONSOLE_NOW", NOW)
    monkeypatch.setenv("TZ", "UTC")
    state = fixture_home(getattr(request, "param", LATEST))
    monkeypatch.setenv("HOME", str(state.parent))
    return Operator(state, capsys)


@pytest.mark.parametrize("operator", RELEASES, indirect=True)
def test_every_command_answers_as_the_contract_says(operator: Operator) -> None:
    for words in (
        ["status"],
        ["agents"],
        ["sessions"],
        ["memory", "pool"],
        ["markers"],
        ["runs"],
        ["rotate", "--dry-run"],
        ["checkpoint", "--dry-run", "--force"],
    ):
        assert operator.json(*words).code == 0, words
        assert operator(*words).code == 0, words
    for row in operator.json("sessions", "--all").data:
        name = row["key"] or row["session_id"]
        if row["transcript"] == "present":
            detail = operator.json("session", name).data
            assert detail["messages"] is not None
            assert operator.json("transcript", name, "--all").code == 0


@pytest.mark.parametrize("operator", RELEASES, indirect=True)
def test_each_home_has_its_two_agents(operator: Operator) -> None:
    rows = operator.json("agents").data
    assert [row["id"] for row in rows] == ["main", "work"]
    assert all(row["workspace_exists"] for row in rows)
    assert all(row["memory_files"] > 0 for row in rows)


@pytest.mark.parametrize(
    ("operator", "sessions", "memory_index", "cron"),
    [
        ("clawdbot-2026.1", "files", "files", "files"),
        ("openclaw-2026.3", "files", "files", "files"),
        ("openclaw-2026.7", "files", "sqlite", "sqlite"),
        ("openclaw-2026.9", "sqlite", "sqlite", "sqlite"),
    ],
    indirect=["operator"],
)
def test_eras_are_told_by_feature(
    operator: Operator, sessions: str, memory_index: str, cron: str
) -> None:
    era = operator.json("status").data["era"]
    assert era == {"sessions": sessions, "memory_index": memory_index, "cron": cron}


@pytest.mark.parametrize("operator", RELEASES, indirect=True)
def test_a_checkpoint_is_taken_and_remembered(operator: Operator) -> None:
    rows = {row["agent"]: row for row in operator.json("checkpoint", "--force").data}
    assert list(rows) == ["main", "work"]
    assert {row["reason"] for row in rows.values()} <= {None, "too-few-messages"}
    done = [agent for agent, row in rows.items() if row["status"] == "done"]
    assert done
    for agent in done:
        assert rows[agent]["wrote"][0]["path"] == "memory/ACTIVE_CONTEXT.md"
    taken = {row["id"]: row["checkpoint_at"] for row in operator.json("agents").data}
    assert all(taken[agent] is not None for agent in done)
    runs = operator.json("runs").data
    assert [(run["command"], run["origin"]) for run in runs] == [("checkpoint", "cli")] * 2


def test_the_newest_home_tells_the_truth_about_its_counts(operator: Operator) -> None:
    main_row = operator.row("agent:main:main")
    assert (main_row["tokens"], main_row["token_state"], main_row["due"]) == (
        152_940,
        "fresh",
        True,
    )
    assert main_row["threshold"] == 150_000
    by_label = {row["label"]: row for row in operator.json("sessions", "--all").data}
    migration = by_label["Inventory migration"]
    assert (migration["tokens"], migration["token_state"]) == (128_400, "stale")
    assert (migration["due"], migration["compactions"]) == (False, 1)
    small = by_label["Small talk"]
    assert (small["tokens"], small["token_state"]) == (0, "fresh")
    assert by_label["Failing run"]["tokens"] is None
    assert by_label["Old log review"]["state"] == "archived"


def test_the_log_of_the_database_is_read(operator: Operator, shared: Path) -> None:
    key = "agent:work:dashboard:helpers"
    folder = operator.state / "agents" / "work" / "agent"
    with tarfile.open(shared / "fixtures" / LATEST / "wal-overlay.tar.gz") as overlay:
        for member in overlay.getmembers():
            if member.isfile():
                content = overlay.extractfile(member)
                assert content is not None
                (folder / member.name.rpartition("/")[2]).write_bytes(content.read())
    assert (operator.row(key)["tokens"], _events_of_work(operator)) == (0, 46)
    (folder / "openclaw-agent.sqlite-wal").unlink()
    assert (operator.row(key)["tokens_reported"], _events_of_work(operator)) == (33_000, 42)


def _events_of_work(operator: Operator) -> int:
    rows = operator.json("sessions", "--all", "--agent", "work").data
    present = [row["session_id"] for row in rows if row["state"] == "live"]
    return sum(operator.json("session", name).data["events"] for name in present)


def test_only_what_is_due_is_planned(operator: Operator) -> None:
    result = operator.json("rotate", "--dry-run")
    assert [row["key"] for row in result.data if row["status"] == "planned"] == ["agent:main:main"]
    assert result.data[0]["details"]["threshold"] == 150_000


def test_a_large_message_that_is_packed_is_read_whole(operator: Operator) -> None:
    [row] = [
        one for one in operator.json("sessions", "--all").data if one["label"] == "Old log review"
    ]
    texts = [one["text"] for one in operator.json("transcript", row["key"]).data]
    assert max(map(len, texts)) > 100_000
