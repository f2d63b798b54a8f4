"""Commands that only look, over fakes: long because one world shows all of them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole import __version__
from memconsole.domain.agents import Notice, Origin, PlatformConfig, Storage
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.memory.files import Category, Limit, Marker, PoolItem
from memconsole.domain.search.indexing import IndexScope, Source
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.sessions.tokens import Sample
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.domain.transcripts.records import Attachment, Entry, EntryKind
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import HOME, NOW, FakeScheduler, fake_agent, talk

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

MAIN = "agent:main:main"
FULL = "agent:main:telegram:direct:1001"


@pytest.fixture
def ref(world: World) -> AgentRef:
    return world.platform.agents[0].ref


@pytest.fixture
def busy_world(world: World, ref: AgentRef) -> World:
    """One session of every kind that a listing treats in its own way."""
    world.sessions.hold(
        stored(ref, MAIN, 64_200, label="[/INST] label"),
        stored(ref, FULL, 152_940),
        stored(ref, "agent:main:cron:job:run:1", 900),
        stored(ref, "agent:main:discord:channel:ops", None, transcript=None),
        stored(
            ref,
            "agent:main:dashboard:old",
            61_000,
            state=SessionState.ARCHIVED,
            archive_reason="reset",
        ),
        stored(ref, None, None, session_id="0rphan00-0000", state=SessionState.ORPHAN),
        left_out={"backup": 2},
        notices=(Notice("orphan-transcript", "0rphan00-0000 has no entry", "/x/0rphan.jsonl"),),
    )
    for session in world.sessions.listings["main"].sessions:
        if session.session_id is not None:
            world.sessions.transcripts[session.session_id] = talk("look at this", "I looked")
    return world


def test_version(call: Caller) -> None:
    assert call("--version").out == f"memconsole {__version__}\n"


def test_every_answer_has_the_shape_of_the_contract(busy_world: World, call: Caller) -> None:
    for words in (
        ["status"],
        ["agents"],
        ["sessions"],
        ["sessions", "--all"],
        ["session", FULL],
        ["transcript", FULL],
        ["memory", "pool"],
        ["markers"],
        ["runs"],
    ):
        result = call.json(*words)
        assert result.code == 0, result
        check_envelope(result.envelope)
        assert result.err == ""
        assert call(*words, "--json").envelope["command"] == result.envelope["command"]


def test_status_counts_what_the_search_indexes_lack(
    world: World, ref: AgentRef, call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = world.platform.agents[0]
    world.documents.texts[agent.workspace] = {"MEMORY.md": "a", "memory/x.md": "b"}
    monkeypatch.setenv("MEMCONSOLE_STATE__DIR", str(tmp_path))
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "main.sqlite").touch()
    assert call.json("status").data["index"] == {"waiting": 0, "changed": 2}
    call("reindex", "--agent", "main")
    assert call.json("status").data["index"] == {"waiting": 0, "changed": 0}


def test_the_default_view_says_how_much_it_leaves_out(busy_world: World, call: Caller) -> None:
    result = call.json("sessions")
    assert [row["key"] for row in result.data] == [
        FULL,
        MAIN,
        "agent:main:discord:channel:ops",
    ]
    assert result.envelope["left_out"] == {
        "cron_run": 1,
        "archived": 1,
        "orphan": 1,
        "backup": 2,
        "unreadable": 0,
    }
    assert [one["code"] for one in result.envelope["warnings"]] == ["orphan-transcript"]


def test_all_lists_everything_and_keeps_the_keys(busy_world: World, call: Caller) -> None:
    result = call.json("sessions", "--all")
    assert len(result.data) == 6
    assert result.envelope["left_out"] == {
        "cron_run": 0,
        "archived": 0,
        "orphan": 0,
        "backup": 2,
        "unreadable": 0,
    }
    orphan = result.data[-1]
    assert (orphan["key"], orphan["session_id"]) == (None, "0rphan00-0000")


def test_an_unknown_count_is_null_and_never_zero(busy_world: World, call: Caller) -> None:
    [row] = [one for one in call.json("sessions").data if one["token_state"] == "unknown"]
    assert row["tokens"] is None
    assert row["percent_of_threshold"] is None
    assert row["messages"] is None


def test_a_session_in_full_counts_its_messages(busy_world: World, call: Caller) -> None:
    data = call.json("session", FULL).data
    assert data["messages"] == 2
    assert data["events"] == 2
    assert sum(data["tokens_by_class"].values()) > 0


def test_a_session_of_another_agent_is_not_listed(busy_world: World, call: Caller) -> None:
    assert call.json("sessions", "--agent", "WORK").data == []
    assert len(call.json("sessions", "-a", "main").data) == 3


def test_people_see_states_in_words(busy_world: World, call: Caller) -> None:
    out = call("sessions", "--all").out
    lines = {line[7:28].strip(): line for line in out.splitlines() if line.startswith("main ")}
    assert "DUE" in lines["telegram · 1001"]
    assert "152.9K" in lines["telegram · 1001"]
    assert "?" in lines["discord · ops"]
    assert "[/INST] label" in out
    assert "reset" in lines["dashboard · old"]
    assert "orphan" in lines["0rphan00-0000"]


def test_people_see_what_is_left_out(busy_world: World, call: Caller) -> None:
    result = call("sessions")
    assert "Left out: 1 cron run, 1 archived session, 1 orphan, 2 backup copies" in result.out
    assert result.err == "! orphan-transcript: 0rphan00-0000 has no entry (/x/0rphan.jsonl)\n"


def test_the_screen_begins_with_what_is_due(busy_world: World, call: Caller) -> None:
    lines = call("status").out.splitlines()
    assert lines[0].startswith("memconsole  /home/operator/.openclaw  read from disk ")
    assert any("main / telegram · 1001 is due: 152.9K of 150K" in line for line in lines[3:8])
    assert "Agents" in "\n".join(lines)
    assert "not configured" in "\n".join(lines)


def test_the_screen_of_a_quiet_home(world: World, call: Caller) -> None:
    world.scheduler = FakeScheduler(SchedulerStatus("running", 812, "host", NOW, "checkpoint", NOW))
    world.gateway.verdict = "up"
    out = call("status").out
    words = " ".join(out.split())
    assert re.search(
        r"quiet no sessions, nothing said today, scheduler next \d\d:\d\d, gateway up", words
    )
    assert call.json("status").data["quiet"]["is_quiet"] is True


def test_what_is_not_known_is_not_quiet(world: World, call: Caller) -> None:
    world.scheduler = FakeScheduler(SchedulerStatus("stale", 812, "host", NOW))
    out = call("status").out
    assert "nothing found" in out
    assert "not known: scheduler" in out
    assert call.json("status").data["quiet"]["is_quiet"] is False


def test_the_screen_names_the_scheduler_and_read_only(world: World, call: Caller) -> None:
    world.scheduler = FakeScheduler(SchedulerStatus("running", 812, "host", NOW))
    out = call("--read-only", "status").out
    assert "scheduler running, pid 812 on host" in out
    assert "read-only" in out


def test_the_screen_ends_with_the_fullest_sessions(
    world: World, ref: AgentRef, call: Caller
) -> None:
    world.sessions.hold(
        *(stored(ref, f"agent:main:dashboard:{n:02}", 1000 + n) for n in range(30)),
        stored(ref, "agent:main:dashboard:full", 151_000),
    )
    out = call("status").out
    assert "dashboard:full" in out
    assert "and 11 more: memconsole sessions" in out
    assert call("sessions").out.count(" agent:main:dashboard:") == 31


def test_an_empty_home_is_sound_and_says_so(call: Caller) -> None:
    call.world.platform.agents = ()
    assert call.json("agents").data == []
    result = call("agents")
    assert result.code == 0
    assert "has no agents yet" in result.out
    assert call("sessions").out == "No sessions to list.\n"
    assert "no memory folders" in call("memory", "pool").out


def test_a_home_that_cannot_be_read_is_not_empty(world: World, ref: AgentRef, call: Caller) -> None:
    notice = Notice("store-unreadable", "sessions.json: permission denied", "/x/sessions.json")
    world.sessions.hold(stored(ref, MAIN, 1), storage=Storage.UNREADABLE, notices=(notice,))
    result = call.json("sessions")
    assert result.code == 3
    assert result.error["code"] == "home-unreadable"
    assert "permission denied" in result.error["message"]


def test_many_warnings_do_not_bury_the_answer(world: World, ref: AgentRef, call: Caller) -> None:
    notices = tuple(Notice("orphan-transcript", f"file {n}") for n in range(40))
    world.sessions.hold(stored(ref, MAIN, 1), notices=notices)
    assert len(call("sessions").err.splitlines()) == 11
    assert "and 30 more warnings" in call("sessions").err
    assert len(call.json("sessions").envelope["warnings"]) == 40


def test_a_transcript_is_literal_and_says_what_it_left_out(
    world: World, ref: AgentRef, call: Caller
) -> None:
    session = stored(ref, MAIN, 1)
    world.sessions.hold(session)
    entries = talk("[bold red]ALERT[/bold red]\x1b[31m and\nmore", "fine, [/INST] done")
    entries.append(Entry(EntryKind.DAMAGED, size_bytes=10))
    world.sessions.transcripts[session.session_id or ""] = entries
    result = call("transcript", MAIN)
    assert "  [bold red]ALERT[/bold red] and\n  more\n" in result.out
    assert "\x1b" not in result.out
    assert "Left out: 1 damaged" in result.out
    assert "--all lists what can be read" in result.out
    everything = call("transcript", MAIN, "--all")
    assert "Left out: 1 damaged.\n" in everything.out
    data = call.json("transcript", MAIN)
    assert [one["role"] for one in data.data] == ["user", "assistant"]
    assert data.envelope["left_out"]["damaged"] == 1
    assert len(call.json("transcript", MAIN, "--tail", "1").data) == 1


def test_a_transcript_without_messages(world: World, ref: AgentRef, call: Caller) -> None:
    world.sessions.hold(
        stored(ref, MAIN, None, transcript=None, transcript_state=TranscriptState.NONE)
    )
    assert call("transcript", MAIN).out == "No messages.\n"


@pytest.mark.parametrize("command", ["session", "transcript"])
def test_an_unknown_session_is_named(command: str, call: Caller) -> None:
    result = call(command, "[/bad] notes.md")
    assert result.code == 2
    assert "[/bad] notes.md" in result.err
    assert result.out == ""


def test_a_session_for_people(busy_world: World, call: Caller) -> None:
    out = call("session", FULL).out
    assert out.splitlines()[0] == FULL
    assert "152.9K of 150K, 102% (fresh)" in out
    assert "rotation        DUE" in out
    assert "What fills it" in out
    assert "not due: below its threshold" in call("session", MAIN).out


def test_memory_pools(world: World, call: Caller) -> None:
    agent = world.platform.agents[0]
    empty = world.memory.pool(agent.workspace, ("main",), config=PlatformConfig(), now=NOW)
    world.memory.pools[agent.workspace] = replace(
        empty,
        files=2,
        size_bytes=4200,
        tokens=1050,
        markers={**empty.markers, "TODO": 3},
        items=(
            PoolItem("[/bad] notes.md", 2100, 525, False, True, modified_at=NOW),
            PoolItem("memory/INDEX.md", 2100, 525, True, False, markers={"TODO": 3}),
            PoolItem("memory/huge.md", 99, 24, False, True, because="too large"),
        ),
        by_category=(Category("🔑 Core State", 2, 4200),),
        limits=(Limit("MEMORY.md", 30_000, 20_000),),
        notices=(Notice("not-utf8", "memory/a.md is not UTF-8", "memory/a.md"),),
    )
    [first, second] = call.json("memory", "pool").data
    assert (first["agent"], first["files"], first["markers"]["TODO"]) == ("main", 2, 3)
    assert second["agent"] == "work"
    result = call("memory", "pool", "--agent", "MAIN")
    assert "[/bad] notes.md" in result.out
    assert "MEMORY.md: 30K of 20K characters, the rest is cut off" in result.out
    assert "TODO 3" in result.out
    assert "generated, not counted" in result.out
    assert "! not-utf8: memory/a.md is not UTF-8" in result.out
    assert result.err == ""
    assert call.json("memory", "pool", "-a", "main").data == [first]


@pytest.mark.parametrize(
    ("lacking", "told"),
    [(0, "no chunk waits for its vector"), (7, "7 chunks still without a vector of its model")],
)
def test_a_pool_says_what_waits_in_its_index(
    lacking: int, told: str, world: World, call: Caller
) -> None:
    agent = world.platform.agents[0]
    assert "memory of main: missing, it was never built" in call("memory", "pool").out
    scope = IndexScope(agent.ref, Source.MEMORY, agent.workspace)
    world.index.stored[scope] = {}
    world.index.lacking = lacking
    assert f"memory of main, ? old: {told}" in call("memory", "pool", "-a", "main").out


def test_a_missing_workspace_is_said(world: World, call: Caller) -> None:
    agent = world.platform.agents[0]
    pool = world.memory.pool(agent.workspace, ("main",), config=PlatformConfig(), now=NOW)
    world.memory.pools[agent.workspace] = replace(pool, exists=False)
    assert "does not exist" in call("memory", "pool", "-a", "main").out
    world.platform.agents = (fake_agent("main", workspace_exists=False),)
    assert "no workspace" in call("agents").out


def test_marked_lines(world: World, call: Caller) -> None:
    root = world.platform.agents[0].workspace
    world.memory.marked[root] = (
        Marker("DECISION", "MEMORY.md", 8, "[DECISION] use [bold]WAL[/bold]"),
        Marker("TODO", "memory/2026-01-26.md", 3, "[TODO] write tests"),
    )
    assert [row["line"] for row in call.json("markers").data] == [8, 3]
    for word in ("todo", "[TODO]", "TODO"):
        assert [row["tag"] for row in call.json("markers", word).data] == ["TODO"]
    assert "MEMORY.md:8" in call("markers").out
    assert "[bold]WAL[/bold]" in call("markers").out
    assert call("markers", "GOTCHA").out == "No marked lines.\n"


def test_an_unknown_marker_type_is_named(call: Caller) -> None:
    result = call("markers", "IDEA")
    assert result.code == 2
    assert "'IDEA'" in result.err
    assert "DECISION" in result.err


def test_runs(world: World, call: Caller) -> None:
    assert call("runs").out == "No runs are recorded.\n"
    for number, at in enumerate((NOW - timedelta(days=3), NOW - timedelta(minutes=5)), start=1):
        world.runs.add(
            Run(
                id=number,
                job="checkpoint" if number == 2 else None,
                command="checkpoint",
                command_line="memconsole checkpoint --agent main",
                origin=Origin.SCHEDULER,
                agent="main",
                key=None,
                started_at=at,
                ended_at=at,
                status="skipped" if number == 1 else "done",
                reason="stale" if number == 1 else None,
                message="too old",
                duration_ms=31,
                home=str(HOME),
            )
        )
    assert [row["id"] for row in call.json("runs").data] == [2, 1]
    assert [row["id"] for row in call.json("runs", "--since", "1h").data] == [2]
    assert [row["id"] for row in call.json("runs", "--job", "checkpoint").data] == [2]
    assert [row["id"] for row in call.json("runs", "--limit", "1").data] == [2]
    by = {one: len(call.json("runs", "--by", one).data) for one in ("hook", "scheduler")}
    assert by == {"hook": 0, "scheduler": 2}
    assert "skipped (stale)" in call("runs").out
    assert call("runs", "--since", "soon").code == 2
    assert "Activity" in call("status").out


def test_a_session_that_belongs_to_a_thread_is_named_by_its_key(
    world: World, ref: AgentRef, call: Caller
) -> None:
    key = "agent:main:telegram:group:-100:topic:7"
    world.sessions.hold(stored(ref, key, 10, window=None, is_active=True))
    [row] = call.json("sessions").data
    assert row["class"] == parse_key(key, owner="main").kind.value == "thread"
    assert row["window"] is None
    assert row["active"] is True
    assert "works" in call("sessions").out


def test_nothing_is_written_by_looking(busy_world: World, call: Caller) -> None:
    for words in (["status"], ["agents"], ["sessions", "--all"], ["memory", "pool"], ["runs"]):
        call(*words)
    assert busy_world.runs.stored == []
    assert busy_world.samples.stored == []
    assert busy_world.captures.stored == []
    assert busy_world.workspace.writes == []


def test_odd_paths_are_printed(call: Caller) -> None:
    odd = Path("/home/operator/caf\udce9\x1b[31m")
    call.world.platform.agents = (fake_agent("main", workspace=odd),)
    assert "caf\\xe9" in call("memory", "pool").out
    assert call.json("memory", "pool").data[0]["root"] == "/home/operator/caf\\xe9\x1b[31m"


def test_the_screen_shows_the_largest_memories_of_many(world: World, call: Caller) -> None:
    agents = [fake_agent(f"a{number:02}") for number in range(14)]
    world.platform.agents = tuple(agents)
    for number, agent in enumerate(agents):
        pool = world.memory.pool(agent.workspace, (agent.id,), config=PlatformConfig(), now=NOW)
        world.memory.pools[agent.workspace] = replace(pool, size_bytes=1000 * number)
    memory = call("status").out.partition("Memory\n")[2]
    assert "a13" in memory
    assert "a03" not in memory
    assert "and 4 smaller ones: memconsole memory pool" in memory


def test_a_growing_session_is_forecast(world: World, ref: AgentRef, call: Caller) -> None:
    session = stored(ref, MAIN, 90_000, label="the boss")
    world.sessions.hold(session)
    world.sessions.transcripts[session.session_id or ""] = talk("look at this", "I looked")
    for minutes, tokens in ((120, 50_000), (60, 70_000), (30, 80_000), (0, 90_000)):
        at = NOW - timedelta(minutes=minutes)
        world.samples.stored.append(Sample("main", session.session_id or "", at, tokens))
    [row] = call.json("sessions").data
    assert datetime.fromisoformat(row["due_at"]) == NOW + timedelta(hours=3)
    assert "20K/h" in call("sessions").out
    out = call("session", MAIN).out
    assert "label           the boss" in out
    assert "grows           20K/h, due 3 h (by samples)" in out


def test_related_sessions_are_named(world: World, ref: AgentRef, call: Caller) -> None:
    world.sessions.hold(
        stored(ref, MAIN, 90_000, session_id="aaaa1111"),
        stored(
            ref,
            MAIN,
            1_000,
            session_id="bbbb2222",
            state=SessionState.ARCHIVED,
            archive_reason="reset",
        ),
    )
    world.sessions.transcripts["aaaa1111"] = talk("look at this", "I looked")
    related = call("session", MAIN).out.partition("Related sessions")[2]
    assert "bbbb2222" in related
    assert "archived by reset" in related


def test_what_a_transcript_holds_beside_text(world: World, ref: AgentRef, call: Caller) -> None:
    session = stored(ref, MAIN, 1)
    world.sessions.hold(session)
    [first, second] = talk("look at this", "I looked")
    picture = replace(first, attachments=(Attachment("image/png", 717 * 1024),))
    reset = Entry(EntryKind.RESET, id="r", parent_id=second.id, has_parent=True, at=NOW)
    world.sessions.transcripts[session.session_id or ""] = [picture, second, reset]
    out = call("transcript", MAIN).out
    assert "  [image/png, 717 KB]" in out
    assert "  reset" in out


def test_one_store_that_cannot_be_read_is_shown_as_such(
    world: World, ref: AgentRef, call: Caller
) -> None:
    other = world.platform.agents[1].ref
    world.sessions.hold(stored(other, "agent:work:main", 5))
    world.sessions.hold(
        stored(ref, MAIN, 1, state=SessionState.ORPHAN),
        storage=Storage.UNREADABLE,
        left_out={"unreadable": 3},
    )
    result = call("agents")
    assert result.code == 0
    assert "unreadable" in result.out
    assert [(row["sessions"], row["due"]) for row in call.json("agents").data] == [
        (None, None),
        (1, 0),
    ]
    assert "1+? live" in call("status").out
    assert "3 unreadable" in call("status").out
    assert "3 unreadable" in call("sessions").out


def test_agents_say_who_works_and_who_is_stuck(world: World, ref: AgentRef, call: Caller) -> None:
    silent = NOW - timedelta(hours=1)
    world.sessions.hold(
        stored(ref, MAIN, 5, is_active=True, run_started_at=NOW),
        stored(ref, FULL, 5, is_active=True, run_started_at=silent, transcript=None),
    )
    heading, main, work = call("agents").out.splitlines()
    assert heading.split()[4] == "does"
    assert "1 STUCK, 1 works" in main
    assert "STUCK" not in work


def test_a_transcript_that_was_lost_is_said(world: World, ref: AgentRef, call: Caller) -> None:
    world.sessions.hold(
        stored(ref, MAIN, 1, transcript=None, transcript_state=TranscriptState.MISSING)
    )
    assert "missing" in call("sessions").out


def test_more_findings_than_fit_are_counted(world: World, ref: AgentRef, call: Caller) -> None:
    world.sessions.hold(*(stored(ref, f"agent:main:dashboard:{n}", 151_000) for n in range(9)))
    assert "! high      9 sessions are due" in call("status").out
    assert len(call.json("status").data["attention"]) >= 9
