"""Checks the platform: its Gateway, its disk, its jobs, its compactions, the agents' index."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.config_check.transcripts import evidence_rows, hint_of
from memconsole.domain.gateway import NEXT_STEPS, Verdict
from memconsole.domain.health import Check, CheckStatus, graded, named, ok, unknown
from memconsole.domain.sessions.activity import RUNNING, Doing
from memconsole.domain.snapshot.snapshot import name_of
from memconsole.engine.platform_search.check import platform_indexes
from memconsole.text.address import stays_here
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.platform_search.index import PlatformIndexHealth
    from memconsole.engine.health.inputs import HealthInputs


NEEDED_SCOPES = ("operator.read", "operator.admin")
_MEGABYTE = 1024 * 1024
_HOUR = timedelta(hours=1)
_DEAD = (Verdict.DOWN.value, Verdict.WEDGED.value)
_SPEAKS = frozenset(
    {
        Verdict.UP,
        Verdict.STARTING,
        Verdict.BAD_TOKEN,
        Verdict.NOT_PAIRED,
        Verdict.MISSING_SCOPE,
        Verdict.PROTOCOL_MISMATCH,
    }
)
"""Verdicts that a Gateway gave itself."""


def gateway(inputs: HealthInputs) -> Check:
    """Whether the Gateway answers, by its handshake: HTTP 200 proves nothing."""
    status = inputs.snapshot.gateway
    verdict = status.verdict
    if verdict == Verdict.UP:
        version = f" {status.version}" if status.version else ""
        said = f"the Gateway{version} answers"
        if status.reason is None:
            return ok("gateway", said, verdict)
        why = f"{said}, and does not tell its sessions: {status.reason}"
        return Check("gateway", CheckStatus.WARNING, why, verdict, hint=status.hint or "")
    if verdict == Verdict.OFF:
        return Check(
            "gateway",
            CheckStatus.UNKNOWN,
            "the Gateway is switched off in memconsole's settings",
            verdict,
            hint=NEXT_STEPS[Verdict.OFF],
        )
    severity = CheckStatus.CRITICAL if verdict in _DEAD else CheckStatus.WARNING
    hint = status.hint or NEXT_STEPS.get(Verdict(verdict), "")
    return Check("gateway", severity, f"the Gateway {status.does}", verdict, hint=hint)


_UNREAD = frozenset(
    {"store-unreadable", "store-newer", "session-id-mismatch", "transcript-outside"}
)


def stores(inputs: HealthInputs) -> Check:
    """Whether every session could be read: what is not read is not known to be well."""
    unread = [one for one in inputs.snapshot.notices if one.code in _UNREAD]
    count = len(inputs.snapshot.agents)
    if not unread:
        return ok("stores", f"the session stores of {plural(count, 'agent')} can be read", count)
    details = tuple(one.message for one in unread)
    hint = "Check owner and mode of the files; `memconsole status` names each of them."
    return Check(
        "stores",
        CheckStatus.UNKNOWN,
        named(details, most=2),
        len(unread),
        1,
        hint=hint,
        details=details,
    )


def gateway_scopes(inputs: HealthInputs) -> Check:
    """Whether it lets us read and rotate."""
    status = inputs.snapshot.gateway
    if status.verdict != Verdict.UP:
        return unknown("gateway-scopes", f"the Gateway {status.does}")
    if not status.scopes:
        return unknown("gateway-scopes", "the Gateway does not say what it allows")
    missing = [scope for scope in NEEDED_SCOPES if scope not in status.scopes]
    if not missing:
        return ok("gateway-scopes", "reading and rotating are allowed", len(status.scopes))
    return Check(
        "gateway-scopes",
        CheckStatus.WARNING,
        f"the Gateway does not allow {named(missing)}",
        ", ".join(status.scopes),
        ", ".join(NEEDED_SCOPES),
        hint=NEXT_STEPS[Verdict.MISSING_SCOPE],
    )


def gateway_process(inputs: HealthInputs) -> Check:
    """Whether a process of this home's Gateway runs on this host; those of other homes are not."""
    status = inputs.snapshot.gateway
    if status.url is not None and not stays_here(status.url):
        return unknown("gateway-process", "the Gateway runs on another host")
    host = inputs.own.host
    lines = host.command_lines()
    if lines is None:
        return unknown("gateway-process", "the processes of this host cannot be listed")
    pattern = re.compile(inputs.rules.process_pattern, re.IGNORECASE)
    # Our own calls name the home of the platform and its Gateway as well.
    found = [
        number
        for number, line in lines.items()
        if "memconsole" not in line and pattern.search(line) is not None
    ]
    serves = [host.serves(number, inputs.snapshot.home.path) for number in found]
    if ours := serves.count(True):
        return ok("gateway-process", f"{ours} of its processes run", ours)
    return _no_process(status.verdict, serves)


