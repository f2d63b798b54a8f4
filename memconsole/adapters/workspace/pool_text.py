"""Reads memory files: decodes them, finds their markers, remembers both until they change."""

from __future__ import annotations

import codecs
import os
import stat
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final

from memconsole.adapters.workspace.pool_files import version_of
from memconsole.domain.memory.files import MAX_READ_BYTES
from memconsole.domain.memory.markers import marked_lines
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.estimate import tokens_in
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.adapters.workspace.pool_files import FoundFile, Version

UNKNOWN: Final = "unknown"
"""Encoding of a text that had to be read with bytes replaced, or was not read."""

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_TELLING_BYTES: Final = 16
"""Fewer bytes below 128 can be letters of Asia."""

_OPEN_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_HEADING: Final = r"(?m)^#{1,6}[ \t]+([^\r\n]+)"
_TITLE_WITHIN: Final = 20_000
_TITLE_CHARS: Final = 200
_PIECE_BYTES: Final = 256 * 1024
_MAX_FILES: Final = 50_000
_MAX_MARKER_CHARS: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class TextFacts:
    """What a pool needs to know of one text.

    Attributes:
        encoding: `utf-8`, `utf-8-sig`, `utf-16`, `utf-32`; `unknown` when bytes were replaced.
        chars: Characters as the platform counts them (UTF-16 units).
        markers: (line from 1, tag, text).
        tokens: Estimated by script, comments left out.
        title: First heading, without its signs; None without one.
    """

    encoding: str
    chars: int
    tokens: int
    markers: tuple[tuple[int, str, str], ...]
    title: str | None = None

    @property
    def weight(self) -> int:
        """Characters of marker text it keeps in memory."""
        return sum(len(text) for _, _, text in self.markers)


def _encoding(data: bytes) -> str:
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return "utf-8" if name == "utf-16" and is_narrow(data[len(mark) :]) else name
    return "utf-8"


def is_narrow(data: bytes) -> bool:
    """Whether bytes behind a mark of UTF-16 are none: ASCII, where every second byte would be 0."""
    return len(data) >= _TELLING_BYTES and data.isascii() and b"\0" not in data


def decode(data: bytes) -> tuple[str, str]:
    """Return (text, encoding): by byte order mark, else UTF-8, else with bytes replaced."""
    encoding = _encoding(data)
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), UNKNOWN


def facts_of(data: bytes, tags: tuple[str, ...] = ()) -> TextFacts:
    """Decode a file's bytes and find its markers, those of further tags too."""
    text, encoding = decode(data)
    chars = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    markers = tuple(marked_lines(text, tags))
    return TextFacts(encoding, chars, tokens_in(text), markers, _title(text))


def _title(text: str) -> str | None:
    found = compiled(_HEADING).search(text, 0, _TITLE_WITHIN)
    return None if found is None else (cut(let_out(one_line(found[1])), _TITLE_CHARS) or None)


class FactsCache:
    """Facts of files as they were read last; an unchanged one is not read again.

    Safe from any thread. One version a file: a scheduler sees thousands of each that changes.
    """

    def __init__(
        self,
        *,
        max_files: int = _MAX_FILES,
        max_chars: int = _MAX_MARKER_CHARS,
        tags: tuple[str, ...] = (),
    ) -> None:
        self.tags = tags
        self._max_files = max_files
        self._max_chars = max_chars
        self._facts: OrderedDict[str, tuple[Version, TextFacts]] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def read(self, file: FoundFile) -> TextFacts:
        """Return the facts of a file of at most `MAX_READ_BYTES` bytes.

        Raises:
            FileNotFoundError: It is gone, or no longer a plain file.
            OSError: It cannot be read.
        """
        with self._lock:
            known = self._facts.get(file.real)
            if known is not None and known[0] == file.version:
                self._facts.move_to_end(file.real)
                return known[1]
        version, data = _read(file.real)
        facts = facts_of(data, self.tags)
        with self._lock:
            self._keep(file.real, version, facts)
        return facts

    def _keep(self, path: str, version: Version, facts: TextFacts) -> None:
        if path in self._facts:
            self._chars -= self._facts.pop(path)[1].weight
        self._facts[path] = version, facts
        self._chars += facts.weight
        while len(self._facts) > self._max_files or self._chars > self._max_chars:
            _, (_, dropped) = self._facts.popitem(last=False)
            self._chars -= dropped.weight


def read_bytes(path: str) -> bytes:
    """Return the first `MAX_READ_BYTES` bytes of a plain file.

    Raises:
        FileNotFoundError: It is gone, or no plain file.
        OSError: It cannot be read.
    """
    return _read(path)[1]


def text_pieces(path: str) -> Iterator[tuple[int, str]]:
    """Yield the text of a plain file of any size, each piece with the line in which it begins.

    Raises:
        FileNotFoundError: It is gone, or no plain file.
        OSError: It cannot be read.
    """
    descriptor = os.open(path, _OPEN_FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileNotFoundError(path)
        data, number = file.read(_PIECE_BYTES), 1
        decoder = codecs.getincrementaldecoder(_encoding(data))("replace")
        while data:
            text = decoder.decode(data)
            yield number, text
            number += text.count("\n")
            data = file.read(_PIECE_BYTES)


def _read(path: str) -> tuple[Version, bytes]:
    """Return the version that was opened, and its bytes."""
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(path)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(min(status.st_size, MAX_READ_BYTES))
        return version_of(status), data
    finally:
        os.close(descriptor)
