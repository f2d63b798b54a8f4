"""The jobs screen, and the scheduler inside the console."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from memconsole.domain.agents import Origin
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.jobs.runs import JobEnd, JobRecord, JobRun, JobView, Start
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.errors import SchedulerOwnedError
from memconsole.ui.drawing.context import Context
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.drawing.table import draw_row, fit
from memconsole.ui.screens.jobs.screen import jobs_listing
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work, stillness, words
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot

NOW = sample.NOW
MINUTE = timedelta(minutes=1)


def record(name: str, *, ago: timedelta, **changes: object) -> JobRecord:
    ended = replace(
        JobRecord(name),
        started_at=NOW - ago,
        ended_at=NOW - ago,
        status="done",
        duration_ms=31,
        done_at=NOW - ago,
        next_at=NOW + 12 * MINUTE,
    )
    return replace(ended, **changes)  # type: ignore[arg-type]  # names are checked by the dataclass itself


class FakeJobs:
    """Jobs as they were told to be.

    Attributes:
        asked: What was done with them.
        refusal: Raised by hosting.
        begun: Records of what runs as soon as it hosts.
    """

    def __init__(self, *views: JobView) -> None:
        self.views = list(views)
        self.asked: list[str] = []
        self.begun: dict[str, JobRecord] = {}
        self.refusal: SchedulerOwnedError | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.is_hosting = False
        self.underway: tuple[str, ...] = ()

    def jobs(self) -> tuple[JobView, ...]:
        return tuple(self.views)

    def pause(self, job: str, *, is_paused: bool) -> None:
        self.asked.append(f"{'pause' if is_paused else 'resume'} {job}")
        self.views = [
            replace(one, record=replace(one.record, is_paused=is_paused)) if one.id == job else one
            for one in self.views
        ]

    def run_now(self, job: str, *, dry_run: bool = False) -> JobRun:
        if not dry_run:
            self.underway = (job,)
            self.gate.wait(20)
            self.underway = ()
            self.asked.append(f"run {job}")
        return JobRun(JobEnd("skipped", "nothing-new", "2 of 2 skipped; main: nothing new"))

    def host(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.is_hosting = True
        self.asked.append("host")
        self.views = [replace(one, record=self.begun.get(one.id, one.record)) for one in self.views]

    def stop(self) -> None:
        self.asked.append("stop")

    def close(self) -> None:
        self.is_hosting = False


def fake_jobs() -> FakeJobs:
    """A rotation that fails, a checkpoint that skips, an index that runs, a job that is off."""
    return FakeJobs(
        JobView(
            "rotation",
            True,
            "every 30m",
            "Start due sessions anew before the platform compacts them",
            record(
                "rotation",
                ago=4 * MINUTE,
                status="failed",
                reason="down",
                message="nothing answers at ws://127.0.0.1:18789",
                failures=3,
            ),
            start=Start.AFTER_INTERVAL,
        ),
        JobView(
            "checkpoint",
            True,
            "every 20m",
            "Save every agent's current work",
            record(
                "checkpoint",
                ago=8 * MINUTE,
                status="skipped",
                reason="nothing-new",
                message="3 of 3 skipped; main: nothing new since 14:02",
                missed=24,
            ),
        ),
        JobView(
            "index_sync",
            True,
            "every 5m",
            "Take changed memory files into the search indexes",
            record("index_sync", ago=timedelta(seconds=3), is_running=True, message="2 documents"),
        ),
        JobView(
            "transcript_cleanup", False, "daily at 04:30", "Pack old files", JobRecord("cleanup")
        ),
    )


@pytest.mark.parametrize("width", [76, 116])
def test_names_of_jobs_and_times_of_day_are_never_cut(width: int) -> None:
    context = Context(NOW, ZoneInfo("UTC"), UNICODE)
    listing = jobs_listing(fake_jobs().jobs(), SchedulerStatus("stopped"), context, is_here=False)
    fitted = fit(listing.columns, width)
    spans = draw_row(listing.rows[-1], listing.columns, fitted, UNICODE)
    drawn = "".join(span.text for span in spans)
    assert "transcript_cleanup" in drawn
    assert ("daily at 04:30" in drawn) is (width > 100)


def runs() -> tuple[Run, ...]:
    """What the checkpoint did lately."""
    return tuple(
        Run(
            id=100 + number,
            job="checkpoint",
            command="checkpoint",
            command_line=f"memconsole checkpoint --agent {agent}",
            origin=Origin.SCHEDULER,
            agent=agent,
            key=None,
            started_at=NOW - 20 * MINUTE * (number + 1),
            ended_at=NOW - 20 * MINUTE * (number + 1),
            status=status,
            reason=reason,
            message=message,
            duration_ms=31,
            home=str(sample.HOME),
        )
        for number, (agent, status, reason, message) in enumerate(
            [
                ("main", "skipped", "nothing-new", "nothing new since the checkpoint of 14:02"),
                ("main", "done", None, "saved 18 messages of agent:main:main"),
                ("work", "skipped", "stale", "no word in it for 6 h"),
            ]
        )
    )


def reading(state: str) -> ConsoleSnapshot:
    found = SchedulerStatus()
    if state != "stopped":
        found = SchedulerStatus(state, 812, "host", NOW - timedelta(days=2))
    return replace(sample.usual(), scheduler=found)


def engine_with(jobs: FakeJobs, state: str = "running", **ui: object) -> FakeEngine:
    engine = FakeEngine(reading(state), ui=ui)
    engine.jobs = jobs
    engine.history = (*engine.history, *runs())
    return engine


async def test_every_job_is_shown_with_what_became_of_it_and_leads_to_its_runs() -> None:
    async with at_work(engine_with(fake_jobs()), WIDE) as desk:
        await desk.press("v")
        assert desk.screen == "jobs"
        shown = desk.picture()
        for words in (
            "running, pid 812",
            "failed: down, 3 in a row; nothing ans",
            "skipped: nothing-new, 24 missed before",
            "off",
            "12 min",
            "it has done nothing yet",
        ):
            assert words in shown, shown
        await desk.press("j")
        assert "saved 18 messages of agent:main:main" in desk.picture()
        assert "no word in it for 6 h" in desk.picture()
        await desk.press("enter")
        assert desk.focus == "runs"
        await desk.press("j", "enter")
        assert desk.screen == "runs"
        assert "saved 18 messages of agent:main:main" in desk.text("run")


async def test_a_job_is_paused_goes_on_and_is_run_now() -> None:
    jobs = fake_jobs()
    async with at_work(engine_with(jobs), WIDE) as desk:
        await desk.press("v", "j", "a", "p")
        assert jobs.asked == ["pause checkpoint"]
        assert "paused" in desk.picture()
        await desk.press("a", "p", "a", "x")
        assert jobs.asked[1:] == ["resume checkpoint"]
        assert "checkpoint would do nothing as things are now" in desk.text("dialog")
        assert "memconsole once checkpoint" in desk.text("dialog")
        await desk.press("y")
        assert jobs.asked[1:] == ["resume checkpoint", "run checkpoint"]
        assert "checkpoint skipped (nothing-new): 2 of 2 skipped" in desk.picture()
        await desk.press("escape", "S")
        assert "the jobs are run already: running, pid 812" in desk.picture()
        assert "host" not in jobs.asked


@pytest.mark.parametrize(
    ("ui", "words"), [({}, "index_sync runs already"), ({"read_only": True}, "read-only")]
)
async def test_what_cannot_be_done_says_why(ui: dict[str, object], words: str) -> None:
    jobs = fake_jobs()
    async with at_work(engine_with(jobs, "stopped", **ui), WIDE) as desk:
        for keys in (("v", "j", "j", "a", "x"), *[("a", "p"), ("S",)] * bool(ui)):
            await desk.press(*keys)
            assert words in desk.bar("keys")
        assert jobs.asked == []


async def test_the_scheduler_is_run_here_when_nobody_runs_it() -> None:
    jobs = fake_jobs()
    async with at_work(engine_with(jobs, "stopped"), WIDE) as desk:
        await desk.press("S")
        assert "host" not in jobs.asked
        await desk.press("escape")
        assert "looking" not in desk.bar("keys")
        await desk.press("S")
        text = words(desk.text("dialog"))
        assert "now: checkpoint, index_sync after" in text
        assert "after its first interval: rotation (every 30m) off or paused: trans" in text
        assert "rotation would reset no session as things are now" in text
        await desk.press("y")
        assert jobs.asked[-1] == "host"
        assert "this console runs the jobs until it quits" in desk.picture()
        await desk.press("escape", "v")
        assert "run by this console" in desk.picture()
        await desk.press("S")
        assert "this console runs the jobs already" in desk.picture()


async def test_what_ran_is_told_line_by_line_where_the_jobs_were_begun() -> None:
    jobs = fake_jobs()
    async with at_work(engine_with(jobs, "stopped"), WIDE) as desk:
        await desk.press("S")
        jobs.begun = {"checkpoint": record("checkpoint", ago=0 * MINUTE, message="18 messages")}
        await desk.press("y")
        text = desk.text("dialog")
        assert "✓ checkpoint     31 ms  18 messages" in text
        assert "· index_sync  not begun yet" in text
        assert "rotation" not in text


async def test_who_runs_the_jobs_is_asked_before_it_quits() -> None:
    jobs = fake_jobs()
    async with at_work(engine_with(jobs, "stopped"), WIDE) as desk:
        await desk.press("S", "y", "escape", "q")
        assert desk.screen == "ask"
        assert "without it nobody saves" in desk.text("dialog")
        await desk.press("enter")
        assert desk.screen == "overview"
        await desk.press("q")
        await desk.pilot.press("y")
    assert desk.app.return_code == 0


async def test_a_job_that_runs_is_asked_about_before_it_quits() -> None:
    jobs = fake_jobs()
    jobs.gate.clear()
    async with at_work(engine_with(jobs), WIDE) as desk:
        await desk.press("v", "j", "a", "x")
        for key in ("y", "q"):
            await desk.pilot.press(key)
            await stillness()
        assert "Still running: checkpoint." in words(desk.text("dialog"))
        await desk.pilot.press("n")
        assert "stop" not in jobs.asked
        await desk.pilot.press("q")
        await stillness()
        await desk.pilot.press("y")
        jobs.gate.set()
    assert desk.app.left.jobs == ("checkpoint",)
    assert "stop" in jobs.asked  # nothing else is begun


async def test_one_that_came_first_is_named() -> None:
    jobs = fake_jobs()
    jobs.refusal = SchedulerOwnedError("process 812 since 2026-01-26 13:20:00+0000")
    async with at_work(engine_with(jobs, "stopped"), WIDE) as desk:
        await desk.press("S", "y")
        assert "the scheduler runs already: process 812" in desk.picture()


async def test_without_jobs_the_screen_says_so() -> None:
    async with at_work(FakeEngine(), COMPACT) as desk:
        await desk.press("v")
        assert "there are no jobs here" in desk.picture()
        await desk.press("a", "x", "S")
        assert "this console has no jobs" in desk.picture()
