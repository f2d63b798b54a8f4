"""Which cells of a line are written again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.binding import ActiveBinding, Binding
from textual.widgets import Static

from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import key_line
from memconsole.ui.widgets.line import changed_cells

if TYPE_CHECKING:
    from memconsole.ui.drawing.spans import Line

WORDS = st.text(alphabet="ab ─", max_size=6)
LINES = st.lists(st.builds(Span, WORDS, st.sampled_from([Role.PLAIN, Role.DUE])), max_size=4)


def line(*texts: str, role: Role = Role.PLAIN) -> Line:
    return tuple(Span(text, role) for text in texts)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (line("─── now ─"), line("─ 10 s ─"), (0, 9)),  # narrower than the widget: all of it
        (line("──── now ─"), line("─── 10 s ─"), (3, 5)),
        (line("tokens 151.2K", " DUE"), line("tokens 153.2K", " DUE"), (9, 1)),
        (line("abc"), line("abc", role=Role.DUE), (0, 3)),
        (line("abc"), line("a", "bc"), (0, 0)),
        ((), line("abc"), (0, 3)),
        (line("値段 1 K"), line("値段 2 K"), (0, 8)),
        (line("e\u0301 1"), line("e\u0301 2"), (0, 3)),
    ],
)
def test_only_what_differs_is_written(before: Line, after: Line, expected: tuple[int, int]) -> None:
    width = {"値段 1 K": 8, "e\u0301 1": 3, "─── now ─": 9}.get("".join(s.text for s in before))
    assert changed_cells(before, after, width or len("".join(s.text for s in after))) == expected


@pytest.mark.parametrize(
    ("width", "shown"), [(60, "vm:openclaw-2026.9/main / main"), (30, "main / main")]
)
def test_a_long_name_gives_up_its_home_first_which_the_title_says(width: int, shown: str) -> None:
    binding = ActiveBinding(Static(), Binding("c", "x", "save", id="checkpoint", show=True), True)
    keys = key_line([binding], width, {"checkpoint": "vm:openclaw-2026.9/main / main"})
    assert "".join(span.text for span in keys).strip() == f"c save {shown}"


@given(LINES, LINES)
def test_cells_outside_are_the_same(before: list[Span], after: list[Span]) -> None:
    old, new = ("".join(span.text for span in spans) for spans in (before, after))
    start, count = changed_cells(tuple(before), tuple(after), len(new))
    if len(old) == len(new):
        assert old[:start] == new[:start]
        assert old[start + count :] == new[start + count :]
    else:
        assert (start, count) == (0, len(new))
