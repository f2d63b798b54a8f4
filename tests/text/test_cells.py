from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len as rich_cells

from memconsole.text import cells

TEXTS = st.text(st.sampled_from("ab/日本👩\u200d🔬é-:e\u0301"), max_size=40)


def test_ids_and_paths_keep_both_ends() -> None:
    assert cells.cut_middle("agent:main:telegram:direct:1001", 15) == "agent:m…ct:1001"
    assert cells.cut_middle("short", 15) == "short"


def test_sentences_keep_their_beginning() -> None:
    assert cells.cut("a long sentence", 8) == "a long…"
    assert cells.cut("a long sentence", 8, ellipsis="..") == "a long.."


@pytest.mark.parametrize("width", [0, 1, 2])
def test_no_room_is_no_error(width: int) -> None:
    assert cells.width(cells.cut_middle("abcdef", width)) <= width
    assert cells.width(cells.cut("abcdef", width)) <= width


@given(TEXTS, st.integers(0, 30))
def test_a_cut_text_fits_and_is_made_of_its_ends(text: str, width: int) -> None:
    cut = cells.cut_middle(text, width)
    assert rich_cells(cut) <= width or cut == text
    if cut != text and "…" in cut:
        head, tail = cut.split("…")
        assert text.startswith(head)
        assert text.endswith(tail)


@given(TEXTS, st.integers(0, 30))
@example("\u200d\u200d日", 1)
@example("\u200d日本", 3)
def test_a_text_cut_at_its_end_fits(text: str, width: int) -> None:
    cut = cells.cut(text, width)
    assert rich_cells(cut) <= width
    assert text.startswith(cut.removesuffix("…"))


@given(TEXTS)
def test_cells_are_counted_as_rich_counts_them(text: str) -> None:
    assert cells.width(text) == rich_cells(text)


def test_every_character_is_as_wide_as_rich_says() -> None:
    told = [char for char in map(chr, range(0x3000)) if cells.width(char) != rich_cells(char)]
    assert not told


def test_padding_counts_cells() -> None:
    assert cells.pad("日本", 6) == "日本  "
    assert cells.pad("7", 3, right=True) == "  7"
    assert cells.pad("toolong", 3, right=True) == "to…"
