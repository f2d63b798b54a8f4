"""Memory that a run needed for a moment does not stay with the process."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from memconsole.scheduler.service import give_back

STATM = Path("/proc/self/statm")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not STATM.exists(),
    reason="only the GNU C library keeps what can be given back, and only Linux tells",
)
def test_what_lies_free_between_what_lives_is_given_back() -> None:
    blocks = [bytearray(65_536) for _ in range(600)]  # below what is mapped one by one
    kept = blocks[::60]
    del blocks
    before = _resident_pages()
    give_back()
    assert _resident_pages() < before - 4_000  # of 9,600 pages of 4 KB
    assert len(kept) == 10


def test_asking_twice_is_harmless() -> None:
    give_back()
    give_back()


def _resident_pages() -> int:
    return int(STATM.read_text().split()[1])
