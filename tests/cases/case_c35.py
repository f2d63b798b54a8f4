"""c35: the laptop sleeps through the night, and the clock jumps.

These demands are about `domain/schedule.py` (A18), which decides from two clocks what is due. Until
it exists there is nothing to ask.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Json

GAPS = "no job waits longer than its interval plus one minute"


@action("c35.1", "schedule timeline.json, first 10 minutes after resume")
@action("c35.2", "schedule, the hour after the clock is set back")
@action("c35.3", "schedule, during the 45-minute checkpoint")
@action("c35.4", "schedule, after the kill")
def timeline(stage: Stage) -> Json:
    return json.loads((stage.folder / "timeline.json").read_text("utf-8"))


@expects("c35.1", "runs > checkpoint", "runs > rotate", "runs > index", needs="scheduler")
@expects("c35.1", "runs > health", says="1 to 3", needs="scheduler")
@expects("c35.1", "runs > log-rotate", says="0 or 1, as its catch-up rule says", needs="scheduler")
@expects(
    "c35.1",
    "log",
    says="missed: checkpoint 24, rotate 16, index 1, log-rotate 1 (counts may differ by one)",
    needs="scheduler",
)
@expects("c35.2", "runs > checkpoint", "runs > rotate", "runs > index", needs="scheduler")
@expects("c35.2", "gaps", says=GAPS, needs="scheduler")
@expects("c35.3", "second_checkpoint", says="not started before the first ends", needs="scheduler")
@expects("c35.3", "other_jobs", says="keep running", needs="scheduler")
@expects("c35.4", "rotate", says="run again within its interval", needs="scheduler")
@expects("c35.4", "state_file", needs="scheduler")
def plays_the_timeline(seen: Json, want: Json) -> None:
    """Passes unexpectedly once the module exists: the call to write the assertions."""
    jobs = [job["id"] for job in seen["jobs"]]
    assert find_spec("memconsole.domain.schedule") is not None, f"nothing schedules {jobs}"
