from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.cli.output.printer import Cell, Column, Printer, PrintStyle
from memconsole.cli.output.safe import line
from memconsole.text.cells import width as width_of

NOW = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)
COLUMNS = (
    Column("session", cut="middle", least=8),
    Column("tokens", right=True),
    Column("note", cut="end", least=6, rank=1),
    Column("age", right=True, rank=2),
)
ROWS: list[list[Cell | str]] = [
    ["agent:main:telegram:direct:1001", "64.2K", "a note that is rather long", "9 min"],
    ["main", Cell("?", "dim"), "", "3 d"],
]


def printer(
    width: int | None = None, *, has_color: bool = False, is_ascii: bool = False
) -> Printer:
    return Printer(PrintStyle(width, has_color, is_ascii), now=NOW, zone=ZoneInfo("UTC"), text=line)


def test_a_table_without_a_width_cuts_nothing() -> None:
    page = printer()
    page.table(COLUMNS, ROWS)
    assert page.lines() == [
        "session                          tokens  note                          age",
        "agent:main:telegram:direct:1001   64.2K  a note that is rather long  9 min",
        "main                                  ?                                3 d",
    ]


def test_the_widest_column_that_may_shrink_gives_way() -> None:
    page = printer(56)
    page.table(COLUMNS, ROWS)
    assert page.lines()[1] == "agent:mai…rect:1001   64.2K  a note that is rath…  9 min"


def test_columns_leave_by_rank_when_the_width_is_too_small() -> None:
    page = printer(28)
    page.table(COLUMNS, ROWS)
    assert page.lines()[0] == "session    tokens  note"
    page = printer(18)
    page.table(COLUMNS, ROWS)
    assert page.lines() == ["session     tokens", "agent…1001   64.2K", "main             ?"]


@given(st.integers(17, 120))
def test_every_line_fits_and_every_row_is_there(width: int) -> None:
    page = printer(width)
    page.table(COLUMNS, ROWS)
    lines = page.lines()
    assert len(lines) == 1 + len(ROWS)
    assert max(width_of(one) for one in lines) <= width


def test_colour_is_made_of_sixteen_colours_only() -> None:
    page = printer(has_color=True)
    page.write(Cell("DUE", "due"), " ", Cell("", "dim"), "plain [bold]text[/bold]")
    assert page.lines() == ["\x1b[1;31mDUE\x1b[0m plain [bold]text[/bold]"]


def test_a_page_without_colour_has_no_escape_sequence() -> None:
    page = printer()
    page.title("Agents", "3 of them")
    page.field("label", Cell("x", "warn"))
    assert page.lines() == ["Agents  3 of them", "label           x"]


def test_ascii_cuts_with_ascii() -> None:
    page = printer(18, is_ascii=True)
    page.table(COLUMNS, ROWS)
    assert page.lines()[1].isascii()
    assert page.cut("a sentence that is longer") == "a sentence that.."


@pytest.mark.parametrize(("width", "shown"), [(None, "abcdefghijkl"), (10, "abcdefg…")])
def test_a_sentence_is_cut_to_what_is_left(width: int | None, shown: str) -> None:
    assert printer(width).cut("abcdefghijkl", used=2) == shown


def test_a_gap_does_not_open_a_page() -> None:
    page = printer()
    page.gap()
    page.write("one")
    page.gap()
    page.write("two")
    assert page.lines() == ["one", "", "two"]


def test_a_sentence_is_broken_between_words_on_a_terminal() -> None:
    page = printer(40)
    page.sentence(Cell("! high  ", "due"), "agent:main:main is due and nobody has looked at it")
    assert page.lines() == [
        "! high  agent:main:main is due and",
        "        nobody has looked at it",
    ]
    page = printer()
    page.sentence(Cell("! high  "), "a sentence of any length stays whole where nobody reads it")
    assert len(page.lines()) == 1
    page = printer(40)
    page.sentence(Cell("! "), "")
    assert page.lines() == ["!"]
