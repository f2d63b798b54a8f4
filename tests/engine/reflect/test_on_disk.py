"""The reflector on a real disk: kills at every step, full disks, odd files, runs that cross."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.observe import Observe, Observed
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.commands.reflect import Reflect, Reflected
from memconsole.domain.memory.observation_log import add, parse
from memconsole.domain.memory.observations import Observation, ObservationLog, Priority
from memconsole.domain.settings.sections import ReflectorSettings
from tests.doubles.platform import NOW
from tests.engine.capture_place import (
    APPEND_STEPS,
    REPLACE_STEPS,
    Killed,
    Place,
    at,
    full_disk,
    kill,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome

TODAY = NOW.date()
STEPS = (*REPLACE_STEPS, *APPEND_STEPS, *REPLACE_STEPS)
"""Of the backup, the archive and the file."""


def line(text: str, ago: int, priority: Priority = Priority.LOW) -> Observation:
    return Observation(priority, text, TODAY - timedelta(days=ago), "14:05")


OLD = (
    add(
        ObservationLog(),
        [
            line("Two keys for every deployment", 40, Priority.HIGH),
            *(line(f"Unimportant remark about {word * 5}", 30) for word in "abcdefgh"),
            line("The host moved to the second rack", 1, Priority.MEDIUM),
        ],
    )
    .text.replace(" -->", " x:y=odd -->", 1)
    .encode()
)
KEPT = ["Two keys for every deployment", "The host moved to the second rack"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.file.write_bytes(OLD)
    return made


def reflected(place: Place, steps: Callable[[str], None] | None = None) -> Outcome:
    return place.run(Reflect(place.agent, is_forced=True), steps)


def backups(place: Place) -> list[bytes]:
    return [path.read_bytes() for path in sorted(place.file.parent.glob("observation-backups/*"))]


def archived(place: Place) -> str:
    folder = place.file.parent / "archive" / "observations"
    return "".join(path.read_text() for path in sorted(folder.glob("*.md")))


def all_is_there(place: Place) -> None:
    """Every line that stood in the file stands in it, or in the archive."""
    kept = place.texts
    rest = archived(place)
    for one in parse(OLD.decode()).observations:
        assert one.text in kept or one.text in rest, one.text


def test_it_writes_in_these_steps(place: Place) -> None:
    seen: list[str] = []
    assert isinstance(reflected(place, seen.append), Reflected)
    assert tuple(seen) == STEPS
    assert place.texts == KEPT
    assert b"x:y=odd" in place.file.read_bytes()
    assert backups(place) == [OLD]


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_an_end_at_any_step_is_taken_back_and_the_next_run_does_it(place: Place, step: int) -> None:
    with pytest.raises(Killed):
        reflected(place, at(step, kill))
    assert place.file.read_bytes() == OLD
    assert backups(place) == []
    assert archived(place) == ""
    assert isinstance(reflected(place), Reflected)
    assert place.texts == KEPT
    assert backups(place) == [OLD]
    all_is_there(place)
    assert not list(place.workspace.rglob(".memconsole-*"))


@pytest.mark.parametrize(
    "step",
    [0, len(REPLACE_STEPS), len(REPLACE_STEPS) + len(APPEND_STEPS)],
    ids=["backup", "archive", "file"],
)
def test_a_full_disk_leaves_the_old_file_whole(place: Place, step: int) -> None:
    with full_disk(step) as fill:
        outcome = reflected(place, fill)
    assert isinstance(outcome, Failed), outcome
    assert place.file.read_bytes() == OLD
    assert isinstance(reflected(place), Reflected)
    all_is_there(place)


def test_a_file_in_crlf_stays_in_crlf(place: Place) -> None:
    place.file.write_bytes(OLD.replace(b"\n", b"\r\n"))
    assert isinstance(reflected(place), Reflected)
    data = place.file.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 0
    assert place.texts == KEPT


def test_what_hands_wrote_between_the_lines_stays(place: Place) -> None:
    place.file.write_bytes(b"Mine.\n\n" + OLD + b"\n> a quote at the end, without a line feed")
    assert isinstance(reflected(place), Reflected)
    data = place.file.read_bytes()
    assert b"Mine.\n" in data
    assert data.endswith(b"> a quote at the end, without a line feed")


def test_bytes_that_are_no_text_are_left_alone(place: Place) -> None:
    """A backup would not hold them, so nothing takes their place."""
    data = OLD + b"- \xff\xfe caf\xe9\n"
    place.file.write_bytes(data)
    outcome = reflected(place)
    assert isinstance(outcome, Failed)
    assert "no text" in outcome.message
    assert place.file.read_bytes() == data
    assert backups(place) == []


def test_a_sign_for_lost_bytes_is_text_like_any_other(place: Place) -> None:
    place.file.write_bytes(OLD + "- \N{REPLACEMENT CHARACTER} from a damaged talk\n".encode())
    assert isinstance(reflected(place), Reflected)
    assert "\N{REPLACEMENT CHARACTER} from a damaged talk" in place.file.read_text()


def test_undo_keeps_bytes_that_are_no_text(place: Place) -> None:
    assert isinstance(reflected(place), Reflected)
    with place.file.open("ab") as file:
        file.write(b"- caf\xe9\n")
    data = place.file.read_bytes()
    assert isinstance(place.run(Reflect(place.agent, is_undo=True)), Failed)
    assert place.file.read_bytes() == data


def test_a_directory_of_that_name_is_told(place: Place) -> None:
    place.file.unlink()
    place.file.mkdir()
    outcome = reflected(place)
    assert isinstance(outcome, Failed)
    assert "observations.md" in outcome.message


def test_a_huge_file_is_told(place: Place) -> None:
    with place.file.open("r+b") as file:
        file.truncate(17 * 1024 * 1024)
    outcome = reflected(place)
    assert isinstance(outcome, Failed)
    assert "16 MB" in outcome.message


def test_an_observer_in_between_waits_for_its_turn(place: Place) -> None:
    others: list[Outcome] = []
    meet = at(len(REPLACE_STEPS), lambda: others.append(place.look()))
    assert isinstance(reflected(place, meet), Reflected)
    [other] = others
    assert isinstance(other, Skipped)
    assert other.reason is SkipReason.LOCKED
    assert isinstance(place.look(), Observed)


def test_two_observers_and_a_reflector_at_once_lose_and_repeat_nothing(place: Place) -> None:
    said: list[str] = []
    place.settings = replace(place.settings, reflector=ReflectorSettings())
    look, forced = Observe(place.agent, is_flush=True), Reflect(place.agent, is_forced=True)
    with ThreadPoolExecutor(3) as pool:
        for number in range(4):
            fact = f"We decided that rack {number} goes to hall {number + 40} in May."
            place.say(fact, "Noted.")
            said.append(fact)
            together = Barrier(3)

            def run(command: Command, together: Barrier = together) -> Outcome:
                together.wait(60)
                return place.run(command)

            for outcome in pool.map(run, (look, look, forced)):
                assert not isinstance(outcome, Failed), outcome
            place.clock.at += timedelta(minutes=20)
    place.look()
    kept = place.texts
    rest = archived(place)  # where room was made for what is worth more
    assert [fact for fact in said if (fact in kept) + (fact in rest) != 1] == []
    assert len(kept) == len(set(kept))
    all_is_there(place)
