"""Text of others is literal: no markup, no control, no secret, whatever screen shows it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.outcomes import Failed
from memconsole.ui.widgets.line_input import LineInput
from tests.ui import sample
from tests.ui.driving import COMPACT, at_work
from tests.ui.foreign import EVIL, SECRET, STEERING, engine_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ui.driving import Desk
    from tests.ui.fake_engine import FakeEngine

WALK = (
    (),
    ("2", "enter"),
    ("escape", "3", "enter"),
    ("2", "a", "p"),
    ("escape", "5", "enter"),
    ("escape", "exclamation_mark"),
    ("escape", "question_mark"),
    ("escape", "colon", "escape"),
    ("4", "slash", "a", "tab", "escape"),
)
"""Keys from screen to screen."""


async def _pictures(desk: Desk) -> list[str]:
    seen = []
    for keys in WALK:
        await desk.press(*keys)
        seen.append(desk.picture())
        await _click(desk, "press me")
    return seen


async def _click(desk: Desk, words: str) -> None:
    for row, line in enumerate(desk.picture().split("\n")):
        if words in line:
            await desk.pilot.click(offset=(line.index(words) + 1, row))
            await desk.settle()


async def test_markup_is_shown_as_it_is_written_and_a_click_on_it_does_nothing() -> None:
    async with at_work(engine_for(EVIL), (200, 50)) as desk:
        seen = await _pictures(desk)
        assert desk.app.is_running
        assert desk.app.return_code is None

    overview, session, memory = seen[0], seen[1], seen[2]
    assert "[bold red]ALERT[/bold red]" in overview
    assert "[@click=app.quit]press me[/] [/INST]" in session
    assert "[bold red]ALERT" in memory


async def test_no_control_character_reaches_a_cell() -> None:
    async with at_work(engine_for(STEERING), (200, 50)) as desk:
        seen = await _pictures(desk)

    for picture in seen:
        assert not set(picture) & set("\x1b\x9b\x07\x00\u202e")
    assert "red" in seen[1]


async def test_a_secret_is_masked_before_it_is_cut() -> None:
    async with at_work(engine_for(f"the key is {SECRET}"), COMPACT) as desk:
        seen = await _pictures(desk)

    for picture in seen:
        assert SECRET[:24] not in picture
        assert SECRET[-12:] not in picture


async def test_errors_and_outcomes_are_literal(engine: FakeEngine) -> None:
    from memconsole.domain.commands.checkpoint import Checkpoint  # noqa: PLC0415 - one test only

    engine.outcomes["checkpoint"] = Failed(Checkpoint(sample.ref("main")), "x", EVIL, hint=EVIL)
    async with at_work(engine, (200, 50)) as desk:
        await desk.press("c")
        assert "[@click=app.quit]press me[/]" in desk.text("dialog")


@pytest.mark.shared
async def test_every_string_can_be_searched_for(shared: Path, engine: FakeEngine) -> None:
    strings = json.loads(
        (shared / "cases" / "c27-square-brackets" / "strings.json").read_text(encoding="utf-8")
    )
    async with at_work(engine, COMPACT) as desk:
        await desk.press("4")
        for number, text in enumerate(strings):
            await desk.press("slash", "ctrl+u")
            if number % 2:
                desk.app.screen.query_one("#query", LineInput).value = text
            else:
                await desk.pilot.press(*text)
            await desk.settle()
            assert f"> {text}".rstrip() in desk.picture()
            await desk.press("tab")
            assert desk.app.is_running
            assert engine.requests[-1].text == text


async def test_pasted_controls_do_not_get_into_a_line(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("4", "slash")
        field = desk.app.screen.query_one("#query")
        field.value = "a\x1b[31mb\tc"  # type: ignore[attr-defined]  # as a paste does
        await desk.settle()
        assert "> ab c" in desk.text("search")


async def test_a_name_of_wide_characters_keeps_the_columns(engine: FakeEngine) -> None:
    async with at_work(engine_for("仕入れの相談" * 9), COMPACT) as desk:
        lines = desk.picture().split("\n")

    from rich.cells import cell_len  # noqa: PLC0415 - one test only

    assert {cell_len(line) for line in lines} == {80}
