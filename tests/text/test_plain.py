"""Cleaning of foreign text: nothing steers a terminal, scripts and emoji stay whole."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.text.graphemes import boundary_before, cut, cut_middle
from memconsole.text.plain import clean, one_line

FAMILY = "👩\u200d❤\ufe0f\u200d💋\u200d👨"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"

anything = st.text(st.characters(codec=None))
PIECES = (
    *("\x1b[31m", "\x1b]0;", "\x07", "\x1b\\", "\x1b", "\x9b", "\x9d", "\x90", "\x9c", "[", "m"),
    *("\r", "\n", "\t", "\x85", "\u2028", "\u200c", "\u200d", "\ufe0f", "\ufe00", "\u180b"),
    *("\U000e0067", "\U000e007f", "\U000e0100", "\U0001f3f4", "👩", "👨", "❤", "1", "a", " "),
    *("क", "\u094d", "می", "葛", "\ud83d", "\u202e", "\U0001fffe"),
)
nasty = st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\text", "text"),
        ("\x9dtitle\x9ctext", "text"),
        ("\x1b]0;never ended", "0;never ended"),
        ("\x1bcreset", "reset"),
        ("nul\x00bell\x07del\x7fback\x08", "nulbelldelback"),
        ("c1\x80\x84\x86\x9f.", "c1."),
        ("right\u202eleft\u2066isolate\u2069mark\u200e", "rightleftisolatemark"),
        ("zero\u200bwidth\ufeff\u2060soft\xad", "zerowidthsoft"),
        ("fill\u3164er\uffa0\u115f\u1160", "filler"),
        ("lone\ud83dsurrogate", "lonesurrogate"),
        ("no\ufffe\uffff\ufdd0\U0001ffffchar", "nochar"),
        ("notes\U0001d173\U0001bca0", "notes"),
        ("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("tab\tand\nline", "tab\tand\nline"),
    ],
)
def test_what_steers_or_deceives_is_removed(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@pytest.mark.parametrize(
    "text",
    [
        "plain ASCII, [brackets] and $signs",
        "Ünïcödé — “quotes” … 日本語 한국어 русский",
        "می\u200cخواهم",
        "क\u094d\u200dष",
        "ക\u0d4d\u200d",
        FAMILY,
        "👩🏽\u200d🚀",
        "🏴\u200d☠\ufe0f",
        ENGLAND,
        "1\ufe0f\u20e3 #\ufe0f\u20e3 ☎\ufe0e ‼\ufe0f",
        "葛\U000e0100 ㊙\ufe0f",
        "\u1820\u180b",
        "🇩🇪",
        "ideographic\u3000space and\xa0nbsp",
    ],
)
def test_scripts_and_emoji_stay(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("ad\u200dmin", "admin"),
        ("pay\u200cpal", "paypal"),
        ("می\u200c\u200c\u200dx", "می\u200cx"),
        ("👩\u200d", "👩"),
        ("👩\u200dx", "👩x"),
        ("\u200d👩", "👩"),
        ("x\ufe0fy\ufe00z", "xyz"),
        ("\ufe0fx", "x"),
        ("☎\ufe0f\ufe0e\ufe0f", "☎\ufe0f"),
        ("a\U000e0100", "a"),
        ("hi\U000e0068\U000e0069\U000e007f", "hi"),
        ("\U0001f3f4\U000e0067", "\U0001f3f4"),
        ("\U0001f3f4" + "\U000e0061" * 30 + "\U000e007f", "\U0001f3f4"),
        ("a\u180b", "a"),
    ],
)
def test_joiners_and_selectors_without_work_are_removed(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@given(anything | nasty)
@example("\x1b\x1b[31m[31m")
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(anything | nasty)
def test_nothing_that_steers_survives(text: str) -> None:
    for char in clean(text):
        assert char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert (
            char not in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        )


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], max_codepoint=0x10FF)))
def test_letters_digits_and_blanks_are_never_lost(text: str) -> None:
    harmless = text.replace("\u115f", "").replace("\u1160", "")
    assert clean(harmless) == harmless


def test_one_line_has_no_line() -> None:
    assert one_line("  a\n\n b\t\u2028c\x1b[0m\u3000 ") == "a b c"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("two words", 5, "two…"),
        ("anything", 1, "…"),
        ("anything", 0, ""),
        (f"a{FAMILY}b", 5, "a…"),
        (f"{FAMILY}bc", 9, f"{FAMILY}…"),
        ("e\u0301e\u0301e\u0301", 4, "e\u0301…"),
        ("🇩🇪🇫🇷🇯🇵", 4, "🇩🇪…"),
        ("👍🏽👍🏽", 2, "…"),
        ("क\u094dषक\u094dष", 3, "…"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", 5, "\u1112\u1161\u11ab…"),
        ("가\u11a8나다", 2, "…"),
        ("กำกำ", 2, "…"),
        (f"{ENGLAND}xy", 6, "…"),
    ],
)
def test_text_is_cut_between_visible_characters(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected


@pytest.mark.parametrize(("index", "place"), [(0, 0), (1, 0), (2, 2), (3, 3), (4, 3), (5, 5)])
def test_places_to_cut(index: int, place: int) -> None:
    assert boundary_before("e\u0301x\r\n", index) == place


def test_an_endless_character_is_cut_all_the_same() -> None:
    assert len(cut("a" + "\u0301" * 5_000, 1_000)) == 1_000


@given(anything | nasty, st.integers(min_value=0, max_value=20))
def test_a_cut_keeps_to_the_width_and_to_the_beginning(text: str, width: int) -> None:
    result = cut(text, width)
    assert len(result) <= width or result == text
    assert result == text or text.startswith(result.removesuffix("…"))


@given(nasty)
def test_a_cut_of_clean_text_is_clean(text: str) -> None:
    for width in range(12):
        kept = cut(clean(text), width)
        assert clean(kept) == kept


def test_the_middle_goes_and_both_ends_stay() -> None:
    assert cut_middle("agent:main:telegram:direct:1001", 13) == "agent:…t:1001"
    assert cut_middle("short", 13) == "short"
    assert cut_middle("ab", 1) == "…"


def test_no_character_is_broken_at_either_end() -> None:
    assert cut_middle("e\u0301" * 10, 8).replace("…", "").count("\u0301") == 3
