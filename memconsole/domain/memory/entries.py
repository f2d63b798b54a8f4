r"""Entries of memory files: the blocks that can be shown, found again and forgotten.

An entry is what a person would call one note: a list item with what is indented under it, a
paragraph, a code block, or a `## HH:MM - Note` of a daily log. Headings, rules, comments and front
matter are none. Its id is made of its path and its words, so that it stays the same wherever in
the file it stands; two blocks with the same words are one entry twice.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.blocks import blocks_of, is_heading, lines_of
from memconsole.domain.memory.files import MARKER_TAGS, is_text
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

ACTIVE_CONTEXT: Final = "memory/ACTIVE_CONTEXT.md"
LONG_TERM: Final = "MEMORY.md"
USER: Final = "USER.md"

_DAILY: Final = re.compile(r"memory/(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md", re.IGNORECASE)
_DATED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:(?=\s)|: ?|$)")
_TAG: Final = re.compile(rf"(?<!\\)\[({'|'.join(MARKER_TAGS)})\]")
_BULLET: Final = re.compile(r"\s*(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?")
_OWN_ID: Final = re.compile(r"o-[0-9a-f]{8}")
_PLACE: Final = re.compile(r"(?:\./)?(?P<path>.+):(?P<line>[0-9]{1,9})")
_ASKED: Final = re.compile(r"(?:[mdo]-)?[0-9a-f]{1,8}")
_GENERATED: Final = frozenset({"memory/index.md", ACTIVE_CONTEXT.casefold()})
_KEPT_BY_US: Final = ("memory/archive/", "memory/observation-backups/")


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One entry of a memory file.

    Attributes:
        id: `m-`, `d-` or `o-` and 8 hex digits; the same for blocks of one file with equal words.
        path: Relative to the workspace, with `/`.
        line: First line, from 1.
        end_line: Last line.
        text: Without its bullet; of an observation without sign, clock and metadata.
        tags: Markers in it, in their order.
        date: ISO day that it carries, or that its heading or file has; None when nothing says.
    """

    id: str
    path: str
    line: int
    end_line: int
    text: str
    tags: tuple[str, ...] = ()
    date: str | None = None


def entries_of(path: str, text: str) -> tuple[MemoryEntry, ...]:
    """Return the entries of a file, by line; files made of others and what is no text have none."""
    if path.casefold() in _GENERATED or not is_text(text):
        return ()
    day = _DAILY.fullmatch(path)
    observed = _observed(path, text) if path == OBSERVATIONS else {}
    header = min(observed, default=0)
    lines = lines_of(text)
    found = []
    for start, end in blocks_of(text, has_notes=day is not None):
        if start in observed or start < header:
            continue
        said = _said(lines[start:end])
        if said:
            found.append(_entry(path, start, end, said, None if day is None else day[1]))
    return tuple(sorted((*found, *observed.values()), key=lambda one: one.line))


def entry_id(path: str, text: str) -> str:
    """Return the id of a text in a file: it depends on nothing else."""
    digest = hashlib.sha256(f"{path}\0{normalised(text)}".encode("utf-8", errors="replace"))
    return f"{_prefix(path)}-{digest.hexdigest()[:8]}"


def normalised(text: str) -> str:
    """Return a text as far as it counts: letters in one case, one blank between words."""
    return " ".join(text.casefold().split())


def bare(text: str) -> str:
    """Return what an entry says, without its day and its markers in front."""
    said = _undated(text)
    return _TAG.sub("", said, count=1).strip() if _TAG.match(said) else said


def tag_in_front(text: str) -> str | None:
    """Return the marker in front of what an entry says, which `bare` leaves out."""
    found = _TAG.match(_undated(text))
    return None if found is None else found[1]


def _undated(text: str) -> str:
    said = text.strip()
    return _DATED.sub("", said, count=1).strip() if _DATED.match(said) else said


def is_kept_by_us(path: str) -> bool:
    """Whether a file is an archive or a backup: what is forgotten goes there."""
    return path.startswith(_KEPT_BY_US)


def has_entries(path: str) -> bool:
    """Whether entries of a file of the pool can be named: no archive, nothing made of others."""
    return not is_kept_by_us(path) and path.casefold() not in _GENERATED


