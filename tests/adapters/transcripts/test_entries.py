"""Records of every release as entries; whatever is damaged costs one line and no more."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.transcripts.entries import (
    entries_backward,
    entries_forward,
    in_time,
    parse_line,
    read_line,
)
from memconsole.adapters.transcripts.lines import RawLine, lines_backward, lines_forward
from memconsole.domain.transcripts.records import (
    Attachment,
    Compaction,
    Entry,
    EntryKind,
    ToolUse,
    Usage,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FixtureHome

AT = datetime(2026, 4, 12, 7, 0, 20, tzinfo=UTC)
STAMP = "2026-04-12T07:00:20.000Z"
MS = int(AT.timestamp() * 1000)


def line(**record: Any) -> bytes:
    return json.dumps(record).encode()


def parsed(**record: Any) -> Entry:
    entry = parse_line(line(**record))
    assert entry is not None
    return entry


def message(**fields: Any) -> Entry:
    return parsed(type="message", id="b", parentId="a", timestamp=STAMP, message=fields)


def test_a_message_of_blocks() -> None:
    data = line(
        type="message",
        id="b",
        parentId="a",
        timestamp=STAMP,
        message={
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hmm, well"},
                {"type": "text", "text": "one"},
                {"type": "toolCall", "name": "read", "arguments": {"path": "a/b.md"}},
                {"type": "text", "text": "two"},
            ],
            "model": "m1",
            "usage": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 9},
        },
    )
    assert parse_line(data, position=77) == Entry(
        EntryKind.MESSAGE,
        id="b",
        parent_id="a",
        has_parent=True,
        at=AT,
        role="assistant",
        text="one\ntwo",
        thinking_chars=9,
        tools=(ToolUse("read", len('{"path": "a/b.md"}'), is_result=False, path="a/b.md"),),
        usage=Usage(1, 2, 3, 4, 9),
        model="m1",
        position=77,
        size_bytes=len(data),
    )


def test_a_message_whose_content_is_a_string() -> None:
    assert message(role="user", content="hello").text == "hello"


def test_a_flat_record() -> None:
    entry = parsed(role="user", content=[{"type": "text", "text": "hi"}], timestamp=MS)
    assert (entry.kind, entry.role, entry.text, entry.at) == (EntryKind.MESSAGE, "user", "hi", AT)
    assert (entry.id, entry.has_parent) == (None, False)


def test_a_message_without_a_type() -> None:
    entry = parsed(message={"role": "user", "content": "hi"})
    assert (entry.kind, entry.text) == (EntryKind.MESSAGE, "hi")


def test_a_flat_record_with_tool_traffic() -> None:
    call = parsed(
        role="assistant", tool_call={"name": "read", "arguments": {"file_path": "x/y.py"}}
    )
    assert call.tools == (ToolUse("read", 23, is_result=False, path="x/y.py"),)
    result = parsed(role="tool", name="read", tool_result="12345")
    assert (result.role, result.tools) == ("toolResult", (ToolUse("read", 5, is_result=True),))


def test_a_root_says_null_and_an_old_reply_says_nothing() -> None:
    root = parsed(type="message", id="a", parentId=None, message={"role": "user", "content": "x"})
    old = parsed(type="message", id="a", message={"role": "user", "content": "x"})
    assert (root.parent_id, root.has_parent) == (None, True)
    assert (old.parent_id, old.has_parent) == (None, False)


def test_a_tool_result_counts_its_characters_and_keeps_no_text() -> None:
    entry = message(
        role="toolResult",
        toolName="exec",
        content=[{"type": "text", "text": "12345"}, {"type": "text", "text": "é"}],
    )
    assert (entry.text, entry.tools) == ("", (ToolUse("exec", 6, is_result=True),))


@pytest.mark.parametrize("kind", ["toolCall", "tool_use", "tool_call", "functionCall"])
def test_calls_by_other_names(kind: str) -> None:
    entry = message(
        role="assistant", content=[{"type": kind, "name": "ls", "input": {"file": "f"}}]
    )
    assert entry.tools == (ToolUse("ls", 13, is_result=False, path="f"),)


def test_a_result_block_inside_a_message() -> None:
    entry = message(role="user", content=[{"type": "tool_result", "content": "1234"}])
    assert entry.tools == (ToolUse("", 4, is_result=True),)


def test_a_deferred_tool_goes_by_its_own_name() -> None:
    arguments = {"id": "memory_search", "args": {"path": "m.md"}}
    call = {"type": "toolCall", "name": "tool_call", "arguments": arguments}
    [tool] = message(role="assistant", content=[call]).tools
    assert (tool.name, tool.path) == ("memory_search", "m.md")


@pytest.mark.parametrize("arguments", [None, 5, "text", [1], {"path": 5}])
def test_arguments_of_any_shape(arguments: object) -> None:
    call = {"type": "toolCall", "name": "x", "arguments": arguments}
    [tool] = message(role="assistant", content=[call]).tools
    assert (tool.name, tool.path) == ("x", None)


def test_a_shell_command_is_tool_traffic() -> None:
    entry = message(role="bashExecution", command="uptime", output="up 3 days")
    assert (entry.text, entry.tools) == ("", (ToolUse("bashExecution", 15, is_result=True),))


@pytest.mark.parametrize(
    ("block", "attachment"),
    [
        (
            {"type": "image", "data": "QUJD", "mimeType": "image/png"},
            Attachment("image/png", 4),
        ),
        ({"type": "image", "data": "QUJD"}, Attachment("image", 4)),
        ({"data": "QUJD"}, Attachment("application/octet-stream", 4)),
        (
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/gif", "data": "QQ=="},
            },
            Attachment("image/gif", 4),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/webp;base64,QUJDRA=="}},
            Attachment("image/webp", 8),
        ),
        (
            {"type": "image_url", "image_url": "data:image/webp;base64,QUJDRA=="},
            Attachment("image/webp", 8),
        ),
    ],
)
def test_pictures_are_notes(block: dict[str, object], attachment: Attachment) -> None:
    entry = message(role="user", content=[{"type": "text", "text": "look"}, block])
    assert (entry.text, entry.attachments) == ("look", (attachment,))


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "image_url", "image_url": 5},
        {"type": "image", "source": {"type": "url", "url": "https://example.com"}},
        {"type": "image", "source": "x"},
        {"type": "unknown"},
        {},
    ],
)
def test_links_and_unknown_blocks_are_no_pictures(block: dict[str, object]) -> None:
    assert message(role="user", content=[block]).attachments == ()


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        ({"input": 5, "output": 2, "cacheRead": 10, "totalTokens": 99}, 99),
        ({"input": 5, "output": 2, "cacheRead": 10}, 17),
        ({"input": 5, "totalTokens": 0}, 5),
        ({}, 0),
        ({"totalTokens": -4, "input": -1}, 0),
        ({"totalTokens": 1e300}, 0),
        ({"totalTokens": "99", "input": 5}, 5),
        ({"totalTokens": True, "input": 5}, 5),
        ({"totalTokens": 64210.0}, 64210),
    ],
)
def test_usage_with_missing_or_impossible_keys(usage: dict[str, object], total: int) -> None:
    found = message(role="assistant", content=[], usage=usage).usage
    assert found is not None
    assert found.total == total


def test_no_usage_is_none() -> None:
    assert message(role="assistant", content="x").usage is None
    assert message(role="assistant", content="x", usage="none").usage is None


@pytest.mark.parametrize(
    ("outer", "inner", "at"),
    [
        (STAMP, 0, AT),
        ("2026-04-12T09:00:20+02:00", None, AT),
        ("2026-04-12 07:00:20", None, AT),
        (MS, None, AT),
        (None, MS, AT),
        ("rubbish", MS, AT),
        (None, 0, None),
        (None, -5, None),
        (None, 10**30, None),
        (None, MS // 1000, AT),
        ("1999-01-01T00:00:00Z", MS, AT),
        ("9999-12-31T23:59:59Z", None, datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None, None),
        (True, None, None),
        ([], {}, None),
    ],
)
def test_times(outer: object, inner: object, at: datetime | None) -> None:
    record = line(type="message", timestamp=outer, message={"role": "user", "timestamp": inner})
    entry = parse_line(record)
    assert entry is not None
    assert entry.at == at
    assert at is None or (entry.at is not None and entry.at.tzinfo is UTC)


def test_a_time_of_before_the_platform_is_none_and_says_so() -> None:
    entry = parsed(type="message", timestamp="2009-01-01T00:00:00Z", message={"role": "user"})

    assert (entry.at, entry.odd_time) == (None, "clock-skew")
    assert parsed(type="message", message={"role": "user"}).odd_time == ""


def test_a_time_ahead_of_the_clock_is_now() -> None:
    entries = [Entry(EntryKind.MESSAGE, at=AT + timedelta(minutes=step)) for step in (0, 5, 6)]

    found = [(one.at, one.odd_time) for one in in_time(entries, lambda: AT)]

    assert found == [(AT, ""), (AT + timedelta(minutes=5), ""), (AT, "future-timestamp")]


@pytest.mark.parametrize(
    "fields",
    [
        {"stopReason": "injected"},
        {"provider": "openclaw", "model": "gateway-injected", "stopReason": "stop"},
        {"provider": "openclaw", "model": "delivery-mirror", "stopReason": "stop"},
        {"provenance": {"kind": "inter_session", "sourceTool": "subagent_announce"}},
        {"provenance": {"kind": "internal_system"}},
    ],
)
def test_injected_messages_of_each_release(fields: dict[str, object]) -> None:
    assert message(role="assistant", content="x", **fields).is_injected


@pytest.mark.parametrize(
    "fields", [{}, {"provenance": {"kind": "external_user"}}, {"provenance": 5}]
)
def test_other_messages_are_talk(fields: dict[str, object]) -> None:
    assert not message(role="user", content="x", **fields).is_injected


def test_compactions() -> None:
    entry = parsed(
        type="compaction",
        id="c",
        parentId="b",
        timestamp=STAMP,
        summary="## Goal",
        firstKeptEntryId="b",
        tokensBefore=187205,
        tokensAfter=13708,
        fromHook=True,
        durationMs=5200.7,
    )
    assert entry.kind is EntryKind.COMPACTION
    assert entry.compaction == Compaction("## Goal", 187205, 13708, "b", True, 5200)


def test_a_compaction_of_version_1() -> None:
    entry = parsed(type="compaction", summary=None, firstKeptEntryIndex=2, tokensBefore=12)
    assert entry.compaction == Compaction("", tokens_before=12)


def test_resets_leaves_headers_and_the_unknown() -> None:
    assert parsed(type="reset", id="r", parentId="b", reason="new").reason == "new"
    leaf = parsed(type="leaf", id="l", parentId="b", targetId="a")
    assert (leaf.kind, leaf.target_id) == (EntryKind.LEAF, "a")
    assert parsed(type="session", version=4, id="s").kind is EntryKind.SESSION
    for kind in ("custom", "custom_message", "label", "model_change", "branch_summary"):
        assert parsed(type=kind, id="x", content="context", data={"a": 1}).kind is EntryKind.OTHER
    assert parsed(type="future_kind", id="x").kind is EntryKind.UNKNOWN
    assert parsed(type=5, id="x").kind is EntryKind.UNKNOWN
    assert parsed(anything=1).kind is EntryKind.UNKNOWN


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b'"text"',
        b"5",
        b'{"a":1} x',
        b"\0\0",
        b"[" * 100_000,
        b"9" * 5_000,
    ],
)
def test_what_is_no_object_is_undecodable(data: bytes) -> None:
    assert parse_line(data) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"role":"user","content":"bad \xff byte"}', "bad � byte"),
        (b'{"role":"user","content":"lone \\ud83d"}', "lone \ufffd"),
        (b'{"role":"user","content":"raw \x01 control"}', "raw \x01 control"),
        (b'{"role":"user","content":[{"text":"a"},5,{"text":"b","type":7}]}', "a\nb"),
        (b'{"role":"user","content":"x","usage":{"input":NaN}}', "x"),
        (b'{"role":"user","content":"x","timestamp":123456789012345678901234567890}', "x"),
        (b'{"type":"message","message":{"role":"user","content":"x","model":5}}', "x"),
    ],
)
def test_a_line_that_is_not_quite_right_is_still_read(data: bytes, text: str) -> None:
    entry = parse_line(data)
    assert entry is not None
    assert (entry.role, entry.text) == ("user", text)


def test_wrong_types_cost_their_field_only() -> None:
    entry = parsed(
        type="message",
        id="b",
        parentId="a",
        timestamp=STAMP,
        reason=5,
        message={
            "role": "assistant",
            "model": ["m"],
            "stopReason": "injected",
            "usage": {"input": 5, "totalTokens": None},
            "tool_call": {"name": "ls", "arguments": {}},
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "image", "data": "QUJD", "mimeType": "image/png"},
                {"type": "toolCall", "name": "read", "arguments": {"path": "p"}},
            ],
        },
    )
    assert (entry.id, entry.parent_id, entry.has_parent, entry.at) == ("b", "a", True, AT)
    assert (entry.model, entry.is_injected, entry.thinking_chars) == (None, True, 2)
    assert entry.attachments == (Attachment("image/png", 4),)
    assert [(tool.name, tool.path) for tool in entry.tools] == [("read", "p"), ("ls", None)]
    assert entry.usage == Usage(input=5, total=5)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = (
    *("type", "id", "parentId", "timestamp", "message", "role", "content", "usage", "provider"),
    *("model", "stopReason", "provenance", "summary", "tokensBefore", "targetId", "tool_call"),
    *("text", "thinking", "data", "mimeType", "source", "image_url", "arguments", "name", "input"),
)
shapes = st.recursive(
    json_values
    | st.sampled_from(
        ["message", "session", "compaction", "user", "assistant", "image", "toolCall"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(NAMES), shapes, max_size=8))
def test_any_object_is_an_entry(record: dict[str, object]) -> None:
    entry = parse_line(json.dumps(record).encode())
    assert entry is not None
    assert entry.at is None or entry.at.tzinfo is UTC
    assert entry.usage is None or entry.usage.total >= 0


@given(st.binary(max_size=80) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_an_entry_or_damage(data: bytes) -> None:
    entries = read_line(RawLine(data, 0, is_complete=True, size=len(data) + 1))
    assert entries
    assert sum(entry.size_bytes for entry in entries) == len(data) + 1


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("truncated-last-line", {"message": 12, "other": 4, "session": 1, "in-progress": 1}),
        ("no-final-newline", {"message": 12, "other": 4, "session": 1, "in-progress": 1}),
        ("corrupt-middle-line", {"message": 13, "other": 4, "session": 1, "damaged": 1}),
        ("simplified-format", {"message": 4}),
        ("v1-header-no-ids", {"session": 1, "message": 2, "compaction": 1}),
        (
            "all-entry-kinds",
            {"session": 1, "message": 8, "compaction": 2, "other": 7, "unknown": 1},
        ),
    ],
)
def test_variants_of_the_first_release(shared: Path, name: str, kinds: dict[str, int]) -> None:
    path = shared / "fixtures/clawdbot-2026.1/variants" / f"{name}.jsonl"
    entries = list(entries_forward(lines_forward(path)))
    assert list(entries_backward(lines_backward(path, 1 << 30))) == entries[::-1]
    found: dict[str, int] = {}
    for entry in entries:
        found[entry.kind] = found.get(entry.kind, 0) + 1
    assert found == kinds


@pytest.mark.shared
@pytest.mark.parametrize("release", ["clawdbot-2026.1", "openclaw-2026.3", "openclaw-2026.7"])
def test_no_line_of_a_real_home_is_damaged(fixture_home: FixtureHome, release: str) -> None:
    paths = sorted(fixture_home(release).glob("agents/*/sessions/*.jsonl"))
    assert paths
    for path in paths:
        for entry in entries_forward(lines_forward(path)):
            assert entry.kind not in (EntryKind.DAMAGED, EntryKind.IN_PROGRESS)
            assert entry.at is not None
            assert entry.kind is EntryKind.SESSION or entry.id is not None
