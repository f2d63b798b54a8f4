"""The end of a transcript, its usage, and all of it: on made talks and on recorded ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.transcripts.entries import entries_backward, entries_forward
from memconsole.adapters.transcripts.lines import lines_backward, lines_forward
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.sessions.stored import TranscriptKind, TranscriptRef
from memconsole.domain.transcripts.messages import FilterReason, message_of
from memconsole.domain.transcripts.path import active_flags
from memconsole.domain.transcripts.records import (
    Compaction,
    Entry,
    EntryKind,
    MessageKind,
    Tail,
    ToolUse,
    TranscriptCounts,
    Turn,
    Usage,
)
from memconsole.engine.transcripts.tail import read_tail, read_usage
from memconsole.engine.transcripts.whole import read_whole
from tests.doubles.platform import FakeStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.conftest import FixtureHome, PreparedCase

START = datetime(2026, 4, 12, 7, 0, tzinfo=UTC)
REF = TranscriptRef(
    AgentRef(HomeRef("/home"), "main"), "s1", TranscriptKind.FILE, Path("/home/s1.jsonl")
)


class FileStore(FakeStore):
    """Reads files the way the file era's store does."""

    def backward(self, ref: TranscriptRef, *, limit_bytes: int) -> Iterator[Entry]:
        return entries_backward(lines_backward(ref.path, limit_bytes))

    def forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        return entries_forward(lines_forward(ref.path))


def holding(entries: Sequence[Entry]) -> FakeStore:
    """Return a store with one transcript; places and sizes are filled in."""
    store = FakeStore()
    store.transcripts["s1"] = [
        replace(entry, position=100 * place, size_bytes=100) for place, entry in enumerate(entries)
    ]
    return store


class Talk:
    """Writes a transcript record by record, each hanging on the one before."""

    def __init__(self) -> None:
        self.entries: list[Entry] = [Entry(EntryKind.SESSION, id="s1", at=START)]
        self._tip: str | None = None

    def add(self, entry: Entry) -> Talk:
        number = len(self.entries)
        entry_id = f"e{number}"
        at = START + timedelta(minutes=number)
        self.entries.append(
            replace(entry, id=entry_id, parent_id=self._tip, has_parent=True, at=at)
        )
        self._tip = entry_id
        return self

    def user(self, text: str) -> Talk:
        return self.add(Entry(EntryKind.MESSAGE, role="user", text=text))

    def agent(self, text: str, tokens: int | None = None, *, is_injected: bool = False) -> Talk:
        usage = None if tokens is None else Usage(total=tokens)
        entry = Entry(
            EntryKind.MESSAGE, role="assistant", text=text, usage=usage, is_injected=is_injected
        )
        return self.add(entry)

    def compaction(self, kept: str | None = None) -> Talk:
        compaction = Compaction("summary", first_kept_id=kept)
        return self.add(Entry(EntryKind.COMPACTION, compaction=compaction))

    def reset(self) -> Talk:
        return self.add(Entry(EntryKind.RESET, reason="new"))

    def back_to(self, entry_id: str | None) -> Talk:
        self._tip = entry_id
        return self


def tail_of(talk: Talk, wanted: int = 60, limit_bytes: int = 1 << 26) -> Tail:
    return read_tail(holding(talk.entries), REF, wanted=wanted, limit_bytes=limit_bytes)


def texts(tail: Tail) -> list[str]:
    return [message.text for message in tail.messages]


def at(number: int) -> datetime:
    return START + timedelta(minutes=number)


def test_a_tail_reads_back_until_it_has_enough() -> None:
    talk = Talk()
    for number in range(10):
        talk.user(f"question {number}").agent(f"answer {number}", 1_000 + number)
    tail = tail_of(talk, wanted=3)
    assert texts(tail) == ["answer 8", "question 9", "answer 9"]
    assert tail.read_bytes == 300
    assert not tail.is_whole
    assert (tail.usage_tokens, tail.usage_points) == (1_009, ((at(18), 1_008), (at(20), 1_009)))


