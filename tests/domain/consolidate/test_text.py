"""DREAMS.md: a block between two marks, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.consolidate.decay import Decayed
from memconsole.domain.consolidate.text import (
    BEGIN,
    END,
    MOST_ROWS,
    ConsolidationPreview,
    block_of,
    with_block,
)
from memconsole.domain.memory.observations import Observation, Priority

BLOCK = f"{BEGIN}\nnew\n{END}\n"


def preview(*texts: str, agent: str = "main") -> ConsolidationPreview:
    lines = tuple(
        Decayed(Observation(Priority.LOW, text), f"o-{number:08x}", number, 1.0, None)
        for number, text in enumerate(texts)
    )
    ref = AgentRef(HomeRef("/home"), agent)
    return ConsolidationPreview(ref, "", lines, (), "", 100, 50, 5_000, (), ("a note",))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, BLOCK),
        ("", BLOCK),
        ("# Diary\n", f"# Diary\n\n{BLOCK}"),
        ("# Diary", f"# Diary\n\n{BLOCK}"),
        ("# Diary\r\n", f"# Diary\r\n\r\n{BEGIN}\r\nnew\r\n{END}\r\n"),
        (f"a\n{BEGIN}\nold\n{END}\nz\n", f"a\n{BLOCK}z\n"),
        (f"a {BEGIN}{END} z", f"a {BEGIN}\nnew\n{END} z"),
    ],
)
def test_the_block_takes_its_place(before: str | None, after: str) -> None:
    assert with_block(before, BLOCK) == after


@pytest.mark.parametrize(
    "damaged",
    [f"{BEGIN}\n", f"{END}\n", f"{END}\n{BEGIN}\n", f"{BLOCK}{BLOCK}", f"{BLOCK}{BEGIN}\n"],
)
def test_damaged_marks_are_not_guessed_at(damaged: str) -> None:
    assert with_block(damaged, BLOCK) is None


@given(st.text(), st.text(), st.text())
def test_what_stands_outside_of_the_marks_is_never_touched(
    before: str, old: str, after: str
) -> None:
    text = f"{before}\n{BEGIN}{old}{END}\n{after}"
    made = with_block(text, BLOCK)
    if text.count(BEGIN) == text.count(END) == 1:
        assert made is not None
        assert made.startswith(f"{before}\n{BEGIN}")
        assert made.endswith(f"{END}\n{after}")
        assert with_block(made, BLOCK) == made


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4), st.text(min_size=1, max_size=20))
def test_foreign_text_breaks_neither_table_nor_marks(texts: list[str], agent: str) -> None:
    block = block_of(preview(*texts, agent=agent), "2026-01-26 03:00")
    assert (block.count(BEGIN), block.count(END), block.count("<!--")) == (1, 1, 2)
    rows = [line for line in block.splitlines() if line.startswith("| o-")]
    assert len(rows) == len(texts)
    assert {row.replace("\\|", "").count("|") for row in rows} == {5}
    assert block.splitlines()[0] == BEGIN
    assert block.splitlines()[-1] == END


def test_many_lines_are_counted() -> None:
    block = block_of(preview(*(f"line {n}" for n in range(MOST_ROWS + 3))), "2026-01-26 03:00")
    assert block.count("| o-") == MOST_ROWS
    assert "| … 3 more | | | |" in block
    assert "- a note" in block
