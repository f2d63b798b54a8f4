"""What two readings tell of the platform's own acts, and what they cannot tell."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, Origin
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.events import Cut, Event, EventKind, Noted, is_same, merged
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.memory.files import PoolItem
from memconsole.domain.sessions.tokens import TokenCount, TokenState
from memconsole.domain.snapshot.changes import MOST_FILES, Evidence, changes, noted_of
from memconsole.domain.snapshot.unsaved import Saves, lost_work
from tests.ui import sample

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView

KEY = "agent:main:main"
MAIN = sample.ref("main")
SINCE = sample.NOW - timedelta(minutes=1)
UP = GatewayStatus("up", version="2026.9.6")


def tokens(session_id: str) -> int | None:
    return 177_600


def saved_at(agent: AgentRef, session_id: str) -> datetime | None:
    return sample.NOW - timedelta(minutes=26)


EVIDENCE = Evidence(tokens, saved_at)
NOTHING = Evidence(lambda _: None, lambda _agent, _id: None)


def conversation(count: int | None = 60_000, **stored: object) -> SessionView:
    values = {"revision": "r-1", "compactions": 2, **stored}
    kept = replace(sample.stored("main", "main", 1), **values)  # type: ignore[arg-type]  # by name
    return sample.view(
        kept, TokenCount(TokenState.UNKNOWN) if count is None else sample.fresh(count)
    )


def reading(*views: SessionView, at: datetime = sample.NOW, **more: object) -> ConsoleSnapshot:
    agents = (sample.agent_view(sample.agent("main"), views),)
    found = sample.snapshot(agents, views, taken_at=at)
    return replace(found, **more)  # type: ignore[arg-type]  # by name


def between(
    old: ConsoleSnapshot, new: ConsoleSnapshot, evidence: Evidence = EVIDENCE
) -> tuple[Event, ...]:
    before = replace(noted_of(old), at=SINCE)
    return changes(before, merged(before, noted_of(new)), new, SINCE, evidence)


def one(old: ConsoleSnapshot, new: ConsoleSnapshot, evidence: Evidence = EVIDENCE) -> Event:
    [event] = between(old, new, evidence)
    return event


def run(command: str, *, minutes: float = 0.5, seconds: float = 5) -> Run:
    started = sample.NOW - timedelta(minutes=minutes)
    ended = started + timedelta(seconds=seconds)
    home = str(sample.HOME)
    return Run(
        1, None, command, "", Origin.CLI, "main", KEY, started, ended, "done", None, "", 5, home
    )


def test_nothing_happened_between_equal_readings() -> None:
    quiet = reading(conversation())
    assert between(quiet, quiet) == ()
    assert is_same(noted_of(quiet), replace(noted_of(quiet), at=SINCE))


def test_a_compaction_says_how_full_it_was_and_how_old_the_last_save() -> None:
    event = one(reading(conversation(170_000)), reading(conversation(40_000, compactions=3)))
    assert event.kind is EventKind.COMPACTED
    assert (event.agent, event.key, event.since) == ("main", KEY, SINCE)
    assert event.message == ("compacted at 177.6K or more, saved 26 min before, now 40.0K")


@pytest.mark.parametrize(
    ("spoke_ago", "count", "said"),
    [
        (30, 177_640, "compacted at 177.6K, 26 min unsaved, now 40.0K"),
        (30, None, "compacted at 177.6K or more, 26 min unsaved, now 40.0K"),
        (26 * 60, 177_640, "compacted at 177.6K, all of it saved, now 40.0K"),
    ],
)
def test_a_compaction_has_the_time_and_the_figures_that_the_finding_about_it_has(
    spoke_ago: int, count: int | None, said: str
) -> None:
    at, spoke_at = (sample.NOW - timedelta(seconds=one) for one in (20, spoke_ago))
    new = conversation(40_000, compactions=3)
    cut = Cut(MAIN, new.session_id or "", "main / main", KEY, "compacted", at, spoke_at, count)
    evidence = Evidence(tokens, lambda *_: sample.NOW - timedelta(minutes=26, seconds=30))
    event = one(reading(conversation(170_000)), reading(new, cuts=(cut,)), evidence)
    assert (event.at, event.since, event.message) == (at, at, said)
    if "unsaved" in said:
        saved = {("main", new.session_id or ""): sample.NOW - timedelta(minutes=26, seconds=30)}
        saves = Saves(cuts=(cut,), saved=saved, since=sample.NOW - timedelta(days=1))
        [finding] = lost_work((new,), saves, sample.NOW)
        assert "26 min unsaved" in finding.message
        assert ("at 177.6K" in finding.message) == (count is not None)


def test_a_compaction_before_the_last_look_is_not_taken_for_the_new_one() -> None:
    new = conversation(40_000, compactions=3)
    old = SINCE - timedelta(minutes=1)
    cut = Cut(MAIN, new.session_id or "", "main / main", KEY, "compacted", old, old, 99_000)
    event = one(reading(conversation(170_000)), reading(new, cuts=(cut,)))
    assert event.message == "compacted at 177.6K or more, saved 26 min before, now 40.0K"


def test_a_compaction_of_which_our_records_know_nothing_says_so() -> None:
    event = one(reading(conversation(170_000)), reading(conversation(None, compactions=3)), NOTHING)
    assert event.message == "compacted, never saved by memconsole"


@pytest.mark.parametrize("stored", [{"revision": "r-2"}, {"session_id": "another"}])
def test_a_reset_does_not_claim_to_know_who_did_it(stored: dict[str, object]) -> None:
    event = one(reading(conversation()), reading(conversation(0, **stored)))
    assert event.kind is EventKind.RESET
    assert "by freshness, a person or a program: its store does not say" in event.message


def test_a_reset_stands_at_the_time_that_its_store_tells() -> None:
    began = sample.NOW - timedelta(seconds=20)
    event = one(reading(conversation()), reading(conversation(0, revision="2", started_at=began)))
    assert event.at == event.since == began


def test_a_store_that_says_no_revision_any_more_reset_nothing() -> None:
    assert between(reading(conversation()), reading(conversation(revision=None))) == ()


@pytest.mark.parametrize(
    ("kind", "command"), [({"revision": "r-2"}, "rotate"), ({"compactions": 3}, "compact")]
)
def test_what_we_did_ourselves_is_no_event(kind: dict[str, object], command: str) -> None:
    old, new = reading(conversation()), conversation(0, **kind)
    assert between(old, reading(new, activity=(run(command),))) == ()
    assert len(between(old, reading(new, activity=(run(command, minutes=30),)))) == 1
    assert len(between(old, reading(new, activity=(run("checkpoint"),)))) == 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (100_000, 113_000, "reached 75 % of its threshold: 113.0K of 150K"),
        (113_000, 151_200, "reached its threshold: 151.2K of 150K"),
        (151_200, 190_000, "reached the point of its compaction: 190.0K of 180K"),
        (10_000, 190_000, "reached the point of its compaction: 190.0K of 180K"),
    ],
)
def test_a_session_that_fills_up_is_told_at_its_limits(before: int, after: int, said: str) -> None:
    event = one(reading(conversation(before)), reading(conversation(after)))
    assert (event.kind, event.message) == (EventKind.FILLED, said)


def test_a_limit_is_told_once_however_the_count_wavers() -> None:
    first, low = reading(conversation(113_000)), reading(conversation(111_000))
    noted = merged(noted_of(first), noted_of(low))
    assert changes(noted, merged(noted, noted_of(first)), first, SINCE, EVIDENCE) == ()


def test_a_count_that_is_not_known_for_a_while_forgets_no_level() -> None:
    first, unknown = reading(conversation(113_000)), reading(conversation(None))
    noted = merged(noted_of(first), noted_of(unknown))
    assert changes(noted, merged(noted, noted_of(first)), first, SINCE, EVIDENCE) == ()


def test_the_gateway_goes_and_comes_back() -> None:
    up, down = reading(gateway=UP), reading(gateway=GatewayStatus("down"))
    assert one(up, down).kind is EventKind.GATEWAY_GONE
    assert one(down, up).kind is EventKind.GATEWAY_BACK


@pytest.mark.parametrize("word", ["off", "late"])
def test_a_gateway_that_nobody_heard_of_is_not_gone(word: str) -> None:
    up, unknown = reading(gateway=UP), reading(gateway=GatewayStatus(word))
    assert between(up, unknown) == ()
    noted = merged(noted_of(up), noted_of(unknown))
    assert changes(noted, merged(noted, noted_of(up)), up, SINCE, EVIDENCE) == ()


def test_another_release_is_told() -> None:
    newer = reading(gateway=replace(UP, version="2026.9.7"))
    assert one(reading(gateway=UP), newer).message == "release 2026.9.6 → 2026.9.7"


def with_files(*minutes_ago: float, activity: tuple[Run, ...] = ()) -> ConsoleSnapshot:
    items = tuple(
        PoolItem(
            f"memory/{number}.md",
            2150,
            500,
            is_generated=False,
            is_counted=True,
            modified_at=sample.NOW - timedelta(minutes=ago),
        )
        for number, ago in enumerate(minutes_ago)
    )
    found = reading(activity=activity)
    pool = replace(sample.pool("main"), items=items)
    return replace(found, agents=(replace(found.agents[0], pool=pool),))


def test_a_memory_file_that_changed_is_told_with_its_own_time() -> None:
    event = one(with_files(60, 90), with_files(60, 0.5))
    assert event.kind is EventKind.MEMORY
    assert event.at == event.since == sample.NOW - timedelta(minutes=0.5)
    assert event.message == "memory/1.md changed, now 2 KB; not by memconsole"


def test_a_memory_file_that_we_wrote_is_no_event() -> None:
    assert between(with_files(60), with_files(0.5, activity=(run("checkpoint"),))) == ()


def test_many_changed_files_are_counted() -> None:
    found = between(with_files(60), with_files(*[0.5] * 9))
    assert len(found) == MOST_FILES + 1
    assert found[-1].message == "4 more files changed; not by memconsole"


def test_a_reading_without_memory_forgets_none_of_it() -> None:
    noted = merged(noted_of(with_files(60)), Noted(sample.NOW))
    assert noted.files == noted_of(with_files(60)).files


def test_a_store_that_cannot_be_read_for_a_while_loses_nothing() -> None:
    noted = merged(noted_of(reading(conversation(113_000))), Noted(sample.NOW))
    new = reading(conversation(20_000, compactions=3))
    [event] = changes(noted, merged(noted, noted_of(new)), new, SINCE, EVIDENCE)
    assert event.kind is EventKind.COMPACTED
