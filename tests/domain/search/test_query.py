"""No text is an error, and what is searched is what was typed."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.search.query import match_spans, parse, snippet, stem


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("don't use agents", ("don", "use", "agents")),
        ("Downloads/transcripts", ("downloads", "transcripts")),
        ('"--error-on-warnings"', ("error", "warnings")),
        ("foo(bar) AND NOT baz*", ("foo", "bar", "baz")),
        ("title:secret", ("title", "secret")),
        ("AND", ("and",)),
        ("who am i", ("who", "am", "i")),
        ("db-4417", ("db", "4417")),
        ("怀孕", ("怀孕",)),
        ("twice twice TWICE", ("twice",)),
        ("50%", ("50",)),
    ],
)
def test_words_are_literals_and_stop_words_leave_unless_alone(
    text: str, wanted: tuple[str, ...]
) -> None:
    assert parse(text).words == wanted


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\0"])
def test_nothing_is_an_empty_query(text: str) -> None:
    assert parse(text).is_empty
    assert parse(text).literals() == ()


@pytest.mark.parametrize("text", ["*", '"', "()", "--", "^", "'"])
def test_signs_alone_are_a_query_without_words(text: str) -> None:
    assert not parse(text).is_empty
    assert parse(text).literals() == ()


@given(st.text(max_size=200), st.booleans())
def test_every_text_is_a_valid_expression(text: str, is_typing: bool) -> None:
    query = parse(text, is_typing=is_typing)
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
        for expression in (*query.literals(), " OR ".join(query.literals())):
            if expression:
                connection.execute("SELECT * FROM t WHERE t MATCH ?", (expression,)).fetchall()
    connection.close()


def test_a_giant_query_is_bounded() -> None:
    query = parse(" ".join(f"word{number}" for number in range(20_000)))
    assert len(query.words) <= 48


def test_the_last_word_may_be_a_beginning_while_typing() -> None:
    assert parse("that data", is_typing=True).prefix == "data"
    assert parse("that data ", is_typing=True).prefix is None
    assert parse("d", is_typing=True).prefix is None
    assert parse("da", is_typing=True, prefix_least=3).prefix is None
    assert '"data" *' in parse("that data", is_typing=True).literals()
    assert parse("that data").prefix is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("running", "run"), ("cities", "city"), ("backups", "backup"), ("moved", "move")],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_marks_show_where_words_stand() -> None:
    text = "The backups RUN nightly; 数据库备份 too"
    marked = [text[a:b] for a, b in match_spans(text, parse("backup running 备份"))]
    assert marked == ["backups", "RUN", "备份"]


@given(st.text(max_size=300), st.text(max_size=40))
def test_marks_lie_inside_the_text_and_apart(text: str, typed: str) -> None:
    position = 0
    for start, end in match_spans(text, parse(typed)):
        assert position <= start < end <= len(text)
        position = end


def test_a_snippet_is_cut_around_the_match() -> None:
    text = "\n".join(f"line {number} of nothing" for number in range(200))
    text = text.replace("line 150 of nothing", "line 150 names the needle")
    part, marks = snippet(text, parse("needle"))
    assert len(part) <= 700
    assert [part[a:b] for a, b in marks] == ["needle"]


def test_a_snippet_without_a_match_is_the_beginning() -> None:
    part, marks = snippet("a" * 2000, parse("needle"))
    assert part == "a" * 700
    assert marks == ()


@given(st.text(max_size=3000), st.text(max_size=30))
def test_a_snippet_is_part_of_its_text(text: str, typed: str) -> None:
    part, marks = snippet(text, parse(typed))
    assert part in text
    assert len(part) <= 700
    assert all(0 <= a < b <= len(part) for a, b in marks)


@given(
    st.lists(
        st.sampled_from(["set_user_id", "running", "runs", "Run", "a_b", "x", "__", "-", " ", "42"])
    ).map("".join),
    st.sampled_from(["run", "user ids", "set", "b", "4", "running users", "_"]),
    st.booleans(),
)
def test_ascii_text_is_marked_like_any_other(text: str, typed: str, is_typing: bool) -> None:
    query = parse(typed, is_typing=is_typing)
    assert match_spans(text, query) == match_spans(f"{text} \u00e9", query)
