"""`sessions.json`: fast when it is sound, patient when it is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memconsole.adapters.platform.config.json5_file import decode_json5
from memconsole.adapters.sessions.files.map import MAX_STORE_BYTES, SessionMap, read_session_map
from memconsole.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "sessions.json"


def read(path: Path, data: bytes) -> SessionMap:
    path.write_bytes(data)
    return read_session_map(path, decode_json5)


def ids(found: SessionMap) -> dict[str, str | None]:
    return {key: fields.session_id for key, fields in found.entries.items()}


def test_one_bad_entry_never_costs_the_others(path: Path) -> None:
    found = read(path, b'{"a": {"sessionId": "1"}, "b": 7, "c": null, "d": {"sessionId": "4"}}')

    assert ids(found) == {"a": "1", "d": "4"}
    assert found.damaged == ("b", "c")


def test_one_bad_field_never_costs_the_others(path: Path) -> None:
    entry = {"sessionId": "1", "updatedAt": "noon", "totalTokens": [5], "label": 7, "model": "m"}

    found = read(path, json.dumps({"a": entry}).encode())

    fields = found.entries["a"]
    assert (fields.session_id, fields.model) == ("1", "m")
    assert (fields.updated_at, fields.total_tokens, fields.label) == ("noon", None, None)


@pytest.mark.parametrize(
    "data",
    [
        b"// mine\n{a: {sessionId: '1',},}",
        b'\xef\xbb\xbf{"a": {"sessionId": "1"}}',
        '{"a": {"sessionId": "1"}}'.encode("utf-16"),
        b'{"a": {"sessionId": "1", "label": "\xff"}}',
        b'{"a": {"sessionId": "1", "label": "\\ud800"}}',
        b'{"a": {"sessionId": "1", "totalTokens": NaN}}',
        b'{"a": {"sessionId": "1", "totalTokens": 1e999}}',
        b'{"a": {"sessionId": "0"}, "a": {"sessionId": "1"}}',
    ],
)
def test_what_people_and_editors_do_to_it(path: Path, data: bytes) -> None:
    assert ids(read(path, data)) == {"a": "1"}


def test_half_a_surrogate_pair_in_a_key_becomes_text(path: Path) -> None:
    [key] = read(path, b'{"a\\ud800": {"sessionId": "1"}}').entries

    assert key == "a?"


def test_earlier_ids_of_a_key(path: Path) -> None:
    sound = b'{"a": {"usageFamilySessionIds": ["x", "y"]}, "b": {"usageFamilySessionIds": ["z"]}}'
    odd = b'{"a": {"usageFamilySessionIds": ["x"]}, "b": {"usageFamilySessionIds": 7}, "c": 1}'

    assert read(path, sound).earlier == {"x": "a", "y": "a", "z": "b"}
    assert read(path, odd).earlier == {"x": "a"}


def test_without_a_json5_reader_it_is_damaged(path: Path) -> None:
    path.write_bytes(b"{a: {}}")

    with pytest.raises(StoreError, match="is cut off or damaged"):
        read_session_map(path, None)


def test_a_huge_file_is_no_store(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_STORE_BYTES + 1)

    with pytest.raises(StoreError, match="is larger than"):
        read_session_map(path, None)


def test_deep_nesting_is_no_crash(path: Path) -> None:
    deep = b"[" * 5000 + b"]" * 5000

    with pytest.raises(StoreError, match="is cut off or damaged"):
        read(path, b'{"a": {"sessionId": "1", "junk": ' + deep + b"}}")


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMES = st.sampled_from(["sessionId", "totalTokens", "updatedAt", "label", "hasActiveRun", "junk"])
ENTRIES = st.dictionaries(NAMES, VALUES | st.lists(VALUES, max_size=2), max_size=4)


@given(st.dictionaries(st.text(max_size=5), VALUES | ENTRIES, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_entry_is_read_or_counted(path: Path, store: dict[str, object]) -> None:
    found = read(path, json.dumps(store).encode())

    assert len(found.entries) + len(found.damaged) == len(store)
    assert len(found.damaged) == sum(not isinstance(value, dict) for value in store.values())


@given(st.binary())
@example(b'{"a": {"sessionId": "1"}')
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_store_or_say_that_they_are_none(path: Path, data: bytes) -> None:
    try:
        found = read(path, data)
    except StoreError as error:
        found = SessionMap()
        message = str(error)
    else:
        message = ""

    assert bool(message) != data.lstrip().startswith(b"{") or not found.entries
    assert "\n" not in message
