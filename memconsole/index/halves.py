"""Makes 32-bit floats of 16-bit ones, many at once, in processes that do without NumPy.

`struct` goes number by number: a tenth of a cold search. Here each byte of the result is
a table of a byte of the number, and bytes are translated by the hundred thousand. For a number
seeeeeff llllllll (sign, exponent, fraction) the result is

    s, exponent + 112 in eight bits, ff, llllllll, and thirteen zeros

(IEEE 754: binary16 has a bias of 15, binary32 of 127). The few numbers whose exponent is 0 stand
below the smallest normal one and are made one by one.
"""

from __future__ import annotations

import struct
from typing import Final

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


def widened(halves: bytes) -> bytes:
    """Return the same numbers as 32-bit floats.

    Args:
        halves: Little-endian binary16, two bytes a number.
    """
    low, high = halves[0::2], halves[1::2]
    both = int.from_bytes(low.translate(_NEXT_OF_LOW), "little")
    both |= int.from_bytes(high.translate(_NEXT_OF_HIGH), "little")
    wide = bytearray(4 * len(low))
    wide[1::4] = low.translate(_THIRD)
    wide[2::4] = both.to_bytes(len(low), "little")
    wide[3::4] = high.translate(_TOP)
    is_small = high.translate(_IS_SMALL)
    at = is_small.find(1)
    while at >= 0:
        _ONE.pack_into(wide, 4 * at, *_HALF.unpack_from(halves, 2 * at))
        at = is_small.find(1, at + 1)
    return bytes(wide)
