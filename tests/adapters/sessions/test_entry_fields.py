"""Session entries decoded: only what is needed, and one bad field costs nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.sessions.entry_fields import (
    EntryFields,
    decode_entry,
    decode_report,
    whole,
)
from memconsole.domain.sessions.composition import LoadedFile
from memconsole.domain.sessions.stored import TranscriptState
from memconsole.text.timestamps import NO_TIME, moment

POINTS = [
    {"checkpointId": "a", "createdAt": 1795815781519, "tokensBefore": 21734, "summary": "s" * 99},
    {"checkpointId": "b", "createdAt": 1795815790000, "tokensBefore": -1},
    {"checkpointId": "c"},
]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def test_places_before_compactions_come_newest_first() -> None:
    found = decode_entry(json.dumps({"compactionCheckpoints": POINTS}).encode())
    assert found is not None
    assert [(one.id, one.tokens) for one in found.points] == [
        ("b", None),
        ("a", 21734),
        ("c", None),
    ]
    odd = decode_entry(json.dumps({"sessionId": "x", "compactionCheckpoints": [{}]}).encode())
    assert odd == EntryFields(session_id="x")


def test_an_entry_is_decoded_without_its_bulk() -> None:
    entry = {
        "sessionId": "a",
        "updatedAt": 1788602480000,
        "totalTokens": 61000,
        "totalTokensFresh": True,
        "skillsSnapshot": {"prompt": "x" * 1000, "sessionId": "not this one"},
    }
    found = decode_entry(json.dumps(entry).encode())
    assert found == EntryFields(
        session_id="a",
        updated_at=1788602480000,
        total_tokens=61000,
        total_tokens_fresh=True,
    )


def test_a_field_of_a_wrong_type_costs_only_itself() -> None:
    entry = {"sessionId": 7, "totalTokens": "many", "label": "Talk", "compactionCount": 2}
    found = decode_entry(json.dumps(entry).encode())
    assert found == EntryFields(label="Talk", compaction_count=2)


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b'"text"', b"{", b"[" * 100_000])
def test_what_is_no_object_is_no_entry(raw: bytes) -> None:
    assert decode_entry(raw) is None


@given(st.dictionaries(st.sampled_from(["sessionId", "totalTokens", "status", "odd"]), JSON))
def test_any_object_is_an_entry(entry: dict[str, object]) -> None:
    found = decode_entry(json.dumps(entry).encode())
    assert found is not None
    for name, value in (("sessionId", found.session_id), ("status", found.status)):
        stored = entry.get(name)
        assert value == (stored if isinstance(stored, str) else None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (61000, 61000),
        (61000.0, 61000),
        (1.5, None),
        (-1, None),
        (True, None),
        (None, None),
        ("5", None),
        (b"5", None),
        (float("inf"), None),
        (2**60, None),
    ],
)
def test_counts(value: float | str | bytes | None, expected: int | None) -> None:
    assert whole(value) == expected


def test_times_are_kept_as_written_also_beside_a_field_of_a_wrong_type() -> None:
    times = b'"updatedAt":"2026-05-02T10:00:00Z","startedAt":[1],"archivedAt":1e400'
    for more in (b"", b',"label":5'):
        entry = decode_entry(b"{" + times + more + b"}")

        assert entry is not None
        assert entry.updated_at == "2026-05-02T10:00:00Z"
        assert moment(entry.started_at) == moment(entry.archived_at) == NO_TIME
        assert entry.label is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (EntryFields(), None),
        (EntryFields(status="running"), True),
        (EntryFields(status="done"), False),
        (EntryFields(has_active_run=True, status="done"), True),
        (EntryFields(has_active_run=False, status="running"), False),
    ],
)
def test_whether_a_run_is_going_on(fields: EntryFields, expected: bool | None) -> None:
    assert fields.is_active is expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (EntryFields(), TranscriptState.NONE),
        (EntryFields(total_tokens=0, compaction_count=0), TranscriptState.NONE),
        (EntryFields(total_tokens=5), TranscriptState.MISSING),
        (EntryFields(compaction_count=1), TranscriptState.MISSING),
    ],
)
def test_what_a_missing_transcript_means(fields: EntryFields, expected: TranscriptState) -> None:
    assert fields.absent_transcript is expected


NOTED = {
    "source": "run",
    "generatedAt": 1_769_433_000_000,
    "systemPrompt": {
        "chars": 30_000,
        "projectContextChars": 18_500,
        "nonProjectContextChars": 12_000,
    },
    "injectedWorkspaceFiles": [
        {"name": "AGENTS.md", "rawChars": 4_000, "injectedChars": 4_000, "truncated": False},
        {"name": "MEMORY.md", "rawChars": 30_000, "injectedChars": 14_000, "truncated": True},
        {"name": "HEARTBEAT.md", "missing": True, "rawChars": 0, "injectedChars": 40},
    ],
    "skills": {"promptChars": 2_000, "entries": [{"name": "x", "blockChars": 2_000}]},
    "tools": {"listChars": 1_000, "schemaChars": 9_000, "entries": []},
}


def test_every_part_of_the_prompt_is_counted_once() -> None:
    found = decode_report(json.dumps({"sessionId": "a", "systemPromptReport": NOTED}).encode())
    assert found is not None
    assert (found.prompt_chars, found.skills_chars, found.tools_chars) == (9_500, 2_000, 10_000)
    assert found.files == (
        LoadedFile("AGENTS.md", 4_000, 4_000),
        LoadedFile("MEMORY.md", 30_000, 14_000),
    )
    assert found.at is not None
    assert found.at.isoformat() == "2026-01-26T13:10:00+00:00"


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"[]",
        b"{}",
        b'{"systemPromptReport": null}',
        b'{"systemPromptReport": []}',
        b"{" * 9_000,
    ],
)
def test_what_cannot_be_read_is_no_report(entry: bytes) -> None:
    assert decode_report(entry) is None


def test_numbers_that_can_be_none_count_as_nought() -> None:
    odd = {**NOTED, "systemPrompt": {"nonProjectContextChars": -5}, "tools": {"schemaChars": 1e300}}
    found = decode_report(json.dumps({"systemPromptReport": odd}).encode())
    assert found is not None
    assert (found.prompt_chars, found.tools_chars) == (0, 0)
