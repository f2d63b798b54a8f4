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
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.commands.reflect import Draft, Reflected
from memconsole.domain.memory.edits import edit_of, is_exact
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.model import reflect_prompt
from memconsole.domain.reflect.gate import judge
from memconsole.domain.reflect.rules import SMALLEST, changes, consolidate, helped, lost, told
from memconsole.engine.home.workspace import Bench
from memconsole.engine.model import REFLECT_TIMEOUT, ask, is_on
from memconsole.engine.reflect.due import not_due
from memconsole.engine.reflect.files import Files, digest
from memconsole.engine.turn import in_turn, no_workspace
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import exceeds, tokens_in, words_in
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date, datetime

    from memconsole.domain.agents import Agent
    from memconsole.domain.calendar import Zone
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.reflect import Reflect
    from memconsole.domain.memory.observations import ObservationLog
    from memconsole.domain.memory.records import ReflectionRecord, WorkspaceText
    from memconsole.domain.reflect.sheet import Conflict, Removed
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import ReflectorSettings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Scene:
    """What one run works with."""

    command: Reflect
    bench: Bench

    @property
    def agent(self) -> Agent:
        return self.bench.agent

    @property
    def ports(self) -> Ports:
        return self.bench.ports

    @property
    def settings(self) -> Settings:
        return self.bench.settings

    @property
    def zone(self) -> Zone:
        return self.bench.zone

    @property
    def rules(self) -> ReflectorSettings:
        return self.settings.reflector

    @property
    def now(self) -> datetime:
        return self.ports.clock.now()

    @property
    def today(self) -> date:
        return local_day(self.now, self.zone)

    @property
    def asks_model(self) -> bool:
        """Whether a model that is set up is asked."""
        wish = self.command.asks_model
        return not self.command.dry_run if wish is None else wish

    @property
    def files(self) -> Files:
        return Files(self.ports, self.agent, self.zone, self.rules.max_backups)


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


