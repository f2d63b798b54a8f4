"""The attention line: what an operator should look at first, worst first."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.domain.snapshot.snapshot import Attention
from memconsole.text.figures import rate as rate_words
from memconsole.text.figures import short_kilo
from memconsole.text.graphemes import cut_middle
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from memconsole.domain.agents import Notice, PlatformConfig
    from memconsole.domain.compaction import BadCompaction
    from memconsole.domain.config_check.finding import Finding
    from memconsole.domain.gateway import GatewayStatus
    from memconsole.domain.snapshot.snapshot import AgentView, SessionView

_NAME_CHARS = 40
_SOON = timedelta(hours=2)
_CAPTURE_LATE = timedelta(hours=1)

_NOTICE_FINDINGS = {
    "store-unreadable": (Severity.CRITICAL, "Its sessions are not shown; check the file named."),
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
    losses: Iterable[BadCompaction] = (),
    findings: Iterable[Finding] = (),
) -> tuple[Attention, ...]:
    """Rank everything that wants a look; an empty result means all quiet.

    Args:
        agents: All agents.
        sessions: All sessions.
        notices: What is odd about the reading.
        config: The platform's configuration.
        gateway: What is known about the Gateway.
        now: The wall clock.
        losses: Compactions of the present windows that lost turns.
        findings: What is grave and certain in the platform's configuration.
    """
    listed, rows = tuple(sessions), tuple(agents)
    found = [
        *_sessions(listed, config, now),
        *_captures(rows, listed, now),
        *_limits(rows),
        *_notices(notices),
        *_gateway(gateway),
        *_losses(losses, listed),
        *_config(findings),
    ]
    found.sort(key=lambda item: (-item.severity.rank, item.code, item.agent or "", item.key or ""))
    return tuple(found)


def _sessions(
    sessions: tuple[SessionView, ...], config: PlatformConfig, now: datetime
) -> Iterator[Attention]:
    for view in sessions:
        if view.state is not SessionState.LIVE or view.key is None:
            continue
        if view.is_due:
            yield _due(view)
        elif (finding := _due_soon(view, now)) is not None:
            yield finding
        if view.is_due or view.percent_of_threshold is not None:
            yield from _compacts_first(view, config)


def _due(view: SessionView) -> Attention:
    tokens = view.count.basis or view.tokens or 0
    return Attention(
        Severity.HIGH,
        "session-due",
        f"{_name(view)} is due: {short_kilo(tokens)} of {short_kilo(view.threshold)}{_rate(view)}",
        hint=f"memconsole rotate {view.key_text} --dry-run shows the plan.",
        agent=view.agent.id,
        key=view.key_text,
        command="rotate",
    )


def _due_soon(view: SessionView, now: datetime) -> Attention | None:
    due_at = None if view.growth is None else view.growth.due_at
    if due_at is None or not view.session_class.is_rotated or due_at - now > _SOON:
        return None
    minutes = max(1, round((due_at - now).total_seconds() / 60))
    return Attention(
        Severity.WARNING,
        "session-due-soon",
        f"{_name(view)} reaches {short_kilo(view.threshold)} in about {minutes} min{_rate(view)}",
        hint="A checkpoint now saves what it holds.",
        agent=view.agent.id,
        key=view.key_text,
        command="checkpoint",
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
        f"{_name(view)} is compacted at {short_kilo(max(limit, 0))}, before its threshold of "
        f"{short_kilo(view.threshold)}",
        hint="Lower rotation.threshold_tokens for this agent.",
        agent=view.agent.id,
        key=view.key_text,
    )


def _captures(
    agents: tuple[AgentView, ...], sessions: tuple[SessionView, ...], now: datetime
) -> Iterator[Attention]:
    """People talk, and no checkpoint was taken since."""
    newest: dict[str, datetime] = {}
    for view in sessions:
        spoken_at = view.stored.last_interaction_at or view.stored.updated_at
        is_conversation = view.state is SessionState.LIVE and view.is_capturable
        # A session that was just reset holds nothing that could be saved.
        if is_conversation and spoken_at is not None and view.tokens != 0:
            newest[view.agent.id] = max(spoken_at, newest.get(view.agent.id, spoken_at))
    for agent in agents:
        spoken_at = newest.get(agent.ref.id)
        if spoken_at is None or now - spoken_at > timedelta(hours=4) or spoken_at > now:
            continue
        if agent.checkpoint_at is None or spoken_at - agent.checkpoint_at > _CAPTURE_LATE:
            last = (
                "it has no checkpoint yet"
                if agent.checkpoint_at is None
                else "its last checkpoint is over an hour older"
            )
            yield Attention(
                Severity.WARNING,
                "capture-late",
                f"{agent.ref.id} sessions, and {last}",
                hint=f"memconsole checkpoint --agent {agent.ref.id}",
                agent=agent.ref.id,
                command="checkpoint",
            )


def _limits(agents: tuple[AgentView, ...]) -> Iterator[Attention]:
    """Files of which the platform loads only the beginning; a shared workspace counts once."""
    seen: set[tuple[object, str]] = set()
    for agent in agents:
        for limit in () if agent.pool is None else agent.pool.limits:
            place = (agent.agent.workspace, limit.path)
            if not limit.is_over or place in seen:
                continue
            seen.add(place)
            yield Attention(
                Severity.WARNING,
                "bootstrap-truncation",
                f"{limit.path} of {agent.ref.id} has {limit.chars} characters; the platform "
                f"loads {limit.limit}",
                hint="Move the older part below memory/, where search finds it.",
                agent=agent.ref.id,
            )


def _notices(notices: Iterable[Notice]) -> Iterator[Attention]:
    for notice in notices:
        known = _NOTICE_FINDINGS.get(notice.code)
        if known is not None:
            severity, hint = known
            yield Attention(severity, notice.code, notice.message, hint, notice.agent)


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
        named = (_name(view) for view in sessions if view.session_id == one.session_id)
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


def _name(view: SessionView) -> str:
    """Return what the session is called, after its agent."""
    return f"{view.agent.id} / {cut_middle(let_out(view.name), _NAME_CHARS)}"


def _rate(view: SessionView) -> str:
    rate = None if view.growth is None else view.growth.tokens_per_hour
    return "" if rate is None else f", growing {rate_words(rate)}"
