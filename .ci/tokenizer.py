"""Makes the two files that the static embedding is tokenised with out of the published tokenizer.

The description that is published is JSON for another library. Of it are made:

- a model of SentencePiece (its protocol buffers message `ModelProto`): the pieces in the order of
  their ids. SentencePiece joins the neighbours whose piece has the highest score, so a piece scores
  minus the rank of the first merge that makes it; one that no merge makes scores below all others.
- the merges as sorted arrays of little-endian 32-bit numbers, for `bpe.py` beside the model:
  first a line of JSON, then the pairs of ids that merge; for each its rank and what it becomes; the
  characters that are tokens; their ids.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from typing import Any

BLANK = "\u2581"
IDS = 1 << 16
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
BPE = 2
NORMALIZER = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": BLANK},
        {"type": "Replace", "pattern": {"String": " "}, "content": BLANK},
    ],
}
MODEL = {
    "type": "BPE",
    "dropout": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "byte_fallback": True,
    "ignore_merges": False,
}
PLAIN = ("single_word", "lstrip", "rstrip", "normalized")


def tables(published: bytes) -> tuple[bytes, bytes]:
    """Return the model of SentencePiece and the merges.

    Raises:
        ValueError: The tokenizer is of another kind than Llama's.
    """
    tokenizer = json.loads(published)
    if not is_known(tokenizer):
        raise ValueError("this tokenizer is of another kind than Llama's")
    return piece_model(tokenizer), merges(tokenizer)


def is_known(tokenizer: dict[str, Any]) -> bool:
    """Tell whether the two ways to read a text below are the tokenizer's."""
    model, vocabulary = tokenizer["model"], tokenizer["model"]["vocab"]
    bytes_ids = [vocabulary.get(f"<0x{one:02X}>", -1) for one in range(256)]
    return (
        tokenizer["normalizer"] == NORMALIZER
        and tokenizer["pre_tokenizer"] is None
        and tokenizer["truncation"] is None
        and {name: model.get(name) for name in MODEL} == MODEL
        and max(len(vocabulary), len(model["merges"])) <= IDS
        and not any(one.get(name) for one in tokenizer["added_tokens"] for name in PLAIN)
        and sorted(vocabulary.values()) == [*range(len(vocabulary))]
        and bytes_ids == [*range(bytes_ids[0], bytes_ids[0] + 256)]
    )


def pairs(tokenizer: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what merges, the first rank first."""
    found = tokenizer["model"]["merges"]
    return [tuple(one.split(" ") if isinstance(one, str) else one) for one in found]


def piece_model(tokenizer: dict[str, Any]) -> bytes:
    """Return the model of SentencePiece."""
    ranks: dict[str, int] = {}
    for rank, (left, right) in enumerate(pairs(tokenizer)):
        ranks.setdefault(left + right, rank)
    unknown = tokenizer["model"]["unk_token"]
    added = {one["content"] for one in tokenizer["added_tokens"]}
    pieces = []
    vocabulary = tokenizer["model"]["vocab"]
    for piece in sorted(vocabulary, key=vocabulary.__getitem__):
        score = -float(ranks.get(piece, 1_000_000 + vocabulary[piece]))
        kind = UNKNOWN if piece == unknown else CONTROL if piece in added else NORMAL
        if piece.startswith("<0x") and len(piece) == len("<0x00>"):
            kind = BYTE
        pieces.append(field(1, field(1, piece.encode()) + field(2, score) + field(3, kind)))
    trainer = field(3, BPE) + field(4, len(vocabulary)) + field(35, 1)  # 35: byte_fallback
    # Of the normaliser: name, add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces.
    normalizer = field(1, b"identity") + field(3, 1) + field(4, 0) + field(5, 1)
    return b"".join(pieces) + field(2, trainer) + field(3, normalizer)


def field(number: int, value: bytes | float) -> bytes:
    """Return one field of a protocol buffers message."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def varint(number: int) -> bytes:
    """Return a whole number, seven bits a byte, the lowest first."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def merges(tokenizer: dict[str, Any]) -> bytes:
    """Return the merges as sorted arrays."""
    vocabulary = tokenizer["model"]["vocab"]
    results = {}
    for rank, (left, right) in enumerate(pairs(tokenizer)):
        pair = vocabulary[left] * IDS + vocabulary[right]
        results[pair] = rank * IDS + vocabulary[left + right]
    chars = {ord(text): token for text, token in vocabulary.items() if len(text) == 1}
    order = sorted(results)
    numbers = array("I", order)
    numbers.extend(results[pair] for pair in order)
    numbers.extend(sorted(chars))
    numbers.extend(chars[code] for code in sorted(chars))
    if sys.byteorder != "little":
        numbers.byteswap()
    added = {one["content"]: one["id"] for one in tokenizer["added_tokens"]}
    first_byte = vocabulary["<0x00>"]
    head = {"pairs": len(order), "chars": len(chars), "first_byte": first_byte, "added": added}
    return json.dumps(head).encode() + b"\n" + numbers.tobytes()
