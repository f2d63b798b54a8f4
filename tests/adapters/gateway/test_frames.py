"""A Gateway that answers anything, at every step, is told by a verdict; nothing falls over."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.adapters.gateway.frames import decode
from memconsole.domain.gateway import Verdict
from tests.adapters.gateway.scripted import CHALLENGE, hello, ok, scripted
from tests.adapters.gateway.test_verdicts import client
from tests.lengths import costly

if TYPE_CHECKING:
    from pathlib import Path

    from tests.program import Json

NUMBERS = count()
LEAVES = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, -1, 3, 4, 10**20, 2**63, 1.5, 1e308, float("nan"), float("inf")])
    | st.sampled_from(
        ["", "\x1b[31m", "\u202e", "\ud800", "agent:main:main", "hello-ok", "x" * 9000]
    )
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def like(whole: Json) -> st.SearchStrategy[Json]:
    """Return objects like one: each part as it is, anything else, or left out."""
    if not isinstance(whole, dict):
        return st.just(whole) | JSON
    return st.fixed_dictionaries({}, optional={name: like(one) for name, one in whole.items()})


ROW = {
    **{"key": "agent:main:main", "agentId": "main", "sessionId": "s-1", "status": "running"},
    **{"totalTokens": 160_000, "totalTokensFresh": True, "contextTokens": 200_000},
    **{"updatedAt": 1775984400000, "label": "talk", "compactionCount": 2, "model": "m"},
}
PAGE = {"sessions": [ROW], "hasMore": False, "nextOffset": 1, "totalCount": 1}
ROWS = st.lists(like(ROW) | JSON, max_size=3)
HALF = {**PAGE, "sessions": [{**ROW, "label": "a rocket \ud83d", "model": "\udc00m"}]}
RAW = st.binary(max_size=12) | st.text(max_size=12)


@given(
    like(CHALLENGE) | st.just(CHALLENGE),
    like(hello("sessions.list")) | st.just(hello("sessions.list")) | JSON,
    like(PAGE) | ROWS.map(lambda rows: {"sessions": rows}) | JSON,
    st.lists(RAW, max_size=2),
)
@costly(8)
@example(CHALLENGE, hello("sessions.list"), PAGE, [b"\xff", "["])
def test_any_words_of_a_gateway_give_a_verdict(
    tmp_path: Path, challenge: Json, greeting: Json, page: Json, noise: list[bytes | str]
) -> None:
    steps: list[Json] = [
        {"send": challenge},
        {"on": "*", "reply": ok(greeting)},
        *({"raw": one} for one in noise),
        {"on": "*", "reply": ok(page)},
    ]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path / f"{next(NUMBERS)}", timeout_s=0.3)
        reading = made.read()
        made.close()
    assert reading.status.verdict in set(Verdict)
    assert "\x1b" not in f"{reading.status.reason}{reading.status.hint}{reading.status.version}"
    for one in reading.sessions.values():
        assert one.key
        assert one.tokens is None or one.tokens >= 0


def test_half_a_character_in_a_label_is_marked_and_the_answer_read(tmp_path: Path) -> None:
    """The platform cuts labels by units of UTF-16, and writes what is left as an escape."""
    greeting = ok(hello("sessions.list"))
    steps: list[Json] = [{"send": CHALLENGE}, {"on": "*", "reply": greeting}]
    with scripted([*steps, {"on": "*", "reply": ok(HALF)}]) as script:
        made, _ = client(script.url, tmp_path / "state", timeout_s=5)
        reading = made.read()
        made.close()
    assert reading.status.verdict == Verdict.UP
    assert [one.tokens for one in reading.sessions.values()] == [160_000]


@pytest.mark.parametrize(
    "data", ['{"a": NaN, "b": "\\ud83d"}', b'{"a": "\\ud83d\xff"}', "[" * 9000]
)
def test_half_a_character_makes_no_frame_of_what_is_none(data: str | bytes) -> None:
    assert decode(data) is None


def test_halves_that_make_a_pair_are_one_character() -> None:
    assert decode(b'{"a": "\\ud83d", "b": "\\ud83d\\ude80 \\udc00!"}') == {
        "a": "\ufffd",
        "b": "\U0001f680 \ufffd!",
    }
