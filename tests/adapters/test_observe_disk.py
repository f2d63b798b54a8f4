"""The observer on a real disk: kills at every step, full disks, odd files, two runs at once."""

from __future__ import annotations

import json
import resource
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole import wiring
from memconsole.domain.agents import AgentRef
from memconsole.domain.commands import Observe
from memconsole.domain.observations_text import parse
from memconsole.domain.origin import Origin
from memconsole.domain.outcomes import Failed, Observed, Skipped, SkipReason
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.stores.workspace import DiskWorkspace
from tests.fakes import NOW, FakeClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.outcomes import Outcome

SESSION = "0b6a1c2d-0000-4000-8000-000000000001"
KEY = "agent:main:main"
TEXTS = (
    "We decided to use Postgres instead of MySQL for billing.",
    "Understood.",
    "Never deploy the gateway on a Friday.",
    "Noted.",
)
OLD = "# Observations Log\r\n\r\nDate: 2026-01-25\r\n- 🔴 kept <!-- x:y=z odd -->\r\nprose, no end"
STEPS = ("opened", "written", "synced")


class Killed(BaseException):
    """Ends a run at a step, as a kill would."""


class Place:
    """A platform home with one talk, and an engine over it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / ".openclaw"
        self.workspace = folder / "ws"
        self.sessions = self.home / "agents" / "main" / "sessions"
        self.sessions.mkdir(parents=True)
        (self.workspace / "memory").mkdir(parents=True)
        roster = {"agents": {"list": [{"id": "main", "workspace": str(self.workspace)}]}}
        (self.home / "openclaw.json").write_text(json.dumps(roster))
        self.clock = FakeClock()
        self.settings = Settings(
            state_dir=folder / "state",
            home=self.home,
            is_home_explicit=True,
            timezone="UTC",
            transport="none",
        )
        self.said = 0
        self.say(*TEXTS)

    @property
    def file(self) -> Path:
        return self.workspace / "memory" / "observations.md"

    @property
    def texts(self) -> list[str]:
        log = parse(self.file.read_bytes().decode())
        return [one.text for one in log.observations]

    def say(self, *texts: str) -> None:
        lines = [] if self.said else [json.dumps({"type": "session", "id": SESSION, "version": 3})]
        for text in texts:
            at = self.clock.now() + timedelta(seconds=self.said)
            message = {"role": ("user", "assistant")[self.said % 2], "content": text}
            record = {
                "type": "message",
                "id": f"{self.said:08x}",
                "parentId": f"{self.said - 1:08x}" if self.said else None,
                "timestamp": at.isoformat(),
                "message": message,
            }
            lines.append(json.dumps(record))
            self.said += 1
        with (self.sessions / f"{SESSION}.jsonl").open("a") as file:
            file.write("".join(f"{line}\n" for line in lines))
        entry = {"sessionId": SESSION, "updatedAt": int(self.clock.now().timestamp() * 1000)}
        (self.sessions / "sessions.json").write_text(json.dumps({KEY: entry}))

    def look(self, steps: Callable[[str], None] | None = None) -> Outcome:
        engine = wiring.build_engine(self.settings, Origin.CLI, clock=self.clock)
        if steps is not None:
            ports = replace(engine._ports, workspace=DiskWorkspace(steps))
            engine = Engine(ports, self.settings)
        return engine.run(Observe(AgentRef(str(self.home), "main")))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def added(outcome: Outcome) -> Observed:
    assert isinstance(outcome, Observed), outcome
    return outcome


def test_the_file_is_private_and_holds_every_line_once(place: Place) -> None:
    added(place.look())
    assert place.file.stat().st_mode & 0o777 == 0o600
    assert place.texts == [TEXTS[0], TEXTS[2]]
    again = place.look()
    assert isinstance(again, Skipped)
    assert again.reason is SkipReason.NOTHING_NEW
    place.clock.at = NOW + timedelta(hours=5)
    place.say("Marco moved to Lisbon with his sister in 2019.", "I see.")
    assert added(place.look()).details["looked_at"] == 2
    assert len(place.texts) == 3


@pytest.mark.parametrize("old", [None, OLD])
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_step_loses_and_repeats_nothing(
    place: Place, step: str, old: str | None
) -> None:
    if old is not None:
        place.file.write_bytes(old.encode())

    def kill(reached: str) -> None:
        if reached == step:
            raise Killed

    with pytest.raises(Killed):
        place.look(kill)
    left = place.file.read_bytes() if place.file.exists() else b""
    assert left.startswith((old or "").encode())
    place.look()
    expected = [TEXTS[0], TEXTS[2]] if old is None else ["kept", TEXTS[0], TEXTS[2]]
    assert place.texts == expected
    assert place.file.read_bytes().startswith((old or "").encode())


def test_a_file_in_crlf_stays_in_crlf(place: Place) -> None:
    place.file.write_bytes(OLD.encode())
    added(place.look())
    data = place.file.read_bytes()
    assert data.startswith(OLD.encode() + b"\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_an_earlier_day_is_put_in_place_and_every_other_byte_stays(place: Place) -> None:
    later = "Date: 2026-02-01\n- 🟢 later <!-- a=b -->\n"
    place.file.write_text(later)
    added(place.look())
    text = place.file.read_text()
    assert text.endswith(later)
    assert text.startswith("Date: 2026-01-26\n- 🔴 13:20 We decided")


@pytest.mark.parametrize("later", ["", "\nDate: 2026-02-01\n- later\n"])
def test_bytes_that_are_no_text_are_left_alone(place: Place, later: str) -> None:
    data = b"Date: 2026-01-25\n- \xff\xfe caf\xe9\n" + later.encode()
    place.file.write_bytes(data)
    added(place.look())
    assert place.file.read_bytes().startswith(data + b"\nDate: 2026-01-26\n- ")


def test_a_directory_of_that_name_is_told(place: Place) -> None:
    place.file.mkdir()
    outcome = place.look()
    assert isinstance(outcome, Failed)
    assert "observations.md" in outcome.message
    place.file.rmdir()
    added(place.look())


def test_a_link_out_of_the_workspace_is_refused(place: Place, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.md"
    target.write_text("mine\n")
    place.file.symlink_to(target)
    assert isinstance(place.look(), Failed)
    assert target.read_text() == "mine\n"


def test_a_huge_file_is_told(place: Place) -> None:
    with place.file.open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    outcome = place.look()
    assert isinstance(outcome, Failed)
    assert "16 MB" in outcome.message


def test_a_file_of_thousands_of_lines_is_extended(place: Place) -> None:
    lines = "".join(
        f"- 🟢 08:00 Topic {n}: sheet {n} was compared with plan {n}\n" for n in range(4_000)
    )
    place.file.write_text(f"Date: 2026-01-25\n{lines}")
    added(place.look())
    assert len(place.texts) == 4_002


def test_a_full_disk_leaves_the_old_file_whole(place: Place) -> None:
    place.file.write_text(OLD * 200)
    size = place.file.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(reached: str) -> None:
        if reached == "opened":
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, hard))

    try:
        outcome = place.look(fill)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert isinstance(outcome, Failed), outcome
    assert place.file.stat().st_size == size
    added(place.look())


def test_a_second_observer_waits_for_its_turn(place: Place) -> None:
    others: list[Outcome] = []

    def meet(reached: str) -> None:
        if reached == "opened":
            others.append(place.look())

    added(place.look(meet))
    [other] = others
    assert isinstance(other, Skipped)
    assert other.reason is SkipReason.LOCKED
    assert place.texts == [TEXTS[0], TEXTS[2]]


def test_a_transcript_that_is_archived_meanwhile_is_still_read(place: Place) -> None:
    live = place.sessions / f"{SESSION}.jsonl"
    live.rename(place.sessions / f"{SESSION}.jsonl.reset.2026-01-26T13-20-30.000Z")
    engine = wiring.build_engine(place.settings, Origin.CLI, clock=place.clock)
    agent = AgentRef(str(place.home), "main")
    outcome = engine.run(Observe(agent, recover_id=SESSION))
    assert isinstance(outcome, Observed), outcome
    assert place.texts == [TEXTS[0], TEXTS[2]]
