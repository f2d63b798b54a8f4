"""The screens of bootstrap and pruning: what is given, what is cut, what would be pruned."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.hooks import HookState
from memconsole.domain.pruning import PruningMode
from memconsole.domain.snapshot.snapshot import Attention
from memconsole.engine.pruning import PruningRequest
from memconsole.errors import HomeUnreadableError
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work, words
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish
from tests.ui.sample_starts import furnish_starts, handed_over, hook, pruned, with_limits


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    furnish_starts(engine)
    engine.reading = with_limits(sample.usual())
    return engine


async def test_what_each_class_is_given_and_what_is_cut(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("t")
        assert desk.screen == "bootstrap"
        sessions = words(desk.text("sessions"))
        assert "CUT" not in sessions
        assert "group, thread nothing" in sessions
        given = words(desk.text("given"))
        assert "34.5K of 20K chosen by value" in given
        assert "30 h old, says so" in given
        await desk.press("j")
        assert "a group session is given nothing" in desk.text("given")
        await desk.press("G")
        assert "What to read without the hook" in desk.text("given")
        assert "there is none" in desk.text("given")
        await desk.press("escape")
        assert desk.screen == "overview"


async def test_a_hand_over_that_waits_is_shown_with_what_the_next_start_is_given(
    engine: FakeEngine,
) -> None:
    handover, given = handed_over("agent:main:telegram:direct:1001", "memory/handover-a.md")
    engine.handovers = ((handover, given),)
    async with at_work(engine, WIDE) as desk:
        await desk.press("t")
        waits = r"telegram · Ada \(phone\) \S+ 4\.0K a hand-over waits, 26 min ago"
        assert re.search(waits, words(desk.text("sessions"))), desk.picture()
        shown = words(desk.text("given"))
        assert "What the hook gives · the next start of telegram · Ada (phone)" in shown
        assert re.search(r"HANDOVER\.md .* 1\.9K of 20K once: the next start", shown)
        assert "ACTIVE_CONTEXT.md" in shown
        await desk.press("j")
        assert "What the hook gives · main, direct" in words(desk.text("given"))
        engine.handovers = ()  # a start was given it: the session is another one
        usual = sample.usual()
        first = usual.sessions[0]
        began = replace(first, stored=replace(first.stored, session_id="new"))
        engine.reading = replace(usual, sessions=(began, *usual.sessions[1:]))
        await desk.press("r")
        assert "hand-over" not in desk.text("sessions")


async def test_two_hand_overs_of_sessions_of_one_name_are_told_apart(engine: FakeEngine) -> None:
    key = "agent:main:telegram:direct:1001"
    first, second = (
        handed_over(key, "memory/handover-a.md"),
        handed_over(key, "memory/handover-b.md"),
    )
    engine.handovers = (first, (second[0], replace(second[1], files=second[1].files[1:])))
    async with at_work(engine, WIDE) as desk:
        await desk.press("t")
        assert "HANDOVER.md" in desk.text("given")
        await desk.press("j")
        assert "the next start of telegram" in words(desk.text("given"))
        assert "HANDOVER.md" not in desk.text("given")
        await desk.press("j", "k", "k")
        assert "HANDOVER.md" in desk.text("given")


@pytest.mark.parametrize("size", [COMPACT, WIDE])
async def test_the_choice_of_observations_has_the_room(
    engine: FakeEngine, size: tuple[int, int]
) -> None:
    async with at_work(engine, size) as desk:
        await desk.press("t")
        files = desk.pane("given").place.height
        assert "a e shows which observations, and why" in desk.text("given")
        await desk.press("a", "e")
        assert "a e shows the files again" in desk.text("given")
        assert desk.pane("given").place.height >= max(7, files + 4)
        if size == COMPACT:
            await desk.press("3")
            assert "CUT: 3.4K lost" in words(desk.text("loaded"))
        await desk.press("a", "e")
        assert desk.pane("given").place.height == files


async def test_each_observation_says_whether_it_is_given_and_what_other_limits_would_do(
    engine: FakeEngine,
) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("t", "a", "e")
        given = words(desk.text("given"))
        assert "at 10K 41 of 41 · at 20K 41 of 41 · at 40K 41 of 41" in given
        assert re.search(r"given 0\.\d+ 2025-06-01 value - 🟡 14:05 The shelves", given)
        await desk.press("2", "G")
        last = words(desk.text("given"))
        assert re.search(r"left out 0\.\d+ 2025-06-01 no room", last)
        assert re.search(r"given 0\.\d+ 2026-01-25 open-task - 🔴 09:00", last)
        await desk.press("a", "e")
        assert "34.5K of 20K chosen by value" in words(desk.text("given"))


async def test_what_does_not_fit_is_loud_and_has_a_remedy(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("t")
        loaded = words(desk.text("loaded"))
        assert "76.5K of 60K CUT: 20K lost" in loaded
        assert "23.4K of 20K CUT: 3.4K lost" in loaded
        await desk.press("4")
        remedies = words(desk.text("remedies"))
        assert "AGENTS.md loses 3.4K of 23.4K characters" in remedies
        assert "16.6K characters do not fit" in remedies
        assert "observations.md is cut: F folds and archives them" in remedies
        await desk.press("G")
        assert "ACTIVE_CONTEXT.md is 30 h old: c takes a checkpoint" in words(desk.text("remedies"))


async def test_a_hook_that_nothing_says_the_platform_runs_is_told(engine: FakeEngine) -> None:
    engine.hook_states = (
        replace(hook(HookState.INSTALLED), is_enabled=None, hint="Switch it on."),
    )
    async with at_work(engine, WIDE) as desk:
        await desk.press("t")
        assert "memory-index-inject: it is there. Switch it on." in words(desk.text("remedies"))


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (HookState.MISSING, "the hook memory-index-inject is not installed"),
        (HookState.OUTDATED, "memory-index-inject: its files are of another release"),
    ],
)
async def test_a_hook_that_is_not_there_is_a_remedy_too(
    engine: FakeEngine, state: HookState, said: str
) -> None:
    engine.hook_states = (hook(state),)
    engine.reading = sample.usual()
    async with at_work(engine, WIDE) as desk:
        await desk.press("t")
        assert said in words(desk.text("remedies"))
        is_counted = state is HookState.OUTDATED
        assert ("all, and the hook" in desk.text("loaded")) is is_counted


async def test_files_lead_to_the_memory_and_others_say_why_not(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("t", "enter")
        assert desk.focus == "given"
        await desk.press("enter")
        assert "INDEX.md is not among the memory files" in desk.bar("keys")
        await desk.press("3", "j", "j", "enter")
        assert desk.screen == "memory"
        assert desk.cursor("files") == "file:MEMORY.md"
        await desk.press("escape", "c")
        assert "Checkpoint main" in desk.text("dialog")


async def test_findings_lead_to_the_start_and_to_the_configuration(engine: FakeEngine) -> None:
    cut = Attention(Severity.WARNING, "bootstrap-truncation", "AGENTS.md is cut", agent="main")
    mode = Attention(Severity.HIGH, "compaction-mode", "compaction only truncates", "Fix it.")
    engine.reading = replace(with_limits(sample.usual()), attention=(cut, mode))
    async with at_work(engine, COMPACT) as desk:
        await desk.press("exclamation_mark", "enter")
        assert desk.screen == "bootstrap"
        await desk.press("escape", "j", "enter")
        assert desk.screen == "health"
        await desk.press("escape", "escape", "colon", *"configuration", "enter")
        assert desk.screen == "health"


async def test_who_could_not_look_says_so(engine: FakeEngine) -> None:
    engine.given = HomeUnreadableError("/home/op", "no permission")
    async with at_work(engine, COMPACT) as desk:
        await desk.press("t")
        assert "none of the session stores in /home/op can be read" in words(desk.text("sessions"))


async def test_each_result_says_what_would_happen_and_why(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("2", "a", "p")
        assert desk.screen == "pruning"
        results = words(desk.text("results"))
        assert "2 kept, 4 trim, 0 clear" in results
        assert "read kept 1.2K ▏ 1.2K ▏ short enough" in results
        assert "holds a picture" in results
        window = words(desk.text("window"))
        assert "82% ~98.6K tokens" in window
        assert "26% ~30.9K tokens" in window
        assert "ttl 1 h, over" in window
        assert "tool exec" in desk.text("fill")
        await desk.press("a", "x", "a", "x")
        assert engine.wishes[-1] == PruningRequest(PruningMode.CACHE_TTL)
        await desk.press("a", "d")
        due = sample.NOW - timedelta(minutes=2)
        assert engine.wishes[-1] == PruningRequest(PruningMode.CACHE_TTL, at=due)
        await desk.press("a", "d", *["a", "x"] * 3)
        assert engine.wishes[-1] == PruningRequest()
        await desk.press("enter")
        assert "there is nothing to go into here" in desk.bar("keys")


async def test_what_keeps_everything_is_said_in_words(engine: FakeEngine) -> None:
    engine.pruned = pruned(minutes=20)
    async with at_work(engine, COMPACT) as desk:
        await desk.press("2", "enter", "a", "p")
        assert "all is kept the last call is younger than the ttl" in words(desk.text("window"))
        assert "1 h, over in 39 min" in words(desk.text("window"))
        engine.pruned = pruned(PruningMode.OFF)
        await desk.press("a", "x", "a", "d")
        assert "no ttl runs" in desk.bar("keys")
        assert "pruning is off" in words(desk.text("window"))


async def test_a_session_that_cannot_be_read_says_so(engine: FakeEngine) -> None:
    engine.pruned = None
    async with at_work(engine, COMPACT) as desk:
        await desk.press("2", "a", "p", "a", "x")
        assert "there is no preview yet" in desk.bar("keys")
        assert "agent:main:main" in words(desk.text("results"))
        await desk.press("escape", "1", "a", "p")
        assert "select a session to see what would be pruned of it" in desk.bar("keys")


async def test_a_session_that_has_moved_on_is_previewed_again(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("2", "a", "p")
        asked = len(engine.wishes)
        usual = with_limits(sample.usual())
        first, *others = usual.sessions
        moved = replace(first, stored=replace(first.stored, updated_at=sample.NOW))
        engine.reading = replace(usual, sessions=(moved, *others))
        desk.app.readings.request()
        await desk.settle()
        assert len(engine.wishes) == asked + 1


async def test_ascii_draws_no_byte_above_127() -> None:
    engine = FakeEngine(ui={"ascii": True})
    furnish(engine)
    furnish_starts(engine)
    engine.reading = with_limits(sample.usual())
    async with at_work(engine, COMPACT) as desk:
        for keys in (
            ("t",),
            ("4",),
            ("1", "a", "e"),
            ("escape", "2", "a", "p"),
            ("3",),
            ("escape", "m", "a", "e"),
            ("a",),
        ):
            await desk.press(*keys)
            assert desk.picture().isascii(), keys
            if keys[-1] == "e" and keys[0] == "1":
                assert "- medium 14:05 The" in words(desk.text("given"))
