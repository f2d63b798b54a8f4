"""Two transcripts of one session as one: nothing lost, nothing doubled, order kept."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.sessions.agent import Known, known_of, merged
from memconsole.domain.transcripts.records import Entry, EntryKind
from tests.transcripts import START

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SESSION = Entry(EntryKind.SESSION, id="session", at=START)


def entry(name: str | None, minute: int | None, text: str = "") -> Entry:
    at = None if minute is None else START + timedelta(minutes=minute)
    return Entry(EntryKind.MESSAGE, id=name, at=at, role="user", text=text)


def merge(stored: list[Entry], filed: list[Entry], *, is_backward: bool = False) -> list[Entry]:
    def known() -> Known:
        return known_of((), stored)

    if is_backward:
        stored, filed = stored[::-1], filed[::-1]
    return list(merged(stored, filed, known, is_backward=is_backward))


ENTRIES = st.lists(
    st.builds(
        entry,
        st.none() | st.sampled_from([f"{number:08x}" for number in range(12)]),
        st.none() | st.integers(0, 5),
        st.sampled_from(["", "hello"]),
    ),
    max_size=10,
).map(lambda entries: list(unique(entries)))


def unique(entries: Iterable[Entry]) -> Iterator[Entry]:
    """An id is given once in a transcript."""
    seen = set()
    for one in entries:
        if one.id is None or one.id not in seen:
            seen.add(one.id)
            yield one


def is_subsequence(part: list[Entry], whole: list[Entry]) -> bool:
    remaining = iter(whole)
    return all(any(one is other for other in remaining) for one in part)


@given(ENTRIES, ENTRIES, st.booleans())
def test_nothing_is_lost_or_doubled_and_each_keeps_its_order(
    stored: list[Entry], filed: list[Entry], is_backward: bool
) -> None:
    whole = merge(stored, filed, is_backward=is_backward)
    if is_backward:
        stored, filed = stored[::-1], filed[::-1]
    assert is_subsequence(stored, whole)
    ours = {id(one) for one in stored}
    added = [one for one in whole if id(one) not in ours]
    assert is_subsequence(added, filed)
    ids = [one.id for one in whole if one.id is not None]
    assert sorted(ids) == sorted({one.id for one in (*stored, *filed) if one.id is not None})
    for nameless in {(one.at, one.text) for one in (*stored, *filed) if one.id is None}:
        counts = [
            sum(one.id is None and (one.at, one.text) == nameless for one in entries)
            for entries in (stored, filed, whole)
        ]
        assert counts[2] == max(counts[0], counts[1])


def test_what_only_the_file_has_comes_at_its_time() -> None:
    stored = [SESSION, entry("a", 1), entry("c", 3)]
    filed = [SESSION, entry("a", 1), entry("b", 2), entry("c", 3), entry("d", 4)]
    assert [one.id for one in merge(stored, filed)] == ["session", "a", "b", "c", "d"]
    backward = merge(stored, filed, is_backward=True)
    assert [one.id for one in backward] == ["d", "c", "b", "a", "session"]


def test_a_record_without_a_time_stays_where_it_is() -> None:
    stored = [entry("a", 1), entry("z", 9)]
    filed = [entry("b", 2), entry("c", None), entry("d", 3)]
    assert [one.id for one in merge(stored, filed)] == ["a", "b", "c", "d", "z"]


def test_the_file_is_not_asked_before_its_turn() -> None:
    def known() -> Known:
        raise AssertionError("the reader stopped before")

    stored = [entry("c", 3), entry("b", 2)]
    filed = [entry("b", 2), entry("a", 1)]
    reading = merged(stored, filed, known, is_backward=True)
    assert [next(reading).id, next(reading).id] == ["c", "b"]


def test_damage_of_both_is_counted() -> None:
    damaged = Entry(EntryKind.DAMAGED, position=7)
    assert merge([entry("a", 1)], [damaged, entry("b", 2)]) == [
        damaged,
        entry("a", 1),
        entry("b", 2),
    ]


def test_ids_in_a_table_count_too() -> None:
    known = known_of(["a"], [entry("b", 1), entry(None, 1, "x")])
    assert [known.take(entry(name, 1)) for name in ("a", "b", "c")] == [True, True, False]
    assert [known.take(entry(None, 1, "x")) for _ in range(2)] == [True, False]
