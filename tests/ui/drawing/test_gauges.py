"""Gauges with marks, and small courses: each in exactly its width."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memconsole.domain.snapshot.outlook import Limits
from memconsole.ui.drawing.gauges import Course, GaugedName, MarkedGauge
from memconsole.ui.drawing.glyphs import ASCII, UNICODE
from memconsole.ui.drawing.spans import Line, Role, line_width

NOW = datetime(2026, 11, 28, 17, 0, tzinfo=UTC)
LIMITS = Limits(100_000, 150_000, 200_000)


def text(line: Line) -> str:
    return "".join(span.text for span in line)


def test_a_gauge_has_a_mark_for_flush_and_rotation_and_ends_at_compaction() -> None:
    line = MarkedGauge(120_000, 150_000, LIMITS).draw(21, UNICODE, right=False)
    assert text(line) == "██████████┆█   │    ┃"
    assert [span.role for span in line] == [Role.WARNING_BAR, Role.TRACK]


def test_a_gauge_has_its_ends_and_marks_in_ascii_too() -> None:
    line = MarkedGauge(120_000, 150_000, LIMITS).draw(21, ASCII, right=False)
    assert text(line) == "[#########:#---|----]"


def test_an_empty_gauge_has_an_end_and_an_unknown_one_has_none() -> None:
    assert text(MarkedGauge(0, 150_000).draw(6, UNICODE, right=False)) == "     ┃"
    assert text(MarkedGauge(None, 150_000).draw(6, UNICODE, right=False)) == "      "


@pytest.mark.parametrize("width", [0, 1, 2, 5, 22, 40])
def test_a_name_on_its_gauge_takes_its_width(width: int) -> None:
    for name in ("main", "仕入れの相談 2026年", "x" * 50):
        for fill in (None, 0.0, 0.33, 1.2):
            line = GaugedName(name, Role.PLAIN, fill).draw(width, UNICODE, right=False)
            assert line_width(line) == width


def test_a_course_shows_what_was_known_at_each_step() -> None:
    points = [(NOW - timedelta(hours=5), 20), (NOW - timedelta(hours=1), 80)]
    course = Course(points, NOW, timedelta(hours=8), top=80)
    assert text(course.draw(8, UNICODE, right=False)) == "  ▃▃▃▃██"


def test_one_reading_is_no_course() -> None:
    course = Course([(NOW, 20)], NOW, timedelta(hours=8))
    assert text(course.draw(8, UNICODE, right=False)) == " " * 8
