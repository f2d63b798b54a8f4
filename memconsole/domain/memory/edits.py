r"""Edits of memory files that can be taken back to the byte.

An edit is a handful of spans: what stood at a place before, and what stands there now. Offsets
count characters of the text as it was read, so line ends of every kind stay what they are. As long
as the file is as the edit left it, undoing is exact; when somebody has edited it since, the spans
are found again by the lines around them, of which only hashes are kept.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.blocks import blocks_of, is_heading, pieces_of, shown_lines
from memconsole.lazy_dataclass import dataclass
from memconsole.text.markdown import line_ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memconsole.domain.memory.blocks import Piece
    from memconsole.domain.memory.entries import MemoryEntry

DEFAULT_SECTION: Final = "Notes"


class ActionKind(StrEnum):
    """What is undone."""

    ADD = "add"
    FORGET = "forget"
    PROMOTE = "promote"
    CONSOLIDATE = "consolidate"
    TIDY = "tidy"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Span:
    """One place of a file that an edit changed.

    Attributes:
        offset: Where `added` stands in the text after the edit, in characters.
        removed: What stood there before.
        added: What stands there now.
        above: Hash of the line above; empty at the beginning of the file.
        below: Hash of the line below; empty at its end.
    """

    offset: int
    removed: str
    added: str
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class PathState:
    """What stands at a path before something is written there.

    Attributes:
        mode: Permission bits of the file; None when there is none, or nobody looked.
        folders: Folders that have to be made for it, relative to the workspace, outermost first.
    """

    mode: int | None = None
    folders: tuple[str, ...] = ()


UNSEEN: Final = PathState()
"""Nobody looked: what was done before modes were kept."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What one action did to one file.

    Attributes:
        path: Relative to the workspace.
        is_new: The file was made by it.
        after: Hash of the text as the edit left it.
        spans: In the order of the text.
        before: Hash of the text as it was: undoing what is undone changes nothing.
        stood: What stood there before.
    """

    path: str
    is_new: bool
    after: str
    spans: tuple[Span, ...]
    before: str = ""
    stood: PathState = UNSEEN


@dataclass(frozen=True, slots=True)
class MemoryAction:
    """One action that can be undone, as our own database keeps it.

    Attributes:
        id: Number in the database; 0 before it is stored.
        workspace: Real path.
        entries: Ids of the entries it was about.
    """

    id: int
    workspace: str
    kind: ActionKind
    at: datetime
    entries: tuple[str, ...]
    edits: tuple[FileEdit, ...]


@dataclass(frozen=True, slots=True)
class ReflectionRecord:
    """One consolidation of `observations.md`.

    Attributes:
        id: Number in the database; 0 before it is stored.
        workspace: Real path.
        backup: The file as it was before, relative to the workspace.
        result_chars: Characters of the file as it was written; more were added behind them since.
        result_hash: SHA-256 of those.
        edits: What was done, file by file; empty where it was not kept.
    """

    id: int
    workspace: str
    at: datetime
    words_before: int
    words_after: int
    backup: str
    result_chars: int
    result_hash: str
    edits: tuple[FileEdit, ...] = ()


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def edit_of(path: str, before: str | None, after: str, stood: PathState = UNSEEN) -> FileEdit:
    """Return what turned one text into another, as one span; None was no file."""
    old = before or ""
    start = _common(old, after)
    end = _common(old[start:], after[start:], at_end=True)
    span = _span(after, start, old[start : len(old) - end], after[start : len(after) - end])
    return FileEdit(path, before is None, digest(after), (span,), digest(old), stood)


def without(
    path: str, text: str, entries: Iterable[MemoryEntry], stood: PathState = UNSEEN
) -> tuple[str, FileEdit]:
    """Return the text without some of its entries, and the edit.

    A blank line that would stand beside another one, or at the end of the file, goes with them.
    """
    pieces = pieces_of(text)
    gone = _gone(pieces, entries)
    kept, spans, size = [], [], 0
    number = 0
    while number < len(pieces):
        if number not in gone:
            kept.append(pieces[number].text + pieces[number].end)
            size += len(kept[-1])
            number += 1
            continue
        first = number
        while number in gone:
            number += 1
        spans.append((size, "".join(one.text + one.end for one in pieces[first:number])))
    after = "".join(kept)
    made = tuple(_span(after, offset, removed, "") for offset, removed in spans)
    return after, FileEdit(path, False, digest(after), made, digest(text), stood)


def inserted(text: str | None, title: str, section: str, line: str) -> str:
    """Return the text with a line at the end of a section, which is made when there is none.

    Args:
        text: The file; None when there is none.
        title: Heading of a new file.
        section: Words of a heading of the second level, in any letter case.
        line: Without its end.
    """
    if text is None or not text.strip("\ufeff \t\r\n"):
        return f"{text or ''}# {title}\n\n## {section}\n\n{line}\n"
    ending = line_ending(text)
    pieces = pieces_of(text)
    heading, at = _section(pieces, section) or (len(pieces), len(pieces))
    at = _in_sight(pieces, at)
    if at <= heading:
        before, behind = _cut(pieces, at)
        gap = "" if not before or before.endswith(("\n", "\r")) else ending
        made = f"## {section}{ending}{ending}{line}{ending}{ending if behind else ''}"
        return f"{before}{gap}{ending if before else ''}{made}{behind}"
    while at - 1 > heading and not pieces[at - 1].text.strip():
        at -= 1
    before, behind = _cut(pieces, at)
    is_list = at - 1 > heading and _ends_in_list(pieces, at)
    gap = ("" if before.endswith(("\n", "\r")) else ending) + ("" if is_list else ending)
    return f"{before}{gap}{line}{ending}{behind}"


def _cut(pieces: Sequence[Piece], at: int) -> tuple[str, str]:
    """Return the text above a line, and from it on."""
    whole = [one.text + one.end for one in pieces]
    return "".join(whole[:at]), "".join(whole[at:])


def _in_sight(pieces: Sequence[Piece], at: int) -> int:
    """Return where a line above another is no part of a comment or fence that nobody closed."""
    lines = [one.text for one in pieces[:at]]
    while lines and not (shown := shown_lines([*lines, "-"]))[-1]:
        lines.pop()
        while lines and not shown[len(lines) - 1]:
            lines.pop()
    return len(lines)


def undone(edit: FileEdit, now: str) -> str | None:
    """Return a text with an edit taken back; None when what was added is not there any more.

    Args:
        edit: What was done.
        now: The file as it is.
    """
    if digest(now) == edit.before:
        return now
    if digest(now) == edit.after:
        for span in reversed(edit.spans):
            now = now[: span.offset] + span.removed + now[span.offset + len(span.added) :]
        return now
    for span in reversed(edit.spans):
        place = _found(span, now)
        if place is None:
            return None
        is_glued = bool(span.removed) and place == len(now) and now[-1:] not in "\r\n"
        gap = line_ending(now) if is_glued else ""
        now = now[:place] + gap + span.removed + now[place + len(span.added) :]
    return now


def is_exact(edit: FileEdit, now: str) -> bool:
    """Whether a file is as the edit left it."""
    return digest(now) == edit.after


def _common(one: str, other: str, *, at_end: bool = False) -> int:
    """Return how many characters two texts share at their beginning, or at their end."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        left = one[len(one) - middle :] if at_end else one[:middle]
        is_shared = other.endswith(left) if at_end else other.startswith(left)
        low, high = (middle, high) if is_shared else (low, middle - 1)
    return low


