"""What the title says of the scheduler's layers, and the page of jobs below it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.jobs.layers import Layer, LayerStatus
from memconsole.domain.snapshot.snapshot import Attention, SchedulerStatus
from memconsole.ui.drawing.context import Context
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.screens.jobs.screen import jobs_listing
from memconsole.ui.widgets.title import attention_line, title_line
from tests.ui import sample

NOW = Context(sample.NOW, UTC, UNICODE)


def layered(**states: str) -> SchedulerStatus:
    """Return a scheduler whose layers have processes of their own; those named are not well."""
    layers = tuple(
        LayerStatus(one, state, None if state == "stopped" else 800 + number)
        for number, one in enumerate(Layer)
        for state in (states.get(one.value, "running"),)
    )
    return SchedulerStatus(
        "running", None, "vm", next_job="capture", next_at=NOW.now, layers=layers
    )


@pytest.mark.parametrize(
    ("scheduler", "title", "owner", "problem"),
    [
        (layered(), "next capture", "running, checkpoint 800, capture 801", ""),
        (
            layered(capture="stopped"),
            "without capture",
            "running, checkpoint 800, rotation 802, health 803",
            "nobody runs the layer capture: S runs what nobody runs here",
        ),
        (
            layered(capture="stopped", health="stopped", rotation="stale"),
            "without capture, rotation, health",
            "running, checkpoint 800, rotation 802",
            "nobody runs the layers capture and health; "
            "the owner of the layer rotation does not move: S runs",
        ),
    ],
)
def test_title_and_jobs_say_which_layers_nobody_runs(
    scheduler: SchedulerStatus, title: str, owner: str, problem: str
) -> None:
    line = title_line(replace(sample.usual(), scheduler=scheduler), NOW, 120)
    assert title in "".join(span.text for span in line)
    listing = jobs_listing((), scheduler, NOW, is_here=False)
    assert listing.about.startswith(f"· {owner}")
    assert listing.problem.startswith(problem)
    assert bool(listing.problem) is bool(problem)


@pytest.mark.parametrize(
    ("width", "keys", "shown"),
    [
        (79, "c saves it", "c saves it"),
        (56, "c saves it", "c saves"),
        (60, ". then R shows the plan", ". then R"),
    ],
)
def test_where_there_is_little_room_a_key_keeps_a_word_of_what_it_does(
    width: int, keys: str, shown: str
) -> None:
    finding = Attention(Severity.HIGH, "due", "work / main holds 152.0K of 150K tokens, due")
    snapshot = replace(sample.usual(), attention=(finding,))
    line = attention_line(snapshot, NOW, width, number=0, keys=keys, after="+ 4 more  ! ")
    assert f"   {shown} " in "".join(span.text for span in line)
