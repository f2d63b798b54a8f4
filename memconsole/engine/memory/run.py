"""Runs what operators do to memory: add, forget, undo, consolidate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.consolidate import Consolidate, Consolidated, Propose
from memconsole.domain.commands.memory_add import MemoryAdd
from memconsole.domain.commands.memory_forget import Forgotten, MemoryForget
from memconsole.domain.commands.memory_undo import MemoryUndo, Undone
from memconsole.domain.commands.outcomes import Failed
from memconsole.domain.commands.promotion import Decline, Promote, Promoted
from memconsole.domain.commands.reflect import Reflected
from memconsole.engine.home.workspace import Bench
from memconsole.engine.search.refresh import indexed, refresh
from memconsole.engine.turn import in_turn, no_workspace
from memconsole.errors import LockedError

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports

_PATIENCE_SECONDS = 5.0
"""How long an edit waits for a checkpoint or another edit, which take parts of a second."""


def edit_memory(
    command: Command,
    *,
    ports: Ports,
    reader: Reader,
    settings: Settings,
) -> Outcome:
    """Run one of them, then bring the index up to date where there is one.

    Raises:
        UnknownAgentError: There is no such agent.
        EntryIdError: An id names no entry, or several.
        LockedError: Another run works in the workspace; what a person asked for fails then, for
            no later run would do it.
        ConcurrentEditError: Somebody edits a file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written; its old text is whole.
        StateError: Our own database cannot be written; nothing was done.
    """
    bench = Bench.of(command.agent.id, ports, reader, settings)
    if (missing := no_workspace(command, bench.agent)) is not None:
        return missing
    if command.dry_run:
        return _run(command, bench)
    try:
        outcome = in_turn(
            bench.agent,
            lambda: _run(command, bench),
            ports=ports,
            reader=reader,
            settings=settings,
            tries=1,  # an operator has seen what shall be done
            patience=_PATIENCE_SECONDS,
        )
    except LockedError as error:
        if isinstance(command, MemoryAdd | MemoryForget | MemoryUndo):
            return Failed(command, error.code, str(error), error.hint)
        raise
    if isinstance(command, MemoryForget) and command.is_hard and isinstance(outcome, Forgotten):
        return _rebuilt(outcome, bench)
    if isinstance(outcome, Forgotten | Undone | Reflected | Consolidated | Promoted):
        return indexed(outcome, bench)
    return outcome


def _run(command: Command, bench: Bench) -> Outcome:
    match command:
        case MemoryAdd():
            from memconsole.engine.memory.add import add  # noqa: PLC0415

            return add(command, bench)
        case MemoryForget():
            from memconsole.engine.memory.forget import forget  # noqa: PLC0415

            return forget(command, bench)
        case MemoryUndo():
            from memconsole.engine.memory.undo import undo  # noqa: PLC0415

            return undo(command, bench)
        case Consolidate() | Promote() | Decline() | Propose():
            from memconsole.engine.consolidate.run import consolidation  # noqa: PLC0415

            return consolidation(command, bench)
        case _:
            raise AssertionError(command.spec.name)


def _rebuilt(outcome: Forgotten, bench: Bench) -> Outcome:
    """Build the index anew, so that nothing of what was forgotten for good is left in it."""
    state, notice = refresh(bench, is_full=True)
    details = {**outcome.details, "index": state}
    if notice is None:
        bench.ports.journal.kept(bench.root)
        return replace(outcome, details=details)
    return Failed(
        outcome.command,
        "index-not-rebuilt",
        f"the files are clean, but the search index still holds what was forgotten: "
        f"{notice.message}",
        hint="The next run that writes into the workspace builds it anew.",
        details=details,
    )