def _span(after: str, offset: int, removed: str, added: str) -> Span:
    above = pieces_of(after[:offset])
    below = pieces_of(after[offset + len(added) :])
    return Span(
        offset,
        removed,
        added,
        digest(above[-1].text) if above else "",
        digest(below[0].text) if below else "",
    )


def _gone(pieces: Sequence[Piece], entries: Iterable[MemoryEntry]) -> set[int]:
    gone: set[int] = set()
    for one in entries:
        gone |= set(range(one.line - 1, one.end_line))
    for last in sorted(gone):
        first = last
        while first - 1 in gone:
            first -= 1
        is_open = first == 0 or not pieces[first - 1].text.strip()
        below = last + 1
        if below in gone or below >= len(pieces) or pieces[below].text.strip():
            continue
        if is_open:
            gone.add(below)
    return gone


def _section(pieces: Sequence[Piece], section: str) -> tuple[int, int] | None:
    """Return the line of a section's heading and that of the next heading of its level."""
    lines = [one.text for one in pieces]
    wanted = " ".join(section.casefold().split())
    found = None
    for number, (line, is_shown) in enumerate(zip(lines, shown_lines(lines), strict=True)):
        if not is_shown or not is_heading(line):
            continue
        signs, _, words = line.strip().partition(" ")
        if found is not None and len(signs) <= 2:
            return found, number
        said = " ".join(words.strip().rstrip("#").casefold().split())
        if found is None and len(signs) == 2 and said == wanted:
            found = number
    return None if found is None else (found, len(lines))


def _ends_in_list(pieces: Sequence[Piece], at: int) -> bool:
    text = "".join(f"{one.text}\n" for one in pieces[:at])
    last = max(blocks_of(text), default=None)
    first = pieces[last[0]].text.lstrip() if last and last[1] == at else ""
    return first.startswith(("- ", "* ", "+ "))


def _found(span: Span, now: str) -> int | None:
    """Return where a span belongs in a text that was edited since."""
    if span.added:
        places = _all(now, span.added)
        return min(places, key=lambda place: abs(place - span.offset), default=None)
    pieces = pieces_of(now)
    starts = [*(one.start for one in pieces), len(now)]
    hashes = ["", *(digest(one.text) for one in pieces), ""]
    best: tuple[int, int, int] | None = None
    for number, start in enumerate(starts):
        fits = 2 * (hashes[number] == span.above) + (hashes[number + 1] == span.below)
        rank = (-fits, abs(start - span.offset), start)
        best = rank if best is None or rank < best else best
    return None if best is None else (best[2] if best[0] else len(now))


def _all(text: str, part: str) -> list[int]:
    found, place = [], text.find(part)
    while place >= 0:
        found.append(place)
        place = text.find(part, place + 1)
    return found
