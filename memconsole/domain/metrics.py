"""What monitoring is told: families of samples, all of them gauges.

What is unknown has no sample: it is never 0. No session key is a label: it may be a telephone
number.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.domain.cleanup import OldKind
from memconsole.domain.fleet.publishing import TOLD_AFTER
from memconsole.domain.sessions.activity import Doing
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.cleanup import OldFigures
    from memconsole.domain.fleet.publishing import Standing
    from memconsole.domain.jobs.runs import JobRecord
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.snapshot.homes import HomeReading, ServerReading
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot

_PREFIX = "memconsole_"


@dataclass(slots=True)
class Family:
    """One metric.

    Attributes:
        name: Ends in its unit.
        labels: Names of labels.
        samples: (values of the labels, value).
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    samples: list[tuple[tuple[str, ...], float]] = field(default_factory=list)

    def add(self, value: float | None, *labels: str) -> None:
        """Add one sample; None adds none."""
        if value is not None:
            self.samples.append((labels, float(value)))


def families(
    snapshot: ConsoleSnapshot,
    jobs: Mapping[str, JobRecord],
    indexes: Mapping[tuple[str, Source], IndexStatus],
    old: Mapping[str, OldFigures],
    *,
    version: str,
) -> tuple[Family, ...]:
    """Return everything monitoring is told of one reading; `old` by agent, ours under no name."""
    build = _family("build_info", "Version of memconsole", "version")
    build.add(1, version)
    taken = _family("collected_timestamp_seconds", "When these figures were read")
    taken.add(snapshot.taken_at.timestamp())
    verdict = snapshot.gateway.verdict
    gateway = _family("gateway_up", "Whether the Gateway answers; none while that is not known")
    if verdict not in ("off", "late"):
        gateway.add(verdict == "up")
    word = _family("gateway_verdict", "How the Gateway is: 1 for that", "verdict")
    word.add(1, verdict)
    found = (build, taken, gateway, word)
    parts = (
        _agents(snapshot),
        _pools(snapshot.agents),
        _jobs(jobs),
        _indexes(indexes),
        _cleanups(old),
    )
    alerts = _family("alert", "What is wrong now, by issue and severity", "issue", "severity")
    for one in snapshot.alerts:
        alerts.add(1, one.issue, one.status.value)
    return (*found, *(family for part in parts for family in part), alerts)


def of_publishing(standing: Standing, now: datetime) -> tuple[Family, ...]:
    """Return how the publishing of this host in a fleet goes."""
    up = _family("fleet_up", "Whether what this host publishes reaches the fleet")
    if standing.state != "withdrawn" and now - standing.at <= TOLD_AFTER:
        up.add(standing.state == "live")
    last = _family("fleet_last_publish_seconds", "Seconds since the last round that went through")
    if standing.published_at is not None:
        last.add(max((now - standing.published_at).total_seconds(), 0.0))
    owed = _family("fleet_owed_rows", "Rows that are not in the fleet as they are now")
    owed.add(standing.owed)
    ended = _family(
        "fleet_commands_total", "Commands of people elsewhere that ended so", "verb", "state"
    )
    for name, count in sorted(standing.commands.items()):
        verb, _, state = name.rpartition(" ")
        ended.add(count, verb, state)
    return up, last, owed, ended


def of_fleet(homes: Iterable[HomeReading], server: ServerReading | None) -> tuple[Family, ...]:
    """Return how the hosts of a fleet are, as one place sees them; labels are hosts alone."""
    up = _family("fleet_server_up", "Whether the server of the fleet answers")
    hosts = _family("fleet_hosts", "Homes by how new what they published is", "freshness")
    due = _family("fleet_due_sessions", "Sessions that rotation would take now", "host")
    chunks = _family("fleet_chunks", "Chunks that are published to be searched", "host")
    if server is not None:
        up.add(server.is_up)
    if server is None or server.is_up:  # else nobody knows
        known = list(homes)
        for word in ("live", "late", "away"):
            hosts.add(sum(one.freshness == word for one in known), word)
        for one in known:
            if one.figures is not None and one.freshness != "away":
                due.add(one.figures.due, one.label)
            chunks.add(one.chunks, one.label)
    return up, hosts, due, chunks


