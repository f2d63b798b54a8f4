"""What lets a text be passed by quickly never passes by what the patterns would find."""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]  # nothing else tells how long a match is

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.redaction import mask
from memconsole.domain.redaction_patterns import (
    NEAR_WORD,
    NEAR_WORD_SMALL,
    SECRET_WORD,
    SECRET_WORD_SMALL,
    SHORTEST,
    TOKEN_SHAPES,
    TokenShape,
)

PIECES = (
    *("password", "Passwort", "DB_PASS", "_PASS", "pass", "passed", "pwd", "PWD", "mdp", "Hasło"),
    *("API_KEY", "api key", "keys", "keyword", "token", "TOKENS", "Secret", "creds", "CREDENTIAL"),
    *("пароль", "ТОКЕН", "密码", "トークン", "ŞİFRE", "schlüssel", "mot de passe", "parolă"),
    *("=", ":", " ", "\n", "_", "-", ".", "x", "9", "the", "hunter22"),
)


@pytest.mark.parametrize("shape", TOKEN_SHAPES, ids=lambda one: one.kind)
def test_no_token_is_shorter_than_the_words_that_are_looked_at(shape: TokenShape) -> None:
    least, _ = _parser.parse(shape.pattern).getwidth()
    assert least >= SHORTEST


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_small_letters_find_whatever_any_letters_find(text: str) -> None:
    lowered = text.lower()
    if len(lowered) != len(text):
        return
    for exact, quick in ((SECRET_WORD, SECRET_WORD_SMALL), (NEAR_WORD, NEAR_WORD_SMALL)):
        found = [match.start() for match in re.finditer(exact, text)]
        looked_at = [match.start() for match in re.finditer(quick, lowered)]
        assert bool(looked_at) or not found
        assert not found or looked_at[0] <= found[0]


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
