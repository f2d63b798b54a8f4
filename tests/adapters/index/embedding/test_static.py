"""Floats of 16 bits become the same floats of 32 bits."""

from __future__ import annotations

import math
import struct

from memconsole.adapters.index.embedding.static import floats_of


def test_every_number_there_is() -> None:
    every = struct.pack("<65536H", *range(65_536))
    expected = struct.pack("<65536f", *struct.unpack("<65536e", every))
    numbers = [
        number for number in range(65_536) if number & 0x7C00 != 0x7C00 or not number & 0x3FF
    ]
    found = floats_of(every)
    for number in numbers:  # all but what is no number, which has many forms
        at = 4 * number
        assert found[at : at + 4] == expected[at : at + 4], hex(number)


def test_what_is_no_number_stays_none() -> None:
    [found] = struct.unpack("<f", floats_of(struct.pack("<e", float("nan"))))
    assert math.isnan(found)


def test_nothing_is_nothing() -> None:
    assert floats_of(b"") == b""
