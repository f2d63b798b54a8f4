"""What a starting session is given of its memory: pure decisions and texts.

An index it can trust, what was going on, what was observed, and the rule to search for the rest.
Groups and jobs are given nothing: private memory is not theirs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.bootstrap_lines import chosen
from memconsole.domain.calendar import stamp
from memconsole.domain.memory.files import EMOJI, MARKER_TAGS
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.sessions.keys import SessionClass
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in_bytes
from memconsole.text.figures import plural, size_words
from memconsole.text.graphemes import boundary_before

if TYPE_CHECKING:
    from datetime import date, datetime, timedelta

    from memconsole.domain.calendar import Zone
    from memconsole.domain.memory.observations import ObservationLog
    from memconsole.domain.settings.sections import BootstrapSettings

INDEX_NAME: Final = "MEMORY_INDEX.md"
ACTIVE_NAME: Final = "ACTIVE_CONTEXT.md"
OBSERVATIONS_NAME: Final = "observations.md"

BEGIN: Final = "<!-- memconsole:begin bootstrap -->"
END: Final = "<!-- memconsole:end bootstrap -->"
"""What we inject is never captured again: `domain/transcripts/messages.py` takes it out."""

BY_VALUE: Final = "chosen by value"
"""Stands in the reason of a file that was not cut at its end."""

_LEAST_CHARS: Final = 200
_NO_ROOM: Final = "no room is left"


@dataclass(frozen=True, slots=True)
class Given:
    """One file that a session is given.

    Attributes:
        name: As the session sees it.
        path: Where it is, absolute.
        whole_chars: Characters before it was cut, comments of observations not counted; None where
            nothing was.
    """

    name: str
    path: str
    content: str
    whole_chars: int | None = None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Everything that one session is given.

    Attributes:
        left_out: What it is not given, each with its reason.
    """

    session_class: SessionClass
    files: tuple[Given, ...]
    left_out: tuple[str, ...]

    @property
    def chars(self) -> int:
        """Characters of all files."""
        return sum(len(one.content) for one in self.files)


def wanted(
    session_class: SessionClass, *, is_large: bool, rules: BootstrapSettings
) -> tuple[str, ...]:
    """Return the names of the files that a session of this class is given, in order."""
    if session_class.is_captured:
        index = (INDEX_NAME,) if is_large else ()
        return (*index, ACTIVE_NAME, OBSERVATIONS_NAME)
    is_group = session_class in (SessionClass.GROUP, SessionClass.THREAD)
    return (INDEX_NAME,) if is_group and rules.groups and is_large else ()


def instruction(size_bytes: int, files: int) -> str:
    """Return what stands above the index: how large the memory is, and how to use it."""
    markers = ", ".join(f"{EMOJI[tag]} [{tag}]" for tag in MARKER_TAGS)
    return "\n".join(
        [
            f"Your memory has {files} files, {size_words(size_bytes)}, about "
            f"{tokens_in_bytes(size_bytes)} tokens. Do not load all of it.",
            "Before you answer about earlier work, decisions, dates, people, preferences or todos, "
            "search it (memory_search), then read the lines around a hit (memory_get).",
            f"Markers: {markers}.",
            "",
        ]
    )


def stale_line(modified_at: datetime | None, now: datetime, zone: Zone, limit: timedelta) -> str:
    """Return the line above an old ACTIVE_CONTEXT.md; empty for a fresh one."""
    if modified_at is None or now - modified_at <= limit:
        return ""
    hours = int((now - modified_at).total_seconds() // 3600)
    return (
        f"> This is {hours} hours old (written {stamp(modified_at, zone)}): check before you rely "
        "on it.\n\n"
    )


def wrapped(text: str) -> str:
    """Return a text between the marks by which it is known to be ours."""
    return f"{BEGIN}\n{text.strip()}\n{END}\n"


def fitted(files: tuple[Given, ...], rules: BootstrapSettings, today: date) -> Bootstrap:
    """Cut each file, and all of them together, to what a session may be given.

    Observations are chosen by their value; every other file is cut at its end.

    Args:
        files: Whole and wrapped, in order of importance.
        rules: The limits.
        today: The user's day.
    """
    kept: list[Given] = []
    left_out: list[str] = []
    room = rules.total_chars
    for one in files:
        fit, lost = _fit(one, min(rules.max_chars, room), today)
        if lost:
            left_out.append(f"{one.name}: {lost}")
        if fit is not None:
            room -= len(fit.content)
            kept.append(fit)
    return Bootstrap(SessionClass.OTHER, tuple(kept), tuple(left_out))


def _fit(one: Given, most: int, today: date) -> tuple[Given | None, str]:
    """Return what is given of a file, and what is said of the rest of it."""
    if one.path.endswith(OBSERVATIONS):
        log = parse(one.content.removeprefix(f"{BEGIN}\n").removesuffix(f"{END}\n"))
        if log.observations:
            return _chosen(one, log, most, today)
    content = _cut(one, most)
    if not content:
        return None, _NO_ROOM
    if len(content) == len(one.content):
        return replace(one, content=content), ""
    whole = len(one.content)
    said = f"{whole} characters, cut to {len(content)}"
    return replace(one, content=content, whole_chars=whole), said


def _chosen(one: Given, log: ObservationLog, most: int, today: date) -> tuple[Given | None, str]:
    frame = len(wrapped(""))
    if most - frame < _LEAST_CHARS:
        return None, _NO_ROOM
    found = chosen(log, most - frame, today)
    content = wrapped(found.text)
    if found.is_whole:
        return replace(one, content=content), ""
    prose = f", {plural(found.prose, 'other line')} left out" if found.prose else ""
    said = (
        f"{found.observations} of {found.of} observations, {BY_VALUE}{prose}; the rest "
        f"stands in {OBSERVATIONS}"
    )
    return replace(one, content=content, whole_chars=found.whole_chars + frame), said


def _cut(one: Given, most: int) -> str:
    if len(one.content) <= most:
        return one.content
    note = f"\n\n[truncated, use memory_get {one.path.rpartition('/')[2]} for the rest]\n"
    room = most - len(note) - len(END) - 1
    if room < _LEAST_CHARS:
        return ""
    text = one.content[: boundary_before(one.content, room)]
    line = text.rfind("\n")
    text = text[:line] if line > room // 2 else text
    return f"{text}{note}{END}\n"
