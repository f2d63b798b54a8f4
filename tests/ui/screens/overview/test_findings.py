"""What the console says first: one finding or two, quiet with what proves it, and all of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memconsole.domain.agents import Severity
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.observe import Observe
from memconsole.domain.snapshot.snapshot import (
    Attention,
    ConsoleSnapshot,
    Quiet,
    SchedulerStatus,
    SessionView,
)
from memconsole.ui.drawing.names import row_key
from tests.ui import sample
from tests.ui.driving import COMPACT, at_work
from tests.ui.fake_engine import FakeEngine


def with_findings(*found: Attention, **changes: object) -> ConsoleSnapshot:
    return replace(sample.usual(), attention=found, **changes)  # type: ignore[arg-type]


def finding(code: str, agent: str | None = None, **more: object) -> Attention:
    message = f"{agent or 'the home'} has {code}"
    return Attention(Severity.WARNING, code, message, "do this", agent, **more)  # type: ignore[arg-type]


NEVER = tuple(
    finding("no-checkpoint", name, command="checkpoint") for name in ("main", "work", "research")
)
DISK = finding("disk", seen_at=sample.NOW - timedelta(minutes=12))


async def test_two_findings_have_two_lines_where_there_is_room() -> None:
    engine = FakeEngine(with_findings(*NEVER, DISK))
    async with at_work(engine) as desk:
        first, second = desk.bar("attention"), desk.bar("attention-2")
        rows = desk.pane("agents").region.y
    async with at_work(engine, COMPACT) as desk:
        assert "+ 3 more  !" in desk.bar("attention")
        assert desk.bar("attention-2").strip() == ""

    assert first.startswith(" ! main has no-checkpoint   c saves it")
    assert second.startswith(" ! the home has disk   do this")
    assert second.rstrip().endswith("+ 2 more  !")
    assert rows == 3


async def test_one_finding_takes_one_row() -> None:
    async with at_work(FakeEngine(with_findings(NEVER[0]))) as desk:
        assert desk.pane("agents").region.y == 2
        assert "!" in desk.bar("attention")


async def test_what_is_not_known_is_not_quiet() -> None:
    unknown = Quiet(("fullest 14 % main",), ("gateway",))
    async with at_work(FakeEngine(with_findings(quiet=unknown))) as desk:
        line = desk.bar("attention")

    assert line.startswith(" ? nothing found, not known: gateway · fullest 14 % main")
    assert "quiet" not in line


async def test_quiet_counts_from_the_first_quiet_reading() -> None:
    engine = FakeEngine(sample.lone())
    async with at_work(engine) as desk:
        engine.reading = replace(sample.lone(), taken_at=sample.NOW + timedelta(minutes=38))
        await desk.press("r")
        assert desk.bar("attention").startswith(" ✓ quiet 38 min · fullest")


async def test_a_remark_is_no_reason_to_be_loud() -> None:
    remark = Attention(Severity.INFO, "reset-next", "main/main starts anew", "", "main")
    async with at_work(FakeEngine(with_findings(remark))) as desk:
        line = desk.bar("attention")

    assert line.startswith(" ✓ quiet")
    assert line.rstrip().endswith("+ 1 more  !")


async def test_a_command_without_a_key_is_named_for_the_palette() -> None:
    lost = Attention(
        Severity.CRITICAL, "work-lost", "LOST? main/main", "h", "main", command="recover"
    )
    elsewhere = replace(lost, agent="work")
    async with at_work(FakeEngine(with_findings(lost))) as desk:
        assert "LOST? main/main   : recover brings it back" in desk.bar("attention")
        desk.app.snapshot = with_findings(elsewhere)
        desk.app.screen.show_bars()  # type: ignore[attr-defined]
        assert ". then : recover" in desk.bar("attention")


async def test_equal_findings_are_one_row_whose_targets_are_marked_together() -> None:
    engine = FakeEngine(with_findings(*NEVER, DISK))
    async with at_work(engine) as desk:
        await desk.press("exclamation_mark")
        text = desk.text("list")
        assert "3 agents have no checkpoint yet" in text
        assert "space marks all 3" in text
        full = desk.text("one")
        assert all(f"{name} has no-checkpoint" in full for name in ("main", "work", "research"))

        await desk.press("space")
        assert "c checkpoint 3 marked" in desk.bar("keys")
        await desk.press("escape", "G")
        assert "(a look at health saw it 12 min ago)" in desk.text("one")


async def test_a_scheduler_that_is_stopped_can_be_started_from_the_line() -> None:
    stopped = finding("scheduler")
    snapshot = with_findings(stopped, scheduler=SchedulerStatus("stopped"))
    async with at_work(FakeEngine(snapshot)) as desk:
        assert "do this" in desk.bar("attention")  # this console has no jobs of its own


def late(view: SessionView, **more: object) -> Attention:
    return finding("capture-late", view.agent.id, key=view.key_text, command="checkpoint", **more)


def of_work(snapshot: ConsoleSnapshot) -> tuple[SessionView, SessionView]:
    """Return two sessions of one agent: the newest, which a checkpoint takes, and another one."""
    newest, other, *_ = (one for one in snapshot.of_agent("work") if one.key_text is not None)
    return newest, other


async def test_the_key_of_a_finding_acts_on_its_own_session_and_on_no_newer_one() -> None:
    _, other = of_work(sample.usual())
    engine = FakeEngine(with_findings(late(other)))
    async with at_work(engine) as desk:
        assert "   c saves it" in desk.bar("attention")
        await desk.press("2", "g", "k", "j")
        if desk.cursor("sessions") == row_key(other):
            await desk.press("j")
        assert "   . then c saves it" in desk.bar("attention")
        assert "c checkpoint work / " in desk.bar("keys")
        await desk.press("full_stop", "c")

    assert engine.commands[-1] == Checkpoint(sample.ref("work"), other.key_text)


async def test_while_the_gateway_is_down_the_line_names_what_really_saves_the_session() -> None:
    view, group = of_work(sample.usual())
    quiet = replace(view.stored, updated_at=sample.NOW - timedelta(hours=35), spoke_at=None)
    outlook = view.outlook
    assert outlook is not None

    def saved(ago: timedelta | None) -> SessionView:
        at = None if ago is None else sample.NOW - ago
        return replace(view, stored=quiet, outlook=replace(outlook, saved_at=at))

    others = tuple(one for one in sample.usual().sessions if one.key_text != view.key_text)
    for key, sessions, said in (
        (view.key_text, (view, *others), "c saves it"),
        (view.key_text, (saved(timedelta(hours=40)), *others), "b saves it"),
        (view.key_text, (saved(None), *others), ": flush saves it"),
        (view.key_text, (saved(timedelta(hours=30)), *others), "R needs the Gateway"),
        (group.key_text, (view, *others), "R needs the Gateway"),
    ):
        due = finding("due", "work", key=key, command="rotate")
        async with at_work(FakeEngine(with_findings(due, sessions=sessions))) as desk:
            assert f"   {said}" in desk.bar("attention")
            await desk.press("exclamation_mark")  # and so does the list of them
            assert said in desk.text("list")


async def test_a_finding_in_the_list_of_all_acts_on_its_own_session() -> None:
    newest, other = of_work(sample.usual())
    engine = FakeEngine(with_findings(late(newest), late(other)))
    async with at_work(engine) as desk:
        await desk.press("exclamation_mark", "space", "c")

    done = [one for one in engine.commands if not one.dry_run]
    assert done == [Checkpoint(sample.ref("work"), one.key_text) for one in (newest, other)]


async def test_what_takes_all_sessions_of_an_agent_is_about_the_agent() -> None:
    _, other = of_work(sample.usual())
    waits = replace(late(other, is_for_all=True), command="observe")
    engine = FakeEngine(with_findings(waits))
    async with at_work(engine) as desk:
        assert "   b saves it" in desk.bar("attention")
        await desk.press("b")

    assert engine.commands[-1] == Observe(sample.ref("work"))


async def test_a_session_that_is_not_listed_is_still_named_to_the_command() -> None:
    gone = finding("work-lost", "work", key="agent:work:gone", command="observe")
    engine = FakeEngine(with_findings(gone))
    async with at_work(engine) as desk:
        await desk.press("exclamation_mark", "b")

    assert engine.commands[0] == Observe(sample.ref("work"), "agent:work:gone", dry_run=True)


async def test_a_finding_further_down_says_how_to_get_to_it() -> None:
    newest, other = of_work(sample.usual())
    found = (late(newest), replace(late(newest), code="near-limit", key=other.key_text))
    async with at_work(FakeEngine(with_findings(*found))) as desk:
        assert "   c saves it" in desk.bar("attention")
        assert "   . twice, then c saves it" in desk.bar("attention-2")
        await desk.press("full_stop", "full_stop")
        assert "c checkpoint work / …ventory" in desk.bar("keys")


async def test_marked_sessions_name_their_agent_once_to_what_is_about_the_agent() -> None:
    engine = FakeEngine(with_findings())
    async with at_work(engine) as desk:
        await desk.press("j", "2", "space", "space", "F")

    assert [(one.spec.name, one.agent.id) for one in engine.commands] == [("reflect", "work")]
