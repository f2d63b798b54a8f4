"""What the memory of no agent holds yet: messages that nobody saved, and those that were cut off.

A session is saved up to the newest moment that any capture of ours reached: checkpoint, flush,
observation, summary or recovery. What was said later is unsaved; what was said later in a session
that the platform compacted or reset since then may be lost, and can still be brought back.
"""

from __future__ import annotations

import shlex
from dataclasses import field
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.calendar import clock
from memconsole.domain.checkpoint.rules import touched_at
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.snapshot.snapshot import Attention, name_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import long_span, short_kilo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.calendar import Zone
    from memconsole.domain.events import Cut
    from memconsole.domain.snapshot.snapshot import AgentView, SchedulerStatus, SessionView

TODAY = timedelta(hours=24)
"""A session that was used within this time was used today."""

_SAME_MOMENT = timedelta(minutes=2)
"""Between the last words of a turn and what a capture or a cut of it says of its time."""

EVER = timedelta.max

_TURNS = 2
"""Intervals of the checkpoint job after which messages should have been saved."""


@dataclass(frozen=True, slots=True)
class Saves:
    """What was saved of a home, and what was said.

    Attributes:
        saved: Up to which moment each session is saved, by agent and session id.
        said: Times of messages by session id, the oldest first, where they were read.
        cuts: Compactions and resets of the last day.
        since: Since when this home is looked at; None for never.
        intervals: Time between two checkpoints, by agent.
        interval: The usual one.
        quiet: For how long a session may be quiet that a checkpoint still takes, by agent.
        quiet_usually: The usual time.
        zone: In which times are told.
    """

    saved: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    said: Mapping[str, Sequence[datetime]] = field(default_factory=dict)
    cuts: Sequence[Cut] = ()
    since: datetime | None = None
    intervals: Mapping[str, timedelta] = field(default_factory=dict)
    interval: timedelta = timedelta(minutes=15)
    quiet: Mapping[str, timedelta] = field(default_factory=dict)
    quiet_usually: timedelta = timedelta(hours=4)
    zone: Zone = None


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A live session with messages that no capture has reached.

    Attributes:
        since: The first of them whose time is known.
        saved_at: Up to where it is saved; None for never.
    """

    view: SessionView
    since: datetime
    saved_at: datetime | None


def unsaved(
    agents: Iterable[AgentView],
    sessions: Iterable[SessionView],
    saves: Saves,
    now: datetime,
    *,
    within: timedelta = TODAY,
) -> tuple[Unsaved, ...]:
    """Return the live sessions that hold something unsaved, the longest wait first.

    Args:
        agents: Their agents.
        sessions: Those that are looked at.
        saves: What was saved and said.
        now: The present.
        within: How long ago somebody must have spoken in them at most; since the home is looked at
            it does not matter how long ago.
    """
    if saves.since is not None:
        within = max(within, now - saves.since)
    of_files = {one.ref.id: one.checkpoint_at for one in agents}
    recorded = {agent for agent, _ in saves.saved}
    found = []
    for view in sessions:
        spoke_at = spoken_within(view, now, within)
        if spoke_at is None:
            continue
        saved_at = saves.saved.get((view.agent.id, view.session_id or ""))
        if saved_at is None and view.agent.id not in recorded:
            saved_at = of_files.get(view.agent.id)  # another program's checkpoint, as its file says
        if saved_at is not None and spoke_at - saved_at <= _SAME_MOMENT:
            continue
        since = spoke_at
        if said := saves.said.get(view.session_id or ""):
            later = (at for at in said if saved_at is None or at > saved_at)
            since = min(next(later, spoke_at), spoke_at)
        found.append(Unsaved(view, since, saved_at))
    found.sort(key=lambda one: (one.since, one.view.key_text or ""))
    return tuple(found)


def is_saved(view: SessionView) -> bool:
    """Whether a capture took all that is known to have been said in a session."""
    saved_at = None if view.outlook is None else view.outlook.saved_at
    spoke_at = touched_at(view.stored) or view.stored.last_interaction_at
    return saved_at is not None and spoke_at is not None and spoke_at - saved_at <= _SAME_MOMENT


def saving(view: SessionView, saves: Saves, now: datetime) -> tuple[str, str]:
    """Return the command that saves what one session holds, and the sentence that names the call.

    A checkpoint passes over what has been quiet for long. Observing goes on where a capture ended,
    and takes only what is new where there was none. What captures may not read has no command.
    """
    if not view.is_capturable:
        return "", f"It is {view.session_class.phrase}, and those are never copied into memory."
    spoke_at = touched_at(view.stored) or view.stored.last_interaction_at
    quiet = saves.quiet.get(view.agent.id, saves.quiet_usually)
    is_late = spoke_at is not None and now - spoke_at > quiet
    is_saved = (view.agent.id, view.session_id or "") in saves.saved or (
        view.outlook is not None and view.outlook.saved_at is not None
    )
    if is_late and not is_saved and view.key_text is not None:
        return (
            "flush",
            f"`{shlex.join(('memconsole', 'flush', view.key_text))}` saves what it holds.",
        )
    command = "observe" if is_late else "checkpoint"
    return command, f"`{call(command, view.agent.id, view.key_text)}` saves what it holds."


def call(command: str, agent_id: str, name: str | None = None) -> str:
    """Return the call that runs a command for an agent, or for one session by its key or id."""
    session = () if name is None else ("--session", name)
    return shlex.join(("memconsole", command, "--agent", agent_id, *session))


def spoken_within(view: SessionView, now: datetime, within: timedelta = TODAY) -> datetime | None:
    """Return when somebody spoke last in a session that captures may read; None for long ago."""
    stored = view.stored
    if stored.state is not SessionState.LIVE:
        return None
    spoke_at = touched_at(stored) or stored.last_interaction_at
    if spoke_at is None or not timedelta() <= now - spoke_at <= within:
        return None
    # A session that was just reset holds nothing that could be saved.
    return spoke_at if view.tokens != 0 and view.is_capturable else None


_SAVED = "all of it saved"


def unsaved_words(cut: Cut, saved_at: datetime | None) -> str:
    """Return how much of a session was saved when it was cut, as every face says it."""
    if saved_at is None:
        return "nothing saved"
    late = cut.spoke_at - saved_at
    return _SAVED if late <= _SAME_MOMENT else f"{long_span(late)} unsaved"


_DID = {
    "compacted": "compacted by the platform",
    "rollover": "begun anew by the platform",
    "rotated": "reset by memconsole",
    "reset": "reset, by whom is not known,",
}


def lost_work(sessions: Iterable[SessionView], saves: Saves, now: datetime) -> Iterator[Attention]:
    """Yield the sessions that were cut while something in them was unsaved.

    What happened before anybody looked could not be saved by us, and can still be brought back: it
    is a warning.
    """
    if not saves.cuts:
        return
    live = {(one.agent.id, one.session_id): one for one in sessions}
    looks = [*saves.saved.values(), *(() if saves.since is None else (saves.since,))]
    since = min(looks, default=None)
    for cut in saves.cuts:
        saved_at = saves.saved.get((cut.agent.id, cut.session_id))
        if unsaved_words(cut, saved_at) == _SAVED or now - cut.at > TODAY:
            continue
        is_before = since is None or cut.at < since
        size = "" if cut.tokens is None else f" at {short_kilo(cut.tokens)}"
        did = f"{_DID[cut.what]} {clock(cut.at, saves.zone)}{size}"
        rest = unsaved_words(cut, saved_at)
        if saved_at is None and is_before:
            rest = "before memconsole looked, and is not saved yet"
        is_live = cut.what == "compacted"
        command, name = ("observe", cut.key) if is_live else ("recover", cut.session_id)
        hint = f"`{call(command, cut.agent.id, name)}` brings it back."
        view = live.get((cut.agent.id, cut.session_id))
        if is_live and saved_at is None and view is not None:
            # Observing goes on where a capture ended, and there was none.
            command, hint = saving(view, saves, now)
        yield Attention(
            Severity.WARNING if is_before else Severity.CRITICAL,
            "cut-before" if is_before else "work-lost",
            # What is lost stands first: a narrow line is cut at its end.
            f"{cut.name} was {did}, {rest}" if is_before else f"LOST? {cut.name}: {rest}, {did}",
            hint=hint,
            agent=cut.agent.id,
            key=cut.key,
            command=command,
        )


def late_saves(
    agents: Iterable[AgentView], waiting: Iterable[Unsaved], saves: Saves, now: datetime
) -> Iterator[Attention]:
    """Yield each agent whose messages wait for longer than two checkpoints should take."""
    by_agent: dict[str, list[Unsaved]] = {}
    for one in waiting:
        by_agent.setdefault(one.view.agent.id, []).append(one)
    for agent in agents:
        own = by_agent.get(agent.ref.id, [])
        most = _TURNS * saves.intervals.get(agent.ref.id, saves.interval)
        is_first = agent.checkpoint_at is None and all(one.saved_at is None for one in own)
        late = own if is_first else [one for one in own if now - one.since > most]
        if late:
            yield _late(agent, late, saves, is_first=is_first, now=now)


def _late(
    agent: AgentView, late: list[Unsaved], saves: Saves, *, is_first: bool, now: datetime
) -> Attention:
    worst = late[0]
    more = f", and {len(late) - 1} more of its sessions wait" if len(late) > 1 else ""
    message = f"{name_of(worst.view)} holds {long_span(now - worst.since)} that nobody saved{more}"
    if is_first:
        message = f"{agent.ref.id} is used, and it has no checkpoint yet"
    agent_id = agent.ref.id
    if is_first:
        command, hint = "checkpoint", f"`{call('checkpoint', agent_id)}` is its first."
    elif len(late) == 1:
        command, hint = saving(worst.view, saves, now)
    else:  # a checkpoint takes one session; observing takes all of them
        command, hint = "observe", f"`{call('observe', agent_id)}` saves all of them."
    return Attention(
        Severity.WARNING,
        "no-checkpoint" if is_first else "capture-late",
        message,
        hint=hint,
        agent=agent_id,
        key=None if is_first else worst.view.key_text,
        command=command,
        is_for_all=len(late) > 1,
    )


def idle_scheduler(waiting: Sequence[Unsaved], scheduler: SchedulerStatus) -> Iterator[Attention]:
    """Yield that nobody saves what is unsaved, or that a part of the jobs is run by nobody."""
    if scheduler.silent:
        yield _silent_layers(scheduler, is_waiting=bool(waiting))
    if not waiting or scheduler.state == "running":
        return
    count = f"{len(waiting)} sessions hold" if len(waiting) > 1 else "1 session holds"
    said = f"{count} messages that nobody saved"
    yield Attention(
        Severity.HIGH,
        "scheduler",
        f"{said}, and the scheduler is {scheduler.state}",
        hint="Start `memconsole --serve`, or press S in the console.",
    )


def _silent_layers(scheduler: SchedulerStatus, *, is_waiting: bool) -> Attention:
    silent = [one.layer for one in scheduler.silent]
    saves = is_waiting and bool({Layer.CHECKPOINT, Layer.CAPTURE} & set(silent))
    return Attention(
        Severity.HIGH if saves else Severity.WARNING,
        "scheduler",
        scheduler.silence,
        hint=f"Start `memconsole --serve --layer {silent[0].value}`, or press S in the console.",
    )
