"""Damaged, glued and giant lines: each costs itself and nothing around it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.transcripts.entries import parse_line, read_line
from memconsole.adapters.transcripts.lines import RawLine
from memconsole.adapters.transcripts.reduce import LineReducer
from memconsole.domain.transcripts.records import Entry, EntryKind, ToolUse


def line(**record: Any) -> bytes:
    return json.dumps(record).encode()


SECOND = line(type="message", id="c", parentId="b", message={"role": "user", "content": "second"})
FIRST = line(type="message", id="b", parentId="a", message={"role": "user", "content": "first"})


def of_line(data: bytes) -> tuple[Entry, ...]:
    return read_line(RawLine(data, 100, is_complete=True, size=len(data) + 1))


def test_a_record_glued_to_a_cut_one_is_recovered() -> None:
    damaged, recovered = of_line(FIRST[:-10] + SECOND)
    assert (damaged.kind, damaged.id, damaged.parent_id) == (EntryKind.DAMAGED, "b", "a")
    assert (recovered.id, recovered.text) == ("c", "second")
    assert recovered.position == 100 + len(FIRST) - 10
    assert (damaged.size_bytes, recovered.size_bytes) == (len(FIRST) - 10 + len(SECOND) + 1, 0)


def test_two_whole_records_on_one_line_are_both_recovered() -> None:
    damaged, first, second = of_line(FIRST + SECOND)
    assert (damaged.kind, damaged.id) == (EntryKind.DAMAGED, None)
    assert (first.text, second.text) == ("first", "second")


def test_a_whole_record_before_a_cut_one_is_recovered() -> None:
    damaged, first = of_line(FIRST + SECOND[:-3])
    assert damaged.kind is EntryKind.DAMAGED
    assert first.text == "first"


def test_a_record_inside_of_a_record_is_not_recovered() -> None:
    outer = line(type="custom", id="o", data={"type": "message", "id": "inner"})
    _, *recovered = of_line(outer + FIRST)
    assert [entry.id for entry in recovered] == ["o", "b"]


def test_a_part_of_a_record_is_no_record() -> None:
    [damaged] = of_line(
        b'{"type":"message","id":"b","message":{"content":[{"type":"text","text":"x"}'
    )
    assert damaged.kind is EntryKind.DAMAGED


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (b'{"type":"message","id":"b","parentId":"a","mess', ("b", "a", True)),
        (b'{"type": "message", "id": "b", "parentId": null, "mess', ("b", None, True)),
        (b'{"type":"message","id":"b","par', ("b", None, False)),
        (b'{"type":"message","i', (None, None, False)),
        (b"", (None, None, False)),
    ],
)
def test_a_damaged_line_keeps_its_place_in_the_chain(
    data: bytes, ids: tuple[str | None, str | None, bool]
) -> None:
    [entry] = of_line(data)
    assert (entry.id, entry.parent_id, entry.has_parent) == ids


def test_a_line_in_progress_is_not_decoded() -> None:
    [entry] = read_line(RawLine(FIRST, 7, is_complete=False, size=len(FIRST)))
    assert entry == Entry(EntryKind.IN_PROGRESS, position=7, size_bytes=len(FIRST))


def test_a_reduced_line_tells_the_sizes_it_had() -> None:
    picture, log = "QUJD" * 2_000, "word " * 3_000
    data = line(
        type="message",
        id="b",
        message={
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image", "data": picture, "mimeType": "image/png"},
                {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{picture}"}},
                {"type": "toolCall", "name": "x", "arguments": {"text": log}},
                {"type": "thinking", "thinking": log},
                {"type": "text", "text": log},
            ],
        },
    )
    reducer = LineReducer(string_limit=5_000)
    reducer.feed(data)
    reduced = reducer.line()
    assert len(reduced) < len(data) // 3
    entry, whole = parse_line(reduced), parse_line(data)
    assert entry is not None
    assert whole is not None
    assert entry.attachments == whole.attachments
    assert entry.thinking_chars == whole.thinking_chars
    assert entry.tools == whole.tools
    assert entry.text.startswith("look\nword word")
    assert entry.text.endswith("…")


def test_a_reduced_tool_result_counts_all_characters() -> None:
    log = "word " * 3_000
    data = line(type="message", message={"role": "toolResult", "toolName": "x", "content": log})
    reducer = LineReducer(string_limit=5_000)
    reducer.feed(data)
    entry = parse_line(reducer.line())
    assert entry is not None
    assert entry.tools == (ToolUse("x", len(log), is_result=True),)


@given(st.text(min_size=1, max_size=20), st.data())
def test_a_line_cut_short_is_damaged(text: str, data: st.DataObject) -> None:
    whole = line(type="message", id="b", parentId="a", message={"role": "user", "content": text})
    cut = data.draw(st.integers(min_value=1, max_value=len(whole) - 1))
    [entry] = read_line(RawLine(whole[:cut], 0, is_complete=True, size=cut + 1))
    assert entry.kind is EntryKind.DAMAGED