def _agents(snapshot: ConsoleSnapshot) -> Iterable[Family]:
    sessions = _family("sessions", "Live sessions, cron runs not counted", "agent")
    due = _family("sessions_due", "Sessions that rotation would take now", "agent")
    doing = _family("sessions_doing", "Live sessions by what they do", "agent", "doing")
    tokens = _family("tokens_max", "Tokens of the fullest live session", "agent")
    percent = _family(
        "threshold_percent_max", "Share of the rotation threshold of the fullest session", "agent"
    )
    checkpoint = _family("checkpoint_timestamp_seconds", "Last checkpoint", "agent")
    for view in snapshot.agents:
        name = view.agent.id
        sessions.add(view.sessions, name)
        due.add(None if view.sessions is None else view.due, name)
        for one in Doing:
            doing.add(None if view.activity is None else view.activity.get(one, 0), name, one.value)
        tokens.add(view.tokens_max, name)
        checkpoint.add(_seconds(view.checkpoint_at), name)
        shares = [
            one.percent_of_threshold
            for one in snapshot.sessions
            if one.agent == view.ref and one.percent_of_threshold is not None
        ]
        percent.add(max(shares, default=None), name)
    return sessions, due, doing, tokens, percent, checkpoint


def _pools(agents: Iterable[AgentView]) -> Iterable[Family]:
    size = _family("pool_bytes", "Bytes of the memory pool", "agent")
    files = _family("pool_files", "Files of the memory pool", "agent")
    tokens = _family("pool_tokens", "Estimated tokens of the memory pool", "agent")
    markers = _family("markers", "Marked lines in memory", "agent", "marker")
    for view in agents:
        if view.pool is None:
            continue
        name = view.agent.id
        size.add(view.pool.size_bytes, name)
        files.add(view.pool.files, name)
        tokens.add(view.pool.tokens, name)
        for marker, count in view.pool.markers.items():
            markers.add(count, name, marker)
    return size, files, tokens, markers


def _jobs(jobs: Mapping[str, JobRecord]) -> Iterable[Family]:
    last = _family("job_last", "How the last run of a job ended: 1 for that", "job", "status")
    duration = _family("job_duration_seconds", "How long its last run took", "job")
    start = _family("job_start_timestamp_seconds", "When it last started", "job")
    coming = _family("job_next_timestamp_seconds", "When it runs next", "job")
    failures = _family("job_failures", "Failed runs in a row", "job")
    for name, record in sorted(jobs.items()):
        if record.status is not None:
            last.add(1, name, record.status)
        took = record.duration_ms
        duration.add(None if took is None else took / 1000, name)
        start.add(_seconds(record.started_at), name)
        coming.add(_seconds(record.next_at), name)
        failures.add(record.failures, name)
    return last, duration, start, coming, failures


def _indexes(indexes: Mapping[tuple[str, Source], IndexStatus]) -> Iterable[Family]:
    state = _family("index_state", "State of an index: 1 for that", "agent", "source", "state")
    chunks = _family("index_chunks", "Chunks in a search index", "agent", "source")
    for (agent, source), status in sorted(indexes.items()):
        state.add(1, agent, source.value, status.state.value)
        chunks.add(status.chunks, agent, source.value)
    return state, chunks


def _cleanups(old: Mapping[str, OldFigures]) -> Iterable[Family]:
    files = _family("old_files", "Files that cleanup looks at", "agent", "kind")
    size = _family("old_bytes", "Bytes of files that cleanup looks at", "agent", "kind")
    kept = _family("taken_files", "Files that were taken away and may come back", "agent")
    kept_size = _family("taken_bytes", "Bytes of files that may come back", "agent")
    last = _family("cleanup_timestamp_seconds", "When a cleanup ran that did not fail", "agent")
    for agent, one in sorted(old.items()):
        for kind in OldKind:
            if one.found is not None and kind.is_of_agents is bool(agent):
                number, held = one.found.get(kind, (0, 0))
                files.add(number, agent, kind.value)
                size.add(held, agent, kind.value)
        kept.add(one.kept[0], agent)
        kept_size.add(one.kept[1], agent)
        last.add(_seconds(one.cleaned_at), agent)
    return files, size, kept, kept_size, last


def _family(name: str, help_text: str, *labels: str) -> Family:
    return Family(_PREFIX + name, help_text, labels)


def _seconds(at: datetime | None) -> float | None:
    return None if at is None else at.timestamp()
