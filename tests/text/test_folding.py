"""One folding for index and query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.text.folding import fold, index_terms, index_text, is_solid, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße", "strasse"),
        ("CAFÉ", "cafe"),
        ("ﬁne", "fine"),
        ("ＡＢＣ１２", "abc12"),
        ("naïve", "naive"),
        ("한국어", "한국어"),
        ("が", "が"),
        ("שָׁלוֹם", "שלום"),
        ("Główny KØLESKABET Điện međunarodni Ħobż", "glowny koleskabet dien medunarodni hobz"),
        ("ISPARTA ısı İzmir", "isparta isi izmir"),
        ("Ærø Þór Œuvre", "aero thor oeuvre"),
        ("كـتـاب", "كتاب"),
    ],
)
def test_folding_compares_what_people_mean(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="a\u00e9\n\u4e2d", min_size=1))
def test_folding_keeps_lines(text: str) -> None:
    assert fold(text).count("\n") == text.count("\n")


def test_words_are_letters_and_digits() -> None:
    assert list(words("Don't use foo(bar), db-4417 or C++!")) == [
        *("don", "t", "use", "foo", "bar", "db", "4417", "or", "c"),
    ]


def test_a_picture_is_a_word() -> None:
    [party] = words("🎉")
    assert index_terms(party) == ["x1f389"]
    assert "x1f389" in index_text("party 🎉!").split()


def test_a_solid_run_becomes_characters_and_pairs() -> None:
    assert list(words("成语接龙 ok")) == ["成语接龙", "ok"]
    assert is_solid("成语接龙")
    assert index_terms("接龙吧") == ["接", "龙", "吧", "接龙", "龙吧"]
    assert index_terms("猫") == ["猫"]


def test_thai_signs_stay_with_their_letter() -> None:
    assert index_terms("กิน") == ["กิ", "น", "กิน"]


def test_index_text_leaves_data_out() -> None:
    assert "abcd" not in index_text(f"before {'abcd' * 60} after")
    assert index_text("before After") == "before after"


@given(st.text())
def test_index_text_takes_any_text(text: str) -> None:
    assert isinstance(index_text(text), str)
    for word in words(text):
        assert index_terms(word)
