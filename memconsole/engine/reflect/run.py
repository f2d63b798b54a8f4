"""Consolidates `observations.md`: backup, consolidate, gate, archive, replace; or takes that back.

What goes is in the archive before the file is replaced, and the whole file is in a backup before
that: a run that ends at any step leaves the old file or the new one, and loses no line. Lines that
somebody adds while it runs make it look again. A text of the optional model passes the same gate as
every other.
"""

from __future__ import annotations

import logging
from dataclasses import field, replace
from typing import TYPE_CHECKING

from memconsole.domain.calendar import local_day, local_time
from memconsole.domain.commands.outcomes import (
    Failed,
    Planned,
    Skipped,
    SkipReason,
    Written,
    status_of,
)
from memconsole.domain.commands.reflect import Draft, Reflected
from memconsole.domain.memory.edits import ReflectionRecord, edit_of, is_exact
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.model import reflect_prompt
from memconsole.domain.reflect.gate import judge
from memconsole.domain.reflect.rules import SMALLEST, changes, consolidate, helped, lost, reduction
from memconsole.engine.model import REFLECT_TIMEOUT
from memconsole.engine.reflect.due import not_due
from memconsole.engine.reflect.files import Files, digest
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import exceeds, tokens_in, words_in
from memconsole.text.figures import plural
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.reflect import Reflect
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.memory.observations import ObservationLog
    from memconsole.domain.reflect.working_copy import Conflict, Removed
    from memconsole.domain.settings.sections import ReflectorSettings
    from memconsole.engine.home.workspace import AgentMemory, Memories
    from memconsole.engine.model import BudgetedModel
    from memconsole.engine.turn import StepLog, Turns
    from memconsole.ports.state import ReflectionLog


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Run:
    """One consolidation on its way."""

    command: Reflect
    memory: AgentMemory
    model: BudgetedModel
    reflections: ReflectionLog
    steps: StepLog

    @property
    def agent(self) -> Agent:
        return self.memory.agent

    @property
    def rules(self) -> ReflectorSettings:
        return self.memory.settings.reflector

    @property
    def today(self) -> date:
        return local_day(self.memory.now, self.memory.zone)

    @property
    def asks_model(self) -> bool:
        """Whether a model that is set up is asked."""
        request = self.command.asks_model
        return not self.command.dry_run if request is None else request


@dataclass(frozen=True, slots=True)
class _Result:
    """What shall take the place of the file."""

    old: ObservationLog
    new: ObservationLog
    removed: tuple[Removed, ...]
    conflicts: tuple[Conflict, ...]
    words: tuple[int, int]
    is_own: bool = False
    notes: Mapping[str, Detail] = field(default_factory=dict)


def reflect(
    command: Reflect,
    *,
    turns: Turns,
    memories: Memories,
    model: BudgetedModel,
    reflections: ReflectionLog,
    steps: StepLog,
) -> Outcome:
    """Consolidate the file if it is due, let a candidate take its place, or undo the last time.

    Raises:
        WorkspaceError: A file cannot be read or written; the old file is whole.
    """

    def attempt(home: Home, agent: Agent) -> Outcome:
        steps.steps.clear()  # where somebody edits the file meanwhile, it is done once more
        return _attempt(_Run(command, memories.at(home, agent), model, reflections, steps))

    return turns.take(command, attempt)


def _attempt(run: _Run) -> Outcome:
    if run.command.is_undo:
        return undo(run.command, run.memory, run.reflections)
    seen = Files.of(run.memory).read()
    log = None if seen is None else parse(seen.text)
    if seen is None or log is None or not log.observations:
        message = f"{run.agent.id} has no observations yet"
        return Skipped(run.command, SkipReason.NOTHING_NEW, message)
    shown = digest(seen.text)
    with run.steps.doing("consolidation") as doing:
        found = _decide(run, log, shown)
        doing.status = _status_of(found)
    if not isinstance(found, _Result):
        return found
    return _plan(run, found, shown) if run.command.dry_run else _apply(run, found, seen)


def _status_of(found: _Result | Skipped | Failed) -> str:
    return "done" if isinstance(found, _Result) else status_of(found)


def _decide(run: _Run, log: ObservationLog, shown: str) -> _Result | Skipped | Failed:
    command = run.command
    if command.draft is not None:
        return _drafted(run, log, command.draft, shown)
    if command.candidate is not None:
        return _candidate(run, log, command.candidate)
    if not command.is_forced:
        skip = not_due(
            command,
            log.text,
            run.agent,
            reflections=run.reflections,
            rules=run.rules,
            now=run.memory.now,
        )
        if skip is not None:
            return skip
    notes: dict[str, Detail] = {}
    if run.model.is_on and run.asks_model:
        found = rewrite(log, run.today, run.model)
        notes = found.details
        if found.log is not None:
            words = (words_in(log.text), words_in(found.log.text))
            return _Result(log, found.log, found.removed, (), words, notes=notes)
    elif run.model.is_on:
        notes = {"llm": {"result": "not-asked", "because": "a dry run sends nothing"}}
    return _own(run, log, notes)


