"""Chunks of Markdown: whole lines, of one section, numbered from 1."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.search.chunking import CHARS_PER_TOKEN, chunks, line_chunks

LINES = st.lists(
    st.one_of(
        st.text(alphabet="ab \t", max_size=30),
        st.sampled_from(["# One", "## Two", "", "```", "### Deep # er", "- item"]),
    ),
    max_size=40,
)


def test_a_heading_begins_a_new_chunk_and_its_path_is_kept() -> None:
    found = list(chunks("# Server\nintro\n\n## Disk\nfull\n# Other\nend\n"))
    assert [(one.start_line, one.end_line, one.heading) for one in found] == [
        (1, 2, "Server"),
        (4, 5, "Server > Disk"),
        (6, 7, "Other"),
    ]


def test_signs_that_close_a_heading_are_no_part_of_it() -> None:
    texts = ("# a ##", "# a#b ", "# a #b #\t", "#######", f"# {'#' * 99_000}x")
    found = [next(iter(chunks(f"{one}\nwords", tokens=50))).heading for one in texts]
    assert found == ["a", "a#b", "a #b", "", "#" * 120]


def test_headings_without_text_go_with_what_follows() -> None:
    [found] = chunks("# Day\n\n## Morning\n- coffee\n")
    assert (found.start_line, found.end_line, found.heading) == (1, 4, "Day > Morning")


def test_a_file_of_nothing_but_headings_is_one_chunk() -> None:
    [found] = chunks("# Day\n## Morning\n")
    assert found.text == "# Day\n## Morning"


def test_an_empty_text_has_no_chunks() -> None:
    assert list(chunks("")) == []
    assert list(chunks(" \n\t\n")) == []


def test_a_full_chunk_repeats_the_end_of_the_one_before() -> None:
    text = "\n".join(f"{number:04d} {'x' * 94}" for number in range(40))
    found = list(chunks(text, tokens=100, overlap_tokens=50))
    assert [(one.start_line, one.end_line) for one in found[:2]] == [(1, 4), (3, 6)]
    assert found[1].text.splitlines()[:2] == found[0].text.splitlines()[2:]
    assert found[-1].end_line == 40


def test_a_heading_in_a_fence_is_none() -> None:
    [found] = chunks("# Real\n```\n# shell comment\n```\nafter\n")
    assert (found.end_line, found.heading) == (5, "Real")


def test_a_line_that_is_too_long_is_cut_at_blanks() -> None:
    found = list(chunks("word " * 200, tokens=50, overlap_tokens=0))
    assert {(one.start_line, one.end_line) for one in found} == {(1, 1)}
    assert all(len(one.text) <= 50 * CHARS_PER_TOKEN for one in found)
    assert "".join(one.text for one in found).count("word") == 200


def test_data_is_no_text() -> None:
    found = list(chunks(f"picture: {'QUJDREVG' * 50} end"))
    assert [one.text for one in found] == ["picture:   end"]


def test_line_ends_of_any_kind_count_once() -> None:
    found = list(chunks("a\r\nb\rc\n# d\ne"))
    assert [(one.start_line, one.end_line) for one in found] == [(1, 3), (4, 5)]


@given(LINES)
def test_every_line_with_text_is_in_a_chunk(lines: list[str]) -> None:
    found = list(chunks("\n".join(lines), tokens=50, overlap_tokens=10))
    for number, line in enumerate(lines, 1):
        if line.strip():
            assert any(one.start_line <= number <= one.end_line for one in found), (number, line)
    for one in found:
        assert 1 <= one.start_line <= one.end_line <= len(lines)
        assert one.text.strip()
        assert len(one.text) <= 50 * CHARS_PER_TOKEN


@given(LINES)
def test_chunks_come_in_order_and_never_repeat_themselves(lines: list[str]) -> None:
    found = list(chunks("\n".join(lines), tokens=50, overlap_tokens=10))
    places = [(one.start_line, one.end_line) for one in found]
    assert places == sorted(places)
    assert len({(one.start_line, one.end_line, one.text) for one in found}) == len(found)


@given(st.lists(st.text(alphabet="abc ", max_size=300), max_size=30))
def test_messages_are_never_repeated(lines: list[str]) -> None:
    found = list(line_chunks(lines, tokens=50))
    spoken = [line for line in lines if line.strip()]
    ends = [one.end_line for one in found]
    assert ends == sorted(ends)
    for one, other in pairwise(found):
        assert other.start_line >= one.end_line
    assert bool(found) == bool(spoken)
