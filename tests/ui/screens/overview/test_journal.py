"""The journal: what changed something, who did it, and a place that stays where it was put."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from memconsole.domain.events import Event, EventKind
from memconsole.ui.drawing.context import Context
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.screens.export import shown
from memconsole.ui.screens.overview.journal import FILTERS, journal_listing
from tests.ui import sample
from tests.ui.driving import COMPACT, at_work, words

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from tests.ui.driving import Desk
    from tests.ui.fake_engine import FakeEngine

BERLIN = ZoneInfo("Europe/Berlin")
COMPACTED = "compacted at 177.6K or more, saved 26 min before"


def event(number: int, kind: EventKind, *, minutes: float, unseen: float = 0) -> Event:
    at = sample.ago(minutes=minutes)
    is_session = kind not in (EventKind.GATEWAY_GONE, EventKind.MEMORY)
    return Event(
        number,
        str(sample.HOME),
        at,
        at - timedelta(minutes=unseen),
        kind,
        None if kind is EventKind.GATEWAY_GONE else "main",
        "agent:main:main" if is_session else None,
        COMPACTED if kind is EventKind.COMPACTED else "it happened",
    )


EVENTS = (
    event(3, EventKind.MEMORY, minutes=2),
    event(2, EventKind.COMPACTED, minutes=3),
    event(1, EventKind.GATEWAY_GONE, minutes=50),
)


def reading(*runs: Run, events: tuple[Event, ...] = EVENTS, seconds: int = 0) -> ConsoleSnapshot:
    at = sample.NOW + timedelta(seconds=seconds)
    activity = (*runs, *sample.runs())
    return replace(sample.usual(), activity=activity, events=events, taken_at=at)


def keys(chosen: str, own: frozenset[int] = frozenset()) -> list[str]:
    context = Context(sample.NOW, BERLIN, UNICODE)
    return [row.key for row in journal_listing(reading(), context, chosen=chosen, own=own).rows]


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ("all", ["event-3", "event-2", "run-4", "run-2", "run-1", "event-1"]),
        ("me", ["run-2"]),
        ("jobs", ["run-4", "run-1"]),
        ("platform", ["event-3", "event-2", "event-1"]),
        ("errors", ["event-2", "run-2", "event-1"]),
    ],
)
def test_a_choice_shows_its_lines_newest_first_and_nothing_that_was_skipped(
    chosen: str, shown: list[str]
) -> None:
    assert keys(chosen, frozenset({2})) == shown


def test_a_run_of_another_console_is_not_mine() -> None:
    assert keys("me") == []


def test_what_a_run_of_ours_did_has_one_line() -> None:
    rotated = replace(sample.runs()[0], id=9, command="rotate", key="agent:main:main")
    reset = replace(event(7, EventKind.RESET, minutes=4), at=rotated.started_at)
    reset = replace(reset, since=rotated.started_at)
    context = Context(sample.NOW, BERLIN, UNICODE)
    rows = journal_listing(reading(rotated, events=(reset,)), context).rows
    assert "event-7" not in [row.key for row in rows]
    assert "run-9" in [row.key for row in rows]


async def test_a_line_names_its_session_and_says_when_nobody_looked(engine: FakeEngine) -> None:
    unseen = event(4, EventKind.COMPACTED, minutes=1, unseen=90)
    engine.reading = reading(events=(unseen,))
    async with at_work(engine, (200, 50)) as desk:
        line = desk.text("journal").split("\n")[1]

    assert "platform" in line
    assert f"main: {COMPACTED}; some time since 12:" in " ".join(line.split())


async def test_an_event_that_is_cut_is_whole_on_the_lower_edge(engine: FakeEngine) -> None:
    engine.reading = reading(events=(event(2, EventKind.COMPACTED, minutes=0),))
    async with at_work(engine, COMPACT) as desk:
        assert f" main: {COMPACTED} " in desk.text("journal").splitlines()[-1]
        await desk.press("5", "y")
        assert desk.app.clipboard == f"main: {COMPACTED}"


REASON = (
    "the Gateway refused to reset agent:main:telegram:direct:1001: the session is busy with "
    "a run that began at 14:02; nothing was changed, try again when it rests"
)


async def test_a_long_result_is_whole_where_there_is_room_and_cut_with_its_reason_where_not(
    engine: FakeEngine,
) -> None:
    long = replace(newest(9), status="failed", message=REASON)
    engine.reading = reading(long, *(newest(number) for number in range(8, 5, -1)), events=())
    said = REASON.replace("agent:main:telegram:direct:1001", "telegram · Ada (phone)")
    async with at_work(engine) as desk:
        assert said in words(desk.text("journal"))
        first, second, third = desk.pane("journal").place.rows[:3]
        await desk.press("5", "j")
        assert desk.cursor("journal") == "run-8"  # one step over both lines
        drawn = desk.text("journal").splitlines()
        y = next(place for place, one in enumerate(drawn) if "when it rests" in one)
        await desk.pilot.click("#journal", offset=(70, y))
        await desk.settle()
        assert desk.cursor("journal") == first.key == third.goes_on
        lines = [one for one in desk.pane("journal").lines if any(it.is_cursor for it in one)]
        assert len(lines) == 3
        await desk.press("slash", *"busy", "enter")
        assert [one.key for one in desk.pane("journal").place.rows] == [
            first.key,
            second.key,
            third.key,
        ]
        await desk.press("escape", "slash", *"active", "enter")
        assert second.key not in [one.key for one in desk.pane("journal").place.rows]
        await desk.press("escape")
        await desk.resize(*COMPACT)
        [line] = [one for one in desk.text("journal").splitlines() if "refused" in one]
        assert "the Gateway refused" in line
        assert "…" in line
        await desk.press("5", "z")  # alone it has room for all of it
        assert said in words(desk.text("journal"))


async def test_lines_that_go_on_are_no_lines_of_the_count(engine: FakeEngine) -> None:
    runs = [replace(newest(number), message=REASON) for number in range(40, 10, -1)]
    engine.reading = reading(*runs, events=())
    async with at_work(engine) as desk:
        total = len([one for one in desk.pane("journal").place.rows if not one.goes_on])
        await desk.press("5", "j", "j")
        assert f" 3/{total} " in desk.text("journal").splitlines()[-1]
        await look(desk, engine, reading(newest(42), newest(41), *runs, events=(), seconds=2))
        assert "2 newer ▲" in desk.text("journal")
        await desk.press("G")
        assert f" {total + 2}/{total + 2} " in desk.text("journal").splitlines()[-1]


@pytest.mark.parametrize(("words_", "lines"), [(4, 1), (16, 2), (26, 3), (60, 3)])
async def test_a_result_takes_the_lines_that_it_needs(
    engine: FakeEngine, words_: int, lines: int
) -> None:
    engine.reading = reading(replace(newest(9), message="abcde " * words_), events=())
    async with at_work(engine) as desk:
        rows = desk.pane("journal").place.rows
        told = [one for one in rows if "run-9" in (one.key, one.goes_on)]
        assert len(told) == lines
        assert all("abcde" in "".join(cell.text for cell in one.cells) for one in told)
        assert ("…" in desk.text("journal")) == (words_ == 60)


async def test_a_result_on_two_lines_is_one_line_of_a_file(engine: FakeEngine) -> None:
    engine.reading = reading(replace(newest(9), message=REASON), events=())
    async with at_work(engine) as desk:
        pane = desk.pane("journal")
        told = shown(pane.listing, pane.place.rows).rows
    assert len(told) == len([one for one in pane.place.rows if not one.goes_on])
    assert told[0][-1].endswith("try again when it rests")


async def test_opening_a_screen_is_no_event_and_y_copies_the_line_of_a_run(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await desk.press("2", "enter", "escape", "5")
        text = desk.text("journal")
        assert "opened" not in text
        assert "memconsole checkpoint --agent main" in text.split("\n")[-1]
        await desk.press("y")
        assert desk.app.clipboard == "memconsole checkpoint --agent main"


async def test_the_lines_that_are_shown_are_chosen_behind_a(engine: FakeEngine) -> None:
    engine.reading = reading()
    async with at_work(engine) as desk:
        await desk.press("5")
        for chosen in (*FILTERS[1:], FILTERS[0]):
            await desk.press("a", "w")
            assert f"Journal · {chosen}" in desk.text("journal")


async def look(desk: Desk, engine: FakeEngine, snapshot: ConsoleSnapshot) -> None:
    engine.reading = snapshot
    desk.app.readings.request()
    await desk.settle()


def newest(number: int) -> Run:
    return replace(sample.runs()[0], id=number, started_at=sample.ago(seconds=20 - number))


async def test_the_newest_line_is_followed_until_the_operator_moves(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await look(desk, engine, reading(newest(8), seconds=2))
        assert desk.cursor("journal") == "run-8"
        await desk.press("5", "j")
        stays = desk.cursor("journal")
        await look(desk, engine, reading(newest(10), newest(9), newest(8), seconds=4))
        assert desk.cursor("journal") == stays
        assert "2 newer ▲" in desk.text("journal")
        await desk.press("g")
        await look(desk, engine, reading(newest(11), newest(10), seconds=6))
        assert desk.cursor("journal") == "run-11"
        assert "newer" not in desk.text("journal")


async def test_enter_goes_to_what_a_line_is_about(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        for number, screen in ((2, "session"), (3, "memory"), (1, "health")):
            one = reading(events=tuple(one for one in EVENTS if one.id == number), seconds=number)
            await look(desk, engine, one)
            await desk.press("5", *("G" if number == 1 else "g"), "enter")
            assert desk.screen == screen
            await desk.press("escape")
