"""The active path: streamed newest first, it must agree with a whole tree walked from its tip."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.domain.transcripts.path import ActivePath, active_flags
from memconsole.domain.transcripts.records import Entry, EntryKind

HEADER = Entry(EntryKind.SESSION, id="s")


def node(entry_id: str | None, parent: str | None = None, *, has_parent: bool = True) -> Entry:
    return Entry(EntryKind.MESSAGE, id=entry_id, parent_id=parent, has_parent=has_parent)


def leaf(target: str | None) -> Entry:
    return Entry(EntryKind.LEAF, id="leaf", parent_id="x", has_parent=True, target_id=target)


def on_path(*entries: Entry) -> list[str]:
    """Return the ids on the path (`-` for records without one), and `!` when it has a gap."""
    placed = [replace(entry, position=place) for place, entry in enumerate(entries)]
    flags, has_gap = active_flags(placed)
    ids = [one.id or "-" for one, flag in zip(placed, flags, strict=True) if flag]
    return [*ids, *(["!"] if has_gap else [])]


def test_a_chain_is_all_on_the_path() -> None:
    assert on_path(HEADER, node("a"), node("b", "a"), node("c", "b")) == ["s", "a", "b", "c"]


def test_an_abandoned_branch_is_not() -> None:
    assert on_path(node("a"), node("b", "a"), node("c", "b"), node("d", "a")) == ["a", "d"]


def test_a_new_root_leaves_the_old_tree_behind() -> None:
    assert on_path(node("a"), node("b", "a"), node("c"), node("d", "c")) == ["c", "d"]


def test_a_missing_parent_keeps_what_came_before_and_is_a_gap() -> None:
    broken = node("c", has_parent=False)
    assert on_path(node("a"), node("b", "a"), broken, node("d", "c")) == ["a", "b", "c", "d", "!"]


def test_the_first_record_needs_no_parent() -> None:
    assert on_path(HEADER, node("a", has_parent=False), node("b", "a")) == ["s", "a", "b"]


def test_a_missing_parent_off_the_path_is_no_finding() -> None:
    assert on_path(node("a"), node("b", has_parent=False), node("c", "a")) == ["a", "c"]


def test_records_without_ids_are_chained_by_order() -> None:
    bare = node(None, has_parent=False)
    assert on_path(HEADER, bare, bare) == ["s", "-", "-"]


def test_records_without_ids_in_a_tree_break_no_branch() -> None:
    bare = node(None, has_parent=False)
    entries = (bare, node("a"), bare, node("b", "a"), node("c", "a"), bare)
    assert on_path(*entries) == ["-", "a", "-", "c", "-"]


def test_a_leaf_record_moves_the_tip() -> None:
    assert on_path(node("a"), node("b", "a"), node("c", "b"), leaf("a")) == ["a", "leaf"]


def test_a_leaf_record_that_was_written_past_is_history() -> None:
    entries = (node("a"), node("b", "a"), leaf("a"), node("c", "b"))
    assert on_path(*entries) == ["a", "b", "leaf", "c"]


def test_a_record_may_hang_on_a_leaf_record() -> None:
    entries = (node("a"), node("b", "a"), leaf("a"), node("c", "leaf"))
    assert on_path(*entries) == ["a", "leaf", "c"]


def test_a_leaf_record_without_target_changes_nothing() -> None:
    assert on_path(node("a"), node("b", "a"), leaf(None)) == ["a", "b", "leaf"]


def test_a_leaf_target_that_does_not_exist_changes_nothing() -> None:
    assert on_path(node("a"), node("b", "a"), leaf("gone")) == ["a", "b", "leaf", "!"]


def test_a_parent_that_does_not_exist_is_the_record_before() -> None:
    entries = (node("a"), node("b", "a"), node("x", "a"), node("c", "gone"), node("d", "c"))
    assert on_path(*entries) == ["a", "x", "c", "d", "!"]


def test_a_cut_file_begins_without_its_parent_and_has_no_gap() -> None:
    assert on_path(node("c", "gone"), node("d", "c")) == ["c", "d"]


def test_several_missing_parents_are_each_bridged() -> None:
    entries = (node("a"), node("b", "gone1"), node("c", "gone2"), node("d", "gone3"))
    assert on_path(*entries) == ["a", "b", "c", "d", "!"]


def test_a_parent_is_still_found_behind_a_bridge() -> None:
    entries = (node("a"), node("x", "a"), node("b", "a"), node("c", "gone"))
    assert on_path(*entries) == ["a", "b", "c", "!"]


def test_a_circle_ends() -> None:
    assert on_path(node("a", "b"), node("b", "a")) == ["a", "b"]
    assert on_path(node("a"), node("b", "b")) == ["a", "b", "!"]


def test_an_id_used_twice_is_taken_once() -> None:
    entries = (node("a"), node("b", "a"), node("b", "a"), node("c", "b"))
    flags, _ = active_flags([replace(one, position=n) for n, one in enumerate(entries)])
    assert flags == [True, False, True, True]


def test_a_damaged_record_with_a_readable_id_holds_the_chain() -> None:
    damaged = Entry(EntryKind.DAMAGED, id="b", parent_id="a", has_parent=True)
    assert on_path(node("x"), node("a"), damaged, node("c", "b")) == ["a", "b", "c"]


def test_damage_met_while_a_parent_is_sought_is_remembered() -> None:
    path = ActivePath()
    path.offer(node("c", "b"))
    assert not path.saw_damage
    path.offer(Entry(EntryKind.DAMAGED))
    assert path.saw_damage


def test_a_line_in_progress_is_not_the_tip() -> None:
    progress = Entry(EntryKind.IN_PROGRESS)
    assert on_path(node("a"), node("b", "a"), progress) == ["a", "b", "-"]


def reference(entries: list[Entry]) -> tuple[list[bool], bool]:
    """Walk the whole tree from its tip: the plain reading of the format's rules."""
    nodes = [n for n, one in enumerate(entries) if one.id is not None and one.kind in TREE]
    flags = [one.id is None or one.kind not in TREE for one in entries]
    has_gap = False
    place = tip(entries, nodes)
    while place is not None:
        flags[place] = True
        older = [n for n in nodes if n < place]
        place, broke = parent_of(entries, place, older)
        has_gap |= broke
    return flags, has_gap


