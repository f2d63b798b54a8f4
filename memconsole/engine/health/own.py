"""Checks of memconsole itself: its jobs, its locks, its state, its resets."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.text import ACTIVE_CONTEXT, written_at
from memconsole.domain.health import Check, CheckStatus, listed, named, ok, unknown
from memconsole.domain.jobs.runs import FAILED
from memconsole.domain.rotation import BREAKER, RotationState, is_tripped
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.errors import MemconsoleError
from memconsole.system.folders import is_gone
from memconsole.text.figures import plural
from memconsole.text.outgoing import name_out

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.jobs.runs import JobRecord
    from memconsole.domain.memory.intents import OpenErasure
    from memconsole.domain.snapshot.snapshot import SchedulerStatus
    from memconsole.engine.health.inputs import HealthInputs

_FAILURES = 3
_MISSED_TURNS = 3
_LONG_HELD = timedelta(minutes=10)
_CUT_OFF = "it was cut off"
NOBODYS = (
    "No run comes where no agent works: let an agent have that folder as its workspace again, "
    "empty where it is gone, and run `memconsole checkpoint --agent ID`."
)
_RESETS = 20
_QUIET = timedelta(minutes=5)
_APART = timedelta(minutes=1)
"""A checkpoint of ours is remembered behind its write."""


def jobs(inputs: HealthInputs) -> Check:
    """Whether the jobs run when they should, and do not keep failing."""
    inputs.runs.require_readable()  # where the jobs are recorded, too
    records = [one for one in inputs.own.jobs.records().values() if one.started_at is not None]
    if not records:
        return unknown(
            "jobs",
            "the scheduler has not run here yet",
            hint="`memconsole --serve` runs the jobs; `memconsole service install` keeps it.",
        )
    failing = [f"{one.id} failed {one.failures} times" for one in records if one.failures >= 3]
    failed = [one.id for one in records if one.status == FAILED and not one.is_paused]
    late = [f"{one.id} is late" for one in records if _is_late(one, inputs)]
    is_stopped = inputs.snapshot.scheduler.state != "running"
    silence = inputs.snapshot.scheduler.silence
    if silence and not (failing or late):
        return _silent(inputs.snapshot.scheduler)
    if not (failing or late or is_stopped):
        if failed:
            return _failed_once(failed, len(records))
        number = len(records)
        words = "1 job runs as it should" if number == 1 else f"{number} jobs run as they should"
        return ok("jobs", words, number)
    newest = max(one.started_at for one in records if one.started_at is not None)
    if is_stopped and not failing:
        return Check(
            "jobs",
            CheckStatus.WARNING,
            f"nobody runs the jobs: the scheduler is {inputs.snapshot.scheduler.state}",
            0,
            len(records),
            hint="Start `memconsole --serve`, or press S in the console.",
            since=newest,
        )
    return Check(
        "jobs",
        CheckStatus.WARNING,
        named([*([silence] if silence else []), *failing, *late]),
        len(failing) + len(late),
        _FAILURES,
        hint="`memconsole jobs` and `memconsole runs` tell more.",
        details=(*failing, *late),
    )


def _silent(scheduler: SchedulerStatus) -> Check:
    """A part of the jobs is run by nobody."""
    names = tuple(one.layer.value for one in scheduler.silent)
    return Check(
        "jobs",
        CheckStatus.WARNING,
        scheduler.silence,
        len(names),
        1,
        hint=f"Start `memconsole --serve --layer {names[0]}`, or press S in the console.",
        details=names,
    )


def _failed_once(failed: list[str], number: int) -> Check:
    """One or two failures are no alarm, and not as it should be either."""
    verb = "has" if len(failed) == 1 else "have"
    return ok("jobs", f"{named(failed)} {verb} failed last time; {number} jobs run in time", number)


def reset_ineffective(inputs: HealthInputs) -> Check:
    """Whether a session was reset and nothing changed."""
    inputs.runs.require_readable()  # where the resets are recorded, too
    bad: list[str] = []
    is_open = False
    for view in inputs.snapshot.sessions:
        if view.state is not SessionState.LIVE or view.key_text is None:
            continue
        recent = inputs.rotations.recent(view.agent, view.key_text, limit=_RESETS)
        if recent and recent[0].state is RotationState.INEFFECTIVE:
            is_open = is_open or is_tripped(recent)
            bad.append(view.key_text)
    return listed(
        "reset-ineffective",
        bad,
        status=CheckStatus.CRITICAL,
        fine="every reset had its effect",
        bad="the Gateway answered, and nothing was reset:",
        hint=f"Look at its log. After {BREAKER} times a session is left alone"
        + ("; that is so now: `rotate KEY --force` tries once more." if is_open else "."),
    )


def locks(inputs: HealthInputs) -> Check:
    """Whether what was begun does not end: a lock held for too long, an erasure that failed.

    The system frees the locks of the dead.
    """
    unfinished = _unfinished(inputs)
    held = inputs.own.locks.held()
    long = [one for one in held if one.since is not None and _is_long(one.since, inputs.now)]
    names = [f"{one.name} by {one.owner}" for one in long]
    ahead = ", or from a time ahead" * any(one.since > inputs.now for one in long if one.since)
    said = [f"held for over 10 minutes{ahead}: {named(names)}"] if long else []
    hints = ["Its holder may hang: look at that process."] if long else []
    if unfinished:
        erasures = [_left(agent, one) for agent, one in unfinished]
        said.insert(0, f"what was to be erased may still stand: {named(erasures)}")
        owners = [agent for agent, _ in unfinished if agent is not None]
        if len(owners) < len(unfinished):
            hints.insert(0, NOBODYS)
        if owners:
            retry = f"`memconsole checkpoint --agent {owners[0]}`"
            hints.insert(0, f"Mend that: each run that writes there tries again, {retry} at once.")
    if not said:
        inputs.runs.require_readable()  # what is to be erased is kept there too
        return ok("locks", f"{len(held)} locks are held, none for long", len(held))
    begun = [*(one.since for one in long), *(one.since for _, one in unfinished)]
    return Check(
        "locks",
        CheckStatus.WARNING,
        "; ".join(said),
        len(long) + len(unfinished),
        1,
        hint=" ".join(hints),
        since=min((at for at in begun if at is not None), default=None),
        details=(*(f"{agent or '?'}: {one.workspace}" for agent, one in unfinished), *names),
    )


def _unfinished(inputs: HealthInputs) -> list[tuple[str | None, OpenErasure]]:
    """Return agents with the erasures in their workspaces that failed, or should long be done.

    The agent is None where no known one has that workspace: no run comes there to finish it.
    """
    home = inputs.snapshot.home
    owners = {name_out(str(one.workspace.resolve())): one.id for one in home.agents}
    own = name_out(str(home.path.resolve()))
    return [
        (owners.get(one.workspace), one)
        for one in inputs.journal.unfinished()
        if (one.workspace in owners or one.home in ("", own) or is_gone(one.home))
        and (one.why or one.since is None or _is_long(one.since, inputs.now))
    ]


def _is_long(since: datetime, now: datetime) -> bool:
    """Whether it began long ago; or at a time ahead, as the clock went back: nobody knows then."""
    return not -_APART < now - since < _LONG_HELD


def _left(agent: str | None, one: OpenErasure) -> str:
    since = "" if one.since is None else f" since {one.since:%Y-%m-%d %H:%M} UTC"
    where = agent or f"{one.workspace}, where no known agent works any more,"
    return f"`memory forget --hard` of {where} is not finished{since}: {one.why or _CUT_OFF}"


def state(inputs: HealthInputs) -> Check:
    """Whether memconsole can remember what it does, and its settings can be used."""
    notices = inputs.snapshot.home.notices
    problems = [one for one in notices if one.code.startswith("state")]
    wrong = [one.message for one in notices if one.code == WRONG_SETTINGS]
    if wrong and not problems:
        return Check(
            "state",
            CheckStatus.WARNING,
            named(wrong),
            WRONG_SETTINGS,
            hint="Correct it; `memconsole config path` names the file.",
            details=tuple(wrong),
        )
    if not problems:
        return _another_state(inputs) or ok("state", "the state folder can be written")
    return Check(
        "state",
        CheckStatus.CRITICAL,
        problems[0].message,
        problems[0].code,
        hint="Check owner, mode (0700), links and free space of the state folder.",
    )


def _another_state(inputs: HealthInputs) -> Check | None:
    """Tell of a checkpoint in a workspace that our state knows nothing of: it was not ours.

    What stood there before we looked first may be of a state folder that was moved or lost.
    """
    saved: dict[Path, datetime] = {}
    since = inputs.events.first_look(str(inputs.snapshot.home.path))
    for view in inputs.snapshot.agents:
        if view.pool is not None and view.pool.active_context_at is not None:
            capture = inputs.captures.last(view.agent.ref)
            known = since if capture is None else capture.at
            if known is not None:
                saved[view.pool.root] = max(known, saved.get(view.pool.root, known))
    found: dict[Path, datetime] = {}
    for root, at in saved.items():
        try:
            context = inputs.workspace.read(root, ACTIVE_CONTEXT)
        except MemconsoleError:
            continue  # a check of memory tells it
        made = None if context is None else written_at(context.text)
        if made is not None and made - at > _APART and made <= inputs.now:
            found[root] = made
    if not found:
        return None
    root = max(found, key=found.__getitem__)
    return Check(
        "state",
        CheckStatus.WARNING,
        f"another memconsole, with a state folder of its own, saved the work in {root}",
        "another-state",
        hint="Nothing is lost, but both capture the same words, and neither takes back what the "
        "other did: give both one `state.dir`, or run one of them with --read-only.",
        details=tuple(f"{one}: {at:%Y-%m-%d %H:%M}" for one, at in found.items()),
        since=found[root],
    )


_TWO = (
    "An earlier state folder published it, and what it left stays: `memconsole fleet leave "
    "--erase` here takes both out; then invite this host and join anew."
)


def fleet(inputs: HealthInputs) -> Check:
    """Whether what this host may publish reaches the fleet."""
    from memconsole.domain.fleet.publishing import TOLD_AFTER, standing_of  # noqa: PLC0415 - rare

    found = standing_of(inputs.health().fleet.read())
    if found is None or inputs.now - found.at > max(_QUIET, 4 * inputs.settings.fleet.beat):
        return unknown("fleet", "nobody publishes now", "`memconsole --serve` does.")
    if found.state == "live" and found.message:
        return Check("fleet", CheckStatus.WARNING, found.message, "two-identities", hint=_TWO)
    if found.state == "live" and found.owed:
        return ok("fleet", f"{plural(found.owed, 'chunk')} on the way to the fleet", found.owed)
    if found.state == "live":
        own = inputs.settings.fleet
        without = f", without {', '.join(own.exclude)}" if own.exclude else ""
        return ok("fleet", f"the fleet has what this host publishes: {own.publish}{without}")
    is_short = found.state == "away" and inputs.now - found.since < TOLD_AFTER
    return Check(
        "fleet",
        CheckStatus.OK if is_short else CheckStatus.WARNING,
        found.message or "nothing is published",
        found.state,
        hint="" if is_short else "Try `memconsole fleet doctor`; everything local goes on.",
        since=found.since,
    )


def _is_late(record: JobRecord, inputs: HealthInputs) -> bool:
    """Whether three turns went by: a turn is the time from its last start to its next one."""
    if record.is_paused or record.next_at is None or record.started_at is None:
        return False
    turn = max(record.next_at - record.started_at, timedelta(minutes=1))
    return inputs.now - record.started_at > _MISSED_TURNS * turn
