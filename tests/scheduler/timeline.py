"""Plays a written timeline of sleep and jumps against the scheduler, on clocks of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateJobs
from memconsole.domain.jobs.schedule import DailyAt, Every
from tests.scheduler.stage import FakeClocks, Stage, job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.jobs.runs import JobRecord
    from memconsole.domain.jobs.schedule import Trigger
    from memconsole.scheduler.jobs import Job
    from tests.program import Json

RESUME, SET_BACK, LONG, KILL = "resume", "wall clock", "job checkpoint takes", "kill -9"


@dataclass
class Played:
    """What happened.

    Attributes:
        marks: Elapsed seconds of each event, by the beginning of its words.
        after_kill: What the database held between the two processes.
    """

    stage: Stage
    marks: dict[str, float] = field(default_factory=dict)
    after_kill: dict[str, JobRecord] = field(default_factory=dict)

    def runs(self, mark: str, span: timedelta) -> dict[str, int]:
        """Count the runs of every job in a span after an event."""
        since = self.marks[mark]
        until = since + span.total_seconds()
        return {one.id: len(self.stage.started(one.id, since, until)) for one in self.stage.table}

    def mark(self, beginning: str) -> float:
        """Return when an event was."""
        return self.marks[beginning]


def table_of(timeline: Json) -> list[Job]:
    """Return the jobs of the timeline as rows."""
    return [job(row["id"], _trigger(row), catches_up=row["catch_up"]) for row in timeline["jobs"]]


def _trigger(row: Json) -> Trigger:
    if "every_minutes" in row:
        return Every(timedelta(minutes=row["every_minutes"]))
    return DailyAt(time.fromisoformat(row["at"]))


def play(timeline: Json, state: Path) -> Played:
    """Live through all events; the database is a real one."""
    events = list(_events(timeline))
    start = events[0][0]
    stage = Stage(
        table_of(timeline),
        ZoneInfo(timeline["tz"]),
        clocks=FakeClocks(start.astimezone(UTC)),
        store=StateJobs(StateDatabase(state, PrivateCopies())),
    )
    played = Played(stage)
    is_asleep = False
    for at, words in events[1:]:
        span = timedelta(seconds=(at - start).total_seconds() - stage.clocks.elapsed_s)
        if is_asleep:
            stage.clocks.pass_(span)
        else:
            stage.live(span)
        is_asleep = words == "suspend"
        beginning = next(
            (one for one in (RESUME, SET_BACK, LONG, KILL) if words.startswith(one)), ""
        )
        played.marks[beginning] = stage.clocks.elapsed_s
        _happen(played, beginning)
    return played


def _events(timeline: Json) -> Iterator[tuple[datetime, str]]:
    for event in timeline["events"]:
        yield datetime.fromisoformat(event["t"]), event["do"]


def _happen(played: Played, beginning: str) -> None:
    stage = played.stage
    if beginning == SET_BACK:
        stage.clocks.wall -= timedelta(minutes=60)
    elif beginning == LONG:
        stage.hands.lengths["checkpoint"] = timedelta(minutes=45)
        _until_running(stage, "checkpoint")
        played.marks["long run"] = stage.clocks.elapsed_s
        stage.hands.lengths.clear()
    elif beginning == KILL:
        stage.hands.lengths["rotate"] = timedelta(hours=10)
        _until_running(stage, "rotate")
        stage.hands.lengths.clear()
        played.after_kill = dict(stage.store.records())
        stage.clocks.pass_(timedelta(minutes=1))
        stage.start()
        played.marks["restart"] = stage.clocks.elapsed_s


def _until_running(stage: Stage, name: str) -> None:
    while name not in stage.hands.running:
        stage.live(timedelta(seconds=5))
