"""The history of runs, folded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memconsole.domain.agents import Origin
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.jobs.runs import repeated

NOW = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)


def run(minutes: int, message: str = "nothing new", origin: Origin = Origin.SCHEDULER) -> Run:
    at = NOW - timedelta(minutes=minutes)
    line = "memconsole checkpoint --agent main"
    return Run(
        minutes, None, "checkpoint", line, origin, "main", None, at, at, "done", None, message, 5
    )


def test_a_stretch_of_the_same_is_one_row_with_its_beginning() -> None:
    found = repeated([run(1), run(21), run(41), run(61, "saved 3 messages"), run(81)])

    assert [(one.run.id, one.count, one.first_at) for one in found] == [
        (1, 3, NOW - timedelta(minutes=41)),
        (61, 1, NOW - timedelta(minutes=61)),
        (81, 1, NOW - timedelta(minutes=81)),
    ]


def test_what_somebody_else_asked_for_is_a_row_of_its_own() -> None:
    found = repeated([run(1), run(2, origin=Origin.HOOK), run(3)])

    assert [one.run.origin for one in found] == [Origin.SCHEDULER, Origin.HOOK, Origin.SCHEDULER]
    assert repeated([]) == ()
