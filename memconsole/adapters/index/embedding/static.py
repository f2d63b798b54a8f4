"""The static embedding: a tokenizer and a table of vectors, both in the folder `model` beside this.

They are the "l2_supercat" of WordLlama with 256 dimensions (copyright (c) 2024 Lee Miller, MIT: see
LICENSES/wordllama.txt), taken out of its wheel by `make embedding`, the tokenizer as a model of
SentencePiece and as tables. The table of vectors stays on disk and is mapped.

Its half-precision floats become 32-bit ones many at once, in processes that do without NumPy.
`struct` goes number by number: a tenth of a cold search. Here each byte of the result is
a table of a byte of the number, and bytes are translated by the hundred thousand. For a number
seeeeeff llllllll (sign, exponent, fraction) the result is

    s, exponent + 112 in eight bits, ff, llllllll, and thirteen zeros

(IEEE 754: binary16 has a bias of 15, binary32 of 127). The few numbers whose exponent is 0 stand
below the smallest normal one and are made one by one.
"""

from __future__ import annotations

import functools
import json
import mmap
import re
import struct
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memconsole.adapters.index.embedding.bpe import read_merges
from memconsole.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sentencepiece import SentencePieceProcessor

    from memconsole.adapters.index.embedding.bpe import Merges


FOLDER: Final = Path(__file__).with_name("model")
"""Where the files of this installation lie."""

_WEIGHTS: Final = "l2_supercat_256.safetensors"
_PIECES: Final = "l2_supercat.model"
_MERGES: Final = "l2_supercat.merges"
_MARKS: Final = re.compile("(<unk>|<s>|</s>)")
_MOST_TOKENS: Final = 65_536
_HEADER_BYTES: Final = 1_000_000


