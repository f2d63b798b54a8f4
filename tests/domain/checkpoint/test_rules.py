"""Which session a checkpoint takes, and when it writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import AgentRef, HomeRef, Storage
from memconsole.domain.checkpoint.rules import (
    Capture,
    Due,
    Memory,
    Side,
    candidates,
    compare,
    content_hash,
    decide,
    is_readable,
    kept_back,
    label_of,
    left_out,
    named,
    newest_first,
    nothing_new,
    saved,
    touched_at,
)
from memconsole.domain.commands.outcomes import Written
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    StoreListing,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.transcripts.excerpts import Spoken
from memconsole.domain.transcripts.records import TranscriptCounts

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")

WINDOW = timedelta(minutes=15)


def session(
    session_id: str,
    key: str | None,
    *,
    age: float = 10,
    state: SessionState = SessionState.LIVE,
    chat_type: str | None = None,
    has_text: bool = True,
) -> StoredSession:
    """A session in which something was said `age` minutes ago; its file is new."""
    at = NOW - timedelta(minutes=age)
    ref = TranscriptRef(
        MAIN, session_id, TranscriptKind.FILE, Path(f"/x/{session_id}.jsonl"), 5000, NOW
    )
    return StoredSession(
        agent=MAIN,
        key=None if key is None else parse_key(key, owner="main"),
        session_id=session_id,
        state=state,
        transcript_state=TranscriptState.PRESENT if has_text else TranscriptState.NONE,
        transcript=ref if has_text else None,
        chat_type=chat_type,
        spoke_at=at,
        updated_at=NOW,
    )


def orphan(session_id: str, *, age: float = 10) -> StoredSession:
    return session(session_id, None, age=age, state=SessionState.ORPHAN)


def chosen(*sessions: StoredSession, storage: Storage = Storage.FILES, **left: int) -> list[str]:
    listing = StoreListing(sessions, storage, left_out=left)
    return [one.session_id or "" for one in newest_first(candidates(listing))]


class TestCandidates:
    def test_the_newest_session_with_one_person_comes_first(self) -> None:
        found = chosen(
            session("old", "agent:main:main", age=60),
            session("new", "agent:main:telegram:dm:5", age=5),
            session("mid", "agent:main:dashboard:x", age=20),
        )
        assert found == ["new", "mid", "old"]

    @pytest.mark.parametrize(
        "key",
        [
            "agent:main:telegram:group:-5",
            "agent:main:discord:channel:7",
            "agent:main:telegram:group:-5:topic:3",
            "agent:main:cron:daily",
            "agent:main:subagent:f00",
            "hook:gmail:1",
            "agent:main:incognito-1",
            "agent:main:whatever",
        ],
    )
    def test_other_kinds_are_never_taken(self, key: str) -> None:
        assert chosen(session("x", key, age=1), session("m", "agent:main:main")) == ["m"]
        assert chosen(session("x", key)) == []

    def test_the_chat_type_decides_where_the_key_does_not(self) -> None:
        assert chosen(session("x", "agent:main:whatever", chat_type="direct")) == ["x"]
        assert chosen(session("x", "agent:main:whatever", chat_type="group")) == []

    def test_archives_and_sessions_without_a_transcript_are_left(self) -> None:
        assert (
            chosen(
                session("a", "agent:main:main", state=SessionState.ARCHIVED),
                session("b", "agent:main:dashboard:x", has_text=False),
            )
            == []
        )

    def test_of_two_at_one_moment_the_main_session_is_first(self) -> None:
        found = chosen(session("d", "agent:main:dashboard:x"), session("m", "agent:main:main"))
        assert found == ["m", "d"]

    def test_transcripts_alone_are_the_agents_work(self) -> None:
        assert chosen(orphan("old", age=60), orphan("new", age=5)) == ["new", "old"]

    def test_a_session_just_reset_leaves_its_orphan(self) -> None:
        fresh = session("fresh", "agent:main:main", has_text=False)
        assert chosen(fresh, orphan("before")) == ["before"]

    def test_beside_a_named_session_orphans_are_history(self) -> None:
        assert chosen(session("m", "agent:main:main", age=500), orphan("o", age=1)) == ["m"]

    @pytest.mark.parametrize("key", ["agent:main:telegram:group:-5", "agent:main:cron:daily"])
    def test_beside_a_group_or_job_an_orphan_may_be_theirs(self, key: str) -> None:
        assert chosen(session("g", key), orphan("o")) == []

    def test_in_a_store_that_cannot_be_read_an_orphan_may_be_anything(self) -> None:
        assert chosen(orphan("o"), storage=Storage.UNREADABLE) == []
        assert chosen(orphan("o"), unreadable=1) == []
        assert chosen(session("m", "agent:main:main"), unreadable=1) == ["m"]

    def test_a_listing_is_readable_or_not(self) -> None:
        assert is_readable(StoreListing((), Storage.NONE))
        assert not is_readable(StoreListing((), Storage.UNREADABLE))


class TestNamed:
    SESSIONS = (
        session("past", "agent:main:main", state=SessionState.ARCHIVED),
        session("now", "agent:main:main"),
        orphan("lost"),
    )

    @pytest.mark.parametrize(
        ("name", "found"),
        [("agent:main:main", "now"), ("past", "past"), ("lost", "lost")],
    )
    def test_by_key_or_by_id(self, name: str, found: str) -> None:
        stored = named(self.SESSIONS, name)
        assert stored is not None
        assert stored.session_id == found

    @pytest.mark.parametrize("name", ["main", "no", "agent:main", ""])
    def test_never_by_a_part(self, name: str) -> None:
        assert named(self.SESSIONS, name) is None


def test_a_session_without_any_time_is_the_oldest() -> None:
    """The file, which is new, says nothing about its age."""
    timeless = replace(session("t", "agent:main:dashboard:t"), updated_at=None, spoke_at=None)
    assert timeless.transcript is not None
    assert timeless.transcript.modified_at == NOW
    assert chosen(timeless, session("m", "agent:main:main", age=9999)) == ["m", "t"]


def test_a_session_is_as_old_as_its_newest_message() -> None:
    stored = session("a", None)
    assert touched_at(stored) == NOW - timedelta(minutes=10)
    assert touched_at(replace(stored, spoke_at=None)) == NOW
    assert touched_at(replace(stored, spoke_at=None, updated_at=None)) is None


def said(*texts: str) -> list[Spoken]:
    return [Spoken("user", NOW, text) for text in texts]


class TestContentHash:
    def test_equal_words_are_equal(self) -> None:
        assert content_hash(said("a", "b")) == content_hash(said("a", "b"))
        later = [replace(one, at=None) for one in said("a", "b")]
        assert content_hash(later) == content_hash(said("a", "b"))

    @pytest.mark.parametrize("other", [("a",), ("ab",), ("a", "b", ""), ("b", "a"), ("", "ab")])
    def test_other_words_are_not(self, other: tuple[str, ...]) -> None:
        assert content_hash(said(*other)) != content_hash(said("a", "b"))

    def test_who_said_it_counts(self) -> None:
        assert content_hash([Spoken("assistant", NOW, "a")]) != content_hash(said("a"))

    @given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
    def test_only_equal_lists_meet(self, one: list[str], other: list[str]) -> None:
        is_equal = content_hash(said(*one)) == content_hash(said(*other))
        plain = [text.encode("utf-8", "replace") for text in one]
        assert is_equal == (plain == [text.encode("utf-8", "replace") for text in other])


def capture(session_id: str = "s", content: str = "c", *, age: float, logged: bool) -> Capture:
    return Capture(
        agent=MAIN,
        session_id=session_id,
        session_key=None,
        at=NOW - timedelta(minutes=age),
        content_hash=content,
        block="b",
        is_logged=logged,
        day_file=None,
        workspace="/w",
    )


def due(
    memory: Memory,
    *,
    content: str = "c",
    is_forced: bool = False,
    is_urgent: bool = False,
    is_newest: bool = True,
    has_context: bool = True,
) -> Due:
    return decide(
        session_id="s",
        content=content,
        memory=memory,
        is_forced=is_forced,
        is_urgent=is_urgent,
        is_newest=is_newest,
        has_context=has_context,
        now=NOW,
        window=WINDOW,
    )


def remembered(one: Capture) -> Memory:
    logged = one if one.is_logged else None
    return Memory(one, logged, logged if one.session_id == "s" else None)


class TestDecide:
    def test_what_is_urgent_waits_for_no_window_and_is_not_written_twice(self) -> None:
        before = remembered(capture(age=1, logged=True))
        assert due(before, content="new", is_urgent=True) == Due(context=True, entry=True)
        assert due(before, is_urgent=True) == Due(context=False, entry=False)
        assert due(before, is_forced=True) == Due(context=True, entry=True)

    def test_the_first_checkpoint_writes_both(self) -> None:
        assert due(Memory(), has_context=False) == Due(context=True, entry=True)

    @pytest.mark.parametrize("age", [0, 1, 14.9, 15, 600])
    def test_no_news_no_writing_however_old(self, age: float) -> None:
        found = due(remembered(capture(age=age, logged=True)))
        assert (found.context, found.entry) == (False, False)

    def test_no_news_but_the_file_is_gone(self) -> None:
        found = due(remembered(capture(age=60, logged=True)), has_context=False)
        assert (found.context, found.entry) == (True, False)

    @pytest.mark.parametrize(("age", "entry"), [(0, False), (14.99, False), (15, True), (60, True)])
    def test_news_are_written_the_log_waits_for_its_window(self, age: float, entry: bool) -> None:
        found = due(remembered(capture(age=age, logged=True)), content="new")
        assert (found.context, found.entry) == (True, entry)
        ends = None if entry else NOW - timedelta(minutes=age) + WINDOW
        assert found.window_ends_at == ends

    def test_news_that_waited_are_logged_once_the_window_is_over(self) -> None:
        logged = capture(content="old", age=20, logged=True)
        memory = Memory(capture(age=10, logged=False), logged, logged)
        assert due(memory) == Due(context=False, entry=True)

    def test_a_clock_set_back_keeps_nothing_back(self) -> None:
        found = due(remembered(capture(age=-300, logged=True)), content="new")
        assert (found.context, found.entry) == (True, True)

    def test_the_window_is_the_agents_whatever_session(self) -> None:
        found = due(remembered(capture("other", age=5, logged=True)))
        assert (found.context, found.entry) == (True, False)

    def test_a_session_that_comes_back_unchanged_is_not_logged_again(self) -> None:
        mine = capture(age=90, logged=True)
        other = capture("other", "x", age=60, logged=True)
        assert due(Memory(other, other, mine)) == Due(context=True, entry=False)

    def test_force_passes_both_rules(self) -> None:
        found = due(remembered(capture(age=1, logged=True)), is_forced=True)
        assert found == Due(context=True, entry=True)

    @pytest.mark.parametrize("is_forced", [True, False])
    def test_an_older_session_is_logged_and_leaves_the_context(self, is_forced: bool) -> None:
        found = due(Memory(), is_newest=False, is_forced=is_forced, has_context=False)
        assert found == Due(context=False, entry=True)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (TranscriptCounts(), ""),
        (TranscriptCounts(damaged=1), "; 1 damaged line was left out"),
        (TranscriptCounts(damaged=3), "; 3 damaged lines were left out"),
        (
            TranscriptCounts(damaged=1, in_progress=1),
            "; 1 damaged line was left out; the last line is still being written",
        ),
    ],
)
def test_what_was_left_out_in_words(counts: TranscriptCounts, words: str) -> None:
    assert left_out(counts) == words


def test_a_label_is_the_key_else_the_id() -> None:
    assert label_of(session("a", "agent:main:main")) == "agent:main:main"
    assert label_of(orphan("a1")) == "a1"
    assert label_of(replace(orphan("a"), session_id=None)) == "a session"
    assert label_of(session("a", "agent:main:\x1b[31m" + "x" * 500)).startswith("agent:main:xxx")
    assert len(label_of(session("a", "agent:main:" + "x" * 500))) == 120


def test_what_was_saved_in_words() -> None:
    wrote = [Written("memory/ACTIVE_CONTEXT.md", 2150), Written("memory/2026-01-26.md", 300)]
    assert saved(18, "main", wrote) == (
        "saved 18 messages of main: memory/ACTIVE_CONTEXT.md (2 KB) and "
        "memory/2026-01-26.md (300 B)"
    )
    assert saved(1, "main", wrote[1:], is_plan=True) == (
        "would save 1 message of main: memory/2026-01-26.md (300 B)"
    )


def test_why_there_is_no_entry_in_words() -> None:
    zone = None
    assert kept_back(Due(context=True, entry=True), zone) == ""
    assert kept_back(Due(context=True, entry=False), zone) == "; the daily log has this already"
    early = Due(context=True, entry=False, window_ends_at=NOW)
    assert kept_back(early, zone).startswith("; no daily entry before ")
    assert nothing_new("main", None, Due(context=False, entry=False), zone) == "nothing new in main"
    last = capture(age=5, logged=True)
    since = nothing_new("main", last, Due(context=False, entry=False), zone)
    assert since.startswith("nothing new in main since the checkpoint of ")
    waits = nothing_new("main", last, replace(early, context=False), zone)
    assert waits.startswith("nothing new of main to write; no daily entry before ")


OLDER = """# Active Context — main
> Updated: 2026-01-26T14:00:00+01:00 by memconsole checkpoint
> Messages: 2 (1 user, 1 assistant) | Tokens: 1000 | Compactions: 0

