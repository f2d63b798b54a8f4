"""The palette, the keys of this screen, findings and the log: made from what is bound."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

import pytest
from textual.events import Key

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.cleanup import CleanedUp, Cleanup
from memconsole.domain.commands.outcomes import Planned
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.gateway import GatewayStatus
from memconsole.ui.drawing.glyphs import ASCII, UNICODE, Glyphs
from memconsole.ui.keys import COMMON
from memconsole.ui.screens.palette.help import Purpose, purpose_of, signs
from memconsole.ui.widgets.line_input import LineInput
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, Desk, at_work, words
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish


async def test_help_lists_the_keys_of_this_screen_commands_first(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("question_mark")
        text = desk.text("dialog")
        for pane in (desk.pane("dialog"), desk.pane("more")):  # one page: nothing to scroll to
            assert len(pane.place.rows) <= pane.size.height - FRAME
        assert "up k down j" in text
        assert "1 2 3 4 5" in text
        assert "Keys · overview" in text
        for spec in CATALOGUE:
            assert not spec.key or (spec.does and f" {spec.key} " in text)
        assert "checkpoint  saves what the agent is working on" in text
        assert text.index("saves what the agent") < text.index("opens what the cursor is on")
        await desk.press("question_mark")
        assert desk.screen == "overview"


async def test_help_of_every_screen_is_one_page(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        for key in ("enter", *"mwdtovhl!"):
            await desk.press("escape", "escape", "2", key, "question_mark")
            assert desk.screen == "help"
            for pane in (desk.pane("dialog"), desk.pane("more")):
                assert len(pane.place.rows) <= pane.size.height - FRAME, desk.text("dialog")
            await desk.press("escape")


FRAME = 2
"""Rows of a panel that its frame takes."""


def groups_of(desk: Desk) -> dict[str, list[str]]:
    """Return the lines of the help by their heading, both columns one after the other."""
    groups: dict[str, list[str]] = {}
    for pane in ("dialog", "more"):
        for row in desk.pane(pane).place.rows:
            if not row.is_heading:
                groups[list(groups)[-1]].append(row.key)
            elif row.key[0].isupper():
                groups[row.key] = []
    return groups


async def test_help_is_grouped_by_purpose_and_the_same_in_one_column(engine: FakeEngine) -> None:
    found = []
    for size in (WIDE, COMPACT):
        async with at_work(engine, size) as desk:
            await desk.press("2", "enter", "question_mark")
            assert desk.cursor("dialog") == "checkpoint"  # no heading
            assert desk.text("dialog").splitlines()[1].split()[1:2] == ["Act"]
            found.append(groups_of(desk))
    groups = found[0]

    assert list(groups) == [
        *("Act", "On this screen", "Open", "Move and find", "View", "Console", "Signs")
    ]
    assert {spec.name for spec in CATALOGUE if spec.key} < set(groups["Act"])
    assert groups["On this screen"] == ["pruning", "what-if"]
    assert {"panel-1", "search", "up"} < set(groups["Move and find"])
    assert {name: set(lines) for name, lines in found[1].items()} == {
        name: set(lines) for name, lines in groups.items()
    }


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_legend_has_every_sign_that_is_drawn(glyphs: Glyphs) -> None:
    legend = " ".join(line.keys for line in signs(glyphs))
    drawn = {name: getattr(glyphs, name) for name in Glyphs.__slots__}
    frame = ("corners", "horizontal", "vertical", "dot", "blocks", "sparks", "brackets")
    for name, sign in drawn.items():
        for one in () if name in frame else (sign,) if isinstance(sign, str) else sign:
            assert one.strip() in legend, name
    for word in ("DUE", "est", "stale", "suspect", "?", "CUT", "LOST?", "never"):
        assert word in legend


def test_every_key_of_all_screens_has_a_purpose_of_its_own() -> None:
    assert [one.id for one in COMMON if purpose_of(one) is Purpose.HERE] == []


async def test_enter_in_the_help_does_what_the_key_does(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("question_mark")
        desk.pane("dialog").select("jobs")
        await desk.press("enter")
        assert desk.screen == "jobs"
        await desk.press("escape", "question_mark")
        desk.pane("dialog").select("whole-search")
        await desk.press("enter")
        assert desk.screen == "search"


async def test_help_tells_what_does_not_work_now_and_why(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("question_mark", "down", "down")
        assert desk.cursor("dialog") == "rotate"
        why = "not now: rotate: only the Gateway can do it"
        assert why in desk.text("dialog").splitlines()[-1]
        await desk.press("enter")
        assert desk.screen == "help"
        assert why in desk.text("dialog").splitlines()[-1]
        await desk.press("tab", "G", "enter")
        assert "a sign has nothing to do" in desk.text("more").splitlines()[-1]

    assert engine.commands == []


async def test_no_dialog_is_answered_from_the_help_nor_by_an_early_enter() -> None:
    up = FakeEngine(replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6")))
    async with at_work(up, WIDE) as desk:
        await desk.press("R", "question_mark")
        desk.pane("dialog").select("yes")
        await desk.press("enter")
        assert "answered in the dialog itself" in desk.text("dialog")
        await desk.press("escape", "escape")
        desk.app.reading_pause_s = 1.0
        await desk.press("question_mark", "enter")
        assert desk.screen == "help"

    assert up.done == []


async def test_the_palette_opens_moves_and_does_what_is_chosen(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("colon", "down", "down", "up", "pagedown", "pageup", "up")
        assert desk.pane("dialog").place.number == 0
        await desk.press(*"qqqq")
        assert "nothing is called that" in desk.text("dialog")
        await desk.press("enter")
        assert desk.screen == "palette"
        await desk.press("escape")
        assert desk.screen == "overview"
        await desk.press("colon", *"theme light", "enter")
        assert desk.app.theme == "light"
        for key in ("colon", "ctrl+p"):
            await desk.press(key)
            assert desk.screen == "palette"
            assert "checkpoint" in desk.text("dialog")
            await desk.press(*"findings", "enter")
            assert desk.screen == "findings"
            await desk.press("escape")


async def test_the_palette_says_why_a_command_cannot_be_done() -> None:
    async with at_work(FakeEngine(ui={"read_only": True}), WIDE) as desk:
        await desk.press("colon", *"checkpoin")
        assert "memconsole runs read-only" in desk.text("dialog")
        await desk.press("t", "enter")
        assert "memconsole runs read-only" in desk.bar("keys")


async def test_findings_lead_to_what_they_are_about(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("exclamation_mark")
        assert "main / main is due" in desk.text("list")
        await desk.press("exclamation_mark", "enter")
        assert desk.screen == "session"
        await desk.press("escape", "escape")
        assert desk.screen == "overview"


async def test_findings_of_an_agent_lead_to_its_memory() -> None:
    engine = FakeEngine(sample.unreadable())
    furnish(engine)
    async with at_work(engine) as desk:
        await desk.press("exclamation_mark")
        assert "critical" in desk.text("list")
        await desk.press("enter")
        assert desk.screen == "memory"


async def test_the_log_keeps_what_was_logged(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        record = logging.LogRecord("memconsole", logging.WARNING, "", 1, "a %s", ("word",), None)
        desk.app.logbook.handle(record)
        await desk.press("l", "l")
        assert desk.screen == "log"
        assert "WARNING  a word" in desk.text("list")
        await desk.press("escape")
        assert desk.screen == "overview"


async def typed(desk: Desk, line: str) -> None:
    """Let a line stand in the palette as if it had been typed."""
    desk.app.screen.query_one(LineInput).value = line
    await desk.settle()


async def test_a_command_without_a_key_is_in_the_palette(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("colon")
        await typed(desk, "recov")
        line = desk.text("dialog").split("\n")[2]
        assert "recover" in line
        await desk.press("enter")
        assert desk.screen == "palette"  # the name was put into the line, and its plan is shown
        assert "main: " in desk.text("dialog")
        await desk.press("enter")
        assert desk.screen == "action"
        assert "Recover main" in desk.text("dialog")


async def test_the_line_names_its_own_target_whatever_the_cursor_is_on() -> None:
    up = FakeEngine(replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6")))
    async with at_work(up, WIDE) as desk:
        await desk.press("j", "colon")
        await typed(desk, "rotate agent:main:main")
        assert "main / main: would reset agent:main:main" in desk.text("dialog")
        await desk.press("enter")
        assert "Rotate main / main" in desk.text("dialog")
        await desk.press("y")

    assert up.done == [Rotate(sample.ref("main"), "agent:main:main")]


async def test_a_line_that_is_not_understood_runs_nothing(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("colon")
        for line, said in (
            ("rotate agent:homelab:main", "there is no live session 'agent:homelab:main'"),
            ("checkpoint --agent nobody", "there is no agent 'nobody'"),
            ("checkpoint work", "checkpoint takes no 'work'"),
            ("checkpoint --yes", "checkpoint takes --agent, --session, --force, --dry-run here"),
            ("rotate 'main", "a quotation mark is still open"),
        ):
            await typed(desk, line)
            assert said in words(desk.text("dialog"))
            await desk.press("enter")
            assert desk.screen == "palette"
        await typed(desk, "rotte agent:main:main")  # what follows finds no other screen
        assert "nothing is called that; Enter does nothing" in desk.text("dialog")
        await typed(desk, "otat")  # scattered letters find no command that writes
        assert "Start due sessions anew" not in desk.text("dialog")
        await typed(desk, "rota")
        await desk.press("enter")
        assert desk.screen == "palette"

    assert engine.done == []


async def test_agent_and_options_are_taken_from_the_line(engine: FakeEngine) -> None:
    span = timedelta(days=2)
    plan = Cleanup(sample.ref("work"), span, takes_uncaptured=True, dry_run=True)
    engine.outcomes["cleanup --dry-run"] = Planned(
        plan, "would pack 1 file", details={"diff": ["- pack 87 KB"]}
    )
    async with at_work(engine, WIDE) as desk:
        await desk.press("colon")
        await typed(desk, "checkpoint --dry-run")
        await desk.press("enter")
        assert "its plan alone was asked for" in desk.text("dialog")
        assert engine.done == []
        await desk.press("escape", "colon")
        await typed(desk, "checkpoint --agent work --force")
        await desk.press("enter", "escape")
        for answer in ("enter", "y"):  # the question stands on Cancel
            await desk.press("colon")
            await typed(desk, "cleanup --agent work --uncaptured --older-than 2d")
            assert "work: would pack 1 file" in desk.text("dialog")
            await desk.press("enter")
            assert "- pack 87 KB" in desk.text("dialog")
            await desk.press(answer)

    cleanup = Cleanup(sample.ref("work"), span, takes_uncaptured=True)
    assert engine.done == [Checkpoint(sample.ref("work"), is_forced=True), cleanup]


async def test_old_files_of_memconsole_itself_are_cleaned_up_and_brought_back(
    engine: FakeEngine,
) -> None:
    ours = Cleanup(AgentRef(HomeRef(str(sample.usual().home.path)), ""))
    cleaned = CleanedUp(ours, "packed 1 file")
    engine.outcomes["cleanup"] = cleaned
    async with at_work(engine, WIDE) as desk:
        await desk.press("colon")
        await typed(desk, "cleanup --own --agent work")
        assert "--own is about no agent" in desk.text("dialog")
        await desk.press("escape", "colon")
        await typed(desk, "cleanup --own")
        assert "memconsole" in desk.text("dialog")
        await desk.press("enter", "y", "escape", "u", "y")

    assert engine.done == [ours, replace(ours, is_undo=True)]


async def test_tab_and_a_chosen_row_end_the_line(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("colon", *"ch", "tab")
        await desk.press(*" --a", "tab", *" w", "tab")
        assert "> checkpoint --agent work" in desk.picture()
        await desk.press("enter")

    assert engine.done == [Checkpoint(sample.ref("work"))]


async def test_letters_typed_right_behind_the_colon_are_not_lost(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        for key in ("colon", *"checkpoint"):
            desk.app.post_message(Key(key, ":" if key == "colon" else key))
        await desk.settle()
        assert desk.app.screen.query_one(LineInput).value == "checkpoint"

    assert engine.done == []