class StaticModel:
    """Tokenizer and vectors; loaded piece by piece, as they are needed.

    Args:
        folder: Of its files.

    Raises:
        IndexUnavailableError: The files are not there, or not what they should be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with self._reading(), (folder / _WEIGHTS).open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            length, self.count, self.dims = _shape(self._map)
        self._start = 8 + length
        self._row = struct.Struct(f"<{self.dims}e")

    @property
    def name(self) -> str:
        """What tells one model from another in an index."""
        return f"wordllama-l2-{self.dims}"

    @functools.cached_property
    def _tokenizer(self) -> SentencePieceProcessor:
        """The tokenizer; loading it takes longer than anything else of a search."""
        from sentencepiece import SentencePieceProcessor  # noqa: PLC0415  # heavy

        with self._reading():
            found = SentencePieceProcessor(model_proto=(self._folder / _PIECES).read_bytes())
            if found.get_piece_size() != self.count:
                raise ValueError(f"{_PIECES} is of another model")
            return found

    @functools.cached_property
    def _merges(self) -> Merges | None:
        with self._reading():
            return read_merges(self._folder / _MERGES)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, struct.error) as error:
            raise IndexUnavailableError(
                f"the static embedding in {self._folder} cannot be read: {error}",
                hint='Install memconsole again, or set search.provider = "none".',
            ) from error

    def query_tokens(self, text: str) -> list[int]:
        """Return the token ids of a query; soon, for the tokenizer is not loaded."""
        return self.tokens(text) if self._merges is None else self._merges.ids(text)

    def tokens(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        return self.tokens_of([text])[0]

    def tokens_of(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of many texts.

        A mark of the model that stands in a text is one token, and what follows it begins anew.
        """
        parts = [_MARKS.split(text) for text in texts]
        plain = [part.encode("utf-8", "replace") for some in parts for part in some[::2]]
        found: list[list[int]] = self._tokenizer.encode(plain)
        ids = iter(found)
        return [
            [
                token
                for at, part in enumerate(some)
                for token in (next(ids) if at % 2 == 0 else (self._tokenizer.piece_to_id(part),))
            ]
            for some in parts
        ]

    def row(self, token: int) -> tuple[float, ...]:
        """Return the vector of one token, without NumPy."""
        return self._row.unpack_from(self._map, self._start + token * self.dims * 2)

    def packed(self, tokens: Sequence[int]) -> bytes:
        """Return the vectors of tokens, one behind the other, as 32-bit floats for SQLite."""
        size = self.dims * 2
        starts = [self._start + token * size for token in tokens]
        return floats_of(b"".join([self._map[start : start + size] for start in starts]))

    @functools.cached_property
    def table(self) -> NDArray[np.float16]:
        """All vectors as NumPy sees them; nothing is copied."""
        from memconsole.adapters.index.matrix import np  # noqa: PLC0415  # long-running processes and builds only

        flat = np.frombuffer(self._map, "<f2", self.count * self.dims, self._start)
        return flat.reshape(self.count, self.dims)

    def units(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return vectors of length 1 of tokens; what was asked for once is remembered."""
        from memconsole.adapters.index.matrix import np  # noqa: PLC0415

        known, rows = self._units
        if len(new := ids[~known[ids]]):
            wide = self.table[new].astype(np.float32)
            rows[new] = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-9)
            known[new] = True
        found: NDArray[np.float32] = rows[ids]
        return found

    @functools.cached_property
    def _units(self) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which vectors of length 1 are known, and all of them; memory is taken as they come."""
        from memconsole.adapters.index.matrix import np  # noqa: PLC0415

        return np.zeros(self.count, bool), np.empty((self.count, self.dims), np.float32)


def _shape(data: mmap.mmap) -> tuple[int, int, int]:
    """Return header length, rows and columns of a safetensors file with one table."""
    (length,) = struct.unpack("<Q", data[:8])
    if length > _HEADER_BYTES:
        raise ValueError("its header is too long")
    header = json.loads(data[8 : 8 + length])
    [table] = [one for name, one in header.items() if not name.startswith("_")]
    count, dims = table["shape"]
    if table["dtype"] != "F16" or count > _MOST_TOKENS or len(data) < 8 + length + 2 * count * dims:
        raise ValueError("its table has another shape")
    return length, int(count), int(dims)


@functools.cache
def static_model() -> StaticModel:
    """Return the model of this installation.

    Raises:
        IndexUnavailableError: Its files are missing or damaged.
    """
    return StaticModel(FOLDER)


_BIAS: Final = 127 - 15
_ONE: Final = struct.Struct("<f")
_HALF: Final = struct.Struct("<e")


def _exponent(high: int) -> int:
    """Return the exponent of the 32-bit float from the upper byte of the 16-bit one."""
    found = high >> 2 & 0x1F
    return 0xFF if found == 0x1F else found + _BIAS if found else 0


_TOP: Final = bytes(high & 0x80 | _exponent(high) >> 1 for high in range(256))
_NEXT_OF_HIGH: Final = bytes((_exponent(high) & 1) << 7 | (high & 3) << 5 for high in range(256))
_NEXT_OF_LOW: Final = bytes(low >> 3 for low in range(256))
_THIRD: Final = bytes((low & 7) << 5 for low in range(256))
_IS_SMALL: Final = bytes(not high & 0x7C for high in range(256))


def floats_of(half_floats: bytes) -> bytes:
    """Return the same numbers as 32-bit floats.

    Args:
        half_floats: Little-endian binary16, two bytes a number.
    """
    low, high = half_floats[0::2], half_floats[1::2]
    both = int.from_bytes(low.translate(_NEXT_OF_LOW), "little")
    both |= int.from_bytes(high.translate(_NEXT_OF_HIGH), "little")
    wide = bytearray(4 * len(low))
    wide[1::4] = low.translate(_THIRD)
    wide[2::4] = both.to_bytes(len(low), "little")
    wide[3::4] = high.translate(_TOP)
    is_small = high.translate(_IS_SMALL)
    at = is_small.find(1)
    while at >= 0:
        _ONE.pack_into(wide, 4 * at, *_HALF.unpack_from(half_floats, 2 * at))
        at = is_small.find(1, at + 1)
    return bytes(wide)