def test_messages_are_counted_after_the_filters() -> None:
    talk = Talk().user("find a plumber").agent("booked one")
    for _ in range(50):
        talk.user("Read HEARTBEAT.md, then reply HEARTBEAT_OK.").agent("HEARTBEAT_OK")
    tail = tail_of(talk, wanted=2)
    assert texts(tail) == ["find a plumber", "booked one"]
    assert tail.counts == TranscriptCounts(filtered=100)


def test_a_whole_transcript_is_said_to_be_whole() -> None:
    tail = tail_of(Talk().user("hello there"))
    assert texts(tail) == ["hello there"]
    spoke_at = tail.messages[0].at
    expected = Tail(is_whole=True, read_bytes=200, spoke_at=spoke_at, turn=Turn.USER)
    assert replace(tail, messages=()) == expected


def test_an_empty_transcript_is_whole_and_empty() -> None:
    assert read_tail(holding([]), REF) == Tail(is_whole=True)


def test_the_limit_stops_the_reading() -> None:
    talk = Talk()
    for number in range(20):
        talk.user(f"question {number}")
    tail = tail_of(talk, limit_bytes=300)
    assert texts(tail) == ["question 17", "question 18", "question 19"]
    assert not tail.is_whole
    assert tail.read_bytes == 300


def test_text_goes_back_through_a_reset_and_tokens_do_not() -> None:
    talk = Talk().user("before it").agent("the old work", 90_000).reset().user("afterwards")
    tail = tail_of(talk)
    assert texts(tail) == ["before it", "the old work", "afterwards"]
    assert (tail.usage_tokens, tail.usage_points) == (None, ())
    assert read_usage(holding(talk.entries), REF).usage_tokens is None


def test_tokens_stop_at_a_compaction_and_its_time_is_told() -> None:
    talk = Talk().agent("old work", 180_000).compaction().compaction().agent("new work", 21_000)
    tail = tail_of(talk)
    assert texts(tail) == ["old work", "new work"]
    assert (tail.usage_tokens, tail.usage_points) == (21_000, ((at(4), 21_000),))
    assert tail.last_compaction_at == at(3)


def test_only_usage_of_the_model_counts() -> None:
    talk = (
        Talk().agent("working", 5_000).agent("failed", 0).agent("status", 9_000, is_injected=True)
    )
    talk.add(Entry(EntryKind.MESSAGE, role="user", text="odd usage", usage=Usage(total=7)))
    assert tail_of(talk).usage_tokens == 5_000
    assert read_usage(holding(talk.entries), REF).usage_tokens == 5_000


def test_an_abandoned_branch_is_passed_over_and_counted() -> None:
    talk = Talk().user("first question").agent("first answer", 1_000)
    talk.user("abandoned one").agent("abandoned two", 99_000).compaction()
    talk.back_to("e2").user("second question")
    tail = tail_of(talk)
    assert texts(tail) == ["first question", "first answer", "second question"]
    assert tail.counts.off_path == 3
    assert tail.usage_tokens == 1_000
    assert read_usage(holding(talk.entries), REF).usage_tokens == 1_000


def test_a_usage_reading_stops_at_the_first_usage() -> None:
    talk = Talk().agent("old", 1_000).agent("new", 2_000).user("and now?")
    tail = read_usage(holding(talk.entries), REF)
    assert (tail.usage_tokens, tail.usage_points) == (2_000, ((at(2), 2_000),))
    assert (tail.messages, tail.read_bytes) == ((), 200)


def test_a_usage_without_a_time_is_no_point() -> None:
    entry = Entry(EntryKind.MESSAGE, role="assistant", text="work", usage=Usage(total=500))
    tail = read_tail(holding([entry]), REF)
    assert (tail.usage_tokens, tail.usage_points) == (500, ())


