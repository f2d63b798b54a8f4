"""Whole lines from either end: bounded memory, hostile bytes, files that change meanwhile."""

from __future__ import annotations

import errno
import gzip
import json
import os
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memconsole.adapters.transcripts import lines, packing, sources
from memconsole.adapters.transcripts.lines import (
    RawLine,
    blob_lines_backward,
    blob_lines_forward,
    lines_backward,
    lines_forward,
    packed_lines_backward,
    packed_lines_forward,
)
from memconsole.adapters.transcripts.packing import zstd
from memconsole.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

ALL = 1 << 40


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every seam between blocks fall somewhere in a small file."""
    monkeypatch.setattr(lines, "_FIRST_BLOCK", 3)
    monkeypatch.setattr(lines, "_LARGEST_BLOCK", 5)
    monkeypatch.setattr(lines, "_SEARCH_BLOCK", 4)
    monkeypatch.setattr(lines, "_LONG_LINE", 40)


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    return path


def both_ways(path: Path) -> list[RawLine]:
    forward = list(lines_forward(path))
    assert list(lines_backward(path, ALL)) == forward[::-1]
    return forward


def test_lines_carry_place_and_size(tmp_path: Path) -> None:
    assert both_ways(written(tmp_path, b"ab\ncde\n")) == [
        RawLine(b"ab", 0, is_complete=True, size=3),
        RawLine(b"cde", 3, is_complete=True, size=4),
    ]


def test_a_last_line_without_its_end_is_in_progress(tmp_path: Path) -> None:
    first, last = both_ways(written(tmp_path, b"ab\ncde"))
    assert first.is_complete
    assert last == RawLine(b"cde", 3, is_complete=False, size=3)


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b" \r\n\t\n"])
def test_blank_lines_are_left_out(tmp_path: Path, data: bytes) -> None:
    assert both_ways(written(tmp_path, data)) == []


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"\xef\xbb\xbfa\nb\n", [b"a", b"b"]),
        (b"a\n\xef\xbb\xbfb\n", [b"a", b"b"]),
        (b"a\n\0\0\0b\0\n", [b"a", b"b"]),
        (b"a\n\0\0\0\nb\n", [b"a", b"", b"b"]),
        (b"a\xff\xfe\nb\n", [b"a\xff\xfe", b"b"]),
        (b"a\rb\x0bc\xe2\x80\xa8d\n", [b"a\rb\x0bc\xe2\x80\xa8d"]),
    ],
)
def test_odd_bytes(tmp_path: Path, data: bytes, kept: list[bytes]) -> None:
    assert [line.data for line in both_ways(written(tmp_path, data))] == kept


@pytest.mark.usefixtures("small_blocks")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\n\n", b"\r\n", b"d" * 9, b'"e"' * 5])))
def test_both_ways_give_the_lines_of_the_file(tmp_path: Path, pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    found = both_ways(written(tmp_path, data))
    wanted = [piece for piece in data.split(b"\n") if piece.strip()]
    for line, piece in zip(found, wanted, strict=True):
        assert data[line.offset : line.offset + len(piece)] == piece
        assert line.size == len(piece) + line.is_complete
        if line.is_complete or line.size <= lines._LONG_LINE:
            assert line.data == piece.strip()
    assert [line.is_complete for line in found] == [
        *[True] * (len(wanted) - 1),
        *([data.endswith(b"\n") or not data.rsplit(b"\n", 1)[-1].strip()] if wanted else []),
    ]


@pytest.mark.usefixtures("small_blocks")
@given(st.integers(min_value=1, max_value=80))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reading_back_stops_at_the_limit_with_a_whole_line(tmp_path: Path, limit: int) -> None:
    data = b"".join(b"%02d-%s\n" % (n, b"x" * (n % 5)) for n in range(12))
    path = written(tmp_path, data)
    found = list(lines_backward(path, limit))
    whole = list(lines_backward(path, ALL))
    assert found == whole[: len(found)]
    passed = sum(line.size for line in found)
    assert passed >= min(limit, len(data))
    assert passed - found[-1].size < limit


def test_a_limit_of_nothing_gives_nothing(tmp_path: Path) -> None:
    assert list(lines_backward(written(tmp_path, b"a\nb\n"), 0)) == []


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("before", [b"", b"first\n"])
@pytest.mark.parametrize("after", [b"", b"last\n", b"going on"])
def test_a_giant_line_comes_whole_among_others(tmp_path: Path, before: bytes, after: bytes) -> None:
    giant = json.dumps({"text": "hello", "list": ["x"] * 40}).encode()
    found = both_ways(written(tmp_path, before + giant + b"\n" + after))
    assert RawLine(giant, len(before), is_complete=True, size=len(giant) + 1) in found
    assert len(found) == 1 + bool(before) + bool(after)


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_is_giant_wherever_the_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: bytes
) -> None:
    data = b'{"data":"' + b"QUJD" * 2_000 + b'"}'
    path = written(tmp_path, b'{"n":1}\n' + data + end)
    monkeypatch.setattr(lines, "_LONG_LINE", 5_000)
    whole_block = both_ways(path)
    for block in (100, 4_999, 8_010):
        monkeypatch.setattr(lines, "_FIRST_BLOCK", block)
        monkeypatch.setattr(lines, "_LARGEST_BLOCK", block)
        assert both_ways(path) == whole_block
    assert len(whole_block[1].data) < 300
    assert whole_block[1].size == len(data + end)


@pytest.mark.usefixtures("small_blocks")
def test_a_giant_line_still_being_written_has_no_data(tmp_path: Path) -> None:
    found = both_ways(written(tmp_path, b"a\n" + b"x" * 100))
    assert found[-1] == RawLine(b"", 2, is_complete=False, size=100)


@pytest.mark.usefixtures("small_blocks")
def test_a_line_longer_than_the_limit_ends_the_reading(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\n" + b"x" * 300 + b"\nb\n")
    last, giant = lines_backward(path, 100)
    assert last.data == b"b"
    assert giant.data == b""
    assert giant.is_complete
    assert giant.offset > 2


def test_a_picture_costs_its_bytes_and_not_its_memory(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("wb") as file:
        file.write(b'{"text":"before"}\n{"text":"look","data":"')
        for _ in range(20):
            file.write(b"QUJD" * 262_144)
        file.write(b'"}\n{"text":"after"}\n')
    tracemalloc.start()
    found = list(lines_backward(path, ALL))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * 1024 * 1024
    assert [line.size for line in found] == [17, 20 * 1024 * 1024 + 26, 18]
    assert json.loads(found[1].data)["text"] == "look"
    assert len(found[1].data) < 1_000


def test_the_end_of_a_huge_file_costs_only_its_end(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 33)  # a hole: it takes no space
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    assert next(lines_backward(path, ALL)).data == b"last"


class Shrinking:
    """A source that loses its end, or all, at the second reading."""

    size = 12

    def __init__(self) -> None:
        self.readings = 0

    def parts(self) -> list[tuple[int, int]]:
        return [(0, self.size)]

    def read_at(self, offset: int, count: int) -> bytes:
        self.readings += 1
        return b"aaa\nbbb\nccc\n"[offset : offset + count] if self.readings == 1 else b""


@pytest.mark.usefixtures("small_blocks")
def test_a_file_that_shrinks_ends_the_reading() -> None:
    assert list(lines._backward(Shrinking(), ALL)) == []
    assert [line.data for line in lines._forward(Shrinking())] == [b"aaa"]


def test_a_file_that_is_replaced_is_read_as_it_was_opened(tmp_path: Path) -> None:
    path = written(tmp_path, b"old 1\nold 2\n")
    reading = lines_backward(path, ALL)
    assert next(reading).data == b"old 2"
    (tmp_path / "new").write_bytes(b"new\n")
    (tmp_path / "new").replace(path)
    assert [line.data for line in reading] == [b"old 1"]


def test_what_is_appended_meanwhile_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\nb\n")
    reading = lines_forward(path)
    assert next(reading).data == b"a"
    with path.open("ab") as file:
        file.write(b"c\n")
    assert [line.data for line in reading] == [b"b"]


def test_a_missing_file_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone\.jsonl cannot be opened: No such file"):
        list(lines_backward(tmp_path / "gone.jsonl", ALL))


def test_a_disk_that_fails_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, b"a\n")

    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "pread", fail)
    with pytest.raises(StoreError, match=r"t\.jsonl cannot be read: Input/output error"):
        list(lines_backward(path, ALL))


def test_a_path_in_an_error_is_clean(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        list(lines_forward(tmp_path / "go\x1b[31mne"))
    assert "gone" in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is not a regular file"):
        list(lines_backward(tmp_path / "pipe", ALL))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not a regular file"):
        list(lines_forward(tmp_path))


def test_a_packed_file_reads_like_the_plain_one(tmp_path: Path) -> None:
    data = b"".join(b'{"n":%d}\n' % n for n in range(500)) + b"in progress"
    plain, packed = written(tmp_path, data), tmp_path / "t.jsonl.zst"
    packed.write_bytes(zstd.compress(data[:999]) + zstd.compress(data[999:]))
    assert list(packed_lines_forward(packed)) == list(lines_forward(plain))
    assert list(packed_lines_backward(packed, 99)) == list(lines_backward(plain, 99))


def test_what_cleanup_packed_reads_like_the_plain_one(tmp_path: Path) -> None:
    data = b"".join(b'{"n":%d}\n' % n for n in range(90_000)) + b"in progress"
    plain, packed = written(tmp_path, data), tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(data))
    assert list(packed_lines_forward(packed)) == list(lines_forward(plain))
    assert list(packed_lines_backward(packed, 99)) == list(lines_backward(plain, 99))

    packed.write_bytes(packed.read_bytes()[:999])
    found = list(packed_lines_forward(packed))
    assert (found[0].data, found[-1].is_complete) == (b'{"n":0}', False)

    packed.write_bytes(b"\x1f\x8b" + b"no gzip")
    with pytest.raises(StoreError, match=r"t\.jsonl\.gz cannot be unpacked"):
        list(packed_lines_forward(packed))


def test_many_small_frames_read_like_one(tmp_path: Path) -> None:
    """Some end where a step of reading ends, and some hold nothing."""
    lines = [b'{"n":%d}\n' % n for n in range(4000)]
    (tmp_path / "t.zst").write_bytes(b"".join(map(zstd.compress, [b"", *lines, b""])))
    assert [one.data + b"\n" for one in packed_lines_forward(tmp_path / "t.zst")] == lines


def test_too_many_frames_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MOST_FRAMES", 5)
    (tmp_path / "t.zst").write_bytes(zstd.compress(b"a\n") * 4)
    assert len(list(packed_lines_forward(tmp_path / "t.zst"))) == 4
    (tmp_path / "t.zst").write_bytes(zstd.compress(b"") * 6)
    with pytest.raises(StoreError, match="more than 5 frames"):
        list(packed_lines_forward(tmp_path / "t.zst"))


def test_what_follows_the_frames_is_no_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "t.zst").write_bytes(zstd.compress(b"a\n") + b"no frame")
    with pytest.raises(StoreError, match=r"t\.zst cannot be unpacked"):
        list(packed_lines_forward(tmp_path / "t.zst"))


def test_a_frame_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00\x90" + b"\x01\x00\x00")
    with pytest.raises(StoreError, match="memory"):
        list(packed_lines_forward(tmp_path / "t.zst"))


def test_a_big_packed_file_is_unpacked_beside_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_IN_MEMORY", 10)
    packed = tmp_path / "t.zst"
    packed.write_bytes(zstd.compress(b"a\nb\n" * 50))
    assert len(list(packed_lines_backward(packed, ALL))) == 100


def test_a_packed_file_that_ends_early_gives_what_it_has(tmp_path: Path) -> None:
    noise = os.urandom(300_000).hex().encode()
    data = b"first\n" + noise + b"\nlast\n"
    packed = zstd.compress(data, options={zstd.CompressionParameter.content_size_flag: False})
    (tmp_path / "t.zst").write_bytes(packed[: len(packed) // 2])
    found = list(packed_lines_forward(tmp_path / "t.zst"))
    assert found[0].data == b"first"
    assert not found[-1].is_complete


@pytest.mark.parametrize("data", [b"no zstd at all", b"\x28\xb5\x2f\xfd" + b"\xff" * 40])
def test_a_broken_packed_file_is_said_in_one_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.zst").write_bytes(data)
    with pytest.raises(StoreError, match=r"t\.zst cannot be unpacked"):
        list(packed_lines_forward(tmp_path / "t.zst"))


TERABYTE = 1 << 40


def sparse(path: Path, *parts: tuple[int, bytes]) -> Path:
    """Write a file of a terabyte that is a hole but for some parts."""
    with path.open("wb") as file:
        for place, data in parts:
            file.seek(place)
            file.write(data)
        file.truncate(TERABYTE)
    return path


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        ([], [b""]),
        ([(0, b"a\nb\n")], [b"a", b"b", b""]),
        ([(0, b"a\nhalf")], [b"a", b"half", b""]),
        ([(1 << 30, b"a\nb\n")], [b"", b"a", b"b", b""]),
        ([(0, b"a\n"), (TERABYTE - 4, b"b\nc\n")], [b"a", b"", b"b", b"c"]),
        ([(0, b"a\n"), (TERABYTE - 3, b"b\nc")], [b"a", b"", b"b", b"c"]),
    ],
)
def test_a_hole_of_a_terabyte_is_one_damaged_line(
    parts: list[tuple[int, bytes]], kept: list[bytes], tmp_path: Path
) -> None:
    path = sparse(tmp_path / "t.jsonl", *parts)
    found = list(lines_forward(path))
    assert [line.data for line in found] == kept
    assert sum(line.size for line in found if not line.data) > TERABYTE - (1 << 31)
    newest = [line.data for line in lines_backward(path, 1 << 20) if line.data]
    assert newest[:2] == [line for line in reversed(kept) if line][:2]


def test_more_than_two_gigabytes_are_not_read_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_READ_BYTES", 1_000_000)
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"a\n" * 600_000)
    with pytest.raises(StoreError, match=r"holds 1\.1 MB and is not read from end to end"):
        list(lines_forward(path))
    assert next(lines_backward(path, 100)).data == b"a"


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_READ_BYTES", 1_000_000)
    (tmp_path / "t.zst").write_bytes(zstd.compress(bytes(5_000_000)))
    with pytest.raises(StoreError, match="unpacks to more than 1000000 bytes"):
        list(packed_lines_forward(tmp_path / "t.zst"))


@pytest.mark.parametrize("is_packed", [True, False])
def test_blobs_of_a_database_read_like_files(is_packed: bool) -> None:
    data = b"a\nb\nc\n"
    blob = zstd.compress(data) if is_packed else data
    forward = list(blob_lines_forward(blob, is_packed=is_packed, name="archive"))
    assert [line.data for line in forward] == [b"a", b"b", b"c"]
    backward = list(blob_lines_backward(blob, 3, is_packed=is_packed, name="archive"))
    assert backward == forward[:0:-1]


def test_a_broken_blob_is_named() -> None:
    with pytest.raises(StoreError, match="archive of s1 cannot be unpacked"):
        list(blob_lines_forward(b"nonsense", is_packed=True, name="archive of s1"))