def _own(run: _Run, log: ObservationLog, notes: Mapping[str, Detail]) -> _Result | Skipped | Failed:
    """Return what the built-in consolidation makes of a file."""
    least = 0.0 if run.command.is_forced else SMALLEST
    made = consolidate(
        log,
        run.today,
        similar=run.rules.similarity,
        words=run.rules.word_threshold,
        least=least,
    )
    verdict = judge(log, made.log.text, run.today, is_own=True)
    words = (verdict.words_before, verdict.words_after)
    if made.log.text == log.text:
        return Skipped(
            run.command,
            SkipReason.NOTHING_NEW,
            f"{OBSERVATIONS} of {run.agent.id} holds nothing that could go: {words[0]} words"
            + helped(notes),
            details={
                "words_before": words[0],
                "words_after": words[0],
                "tokens_before": tokens_in(log.text),
                "tokens_after": tokens_in(log.text),
                **notes,
            },
        )
    if verdict.log is None:
        return _rejected(run, verdict.because, words)
    return _Result(log, made.log, made.removed, made.conflicts, words, is_own=True, notes=notes)


def _drafted(
    run: _Run, log: ObservationLog, draft: Draft, shown: str
) -> _Result | Skipped | Failed:
    """Return what was planned, if it can still be done just so."""
    changed = Failed(
        run.command,
        "changed-since",
        f"{OBSERVATIONS} of {run.agent.id} was changed since the plan was made; nothing was done",
        hint="Plan it again.",
    )
    if draft.shown != shown:
        return changed
    if not draft.is_own:
        found = _candidate(run, log, draft.text)
        return found if isinstance(found, Failed) else replace(found, notes=draft.notes)
    again = _own(run, log, draft.notes)
    return again if isinstance(again, _Result) and again.new.text == draft.text else changed


def _candidate(run: _Run, log: ObservationLog, text: str) -> _Result | Failed:
    redacts = run.memory.settings.redact
    shown = let_out(text, redacts=redacts, keeps_lines=True)
    log = parse(let_out(log.text, keeps_lines=True)) if redacts else log
    verdict = judge(log, shown, run.today, is_forced=run.command.is_forced)
    words = (verdict.words_before, verdict.words_after)
    if verdict.log is None:
        return _rejected(run, verdict.because, words)
    return _Result(log, verdict.log, lost(log, verdict.log), (), words)


def _rejected(run: _Run, because: str, words: tuple[int, int]) -> Failed:
    what = "the text" if run.command.candidate is not None else "the consolidated text"
    logger.warning("%s for %s was rejected: %s", what, run.agent.id, because)
    return Failed(
        run.command,
        "rejected",
        f"{what} was rejected, and {OBSERVATIONS} of {run.agent.id} is as it was: {because}",
        details={"words_before": words[0], "words_after": words[1], "because": because},
    )


def _plan(run: _Run, result: _Result, shown: str) -> Planned:
    draft = Draft(result.new.text, shown, result.is_own, result.notes)
    return Planned(
        run.command,
        f"would bring {OBSERVATIONS} of {run.agent.id} {reduction(*result.words, result.removed)}"
        + helped(result.notes),
        (Written(OBSERVATIONS, len(result.new.text.encode())),),
        {**_details(result), "diff": list(changes(result.old, result.new))},
        then=replace(run.command, draft=draft, asks_model=None, dry_run=False),
    )


def _apply(run: _Run, result: _Result, seen: WorkspaceText) -> Reflected:
    """Back up, archive, replace, remember, and let old backups go, in this order."""
    files, at = Files.of(run.memory), run.memory.now
    stood = run.memory.path_state(OBSERVATIONS)
    with run.steps.doing("backup") as doing:
        backup, made = files.back_up(seen, at)
        doing.message = backup.path
    done = []
    if result.removed:
        with run.steps.doing("archive") as doing:
            done.append(files.archive(result.removed, at))
            doing.message = plural(len(result.removed), "entry", "entries")
    new = result.new.reflected(f"{local_time(at, run.memory.zone):%Y-%m-%d %H:%M}")
    with run.steps.doing("replace") as doing:
        wrote = files.replace(new.text, seen)
        doing.message = wrote.path
    edits = [made, *(edit for _, edit in done), edit_of(OBSERVATIONS, seen.text, new.text, stood)]
    run.reflections.add(
        ReflectionRecord(
            id=0,
            workspace=run.memory.real,
            at=at,
            words_before=result.words[0],
            words_after=result.words[1],
            backup=made.path,
            result_chars=len(new.text),
            result_hash=digest(new.text),
            edits=tuple(edits),
        )
    )
    files.prune_backups()
    over = exceeds(new.text, run.rules.word_threshold)
    return Reflected(
        run.command,
        f"{OBSERVATIONS} of {run.agent.id} brought {reduction(*result.words, result.removed)}"
        + helped(result.notes)
        + ("; it is still over its budget" if over else ""),
        wrote=(wrote, backup, *(archived for archived, _ in done)),
        details={**_details(result), "backup": backup.path},
    )


