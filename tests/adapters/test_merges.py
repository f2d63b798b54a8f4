"""Token ids of a query from stored tables: the same as the tokenizer's, for every text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.adapters.index.embedding.bpe import (
    NAME,
    Merges,
    ensure_merges,
    read_merges,
    write_merges,
)
from memconsole.adapters.index.embedding.static import static_model
from tests.adapters.index_stage import STATIC, Stage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOURCE = static_model().tokenizer_file
TRICKY = st.sampled_from(
    [
        "<s>",
        "</s>",
        "<unk>",
        "\u2581",
        " ",
        "  ",
        "\0",
        "the ",
        "ing",
        "接龙吧",
        "สวัสดี",
        "🎉",
        "👩‍👩‍👧",
        "é",
    ]
)


@pytest.fixture(scope="module")
def merges(tmp_path_factory: pytest.TempPathFactory) -> Merges:
    folder = tmp_path_factory.mktemp("index")
    assert write_merges(folder, SOURCE)
    found = read_merges(folder, SOURCE)
    assert found is not None
    return found


@given(st.lists(TRICKY | st.text(st.characters(exclude_categories=["Cs"]))).map("".join))
@example("When did Caroline go to the support group?")
@example("接龙吧 接龙 データベース 데이터베이스 สวัสดีครับ")
@example("a\0b\t\nc\u200d👨‍👩‍👧 \U0010ffff")
@example("<s>not a mark</s> <<unk>>")
@example("word" * 500)
@example(" " * 2_000)
@example("aaaaaaaaaaaaaaaaaaaaaaaaab" * 70)
def test_the_ids_are_the_tokenizers(merges: Merges, text: str) -> None:
    assert merges.ids(text) == static_model().tokens(text)


def test_half_a_character_is_no_error(merges: Merges) -> None:
    assert merges.ids("a\ud800b") == static_model().tokens("a?b")


def test_they_are_stored_once(tmp_path: Path) -> None:
    assert read_merges(tmp_path, SOURCE) is None
    folder = tmp_path / "state" / "index"
    ensure_merges(folder, SOURCE)
    path = folder / NAME
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat().st_ino
    ensure_merges(folder, SOURCE)
    assert path.stat().st_ino == before
    assert [one.name for one in folder.iterdir()] == [NAME]


def cut(data: bytes) -> bytes:
    return data[:-4]


def flipped(data: bytes) -> bytes:
    return data[:-9] + b"\1" + data[-8:]


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        flipped,
        lambda data: data[:0],
        lambda data: data[:40],
        lambda data: b"\0" * len(data),
        lambda data: b"[]\n" + data,
        lambda data: b'{"of": 1}\n' + data,
    ],
)
def test_what_is_damaged_is_not_used(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    ensure_merges(tmp_path, SOURCE)
    path = tmp_path / NAME
    path.write_bytes(damage(path.read_bytes()))
    assert read_merges(tmp_path, SOURCE) is None
    ensure_merges(tmp_path, SOURCE)
    assert read_merges(tmp_path, SOURCE) is not None


def test_another_tokenizer_has_other_merges(tmp_path: Path) -> None:
    copy = tmp_path / "tokenizer.json"
    copy.write_bytes(SOURCE.read_bytes())
    ensure_merges(tmp_path, copy)
    assert read_merges(tmp_path, copy) is not None
    copy.write_bytes(SOURCE.read_bytes() + b"\n")
    assert read_merges(tmp_path, copy) is None


def small_tokenizer() -> dict[str, Any]:
    """Return one of the known kind with a single merge."""
    known = json.loads(SOURCE.read_text("utf-8"))
    vocabulary = known["model"]["vocab"]
    kept = {f"<0x{one:02X}>" for one in range(256)} | {"a", "b", "ab"}
    model = known["model"] | {
        "vocab": {text: token for text, token in vocabulary.items() if text in kept},
        "merges": ["a b"],
    }
    return {**known, "model": model}


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"model": {"byte_fallback": False}},
        {"model": {"dropout": 0.1}},
        {"model": {"vocab": {"a": 1}}},
        {"added_tokens": [{"id": 1, "content": "<s>", "lstrip": True}]},
        {},
    ],
)
def test_a_tokenizer_of_another_kind_is_left_to_its_library(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    found = small_tokenizer()
    model = found["model"] | change.get("model", {})
    other = tmp_path / "tokenizer.json"
    other.write_text(json.dumps(found | change | {"model": model}), encoding="utf-8")
    assert write_merges(tmp_path, other) == (change == {})
    assert (tmp_path / NAME).exists() == (change == {})


def test_hits_are_the_same_without_the_tables(tmp_path: Path) -> None:
    stage = Stage(tmp_path, STATIC)
    stage.write("a.md", "- the staging database is orion\n")
    stage.write("b.md", "- tomatoes want water\n")
    stage.sync()
    with_tables = stage.cosines("which storage server?")
    (stage.path.parent / NAME).unlink()
    assert Stage(tmp_path, STATIC).cosines("which storage server?") == with_tables
