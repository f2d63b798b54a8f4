"""Actions from key to proof: plan, question, progress, outcome, undo; and why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.cleanup import CLEANUP, CleanedUp, Cleanup
from memconsole.domain.commands.command import key_of
from memconsole.domain.commands.memory import MEMORY_ADD, MEMORY_UNDO, MemoryAdd, Remembered
from memconsole.domain.commands.outcomes import (
    RUNNING,
    Account,
    Detail,
    Failed,
    Planned,
    Proof,
    Skipped,
    SkipReason,
    Step,
    Verdict,
)
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.commands.rotate import Rotate, Rotated
from memconsole.domain.gateway import GatewayStatus
from memconsole.ui.actions.action import Action, ActionMoved, undo_of
from memconsole.ui.actions.targets import Target
from tests.ui import sample
from tests.ui.driving import COMPACT, Stopwatch, at_work
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command, CommandSpec
    from memconsole.domain.commands.outcomes import Reported


AGENTS = ("main", "work", "research")


def with_gateway() -> FakeEngine:
    """An engine whose Gateway is up, so that rotation can be tried."""
    return FakeEngine(replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6")))


async def test_c_shows_the_plan_and_what_came_of_it(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("c")
        text = desk.text("dialog")
        assert desk.screen == "action"
        assert "Checkpoint main / main" in text
        assert "→ would save 60 messages of agent:main:main" in text
        assert "✓ main / main  done  31 ms" in text
        assert "memory/2026-01-26.md  480 B  0600" in text
        assert "undo: not needed" in text
        await desk.press("escape")
        assert desk.screen == "overview"

    assert engine.commands == [
        Checkpoint(sample.ref("main"), "agent:main:main", dry_run=True),
        Checkpoint(sample.ref("main"), "agent:main:main"),
    ]


STEPS = [
    Step("checkpoint", RUNNING),
    Step("checkpoint", "done", 31, "59 messages"),
    Step("reset", RUNNING),
]

SIDE: dict[str, Detail] = {"session_id": "1", "started_at": None}

PROOF: dict[str, Detail] = {
    "before": {**SIDE, "revision": "84d7aa10", "tokens": 159_100},
    "after": {**SIDE, "revision": "91cc0022", "tokens": 0},
    "proven": True,
}


async def test_a_rotation_grows_step_by_step_and_ends_with_its_proof() -> None:
    engine = with_gateway()
    engine.told = list(STEPS)
    rotate = Rotate(sample.ref("main"), "agent:main:main")
    engine.outcomes["rotate"] = Rotated(rotate, "was reset", details={"proof": PROOF})
    engine.run_gate.clear()
    async with at_work(engine, COMPACT) as desk:
        await desk.press("R")
        await desk.pilot.press("y")
        while not engine.done:
            await desk.pilot.pause()
        await desk.pilot.pause()
        text = desk.text("dialog")
        assert "✓ checkpoint   31 ms  59 messages" in text
        assert "▶ reset               running" in text
        assert "PROVEN" not in text
        engine.told.append(Step("reset", "done", 120))
        engine.run_gate.set()
        await desk.settle()
        text = desk.text("dialog")

    assert "✓ reset       120 ms" in text
    assert "✓ PROVEN  revision 84d7… → 91cc…, 159.1K → 0" in text
    assert "kept as run 412" in text


async def test_a_failure_stops_at_its_line_and_says_what_was_not_done() -> None:
    engine = with_gateway()
    engine.told = [*STEPS, Step("reset", "failed", 5)]
    rotate = Rotate(sample.ref("main"), "agent:main:main")
    engine.outcomes["rotate"] = Failed(rotate, "gateway-refused", "the gateway refused it")
    async with at_work(engine, COMPACT) as desk:
        await desk.press("R", "y")
        text = desk.text("dialog")

    lines = [line.strip(" │") for line in text.split("\n")]
    assert "✓ checkpoint   31 ms  59 messages" in lines
    assert "✗ reset         5 ms  failed" in lines
    assert "– proof               not done" in lines
    assert "the gateway refused it" in lines


async def test_the_button_of_a_finished_dialog_opens_its_run(engine: FakeEngine) -> None:
    account = Account(
        tuple(one for one in STEPS if one.duration_ms), Proof(Verdict.PROVEN, "a → b")
    )
    engine.history = (replace(sample.runs()[0], id=412, account=account), *sample.runs())
    async with at_work(engine) as desk:
        await desk.press("c", "right", "enter")
        assert desk.screen == "runs"
        text = desk.text("run")

    assert "✓ checkpoint   31 ms  59 messages" in text
    assert "✓ PROVEN  a → b" in text


async def test_the_page_of_an_older_run_says_that_its_steps_were_not_kept(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await desk.press("5", "enter")
        assert "its steps were not kept" in desk.text("run")


async def test_an_outcome_is_read_again_and_a_finished_dialog_closes(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        asked = len(engine.asked)
        await desk.press("c")
        assert len(engine.asked) > asked
        await desk.press("enter")
        assert desk.screen == "overview"
        await desk.press("u")
        assert "undo checkpoint: not needed: the daily log only grows" in desk.bar("keys")
        assert desk.screen == "overview"


async def test_a_skipped_plan_ends_there_and_says_why(engine: FakeEngine) -> None:
    command = Checkpoint(sample.ref("main"), dry_run=True)
    engine.outcomes["checkpoint --dry-run"] = Skipped(
        command, SkipReason.NOTHING_NEW, "nothing new since 14:05", hint="It is saved already."
    )
    async with at_work(engine) as desk:
        await desk.press("c")
        text = desk.text("dialog")

    assert "– main / main  skipped" in text
    assert "nothing new since 14:05" in text
    assert "It is saved already." in text
    assert not engine.done


async def test_news_of_an_action_that_arrive_when_all_is_closed_end_nothing(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await desk.press("c")
        action = desk.app.actions.current
    assert action is not None
    assert desk.app.front is None
    desk.app.show_action(ActionMoved(action))
    desk.app.tick()


async def test_a_failure_says_what_failed_and_what_to_do(engine: FakeEngine) -> None:
    command = Checkpoint(sample.ref("main"))
    engine.outcomes["checkpoint"] = Failed(
        command, "workspace", "MEMORY.md is a symlink", hint="Replace it by a file."
    )
    async with at_work(engine) as desk:
        await desk.press("c")
        text = desk.text("dialog")

    assert "✗ main / main  failed" in text
    assert "MEMORY.md is a symlink" in text
    assert "Replace it by a file." in text
    assert "undo" not in text


async def test_marked_agents_are_done_in_turn(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("space", "space", "c")
        text = desk.text("dialog")

    assert "Checkpoint 2 targets" in text
    assert "✓ main  done  31 ms  saved 60 messages" in text
    assert "2 done in 62 ms" in text
    assert "kept as runs 412 to 413" in text
    assert engine.done == [Checkpoint(sample.ref("main")), Checkpoint(sample.ref("work"))]


async def test_no_while_it_runs_finishes_one_and_begins_no_other(engine: FakeEngine) -> None:
    engine.run_gate.clear()
    async with at_work(engine) as desk:
        await desk.press("space", "space")
        await desk.pilot.press("c")
        while not engine.done:
            await desk.pilot.pause()
        await desk.pilot.pause()
        assert "▶ main" in desk.text("dialog")
        assert "[ n begin no other ]" in desk.text("dialog")
        await desk.pilot.press("n")
        await desk.pilot.pause()
        assert "stopping after this one" in desk.text("dialog")
        engine.run_gate.set()
        await desk.settle()
        text = desk.text("dialog")

    assert [command.agent.id for command in engine.done] == ["main"]
    assert "✓ main  done" in text
    assert "– work  not begun" in text


async def test_a_closed_dialog_does_not_stop_what_runs(engine: FakeEngine) -> None:
    engine.run_gate.clear()
    async with at_work(engine) as desk:
        await desk.pilot.press("c")
        while not engine.done:
            await desk.pilot.pause()
        await desk.pilot.press("escape")
        await desk.pilot.pause()
        assert desk.screen == "overview"
        await desk.pilot.press("c")
        await desk.pilot.pause()
        assert "something is still running" in desk.bar("keys")
        engine.run_gate.set()
        await desk.settle()
        assert "checkpoint done: saved 60 messages" in desk.bar("keys")


async def test_rotate_without_a_gateway_shows_its_plan_and_why_it_cannot_be_done(
    engine: FakeEngine,
) -> None:
    async with at_work(engine) as desk:
        await desk.press("R")
        text = " ".join(desk.text("dialog").split())
        assert "Rotate main / main" in text
        assert "would reset agent:main:main at 151.2K of 150K" in text
        assert "only the Gateway can do it, and it is not connected" in text
        assert "[ Rotate ]" not in text
        await desk.press("enter")
        assert desk.screen == "overview"

    assert not engine.done


async def test_rotate_asks_first_starts_on_cancel_and_then_acts() -> None:
    engine = with_gateway()
    async with at_work(engine) as desk:
        for keys in (("enter",), ("n",), ("escape",), ("right", "left", "enter")):
            await desk.press("R")
            assert "[ Cancel ]  [ y rotate ]  [ more ]" in desk.text("dialog")
            await desk.press(*keys)
            assert desk.screen == "overview"
        await desk.press("R", "Y")
        assert desk.app.clipboard == "memconsole rotate agent:main:main --dry-run"
        await desk.press("left", "enter")
        assert "threshold: 150000" in desk.text("dialog")
        await desk.press("enter")
        assert "threshold: 150000" not in desk.text("dialog")
        assert not engine.done
        await desk.press("y", "escape")
        assert engine.done == [Rotate(sample.ref("main"), "agent:main:main")]
        await desk.press("R", "right", "enter")

    assert len(engine.done) == 2


async def test_a_key_that_was_typed_before_the_question_was_seen_is_dropped() -> None:
    engine, watch = with_gateway(), Stopwatch()
    async with at_work(engine, watch=watch) as desk:
        desk.app.reading_pause_s = 0.3
        await desk.press("R", "y", "right", "enter", "escape")
        assert desk.screen == "action"
        assert not engine.done
        watch.seconds += 0.3
        await desk.press("y")

    assert len(engine.done) == 1


async def test_the_question_answers_to_the_mouse() -> None:
    engine = with_gateway()
    async with at_work(engine, COMPACT) as desk:
        await desk.press("R")
        lines = desk.text("dialog").split("\n")
        [row] = (y for y, line in enumerate(lines) if "[ Cancel ]" in line)
        await desk.pilot.click("#dialog", offset=(lines[row].index("[ Cancel ]") + 2, row))
        await desk.settle()
        assert desk.screen == "overview"
        await desk.press("R")
        await desk.pilot.click("#dialog", offset=(lines[row].index("[ y rotate ]") + 2, row))
        await desk.settle()

    assert len(engine.done) == 1


async def test_buttons_stay_in_view_below_a_long_plan(engine: FakeEngine) -> None:
    change: list[Detail] = [f"- line {number}" for number in range(60)]
    engine.outcomes["reflect --dry-run"] = Planned(
        Reflect(sample.ref("main"), dry_run=True), "would merge", details={"diff": change}
    )
    async with at_work(engine, COMPACT) as desk:
        await desk.press("F", "left", "enter")
        assert "[ y reflect ]" in desk.text("dialog")
        assert "more lines" in desk.text("dialog")
        await desk.press(*["pagedown"] * 7)
        assert "- line 59" in desk.text("dialog")
        assert "[ y reflect ]" in desk.text("dialog")


async def test_read_only_dims_every_command_and_says_why() -> None:
    engine = FakeEngine(ui={"read_only": True})
    async with at_work(engine) as desk:
        assert " read-only " in desk.bar("title")
        for key in ("c", "R"):
            await desk.press(key)
            assert desk.screen == "overview"
            assert "memconsole runs read-only" in desk.bar("keys")

    assert not engine.commands


async def test_a_bug_in_a_command_is_an_outcome_and_not_the_end(engine: FakeEngine) -> None:
    def broken(command: Command) -> object:
        raise ZeroDivisionError

    engine.run = broken  # type: ignore[method-assign, assignment]  # a bug is what is tested
    async with at_work(engine) as desk:
        await desk.press("c")
        assert "it failed: ZeroDivisionError" in desk.text("dialog")
        assert desk.app.is_running


async def test_reflect_shows_the_change_asks_and_is_undone(engine: FakeEngine) -> None:
    ref = sample.ref("main")
    change: list[Detail] = ["- one", "+ two", *(f"- line {number}" for number in range(20))]
    engine.outcomes["reflect --dry-run"] = Planned(
        Reflect(ref, dry_run=True), "would merge 3 lines", details={"diff": change, "lines": 3}
    )
    async with at_work(engine) as desk:
        await desk.press("F")
        text = desk.text("dialog")
        assert "- one" in text
        assert "+ two" in text
        assert "14 more lines behind [ more ]" in text
        assert "[ y reflect ]" in text
        await desk.press("left", "enter")
        assert "- line 19" in desk.text("dialog")
        assert "lines: 3" in desk.text("dialog")
        await desk.press("y", "escape")
        assert engine.done == [Reflect(ref)]
        engine.outcomes["reflect --dry-run"] = Planned(
            Reflect(ref, is_undo=True, dry_run=True), "would put observations.md.1 back"
        )
        await desk.press("u")
        assert "Undo reflect main" in desk.text("dialog")
        await desk.press("y", "escape", "u")
        assert "undo reflect: not possible" in desk.bar("keys")

    assert engine.done == [Reflect(ref), Reflect(ref, is_undo=True)]


async def test_marked_sessions_are_done_in_the_order_of_the_list(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press(*["space"] * 5)
        listed = [row.value for row in desk.pane("sessions").place.rows[:5]]
        await desk.press("c")

    assert [key_of(command) for command in engine.done] == listed


MAIN = sample.ref("main")

TARGET = Target(MAIN, None, "main")


def done(spec: CommandSpec, outcome: Reported) -> Action:
    return Action(spec, (TARGET,), outcomes={0: outcome})


ADDED = done(MEMORY_ADD, Remembered(MemoryAdd(MAIN, "x"), "written"))

CLEANED = done(CLEANUP, CleanedUp(Cleanup(MAIN), "packed"))

BACK = done(CLEANUP, CleanedUp(Cleanup(MAIN, is_undo=True), "brought back"))


def test_a_cleanup_is_taken_back_by_a_cleanup() -> None:
    found = undo_of([CLEANED, ADDED])
    assert found is not None
    spec, targets = found
    assert (spec.title, targets) == ("Undo cleanup", (TARGET,))
    assert spec.build(MAIN) == Cleanup(MAIN, is_undo=True)
    assert spec.asks


def test_files_and_memory_are_taken_back_each_on_their_own() -> None:
    assert undo_of([BACK, CLEANED]) is None
    assert undo_of([BACK, ADDED, CLEANED]) == (MEMORY_UNDO, (TARGET,))
