"""Chooses which sessions rotation would take, from disk alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.agents import Storage
from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.rotation import BREAKER, is_too_soon, is_tripped
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import NotDue
from memconsole.engine.home.lookup import agents_of, require_a_readable_store, unreadable
from memconsole.errors import SessionNotFoundError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural, short_kilo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.rotation import Rotation
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import RotationSettings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.home.reader import AgentReading, Reader
    from memconsole.ports.platform import Clock, RotationLog

JOURNAL_ROWS = 20
"""Newest rotations of a session that decide about the next one."""

_SKIPS = {
    NotDue.BELOW: SkipReason.NOT_DUE,
    NotDue.UNKNOWN: SkipReason.NOT_CONFIRMED,
    NotDue.STALE: SkipReason.NOT_CONFIRMED,
    NotDue.UNCONFIRMED: SkipReason.NOT_CONFIRMED,
    NotDue.CLASS: SkipReason.NOT_ROTATED,
    NotDue.ARCHIVED: SkipReason.NO_SESSION,
    NotDue.NO_KEY: SkipReason.NO_SESSION,
    NotDue.NO_SESSION: SkipReason.NO_SESSION,
    NotDue.PATTERN: SkipReason.SKIP_PATTERN,
}


@dataclass(frozen=True, slots=True)
class RotationPlan:
    """What rotation would do now.

    Attributes:
        outcomes: `Planned` for each candidate, largest first, then `Skipped` for each session
            that is over its threshold and is left alone.
        below: Live sessions below their threshold or without a count.
        threshold_tokens: The absolute limit that was applied.
        most: Sessions that one run resets; None when they were named.
        notices: What of the stores could not be read; an agent whose store cannot be read at all
            is a `Failed` among the outcomes.
    """

    outcomes: tuple[Outcome, ...]
    below: int
    threshold_tokens: int
    most: int | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def queue(self) -> tuple[Rotate, ...]:
        """Return what a run tries in turn, until `most` were taken; a busy one takes no place."""
        waits = (
            one.command
            for one in self.outcomes
            if isinstance(one, Planned)
            or (isinstance(one, Skipped) and one.reason is SkipReason.MAX_PER_RUN)
        )
        return tuple(one for one in waits if isinstance(one, Rotate))


def plan_rotation(
    rotations: RotationLog,
    clock: Clock,
    reader: Reader,
    settings: Settings,
    *,
    agent_id: str | None,
    keys: tuple[str, ...],
    threshold_tokens: int | None,
    is_forced: bool,
    is_active_forced: bool = False,
) -> RotationPlan:
    """Judge every live session, or the named ones.

    Args:
        rotations: The journal.
        clock: For the time.
        reader: For the sessions on disk.
        settings: Thresholds and other rules.
        agent_id: Only this agent.
        keys: Only these sessions.
        threshold_tokens: Another limit.
        is_forced: Threshold, interval and breaker are passed.
        is_active_forced: Runs that are going on will be broken off, and the plan says so.

    Raises:
        SessionNotFoundError: A key names no live session.
        StoreError: It may be in a store that cannot be read.
        HomeUnreadableError: There are session stores, and none of them can be read.
        UnknownAgentError: `agent_id` names nobody.
        ConfigError: The rules of rotation, or those of one of the agents, are wrong.
    """
    seen = _live(reader, agent_id, threshold_tokens)
    rows = seen.rows
    most = _most(settings, rows)
    hold = _Hold(rotations, settings, clock.now())
    if keys:
        named = [_named(seen, key) for key in keys]
        outcomes = tuple(_judge_named(row, hold, is_forced=is_forced) for row in named)
        limit = threshold_tokens or settings.rotation.threshold_tokens
        return RotationPlan(_told(outcomes, is_active_forced), 0, limit, notices=seen.notices)
    outcomes = (*_judge_all(rows, hold, most), *seen.unread)
    return RotationPlan(
        _told(outcomes, is_active_forced),
        below=sum(not row.is_due and not _stays(row) for row in rows),
        threshold_tokens=threshold_tokens or settings.rotation.threshold_tokens,
        most=most,
        notices=seen.notices,
    )


def _most(settings: Settings, rows: Iterable[SessionView]) -> int:
    """Return how many a run takes; wrong rules, of any agent it is about, are refused here."""
    most = settings.rotation.max_per_run
    for agent in {row.agent.id for row in rows}:
        settings.for_agent(agent).rotation.threshold_tokens  # noqa: B018 - a wrong one refuses
    return most


def _judge_all(rows: Sequence[SessionView], hold: _Hold, most: int) -> Iterator[Outcome]:
    """Yield who goes, who waits by the journal, and who is full and stays."""
    due = sorted((row for row in rows if row.is_due), key=lambda row: -(row.count.basis or 0))
    held = [one for row in due if (one := hold.of(row)) is not None]
    waiting = {one.command for one in held}
    yield from _placed([row for row in due if _command(row) not in waiting], most)
    yield from held
    yield from (_skipped(row) for row in rows if _stays(row) and not row.is_cron_run)


def _placed(fullest_first: Iterable[SessionView], most: int) -> Iterator[Outcome]:
    """Yield the plan of one run; a session that the disk calls busy takes no place in it."""
    left = most
    for row in fullest_first:
        yield _planned(row) if left > 0 else over_the_maximum(_planned(row), most)
        left -= not _is_busy(row)


def plan_of(
    command: Rotate, rotations: RotationLog, clock: Clock, reader: Reader, settings: Settings
) -> Outcome:
    """Return what one rotation would do.

    Raises:
        SessionNotFoundError: The key names no live session.
    """
    plan = plan_rotation(
        rotations,
        clock,
        reader,
        settings,
        agent_id=command.agent.id,
        keys=(command.key,),
        threshold_tokens=command.threshold_tokens,
        is_forced=command.is_forced,
        is_active_forced=command.is_active_forced,
    )
    [found] = plan.outcomes
    return replace(found, command=command)


@dataclass(frozen=True, slots=True)
class _Live:
    """The live sessions, and the agents whose store cannot be read."""

    rows: list[SessionView]
    unread: tuple[Failed, ...]
    notices: tuple[Notice, ...]


def _live(reader: Reader, agent_id: str | None, threshold_tokens: int | None) -> _Live:
    home = reader.home()
    agents = agents_of(home, agent_id)
    readings = [reader.sessions(home, agent) for agent in agents]
    require_a_readable_store(home, [one.listing for one in readings])
    return _Live(
        rows=[
            row
            for reading in readings
            for row in reader.views(home, reading, {}, threshold_tokens)
            if row.state is SessionState.LIVE
        ],
        unread=tuple(_unread(one) for one in readings if one.listing.storage is Storage.UNREADABLE),
        notices=tuple(
            notice
            for one in readings
            if not is_readable(one.listing)
            for notice in one.listing.notices
            if notice.code in _UNREAD
        ),
    )


_UNREAD = frozenset({"store-unreadable", "store-newer", "transcript-outside"})


def _unread(reading: AgentReading) -> Failed:
    """Return that nobody could look whether anything of an agent is due."""
    error = unreadable(reading.agent.id, reading.listing)
    command = Rotate(reading.agent.ref, "", dry_run=True)
    hint = "Check owner and mode of the agent's sessions folder."
    return Failed(command, error.code, str(error), hint=hint)


def _named(seen: _Live, key: str) -> SessionView:
    for row in seen.rows:
        if row.key_text == key:
            return row
    if seen.unread:
        raise StoreError(seen.unread[0].message, hint=seen.unread[0].hint)
    raise SessionNotFoundError(key)


def _stays(row: SessionView) -> bool:
    """Over its threshold by the number shown, and not taken; past cron runs are their job's."""
    return not row.is_due and row.tokens is not None and row.tokens >= row.threshold