## Recent Requests
- **[13:50]** migrate the shop
"""

NEWER = """# Active Context — main
> Updated: 2026-01-26T14:30:00+01:00 by memconsole checkpoint
> Messages: 4 (2 user, 2 assistant) | Tokens: 1400 | Compactions: 0

## Recent Requests
- **[14:20]** and the docs

## Open Items
- [ ] tell Ada
"""

lines = st.lists(st.sampled_from(["", "- a", "- b", "> head", "## Part"]), max_size=12)


def test_what_was_saved_counts_and_when_does_not() -> None:
    diff = compare(OLDER, NEWER)

    assert (diff.added, diff.removed) == (2, 1)
    assert [line.text for line in diff.lines if line.side is Side.BOTH] == [
        "# Active Context — main",
        "",
        "## Recent Requests",
    ]
    assert [line.text for line in diff.lines if line.counts] == [
        "- **[13:50]** migrate the shop",
        "- **[14:20]** and the docs",
        "- [ ] tell Ada",
    ]


def test_the_same_work_at_another_time_is_no_change() -> None:
    later = OLDER.replace("14:00:00", "14:30:00")
    diff = compare(OLDER, later)

    assert (diff.added, diff.removed) == (0, 0)
    assert sum(line.side is not Side.BOTH for line in diff.lines) == 2


@given(lines, lines)
def test_both_texts_can_be_read_out_of_it(older: list[str], newer: list[str]) -> None:
    found = compare("\n".join(older), "\n".join(newer)).lines

    for side, text in ((Side.OLDER, older), (Side.NEWER, newer)):
        kept = [line.text for line in found if line.side in (Side.BOTH, side)]
        assert kept == "\n".join(text).splitlines()
