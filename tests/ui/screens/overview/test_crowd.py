"""Ten thousand sessions: what did not change is neither found, nor ordered, nor made again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.snapshot.danger import danger
from memconsole.ui.drawing.listing import LateRows, text_row
from memconsole.ui.screens.overview.crowd import Crowd
from memconsole.ui.widgets.place import Place
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work, words
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.snapshot.snapshot import Attention, ConsoleSnapshot
    from memconsole.ui.drawing.spans import Row
    from memconsole.ui.screens.overview.crowd import Ordered

ALL_MADE = 101
"""Rows that are made at most beside those in view: they give the columns their widths."""


def of_all(crowd: Crowd, snapshot: ConsoleSnapshot) -> Ordered:
    return crowd.take(snapshot).ordered(snapshot, None, danger, falling=True, everything=False)


def test_the_order_is_kept_while_the_sessions_are_the_same_objects() -> None:
    crowd, reading = Crowd(), sample.crowd()
    before = of_all(crowd, reading)
    assert of_all(crowd, replace(reading, events=())) is before
    last = reading.sessions[-1]
    due = replace(last, is_due=True)
    after = of_all(crowd, replace(reading, sessions=(*reading.sessions[:-1], due)))
    assert after.views[0] is due
    assert after.due == before.due + 1
    assert crowd.at(after.keys[0]) is due
    known = {id(one) for one in before.own}
    assert [one.view for one in after.own if id(one) not in known] == [due]


def test_what_is_known_is_that_of_the_reading_that_was_taken() -> None:
    crowd, reading = Crowd(), sample.crowd()
    fresh = Crowd().take(reading)
    crowd.take(sample.usual())
    crowd.take(reading)
    for name in ("worst", "fills", "usual"):
        assert getattr(crowd, name) == getattr(fresh, name)
    assert of_all(crowd, reading).keys == of_all(fresh, reading).keys
    assert crowd.at("main/agent:main:main/nothing/live") is None


@pytest.mark.parametrize("size", [COMPACT, WIDE])
async def test_of_a_long_list_only_what_is_seen_is_made(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = sample.crowd()
    one = reading.sessions[0]
    many = tuple(
        replace(one, stored=replace(one.stored, session_id=f"s-{number}"))
        for number in range(3_000)
    )
    made: list[int] = []
    make = LateRows._row

    def counted(self: LateRows, place: int) -> Row:
        made.append(place)
        return make(self, place)

    monkeypatch.setattr(LateRows, "_row", counted)
    async with at_work(FakeEngine(replace(reading, sessions=many)), size) as desk:
        await desk.press("1", "G", "2", "G")
        assert desk.pane("sessions").place.number == len(many) - 1
        await desk.press("g", "pagedown", "j", "k")
        assert desk.pane("sessions").place.number == desk.pane("sessions").place.height - 1
        desk.app.readings.request()
        await desk.settle()
        assert len(set(made)) <= ALL_MADE + 3 * size[1]


@pytest.mark.parametrize("size", [COMPACT, WIDE])
async def test_no_state_of_a_count_is_cut_far_down_a_long_list(size: tuple[int, int]) -> None:
    reading = sample.crowd()
    one = next(view for view in reading.sessions if not view.is_due and view.count.basis)
    many = [
        replace(one, stored=replace(one.stored, session_id=f"s-{number}")) for number in range(300)
    ]
    stale = replace(one.count, state=TokenState.STALE)
    many[200] = replace(many[200], count=stale, percent_of_threshold=1.0, outlook=None)
    many[201] = replace(many[201], count=replace(stale, state=TokenState.SUSPECT, reported=231_500))
    many[201] = replace(many[201], percent_of_threshold=0.9, outlook=None)
    async with at_work(FakeEngine(replace(reading, sessions=tuple(many))), size) as desk:
        await desk.press("1", "G", "2")
        assert "suspect" not in words(desk.text("sessions")).split("window")[0]
        await desk.press("G")
        rows = desk.text("sessions").split("\n")
        assert any("stale" in row for row in rows), desk.picture()
        assert any("231.5K suspect" in row for row in rows[:-1]), desk.picture()


class CountedFindings(tuple["Attention", ...]):
    """Findings that count how often somebody goes through all of them."""

    walks = 0

    def __iter__(self) -> Iterator[Attention]:
        CountedFindings.walks += 1
        return super().__iter__()


async def test_a_step_of_the_cursor_goes_through_no_list_of_findings() -> None:
    usual = sample.usual()
    findings = CountedFindings(usual.attention * 50)
    async with at_work(FakeEngine(replace(usual, attention=findings)), WIDE) as desk:
        await desk.press("1", "j")
        CountedFindings.walks = 0
        await desk.press("k", "j")
        assert CountedFindings.walks == 0


def test_late_rows_are_rows_like_others() -> None:
    keys = tuple(f"r{number}" for number in range(20))
    rows = tuple(text_row(key, value=key) for key in keys)
    late = LateRows(keys, {key: place for place, key in enumerate(keys)}, lambda n: rows[n])
    assert (len(late), tuple(late), late[-1], late[3:5]) == (20, rows, rows[-1], rows[3:5])
    places = Place(height=5, pinned=2), Place(height=5, pinned=2)
    fewer = LateRows(
        keys[:8], {key: number for number, key in enumerate(keys[:8])}, rows.__getitem__
    )
    for place, taken, then in zip(places, (rows, late), (rows[:8], fewer), strict=True):
        place.take(taken)
        place.move(7)
        place.scroll(6)
        place.take(then)  # what the cursor was on is gone
    assert places[0].cursor == places[1].cursor == "r7"
    assert places[0].view == places[1].view
    assert places[0].at(3) == places[1].at(3)