def is_daily(path: str) -> bool:
    """Whether a file is a daily log or a session summary."""
    return _DAILY.fullmatch(path) is not None


def is_note(id_: str) -> bool:
    """Whether an id is that of an entry of a daily log or a session summary."""
    return id_.startswith("d-")


def is_curated(path: str) -> bool:
    """Whether people keep a file in order: no log of a day, no observations, nothing of ours."""
    return has_entries(path) and _prefix(path) == "m"


def may_hold(path: str, wanted: Iterable[str]) -> bool:
    """Whether a file may hold one of some ids, as far as their first letter tells."""
    letter = _prefix(path)
    return any(len(one) < 2 or one[1] != "-" or one[0] == letter for one in wanted)


def is_id(text: str) -> bool:
    """Whether a text is an id, or the beginning of one, with or without its letter."""
    return _ASKED.fullmatch(text) is not None


def line_of(text: str) -> tuple[str, int] | None:
    """Return the file and the line that `PATH:LINE` names; None for what is no such place."""
    match = _PLACE.fullmatch(text.strip())
    return None if match is None else (match["path"], int(match["line"]))


def matching(entries: Iterable[MemoryEntry], wanted: str) -> tuple[MemoryEntry, ...]:
    """Return the entries whose id begins with a text; those with exactly that id before all."""
    known = tuple(entries)
    exact = tuple(one for one in known if one.id == wanted)
    if exact:
        return exact
    hex_only = "-" not in wanted
    return tuple(one for one in known if (one.id[2:] if hex_only else one.id).startswith(wanted))


def _prefix(path: str) -> str:
    if path == OBSERVATIONS:
        return "o"
    return "d" if is_daily(path) else "m"


def _entry(path: str, start: int, end: int, said: str, day: str | None) -> MemoryEntry:
    dated = _DATED.match(said)
    return MemoryEntry(
        id=entry_id(path, said),
        path=path,
        line=start + 1,
        end_line=end,
        text=said,
        tags=_tags(said),
        date=day if dated is None else dated[1],
    )


def _said(lines: Sequence[str]) -> str:
    """Return the words of a block: no bullet, no common indent, no `Note` heading above them."""
    has_heading = lines[0].startswith("## ")
    first_line = next(
        n for n, one in enumerate(lines) if one.strip() and not (has_heading and n == 0)
    )
    body = lines[first_line:]
    bullet = _BULLET.match(body[0])
    first = body[0][bullet.end() if bullet else 0 :].strip()
    width = min((_indent(one) for one in body[1:] if one.strip()), default=0)
    return "\n".join((first, *(one[width:].rstrip() for one in body[1:]))).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_TAG.findall(text)))


def _observed(path: str, text: str) -> dict[int, MemoryEntry]:
    """Return the observations of a file by their line, from 0; children belong to the one above."""
    lines = parse(text).lines
    found: dict[int, MemoryEntry] = {}
    own: dict[int, str] = {}
    for number, line in enumerate(lines):
        said = line.observation
        if said is None or not said.text:
            continue
        end = number + 1
        while not said.is_child and end < len(lines) and _is_child(lines[end].observation):
            end += 1
        day = None if said.day is None else said.day.isoformat()
        found[number] = replace(_entry(path, number, end, said.text, day), date=day)
        if said.id is not None and _OWN_ID.fullmatch(said.id):
            own[number] = said.id
    counts = Counter(own.values())
    for number, name in own.items():
        if counts[name] == 1:
            found[number] = replace(found[number], id=name)
    return found


def _is_child(said: object) -> bool:
    return bool(getattr(said, "is_child", False))


def is_old_note(path: str, today: date, older_than: timedelta) -> bool:
    """Whether a file is a daily note of a day that lies further back; no day is never old."""
    if not is_daily(path):
        return False
    try:
        day = date.fromisoformat(path.removeprefix("memory/")[:10])
    except ValueError:
        return False
    return today - day > older_than


def is_empty_note(text: str) -> bool:
    """Whether a note holds nothing, or one heading and nothing else."""
    lines = [line for line in text.splitlines() if line.strip()]
    return not lines or (len(lines) == 1 and is_heading(lines[0]))
