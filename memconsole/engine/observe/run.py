"""Adds what is worth remembering in an agent's sessions to observations.md.

Needs neither the Gateway nor a language model; the optional model may find the observations of a
batch, and the cues do where it does not. The workspace's lock is held from the first look to the
last write; how far the run has come is stored behind the write that it describes, so that a run
that is killed in between looks again, and finds its lines in the file already.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.observe import Observed
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.memory.observation_log import add, appended, parse
from memconsole.domain.memory.observations import OBSERVATIONS, new_log, render
from memconsole.domain.model import observe_prompt, read_observations
from memconsole.domain.observe.model import said, taken
from memconsole.domain.observe.rules import Observer, batches, distinct, input_hash
from memconsole.domain.transcripts.notices import masked_notice, planted_notice
from memconsole.engine.observe.read import ObserverRun, gather, session_keys
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import long_span
from memconsole.text.outgoing import let_out, way_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.commands.observe import Observe
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.memory.observations import Observation, ObservationLog
    from memconsole.domain.observe.rules import Extracted, Part
    from memconsole.domain.settings import Settings
    from memconsole.engine.model import BudgetedModel
    from memconsole.engine.observe.read import NewMessages
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.engine.turn import Turns
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.state import ObserverLog, RecoveryLog


_OLDER = (
    "`memconsole observe --flush` looks back further, `memconsole observe --recover ID` to the end "
    "of that session."
)

_NO_TEXT = "\ufffd"
"""Stands for bytes that are no text: a file that holds them is never written whole."""


@dataclass(slots=True)
class _Totals:
    """What the batches of one run came to."""

    added: list[Observation] = field(default_factory=list)
    wrote: list[Written] = field(default_factory=list)
    found: int = 0
    duplicates: int = 0
    over: int = 0
    masked: int = 0
    planted: int = 0
    llm: dict[str, Detail] = field(default_factory=dict)


def observe(
    command: Observe,
    *,
    turns: Turns,
    settings: Settings,
    sessions: SessionStore,
    workspace: Workspace,
    observer: ObserverLog,
    recovery: RecoveryLog,
    fingerprints: Fingerprints,
    model: BudgetedModel,
    clock: Clock,
) -> Outcome:
    """Observe an agent's sessions, or the one that is named.

    Raises:
        SessionNotFoundError: The command names a session that is not there.
        StoreError: The store or the transcript cannot be read.
        WorkspaceError: The file cannot be read or written; its old text is whole.
    """

    def attempt(home: Home, agent: Agent) -> Outcome:
        return _attempt(
            ObserverRun(
                command=command,
                home=home,
                agent=agent,
                settings=settings,
                sessions=sessions,
                workspace=workspace,
                seen=observer,
                recovery=recovery,
                fingerprints=fingerprints,
                model=model,
                clock=clock,
            )
        )

    return turns.take(command, attempt)


def _attempt(run: ObserverRun) -> Outcome:
    """Gather, decide, apply, once; behind it, remember the end of a session of nobody."""
    picked = gather(run)
    if isinstance(picked, Skipped):
        return picked
    outcome = _look_at(run, picked)
    if picked.end is not None and not run.command.dry_run:
        run.fingerprints.remember(run.agent.ref, *picked.end)
    return outcome


def _look_at(run: ObserverRun, picked: NewMessages) -> Outcome:
    if picked.lines < (1 if run.mode in ("flush", "recover") else run.observer.min_lines):
        return _too_few(run, picked)
    hash_ = input_hash(picked.parts)
    last = run.seen.last(run.agent.ref)
    is_known = last is not None and last[0] == hash_
    if is_known and run.mode in ("normal", "morning"):
        message = f"nothing was said in the sessions of {run.agent.id} since the last run"
        return _skipped(run, picked, SkipReason.NOTHING_NEW, message)
    totals = _Totals()
    for batch in batches(picked.parts):
        _observe(run, batch, hash_, totals)
    return _outcome(run, picked, totals)


def _observe(run: ObserverRun, batch: Sequence[Part], hash_: str, totals: _Totals) -> None:
    """Extract from one batch, write, then remember."""
    workspace, root = run.workspace, run.agent.workspace
    seen = workspace.read(root, OBSERVATIONS)
    log = parse("" if seen is None else seen.text)
    if run.command.dry_run:
        log = add(log, totals.added)
    observer = Observer(
        agent_id=run.agent.id,
        mask=way_out(redacts=run.settings.redact),
        zone=run.zone,
        now=run.clock.now(),
        min_score=run.observer.min_score,
        max_items=run.observer.max_items,
        keys=lambda: session_keys(run),
    )
    extracted, totals.llm = extract(run, observer, batch, log)
    new = distinct(extracted.observations, log)
    totals.found += extracted.found
    totals.duplicates += extracted.duplicates
    totals.over += extracted.over
    totals.masked += extracted.masked
    totals.planted += extracted.planted
    totals.added += new
    if run.command.dry_run:
        size = sum(len(render(one).encode()) + 1 for one in new)
        totals.wrote += [Written(OBSERVATIONS, size)] if new else []
        return
    if new:
        totals.wrote.append(_write(run, seen, log, new))
    cursors = {part.session_id: part.cursor for part in batch}
    run.seen.advance(run.agent.ref, hash_, cursors, run.clock.now())


def _write(
    run: ObserverRun, seen: WorkspaceText | None, log: ObservationLog, new: Sequence[Observation]
) -> Written:
    """Append where that is enough; replace only to put lines under an earlier day.

    A file with bytes that are no text is only ever appended to: written whole it would lose them.
    """
    workspace, root = run.workspace, run.agent.workspace
    header = new_log()
    grown = add(log, new)
    entry = appended(log, grown) if log.text else appended(header, grown)
    if entry is None and _NO_TEXT in log.text:
        entry = appended(header, add(header, new))
    if entry is None:
        return workspace.replace(root, OBSERVATIONS, grown.text, seen=seen)
    return workspace.append(root, OBSERVATIONS, entry, header=header.text)


def _too_few(run: ObserverRun, picked: NewMessages) -> Skipped:
    number = picked.lines
    said = "nothing new was" if not number else f"only {number} new message was"
    reason = SkipReason.TOO_FEW_MESSAGES if number else SkipReason.NOTHING_NEW
    limit = f", and observer.min_lines is {run.observer.min_lines}" if number else ""
    if not picked.older:
        return _skipped(run, picked, reason, f"{said} said to {run.agent.id}{limit}")
    back = long_span(run.lookback)
    many = "1 older message was" if picked.older == 1 else f"{picked.older} older messages were"
    message = f"{said} said to {run.agent.id} in the last {back}{limit}; {many} not looked at"
    return _skipped(run, picked, reason, message, _OLDER)


def _skipped(
    run: ObserverRun, picked: NewMessages, reason: SkipReason, message: str, hint: str = ""
) -> Skipped:
    return Skipped(
        run.command,
        reason,
        message,
        hint=hint,
        details=_details(run, picked, _Totals()),
        notices=picked.notices,
    )


def _details(run: ObserverRun, picked: NewMessages, totals: _Totals) -> dict[str, Detail]:
    return {
        "mode": run.mode,
        "sessions": [part.session_id for part in picked.parts],
        "read": picked.read,
        "looked_at": picked.lines,
        "found": totals.found,
        "added": len(totals.added),
        "duplicates": totals.duplicates,
        "over": totals.over,
        "secrets_masked": totals.masked,
        "planted": totals.planted,
        "lines": [render(one).partition(" <!--")[0] for one in totals.added],
        **totals.llm,
    }


def _outcome(run: ObserverRun, picked: NewMessages, totals: _Totals) -> Outcome:
    command, details = run.command, _details(run, picked, totals)
    number, lines = len(totals.added), picked.lines
    notices = (*picked.notices, *_kept_out(run, totals))
    messages = "1 message" if lines == 1 else f"{lines} messages"
    if not number:
        why = "is known already" if totals.duplicates else "is worth remembering"
        subject = "all that is worth remembering" if totals.duplicates else "nothing"
        message = f"{subject} in {messages} of {run.agent.id} {why}"
        return Skipped(command, SkipReason.NOTHING_NEW, message, details=details, notices=notices)
    things = "1 observation" if number == 1 else f"{number} observations"
    rest = f"; {totals.over} less important ones were left out" if totals.over else ""
    said = f"{things} from {messages} of {run.agent.id}{rest}"
    if command.dry_run:
        size = sum(one.size_bytes for one in totals.wrote)
        wrote = (Written(OBSERVATIONS, size),)
        return Planned(command, f"would add {said}", wrote, details, notices=notices)
    return Observed(
        command, f"added {said}", wrote=tuple(totals.wrote), details=details, notices=notices
    )


def _kept_out(run: ObserverRun, totals: _Totals) -> Iterator[Notice]:
    path = str(run.agent.workspace / OBSERVATIONS)
    label = f"the sessions of {run.agent.id}"
    if totals.masked:
        yield masked_notice(label, totals.masked, path=path, agent=run.agent.id)
    if totals.planted:
        yield planted_notice(label, totals.planted, path=path, agent=run.agent.id)


def extract(
    run: ObserverRun, observer: Observer, batch: Sequence[Part], log: ObservationLog
) -> tuple[Extracted, dict[str, Detail]]:
    """Return what is worth adding, and `llm` of the outcome, empty when no model was wanted.

    A dry run asks no model: it costs something.
    """
    own = observer.extract(batch, log)
    if not run.model.is_on or run.command.dry_run:
        return own, {}
    known = [render(one).partition(" <!--")[0] for one in log.observations]
    # What leaves this host is masked, whatever the settings.
    masked = replace(observer, mask=let_out)
    prompt = observe_prompt(said(masked, batch), [let_out(line) for line in known])
    answer = run.model.ask(prompt)
    if answer.completion is None:
        return own, answer.details()
    found = read_observations(answer.completion.text)
    if found is None:
        return own, answer.details(because="its answer is not in the form that was asked for")
    new = observer.new_ones(batch, taken(masked, batch, found), log, own.masked)
    return replace(new, planted=own.planted), answer.details()
