"""Giant lines, shrunk while they stream by: what is kept decodes as before, blobs apart."""

from __future__ import annotations

import base64
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.transcripts.reduce import (
    KEPT_OF_BASE64,
    LineReducer,
    unmarked,
    unmarked_size,
)

texts = st.text(st.characters(codec="utf-8"), max_size=30)
leaves = texts | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def reduce(line: bytes, *, step: int = 7, sample: int = 200, string_limit: int = 400) -> bytes:
    reducer = LineReducer(sample=sample, string_limit=string_limit)
    for start in range(0, len(line), step):
        reducer.feed(line[start : start + step])
    return reducer.line()


def picture(size: int) -> str:
    return base64.b64encode(bytes(range(256)) * (size // 192 + 1)).decode()[:size]


@given(values, st.integers(min_value=1, max_value=50), st.booleans())
def test_a_line_of_short_strings_stays_the_same(value: object, step: int, ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert reduce(line, step=step) == line


@given(
    values,
    st.text(st.sampled_from('ab "\\\n/é日😀\x00'), min_size=401, max_size=900),
    st.integers(min_value=1, max_value=300),
    st.booleans(),
)
def test_a_long_text_keeps_its_beginning_and_everything_around_it(
    value: object, long: str, step: int, ascii_only: bool
) -> None:
    line = json.dumps({"a": value, "long": long, "z": value}, ensure_ascii=ascii_only).encode()
    decoded = json.loads(reduce(line, step=step))
    text, lost = unmarked(decoded["long"])
    assert (decoded["a"], decoded["z"]) == (value, value)
    if ascii_only:  # a cut between the two halves of a pair leaves the first half
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    assert long.startswith(text)
    assert lost > 0


@given(st.integers(min_value=201, max_value=3_000), st.integers(min_value=1, max_value=600))
def test_a_picture_loses_its_inside_and_keeps_its_size(size: int, step: int) -> None:
    data = picture(size)
    line = json.dumps([{"text": "before", "data": data}, "after"]).encode()
    kept = reduce(line, step=step)
    [block, after] = json.loads(kept)
    text, lost = unmarked(block["data"])
    assert (block["text"], after) == ("before", "after")
    assert data.startswith(text)
    assert len(text) + lost == size
    assert len(text) == KEPT_OF_BASE64


@pytest.mark.parametrize("wrap", ["\n", "\r\n", ""])
def test_base64_in_lines_and_with_a_data_head_is_known(wrap: str) -> None:
    lines = [picture(76)] * 40
    url = "data:image/png;base64," + wrap.join(lines)
    text, lost = unmarked(json.loads(reduce(json.dumps(url).encode())))
    assert text.startswith("data:image/png;base64,")
    assert len(text) < 200
    assert lost > 0


def test_slashes_may_be_escaped() -> None:
    line = b'"' + b"ab\\/d" * 500 + b'"'
    assert len(reduce(line)) < 300


def test_the_size_of_a_reduced_value_is_that_of_the_value() -> None:
    line = json.dumps({"data": picture(5_000), "text": "word " * 300}).encode()
    kept = reduce(line)
    assert len(kept) < 1_000
    assert unmarked_size(kept) == len(line)


def test_a_mark_cannot_be_forged() -> None:
    assert unmarked("text\x00:99") == ("text\x00:99", 0)
    assert unmarked("text\x000123456789abcdef:99")[1] == 0


def test_a_line_of_endless_structure_is_given_up() -> None:
    reducer = LineReducer(line_limit=1_000)
    for _ in range(10):
        reducer.feed(b"[1,2,3]," * 100)
    assert reducer.has_overflowed
    assert reducer.line() == b""


def test_memory_does_not_follow_the_size() -> None:
    reducer = LineReducer()
    piece = b"QUJD" * 65_536
    tracemalloc.start()
    reducer.feed(b'{"text":"hello","data":"')
    for _ in range(100):
        reducer.feed(piece)
    reducer.feed(b'"}')
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * 1024 * 1024
    decoded = json.loads(reducer.line())
    text, lost = unmarked(decoded["data"])
    assert len(text) + lost == 100 * len(piece)
    assert decoded["text"] == "hello"