def _no_process(verdict: str, serves: Sequence[bool | None]) -> Check:
    """Judge that no process is seen which surely serves this home."""
    if verdict in _SPEAKS:
        return ok("gateway-process", "it answers; its process has another name", 0)
    if None in serves:
        said = f"{serves.count(None)} processes of a Gateway run"
        return unknown("gateway-process", f"{said}; which home they serve cannot be seen")
    if verdict in (Verdict.LATE, Verdict.WEDGED):
        said = "a port is open there, and no process of that name is seen"
        return unknown("gateway-process", said)
    number = len(serves)
    others = "; 1 of another home does" if number == 1 else f"; {number} of other homes do"
    return Check(
        "gateway-process",
        CheckStatus.CRITICAL,
        f"no process of this home's Gateway runs on this host{others if serves else ''}",
        0,
        1,
        hint=NEXT_STEPS[Verdict.DOWN],
    )


def disk(inputs: HealthInputs) -> Check:
    """How full the disks of the home and of the workspaces are."""
    places = dict.fromkeys(
        [inputs.snapshot.home.path, *(one.agent.workspace for one in inputs.snapshot.agents)]
    )
    full = [
        (percent, place)
        for place in places
        if (percent := inputs.own.host.disk_percent(place)) is not None
    ]
    if not full:
        return unknown("disk", "no disk says how full it is")
    percent, place = max(full)
    limit = inputs.rules.disk_percent
    return Check(
        "disk",
        graded(percent, limit, inputs.rules.disk_critical_percent),
        f"the disk of {place} is {percent:g} % full",
        percent,
        limit,
        hint="" if percent < limit else "Free some space: nothing can be saved on a full disk.",
    )


def transcripts_size(inputs: HealthInputs) -> Check:
    """How much the transcripts of all agents take, databases and their logs included."""
    folders = dict.fromkeys(
        folder
        for one in inputs.snapshot.agents
        for folder in (one.agent.sessions_dir, one.agent.database.parent)
    )
    size = inputs.own.host.tree_bytes(folders)
    if size is None:
        return unknown("transcripts-size", "no folder of transcripts can be read")
    limit = inputs.rules.transcripts_mb * _MEGABYTE
    status = graded(size, limit)
    return Check(
        "transcripts-size",
        status,
        f"the transcripts of all agents take {size_words(size)}",
        size,
        limit,
        hint=_old_ones_go(inputs) if status.is_bad else "",
    )


def _old_ones_go(inputs: HealthInputs) -> str:
    rules = inputs.settings.cleanup
    ours = (
        f"`memconsole cleanup` packs those of ended sessions that are captured after "
        f"{rules.compress_days} days and takes them away after {rules.delete_days}"
    )
    job = "as the job transcript_cleanup does every night"
    switch = "" if rules.is_enabled else " once `[cleanup] enabled` is set"
    return f"The platform's own maintenance removes old ones; {ours}, {job}{switch}."


def cron_errors(inputs: HealthInputs) -> Check:
    """How many of the platform's scheduled runs ended in an error in the last hour."""
    found = inputs.own.cron.errors(inputs.snapshot.home, inputs.now - _HOUR)
    if found is None:
        return unknown("cron-errors", "no record of scheduled runs is readable")
    limit = inputs.rules.cron_errors
    status = graded(found.count, limit)
    message = f"{found.count} scheduled runs ended in an error in the last hour"
    if found.undated:
        message += f"; {found.undated} more have no time that can be read (clock-skew)"
    return Check(
        "cron-errors",
        status,
        message,
        found.count,
        limit,
        hint=f"Look at {named(found.names)}: `openclaw cron runs`." if status.is_bad else "",
        details=found.names,
    )


