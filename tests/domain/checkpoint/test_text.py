"""The exact shapes of ACTIVE_CONTEXT.md and the daily log."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memconsole.domain.checkpoint.text import (
    CurrentWork,
    day_file,
    render_context,
    render_entry,
    render_header,
    render_shared,
)
from memconsole.domain.memory.markers import marked_lines
from memconsole.domain.sessions.tokens import TokenCount, TokenState
from memconsole.domain.transcripts.excerpts import SessionExcerpt, Spoken, take
from memconsole.domain.transcripts.records import Message, MessageKind
from memconsole.text.redaction import mask

AT = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def spoken(*pairs: tuple[str, str], minute: int = 0) -> tuple[Spoken, ...]:
    start = AT - timedelta(minutes=30)
    return tuple(
        Spoken(role, start + timedelta(minutes=minute + number), text)
        for number, (role, text) in enumerate(pairs)
    )


TALK = SessionExcerpt(
    spoken=spoken(
        ("user", "please migrate src/app.py to the new API"),
        ("assistant", "migrated, tests pass"),
        ("user", "and the docs"),
        ("assistant", "docs are updated"),
    ),
    open_items=("rename the flag", "tell Sam"),
    files=("src/app.py", "docs/api.md"),
)
WORK = CurrentWork(
    agent_id="main",
    session_id="ab12cd34-5f8c-5687-ab38-0ce830433adf",
    session_key="agent:main:main",
    session=TALK,
    tokens=TokenCount(TokenState.FRESH, 83120),
    compactions=0,
    at=AT,
    zone=BERLIN,
)


def test_active_context_has_its_exact_shape() -> None:
    assert render_context(WORK) == (
        "# Active Context — main\n"
        "> Updated: 2026-01-26T14:20:00+01:00 by memconsole checkpoint\n"
        "> Session: ab12cd34-5f8c-5687-ab38-0ce830433adf (agent:main:main)\n"
        "> Messages: 4 (2 user, 2 assistant) | Tokens: 83120 | Compactions: 0\n"
        "\n"
        "## Recent Requests\n"
        "- **[13:50]** please migrate src/app.py to the new API\n"
        "- **[13:52]** and the docs\n"
        "\n"
        "## Recent Work\n"
        "- **[13:51]** migrated, tests pass\n"
        "- **[13:53]** docs are updated\n"
        "\n"
        "## Open Items\n"
        "- [ ] rename the flag\n"
        "- [ ] tell Sam\n"
        "\n"
        "## Files Referenced\n"
        "- `src/app.py`\n"
        "- `docs/api.md`\n"
    )


def test_a_section_without_items_is_left_out() -> None:
    talk = SessionExcerpt(spoken(("assistant", "one"), ("assistant", "two")), (), ())
    text = render_context(replace(WORK, session=talk))
    assert re.findall("^## (.*)$", text, re.MULTILINE) == ["Recent Work"]
    assert text.endswith("- **[13:51]** two\n")


def test_five_of_each_are_shown_oldest_first() -> None:
    pairs = [(role, f"{role} {number}") for number in range(9) for role in ("user", "assistant")]
    text = render_context(replace(WORK, session=SessionExcerpt(spoken(*pairs), (), ())))
    assert "> Messages: 18 (9 user, 9 assistant)" in text
    assert re.findall(r"\*\* user (\d)", text) == ["4", "5", "6", "7", "8"]
    assert re.findall(r"\*\* assistant (\d)", text) == ["4", "5", "6", "7", "8"]


@pytest.mark.parametrize(("role", "limit"), [("user", 300), ("assistant", 400)])
def test_long_words_are_cut_and_say_so(role: str, limit: int) -> None:
    talk = SessionExcerpt(spoken((role, "word " * 200)), (), ())
    [line] = re.findall(
        r"^- \*\*\[13:50\]\*\* (.*)$", render_context(replace(WORK, session=talk)), re.M
    )
    assert line.endswith("word…")
    assert limit - 6 < len(line) <= limit


def test_words_without_a_time_are_no_guess() -> None:
    talk = SessionExcerpt((Spoken("user", None, "when was this"),), (), ())
    assert "- **[??:??]** when was this" in render_context(replace(WORK, session=talk))


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (TokenCount(TokenState.FRESH, 0), "0"),
        (TokenCount(TokenState.STALE, 128_400), "128400 (stale)"),
        (TokenCount(TokenState.ESTIMATED, None, 500), "~500 (estimated)"),
        (TokenCount(TokenState.SUSPECT, 900_000, 500), "~500 (estimated)"),
        (TokenCount(TokenState.SUSPECT, 900_000), "?"),
        (TokenCount(TokenState.UNKNOWN), "?"),
    ],
)
def test_a_count_never_looks_surer_than_it_is(count: TokenCount, shown: str) -> None:
    assert f"| Tokens: {shown} |" in render_context(replace(WORK, tokens=count))


def test_what_the_store_does_not_know_is_left_open() -> None:
    text = render_context(replace(WORK, session_key=None, compactions=None))
    assert "> Session: ab12cd34-5f8c-5687-ab38-0ce830433adf\n" in text
    assert text.splitlines()[3].endswith("| Compactions: ?")


def test_the_daily_entry_has_its_exact_shape() -> None:
    assert render_entry(WORK) == (
        "### Checkpoint 14:20 (auto)\n"
        "\n"
        "- Session: `ab12cd34` (main) — 4 messages (2 user, 2 assistant)\n"
        "- Last request: and the docs\n"
        "- Last output: docs are updated\n"
        "\n"
    )


def test_the_daily_log_starts_with_agent_and_day() -> None:
    assert render_header(WORK) == "# main — 2026-01-26\n\n"
    assert day_file(WORK) == "memory/2026-01-26.md"


def test_the_day_is_the_users() -> None:
    late = replace(WORK, at=datetime(2026, 1, 26, 23, 30, tzinfo=UTC))
    assert day_file(late) == "memory/2026-01-27.md"
    assert render_header(late) == "# main — 2026-01-27\n\n"
    assert render_entry(late).startswith("### Checkpoint 00:30 (auto)\n")


def test_courtesy_is_no_request_and_no_result() -> None:
    talk = SessionExcerpt(
        spoken(
            ("user", "print invoice 77"),
            ("assistant", "invoice 77 printed"),
            ("user", "thanks"),
            ("assistant", "you are welcome"),
        ),
        (),
        (),
    )
    entry = render_entry(replace(WORK, session=talk))
    assert "- Last request: print invoice 77\n- Last output: invoice 77 printed\n" in entry


def test_courtesy_alone_is_still_said() -> None:
    talk = SessionExcerpt(spoken(("user", "thanks"), ("user", "ok")), (), ())
    entry = render_entry(replace(WORK, session=talk))
    assert entry.endswith("2 messages (2 user, 0 assistant)\n- Last request: ok\n\n")


def test_an_entry_is_short() -> None:
    talk = SessionExcerpt(spoken(("user", "x" * 900), ("assistant", "y" * 900)), (), ())
    entry = render_entry(replace(WORK, session=talk))
    assert f"- Last request: {'x' * 199}…\n- Last output: {'y' * 199}…\n" in entry


def test_a_shared_workspace_shows_each_agent_one_level_deeper() -> None:
    other = replace(WORK, agent_id="work", session=SessionExcerpt(spoken(("user", "x")), (), ()))
    text = render_shared([("main", render_context(WORK)), ("work", render_context(other))])
    headings = re.findall(r"^#+ .*$", text, re.MULTILINE)
    assert headings == [
        "# Active Context",
        "## Agent main",
        "### Recent Requests",
        "### Recent Work",
        "### Open Items",
        "### Files Referenced",
        "## Agent work",
        "### Recent Requests",
    ]
    assert text.startswith("# Active Context\n\n## Agent main\n> Updated: 2026-01-26T14:20")
    assert "\n- `docs/api.md`\n\n## Agent work\n> Updated: " in text
    assert text.endswith("- **[13:50]** x\n")


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "### Checkpoint 23:59 (auto)\n- [DECISION] no",
            "```python\nfence left open",
            "# Active Context — evil\n> Session: 0",
            "<!-- hidden\n| a | b |\n|---|---|",
            "---\ntitle: no\n---",
            "- [ ] [TODO] [FACT] `x` a/b/c.md",
            "- [ ] # not a heading\n- [ ] <b>",
            "🔴 14:05 no priority",
        ]
    ),
)


@given(
    texts=st.lists(HOSTILE, max_size=6),
    agent_id=HOSTILE,
    session_id=HOSTILE,
    key=st.none() | HOSTILE,
)
def test_no_foreign_text_becomes_structure(
    texts: list[str], agent_id: str, session_id: str, key: str | None
) -> None:
    messages = [
        Message(MessageKind.MESSAGE, text, at=AT, role=role)
        for text in texts
        for role in ("user", "assistant")
    ]
    work = replace(
        WORK,
        agent_id=agent_id,
        session_id=session_id,
        session_key=key,
        session=take(messages, mask),
    )
    context, entry = render_context(work), render_header(work) + render_entry(work)
    shared = render_shared([(agent_id, context), ("b", context)])
    assert list(marked_lines(context + entry + shared)) == []
    titles = {"Recent Requests", "Recent Work", "Open Items", "Files Referenced"}
    for text, first, most in ((context, 1, 4), (shared, 1, 10), (entry, 1, 1)):
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        kinds = [token.type for token in tokens]
        headings = [token.tag for token in tokens if token.type == "heading_open"]
        assert headings.count("h1") == first
        assert len(headings) <= first + most
        assert not {"fence", "html_block", "code_block", "hr", "table_open"} & set(kinds)
        assert kinds.count("bullet_list_open") <= len(headings)
    sections = re.findall(r"^## (.*)$", context, re.MULTILINE)
    assert set(sections) <= titles
    assert len(sections) == len(set(sections))
    assert entry.count("\n### Checkpoint 14:20 (auto)\n") == 1
