"""Evidence of bad compactions: from whole transcripts, bounded, and from a snapshot."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import Severity
from memconsole.domain.compaction import CompactionEvidence, Fault
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import Settings
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind
from memconsole.engine.compaction.evidence import LIMIT_BYTES, EvidenceReader, read_compactions
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.sessions.stored import StoredSession


MAIN = "agent:main:main"

LOST = "Summary unavailable due to context limits. Older messages were truncated."

GOOD = "## Goal\nVerify the nightly backup.\n" * 10


def compaction(
    summary: str, *, minutes: int = 0, tokens: int | None = 50_000, **changes: object
) -> Entry:
    return Entry(
        EntryKind.COMPACTION,
        at=NOW + timedelta(minutes=minutes),
        compaction=Compaction(summary, tokens, **changes),  # type: ignore[arg-type]
        size_bytes=500,
    )


def world(*entries: Entry, stored: StoredSession | None = None) -> World:
    made = World()
    held = stored or row(MAIN)
    made.sessions.hold(held)
    made.sessions.transcripts[held.session_id or ""] = list(entries)
    return made


def engine(made: World) -> Engine:
    return Engine(made.ports, Settings(state_dir=Path("/state")))


def evidence(made: World) -> CompactionEvidence:
    return engine(made).config.evidence()


def test_a_lost_summary_is_found_with_its_session_and_time() -> None:
    found = evidence(world(*talk("a question", "an answer"), compaction(LOST)))
    [bad] = found.bad
    assert (bad.key, bad.session_id, bad.at, bad.fault) == (MAIN, "id-main", NOW, Fault.UNAVAILABLE)
    assert (found.looked_at, found.unread, found.compacted_at) == (1, (), {MAIN: 50_000})


def test_a_good_summary_is_none_and_the_newest_decides_where_it_happened() -> None:
    old, new = compaction(GOOD, tokens=90_000), compaction(GOOD, minutes=60, tokens=70_000)
    found = evidence(world(*talk("a question", "an answer"), old, new))
    assert (found.bad, found.compacted_at) == ((), {MAIN: 70_000})


@pytest.mark.parametrize(("texts", "is_bad"), [(("a question",), True), ((), False)])
def test_a_blank_template_is_bad_where_people_had_spoken(
    texts: tuple[str, ...], is_bad: bool
) -> None:
    found = evidence(
        world(*talk(*texts), compaction("No prior history.", tokens=900), *talk("later"))
    )
    assert [one.fault for one in found.bad] == [Fault.BLANK] * is_bad


def test_cascades_and_miscounts_are_found() -> None:
    entries = [compaction(GOOD, minutes=minutes) for minutes in (0, 4, 9)]
    found = evidence(world(*talk("a", "b"), *entries, stored=row(MAIN, compactions=5)))
    [near] = found.cascades
    assert (near.key, near.count, near.at) == (MAIN, 3, NOW + timedelta(minutes=9))
    [missing] = found.miscounts
    assert (missing.counted, missing.found) == (5, 3)
    several = evidence(world(*talk("a"), stored=row(MAIN, compactions=5, window_count=3)))
    assert several.miscounts == ()


def test_orphans_and_archives_count_and_what_was_deleted_does_not() -> None:
    made = World()
    orphan = row(None, state=SessionState.ORPHAN)
    gone = row("agent:main:gone", state=SessionState.ARCHIVED, archive_reason="deleted")
    cron = row("agent:main:cron:job:run:1")
    made.sessions.hold(orphan, gone, cron)
    for one in (orphan, gone, cron):
        made.sessions.transcripts[one.session_id or ""] = [compaction(LOST)]
    found = evidence(made)
    assert [(one.key, one.session_id) for one in found.bad] == [(None, orphan.session_id)]
    assert found.looked_at == 1


def test_a_transcript_that_fails_is_named_and_the_others_are_read() -> None:
    made = world(compaction(LOST))
    other = row("agent:main:other")
    made.sessions.hold(row(MAIN), other)
    made.sessions.broken.add(other.session_id or "")
    found = evidence(made)
    assert len(found.bad) == 1
    assert found.unread[0].startswith("the transcript of agent:main:other:")


def test_a_reading_is_bounded_and_says_what_it_passed_over() -> None:
    made = world(*talk("a", "b"), compaction(LOST))
    newer = row("agent:main:newer", updated_at=NOW)
    made.sessions.hold(row(MAIN), newer)
    made.sessions.transcripts[newer.session_id or ""] = talk("c", "d")
    reader = EvidenceReader(made.sessions, min_duration_ms=100, total_bytes=1)
    sessions = engine(made).snapshot(with_pools=False).sessions
    first = reader.read(sessions)
    assert (first.looked_at, first.bad) == (1, ())
    assert first.unread[0].startswith("1 older transcript:")
    # What was read once costs nothing: the next call comes further.
    second = reader.read(sessions)
    assert (second.looked_at, len(second.bad), second.unread) == (2, 1, ())


def test_an_unchanged_transcript_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world(compaction(LOST))
    made_engine = engine(made)
    assert len(made_engine.config.evidence().bad) == 1
    monkeypatch.setattr(made.sessions, "transcripts", {})
    assert len(made_engine.config.evidence().bad) == 1
    changed = row(MAIN)
    assert changed.transcript is not None
    made.sessions.hold(replace(changed, transcript=replace(changed.transcript, size_bytes=5_000)))
    assert made_engine.config.evidence().bad == ()


def test_the_limit_of_the_duration_is_our_setting() -> None:
    made = world(*talk("a"), compaction(GOOD, duration_ms=300))
    strict = Engine(made.ports, Settings(state_dir=Path("/state"), min_compaction_ms=500))
    assert [one.fault for one in strict.config.evidence().bad] == [Fault.TOO_FAST]
    assert evidence(made).bad == ()


def attention(made: World) -> list[tuple[str, Severity, str | None]]:
    found = engine(made).snapshot().attention
    return [(one.code, one.severity, one.key) for one in found if one.code == "compaction-evidence"]


def test_a_loss_in_the_present_window_wants_attention_at_once() -> None:
    made = world(*talk("a question", "an answer"), compaction(LOST))
    assert attention(made) == [("compaction-evidence", Severity.CRITICAL, MAIN)]
    [found] = [it for it in engine(made).snapshot().attention if it.code == "compaction-evidence"]
    assert "Summary unavailable" in found.message
    assert found.hint.endswith("memconsole observe --agent main --recover id-main")


def test_a_suspicion_and_an_older_window_do_not() -> None:
    assert attention(world(*talk("a"), compaction("short", tokens=90_000))) == []
    reset = Entry(EntryKind.RESET, at=NOW, size_bytes=100)
    assert attention(world(*talk("a"), compaction(LOST), reset)) == []
    assert attention(world(*talk("a"), compaction(GOOD))) == []


def test_a_record_without_a_time_has_none() -> None:
    [bad] = evidence(world(replace(compaction(LOST), at=None))).bad
    assert bad.at is None


def test_a_transcript_that_grows_all_month_is_remembered_once() -> None:
    made = world(compaction(LOST))
    grown = row(MAIN)
    assert grown.transcript is not None
    reader = EvidenceReader(made.sessions, min_duration_ms=100)
    for number in range(20):
        ref = replace(grown.transcript, size_bytes=4_000 + number)
        made.sessions.hold(replace(grown, transcript=ref))
        assert len(reader.read(engine(made).sessions.all()).bad) == 1
    assert len(reader._known) == 1


BLANK = "## Goal\nNo prior history.\n"


def entry(kind: str, number: int) -> Entry:
    """Return one entry as it stands at its place: `u`ser, `a`ssistant, or a compaction."""
    common = {"id": f"id-{number}", "position": 100 * number, "size_bytes": 99}
    if kind in "ua":
        role = {"u": "user", "a": "assistant"}[kind]
        return Entry(EntryKind.MESSAGE, role=role, text="words", **common)  # type: ignore[arg-type]
    summary = {"l": LOST, "b": BLANK}[kind]
    compaction = Compaction(summary, 50_000)
    return Entry(EntryKind.COMPACTION, compaction=compaction, **common)  # type: ignore[arg-type]


def transcript(kinds: str) -> list[Entry]:
    return [entry(kind, number) for number, kind in enumerate(kinds)]


def backward(entries: Sequence[Entry], passed: list[Entry]) -> Iterator[Entry]:
    for one in reversed(entries):
        passed.append(one)
        yield one


@given(st.text("ualb", max_size=12), st.text("ualb", max_size=6), st.text("ualb", max_size=6))
def test_grown_twice_it_is_judged_as_at_once(one: str, two: str, three: str) -> None:
    reading = None
    for kinds in (one, one + two, one + two + three):
        reading = read_compactions(reversed(transcript(kinds)), 100, reading)
        whole = read_compactions(reversed(transcript(kinds)), 100)
        assert reading.found == whole.found
        assert (reading.has_words, reading.newest) == (whole.has_words, whole.newest)


def test_only_what_is_new_is_passed() -> None:
    before = read_compactions(reversed(transcript("ualu" * 50)), 100)
    passed: list[Entry] = []
    reading = read_compactions(backward(transcript("ualu" * 50 + "al"), passed), 100, before)
    assert len(passed) == 3  # two that are new, and the one that shows where they begin
    assert len(reading.found) == 51
    assert reading.read_bytes == 2 * 99


def test_one_that_was_written_anew_is_read_whole() -> None:
    before = read_compactions(reversed(transcript("ual")), 100)
    moved = [replace(one, position=one.position + 7) for one in transcript("uaua")]
    assert read_compactions(reversed(moved), 100, before).found == ()


def test_the_end_of_an_unfinished_line_is_no_place() -> None:
    growing = [*transcript("ual"), Entry(EntryKind.IN_PROGRESS, position=300, size_bytes=12)]
    before = read_compactions(reversed(growing), 100)
    passed: list[Entry] = []
    reading = read_compactions(backward(transcript("ualu"), passed), 100, before)
    assert (len(passed), len(reading.found)) == (2, 1)


def test_a_long_one_that_was_not_read_whole_stays_so() -> None:
    long = [replace(one, size_bytes=LIMIT_BYTES) for one in transcript("ua")]
    before = read_compactions(reversed(long), 100)
    assert (before.is_whole, before.has_words) == (False, True)
    grown = [*long, entry("b", 2)]
    assert not read_compactions(reversed(grown), 100, before).is_whole
