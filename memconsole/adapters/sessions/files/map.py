"""Reads `sessions.json`, the file-era store: session key to entry.

Entries are heavy, and a store may be hand-edited, half written or written by a newer release. So
plain JSON is decoded in one go for the few fields that are used; what fails there is tried entry
by entry, and one bad entry never costs the others.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING

import msgspec

from memconsole.adapters.sessions.entry_fields import EntryFields, decode_entry
from memconsole.adapters.transcripts.sources import open_file
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

MAX_STORE_BYTES = 512 * 1024 * 1024
"""A larger file is no session store of any release."""


class _FileEntry(EntryFields, frozen=True, rename="camel"):
    usage_family_session_ids: tuple[str, ...] = ()


class _Family(msgspec.Struct, frozen=True, rename="camel"):
    usage_family_session_ids: tuple[str, ...] = ()


_WHOLE = msgspec.json.Decoder(dict[str, _FileEntry])
_PIECES = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FAMILY = msgspec.json.Decoder(_Family)


@dataclass(frozen=True, slots=True)
class SessionMap:
    """What the store holds.

    Attributes:
        entries: By session key, in the order of the file.
        earlier: Key by the session ids that it had before, where a release notes them.
        damaged: Keys of entries that are no objects.
    """

    entries: Mapping[str, EntryFields] = field(default_factory=dict)
    earlier: Mapping[str, str] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


def read_session_map(path: Path, decode_json5: Callable[[bytes], object] | None) -> SessionMap:
    """Read the store.

    Args:
        path: `sessions.json`; must exist.
        decode_json5: Reads what is no plain JSON, raising ValueError; None when nothing does.

    Raises:
        StoreError: It cannot be opened, or holds no object.
    """
    data = _bytes_of(path)
    if not data.strip(b" \t\r\n\0"):
        raise StoreError(one_line(f"{path} is empty ({len(data)} bytes)"))
    try:
        entries = _WHOLE.decode(data)
    except (ValueError, RecursionError):
        return _sorted_out(_pieces(data, path, decode_json5))
    families = ((key, one.usage_family_session_ids) for key, one in entries.items())
    return SessionMap(entries, _by_id(families))


def read_entry(
    path: Path, key: str, decode_json5: Callable[[bytes], object] | None
) -> bytes | msgspec.Raw | None:
    """Return one entry undecoded; None where the store has none of that key.

    Raises:
        StoreError: It cannot be opened, or holds no object.
    """
    return _pieces(_bytes_of(path), path, decode_json5).get(key)


def _bytes_of(path: Path) -> bytes:
    with open_file(path) as file:
        if file.size > MAX_STORE_BYTES:
            raise StoreError(one_line(f"{path} is larger than {MAX_STORE_BYTES} bytes"))
        return file.read_at(0, file.size)


def _pieces(
    data: bytes, path: Path, decode_json5: Callable[[bytes], object] | None
) -> Mapping[str, bytes | msgspec.Raw]:
    """Return the entries undecoded, by key.

    Raises:
        StoreError: It holds no object.
    """
    try:
        return _PIECES.decode(data)
    except (ValueError, RecursionError):
        pass
    root = _loosely(data, decode_json5)
    if root is None:
        raise StoreError(one_line(f"{path} is cut off or damaged"))
    if not isinstance(root, dict):
        raise StoreError(one_line(f"{path} holds no object"))
    return {_text(key): _encode(value) for key, value in root.items()}


def _loosely(data: bytes, decode_json5: Callable[[bytes], object] | None) -> object:
    """Decode with odd escapes, bytes that are no UTF-8, comments; None when nothing helps."""
    try:
        return json.loads(data.decode(json.detect_encoding(data), "replace"))
    except (ValueError, RecursionError):
        pass
    try:
        return None if decode_json5 is None else decode_json5(data)
    except (ValueError, RecursionError):
        return None


def _sorted_out(pieces: Mapping[str, bytes | msgspec.Raw]) -> SessionMap:
    decoded = {key: decode_entry(raw) for key, raw in pieces.items()}
    entries = {key: fields for key, fields in decoded.items() if fields is not None}
    families = ((key, _family(pieces[key])) for key in entries)
    damaged = tuple(key for key in decoded if key not in entries)
    return SessionMap(entries, _by_id(families), damaged)


def _family(raw: bytes | msgspec.Raw) -> tuple[str, ...]:
    try:
        return _FAMILY.decode(raw).usage_family_session_ids
    except (ValueError, RecursionError):
        return ()


def _by_id(families: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, str]:
    return {session_id: key for key, ids in families for session_id in ids}


def _encode(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a surrogate pair, cut by somebody
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _text(key: object) -> str:
    return str(key).encode("utf-8", "replace").decode()
