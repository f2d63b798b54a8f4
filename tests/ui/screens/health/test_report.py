"""What a bug report would hold: shown section by section before `e` writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.report import Section, markdown
from tests.ui.driving import COMPACT, WIDE, Desk, at_work, words
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECTIONS = (
    Section("versions", "Versions", "| what | version |\n| --- | --- |\n| Python | 3.11 |"),
    Section("jobs", "Jobs", "It cannot be told", problem="store-unreadable"),
)


class Maker:
    """Makes a small report."""

    def sections(self) -> Iterator[Section]:
        yield from SECTIONS


def written(folder: Path) -> list[Path]:
    return list(folder.rglob("*.md"))


async def opened(desk: Desk, *keys: str) -> None:
    desk.app.report = Maker  # type: ignore[assignment]  # all that the console asks of it
    await desk.press(*keys)
    assert desk.screen == "report"


@pytest.mark.parametrize("size", [WIDE, COMPACT])
async def test_the_report_is_seen_before_it_is_written(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    engine = FakeEngine()
    engine.settings = replace(engine.settings, state_dir=tmp_path)
    async with at_work(engine, size) as desk:
        await opened(desk, "h", "a", "o")
        listed = words(desk.text("list"))
        assert "2 sections" in listed
        assert "store-unreadable" in listed
        assert "| Python | 3.11 |" in desk.text("one")
        await desk.press("j")
        assert "It cannot be told" in desk.text("one")
        assert not written(tmp_path)
        await desk.press("e", "enter")

    [file] = written(tmp_path)
    assert file.read_text() == markdown("memconsole report", SECTIONS)
    assert file.stat().st_mode & 0o777 == 0o600


async def test_the_palette_opens_it_by_its_name_from_every_screen() -> None:
    async with at_work(FakeEngine()) as desk:
        await opened(desk, "m", "colon", *"report", "enter")


async def test_a_console_that_makes_none_says_who_does() -> None:
    async with at_work(FakeEngine()) as desk:
        await desk.press("h", "a", "o")
        assert "this console makes no report: `memconsole report` does" in desk.bar("keys")
