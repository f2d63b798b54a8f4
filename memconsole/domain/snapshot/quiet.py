"""What speaks for quiet: that nothing was found proves nothing while something is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.calendar import clock
from memconsole.domain.gateway import Verdict
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.snapshot.snapshot import Quiet
from memconsole.domain.snapshot.unsaved import spoken_within
from memconsole.text.figures import long_span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.domain.snapshot.unsaved import Saves


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
        ("gateway", "gateway off" if is_gateway_off else _gateway(snapshot)),
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


def _gateway(snapshot: ConsoleSnapshot) -> str:
    gateway = snapshot.gateway
    if gateway.verdict != Verdict.UP:
        return ""
    return "gateway up" if gateway.took_ms is None else f"gateway {gateway.took_ms} ms"
