"""Token ids of a query without the tokenizer library, from tables that are mapped.

Loading the tokenizer takes longer than all else of a search on the command line: 32,000 pieces
become strings, of which a query needs some hundred. So the merges lie beside the model as sorted
arrays too, and are searched by halves. The ids are the library's, for every text.

The file: one line of JSON, then four arrays of little-endian numbers: the pairs of ids that merge,
sorted; for each its rank and what it becomes; the characters that are tokens; their ids.
"""

from __future__ import annotations

import heapq
import json
import mmap
import re
import sys
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_BLANK: Final = "\u2581"
_LONGEST_HEAD: Final = 4096
_IDS: Final = 1 << 16
_END: Final = -1


class Merges:
    """The merges of one tokenizer.

    Args:
        head: First line of the file.
        body: The four arrays.
    """

    def __init__(self, head: Mapping[str, Any], body: memoryview) -> None:
        pairs, chars = int(head["pairs"]), int(head["chars"])
        numbers = body.cast("I")
        self._pairs = numbers[:pairs]
        self._results = numbers[pairs : 2 * pairs]
        self._chars = numbers[2 * pairs : 2 * pairs + chars]
        self._char_ids = numbers[2 * pairs + chars :]
        if len(self._char_ids) != chars:
            raise ValueError("its tables have other lengths")
        self._first_byte = int(head["first_byte"])
        self._added = {str(text): int(token) for text, token in head["added"].items()}
        self._split = re.compile("|".join(map(re.escape, self._added)))

    def ids(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        found: list[int] = []
        start = 0
        for match in self._split.finditer(text) if self._added else ():
            found += self._plain(text[start : match.start()])
            found.append(self._added[match[0]])
            start = match.end()
        return found + self._plain(text[start:])

    def _plain(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens: the best ranked pair merges first."""
        if not text:
            return []
        ids = [one for char in (_BLANK + text).replace(" ", _BLANK) for one in self._of_char(char)]
        after = [*range(1, len(ids)), _END]
        before = list(range(_END, len(ids) - 1))
        queue = [
            (rank, at, token)
            for at in range(len(ids) - 1)
            for rank, token in self._merge(ids[at], ids[at + 1])
        ]
        heapq.heapify(queue)
        while queue:
            _, at, token = heapq.heappop(queue)
            if ids[at] < 0 or (right := after[at]) == _END:
                continue  # one of the two went into another token meanwhile
            if not any(token == now for _, now in self._merge(ids[at], ids[right])):
                continue
            ids[at], ids[right], after[at] = token, _END, after[right]
            if after[at] != _END:
                before[after[at]] = at
                self._look(queue, at, ids[at], ids[after[at]])
            if before[at] != _END:
                self._look(queue, before[at], ids[before[at]], ids[at])
        return [one for one in ids if one >= 0]

    def _look(self, queue: list[tuple[int, int, int]], at: int, left: int, right: int) -> None:
        for rank, token in self._merge(left, right):
            heapq.heappush(queue, (rank, at, token))

    def _merge(self, left: int, right: int) -> Iterator[tuple[int, int]]:
        """Yield (rank, token) of a pair that merges."""
        pair = left * _IDS + right
        place = bisect_left(self._pairs, pair)
        if place < len(self._pairs) and self._pairs[place] == pair:
            yield divmod(self._results[place], _IDS)

    def _of_char(self, char: str) -> Sequence[int]:
        """Return the token of a character; of one that has none, those of its bytes."""
        code = ord(char)
        place = bisect_left(self._chars, code)
        if place < len(self._chars) and self._chars[place] == code:
            return (self._char_ids[place],)
        if 0xD800 <= code <= 0xDFFF:
            return self._of_char("?")  # half a character has no bytes
        return [self._first_byte + one for one in char.encode()]


def read_merges(path: Path) -> Merges | None:
    """Return the merges of a file; None on a machine that reads numbers the other way round.

    Raises:
        OSError, ValueError, KeyError, TypeError: The file is missing, or not what it should be.
    """
    with path.open("rb") as file:
        line = file.readline(_LONGEST_HEAD)
        head = json.loads(line)
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return Merges(head, data[len(line) :]) if sys.byteorder == "little" else None
