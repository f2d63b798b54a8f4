"""The line of what wants attention, where it is narrow."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.snapshot.snapshot import Attention
from memconsole.ui.drawing.context import Context
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.widgets.title import attention_line
from tests.ui import sample


def line_of(message: str, keys: str, width: int) -> str:
    finding = Attention(Severity.WARNING, "due", message, "do this", "main")
    snapshot = replace(sample.usual(), attention=(finding,))
    context = Context(sample.NOW, UTC, UNICODE)
    spans = attention_line(snapshot, context, width, number=0, keys=keys, after="+ 3 more  ! ")
    return "".join(span.text for span in spans)


DUE = "main / main is due: 152.9K of 150K"
LOST = "LOST? research / main was compacted by the platform 05:29 at 171.2K, nothing of it saved"


@pytest.mark.parametrize(
    ("message", "keys", "shown"),
    [
        (DUE, "c saves it", f" ! {DUE}   c saves it"),
        (LOST, "c saves it", " ! LOST? research / main was compacted…   c saves it"),
        (LOST, ". then b saves it", " ! LOST? research / main was compacted by…   . then b"),
        (LOST, ". twice, then : recover shows the plan", "   . twice, then : recover"),
        (LOST, "! lists it, then R shows the plan", "   ! lists it, then R"),
    ],
)
def test_at_sixty_columns_a_key_says_what_it_does_as_long_as_the_finding_can_be_read(
    message: str, keys: str, shown: str
) -> None:
    line = line_of(message, keys, 60)
    assert shown in line
    assert line.endswith("+ 3 ! ")
    assert len(line) == 60
