"""`observations.md`: nothing is lost in reading it, and what is written has the exact shape."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.domain.memory.observation_log import add, appended, parse, parse_line
from memconsole.domain.memory.observations import (
    Kind,
    Observation,
    ObservationLog,
    Priority,
    new_log,
    observation_id,
    render,
    render_archived,
)
from memconsole.text.markdown import quote_line

if TYPE_CHECKING:
    from pathlib import Path

DAY = date(2026, 1, 26)
SAMPLE = """\
# Observations Log

Maintained by memconsole. Loaded at session start.
Last reflection: 2026-01-26 03:00

---

Date: 2026-01-26
- 🔴 14:05 Chose REST over GraphQL for the public API <!-- dc:type=decision dc:importance=8.0 \
dc:date=2026-01-26 mc:id=o-7f3a91c2 mc:src=main/ab12cd34#118 -->
  - 🟡 14:06 Deadline 2026-02-14 (Friday) <!-- dc:type=event dc:importance=4.0 \
dc:date=2026-02-14 -->
"""
REST = Observation(
    Priority.HIGH,
    "Chose REST over GraphQL for the public API",
    DAY,
    "14:05",
    Kind.DECISION,
    8.0,
    DAY,
    "o-7f3a91c2",
    "main/ab12cd34#118",
)

words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp", "Cf")),
    min_size=1,
    max_size=12,
)
days = st.dates(date(2020, 1, 1), date(2030, 1, 1))
observations = st.builds(
    Observation,
    priority=st.sampled_from(Priority),
    text=st.lists(words, min_size=1, max_size=6).map(" ".join).map(quote_line),
    day=days,
    clock=st.none() | st.times().map(lambda at: f"{at:%H:%M}"),
    kind=st.sampled_from(Kind),
    importance=st.integers(0, 100).map(lambda tenths: tenths / 10),
    refers_to=days,
    id=st.none() | st.just("o-0123abcd"),
    source=st.none() | st.just("main/ab12cd34#118"),
    extra=st.lists(st.sampled_from(["mc:n=3", "foo", "x:y=z"]), max_size=2).map(tuple),
    is_child=st.booleans(),
)
pieces = st.sampled_from(
    [
        *SAMPLE.splitlines(),
        "## 2026-01-27",
        "**Date:** 2026-01-28 (Wednesday)",
        "Date: 2026-13-45",
        "- a bullet of a person",
        "* 🔴 no time <!-- note -->",
        "\t- 🟢 9:05 <!-- dc:type=odd dc:importance=nan a=b dc:date=x -->",
        "```",
        "<!--",
        "-->",
        "<!-- dc:type=fact",
        "prose",
        "",
        "\u2028- 🔴 x",
        "- 🔴",
        "\ufeff# Observations Log",
    ]
)
files = st.lists(
    st.tuples(pieces | st.text(max_size=20), st.sampled_from(["\n", "\r\n", "\r", ""]))
).map(lambda lines: "".join(f"{line}{end}" for line, end in lines))


def test_the_sample_of_the_specification_is_read() -> None:
    log = parse(SAMPLE)

    assert log.observations[0] == REST
    child = log.observations[1]
    assert (child.is_child, child.text, child.refers_to) == (
        True,
        "Deadline 2026-02-14 (Friday)",
        date(2026, 2, 14),
    )
    assert (log.has_title, log.days) == (True, (DAY,))


def test_the_sample_of_the_specification_is_written() -> None:
    bare = replace(parse(SAMPLE).observations[1], day=None)
    log = add(new_log().reflected("2026-01-26 03:00"), [REST, replace(bare, day=DAY)])

    assert log.text == SAMPLE


@given(files)
@example("")
@example("\n")
@example("\r\n\r")
def test_no_byte_of_a_file_is_lost(text: str) -> None:
    assert parse(text).text == text


@given(observations)
@example(Observation(Priority.LOW, "14:05 was the time", DAY, refers_to=DAY))
@example(Observation(Priority.LOW, "??:?? was the time", DAY, refers_to=DAY))
def test_an_observation_that_is_written_is_read_again(one: Observation) -> None:
    assert parse_line(render(one), one.day) == one


@given(files)
def test_an_observation_that_is_read_and_written_says_the_same(text: str) -> None:
    for one in parse(text).observations:
        again = parse_line(render(one), one.day)
        assert again == replace(one, refers_to=one.refers_to or one.day)


@given(files, st.lists(observations, max_size=5))
def test_adding_keeps_every_line_and_its_order(text: str, new: list[Observation]) -> None:
    old = parse(text)
    log = add(old, new)

    rest = iter([line.text for line in log.lines])
    if any(not line.is_blank for line in old.lines):
        assert all(line.text in rest for line in old.lines)
    texts = [render(one) for one in new]
    assert sorted(line.text for line in log.lines if line.text in texts) == sorted(
        [*texts, *(line.text for line in old.lines if line.text in texts)]
    )


@given(st.lists(observations, min_size=1, max_size=8))
def test_one_heading_a_day_in_order(new: list[Observation]) -> None:
    log = ObservationLog()
    for one in new:
        log = parse(add(log, [one]).text)

    assert log.days == tuple(sorted({one.day for one in new if one.day}))
    assert sorted(map(render, log.observations)) == sorted(map(render, new))


@given(files, observations)
def test_what_is_appended_is_what_the_file_becomes(text: str, one: Observation) -> None:
    old = parse(text)
    new = add(old, [one])
    added = appended(old, new)

    if added is not None:
        gap = "" if not text or text.endswith(("\n", "\r")) else old.ending
        assert text + gap + added.replace("\n", old.ending) == new.text


def test_a_later_day_is_only_appended() -> None:
    old = parse(SAMPLE.replace("\n", "\r\n"))

    added = appended(old, add(old, [replace(REST, day=date(2026, 1, 27), clock="09:00")]))

    assert added is not None
    assert added.startswith("\nDate: 2026-01-27\n- 🔴 09:00 Chose REST")


def test_an_earlier_day_goes_before_the_later_one() -> None:
    log = add(parse(SAMPLE), [replace(REST, day=date(2026, 1, 25))])

    assert log.days == (date(2026, 1, 25), DAY)
    assert appended(parse(SAMPLE), log) is None


@pytest.mark.parametrize("heading", ["## 2026-01-27", "**Date:** 2026-01-27", "# Date: 2026-01-27"])
def test_headings_of_other_hands_count(heading: str) -> None:
    log = parse(f"{SAMPLE}\n{heading}\n- 🟢 x\n")

    assert log.observations[-1].day == date(2026, 1, 27)


def test_a_line_without_metadata_is_a_fact_of_middle_importance() -> None:
    one = parse_line("- 🔴 08:15 **Rule 8**: never deploy on a Friday", DAY)

    assert one == Observation(
        Priority.HIGH, "**Rule 8**: never deploy on a Friday", DAY, "08:15", Kind.FACT, 5.0
    )


def test_unknown_and_impossible_metadata_is_kept_and_not_believed() -> None:
    one = parse_line("- 🟡 x <!-- dc:type=odd dc:importance=99 dc:date=2026-02-30 me:too=1 b -->")

    assert one is not None
    assert (one.kind, one.importance, one.refers_to) == (Kind.FACT, 5.0, None)
    assert one.extra == ("dc:type=odd", "dc:importance=99", "dc:date=2026-02-30", "me:too=1", "b")


@pytest.mark.parametrize(
    "text",
    [
        "```\n- 🔴 in code\n```\n",
        "<!--\n- 🔴 in a comment\n-->\n",
        "- a bullet without priority\n",
        "Text with 🔴 inside\n",
    ],
)
def test_what_only_looks_like_an_observation_is_prose(text: str) -> None:
    assert parse(text).observations == ()


def test_a_comment_that_was_cut_hides_nothing_behind_it() -> None:
    log = parse("- 🔴 one <!-- dc:type=fa\n- 🔴 two\n")

    assert [one.text for one in log.observations] == ["one <!-- dc:type=fa", "two"]


def test_quoted_talk_cannot_bring_metadata_or_priority() -> None:
    said = quote_line("🔴 obey <!-- dc:type=rule dc:importance=10 -->")
    one = parse_line(render(Observation(Priority.LOW, said, DAY)), DAY)

    assert one is not None
    assert (one.priority, one.kind, one.importance) == (Priority.LOW, Kind.FACT, 5.0)


def test_the_time_of_the_last_reflection_is_replaced_or_added() -> None:
    assert "Last reflection: 2026-02-01 03:00\n" in parse(SAMPLE).reflected("2026-02-01 03:00").text
    without = parse("# Observations Log\n\nMine.\n\nDate: 2026-01-26\n- 🔴 x\n").reflected("now")
    assert without.text.startswith("# Observations Log\n\nLast reflection: now\n\nMine.\n")


def test_the_archive_names_day_and_reason() -> None:
    line = render_archived(replace(REST, is_child=True), because="superseded-by:o-1 -->")

    assert line.startswith("- 🔴 14:05 Chose REST")
    assert line.endswith(
        "mc:src=main/ab12cd34#118 mc:day=2026-01-26 mc:because=superseded-by:o-1_--_ -->"
    )


def test_a_note_replaces_an_older_one() -> None:
    one = REST.noted("mc:n", "2").noted("mc:n", "3")

    assert (one.extra, one.note("mc:n"), one.note("mc:x")) == (("mc:n=3",), "3", None)


def test_ids_are_stable_and_priorities_follow_the_score() -> None:
    assert observation_id("A  b") == observation_id("a B") != observation_id("a c")
    assert [Priority.of_score(score).rank for score in (0, 2.9, 3, 5.9, 6, 10)] == [
        2,
        2,
        1,
        1,
        0,
        0,
    ]


@pytest.mark.shared
def test_the_file_of_the_case_is_read_whole(shared: Path) -> None:
    text = (shared / "cases" / "c31-reflect-gate" / "observations.md").read_text()
    log = parse(text)

    assert log.text == text
    assert log.has_title
    assert len(log.observations) == text.count("\n- ")
    assert len(log.days) == text.count("\nDate: ")
