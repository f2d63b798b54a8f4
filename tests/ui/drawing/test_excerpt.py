"""What was found on one line: the part with the words, in exactly its width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memconsole.ui.drawing.excerpt import Excerpt, marked
from memconsole.ui.drawing.glyphs import UNICODE
from memconsole.ui.drawing.spans import Role, Span, line_width

LONG = "one two three four five six seven eight nine ten eleven twelve"


def drawn(text: str, word: str, width: int) -> str:
    """Draw a text around a word, which is shown in brackets."""
    start = text.index(word)
    cell = Excerpt(text, ((start, start + len(word)),))
    return "".join(
        f"[{span.text}]" if span.role is Role.FOUND else span.text
        for span in cell.draw(width, UNICODE, right=False)
    )


def test_a_text_that_fits_is_shown_whole() -> None:
    assert drawn("a database of birds", "database", 20) == "a [database] of birds "


def test_the_words_stand_near_the_beginning_and_no_word_is_cut_at_the_left() -> None:
    assert drawn(LONG, "seven", 24) == "…six [seven] eight nine t…"


def test_a_text_that_ends_soon_begins_earlier() -> None:
    assert drawn(LONG, "twelve", 24) == "…nine ten eleven [twelve] "


def test_line_ends_become_one_blank() -> None:
    assert drawn("# Day\n\n  - the  disk\n", "disk", 20) == "# Day - the [disk]    "


def test_a_lead_takes_its_room() -> None:
    cell = Excerpt("abcdef", ((4, 6),), (Span("weak ", Role.WARNING),))
    assert [span.text for span in cell.draw(12, UNICODE, right=False)] == [
        "weak ",
        "abcd",
        "ef",
        " ",
    ]


def test_marks_outside_are_left_out() -> None:
    assert [span.text for span in marked("abcd", ((0, 1), (2, 3)), start=1)] == ["b", "c", "d"]


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cf")), max_size=60)


@given(words, st.integers(0, 59), st.integers(1, 20), st.integers(1, 60))
def test_any_text_takes_exactly_its_width(text: str, start: int, length: int, width: int) -> None:
    marks = ((start, min(start + length, len(text))),) if start < len(text) else ()
    line = Excerpt(text, marks).draw(width, UNICODE, right=False)
    assert line_width(line) == width