def test_damage_and_progress_are_counted() -> None:
    talk = Talk().user("first question")
    talk.entries.append(Entry(EntryKind.DAMAGED))
    talk.user("second question")
    talk.entries.append(Entry(EntryKind.IN_PROGRESS))
    tail = tail_of(talk)
    assert texts(tail) == ["first question", "second question"]
    assert tail.counts == TranscriptCounts(damaged=1, in_progress=1)


def test_a_chain_that_breaks_is_kept_with_a_finding() -> None:
    talk = Talk().user("first question").agent("first answer")
    talk.entries[-1] = replace(talk.entries[-1], parent_id=None, has_parent=False)
    tail = tail_of(talk.user("second question"))
    assert texts(tail) == ["first question", "first answer", "second question"]
    assert tail.has_gap


def test_a_parent_that_does_not_exist_loses_nothing() -> None:
    talk = Talk().user("first question").agent("first answer", 1_000)
    talk.back_to("gone").user("second question").agent("second answer")
    tail = tail_of(talk)
    assert texts(tail) == ["first question", "first answer", "second question", "second answer"]
    assert tail.has_gap
    assert tail.is_whole
    assert tail.counts == TranscriptCounts()
    assert tail.usage_tokens == 1_000
    assert texts(tail_of(talk, wanted=3)) == texts(tail)[1:]
    assert read_usage(holding(talk.entries), REF).usage_tokens == 1_000


def test_a_parent_that_may_lie_behind_the_limit_is_not_made_up() -> None:
    talk = Talk().user("first question").user("abandoned")
    talk.back_to("e1").user("second question")
    tail = tail_of(talk, limit_bytes=200)
    assert texts(tail) == ["second question"]
    assert tail.counts.off_path == 1


def test_a_damaged_parent_does_not_hide_what_is_behind_it() -> None:
    talk = Talk().user("first question").agent("first answer").user("second question")
    talk.entries[2] = Entry(EntryKind.DAMAGED)
    for limit_bytes in (1 << 26, 300):
        tail = tail_of(talk, limit_bytes=limit_bytes)
        assert texts(tail) == ["first question", "second question"]
        assert tail.counts == TranscriptCounts(damaged=1)


spoken = st.sampled_from(["a question", "an answer", "ok", "NO_REPLY", ""])
parents = st.sampled_from(["e0", "e1", "e2", "e3", "e4", "gone"])
entries = st.builds(
    Entry,
    kind=st.sampled_from([*[EntryKind.MESSAGE] * 4, EntryKind.COMPACTION, EntryKind.RESET]),
    id=st.sampled_from(["e0", "e1", "e2", "e3", "e4", None]),
    parent_id=parents | st.none(),
    has_parent=st.booleans(),
    at=st.just(START),
    role=st.sampled_from(["user", "assistant"]),
    text=spoken,
    usage=st.none() | st.builds(Usage, total=st.integers(0, 3)),
)


@given(st.lists(entries, max_size=12), st.integers(min_value=1, max_value=8))
def test_a_tail_is_the_end_of_the_whole(made: list[Entry], wanted: int) -> None:
    store = holding(
        [replace(one, has_parent=one.has_parent or bool(one.parent_id)) for one in made]
    )
    whole = store.transcripts["s1"]
    flags, _ = active_flags(whole)
    on_path = [one for one, flag in zip(whole, flags, strict=True) if flag]
    eligible = [one for one in map(message_of, on_path) if not isinstance(one, FilterReason)]
    tail = read_tail(store, REF, wanted=wanted)
    assert list(tail.messages) == eligible[len(eligible) - min(wanted, len(eligible)) :]
    usage = None
    for one in reversed(on_path):
        if one.kind in (EntryKind.COMPACTION, EntryKind.RESET):
            break
        if one.role == "assistant" and one.usage is not None and one.usage.total:
            usage = one.usage.total
            break
    assert read_usage(store, REF).usage_tokens == usage


