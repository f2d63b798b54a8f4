"""Token ids of a text: the same that the published tokenizer gives with its own library."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from memconsole.adapters.index.embedding.bpe import Merges, read_merges
from memconsole.adapters.index.embedding.static import FOLDER, StaticModel, static_model
from memconsole.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[4]
PUBLISHED = Path(__file__).with_name("l2_supercat_tokenizer_config.json")
TABLES = FOLDER / "l2_supercat.merges"
TRICKY = st.sampled_from(
    [
        *("<s>", "</s>", "<unk>", "<pad>", "<0x41>", "\u2581", " ", "  ", "\0", "\ufffd"),
        *("the ", "ing", "接龙吧", "สวัสดี", "🎉", "👩‍👩‍👧", "é", "e\u0301", "ﬁ", "\u200b", "\ufeff"),
    ]
)
TEXTS = st.lists(TRICKY | st.text(st.characters(exclude_categories=["Cs"]))).map("".join)


@pytest.fixture(scope="module")
def published() -> Callable[[str], list[int]]:
    tokenizer = Tokenizer.from_file(str(PUBLISHED))
    return lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.fixture(scope="module")
def merges() -> Merges:
    found = read_merges(TABLES)
    assert found is not None
    return found


@given(TEXTS)
@example("When did Caroline go to the support group?")
@example("接龙吧 接龙 データベース 데이터베이스 สวัสดีครับ")
@example("a\0b\t\nc\u200d👨‍👩‍👧 \U0010ffff")
@example("<s>not a mark</s> <<unk>> <unk")
@example("word" * 500)
@example(" " * 2_000)
@example("aaaaaaaaaaaaaaaaaaaaaaaaab" * 70)
def test_the_ids_are_the_published_tokenizers(
    published: Callable[[str], list[int]], merges: Merges, text: str
) -> None:
    expected = published(text)
    assert static_model().tokens(text) == expected
    assert merges.ids(text) == expected


def test_of_our_own_documents_too(published: Callable[[str], list[int]], merges: Merges) -> None:
    """Sources, Markdown, CSS and JSON: a few hundred pieces of every kind of line there is."""
    files = [
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("styles/*"),
        *ROOT.glob("tests/adapters/**/*.py"),
    ]
    texts = [text[at : at + 900] for text in map(_read, sorted(files)) for at in (0, 2_000)]
    assert len(texts) > 200
    expected = [published(text) for text in texts]
    assert static_model().tokens_of(texts) == expected
    assert [merges.ids(text) for text in texts[::8]] == expected[::8]


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def test_half_a_character_is_no_error(
    published: Callable[[str], list[int]], merges: Merges
) -> None:
    assert merges.ids("a\ud800b") == static_model().tokens("a\ud800b") == published("a?b")


def test_a_query_is_encoded_without_the_library() -> None:
    model = StaticModel(FOLDER)
    assert model.query_tokens("orion") == model.tokens_of(["orion"])[0]
    other = StaticModel(FOLDER)
    other.query_tokens("orion")
    assert "_tokenizer" not in vars(other)


def test_our_files_are_made_of_what_was_published() -> None:
    tables = runpy.run_path(str(ROOT / ".ci" / "tokenizer.py"))["tables"]
    pieces, pairs = tables(PUBLISHED.read_bytes())
    assert (FOLDER / "l2_supercat.model").read_bytes() == pieces
    assert TABLES.read_bytes() == pairs


@pytest.mark.parametrize("name", ["l2_supercat.model", "l2_supercat.merges"])
@pytest.mark.parametrize("content", [None, b"", b"[]\n", b"\0" * 900, b'{"pairs": 1}\n', b"cut"])
def test_what_is_damaged_is_said(tmp_path: Path, name: str, content: bytes | None) -> None:
    for one in FOLDER.iterdir():
        (tmp_path / one.name).symlink_to(one)
    damaged = tmp_path / name
    whole = damaged.read_bytes()
    damaged.unlink()
    if content is not None:
        damaged.write_bytes(whole[:-4] if content == b"cut" else content)
    model = StaticModel(tmp_path)
    ask = model.tokens if name.endswith(".model") else model.query_tokens
    with pytest.raises(IndexUnavailableError, match="cannot be read"):
        ask("orion")


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"model": {"byte_fallback": False}},
        {"model": {"dropout": 0.1}},
        {"model": {"vocab": {"a": 1}}},
        {"added_tokens": [{"id": 1, "content": "<s>", "lstrip": True}]},
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(change: dict[str, Any]) -> None:
    tables = runpy.run_path(str(ROOT / ".ci" / "tokenizer.py"))["tables"]
    found = json.loads(PUBLISHED.read_bytes())
    model = found["model"] | change.get("model", {})
    with pytest.raises(ValueError, match="another kind"):
        tables(json.dumps(found | change | {"model": model}).encode())
