"""Of a transcript that grew only what is new is read, and what is judged is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind
from memconsole.engine.compaction.evidence import LIMIT_BYTES, read_compactions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOST = "Summary unavailable due to context limits. Older messages were truncated."
BLANK = "## Goal\nNo prior history.\n"


def entry(kind: str, number: int) -> Entry:
    """Return one entry as it stands at its place: `u`ser, `a`ssistant, or a compaction."""
    common = {"id": f"id-{number}", "position": 100 * number, "size_bytes": 99}
    if kind in "ua":
        role = {"u": "user", "a": "assistant"}[kind]
        return Entry(EntryKind.MESSAGE, role=role, text="words", **common)  # type: ignore[arg-type]
    summary = {"l": LOST, "b": BLANK}[kind]
    compaction = Compaction(summary, 50_000)
    return Entry(EntryKind.COMPACTION, compaction=compaction, **common)  # type: ignore[arg-type]


def transcript(kinds: str) -> list[Entry]:
    return [entry(kind, number) for number, kind in enumerate(kinds)]


def backward(entries: Sequence[Entry], passed: list[Entry]) -> Iterator[Entry]:
    for one in reversed(entries):
        passed.append(one)
        yield one


@given(st.text("ualb", max_size=12), st.text("ualb", max_size=6), st.text("ualb", max_size=6))
def test_grown_twice_it_is_judged_as_at_once(one: str, two: str, three: str) -> None:
    reading = None
    for kinds in (one, one + two, one + two + three):
        reading = read_compactions(reversed(transcript(kinds)), 100, reading)
        whole = read_compactions(reversed(transcript(kinds)), 100)
        assert reading.found == whole.found
        assert (reading.has_words, reading.newest) == (whole.has_words, whole.newest)


def test_only_what_is_new_is_passed() -> None:
    before = read_compactions(reversed(transcript("ualu" * 50)), 100)
    passed: list[Entry] = []
    reading = read_compactions(backward(transcript("ualu" * 50 + "al"), passed), 100, before)
    assert len(passed) == 3  # two that are new, and the one that shows where they begin
    assert len(reading.found) == 51
    assert reading.read_bytes == 2 * 99


def test_one_that_was_written_anew_is_read_whole() -> None:
    before = read_compactions(reversed(transcript("ual")), 100)
    moved = [replace(one, position=one.position + 7) for one in transcript("uaua")]
    assert read_compactions(reversed(moved), 100, before).found == ()


def test_the_end_of_an_unfinished_line_is_no_place() -> None:
    growing = [*transcript("ual"), Entry(EntryKind.IN_PROGRESS, position=300, size_bytes=12)]
    before = read_compactions(reversed(growing), 100)
    passed: list[Entry] = []
    reading = read_compactions(backward(transcript("ualu"), passed), 100, before)
    assert (len(passed), len(reading.found)) == (2, 1)


def test_a_long_one_that_was_not_read_whole_stays_so() -> None:
    long = [replace(one, size_bytes=LIMIT_BYTES) for one in transcript("ua")]
    before = read_compactions(reversed(long), 100)
    assert (before.is_whole, before.has_words) == (False, True)
    grown = [*long, entry("b", 2)]
    assert not read_compactions(reversed(grown), 100, before).is_whole