def test_points_are_the_newest_usages_up_to_a_cut() -> None:
    talk = Talk().user("first question").agent("first answer", 1_000).compaction()
    for number in range(5):
        talk.user("next question").agent("next answer", 2_000 + number)
    store = holding(talk.entries)
    assert [tokens for _, tokens in read_usage(store, REF, wanted=60).usage_points] == [
        2_000,
        2_001,
        2_002,
        2_003,
        2_004,
    ]
    newest = read_usage(store, REF, wanted=2)
    assert [tokens for _, tokens in newest.usage_points] == [2_003, 2_004]
    assert newest.usage_tokens == 2_004
    assert newest.messages == ()


def test_everything_is_read_with_branches_and_rows() -> None:
    talk = Talk().user("first question").agent("first answer", 1_000).compaction()
    talk.user("abandoned question").back_to("e3").user("HEARTBEAT.md").agent("NO_REPLY", 500)
    talk.reset()
    talk.entries[1] = replace(talk.entries[1], usage=Usage(total=7))
    whole = read_whole(holding(talk.entries), REF)
    assert [(row.kind, row.text, row.on_path) for row in whole.messages] == [
        (MessageKind.MESSAGE, "first question", True),
        (MessageKind.MESSAGE, "first answer", True),
        (MessageKind.COMPACTION, "summary", True),
        (MessageKind.MESSAGE, "abandoned question", False),
        (MessageKind.MESSAGE, "HEARTBEAT.md", True),
        (MessageKind.RESET, "new", True),
    ]
    assert whole.events == 8
    assert whole.counts == TranscriptCounts(filtered=1, off_path=1)
    assert whole.usage_points == ((at(2), 1_000), (at(6), 500))
    assert not whole.has_gap


def test_everything_also_shows_what_was_filtered() -> None:
    talk = Talk().user("a question").agent("NO_REPLY").agent("").agent("Status", is_injected=True)
    whole = read_whole(holding(talk.entries), REF, everything=True)
    assert [(row.kind, row.role, row.text) for row in whole.messages] == [
        (MessageKind.MESSAGE, "user", "a question"),
        (MessageKind.NOTE, "assistant", "NO_REPLY"),
        (MessageKind.NOTE, "assistant", "Status"),
    ]
    assert whole.counts.filtered == 1


def test_everything_counts_what_fills_the_context() -> None:
    call = ToolUse("read", 30, is_result=False)
    result = ToolUse("read", 500, is_result=True)
    talk = Talk().user("x" * 10).user("kept").compaction(kept="e2").user("y" * 20)
    talk.add(Entry(EntryKind.MESSAGE, role="assistant", thinking_chars=40, tools=(call,)))
    talk.add(Entry(EntryKind.MESSAGE, role="toolResult", tools=(result,)))
    talk.add(Entry(EntryKind.OTHER, text="no message"))
    talk.agent("z" * 7).agent("not for the model", is_injected=True)
    whole = read_whole(holding(talk.entries), REF)
    assert (whole.user_chars, whole.assistant_chars) == (24, 37)
    assert (whole.thinking_chars, whole.tool_result_chars) == (40, 500)
    assert whole.tool_chars == (("read", 530),)


@pytest.mark.parametrize("kept", [None, "gone", "e2"])
def test_a_compaction_that_keeps_nothing_leaves_what_came_after(kept: str | None) -> None:
    talk = Talk().user("before").compaction(kept=kept).user("after it")
    assert read_whole(holding(talk.entries), REF).user_chars == len("after it")


def test_a_reset_empties_the_context() -> None:
    talk = Talk().user("before").compaction(kept="e1").reset().user("after it")
    assert read_whole(holding(talk.entries), REF).user_chars == len("after it")


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    store = FakeStore()
    store.broken.add("s1")
    for read in (read_tail, read_usage, read_whole):
        with pytest.raises(Exception, match="cannot be read"):
            read(store, REF)


