"""What a configuration value may be."""

from __future__ import annotations

import math
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.config.show import toml_text
from memconsole.domain.settings.kinds import (
    Choice,
    Counts,
    Kind,
    PathName,
    Ratio,
    Span,
    Switch,
    Texts,
    Url,
    Whole,
    Zone,
    span_text,
)
from memconsole.text.plain import one_line

WORDS = Choice("auto", "ws", "none")
WS = Url("ws", "wss")
NESTED: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (Kind(), " dark ", "dark"),
        (Switch(), True, True),
        (Switch(), False, False),
        (Whole(1), 1, 1),
        (Whole(0), 0, 0),
        (Ratio(), 1, 1.0),
        (Ratio(), 0.75, 0.75),
        (WORDS, "WS", "ws"),
        (WS, "ws://127.0.0.1:18789", "ws://127.0.0.1:18789"),
        (WS, "WSS://Host/Path", "wss://host/Path"),
        (PathName(), "~/x", Path("~/x")),
        (Zone(), "Europe/Berlin", "Europe/Berlin"),
        (Texts(), ["a", "b*"], ("a", "b*")),
        (Texts(), [], ()),
        (Counts(), {"agent:main:main": 5}, {"agent:main:main": 5}),
        (Counts(), {}, {}),
        (Span(), "90s", timedelta(seconds=90)),
        (Span(), "20m", timedelta(minutes=20)),
        (Span(), "6h", timedelta(hours=6)),
        (Span(), "7d", timedelta(days=7)),
        (Span(), "1.5s", timedelta(seconds=1.5)),
        (Span(), "250ms", timedelta(milliseconds=250)),
        (Span(), "1h 30m", timedelta(minutes=90)),
        (Span(), "0s", timedelta()),
        (Span(timedelta(minutes=1)), "60s", timedelta(minutes=1)),
    ],
)
def test_what_is_accepted(kind: Kind, raw: object, value: object) -> None:
    found = kind.parse(raw)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "raw", "part"),
    [
        (Kind(), "  ", "not empty"),
        (Kind(), 5, "text"),
        (Switch(), 1, 'true or false, not "1"'),
        (Switch(), "true", "true or false"),
        (Whole(1), 0, "1 or more"),
        (Whole(1), True, "whole number"),
        (Whole(1), 1.0, "whole number"),
        (Whole(0), 2**53 + 1, "whole number"),
        (Whole(1), "5", "whole number"),
        (Ratio(), 0, "above 0"),
        (Ratio(), 1.01, "up to 1"),
        (Ratio(), math.nan, "above 0"),
        (Ratio(), math.inf, "up to 1"),
        (Ratio(), True, "number"),
        (WORDS, "http", 'auto, ws or none, not "http"'),
        (WORDS, 5, "auto"),
        (WS, "http://x", "ws:// or wss://"),
        (WS, "ws://", "ws:// or wss://"),
        (WS, "127.0.0.1:18789", "ws:// or wss://"),
        (WS, 5, "ws://"),
        (WS, "ws://user:secret@host", "no user, password"),
        (WS, "ws://host?token=secret", "no user, password"),
        (PathName(), "", "path"),
        (PathName(), "a\0b", "path"),
        (PathName(), 5, "path"),
        (Zone(), "Europe/Atlantis", "such as Europe/Berlin"),
        (Zone(), "../../etc/passwd", "time zone"),
        (Zone(), "", "time zone"),
        (Zone(), 5, "time zone"),
        (Texts(), "a", "list"),
        (Texts(), ["a", 5], "list"),
        (Texts(), ["a", ""], "list"),
        (Counts(), {"a": 0}, "whole numbers"),
        (Counts(), {"a": True}, "whole numbers"),
        (Counts(), 5, "table"),
        (Span(), 20, 'needs a unit: "20"'),
        (Span(), 1.5, "needs a unit"),
        (Span(), "600", "needs a unit"),
        (Span(), "", "no duration"),
        (Span(), "-5m", "no duration"),
        (Span(), "5 minutes", "no duration"),
        (Span(), "5m3", "no duration"),
        (Span(), "1e3s", "no duration"),
        (Span(), None, "no duration"),
        (Span(), "99999d", "longer than 3660d"),
        (Span(), f"{'9' * 400}d", "longer than"),
        (Span(timedelta(minutes=1)), "59s", "1m or more"),
    ],
)
def test_what_is_refused(kind: Kind, raw: object, part: str) -> None:
    with pytest.raises(ValueError, match=r"must|unit|duration|longer") as refused:
        kind.parse(raw)
    assert part in str(refused.value)


def test_an_address_is_not_repeated_in_its_refusal() -> None:
    with pytest.raises(ValueError, match="must hold no user") as refused:
        WS.parse("ws://user:hunter2@host")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Switch(), "1", True),
        (Switch(), " Yes", True),
        (Switch(), "off", False),
        (Whole(), "120_000", 120_000),
        (Whole(), " 5 ", 5),
        (Ratio(), "0.5", 0.5),
        (WORDS, "none", "none"),
        (Span(), "20m", timedelta(minutes=20)),
        (Texts(), "a, b ,,c", ("a", "b", "c")),
        (Texts(), '["a, b"]', ("a, b",)),
        (Texts(), "", ()),
        (Counts(), '{ "agent:main:main" = 5 }', {"agent:main:main": 5}),
    ],
)
def test_text_of_a_variable(kind: Kind, text: str, value: object) -> None:
    assert kind.parse(kind.from_text(text)) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Switch(), "maybe"),
        (Whole(), "5k"),
        (Whole(), "9" * 5000),
        (Ratio(), "half"),
        (Ratio(), "nan"),
        (Texts(), "[1, 2]"),
        (Texts(), "[broken"),
        (Counts(), "a=1"),
        (Counts(), "{}\nother = 1"),
    ],
)
def test_text_that_is_none(kind: Kind, text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        kind.parse(kind.from_text(text))


@given(
    st.sampled_from([Kind(), Switch(), Whole(), Ratio(), WORDS, WS, PathName(), Zone()])
    | st.sampled_from([Texts(), Counts(), Span()]),
    NESTED,
)
def test_anything_is_a_value_or_a_refusal_of_one_line(kind: Kind, raw: object) -> None:
    for value in (raw, kind.from_text(str(raw))):
        message = refusal(kind, value)
        assert message == one_line(message)
        assert len(message) < 300


def refusal(kind: Kind, raw: object) -> str:
    try:
        kind.parse(raw)
    except ValueError as error:
        return str(error)
    return ""


@given(st.timedeltas(timedelta(), timedelta(days=3660)))
def test_a_duration_survives_being_written(span: timedelta) -> None:
    whole = timedelta(milliseconds=round(span / timedelta(milliseconds=1)))
    assert Span().parse(span_text(whole)) == whole


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(), "0s"),
        (timedelta(hours=24), "1d"),
        (timedelta(minutes=90), "90m"),
        (timedelta(seconds=1.5), "1500ms"),
    ],
)
def test_durations_as_text(span: timedelta, text: str) -> None:
    assert span_text(span) == text


@given(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.lists(st.text(st.characters(exclude_categories=["Cs"]))).map(tuple)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 2**60))
)
def test_values_are_written_as_toml_reads_them(
    value: str | bool | float | tuple[str, ...] | dict[str, int],
) -> None:
    expected: object = list(value) if isinstance(value, tuple) else value
    assert tomllib.loads(f"x = {toml_text(value)}") == {"x": expected}
