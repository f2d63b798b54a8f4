"""Where secrets stand in a text of any length, and what is remembered of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memconsole.domain.memory.secrets import (
    AROUND,
    STRETCH,
    SecretCounts,
    Spot,
    counts_of,
    counts_text,
    spots,
)
from memconsole.text.outgoing import let_out

TOKEN = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
AT = datetime(2026, 1, 26, tzinfo=UTC)


def found(text: str) -> list[Spot]:
    return list(spots(((1, text),)))


def test_a_line_is_named_with_its_kind_and_its_masked_surroundings() -> None:
    [spot] = found(f"# Notes\n\nThe token is {TOKEN}, for CI.\n")
    kind = let_out(TOKEN).removeprefix("[redacted:").removesuffix("]")
    assert spot == Spot(3, kind, f"The token is [redacted:{kind}], for CI.")


def test_two_secrets_of_one_line_are_two_and_a_placeholder_is_none() -> None:
    text = f"first {TOKEN} then password: hunter2-Blue77!\n[redacted:token]\n"
    assert [(one.line, TOKEN in one.masked, "hunter2" in one.masked) for one in found(text)] == [
        (1, False, False),
        (1, False, False),
    ]


def test_a_key_of_several_lines_is_one_secret_on_its_first_line() -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEA" + "kq3Zt7Yw" * 6] * 20)
    [spot] = found(f"a\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nb")
    assert (spot.line, spot.kind) == (2, "private-key")


@pytest.mark.parametrize("shift", [-AROUND, -20, 0, 20, AROUND])
def test_a_secret_at_a_seam_of_two_stretches_is_found_once(shift: int) -> None:
    filler = "word " * ((STRETCH + shift) // 5)
    text = f"{filler}\n{TOKEN}\n" + "word " * STRETCH
    assert [one.line for one in found(text)] == [2]
    pieces = [(1, filler + "\n"), (2, TOKEN[:9]), (2, TOKEN[9:] + "\n"), (3, "word " * STRETCH)]
    assert [one.line for one in spots(pieces)] == [2]


def test_a_giant_line_is_one_line() -> None:
    giant = f'{{"data": "{"QUJD" * STRETCH}", "note": "token {TOKEN}"}}'
    assert [one.line for one in found(f"one\n{giant}\n{TOKEN}\n")] == [2, 3]


def test_events_of_a_database_keep_their_numbers() -> None:
    assert [one.line for one in spots(((7, f"{TOKEN}\n"), (12, "none\n"), (15, TOKEN)))] == [7, 15]


def test_what_is_remembered_comes_back_and_what_is_damaged_is_forgotten() -> None:
    kept = {"/w": SecretCounts(AT, {"MEMORY.md": ("12:x", 2)})}
    assert counts_of(counts_text(kept)) == kept
    for text in (None, "", "{", "[]", '{"schema": 2}', '{"schema": 1, "workspaces": {"/w": {}}}'):
        assert counts_of(text) == {}
