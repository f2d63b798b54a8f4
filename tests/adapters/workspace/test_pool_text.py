"""Decoding of memory files, and what is remembered of them."""

from __future__ import annotations

import codecs
import os
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.workspace.pool_files import FoundFile
from memconsole.adapters.workspace.pool_text import FactsCache, TextFacts, decode, facts_of

if TYPE_CHECKING:
    from pathlib import Path


def found(path: Path) -> FoundFile:
    return FoundFile(path.name, str(path), path.stat())


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("Stra\u00dfe".encode(), "Stra\u00dfe", "utf-8"),
        (codecs.BOM_UTF8 + b"# a", "# a", "utf-8-sig"),
        (codecs.BOM_UTF16_LE + "h\u00e9".encode("utf-16-le"), "h\u00e9", "utf-16"),
        (codecs.BOM_UTF16_BE + "h\u00e9".encode("utf-16-be"), "h\u00e9", "utf-16"),
        (codecs.BOM_UTF32_LE + "h\u00e9".encode("utf-32-le"), "h\u00e9", "utf-32"),
        (codecs.BOM_UTF32_BE + "h\u00e9".encode("utf-32-be"), "h\u00e9", "utf-32"),
        (b"Stra\xdfe", "Stra\ufffde", "unknown"),
        (codecs.BOM_UTF8 + b"a\xdf", "a\ufffd", "unknown"),
        (codecs.BOM_UTF16_LE + b"a\0b", "a\ufffd", "unknown"),
        (b"a\0b", "a\0b", "utf-8"),
    ],
)
def test_decoding(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@given(st.binary())
def test_any_bytes_become_text(data: bytes) -> None:
    text, encoding = decode(data)
    if encoding == "utf-8":
        assert text.encode() == data
    assert facts_of(data).chars >= len(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_characters_are_counted_as_the_platform_counts_them(text: str) -> None:
    data = codecs.BOM_UTF8 + text.encode()
    assert facts_of(data).chars == len(text.encode("utf-16-le")) // 2


def test_markers_are_found_in_every_encoding() -> None:
    text = "# x\r\n\r\n- [FACT] \u00e9\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert facts_of(text.encode(encoding)).markers == ((3, "FACT", "[FACT] \u00e9"),)


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("- [FACT] one")
    before = found(path)
    cache = FactsCache()
    facts = cache.read(before)
    path.unlink()
    assert cache.read(before) is facts


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("- [FACT] one")
    cache = FactsCache()
    before = found(path)
    cache.read(before)
    path.write_text("- [TODO] two")
    os.utime(path, ns=(before.status.st_atime_ns, before.status.st_mtime_ns))
    assert cache.read(found(path)).markers == ((1, "TODO", "[TODO] two"),)


def test_what_changed_since_the_scan_is_remembered_as_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    before = found(path)
    path.write_text("- [TODO] new")
    cache = FactsCache()
    assert cache.read(before).markers == ((1, "TODO", "[TODO] new"),)
    after = found(path)
    path.unlink()
    assert cache.read(after).markers == ((1, "TODO", "[TODO] new"),)
    with pytest.raises(FileNotFoundError):
        cache.read(before)


def test_what_a_file_was_before_is_forgotten(tmp_path: Path) -> None:
    path, other = tmp_path / "a.md", tmp_path / "b.md"
    other.write_text("- [FACT] another")
    cache = FactsCache(max_files=2)
    beside = found(other)
    kept = cache.read(beside)
    for number in range(50):
        path.write_text(f"- [FACT] {'x' * number}")
        cache.read(found(path))
    other.unlink()
    assert cache.read(beside) is kept
    assert cache._chars == len("[FACT] another") + len("[FACT] ") + 49


@pytest.mark.parametrize("kind", ["gone", "folder", "pipe"])
def test_a_file_that_is_none_any_more_is_gone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    file = found(path)
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(FileNotFoundError):
        FactsCache().read(file)


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    file = found(path)
    path.unlink()
    path.symlink_to("/etc/hostname")
    with pytest.raises(OSError, match="symbolic links"):
        FactsCache().read(file)


def test_the_oldest_readings_are_forgotten_first(tmp_path: Path) -> None:
    files = []
    for name in "abc":
        (tmp_path / name).write_text(f"- [TODO] {name}")
        files.append(found(tmp_path / name))
    cache = FactsCache(max_files=2)
    a, b, c = files
    kept = cache.read(a)
    cache.read(b)
    assert cache.read(a) is kept
    cache.read(c)
    for name in "abc":
        (tmp_path / name).unlink()
    assert cache.read(a) is kept
    assert isinstance(cache.read(c), TextFacts)
    with pytest.raises(FileNotFoundError):
        cache.read(b)


def test_marker_text_is_not_hoarded(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"[TODO] {'x' * 200}")
    file = found(path)
    cache = FactsCache(max_chars=100)
    assert len(cache.read(file).markers) == 1
    path.unlink()
    with pytest.raises(FileNotFoundError):
        cache.read(file)


def test_threads_share_the_cache(tmp_path: Path) -> None:
    files = []
    for number in range(40):
        path = tmp_path / f"{number}.md"
        path.write_text(f"- [FACT] {number}\n")
        files.append(found(path))
    cache = FactsCache(max_files=20)
    wrong: list[int] = []

    def read_all() -> None:
        for _ in range(20):
            for number, file in enumerate(files):
                if cache.read(file).markers != ((1, "FACT", f"[FACT] {number}"),):
                    wrong.append(number)

    threads = [threading.Thread(target=read_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
