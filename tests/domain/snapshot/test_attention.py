"""The attention line: worst first, with its next step. It is long because findings are many."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from memconsole.domain.agents import (
    Agent,
    AgentRef,
    HomeRef,
    Notice,
    PlatformConfig,
    Severity,
    Storage,
)
from memconsole.domain.alerts import OpenAlert
from memconsole.domain.events import Cut
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.health import CheckStatus
from memconsole.domain.memory.files import Limit, Pool
from memconsole.domain.sessions.activity import Activity, Doing
from memconsole.domain.sessions.keys import SessionClass, SessionKey
from memconsole.domain.sessions.stored import SessionState, StoredSession, TranscriptState
from memconsole.domain.sessions.tokens import Growth, NotDue, TokenCount, TokenState
from memconsole.domain.snapshot.attention import attention, with_checks
from memconsole.domain.snapshot.groups import grouped
from memconsole.domain.snapshot.snapshot import (
    AgentView,
    Attention,
    SchedulerStatus,
    SessionView,
)
from memconsole.domain.snapshot.unsaved import Saves

NOW = datetime(2026, 4, 12, 9, tzinfo=UTC)
AGENT = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
ROOT = Path("/home/operator/.openclaw/workspace")


def agent(**changes: object) -> AgentView:
    folder = Path("/home/operator/.openclaw/agents/main")
    known = Agent(
        AGENT,
        None,
        ROOT,
        workspace_exists=True,
        folder=folder,
        sessions_dir=folder / "sessions",
        store_file=folder / "sessions/sessions.json",
        database=folder / "agent/openclaw-agent.sqlite",
        is_configured=True,
    )
    view = AgentView(known, Storage.FILES, 1, 0, None, None, NOW, (), {}, NOW)
    return replace(view, **changes)  # type: ignore[arg-type]


def session(tokens: int | None = 10_000, **changes: object) -> SessionView:
    stored = StoredSession(
        AGENT,
        SessionKey("agent:main:main", "main", "main", SessionClass.MAIN),
        "a1",
        SessionState.LIVE,
        TranscriptState.PRESENT,
        updated_at=NOW - timedelta(minutes=5),
    )
    is_due = tokens is not None and tokens >= 150_000
    state = TokenState.UNKNOWN if tokens is None else TokenState.FRESH
    view = SessionView(
        stored=stored,
        session_class=SessionClass.MAIN,
        label=None,
        count=TokenCount(state, tokens),
        window=200_000,
        threshold=150_000,
        percent_of_threshold=None if tokens is None else tokens / 1500,
        percent_of_window=None,
        is_due=is_due,
        not_due=None if is_due else NotDue.BELOW,
        not_due_because=None,
        growth=None,
        messages=None,
        read_at=NOW,
        name="main",
    )
    return replace(view, **changes)  # type: ignore[arg-type]


def found(
    *sessions: SessionView,
    agents: tuple[AgentView, ...] = (),
    notices: tuple[Notice, ...] = (),
    gateway: GatewayStatus | None = None,
    **more: object,
) -> tuple[Attention, ...]:
    return attention(
        agents,
        sessions,
        notices,
        config=PlatformConfig(),
        gateway=gateway or GatewayStatus(),
        now=NOW,
        **more,  # type: ignore[arg-type]
    )


def codes(found: tuple[Attention, ...]) -> list[str]:
    return [one.code for one in found]


def test_all_quiet() -> None:
    assert found(session(), agents=(agent(),)) == ()


def test_a_due_session_says_how_full_and_what_to_do() -> None:
    growing = Growth(9_000, NOW, "samples")

    [item] = found(session(151_200, growth=growing))

    assert item == Attention(
        Severity.HIGH,
        "session-due",
        "main / main is due: 151.2K of 150K, growing 9K/h",
        hint="memconsole rotate agent:main:main --dry-run shows the plan.",
        agent="main",
        key="agent:main:main",
        command="rotate",
    )


def test_a_session_that_will_be_due_within_two_hours_warns() -> None:
    soon = Growth(50_000, NOW + timedelta(minutes=48), "samples")
    later = Growth(5_000, NOW + timedelta(hours=3), "samples")

    [item] = found(session(110_000, growth=soon))

    assert (item.code, item.message) == (
        "session-due-soon",
        "main / main reaches 150K in about 48 min, growing 50K/h",
    )
    assert found(session(110_000, growth=later)) == ()


def test_a_small_window_compacts_before_its_threshold() -> None:
    small = session(80_000, window=100_000, threshold=96_000, percent_of_threshold=83.3)

    [item] = found(small)

    assert (item.code, item.message) == (
        "compacts-first",
        "main / main is compacted at 80K, before its threshold of 96K",
    )
    assert found(replace(small, percent_of_threshold=10.0)) == ()
    assert found(replace(small, window=None)) == ()


def test_a_session_without_a_capture_warns() -> None:
    [never] = found(session(), agents=(agent(checkpoint_at=None),))

    assert (never.code, never.message) == (
        "no-checkpoint",
        "main is used, and it has no checkpoint yet",
    )
    assert never.hint == "`memconsole checkpoint --agent main` is its first."


def test_messages_that_wait_for_two_checkpoints_warn() -> None:
    saves = Saves(
        saved={("main", "a1"): NOW - timedelta(hours=2)},
        said={"a1": (NOW - timedelta(hours=3), NOW - timedelta(minutes=31), NOW)},
    )
    [late] = found(session(), agents=(agent(),), saves=saves)

    assert late.message == "main / main holds 31 min that nobody saved"
    assert (late.command, late.key) == ("checkpoint", "agent:main:main")
    early = replace(saves, said={"a1": (NOW - timedelta(minutes=30), NOW)})
    assert found(session(), agents=(agent(),), saves=early) == ()
    slow = replace(saves, intervals={"main": timedelta(hours=1)})
    assert found(session(), agents=(agent(),), saves=slow) == ()


def test_what_saves_a_session_names_the_session_and_works_for_it() -> None:
    older = replace(
        session().stored,
        key=SessionKey("agent:main:it's", "main", "it's", SessionClass.OTHER),
        session_id="b2",
        updated_at=NOW - timedelta(hours=2),
        spoke_at=None,
    )
    saves = Saves(saved={("main", "a1"): NOW})
    [late] = found(session(), session(stored=older), agents=(agent(),), saves=saves)

    assert (late.code, late.command, late.key) == ("capture-late", "checkpoint", "agent:main:it's")
    call = """memconsole checkpoint --agent main --session 'agent:main:it'"'"'s'"""
    assert late.hint == f"`{call}` saves what it holds."
    # A checkpoint passes over what was quiet for long; observing goes on from the capture before.
    quiet = replace(saves, quiet={"main": timedelta(hours=1)})
    [late] = found(session(), session(stored=older), agents=(agent(),), saves=quiet)
    assert late.command == "flush"
    assert late.hint == """`memconsole flush 'agent:main:it'"'"'s'` saves what it holds."""
    before = replace(quiet, saved={**quiet.saved, ("main", "b2"): NOW - timedelta(hours=3)})
    [late] = found(session(), session(stored=older), agents=(agent(),), saves=before)
    assert late.command == "observe"


def test_what_was_said_since_the_home_is_looked_at_is_late_however_long_ago() -> None:
    spoke_at = NOW - timedelta(hours=35)
    view = session(stored=replace(session().stored, updated_at=spoke_at))
    saved = {("main", "a1"): spoke_at - timedelta(hours=1)}
    assert found(view, agents=(agent(),), saves=Saves(saved=saved)) == ()
    looked = Saves(saved=saved, since=spoke_at - timedelta(days=3))
    [late] = found(view, agents=(agent(),), saves=looked)
    assert (late.code, late.command) == ("capture-late", "observe")
    assert found(view, agents=(agent(),), saves=replace(looked, since=NOW)) == ()


def test_several_late_sessions_are_one_finding_whose_command_takes_them_all() -> None:
    other = replace(session().stored, session_id="b2", updated_at=NOW - timedelta(hours=2))
    saves = Saves(saved={("main", "old"): NOW - timedelta(hours=9)})
    views = (session(), session(stored=other))
    [late] = found(*views, agents=(agent(),), saves=replace(saves, interval=timedelta(0)))

    assert (late.command, late.is_for_all) == ("observe", True)
    assert late.hint == "`memconsole observe --agent main` saves all of them."


def test_a_stopped_scheduler_is_grave_while_something_is_unsaved() -> None:
    saves = Saves(saved={("main", "a1"): NOW - timedelta(minutes=20)})
    stopped = SchedulerStatus("stopped")
    [item] = found(session(), agents=(agent(),), saves=saves, scheduler=stopped)

    assert (item.code, item.severity) == ("scheduler", Severity.HIGH)
    assert (
        item.message == "1 session holds messages that nobody saved, and the scheduler is stopped"
    )
    saved = Saves(saved={("main", "a1"): NOW})
    assert found(session(), agents=(agent(),), saves=saved, scheduler=stopped) == ()
    running = SchedulerStatus("running")
    assert found(session(), agents=(agent(),), saves=saves, scheduler=running) == ()


def cut(what: str = "compacted", minutes: int = 11) -> Cut:
    at = NOW - timedelta(minutes=minutes)
    return Cut(AGENT, "a1", "main / main", "agent:main:main", what, at, at, 177_600)


def test_what_was_cut_while_it_was_unsaved_comes_before_everything() -> None:
    saves = Saves(
        saved={("main", "a1"): NOW - timedelta(minutes=37)}, cuts=(cut(),), zone=ZoneInfo("UTC")
    )
    items = found(session(151_000), agents=(agent(),), saves=saves)

    assert codes(items) == ["work-lost", "session-due"]
    assert items[0].severity is Severity.CRITICAL
    assert items[0].message == (
        "LOST? main / main: 26 min unsaved, compacted by the platform 08:49 at 177.6K"
    )
    assert items[0].command == "observe"
    assert "--session agent:main:main" in items[0].hint


LOOKED = NOW - timedelta(days=3)


def test_a_reset_of_what_was_not_saved_is_recovered() -> None:
    saves = Saves(cuts=(cut("reset"),), since=LOOKED, zone=ZoneInfo("UTC"))
    [item, *_] = found(agents=(agent(),), saves=saves)

    assert (item.command, item.hint) == (
        "recover",
        "`memconsole recover --agent main --session a1` brings it back.",
    )
    assert item.message == (
        "LOST? main / main: nothing saved, reset, by whom is not known, 08:49 at 177.6K"
    )


def test_a_cut_session_of_which_nothing_was_saved_is_saved_as_one_that_never_was() -> None:
    saves = Saves(cuts=(cut(),), since=LOOKED)
    for age, command in ((timedelta(minutes=5), "checkpoint"), (timedelta(hours=9), "flush")):
        view = session(stored=replace(session().stored, updated_at=NOW - age, spoke_at=None))
        lost = found(view, agents=(agent(),), saves=saves)[0]
        assert (lost.code, lost.command) == ("work-lost", command)


def test_who_began_a_session_anew_is_said_only_where_it_is_known() -> None:
    saves = Saves(cuts=(cut("rollover"), cut("rotated")), since=LOOKED)
    messages = [one.message for one in found(agents=(agent(),), saves=saves)]

    assert "main / main: nothing saved, begun anew by the platform" in messages[0]
    assert "main / main: nothing saved, reset by memconsole" in messages[1]


def test_what_was_cut_before_anybody_looked_can_be_brought_back_and_is_no_loss() -> None:
    for saves in (Saves(cuts=(cut(),)), Saves(cuts=(cut(),), since=NOW)):
        [item] = found(agents=(agent(),), saves=replace(saves, zone=ZoneInfo("UTC")))
        assert (item.severity, item.code, item.command) == (
            Severity.WARNING,
            "cut-before",
            "observe",
        )
        assert item.message == (
            "main / main was compacted by the platform 08:49 at 177.6K, "
            "before memconsole looked, and is not saved yet"
        )
    captured = Saves(saved={("main", "b2"): NOW - timedelta(hours=2)}, cuts=(cut(),))
    assert codes(found(agents=(agent(),), saves=captured)) == ["work-lost"]


def test_what_was_saved_before_or_since_a_cut_is_not_lost() -> None:
    for saved_at in (NOW - timedelta(minutes=12), NOW):
        saves = Saves(saved={("main", "a1"): saved_at}, cuts=(cut(),))
        assert "work-lost" not in codes(found(agents=(agent(),), saves=saves))
    old = Saves(cuts=(cut(minutes=25 * 60),))
    assert found(agents=(agent(),), saves=old) == ()


def test_a_reset_by_the_next_message_is_a_warning_only_for_what_is_unsaved() -> None:
    view = session()
    unsaved = Saves(saved={("main", "a1"): NOW - timedelta(minutes=20)})
    [warning] = found(view, agents=(agent(),), saves=unsaved, stale=(view,))
    [remark] = found(
        view, agents=(agent(),), saves=Saves(saved={("main", "a1"): NOW}), stale=(view,)
    )

    assert (warning.code, warning.severity) == ("reset-next", Severity.WARNING)
    assert (remark.severity, remark.command) == (Severity.INFO, "")
    old = session(stored=replace(view.stored, updated_at=NOW - timedelta(hours=30)))
    [never] = found(old, agents=(agent(checkpoint_at=None),), stale=(old,))
    assert (never.severity, "not all is saved" in never.message) == (Severity.WARNING, True)


def test_what_is_near_its_limit_is_told() -> None:
    [item] = found(session(135_000))
    assert item.message == "main / main is at 90 % of its threshold: 135K of 150K"
    assert found(session(134_000)) == ()
    group = session(
        1,
        session_class=SessionClass.CRON,
        count=TokenCount(TokenState.FRESH, 185_000),
        percent_of_threshold=123.3,
        percent_of_window=92.5,
    )
    [window] = found(group)
    assert "92 % of its window: 185K of 200K" in window.message
    assert (window.command, "never copied into memory" in window.hint) == ("", True)


def test_a_count_that_cannot_be_true_says_why() -> None:
    view = session(1, count=TokenCount(TokenState.SUSPECT, 231_500, 58_500))
    [item] = found(view)

    assert item.code == "count-suspect"
    assert item.message == "main / main: 231.5K reported > 200K window; transcript says 58.5K"
    old = replace(view.stored, updated_at=NOW - timedelta(hours=25))
    assert found(replace(view, stored=old)) == ()


def test_a_count_that_nobody_knows_is_told_of_what_was_used_today() -> None:
    assert codes(found(session(None))) == ["count-unknown"]
    empty = replace(session().stored, transcript_state=TranscriptState.NONE)
    assert found(session(None, stored=empty)) == ()


def alert(issue: str) -> OpenAlert:
    return OpenAlert(issue, CheckStatus.WARNING, f"{issue} is bad", "mend it", NOW, NOW)


def test_what_the_last_look_at_health_found_is_in_the_list() -> None:
    [item] = found(alerts=(alert("disk"), alert("gateway"), alert("stores")))

    assert (item.code, item.message, item.seen_at) == ("disk", "disk is bad", NOW)
    again = with_checks((item,), (alert("index"),))
    assert codes(again) == ["index"]


def test_findings_that_say_the_same_are_one_group() -> None:
    many = found(*(session(151_000, label=str(n)) for n in range(3)), alerts=(alert("disk"),))
    groups = grouped(many)

    assert [one.message for one in groups] == ["3 sessions are due", "disk is bad"]
    assert [len(one.findings) for one in groups] == [3, 1]


def test_stores_that_cannot_be_read_are_one_line_and_work_that_is_lost_is_not() -> None:
    broken = [
        Notice("store-unreadable", f"{name}/sessions.json is cut off", agent=name)
        for name in ("main", "work", "writer")
    ]
    assert [one.message for one in grouped(found(notices=tuple(broken)))] == [
        "3 stores cannot be read"
    ]
    lost = [Attention(Severity.CRITICAL, "work-lost", f"work of {name}") for name in "ab"]
    assert [one.message for one in grouped(lost)] == ["work of a", "work of b"]


def test_a_broken_store_says_which_of_its_sessions_are_shown() -> None:
    def hint(*sessions: SessionView) -> str:
        notice = Notice("store-unreadable", "sessions.json is cut off", agent="main")
        every = found(*sessions, notices=(notice,))
        return next(one.hint for one in every if one.code == "store-unreadable")

    told = replace(session(), stored=replace(session().stored, source=Storage.GATEWAY))
    assert hint() == "None of its sessions are shown; check the file named."
    assert hint(session()) == "The rest of it is shown; check the file named."
    assert hint(told).startswith("Of its sessions only what the Gateway tells is shown")


def test_an_old_session_needs_no_capture() -> None:
    stored = replace(session().stored, updated_at=NOW - timedelta(hours=25))

    assert found(session(stored=stored), agents=(agent(checkpoint_at=None),)) == ()


def test_a_file_that_the_platform_cuts_is_loud_even_while_nobody_talks() -> None:
    pool = Pool(
        ("main",), ROOT, True, 1, 1, 1, {}, (), (), (Limit("MEMORY.md", 20_001, 20_000),), (),
        None, NOW,
    )  # fmt: skip

    [item] = found(agents=(agent(pool=pool),))

    assert item.code == "bootstrap-truncation"
    assert item.message == "MEMORY.md of main has 20K characters; the platform loads 20K and cuts 1"
    exact = replace(pool, limits=(Limit("MEMORY.md", 18_000, 20_000),))
    assert codes(found(agents=(agent(pool=exact),))) == ["near-limit"]
    fits = replace(pool, limits=(Limit("MEMORY.md", 17_999, 20_000),))
    assert found(agents=(agent(pool=fits),)) == ()


def test_the_worst_comes_first() -> None:
    items = found(
        session(151_000),
        agents=(agent(checkpoint_at=None),),
        notices=(
            Notice("store-unreadable", "the store of work cannot be read", agent="work"),
            Notice("other-home-found", "another home"),
        ),
        gateway=GatewayStatus("down", hint="Start it."),
    )

    assert [(item.severity, item.code) for item in items] == [
        (Severity.CRITICAL, "store-unreadable"),
        (Severity.HIGH, "session-due"),
        (Severity.WARNING, "no-checkpoint"),
        (Severity.WARNING, "gateway"),
    ]
    assert items[-1].hint == "Start it."


def test_ended_and_nameless_sessions_are_left_alone() -> None:
    ended = replace(session().stored, state=SessionState.ARCHIVED)
    orphan = replace(session().stored, state=SessionState.ORPHAN, key=None)

    assert found(session(190_000, stored=ended), session(190_000, stored=orphan)) == ()


def test_a_session_is_called_as_everywhere_and_shortened_in_the_middle() -> None:
    [item] = found(session(150_000, name="Inventory migration"))
    [long] = found(session(150_000, name="x" * 45 + "y" * 45))

    assert item.message == "main / Inventory migration is due: 150K of 150K"
    assert long.message == f"main / {'x' * 20}…{'y' * 19} is due: 150K of 150K"


def test_small_numbers_are_written_out() -> None:
    [item] = found(session(999, is_due=True, threshold=500))

    assert item.message == "main / main is due: 999 of 500"


def test_a_stuck_run_says_how_long_and_what_ends_it() -> None:
    silent = Activity(Doing.STUCK, NOW - timedelta(minutes=40))

    [item] = found(session(activity=silent))

    assert item == Attention(
        Severity.HIGH,
        "session-stuck",
        "main / main is stuck: no sign of life from its run for 40 min",
        hint="Look at its last messages; /stop in its chat ends the run.",
        agent="main",
        key="agent:main:main",
        command="checkpoint",
    )
    for other in set(Doing) - {Doing.STUCK}:
        assert found(session(activity=replace(silent, doing=other))) == ()


def test_a_stuck_heartbeat_is_found_too_and_nothing_of_it_is_saved() -> None:
    key = SessionKey("agent:main:heartbeat", "main", "heartbeat", SessionClass.HEARTBEAT)
    beat = session(activity=Activity(Doing.STUCK, NOW - timedelta(minutes=40)))
    beat = replace(
        beat,
        stored=replace(beat.stored, key=key),
        session_class=SessionClass.HEARTBEAT,
        name="heartbeat",
    )

    [item] = found(beat)

    assert (item.code, item.command) == ("session-stuck", "")
    assert item.message.startswith("main / heartbeat is stuck")


def test_a_stuck_run_is_told_once_and_as_it_is_now() -> None:
    check = OpenAlert("stuck-runs", CheckStatus.WARNING, "…", "", NOW, NOW)
    now = found(session(activity=Activity(Doing.STUCK, NOW - timedelta(minutes=40))))

    assert codes(with_checks(now, [check])) == ["session-stuck"]
    assert codes(with_checks((), [check])) == ["stuck-runs"]