def reflect(command: Reflect, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Consolidate the file if it is due, let a candidate take its place, or undo the last time.

    Raises:
        UnknownAgentError: There is no such agent.
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits the file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written; the old file is whole.
        StateError: Our own database cannot be written; nothing was done.
    """
    scene = _Scene(command, Bench.of(command.agent.id, ports, reader, settings))
    if (missing := no_workspace(command, scene.agent)) is not None:
        return missing
    if command.dry_run:
        return _attempt(scene)
    return in_turn(
        scene.agent, lambda: _attempt(scene), ports=ports, reader=reader, settings=settings
    )


def _attempt(scene: _Scene) -> Outcome:
    if scene.command.is_undo:
        return undo(scene.command, scene.files, scene.bench)
    seen = scene.files.read()
    log = None if seen is None else parse(seen.text)
    if seen is None or log is None or not log.observations:
        message = f"{scene.agent.id} has no observations yet"
        return Skipped(scene.command, SkipReason.NOTHING_NEW, message)
    shown = digest(seen.text)
    found = _decide(scene, log, shown)
    if not isinstance(found, _Result):
        return found
    return _plan(scene, found, shown) if scene.command.dry_run else _apply(scene, found, seen)


def _decide(scene: _Scene, log: ObservationLog, shown: str) -> _Result | Skipped | Failed:
    command = scene.command
    if command.draft is not None:
        return _drafted(scene, log, command.draft, shown)
    if command.candidate is not None:
        return _candidate(scene, log, command.candidate)
    if not command.is_forced:
        skip = not_due(command, log.text, scene.agent, ports=scene.ports, settings=scene.settings)
        if skip is not None:
            return skip
    notes: dict[str, Detail] = {}
    if is_on(scene.settings) and scene.asks_model:
        found = rewrite(log, scene.today, ports=scene.ports, settings=scene.settings)
        notes = found.details
        if found.log is not None:
            words = (words_in(log.text), words_in(found.log.text))
            return _Result(log, found.log, found.removed, (), words, notes=notes)
    elif is_on(scene.settings):
        notes = {"llm": {"result": "not-asked", "because": "a dry run sends nothing"}}
    return _own(scene, log, notes)


def _own(
    scene: _Scene, log: ObservationLog, notes: Mapping[str, Detail]
) -> _Result | Skipped | Failed:
    """Return what the built-in consolidation makes of a file."""
    least = 0.0 if scene.command.is_forced else SMALLEST
    made = consolidate(log, scene.today, similar=scene.rules.similarity, least=least)
    verdict = judge(log, made.log.text, scene.today, is_own=True)
    words = (verdict.words_before, verdict.words_after)
    if made.log.text == log.text:
        return Skipped(
            scene.command,
            SkipReason.NOTHING_NEW,
            f"{OBSERVATIONS} of {scene.agent.id} holds nothing that could go: {words[0]} words"
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
        return _rejected(scene, verdict.because, words)
    return _Result(log, made.log, made.removed, made.conflicts, words, is_own=True, notes=notes)


def _drafted(
    scene: _Scene, log: ObservationLog, draft: Draft, shown: str
) -> _Result | Skipped | Failed:
    """Return what was planned, if it can still be done just so."""
    changed = Failed(
        scene.command,
        "changed-since",
        f"{OBSERVATIONS} of {scene.agent.id} was changed since the plan was made; nothing was done",
        hint="Plan it again.",
    )
    if draft.shown != shown:
        return changed
    if not draft.is_own:
        found = _candidate(scene, log, draft.text)
        return found if isinstance(found, Failed) else replace(found, notes=draft.notes)
    again = _own(scene, log, draft.notes)
    return again if isinstance(again, _Result) and again.new.text == draft.text else changed


def _candidate(scene: _Scene, log: ObservationLog, text: str) -> _Result | Failed:
    redacts = scene.settings.redact
    shown = let_out(text, redacts=redacts, keeps_lines=True)
    log = parse(let_out(log.text, keeps_lines=True)) if redacts else log
    verdict = judge(log, shown, scene.today, is_forced=scene.command.is_forced)
    words = (verdict.words_before, verdict.words_after)
    if verdict.log is None:
        return _rejected(scene, verdict.because, words)
    return _Result(log, verdict.log, lost(log, verdict.log), (), words)


def _rejected(scene: _Scene, because: str, words: tuple[int, int]) -> Failed:
    what = "the text" if scene.command.candidate is not None else "the consolidated text"
    logger.warning("%s for %s was rejected: %s", what, scene.agent.id, because)
    return Failed(
        scene.command,
        "rejected",
        f"{what} was rejected, and {OBSERVATIONS} of {scene.agent.id} is as it was: {because}",
        details={"words_before": words[0], "words_after": words[1], "because": because},
    )


def _plan(scene: _Scene, result: _Result, shown: str) -> Planned:
    draft = Draft(result.new.text, shown, result.is_own, result.notes)
    return Planned(
        scene.command,
        f"would bring {OBSERVATIONS} of {scene.agent.id} {told(*result.words, result.removed)}"
        + helped(result.notes),
        (Written(OBSERVATIONS, len(result.new.text.encode())),),
        {**_details(result), "diff": list(changes(result.old, result.new))},
        then=replace(scene.command, draft=draft, asks_model=None, dry_run=False),
    )


def _apply(scene: _Scene, result: _Result, seen: WorkspaceText) -> Reflected:
    """Back up, archive, replace, remember, and let old backups go, in this order."""
    files, at = scene.files, scene.now
    stood = scene.ports.folders.standing(scene.agent.workspace, OBSERVATIONS)
    backup, made = files.back_up(seen, at)
    done = [files.archive(result.removed, at)] if result.removed else []
    new = result.new.reflected(f"{local_time(at, scene.zone):%Y-%m-%d %H:%M}")
    wrote = files.replace(new.text, seen)
    edits = [made, *(edit for _, edit in done), edit_of(OBSERVATIONS, seen.text, new.text, stood)]
    files.remember(new.text, edits, result.words, at)
    files.prune_backups()
    over = exceeds(new.text, scene.rules.word_threshold)
    return Reflected(
        scene.command,
        f"{OBSERVATIONS} of {scene.agent.id} brought {told(*result.words, result.removed)}"
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


def rewrite(log: ObservationLog, today: date, *, ports: Ports, settings: Settings) -> Rewritten:
    """Ask for a consolidated text, and judge it like one from anywhere else."""
    # Whatever the settings say of files: nothing leaves this host before it is masked. The answer
    # can only keep what it was shown.
    log = parse(let_out(log.text, keeps_lines=True))
    answer = ask(
        reflect_prompt(log.text),
        ports=ports,
        settings=settings,
        patience=REFLECT_TIMEOUT,
    )
    if answer.completion is None:
        return Rewritten(None, (), answer.details())
    text = answer.completion.text.strip() + "\n"
    verdict = judge(log, text, today)
    if verdict.log is None:
        return Rewritten(None, (), answer.details(because=verdict.because))
    return Rewritten(verdict.log, lost(log, verdict.log), answer.details())


def undo(command: Reflect, files: Files, bench: Bench) -> Outcome:
    """Put the file back as it was before the last consolidation, with what was added since.

    What went into the archive leaves it again, and the backup goes when nothing but it is put back.

    Raises:
        ConcurrentEditError: Somebody edits the file at the same time.
        WorkspaceError: A file cannot be read or written.
        StateError: It cannot be remembered.
    """
    record = files.ports.reflections.last(files.root)
    if record is None:
        message = f"no consolidation of {OBSERVATIONS} of {files.agent.id} is left to undo"
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
    at = files.ports.clock.now()
    aside = None if now is None or is_whole else files.back_up(now, at)[0]
    wrote = [_put_back(record, bench, text, now), *_taken_back(record, bench, keeps=aside)]
    kept = "" if aside is None else f"; what the file held since is in {aside.path}"
    files.ports.reflections.undone(record, at)
    return Reflected(
        command,
        f"{OBSERVATIONS} of {files.agent.id} is as it was before its last consolidation{kept}",
        wrote=tuple(wrote) if aside is None else (*wrote, aside),
        details={"backup": record.backup},
    )


def _put_back(
    record: ReflectionRecord, bench: Bench, text: str, now: WorkspaceText | None
) -> Written:
    """Write the file, with the mode it had when nobody has touched it since."""
    edit = next((one for one in record.edits if one.path == OBSERVATIONS), None)
    is_as_left = edit is not None and now is not None and is_exact(edit, now.text)
    mode = edit.stood.mode if edit is not None and is_as_left else None
    return bench.ports.workspace.edit(bench.root, OBSERVATIONS, text, seen=now, mode=mode)


def _taken_back(
    record: ReflectionRecord, bench: Bench, *, keeps: Written | None
) -> Iterator[Written]:
    """Take lines out of the archive again; the backup stays beside one of what was put aside."""
    for edit in reversed(record.edits):
        is_kept = keeps is not None and edit.path == record.backup
        if edit.path != OBSERVATIONS and not is_kept:
            wrote = bench.take_back(edit)
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
