"""`e` writes what a panel shows into a new file, and says where."""

from __future__ import annotations

import csv
import json
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.spans import Cell, Column, Row
from memconsole.ui.screens.export import Form, shown
from memconsole.ui.widgets.line_input import LineInput
from tests.ui.driving import COMPACT, WIDE, Desk, at_work
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish

if TYPE_CHECKING:
    from pathlib import Path


async def name(desk: Desk, path: Path | str) -> None:
    """Name the file as if it had been typed."""
    desk.app.screen.query_one(LineInput).value = str(path)
    await desk.settle()


async def export(desk: Desk, path: Path) -> str:
    """Export the panel that has the keys, and return what was written."""
    await desk.press("e")
    await name(desk, path)
    await desk.press("enter")
    said = "".join(line.strip("│ ") for line in desk.text("dialog").split("\n"))
    assert str(path) in said
    return path.read_text()  # noqa: ASYNC240 - a small file


async def test_a_list_is_written_in_each_form(engine: FakeEngine, tmp_path: Path) -> None:
    async with at_work(engine, WIDE) as desk:
        await desk.press("2")
        told = []
        for form in Form:
            told.append(await export(desk, tmp_path / f"list.{form.value}"))
            await desk.press("escape")
        copied = desk.pane("sessions").place.rows
    markdown, commas, data = told

    rows = json.loads(data)["rows"]
    assert len(rows) == len(copied)
    assert rows[0]["session"] == "main"
    assert rows[0]["state"] == "DUE"
    assert rows[0]["fill"].endswith("%")
    assert list(csv.DictReader(commas.splitlines())) == rows
    assert markdown.startswith("# Sessions · main")
    assert f"| {rows[0]['session']} | {rows[0]['fill']} | {rows[0]['tokens']} |" in markdown
    assert stat.S_IMODE((tmp_path / "list.md").stat().st_mode) == 0o600


async def test_the_file_of_ours_is_named_and_its_path_copied(
    engine: FakeEngine, tmp_path: Path
) -> None:
    engine.settings = replace(engine.settings, state_dir=tmp_path)
    async with at_work(engine, COMPACT) as desk:
        await desk.press("2", "e", "tab", "enter")
        [file] = (tmp_path / "exports").iterdir()
        assert file.name.startswith("sessions-2026")
        assert file.suffix == ".csv"
        await desk.press("y")
        assert desk.app.clipboard == str(file)
        await desk.press("enter")
        assert desk.screen == "overview"


async def test_nothing_is_overwritten_nor_written_among_the_agents(
    engine: FakeEngine, tmp_path: Path
) -> None:
    there = tmp_path / "there.json"
    there.write_text("mine")
    async with at_work(engine, WIDE) as desk:
        await desk.press("2", "e")
        for path, why in (
            (there, "there is such a file already"),
            (tmp_path / "no" / "folder.md", "nothing was written"),
            (desk.app.snapshot.home.path / "new.md", "nothing was written"),  # type: ignore[union-attr]
            ("", "name a file"),
        ):
            await name(desk, path)
            await desk.press("enter")
            assert why in desk.text("dialog")
        await desk.press("escape")
        assert desk.screen == "overview"

    assert there.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".md"] == []  # noqa: ASYNC240


async def test_a_page_is_written_by_lines_and_masked(tmp_path: Path) -> None:
    engine = FakeEngine()
    furnish(engine)
    async with at_work(engine, WIDE) as desk:
        await desk.press("3")
        data = await export(desk, tmp_path / "memory.json")
    assert any("ACTIVE_CONTEXT" in line for line in json.loads(data)["lines"])


async def test_read_only_writes_no_file() -> None:
    async with at_work(FakeEngine(ui={"read_only": True}), WIDE) as desk:
        await desk.press("2", "e")
        assert desk.screen == "overview"
        assert "memconsole runs read-only" in desk.bar("keys")


@pytest.mark.parametrize(
    ("text", "form", "told"),
    [
        ("=HYPERLINK(1)", Form.CSV, "'=HYPERLINK(1)"),
        ("a | b", Form.MARKDOWN, r"| a \| b |"),
        ("ghp_" + "a1B2" * 9, Form.JSON, "[redacted:"),
    ],
)
def test_what_others_wrote_does_no_harm_in_a_file(text: str, form: Form, told: str) -> None:
    listing = Listing("Notes", columns=(Column("text", 9),))
    assert told in shown(listing, [Row("one", (Cell(text),))]).written(form)
