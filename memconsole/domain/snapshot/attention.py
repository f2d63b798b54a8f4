"""The findings: everything that an operator should look at, worst first.

There is one list. `status`, `health` and the console show it as it stands, so that they cannot
contradict each other; alerts and the checks of the last look at health are a part of it. That
nothing was found proves nothing while something is not known, so what speaks for quiet is told too.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity, Storage
from memconsole.domain.calendar import clock
from memconsole.domain.gateway import Verdict
from memconsole.domain.sessions.activity import Doing
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.domain.snapshot.snapshot import (
    Attention,
    Quiet,
    SchedulerStatus,
    name_of,
    why_suspect,
)
from memconsole.domain.snapshot.unsaved import (
    EVER,
    TODAY,
    Saves,
    idle_scheduler,
    late_saves,
    lost_work,
    saving,
    spoken_within,
    unsaved,
)
from memconsole.text.figures import long_span, short_kilo, span
from memconsole.text.figures import rate as rate_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Notice, PlatformConfig
    from memconsole.domain.alerts import OpenAlert
    from memconsole.domain.compaction import BadCompaction
    from memconsole.domain.config_check.finding import Finding
    from memconsole.domain.gateway import GatewayStatus
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot, SessionView
    from memconsole.domain.snapshot.unsaved import Unsaved


_ORDER = (
    "work-lost",
    "scheduler",
    "capture-late",
    "no-checkpoint",
    "cut-before",
    "session-due",
    "session-due-soon",
    "session-stuck",
    "reset-next",
    "near-limit",
    "compacts-first",
    "bootstrap-truncation",
    "count-suspect",
    "count-unknown",
    "store-unreadable",
    "store-newer",
)
"""Among equally grave ones what is about to be lost comes first; the others by their code."""

_NEAR = 90.0
"""Percent of its own limit from which on something is told."""

_SOON = timedelta(hours=2)

_NOTICE_FINDINGS = {
    "store-unreadable": (Severity.CRITICAL, ""),
    "store-newer": (Severity.HIGH, "Update memconsole; until then only the Gateway knows them."),
    "config-unreadable": (Severity.HIGH, "Fix the platform's configuration file."),
    "workspace-missing": (Severity.WARNING, "Create the workspace or correct the configuration."),
    "missing-transcript": (Severity.WARNING, "`memconsole sessions --all` names it."),
    "agent-collision": (Severity.WARNING, "Rename one of the two agents."),
    WRONG_SETTINGS: (Severity.HIGH, "Correct it; `memconsole config path` names the file."),
    "time-zone-unknown": (Severity.WARNING, "Until then days and jobs follow UTC."),
    "clock-skew": (Severity.WARNING, "Check the clock of this host."),
    "gateway-other-home": (
        Severity.WARNING,
        "Let --home and gateway.url mean one home; until then the Gateway changes nothing here.",
    ),
    "state-unwritable": (Severity.HIGH, "Checkpoints cannot be recorded; check the state folder."),
    "state-newer": (Severity.HIGH, "Update memconsole; it only reads until then."),
    "memory-unreadable": (Severity.WARNING, "Check owner and mode of the file."),
}


def attention(
    agents: Iterable[AgentView],
    sessions: Iterable[SessionView],
    notices: Iterable[Notice],
    *,
    config: PlatformConfig,
    gateway: GatewayStatus,
    now: datetime,
    saves: Saves | None = None,
    scheduler: SchedulerStatus | None = None,
    stale: Iterable[SessionView] = (),
    losses: Iterable[BadCompaction] = (),
    findings: Iterable[Finding] = (),
    alerts: Iterable[OpenAlert] = (),
) -> tuple[Attention, ...]:
    """Rank everything that wants a look; empty means that nothing was found.

    Args:
        agents: All agents.
        sessions: All sessions.
        notices: What is odd about the reading.
        config: The platform's configuration.
        gateway: What is known about the Gateway.
        now: The wall clock.
        saves: What was saved and said.
        scheduler: Who runs the jobs; None when nobody asked.
        stale: Sessions that the platform starts anew with their next message.
        losses: Compactions of the present windows that lost turns.
        findings: What is grave and certain in the platform's configuration.
        alerts: What was wrong at the last look at health.
    """
    listed, rows, resets = tuple(sessions), tuple(agents), tuple(stale)
    known = saves or Saves()
    waiting = unsaved(rows, listed, known, now)
    found = [
        *lost_work(listed, known, now),
        *late_saves(rows, waiting, known, now),
        *(() if scheduler is None else idle_scheduler(waiting, scheduler)),
        *_sessions(listed, config, known, now),
        *_stuck(listed, now),
        *_counts(listed, known, now),
        *_stale(resets, unsaved(rows, resets, known, now, within=EVER), known, now),
        *_limits(rows),
        *_notices(notices, listed),
        *_gateway(gateway),
        *_losses(losses, listed),
        *_config(findings),
    ]
    return with_checks(found, alerts)


def with_checks(found: Iterable[Attention], alerts: Iterable[OpenAlert]) -> tuple[Attention, ...]:
    """Rank findings together with what a look at health found wrong.

    What the reading itself judges anew is not taken from that look, and what came from an earlier
    look is left out: `alerts` are in its place.
    """
    live = [one for one in found if one.seen_at is None]
    codes = {one.code for one in live}
    looked = [
        Attention(
            Severity(one.status.value),
            one.issue,
            one.message,
            one.hint,
            seen_at=one.seen_at,
        )
        for one in alerts
        if one.issue not in _JUDGED_ANEW and _TOLD_BY.get(one.issue) not in codes
    ]
    return tuple(sorted([*live, *looked], key=_rank))


_JUDGED_ANEW = frozenset(
    {"gateway", "gateway-process", "gateway-scopes", "bootstrap-truncation", "stores", "state"}
)
"""Checks whose cause every reading sees by itself, as it is now."""

_TOLD_BY = {
    "compaction-evidence": "compaction-evidence",
    "jobs": "scheduler",
    "outputs-freshness": "capture-late",
    "capture-skips": "capture-late",
    "stuck-runs": "session-stuck",
}
"""Finding that tells the same as a check, more exactly."""


def _rank(one: Attention) -> tuple[object, ...]:
    place = _ORDER.index(one.code) if one.code in _ORDER else len(_ORDER)
    return -one.severity.rank, place, one.code, one.agent or "", one.key or ""


def _sessions(
    sessions: tuple[SessionView, ...], config: PlatformConfig, saves: Saves, now: datetime
) -> Iterator[Attention]:
    for view in sessions:
        if view.state is not SessionState.LIVE or view.key is None:
            continue
        if view.is_due:
            yield _due(view)
        elif finding := _due_soon(view, saves, now) or _near(view, saves, now):
            yield finding
        if view.is_due or view.percent_of_threshold is not None:
            yield from _compacts_first(view, config)


def _due(view: SessionView) -> Attention:
    tokens = view.count.basis or view.tokens or 0
    return Attention(
        Severity.HIGH,
        "session-due",
        f"{name_of(view)} is due: {short_kilo(tokens)} of {short_kilo(view.threshold)}"
        f"{_rate(view)}",
        hint=f"memconsole rotate {view.key_text} --dry-run shows the plan.",
        agent=view.agent.id,
        key=view.key_text,
        command="rotate",
    )


def _due_soon(view: SessionView, saves: Saves, now: datetime) -> Attention | None:
    due_at = None if view.growth is None else view.growth.due_at
    if due_at is None or not view.session_class.is_rotated or due_at - now > _SOON:
        return None
    command, hint = saving(view, saves, now)
    minutes = max(1, round((due_at - now).total_seconds() / 60))
    return Attention(
        Severity.WARNING,
        "session-due-soon",
        f"{name_of(view)} reaches {short_kilo(view.threshold)} in about {minutes} min{_rate(view)}",
        hint=hint,
        agent=view.agent.id,
        key=view.key_text,
        command=command,
    )


def _near(view: SessionView, saves: Saves, now: datetime) -> Attention | None:
    """Return that a session has nearly reached its threshold, or its window where none rotates."""
    is_rotated = view.session_class.is_rotated
    percent = view.percent_of_threshold if is_rotated else view.percent_of_window
    limit = view.threshold if is_rotated else view.window
    tokens = view.count.basis
    if percent is None or limit is None or tokens is None or percent < _NEAR:
        return None
    state = (
        "" if view.count.state is TokenState.FRESH else f" by a count that is {view.count.state}"
    )
    command, hint = saving(view, saves, now)
    return Attention(
        Severity.WARNING,
        "near-limit",
        f"{name_of(view)} is at {percent:.0f} % of its {'threshold' if is_rotated else 'window'}: "
        f"{short_kilo(tokens)} of {short_kilo(limit)}{state}",
        hint=hint,
        agent=view.agent.id,
        key=view.key_text,
        command=command,
    )


def _compacts_first(view: SessionView, config: PlatformConfig) -> Iterator[Attention]:
    """Yield what the platform compacts before the rotation threshold can be reached."""
    window = view.window
    if window is None or not view.session_class.is_rotated:
        return
    limit = window - config.reserve_tokens
    if limit >= view.threshold or (view.percent_of_threshold or 0) < 50:
        return
    yield Attention(
        Severity.WARNING,
        "compacts-first",
        f"{name_of(view)} is compacted at {short_kilo(max(limit, 0))}, before its threshold of "
        f"{short_kilo(view.threshold)}",
        hint="Lower rotation.threshold_tokens for this agent.",
        agent=view.agent.id,
        key=view.key_text,
    )


def _stuck(sessions: Iterable[SessionView], now: datetime) -> Iterator[Attention]:
    """Yield the runs of which nothing came for too long."""
    for view in sessions:
        one = view.activity
        if one is not None and one.doing is Doing.STUCK and one.since is not None:
            silent = span(now - one.since)
            yield Attention(
                Severity.HIGH,
                "session-stuck",
                f"{name_of(view)} is stuck: no sign of life from its run for {silent}",
                hint="Look at its last messages; /stop in its chat ends the run.",
                agent=view.agent.id,
                key=view.key_text,
                command="checkpoint" if view.is_capturable else "",
            )


def _counts(sessions: tuple[SessionView, ...], saves: Saves, now: datetime) -> Iterator[Attention]:
    """Yield the counts of today that cannot be true, and those that nobody knows."""
    for view in sessions:
        used_at = view.stored.last_interaction_at or view.stored.updated_at
        is_conversation = view.state is SessionState.LIVE and view.session_class.is_rotated
        if not is_conversation or used_at is None or now - used_at > TODAY:
            continue
        if view.count.state is TokenState.SUSPECT:
            code, said = "count-suspect", why_suspect(view)
        elif view.count.state is TokenState.UNKNOWN and _has_words(view):
            code, said = "count-unknown", "nobody knows how full it is"
        else:
            continue
        command, hint = saving(view, saves, now)
        yield Attention(
            Severity.WARNING,
            code,
            f"{name_of(view)}: {said}",
            hint=f"Until the platform counts again, automatic rotation leaves it alone. {hint}",
            agent=view.agent.id,
            key=view.key_text,
            command=command,
        )


def _has_words(view: SessionView) -> bool:
    return view.transcript_state is not TranscriptState.NONE


def _stale(
    stale: Iterable[SessionView], waiting: Sequence[Unsaved], saves: Saves, now: datetime
) -> Iterator[Attention]:
    """Yield what the next message starts anew; grave only where something in it is unsaved."""
    open_ = {(one.view.agent.id, one.view.key_text) for one in waiting}
    for view in stale:
        is_open = (view.agent.id, view.key_text) in open_
        reset = "starts anew with its next message"
        # What may be lost stands first: a narrow line is cut at its end.
        said = f": not all is saved, and it {reset}" if is_open else f" {reset}; all of it is saved"
        command, hint = saving(view, saves, now) if is_open else ("", "")
        yield Attention(
            Severity.WARNING if is_open else Severity.INFO,
            "reset-next",
            f"{name_of(view)}{said}",
            hint=hint,
            agent=view.agent.id,
            key=view.key_text,
            command=command,
        )


def _limits(agents: tuple[AgentView, ...]) -> Iterator[Attention]:
    """Files of which the platform loads only the beginning, or soon will; each of them once."""
    seen: set[tuple[object, str]] = set()
    for agent in agents:
        for limit in () if agent.pool is None else agent.pool.limits:
            place = (agent.agent.workspace, limit.path)
            if place in seen or not limit.limit or 100 * limit.chars / limit.limit < _NEAR:
                continue
            seen.add(place)
            cut = f" and cuts {short_kilo(limit.chars - limit.limit)}" if limit.is_over else ""
            yield Attention(
                Severity.WARNING,
                "bootstrap-truncation" if limit.is_over else "near-limit",
                f"{limit.path} of {agent.ref.id} has {short_kilo(limit.chars)} characters; "
                f"the platform loads {short_kilo(limit.limit)}{cut}",
                hint="Move the older part below memory/, where search finds it.",
                agent=agent.ref.id,
            )


def _notices(notices: Iterable[Notice], sessions: tuple[SessionView, ...]) -> Iterator[Attention]:
    for notice in notices:
        known = _NOTICE_FINDINGS.get(notice.code)
        if known is not None:
            severity, hint = known
            hint = hint or f"{_shown_of(notice.agent, sessions)}; check the file named."
            yield Attention(severity, notice.code, notice.message, hint, notice.agent)


def _shown_of(agent_id: str | None, sessions: tuple[SessionView, ...]) -> str:
    """Say which sessions are shown of an agent whose store cannot be read, or not wholly."""
    shown = {
        view.stored.source
        for view in sessions
        if view.agent.id == agent_id and view.state is SessionState.LIVE
    }
    if Storage.GATEWAY in shown:
        return "Of its sessions only what the Gateway tells is shown"
    return "The rest of it is shown" if shown else "None of its sessions are shown"


def _gateway(gateway: GatewayStatus) -> Iterator[Attention]:
    if gateway.verdict not in ("up", "off"):
        yield Attention(
            Severity.WARNING,
            "gateway",
            f"the gateway {gateway.does}",
            hint=gateway.hint or "Sessions are read from disk until it is back.",
        )


def _losses(
    losses: Iterable[BadCompaction], sessions: tuple[SessionView, ...]
) -> Iterator[Attention]:
    for one in losses:
        named = (name_of(view) for view in sessions if view.session_id == one.session_id)
        name = next(named, one.key or one.session_id)
        yield Attention(
            one.severity,
            "compaction-evidence",
            f"{name} was compacted, and {one.why}",
            hint=f"The lost turns are still in its transcript: {one.recovery}",
            agent=one.agent.id,
            key=one.key,
        )


def _config(findings: Iterable[Finding]) -> Iterator[Attention]:
    for one in findings:
        hint = one.hint or "`memconsole config fix` shows what to set."
        yield Attention(one.severity, one.id, one.why, hint, one.agent)


def _rate(view: SessionView) -> str:
    rate = None if view.growth is None else view.growth.tokens_per_hour
    return "" if rate is None else f", growing {rate_words(rate)}"


def quiet_of(snapshot: ConsoleSnapshot, saves: Saves, *, is_gateway_off: bool) -> Quiet:
    """Return fullest session, oldest save, next job and Gateway, as far as each is known.

    Args:
        snapshot: The reading.
        saves: What was saved of it.
        is_gateway_off: The settings say that no Gateway is asked.
    """
    facts = (
        ("fullest", _fullest(snapshot)),
        ("oldest save", _oldest_save(snapshot, saves)),
        ("scheduler", _scheduler(snapshot, saves)),
        ("gateway", "gateway off" if is_gateway_off else _gateway_unknown(snapshot)),
    )
    return Quiet(
        evidence=tuple(said for _, said in facts if said),
        unknown=tuple(name for name, said in facts if not said),
    )


def _fullest(snapshot: ConsoleSnapshot) -> str:
    if not snapshot.is_whole:
        return ""
    most, whose, is_any = -1.0, "", False
    for view in snapshot.sessions:
        if view.stored.state is SessionState.LIVE:
            is_any = True
            if (percent := view.percent_of_threshold) is not None and percent > most:
                most, whose = percent, view.agent.id
    if not whose:
        return "" if is_any else "no sessions"
    return f"fullest {most:.0f} % {whose}"


def _oldest_save(snapshot: ConsoleSnapshot, saves: Saves) -> str:
    """Return how old the oldest last save is, of the agents that were used today."""
    times: list[datetime] = []
    newest: dict[str, datetime] = {
        one.ref.id: at for one in snapshot.agents if (at := one.checkpoint_at)
    }
    for (agent_id, _), at in saves.saved.items():
        newest[agent_id] = max(at, newest.get(agent_id, at))
    for agent_id in _in_use(snapshot):
        if agent_id not in newest:
            return ""
        times.append(newest[agent_id])
    if not times:
        return "nothing said today"
    return f"oldest save {long_span(snapshot.taken_at - min(times))}"


def _in_use(snapshot: ConsoleSnapshot) -> Iterator[str]:
    """Yield each agent that was used today, once."""
    seen: set[str] = set()
    for view in snapshot.sessions:
        if view.agent.id not in seen and spoken_within(view, snapshot.taken_at) is not None:
            seen.add(view.agent.id)
            yield view.agent.id


def _scheduler(snapshot: ConsoleSnapshot, saves: Saves) -> str:
    scheduler = snapshot.scheduler
    if scheduler.state == "stopped":
        return "scheduler stopped"
    if scheduler.state != "running" or scheduler.next_at is None:
        return ""
    return f"scheduler next {clock(scheduler.next_at, saves.zone)}"


def _gateway_unknown(snapshot: ConsoleSnapshot) -> str:
    gateway = snapshot.gateway
    if gateway.verdict != Verdict.UP:
        return ""
    return "gateway up" if gateway.took_ms is None else f"gateway {gateway.took_ms} ms"
