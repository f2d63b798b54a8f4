"""Runs what operators do to memory by hand: add, forget, undo (mission §19)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from memconsole.domain.commands import MemoryAdd, MemoryForget, MemoryUndo
from memconsole.domain.days import resolve_zone
from memconsole.domain.entries_outcomes import Forgotten, Undone
from memconsole.domain.outcomes import Failed, Reflected
from memconsole.engine.lookup import find_agent
from memconsole.engine.memory_bench import Bench
from memconsole.engine.turn import no_workspace

if TYPE_CHECKING:
    from memconsole.domain.commands import MemoryCommand
    from memconsole.domain.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader


def edit_memory(
    command: MemoryCommand, *, ports: Ports, reader: Reader, settings: Settings
) -> Outcome:
    """Run one of them, then bring the index up to date where there is one.

    Raises:
        UnknownAgentError: There is no such agent.
        EntryIdError: An id names no entry, or several.
        LockedError: Another run works in the workspace.
        ConcurrentEditError: Somebody edits a file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written; its old text is whole.
        StateError: Our own database cannot be written; nothing was done.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    if (missing := no_workspace(command, agent)) is not None:
        return missing
    zone = resolve_zone(settings.timezone, home.config.user_timezone).zone
    bench = Bench(home, agent, ports, reader, settings, zone)
    if command.dry_run:
        return _run(command, bench)
    with ports.locks.workspace(agent.workspace):
        ports.edits.prepare()
        outcome = _run(command, bench)
    if isinstance(outcome, Forgotten | Undone | Reflected):
        return _indexed(
            outcome, bench, is_hard=isinstance(command, MemoryForget) and command.is_hard
        )
    return outcome


def _run(command: MemoryCommand, bench: Bench) -> Outcome:
    match command:
        case MemoryAdd():
            from memconsole.engine.memory_add import add  # noqa: PLC0415

            return add(command, bench)
        case MemoryForget():
            from memconsole.engine.memory_forget import forget  # noqa: PLC0415

            return forget(command, bench)
        case MemoryUndo():
            from memconsole.engine.memory_undo import undo  # noqa: PLC0415

            return undo(command, bench)
        case _:
            assert_never(command)


def _indexed(outcome: Forgotten | Undone | Reflected, bench: Bench, *, is_hard: bool) -> Outcome:
    from memconsole.engine.memory_index import refresh  # noqa: PLC0415

    state, notice = refresh(bench, is_full=is_hard)
    details = {**outcome.details, "index": state}
    if notice is None:
        return replace(outcome, details=details)
    if is_hard:
        return Failed(
            outcome.command,
            "index-not-rebuilt",
            f"the files are clean, but the search index still holds what was forgotten: "
            f"{notice.message}",
            hint=f"Run `memconsole reindex --agent {bench.agent.id} --full` when it is free.",
            details=details,
        )
    return replace(outcome, details=details, notices=(*outcome.notices, notice))
