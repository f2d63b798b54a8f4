"""Adding, forgetting and undoing on the memory screen, and what wants a look there."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.commands.memory import (
    Forgotten,
    Layer,
    MemoryAdd,
    MemoryForget,
    MemoryUndo,
    Remembered,
    Undone,
)
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.memory.advice import Advice, AdviceKind, MemoryAdvice
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.memory.files import PoolItem
from memconsole.errors import HomeUnreadableError
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, Desk, at_work, words
from tests.ui.fake_engine import FakeEngine, FakeMemory
from tests.ui.sample_details import furnish

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command
    from memconsole.domain.memory.files import Marker

MAIN = sample.ref("main")
TEXT = """# Memory

## Notes

- 2026-01-03: [TODO] Ask [bold]Mira[/bold] about the larger disk
- 2026-01-05: The digest goes out at 06:00
- 2026-01-20: The digest goes out at 07:00
- 2026-01-21: The digest goes out at 07:00
"""
TODO, SIX, SEVEN, AGAIN = entries_of("MEMORY.md", TEXT)
ADVICE = MemoryAdvice(
    (
        Advice(AdviceKind.TWICE, AGAIN, SEVEN),
        Advice(AdviceKind.OUTDATED, SIX, SEVEN),
        Advice(AdviceKind.OPEN, TODO),
    ),
    1,
    1,
)


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    engine.texts["MEMORY.md"] = TEXT
    engine.advice = ADVICE
    return engine


def plan(engine: FakeEngine, name: str, command: Command, message: str) -> None:
    """Let a dry run answer so."""
    engine.outcomes[f"{name} --dry-run"] = Planned(
        replace(command, dry_run=True), message, (Written("MEMORY.md", 412),)
    )


async def opened(desk: Desk) -> None:
    """Go to the entries of MEMORY.md."""
    await desk.press("m", "j", "a", "e")
    assert desk.screen == "memory"
    assert desk.focus == "file"


async def test_entries_are_marked_forgotten_and_brought_back(engine: FakeEngine) -> None:
    command = MemoryForget(MAIN, (SIX.id, SEVEN.id))
    plan(engine, "memory forget", command, f"would forget {SIX.id} and {SEVEN.id}")
    engine.outcomes["memory forget"] = Forgotten(command, f"main forgot {SIX.id}, {SEVEN.id}")
    plan(engine, "memory undo", MemoryUndo(MAIN), f"would put {SIX.id}, {SEVEN.id} back")
    engine.outcomes["memory undo"] = Undone(MemoryUndo(MAIN), "put them back")
    async with at_work(engine, WIDE) as desk:
        await opened(desk)
        text = " ".join(desk.text("file").split())
        assert "MEMORY.md, entries · 4" in text
        assert f"{TODO.id} 2026-01-03 5 [TODO] Ask [bold]Mira[/bold]" in text
        await desk.press("j", "space", "space")
        assert desk.cursor("file") == AGAIN.id
        assert "2 marked" in desk.text("file")
        await desk.press("a", "D")
        dialog = desk.text("dialog")
        assert "Forget main / 2 entries" in dialog
        assert f"memconsole memory forget {SIX.id} {SEVEN.id} --agent main --yes" in " ".join(
            dialog.replace("│", " ").split()
        )
        assert engine.done == []
        await desk.press("y")
        assert engine.done == [command]
        assert "undo: u brings it back from the archive" in desk.text("dialog")
        await desk.press("escape")
        engine.texts["MEMORY.md"] = "# Memory\n"
        await desk.press("a", "u")
        assert "would put" in desk.text("dialog")
        await desk.press("y", "escape")
        assert engine.done == [command, MemoryUndo(MAIN)]
        await desk.press("escape", "escape", "u")
        assert "what was done here is taken back" in desk.bar("keys")


async def test_u_on_the_first_screen_takes_the_last_edit_back(engine: FakeEngine) -> None:
    command = MemoryForget(MAIN, (TODO.id,))
    engine.outcomes["memory forget"] = Forgotten(command, "main forgot it")
    async with at_work(engine, COMPACT) as desk:
        await opened(desk)
        await desk.press("a", "D", "y", "escape", "escape", "u")
        assert desk.screen == "action"
        assert "Undo main" in desk.text("dialog")


async def test_a_note_goes_from_the_form_to_its_plan_and_is_written(engine: FakeEngine) -> None:
    command = MemoryAdd(MAIN, "Mira likes tea", Layer.USER, "GOTCHA", "Tastes")
    plan(engine, "memory add", command, "would add it to USER.md:4 as m-0a1b2c3d")
    engine.outcomes["memory add"] = Remembered(command, "main has it in USER.md:4 as m-0a1b2c3d")
    async with at_work(engine, COMPACT) as desk:
        await desk.press("m", "a", "a", "enter")
        assert "there is nothing to remember yet" in desk.text("dialog")
        await desk.press(*"Mira likes tea", "down", "right", "tab", "space", "right", "down")
        assert "USER.md" in desk.text("dialog")
        assert "GOTCHA" in desk.text("dialog")
        await desk.press("ctrl+u", *"Tastes", "enter")
        assert desk.screen == "action"
        assert "would add it to USER.md:4 as m-0a1b2c3d" in desk.text("dialog")
        assert engine.done == []
        await desk.press("y")
        assert engine.done == [command]
        assert "undo: u takes it out again" in desk.text("dialog")


async def test_the_log_of_a_day_has_no_heading_and_esc_writes_nothing(engine: FakeEngine) -> None:
    async with at_work(engine, COMPACT) as desk:
        await desk.press("m", "a", "a", "down", "left")
        assert "today's log" in desk.text("dialog")
        assert "a log of a day has its clock" in desk.text("dialog")
        await desk.press("down", "down", "up", "up", "right", "escape")
        assert desk.screen == "memory"
        assert engine.commands == []


async def test_what_stands_there_already_is_said_with_its_id(engine: FakeEngine) -> None:
    engine.outcomes["memory add --dry-run"] = Skipped(
        MemoryAdd(MAIN, "x", dry_run=True),
        SkipReason.DUPLICATE,
        f"MEMORY.md:6 says the same already: {SIX.id}",
        hint="`--force` adds it anyway.",
    )
    async with at_work(engine, COMPACT) as desk:
        await desk.press("m", "colon", *"memory add", "enter", *"The digest", "enter")
        assert f"says the same already: {SIX.id}" in desk.text("dialog")
        assert "[ y add ]" not in desk.text("dialog")


async def test_an_id_that_is_gone_or_ambiguous_is_answered_with_a_sentence(
    engine: FakeEngine,
) -> None:
    engine.outcomes["memory forget --dry-run"] = Failed(
        MemoryForget(MAIN, (TODO.id,), dry_run=True),
        "entry-id",
        f"the memory of main has no entry '{TODO.id}'",
        hint="`memconsole memory show --all` lists every entry with its id.",
    )
    async with at_work(engine, COMPACT) as desk:
        await opened(desk)
        await desk.press("a", "D")
        text = words(desk.text("dialog"))
        assert f"has no entry '{TODO.id}'" in text
        assert "lists every entry" in text
        await desk.press("escape")
        assert engine.done == []


async def test_advice_leads_to_its_entry_which_can_be_forgotten(engine: FakeEngine) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("m", "4")
        text = words(desk.text("advice"))
        assert "1 twice, 1 outdated, 1 open" in text
        assert f"{AGAIN.id} (MEMORY.md:8) repeats {SEVEN.id} (MEMORY.md:7)" in text
        assert f"{SIX.id} (MEMORY.md:6) may be outdated" in text
        assert f"{TODO.id} (MEMORY.md:5) is open since 2026-01-03" in text
        await desk.press("a", "D")
        assert f"Forget main / {AGAIN.id}" in desk.text("dialog")
        await desk.press("escape", "enter")
        assert desk.focus == "file"
        assert desk.cursor("file") == AGAIN.id
        await desk.press("enter")
        assert desk.cursor("file") == "8:0"


async def test_what_cannot_be_done_says_why(engine: FakeEngine) -> None:
    engine.advice = HomeUnreadableError("/home/op", "no permission")
    async with at_work(engine, WIDE) as desk:
        await desk.press("m", "j", "a", "D")
        assert "select an entry first: a e lists those of this file" in desk.bar("keys")
        await desk.press("space")
        assert "select an entry first" in desk.bar("keys")
        assert "none of the session stores" in desk.text("advice")
        await desk.press("a", "h")
        assert "memconsole memory edit MEMORY.md --agent main opens your editor" in desk.bar("keys")
        await desk.press("escape", "colon", *"memory forget", "enter")
        assert "memory forget: there is no entry to act on here" in desk.text("dialog")


async def test_read_only_dims_every_edit_and_says_why() -> None:
    engine = FakeEngine(ui={"read_only": True})
    furnish(engine)
    engine.texts["MEMORY.md"] = TEXT
    async with at_work(engine, WIDE) as desk:
        await opened(desk)
        for key, name in (("a", "add"), ("D", "forget"), ("u", "undo"), ("h", "edit")):
            await desk.press("a", key)
            assert f"memory {name}: memconsole runs read-only" in desk.bar("keys")
        assert engine.commands == []


class SlowMemory(FakeMemory):
    """A memory whose reads take as long as the test wants."""

    def __init__(self, fake: FakeEngine) -> None:
        super().__init__(fake)
        self.gate = threading.Event()

    def text(self, agent_id: str, relative: str) -> str | None:
        self.gate.wait(10)
        return super().text(agent_id, relative)

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        self.gate.wait(10)
        return super().markers(agent_id)


async def test_five_thousand_files_are_seen_before_one_is_read() -> None:
    engine = FakeEngine()
    engine.memory = slow = SlowMemory(engine)
    furnish(engine)
    items = tuple(PoolItem(f"memory/n{n}.md", 10, 2, False, True) for n in range(5_000))
    usual = sample.usual()
    pool = replace(sample.pool("main"), items=items, files=5_000)
    engine.reading = replace(usual, agents=(replace(usual.agents[0], pool=pool), *usual.agents[1:]))
    async with at_work(engine, WIDE) as desk:
        desk.app.go.memory("main", "memory/n4999.md")
        while "n4999.md" not in desk.picture():
            await desk.pilot.pause()
        assert "reading" in desk.text("file")
        assert not slow.gate.is_set()
        slow.gate.set()
        await desk.settle()
        assert desk.cursor("files") == "file:memory/n4999.md"
        assert "no line is marked" not in desk.text("markers")