TREE = (EntryKind.MESSAGE, EntryKind.DAMAGED)


def tip(entries: list[Entry], nodes: list[int]) -> int | None:
    return nodes[-1] if nodes else None


def parent_of(entries: list[Entry], place: int, older: list[int]) -> tuple[int | None, bool]:
    """Return the nearest older record with the parent's id; the one before when there is none."""
    entry = entries[place]
    if entry.parent_id is None and entry.has_parent:
        return None, False
    found = [n for n in older if entries[n].id == entry.parent_id and entry.parent_id != entry.id]
    if found and entry.parent_id is not None:
        return found[-1], False
    return (older[-1], True) if older else (None, False)


records = st.builds(
    Entry,
    kind=st.sampled_from([*TREE, EntryKind.MESSAGE, EntryKind.MESSAGE, EntryKind.SESSION]),
    id=st.sampled_from(["a", "b", "c", "d", "e", "f", None]),
    parent_id=st.sampled_from(["a", "b", "c", "d", "e", "gone"]),
    has_parent=st.just(True),
)
roots = st.builds(
    Entry,
    kind=st.just(EntryKind.MESSAGE),
    id=st.sampled_from(["a", "b", "c", "d"]),
    has_parent=st.booleans(),
)


@given(st.lists(records | records | roots, max_size=14))
@example([node("a", has_parent=False), node("a", "b"), node("b", has_parent=False), node("a", "c")])
def test_streaming_agrees_with_the_whole_tree(entries: list[Entry]) -> None:
    placed = [replace(entry, position=place) for place, entry in enumerate(entries)]
    assert active_flags(placed) == reference(placed)


chains = st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=30)


@given(chains)
def test_a_sound_tree_is_walked_without_a_second_look(links: list[tuple[int, bool]]) -> None:
    entries = [
        Entry(
            EntryKind.MESSAGE,
            id=str(n),
            parent_id=None if n == 0 else str(n - 1 if straight else back % n),
            has_parent=True,
            position=n,
        )
        for n, (back, straight) in enumerate(links)
    ]
    path = ActivePath()
    flags = [path.offer(entry) for entry in reversed(entries)]
    assert not path.is_lost
    assert flags[::-1] == reference(entries)[0]


@pytest.mark.parametrize("count", [2_000])
def test_many_missing_parents_take_linear_time(count: int) -> None:
    entries = [replace(node(f"{n}", f"gone{n}"), position=n) for n in range(count)]
    flags, has_gap = active_flags(entries)
    assert all(flags)
    assert has_gap