@dataclass(frozen=True, slots=True)
class Hold:
    """Why the journal leaves a due session alone for now."""

    reason: SkipReason
    because: str
    hint: str


def hold_of(
    newest_first: Sequence[Rotation], rules: RotationSettings, now: datetime
) -> Hold | None:
    """Return what the journal has against a rotation: the breaker, or one just before."""
    if is_tripped(newest_first):
        return Hold(
            SkipReason.BREAKER,
            f"the last {BREAKER} resets of it had no effect",
            "Look at the Gateway's log; `--force` tries once more.",
        )
    if is_too_soon(newest_first, rules.min_interval, now):
        return Hold(
            SkipReason.TOO_SOON,
            f"it was rotated less than {rules.min_interval} ago",
            "`--force` passes rotation.min_interval.",
        )
    return None


class _Hold(NamedTuple):
    """What the journal says against resetting a session now."""

    rotations: RotationLog
    settings: Settings
    now: datetime

    def of(self, row: SessionView) -> Skipped | None:
        """Return why a session is left alone; None when nothing holds it."""
        rules = self.settings.for_agent(row.agent.id).rotation
        recent = self.rotations.recent(row.agent, row.key_text or "", limit=JOURNAL_ROWS)
        held = hold_of(recent, rules, self.now)
        if held is None:
            return None
        said = f"{row.key_text}: {held.because}"
        return Skipped(_command(row), held.reason, said, hint=held.hint, details=_details(row))


