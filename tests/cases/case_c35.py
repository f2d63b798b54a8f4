"""c35: the laptop sleeps through the night, and the clock jumps."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects
from tests.scheduler.timeline import LONG, RESUME, SET_BACK, Played, play

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cases.stage import Stage
    from tests.program import Json

HOUR = timedelta(hours=1)
GAPS = "no job waits longer than its interval plus one minute"
MISSED = "missed: checkpoint 24, rotate 16, index 1, log-rotate 1 (counts may differ by one)"


@dataclass(frozen=True, slots=True)
class Seen:
    """One playing of the timeline, and what the scheduler logged."""

    played: Played
    log: tuple[str, ...]
    every_s: dict[str, float]


PLAYED: list[Seen] = []


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@contextmanager
def logged() -> Iterator[list[str]]:
    logger, handler = logging.getLogger("memconsole.scheduler"), _Lines()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@action("c35.1", "schedule timeline.json, first 10 minutes after resume")
@action("c35.2", "schedule, the hour after the clock is set back")
@action("c35.3", "schedule, during the 45-minute checkpoint")
@action("c35.4", "schedule, after the kill")
def timeline(stage: Stage) -> Seen:
    """All checks look at one playing: it takes a few seconds."""
    if not PLAYED:
        PLAYED.append(_played(stage))
    return PLAYED[0]


def _played(stage: Stage) -> Seen:
    written = json.loads((stage.folder / "timeline.json").read_text("utf-8"))
    with logged() as lines:
        played = play(written, stage.folder / "state")
    every_s = {
        row["id"]: row["every_minutes"] * 60.0 for row in written["jobs"] if "every_minutes" in row
    }
    return Seen(played, tuple(lines), every_s)


def after_resume(seen: Seen) -> dict[str, int]:
    return seen.played.runs(RESUME, timedelta(minutes=10))


def counts_runs(check: str, job: str, span: timedelta, mark: str) -> None:
    @expects(check, f"runs > {job}")
    def counted(seen: Seen, want: Json) -> None:
        assert seen.played.runs(mark, span)[job] == want


for _job in ("checkpoint", "rotate", "index"):
    counts_runs("c35.1", _job, timedelta(minutes=10), RESUME)
    counts_runs("c35.2", _job, HOUR, SET_BACK)


@expects("c35.1", "runs > health", says="1 to 3")
def health_goes_on(seen: Seen, want: Json) -> None:
    assert 1 <= after_resume(seen)["health"] <= 3


@expects("c35.1", "runs > log-rotate", says="0 or 1, as its catch-up rule says")
def its_rule_says_no(seen: Seen, want: Json) -> None:
    assert after_resume(seen)["log-rotate"] == 0


@expects("c35.1", "log", says=MISSED)
def missed_runs_are_counted(seen: Seen, want: Json) -> None:
    found = [line for line in seen.log if line.startswith("missed: ") and "index" in line]
    assert len(found) == 1, seen.log
    counts = dict(part.split() for part in found[0].removeprefix("missed: ").split(", "))
    for name, expected in {"checkpoint": 24, "rotate": 16, "index": 1, "log-rotate": 1}.items():
        assert abs(int(counts[name]) - expected) <= 1, found


@expects("c35.1", "runs > checkpoint", part="spread")
def not_all_in_one_second(seen: Seen, want: Json) -> None:
    since = seen.played.mark(RESUME)
    first = [
        min(seen.played.stage.started(job, since)) for job in ("checkpoint", "rotate", "index")
    ]
    assert all(abs(one - other) >= 1 for one, other in pairwise(sorted(first)))


@expects("c35.2", "gaps", says=GAPS)
def nobody_waits_too_long(seen: Seen, want: Json) -> None:
    since = seen.played.mark(SET_BACK)
    for job, interval_s in seen.every_s.items():
        starts = seen.played.stage.started(job, since - interval_s - 60, since + 3600)
        assert all(later - earlier <= interval_s + 60 for earlier, later in pairwise(starts)), job


@expects("c35.3", "second_checkpoint", says="not started before the first ends")
def one_after_the_other(seen: Seen, want: Json) -> None:
    [begun, *later] = seen.played.stage.started("checkpoint", seen.played.mark(LONG))
    assert min(later) >= begun + 45 * 60
    assert min(later) <= begun + 45 * 60 + 21 * 60


@expects("c35.3", "other_jobs", says="keep running")
def the_others_go_on(seen: Seen, want: Json) -> None:
    meanwhile = seen.played.runs("long run", timedelta(minutes=45))
    assert meanwhile["health"] >= 8
    assert meanwhile["rotate"] >= 1


@expects("c35.4", "rotate", says="run again within its interval")
def rotation_is_made_up_for(seen: Seen, want: Json) -> None:
    assert seen.played.after_kill["rotate"].is_running
    since = seen.played.mark("restart")
    assert seen.played.stage.started("rotate", since, since + 30 * 60)


@expects("c35.4", "state_file")
def the_database_is_whole(seen: Seen, want: Json) -> None:
    assert want == "readable"
    records = seen.played.stage.store.records()
    assert {"rotate", "checkpoint", "health", "index", "log-rotate"} == set(records)
    assert records["rotate"].status == "done"
