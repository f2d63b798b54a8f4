"""What lets a text be passed by quickly never passes by what the patterns would find."""

from __future__ import annotations

import re
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # nothing else tells how long a match is

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memconsole
from memconsole.text.outgoing import let_out, name_out
from memconsole.text.redaction import mask, secrets_in
from memconsole.text.redaction.escapes import plain
from memconsole.text.redaction.literals import Literals
from memconsole.text.redaction.places import COMMANDS, PLACES
from memconsole.text.redaction.shapes import SHORTEST, TokenShape, token_shapes
from memconsole.text.redaction.vendors import NAMED
from memconsole.text.redaction.words import ANNOUNCING, ANNOUNCING_TOO, Word


@pytest.mark.parametrize("shape", token_shapes(), ids=lambda one: one.kind)
def test_no_token_is_shorter_than_the_words_that_are_looked_at(shape: TokenShape) -> None:
    least, _ = _parser.parse(shape.pattern).getwidth()
    assert least >= SHORTEST


@pytest.mark.parametrize("place", [*PLACES, *COMMANDS], ids=lambda one: str(one.hints))
def test_hints_of_places_are_in_small_letters_and_each_has_one_secret(place: TokenShape) -> None:
    assert [hint for hint in place.hints if hint != hint.lower()] == []
    assert "secret" in re.compile(place.pattern).groupindex


@pytest.mark.parametrize("word", [*ANNOUNCING, *ANNOUNCING_TOO], ids=lambda one: one.pattern)
def test_an_announcing_word_is_known_by_its_hint(word: Word) -> None:
    assert word.hint == word.hint.lower()
    assert word.hint in re.sub(r"[\[\]?]", "", word.pattern)


def test_every_vendors_rule_can_be_compiled() -> None:
    for _, hints, names, value in NAMED:
        assert hints
        assert re.compile(names)
        assert re.compile(value)


@pytest.mark.parametrize(
    "text",
    [
        "see eyJhbGciOiJI.e4 there",
        "a token\u212a and the password: hunter22",
        "pa\u017fsword and the password: hunter22",
        "İ and the password: hunter22",
    ],
)
def test_short_tokens_and_letters_of_two_cases_are_seen(text: str) -> None:
    masked = mask(text)
    assert "hunter22" not in masked
    assert "eyJ" not in masked


@pytest.mark.parametrize("gap", ["lorem ipsum, ", "0x3f ", "ж "])
def test_each_hint_is_found_in_a_long_text_and_no_other(gap: str) -> None:
    hints = {
        *(hint for shape in (*PLACES, *COMMANDS) for hint in shape.hints),
        *(word.hint for word in (*ANNOUNCING, *ANNOUNCING_TOO)),
        *(hint for shape in token_shapes() for hint in shape.hints),
    }
    literals = Literals(sorted(hints), often=("pass", "key", "://"))
    filling = gap * 100
    for hint in hints:
        text = f"{filling}{hint}{filling}"
        assert set(literals.of(text)) == {one for one in hints if one in text}


@given(
    st.lists(st.sampled_from([*"ab1 \n\\%=&;nx03Du", "\\u003d", "%20", "&amp;", "\x1b[31m"])).map(
        "".join
    )
)
def test_a_stretch_of_the_plain_reading_is_found_in_the_text(text: str) -> None:
    reading = plain(text)
    if reading is None:
        return
    covered = [reading.span(at, at + 1) for at in range(len(reading.text))]
    assert covered[0][0] == 0
    assert covered[-1][1] == len(text)
    for letter, (start, end) in zip(reading.text, covered, strict=True):
        assert start < end
        assert end - start > 1 or text[start] in (letter, "\x1b")


def test_what_is_found_says_its_kind_and_where_it_stands() -> None:
    text = "use \\nghp_" + "a1B2c3" * 6 + " and password: hunter22x"
    found = [(one.kind, text[one.start : one.end]) for one in secrets_in(text)]
    assert found == [("github-token", "ghp_" + "a1B2c3" * 6), ("password", "hunter22x")]


def test_names_that_differ_in_their_secret_stay_two() -> None:
    one, other = (name_out(f"agent:main:password={word}") for word in ("hunter22x", "hunter33x"))
    assert one != other
    assert "hunter" not in one + other
    assert name_out(one) == one
    assert name_out("agent:main:telegram:dm:123456789") == "agent:main:telegram:dm:123456789"


def test_nothing_is_masked_where_the_operator_switched_it_off() -> None:
    assert let_out("password: hunter22x", redacts=False) == "password: hunter22x"
    assert name_out("password=hunter22x", redacts=False) == "password=hunter22x"


def test_nothing_masks_but_the_one_way_out() -> None:
    package = Path(memconsole.__file__).parent
    importers = {
        path.name
        for path in package.rglob("*.py")
        if path.parent.name != "redaction"
        and "memconsole.text.redaction" in path.read_text("utf-8")
    }
    assert importers == {"outgoing.py"}