def _command(row: SessionView) -> Rotate:
    return Rotate(row.agent, row.key_text or "", dry_run=True)


def _details(row: SessionView) -> dict[str, Detail]:
    return {
        "threshold": row.threshold,
        "tokens": row.tokens,
        "token_state": row.count.state.value,
        "session_id": row.session_id,
        "class": row.session_class.value,
    }


def _planned(row: SessionView) -> Planned:
    capture = (
        "after a checkpoint of it"
        if row.is_capturable
        else f"without capture: {row.session_class.value} sessions are never copied into memory"
    )
    tokens = row.count.basis if row.count.basis is not None else row.tokens
    return Planned(
        _command(row),
        f"would reset {row.key_text} at {short_kilo(tokens)} of {short_kilo(row.threshold)}, "
        + capture
        + (_WAITED if _is_busy(row) else ""),
        details=_details(row),
    )


_WAITED = "; a run is going on, which is waited for"
_BROKEN = "; a run is going on, which is broken off"


def _told(outcomes: tuple[Outcome, ...], is_active_forced: bool) -> tuple[Outcome, ...]:
    """Return the plan with what becomes of runs that are going on."""
    if not is_active_forced:
        return outcomes
    return tuple(
        replace(one, message=one.message.replace(_WAITED, _BROKEN))
        if isinstance(one, Planned)
        else one
        for one in outcomes
    )


def _is_busy(row: SessionView) -> bool:
    """Whether the disk says that a run is going on; the Gateway decides when it is time."""
    return row.stored.is_active is True or row.stored.status == "running"


def skip_of(row: SessionView, command: Rotate) -> Skipped:
    """Return why a session is left alone."""
    reason = SkipReason.NOT_DUE if row.not_due is None else _SKIPS[row.not_due]
    because = row.not_due_because or "it is not due"
    return Skipped(command, reason, f"{row.key_text}: {because}", details=_details(row))


def _skipped(row: SessionView) -> Skipped:
    return skip_of(row, _command(row))


def over_the_maximum(plan: Planned, limit: int) -> Skipped:
    """Return that a session which is due waits for the next run."""
    key = plan.command.key if isinstance(plan.command, Rotate) else ""
    return Skipped(
        plan.command,
        SkipReason.MAX_PER_RUN,
        f"{key} is due; one run takes the largest {plural(limit, 'session')}",
        hint="It is taken by the next run.",
        details=plan.details,
    )


def _judge_named(row: SessionView, hold: _Hold, *, is_forced: bool) -> Outcome:
    if is_forced and row.session_class.is_rotated:
        return _planned(row)
    if not row.is_due:
        return _skipped(row)
    return hold.of(row) or _planned(row)
