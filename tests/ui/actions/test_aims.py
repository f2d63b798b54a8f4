"""What each key acts on: a table over panels and keys, in which the bar says what then happens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.commands.catalogue import spec_of
from memconsole.domain.commands.command import key_of
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.snapshot.snapshot import Attention
from memconsole.ui.drawing.names import row_key
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, Desk, at_work
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command

MAIN, ADA = "agent:main:main", "agent:main:telegram:direct:1001"
WORK, SLACK = "agent:work:main", "agent:work:slack:channel:c77"
NAMES = {
    MAIN: "main / main",
    ADA: "main / telegram · Ada (phone)",
    WORK: "work / main",
    SLACK: "work / slack · #inventory",
}

WHOLE = {"c": "checkpoint", "b": "observe", "i": "reindex", "F": "reflect", "R": "rotate"}
"""Keys of commands, with what each begins; `K` aims as `R` does."""

Aims = dict[str, str]
"""Where each key aims: the key of a session, else an agent; several with blanks between."""


def aims(c: str, b: str, agent: str, rotate: str) -> Aims:
    """Return where the keys of a place aim; what is about memory takes the agent as a whole."""
    return {"c": c, "b": b, "i": agent, "F": agent, "R": rotate, "K": rotate}


# A row of an agent: its newest session is saved and named, all of its sessions are observed, and
# the session that looks selected is rotated. A row of a session: that session, and no other.
OVERVIEW = [
    ("the agent of a finding", "1", aims(MAIN, MAIN, "main", MAIN)),
    ("an agent", "1 j", aims(WORK, "work", "work", WORK)),
    ("its second session", "2 j", aims(SLACK, SLACK, "work", SLACK)),
    ("the memory of that agent", "3", aims(WORK, "work", "work", SLACK)),
    ("its search", "4", aims(WORK, "work", "work", SLACK)),
    ("the journal", "5", aims(WORK, "work", "work", SLACK)),
    ("two sessions", "2 g space space", aims(f"{WORK} {SLACK}", f"{WORK} {SLACK}", "work", "2")),
]
ROW = [
    ("a session of the only list", "2 j", aims(ADA, ADA, "main", ADA)),
    ("the panel below it", "5", aims(ADA, ADA, "main", ADA)),
    ("the agents in its place", "1 g j", aims(WORK, "work", "work", WORK)),
]
SCREENS = [
    ("a session", "2 j enter", aims(ADA, ADA, "main", ADA)),
    ("what would be pruned of it", "escape a p", aims(ADA, ADA, "main", ADA)),
    ("a memory", "escape m", aims(MAIN, "main", "main", MAIN)),
    ("checkpoints", "escape d", aims(MAIN, "main", "main", MAIN)),
    ("a start", "escape t", aims(MAIN, "main", "main", MAIN)),
    ("findings", "escape exclamation_mark", aims(MAIN, MAIN, "main", MAIN)),
]


def with_gateway() -> FakeEngine:
    """Make the usual home with a Gateway, so that no key is refused."""
    return FakeEngine(replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6")))


@pytest.mark.parametrize(
    ("size", "places"),
    [(WIDE, OVERVIEW), (COMPACT, ROW), (WIDE, SCREENS)],
    ids=["five panels", "one list", "other screens"],
)
async def test_a_key_acts_on_what_is_seen_and_the_bar_says_what_that_is(
    size: tuple[int, int], places: list[tuple[str, str, Aims]]
) -> None:
    engine = with_gateway()
    async with at_work(engine, size) as desk:
        for place, keys, wanted in places:
            await desk.press(*keys.split())
            for key, aim in wanted.items():
                assert (place, key, await _done(desk, engine, key)) == (
                    place,
                    key,
                    _meant(aim, wanted),
                )


def _meant(aim: str, wanted: Aims) -> tuple[str, ...]:
    return tuple((wanted["c"] if aim == "2" else aim).split())


async def _done(desk: Desk, engine: FakeEngine, key: str) -> tuple[str, ...]:
    """Press a key, compare what is planned with what bar and question name, and say no."""
    engine.commands.clear()
    bar, screen = desk.bar("keys"), desk.screen
    await desk.press(key)
    planned = [one for one in engine.commands if one.dry_run]
    assert {one.spec.key for one in planned} == {key}
    found = tuple(dict.fromkeys(_aim(one) for one in planned))
    if len(found) == 1:
        name = NAMES.get(found[0], found[0])
        heading = " ".join(desk.text("dialog").split())
        assert name in heading
        _named(bar, f"{key} {planned[0].spec.name} ", name)
    while desk.screen != screen:
        await desk.press("escape")
    return found


def _named(bar: str, key: str, name: str) -> None:
    """Check what the bar says behind a key that stands in it: the name, perhaps its two ends."""
    if key in bar:
        told = bar.partition(key)[2].split("  ")[0].strip()
        begin, _, end = told.partition("…")
        assert name.startswith(begin)
        assert name.endswith(end)
        assert told == name or "…" in told


def _aim(command: Command) -> str:
    return key_of(command) or command.agent.id


@pytest.mark.parametrize("size", [WIDE, COMPACT])
async def test_the_finding_names_its_keys_anew_when_the_panel_changes(
    size: tuple[int, int],
) -> None:
    newest, other, *_ = (one for one in sample.usual().of_agent("work") if one.key is not None)
    late = Attention(
        Severity.WARNING, "capture-late", "late", "", "work", newest.key_text, command="checkpoint"
    )
    engine = FakeEngine(replace(sample.usual(), attention=(late,)))
    async with at_work(engine, size) as desk:
        await desk.press("2")
        desk.pane("sessions").select(row_key(other))
        await desk.press("1", "2")
        assert ". then c saves it" in desk.bar("attention")
        await desk.press("1")
        assert "   c saves it" in desk.bar("attention")  # of the agent it is the newest
        await desk.press("2")
        assert ". then c saves it" in desk.bar("attention")


async def test_marks_and_all_agents_are_counted_with_the_word_for_them() -> None:
    engine = with_gateway()
    async with at_work(engine, WIDE) as desk:
        await desk.press("1", "G")
        assert "c checkpoint 3 agents" in desk.bar("keys")
        assert "R rotate main / main  " in desk.bar("keys")  # the row that looks selected
        await desk.press("g", "space", "space")
        assert "c checkpoint 2 marked" in desk.bar("keys")
        assert "R rotate 2 marked" in desk.bar("keys")


@pytest.mark.parametrize("keys", ["5 enter", "l", "h"], ids=["runs", "log", "health"])
async def test_where_a_command_has_no_aim_the_bar_names_none_and_its_key_says_so(keys: str) -> None:
    async with at_work(with_gateway(), WIDE) as desk:
        await desk.press(*keys.split())
        for key, name in (("c", "checkpoint"), ("R", "rotate")):
            assert f"{key} {name}" not in desk.bar("keys")
            await desk.press(key)
            noun = spec_of(name).subject.value
            assert f"{name}: there is no {noun} to act on here" in desk.bar("keys")


async def test_a_transcript_of_no_session_is_never_saved_in_the_name_of_another() -> None:
    engine = with_gateway()
    async with at_work(engine, WIDE) as desk:
        await desk.press("j", "2", "a", "a", "G")
        assert "/orphan" in (desk.cursor("sessions") or "")
        engine.commands.clear()
        await desk.press("c")
        assert "checkpoint: there is no session to act on here" in desk.bar("keys")
        assert not engine.commands
