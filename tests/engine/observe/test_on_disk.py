"""The observer on a real disk: kills at every step, full disks, odd files, two runs at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.observe import Observe, Observed
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.engine.engine import Engine
from tests.doubles.platform import NOW
from tests.engine.capture_place import (
    APPEND_STEPS,
    REPLACE_STEPS,
    SESSION,
    TEXTS,
    Killed,
    Place,
    at,
    full_disk,
    kill,
)

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.agents import Agent
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.sessions.stored import StoreListing
    from memconsole.ports.platform import SessionStore

OLD = "# Observations Log\r\n\r\nDate: 2026-01-25\r\n- 🔴 kept <!-- x:y=z odd -->\r\nprose, no end"
LATER = "Date: 2026-02-01\n- 🟢 later <!-- a=b -->\n"


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
@pytest.mark.parametrize("step", range(len(APPEND_STEPS)), ids=APPEND_STEPS)
def test_a_kill_at_any_step_loses_and_repeats_nothing(
    place: Place, step: int, old: str | None
) -> None:
    if old is not None:
        place.file.write_bytes(old.encode())
    with pytest.raises(Killed):
        place.look(at(step, kill))
    left = place.file.read_bytes() if place.file.exists() else b""
    assert left.startswith((old or "").encode())
    place.look()
    expected = [TEXTS[0], TEXTS[2]] if old is None else ["kept", TEXTS[0], TEXTS[2]]
    assert place.texts == expected
    assert place.file.read_bytes().startswith((old or "").encode())


@pytest.mark.parametrize("step", range(len(REPLACE_STEPS)), ids=REPLACE_STEPS)
def test_a_kill_while_an_earlier_day_is_put_in_place_loses_and_repeats_nothing(
    place: Place, step: int
) -> None:
    place.file.write_text(LATER)
    with pytest.raises(Killed):
        place.look(at(step, kill))
    assert place.file.read_text().endswith(LATER)
    place.look()
    assert place.texts == [TEXTS[0], TEXTS[2], "later"]
    assert [path.name for path in place.file.parent.iterdir()] == ["observations.md"]


def test_a_file_in_crlf_stays_in_crlf(place: Place) -> None:
    place.file.write_bytes(OLD.encode())
    added(place.look())
    data = place.file.read_bytes()
    assert data.startswith(OLD.encode() + b"\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_an_earlier_day_is_put_in_place_and_every_other_byte_stays(place: Place) -> None:
    place.file.write_text(LATER)
    added(place.look())
    text = place.file.read_text()
    assert text.endswith(LATER)
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


@pytest.mark.parametrize("old", [OLD * 200, LATER * 200], ids=["appended", "replaced"])
def test_a_full_disk_leaves_the_old_file_whole(place: Place, old: str) -> None:
    place.file.write_bytes(old.encode())
    with full_disk(0, len(old.encode()) + 10) as fill:
        outcome = place.look(fill)
    assert isinstance(outcome, Failed), outcome
    assert place.file.read_bytes() == old.encode()
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


class Rotating:
    """A store whose transcript is archived between the look at the listing and the reading."""

    def __init__(self, store: SessionStore, place: Place) -> None:
        self._store = store
        self._live = place.sessions / f"{SESSION}.jsonl"

    def sessions(self, agent: Agent) -> StoreListing:
        listing = self._store.sessions(agent)
        if self._live.exists():
            self._live.rename(f"{self._live}.reset.2026-01-26T13-20-30.000Z")
        return listing

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


@pytest.mark.parametrize("named", [False, True], ids=["among all", "by its id"])
def test_a_transcript_that_rotates_while_it_is_looked_for_is_still_read(
    place: Place, named: bool
) -> None:
    ports = place.engine()._ports
    rotating = Rotating(ports.sessions, place)
    engine = Engine(replace(ports, sessions=rotating), place.settings)  # type: ignore[arg-type]
    look = Observe(place.agent, recover_id=SESSION if named else None)
    assert isinstance(engine.run(look), Observed)
    assert place.texts == [TEXTS[0], TEXTS[2]]


def test_a_transcript_that_rotates_while_it_is_read_is_read_to_its_end(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that was opened is read on under its new name; the new one belongs to the next."""
    live = place.sessions / f"{SESSION}.jsonl"
    engine = place.engine()
    backward = type(engine._ports.sessions).backward

    def rotate(self: object, *given: object, **named: object) -> object:
        entries = iter(backward(self, *given, **named))  # type: ignore[arg-type]
        yield next(entries)
        live.rename(f"{live}.reset.2026-01-26T13-20-30.000Z")
        live.write_text("{}\n")
        yield from entries

    monkeypatch.setattr(type(engine._ports.sessions), "backward", rotate)
    assert isinstance(engine.run(Observe(place.agent)), Observed)
    assert place.texts == [TEXTS[0], TEXTS[2]]