def recorded(path: Path) -> TranscriptRef:
    return replace(REF, path=path, session_id=path.stem)


@pytest.mark.shared
def test_c03_a_cut_tail(prepared_case: PreparedCase) -> None:
    folder, _ = prepared_case("c03-transcript-cut-tail")
    [path] = folder.glob("home/.openclaw/agents/main/sessions/*.jsonl")
    tail = read_tail(FileStore(), recorded(path))
    assert len(tail.messages) == 10
    assert tail.messages[-1].text == "summary sent to finance at 09:10"
    assert tail.counts == TranscriptCounts(damaged=1, in_progress=1, off_path=1)
    with path.open("ab") as file:
        file.write((folder / "append-later.txt").read_bytes())
    whole = read_whole(FileStore(), recorded(path))
    rows = [row for row in whole.messages if "GLUED-SUFFIX" not in row.text]
    assert (len(rows), whole.counts.in_progress) == (11, 0)
    assert rows[-1].text == "UNFINISHED please also attach the spreadsheet"
    assert all(row.on_path for row in rows)


@pytest.mark.shared
def test_c05_a_giant_line(prepared_case: PreparedCase) -> None:
    folder, _ = prepared_case("c05-giant-image-line")
    [path] = folder.glob("home/.openclaw/agents/main/sessions/*.jsonl")
    tail = read_tail(FileStore(), recorded(path), wanted=1)
    [message] = tail.messages
    assert message.text == "what is wrong with this chart?"
    assert message.attachments == ("image/png, 717 KB",)


@pytest.mark.shared
def test_c19_heartbeats(prepared_case: PreparedCase) -> None:
    folder, _ = prepared_case("c19-heartbeat-noise")
    [path] = folder.glob("home/.openclaw/agents/main/sessions/*.jsonl")
    assert texts(read_tail(FileStore(), recorded(path))) == [
        "find a plumber for Tuesday",
        "Booked Ms. Weber for Tuesday 14:00",
        "tell Sam",
        "Sam knows about Tuesday",
    ]


@pytest.mark.shared
def test_the_chain_break_of_the_first_release(fixture_home: FixtureHome) -> None:
    [path] = fixture_home("clawdbot-2026.1").glob("agents/main/sessions/85cde2dd-*.jsonl")
    tail = read_tail(FileStore(), recorded(path))
    assert tail.has_gap
    assert tail.is_whole
    assert tail.counts.off_path == 0
    assert tail.usage_tokens == 11_498
    assert tail.last_compaction_at is not None
    words = [message.text for message in tail.messages if message.role == "user"]
    assert words[0].startswith("Check disk usage now")
    assert words[-1] == "After compaction, what is next?"
    assert not any(text.startswith(("System:", "A background task")) for text in words)
    assert not any("message_id" in text for text in words)


@pytest.mark.shared
def test_envelopes_of_the_second_release(fixture_home: FixtureHome) -> None:
    folder = fixture_home("openclaw-2026.3") / "agents/main/sessions"
    [path] = folder.glob("cc1757d0-*.reset.*")
    words = [
        row.text for row in read_tail(FileStore(), recorded(path)).messages if row.role == "user"
    ]
    assert words[0] == "Hello, please keep an eye on the nightly backup. [think]"
    assert words[-1] == "After compaction, what is next?"
    assert not any("untrusted metadata" in text or "UTC]" in text for text in words)
    assert not any("runtime context" in text for text in words)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "messages", "usage"),
    [("simplified-format", 4, None), ("v1-header-no-ids", 2, None)],
)
def test_files_without_ids(shared: Path, name: str, messages: int, usage: int | None) -> None:
    path = shared / "fixtures/clawdbot-2026.1/variants" / f"{name}.jsonl"
    tail = read_tail(FileStore(), recorded(path))
    assert (len(tail.messages), tail.usage_tokens, tail.has_gap) == (messages, usage, False)