def stuck_runs(inputs: HealthInputs) -> Check:
    """Whether a run of the platform has given no sign of life for too long."""
    limit = round(inputs.rules.stuck_after.total_seconds() / 60)
    lives = [(one, it) for one in inputs.snapshot.sessions if (it := one.activity) is not None]
    stuck = [(one, it) for one, it in lives if it.doing is Doing.STUCK]
    if not stuck:
        running = sum(it.doing in RUNNING for _, it in lives)
        words = f"{plural(running, 'run')} going on, none without a sign of life"
        return ok("stuck-runs", words, 0, limit)
    names = tuple(name_of(one) for one, _ in stuck)
    return Check(
        "stuck-runs",
        CheckStatus.WARNING,
        f"no sign of life for {limit} min or longer from the run of {named(names)}",
        len(stuck),
        1,
        hint="Look at its last messages; /stop in its chat ends the run.",
        since=min((it.since for _, it in stuck if it.since is not None), default=None),
        details=names,
    )


def compaction_evidence(inputs: HealthInputs) -> Check:
    """Whether a compaction lost a session."""
    found = inputs.evidence()
    if not found.bad:
        if found.unread and not found.looked_at:
            return unknown("compaction-evidence", f"could not look: {found.unread[0]}")
        message = f"{found.looked_at} transcripts: no compaction lost anything"
        return ok("compaction-evidence", message, 0)
    severity = CheckStatus.CRITICAL if found.has_loss else CheckStatus.WARNING
    worst = found.bad[0]
    name = worst.key or worst.session_id
    return Check(
        "compaction-evidence",
        severity,
        f"{_compactions(len(found.bad))} bad, the newest of {name}: {worst.why}",
        len(found.bad),
        1,
        hint=hint_of(worst),
        details=tuple(evidence_rows(found.bad)),
    )


def _compactions(number: int) -> str:
    return "1 compaction looks" if number == 1 else f"{number} compactions look"


_ID = "platform-index"


def platform_index(inputs: HealthInputs) -> Check:
    """Whether what agents search is what stands in their memory, and whether it answers."""
    agents = [view.agent for view in inputs.snapshot.agents]
    found = platform_indexes(inputs.search, inputs.snapshot.home, agents)
    seen = [one for one in found if one.facts is not None]
    if not seen:
        reasons = dict.fromkeys(f"{one.agent}: {one.because}" for one in found)
        return unknown(_ID, named(reasons) or "there are no agents")
    ill = [one for one in seen if one.troubles]
    if not ill:
        chunks = sum(one.chunks for one in seen)
        indexes = "own index is" if len(seen) == 1 else f"own {len(seen)} indexes are"
        return ok(_ID, f"the agents' {indexes} whole, {plural(chunks, 'chunk')}", 0)
    is_deaf = any(one.is_deaf for one in seen)
    return Check(
        _ID,
        CheckStatus.CRITICAL if is_deaf else CheckStatus.WARNING,
        "; ".join(f"{one.agent}: {named(one.troubles)}" for one in ill),
        len(ill),
        1,
        hint=f"{_reindex(ill[0])} takes in what it lacks, with --force all of it; "
        "`memconsole search --explain` says what its agent cannot see.",
        details=tuple(_row(one) for one in ill),
    )


def _reindex(one: PlatformIndexHealth) -> str:
    program = "openclaw" if one.facts is None else one.facts.program
    return f"`{program} memory index --agent {one.agent}`"


def _row(one: PlatformIndexHealth) -> Detail:
    return {
        "agent": one.agent,
        "files": one.files,
        "chunks": one.chunks,
        "missing": list(one.missing),
        "extra": list(one.extra),
        "stale": list(one.stale),
        "other_model": one.other_model,
        "without_vector": one.without_vector,
        "leftovers": list(one.facts.leftovers) if one.facts is not None else [],
        "canary": one.canary or None,
        "canary_found": one.is_canary_found,
    }
