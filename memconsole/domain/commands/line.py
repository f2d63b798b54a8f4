"""Writes the command line that does the same as a command, for the journal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from memconsole.domain.commands.commands import (
    Checkpoint,
    Compact,
    ConfigFix,
    Consolidate,
    Decline,
    Flush,
    IndexMd,
    Layer,
    MemoryAdd,
    MemoryForget,
    MemoryUndo,
    Observe,
    Promote,
    Propose,
    Recover,
    Reflect,
    Reindex,
    Rotate,
    Summarize,
)

if TYPE_CHECKING:
    from memconsole.domain.commands.commands import (
        CaptureCommand,
        Command,
        ConsolidationCommand,
        MemoryCommand,
    )


_NAMES: dict[type[Command], str] = {
    Checkpoint: "checkpoint",
    Rotate: "rotate",
    Compact: "compact",
    Reindex: "reindex",
    Observe: "observe",
    Flush: "flush",
    Summarize: "summarize",
    Recover: "recover",
    Reflect: "reflect",
    IndexMd: "index-md",
    MemoryAdd: "memory add",
    MemoryForget: "memory forget",
    MemoryUndo: "memory undo",
    Consolidate: "consolidate",
    Promote: "memory promote",
    Decline: "memory decline",
    Propose: "consolidate",
    ConfigFix: "config fix",
}


def name_of(command: Command) -> str:
    """Return the command's name on the command line."""
    return _NAMES[type(command)]


def key_of(command: Command) -> str | None:
    """Return the session key that a command names."""
    match command:
        case Checkpoint() | Observe():
            return command.session_key
        case Rotate() | Compact() | Summarize() | Flush():
            return command.key
        case _:
            return None


def _rotate_words(command: Rotate) -> list[str]:
    limit = command.threshold_tokens
    asked = [] if limit is None else ["--threshold", str(limit)]
    flags = _flags(("--force", command.is_forced), ("--force-active", command.is_active_forced))
    return [command.key, *asked, *flags]


def _compact_words(command: Compact) -> list[str]:
    asked = [] if command.instructions is None else ["--instructions", command.instructions]
    return [command.key, *asked, *["--force-truncate"] * command.is_truncation_forced]


def _capture_words(command: CaptureCommand) -> list[str]:
    match command:
        case Observe():
            session, ended = command.session_key, command.recover_id
            return [
                *("--agent", command.agent.id),
                *(() if session is None else ("--session", session)),
                *_flags(("--flush", command.is_flush)),
                *(() if ended is None else ("--recover", ended)),
            ]
        case Summarize():
            name = command.key or command.session_id or ""
            by_id = command.key is not None and command.session_id is not None
            which = ["--session-id", command.session_id or ""] if by_id else []
            return [name, *which, "--reason", command.reason]
        case Flush():
            return [command.key]
        case Recover():
            return ["--agent", command.agent.id]
        case Reflect():
            given = [] if command.candidate is None else ["--candidate", command.candidate_name]
            flags = _flags(("--force", command.is_forced), ("--undo", command.is_undo))
            return ["--agent", command.agent.id, *given, *flags]
        case IndexMd():
            return ["--agent", command.agent.id, *_flags(("--force", command.is_forced))]


def _memory_words(command: MemoryCommand | ConsolidationCommand) -> list[str]:
    """Return the words without the text: it may be forgotten one day, and the log is kept."""
    words = ["--agent", command.agent.id]
    match command:
        case MemoryAdd():
            tag = [] if command.tag is None else ["--type", command.tag]
            own = command.layer is not Layer.DAILY and command.section != "Notes"
            section = ["--section", command.section] if own else []
            forced = _flags(("--force", command.is_forced))
            return ["-", *words, f"--{command.layer}", *tag, *section, *forced]
        case MemoryForget():
            return [*command.ids, *words, "--yes", *_flags(("--hard", command.is_hard))]
        case Promote() | Decline():
            return [*command.ids, *words]
        case Consolidate():
            flag = "--apply-high" if command.is_high_included else "--apply"
            return [*words, flag, "--yes"]
        case Propose():
            return [*words, "--report"]
        case MemoryUndo():
            return words


def command_line(command: Command) -> str:
    """Return the equivalent call, quoted for a POSIX shell."""
    words = ["memconsole", *name_of(command).split(), *_arguments(command)]
    if command.dry_run:
        words.append("--dry-run")
    return shlex.join(words)


def _arguments(command: Command) -> list[str]:
    match command:
        case Checkpoint():
            words = ["--agent", command.agent.id]
            if command.session_key is not None:
                words += ["--session", command.session_key]
            return words + _flags(("--force", command.is_forced))
        case Rotate():
            return _rotate_words(command)
        case Compact():
            return _compact_words(command)
        case Reindex() | ConfigFix():
            return _upkeep_words(command)
        case Observe() | Summarize() | Flush() | Recover() | Reflect() | IndexMd():
            return _capture_words(command)
        case _:
            return _memory_words(command)


def _upkeep_words(command: Reindex | ConfigFix) -> list[str]:
    match command:
        case Reindex():
            flags = _flags(("--full", command.is_full), ("--sessions", bool(command.with_sessions)))
            return ["--agent", command.agent.id, *flags]
        case ConfigFix():
            return _flags(("--apply", not command.dry_run))


def _flags(*flags: tuple[str, bool]) -> list[str]:
    return [name for name, is_set in flags if is_set]
