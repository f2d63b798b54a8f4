"""Removes every copy of forgotten entries in what is ours: `memory forget --hard` (mission §19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.domain.dreams import DREAMS, parts_of
from memconsole.domain.entries import ACTIVE_CONTEXT, bare, normalised
from memconsole.domain.entries_blocks import pieces_of
from memconsole.domain.index_md import INDEX
from memconsole.errors import WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memconsole.domain.captures import WorkspaceText
    from memconsole.domain.entries import MemoryEntry
    from memconsole.domain.memory_edit import MemoryAction
    from memconsole.domain.outcomes import Written
    from memconsole.engine.memory_bench import Bench

_FOLDERS: Final = (
    "memory/archive",
    "memory/archive/observations",
    "memory/observation-backups",
)
_LEAST_CHARS: Final = 8
"""Shorter lines are removed only where nothing else stands in the line."""

Clean: TypeAlias = "Callable[[str, frozenset[str], set[str]], str]"
"""Returns a text without the lines that have certain words or ids."""


def erase(bench: Bench, entries: Sequence[MemoryEntry]) -> list[Written]:
    """Remove lines with the words of entries from our files, and what could be undone of them.

    Raises:
        ConcurrentEditError: Somebody edits a file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written.
        StateError: What could be undone cannot be removed.
    """
    words = _words(entries)
    ids = {one.id for one in entries}
    wrote = []
    for path in _ours(bench):
        seen = bench.read(path)
        clean = _clean_report if path.casefold() == DREAMS.casefold() else _scrubbed
        if seen is None or clean(seen.text, words, ids) == seen.text:
            continue

        def make(now: WorkspaceText | None, clean: Clean = clean) -> str:
            return clean("" if now is None else now.text, words, ids)

        wrote.append(bench.change(path, make)[2])
    actions = bench.ports.edits.actions(bench.real)
    gone = [one.id for one in actions if _holds(one, words, ids)]
    bench.ports.edits.erase(gone, lambda block: _scrubbed(block, words, ids))
    return wrote


def _words(entries: Iterable[MemoryEntry]) -> frozenset[str]:
    """Return the lines of entries as they are looked for."""
    lines = (line for one in entries for line in bare(one.text).splitlines())
    return frozenset(said for line in lines if (said := normalised(line)))


def _ours(bench: Bench) -> list[str]:
    names = [
        f"{folder}/{name}"
        for folder in _FOLDERS
        for name in bench.ports.folders.names(bench.root, folder)
        if name.casefold().endswith(".md")
    ]
    found = []
    for path in (ACTIVE_CONTEXT, INDEX, DREAMS, DREAMS.lower(), *names):
        try:
            if bench.read(path) is not None:
                found.append(path)
        except WorkspaceError:
            if path in names:
                raise
    return found


def _scrubbed(text: str, words: frozenset[str], ids: set[str]) -> str:
    return "".join(
        piece.text + piece.end
        for piece in pieces_of(text)
        if not _has(piece.text, words) and not any(one in piece.text for one in ids)
    )


def _clean_report(text: str, words: frozenset[str], ids: set[str]) -> str:
    """Return DREAMS.md with our report scrubbed; the rest is a diary of others."""
    parts = parts_of(text)
    if parts is None:
        return text
    before, block, after = parts
    return f"{before}{_scrubbed(block, words, ids)}{after}"


def _has(line: str, words: frozenset[str]) -> bool:
    said = normalised(line)
    return any(
        (len(one) >= _LEAST_CHARS and one in said) or said.lstrip("-*+ ") == one for one in words
    )


def _holds(action: MemoryAction, words: frozenset[str], ids: set[str]) -> bool:
    if ids & set(action.entries):
        return True
    texts = (
        part for edit in action.edits for span in edit.spans for part in (span.removed, span.added)
    )
    return any(_has(line, words) for text in texts for line in text.splitlines())
