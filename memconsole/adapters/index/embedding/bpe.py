"""Token ids of a query without the tokenizer library, from tables in a file beside the indexes.

Loading the tokenizer takes longer than all else of a search on the command line: a JSON of 1.8 MB
becomes 93,000 strings. A query needs some hundred of its merges, so they are kept sorted in a file
that is mapped and searched by halves. The ids are the library's, for every text; where the file is
missing, damaged or of another tokenizer, or the tokenizer is of another kind, the library is asked.

The file: one line of JSON, then four arrays in this machine's byte order: the pairs of ids that
merge, sorted; for each its rank and what it becomes; the characters that are tokens; their ids.
"""

from __future__ import annotations

import heapq
import json
import mmap
import re
import sys
import zlib
from array import array
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from memconsole.system.folders import open_state_folder
from memconsole.system.whole_file import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME: Final = "tokenizer.bin"
_FORMAT: Final = 1
_BLANK: Final = "\u2581"
_LONGEST_HEAD: Final = 4096
_NORMALIZER: Final = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": _BLANK},
        {"type": "Replace", "pattern": {"String": " "}, "content": _BLANK},
    ],
}
_IDS: Final = 1 << 16
_END: Final = -1


class Merges:
    """The merges of one tokenizer, as `write_merges` stored them.

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
        self._first_byte = int(head["first_byte"])
        self._added = {str(text): int(token) for text, token in head["added"]}
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


def read_merges(folder: Path, tokenizer: Path) -> Merges | None:
    """Return the merges that lie in a folder; None when they cannot be used.

    Args:
        folder: Of the indexes.
        tokenizer: The file that they were taken from; a changed one makes them useless.
    """
    try:
        with (folder / NAME).open("rb") as file:
            line = file.readline(_LONGEST_HEAD)
            head = json.loads(line)
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        body = data[len(line) :]
        if head["of"] != _identity(tokenizer) or zlib.crc32(body) != head["crc"]:
            return None
        return Merges(head, body)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ensure_merges(folder: Path, tokenizer: Path) -> None:
    """Store the merges unless they lie there already; for who writes an index anyway.

    Raises:
        OSError: The folder cannot be written.
    """
    if read_merges(folder, tokenizer) is None:
        write_merges(folder, tokenizer)


def write_merges(folder: Path, tokenizer: Path) -> bool:
    """Store the merges of a tokenizer; False when it is of a kind that `Merges` does not know.

    Raises:
        OSError: The folder cannot be written.
    """
    content = _content(tokenizer, *_identity(tokenizer))
    if content is None:
        return False
    with open_state_folder(folder.parent, folder.name) as place:
        replace_file(place, NAME, content)
    return True


def _identity(tokenizer: Path) -> list[str | int]:
    status = tokenizer.stat()
    return [_FORMAT, sys.byteorder, status.st_size, status.st_mtime_ns]


@lru_cache(maxsize=1)
def _content(tokenizer: Path, *identity: str | int) -> bytes | None:
    """Return what is stored of a tokenizer; None for one of another kind."""
    try:
        found = _tables(json.loads(tokenizer.read_text("utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError):
        found = None
    if found is None:
        return None
    head, body = found
    head |= {"of": identity, "crc": zlib.crc32(body)}
    return json.dumps(head).encode() + b"\n" + body


def _tables(tokenizer: Mapping[str, Any]) -> tuple[dict[str, Any], bytes] | None:
    """Return head and arrays; None for another kind of tokenizer than Llama's."""
    model, vocabulary = tokenizer["model"], tokenizer["model"]["vocab"]
    bytes_ids = [vocabulary.get(f"<0x{one:02X}>", -1) for one in range(256)]
    if not _is_known(tokenizer) or bytes_ids != [*range(bytes_ids[0], bytes_ids[0] + 256)]:
        return None
    results = {}
    for rank, merge in enumerate(model["merges"]):
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        pair = vocabulary[left] * _IDS + vocabulary[right]
        results[pair] = rank * _IDS + vocabulary[left + right]
    chars = {ord(text): token for text, token in vocabulary.items() if len(text) == 1}
    order = sorted(results)
    numbers = array("I", order)
    numbers.extend(results[pair] for pair in order)
    numbers.extend(sorted(chars))
    numbers.extend(chars[code] for code in sorted(chars))
    added = [[one["content"], one["id"]] for one in tokenizer["added_tokens"]]
    head = {"pairs": len(order), "chars": len(chars), "first_byte": bytes_ids[0], "added": added}
    return head, numbers.tobytes()


def _is_known(tokenizer: Mapping[str, Any]) -> bool:
    model = tokenizer["model"]
    expected = {
        "type": "BPE",
        "dropout": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "byte_fallback": True,
        "ignore_merges": False,
    }
    plain = ("single_word", "lstrip", "rstrip", "normalized")
    return (
        tokenizer["normalizer"] == _NORMALIZER
        and tokenizer["pre_tokenizer"] is None
        and tokenizer["truncation"] is None
        and {name: model.get(name) for name in expected} == expected
        and max(len(model["vocab"]), len(model["merges"])) <= _IDS
        and not any(one.get(name) for one in tokenizer["added_tokens"] for name in plain)
        and array("I").itemsize == 4
    )
