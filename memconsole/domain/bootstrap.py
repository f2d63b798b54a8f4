"""What a starting session is given of its memory: pure decisions and texts.

An index it can trust, what was going on, what was observed, and the rule to search for the rest.
Groups and jobs are given nothing: private memory is not theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import stamp
from memconsole.domain.memory.files import EMOJI, MARKER_TAGS
from memconsole.domain.sessions.keys import SessionClass
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in_bytes
from memconsole.text.figures import size_words
from memconsole.text.graphemes import boundary_before

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from memconsole.domain.calendar import Zone
    from memconsole.domain.settings.sections import BootstrapSettings

INDEX_NAME: Final = "MEMORY_INDEX.md"
ACTIVE_NAME: Final = "ACTIVE_CONTEXT.md"
OBSERVATIONS_NAME: Final = "observations.md"

BEGIN: Final = "<!-- memconsole:begin bootstrap -->"
END: Final = "<!-- memconsole:end bootstrap -->"
"""What we inject is never captured again: `domain/transcripts/messages.py` takes it out."""

_LEAST_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Given:
    """One file that a session is given.

    Attributes:
        name: As the session sees it.
        path: Where it is, absolute.
        whole_chars: Characters before it was cut; None where nothing was.
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


def fitted(files: tuple[Given, ...], rules: BootstrapSettings) -> Bootstrap:
    """Cut each file, and all of them together, to what a session may be given.

    Args:
        files: Whole, in order of importance.
        rules: The limits.
    """
    kept: list[Given] = []
    left_out: list[str] = []
    room = rules.total_chars
    for one in files:
        most = min(rules.max_chars, room)
        content = _cut(one, most)
        if not content:
            left_out.append(f"{one.name}: no room is left")
            continue
        if len(content) < len(one.content):
            left_out.append(f"{one.name}: {len(one.content)} characters, cut to {len(content)}")
        room -= len(content)
        whole = len(one.content) if len(content) < len(one.content) else None
        kept.append(Given(one.name, one.path, content, whole))
    return Bootstrap(SessionClass.OTHER, tuple(kept), tuple(left_out))


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