def _details(result: _Result) -> dict[str, Detail]:
    reasons: dict[str, Detail] = {}
    for one in result.removed:
        reason = one.because.partition(":")[0]
        known = reasons.get(reason)
        reasons[reason] = 1 + (known if isinstance(known, int) else 0)
    conflicts: list[Detail] = [
        {"older": one.older.text, "newer": one.newer.text, "guards": list(one.guards)}
        for one in result.conflicts
    ]
    return {
        "words_before": result.words[0],
        "words_after": result.words[1],
        "tokens_before": tokens_in(result.old.text),
        "tokens_after": tokens_in(result.new.text),
        "removed": reasons,
        "conflicts": conflicts,
        **result.notes,
    }


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What the model made of a file.

    Attributes:
        log: None when its text was rejected, or there is none.
        removed: What it left out.
        details: What an outcome says of it.
    """

    log: ObservationLog | None
    removed: tuple[Removed, ...]
    details: dict[str, Detail]


def rewrite(log: ObservationLog, today: date, model: BudgetedModel) -> Rewritten:
    """Ask for a consolidated text, and judge it like one from anywhere else."""
    # Whatever the settings say of files: nothing leaves this host before it is masked. The answer
    # can only keep what it was shown.
    log = parse(let_out(log.text, keeps_lines=True))
    answer = model.ask(reflect_prompt(log.text), patience=REFLECT_TIMEOUT)
    if answer.completion is None:
        return Rewritten(None, (), answer.details())
    text = answer.completion.text.strip() + "\n"
    verdict = judge(log, text, today)
    if verdict.log is None:
        return Rewritten(None, (), answer.details(because=verdict.because))
    return Rewritten(verdict.log, lost(log, verdict.log), answer.details())


def undo(command: Reflect, memory: AgentMemory, reflections: ReflectionLog) -> Outcome:
    """Put the file back as it was before the last consolidation, with what was added since.

    What went into the archive leaves it again, and the backup goes when nothing but it is put back.

    Raises:
        ConcurrentEditError: Somebody edits the file at the same time.
        WorkspaceError: A file cannot be read or written.
        StateError: It cannot be remembered.
    """
    record, files = reflections.last(memory.real), Files.of(memory)
    if record is None:
        message = f"no consolidation of {OBSERVATIONS} of {memory.agent.id} is left to undo"
        return Skipped(command, SkipReason.NOTHING_NEW, message)
    backup, now = files.read(record.backup), files.read()
    if backup is None:
        return Failed(
            command,
            "backup-missing",
            f"{record.backup} is gone, so the consolidation cannot be undone",
            hint="What it removed is in memory/archive/observations.",
        )
    text, is_whole = _restored(record, backup.text, "" if now is None else now.text)
    if command.dry_run:
        planned = Written(OBSERVATIONS, len(text.encode()))
        return Planned(command, f"would put {record.backup} back", (planned,))
    at = memory.now
    aside = None if now is None or is_whole else files.back_up(now, at)[0]
    wrote = [_put_back(record, memory, text, now), *_taken_back(record, memory, keeps=aside)]
    kept = "" if aside is None else f"; what the file held since is in {aside.path}"
    reflections.undone(record, at)
    return Reflected(
        command,
        f"{OBSERVATIONS} of {memory.agent.id} is as it was before its last consolidation{kept}",
        wrote=tuple(wrote) if aside is None else (*wrote, aside),
        details={"backup": record.backup},
    )


def _put_back(
    record: ReflectionRecord, memory: AgentMemory, text: str, now: WorkspaceText | None
) -> Written:
    """Write the file, with the mode it had when nobody has touched it since."""
    edit = next((one for one in record.edits if one.path == OBSERVATIONS), None)
    is_as_left = edit is not None and now is not None and is_exact(edit, now.text)
    mode = edit.stood.mode if edit is not None and is_as_left else None
    return memory.workspace.edit(memory.root, OBSERVATIONS, text, seen=now, mode=mode)


def _taken_back(
    record: ReflectionRecord, memory: AgentMemory, *, keeps: Written | None
) -> Iterator[Written]:
    """Take lines out of the archive again; the backup stays beside one of what was put aside."""
    for edit in reversed(record.edits):
        is_kept = keeps is not None and edit.path == record.backup
        if edit.path != OBSERVATIONS and not is_kept:
            wrote = memory.take_back(edit)
            if wrote is not None:
                yield wrote


def _restored(record: ReflectionRecord, old: str, now: str) -> tuple[str, bool]:
    """Return the old text with what was added behind the consolidated one.

    Returns:
        The text; whether the file still began as the consolidation left it.
    """
    written, added = now[: record.result_chars], now[record.result_chars :]
    if digest(written) != record.result_hash:
        return old, False
    gap = "" if not added or old.endswith("\n") else "\n"
    return f"{old}{gap}{added}", True
