"""What an action acts on: the marked rows, else the one under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.command import Subject
from memconsole.domain.sessions.stored import SessionState
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.names import full_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.snapshot.snapshot import Attention, ConsoleSnapshot, SessionView


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that a command is run for.

    Attributes:
        key: Session key, when it is about a certain session; ids of entries with blanks between.
        name: Such as `main`, `main / telegram · Ada` or `main / m-1a2b3c4d`.
    """

    agent: AgentRef
    key: str | None
    name: str


def pool_of(snapshot: ConsoleSnapshot | None, agent_id: str) -> Pool | None:
    """Return the memory of one agent, as it was read."""
    agents = () if snapshot is None else snapshot.agents
    return next((one.pool for one in agents if one.ref.id == agent_id), None)


def for_agents(
    snapshot: ConsoleSnapshot, agent_ids: Iterable[str], subject: Subject
) -> tuple[Target, ...]:
    """Return the agents of that name; for a command on sessions the fullest session of each."""
    if subject is Subject.ENTRY:
        return ()
    wanted = set(agent_ids)
    agents = [one for one in snapshot.agents if ALL in wanted or one.ref.id in wanted]
    if subject is Subject.AGENT:
        return tuple(whole(one.ref) for one in agents)
    found = []
    for one in agents:
        own = snapshot.of_agent(one.ref.id)
        first = next((view for view in own if _is_conversation(view, one.ref)), None)
        if first is not None:
            found.append(for_session(first))
    return tuple(found)


def for_us(snapshot: ConsoleSnapshot) -> Target:
    """Return memconsole itself, for a command that is about no agent."""
    return whole(AgentRef(HomeRef(str(snapshot.home.path)), ""))


def whole(ref: AgentRef) -> Target:
    """Return an agent as a whole, or memconsole itself where it is none."""
    return Target(ref, None, ref.id or "memconsole")


def for_views(
    snapshot: ConsoleSnapshot, views: Iterable[SessionView], subject: Subject
) -> tuple[Target, ...]:
    """Return sessions that are marked or under the cursor, or whose they are."""
    if subject is Subject.ENTRY:
        return ()
    if subject is Subject.AGENT:
        return for_agents(snapshot, {view.agent.id for view in views}, subject)
    return tuple(for_session(view) for view in views if view.key_text is not None)


def for_homes(
    snapshot: ConsoleSnapshot, labels: Iterable[str], subject: Subject
) -> tuple[Target, ...]:
    """Return every agent of some homes; for a command on sessions those that are due.

    A row of a host tells how many are due, and nothing of any other session.
    """
    if subject is Subject.ENTRY:
        return ()
    parts = [part for one in labels if (part := snapshot.parts.get(one)) is not None]
    if subject is Subject.AGENT:
        return tuple(whole(one.ref) for part in parts for one in part.agents)
    views = (view for part in parts for view in part.sessions if view.is_due)
    return tuple(for_session(view) for view in views if view.key_text is not None)


def for_finding(snapshot: ConsoleSnapshot, finding: Attention) -> tuple[Target, ...]:
    """Return what the command of a finding acts on: its session, else its agent, else nothing."""
    part = snapshot.parts.get((finding.agent or "").rpartition("/")[0], snapshot)
    refs = [one.ref for one in part.agents if one.ref.id == finding.agent]
    if finding.key is None or finding.is_for_all:
        return tuple(whole(one) for one in refs)
    for view in snapshot.of_agent(finding.agent):
        if view.key_text == finding.key:
            return (for_session(view),)
    return tuple(Target(one, finding.key, f"{one.id} / {literal(finding.key)}") for one in refs)


def wants_session(finding: Attention, view: SessionView) -> bool:
    """Whether a finding is about this one session, so that a command on it means the session."""
    return (view.agent.id, view.key_text) in wanted_sessions((finding,))


def wanted_sessions(findings: Iterable[Attention]) -> frozenset[tuple[str | None, str | None]]:
    """Return agent and key of each session that a finding is about."""
    return frozenset((one.agent, one.key) for one in findings if one.command and not one.is_for_all)


def for_command(
    spec: CommandSpec, targets: tuple[Target, ...], snapshot: ConsoleSnapshot | None
) -> tuple[Target, ...]:
    """Return targets as a command takes them: what is about whole agents takes each of them once.

    What would take the newest session of an agent is told which one that is, so that it does what
    was shown.
    """
    if spec.subject is not Subject.AGENT:
        return targets
    if not spec.may_name_session:
        return tuple(dict.fromkeys(whole(one.agent) for one in targets))
    if spec.takes_newest and len(targets) == 1 and targets[0].key is None and snapshot is not None:
        newest = snapshot.newest_of(targets[0].agent.id)
        return targets if newest is None else (for_session(newest),)
    return targets


def waiting(
    snapshot: ConsoleSnapshot | None, targets: tuple[Target, ...]
) -> dict[int, datetime | None]:
    """Return the places of targets whose host is away and takes a command when it comes back.

    With each stands when what is shown of the host was published.
    """
    homes = () if snapshot is None else [snapshot.home_of(one.agent.id) for one in targets]
    return {
        place: home.as_of
        for place, home in enumerate(homes)
        if home is not None and home.waits and home.freshness == "away" and not home.failure
    }


def aim_of(targets: tuple[Target, ...], *, are_marked: bool) -> str:
    """Return what a key acts on: one name, or how many of them there are."""
    if len(targets) < 2:
        return targets[0].name if targets else ""
    noun = "agents" if all(one.key is None for one in targets) else "sessions"
    return f"{len(targets)} {'marked' if are_marked else noun}"


def aims_at(here: tuple[Target, ...], wanted: tuple[Target, ...]) -> bool:
    """Whether a command would act here on exactly what is wanted."""
    return [(one.agent, one.key) for one in here] == [(one.agent, one.key) for one in wanted]


def for_entries(
    snapshot: ConsoleSnapshot, agent_id: str, ids: tuple[str, ...]
) -> tuple[Target, ...]:
    """Return entries of one memory as one target: they go together, and come back together."""
    refs = [one.ref for one in snapshot.agents if one.ref.id == agent_id and ids]
    name = ids[0] if len(ids) == 1 else f"{len(ids)} entries"
    return tuple(Target(ref, " ".join(ids), f"{agent_id} / {name}") for ref in refs)


def for_session(view: SessionView) -> Target:
    """Return one session as a target."""
    return Target(view.agent, view.key_text, full_name(view))


def _is_conversation(view: SessionView, agent: AgentRef) -> bool:
    return (
        view.agent == agent
        and view.state is SessionState.LIVE
        and view.key is not None
        and view.session_class.is_rotated
    )


ALL = "*"
"""Key of the row that stands for all agents; no agent id can be that."""
