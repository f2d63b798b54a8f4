"""Explains the token count of a session: what it is made of, in parts that add up to it.

The platform notes with a session what its last request began with: prompt, tools, skills and the
memory files that were loaded. Where it did not, the files are taken as they stand now. Everything
but the count is estimated from characters, so the last part is the rest and may be below nought:
then the platform has dropped or folded more than can be seen.
"""

from __future__ import annotations

import shlex
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from memconsole.domain.memory.files import Limit

_CHARS_A_TOKEN = 4

_EARLY, _LATE = 50.0, 70.0
"""Percent of the window between which compacting loses least: what it folds is whole still."""

_LEAST = 1_000
"""Tokens below which nothing is gained."""

_SHARE_OF_TOOLS, _SHARE_OF_FILES, _SHARE_OF_RESULTS = 0.1, 0.1, 0.3
"""From these shares of a count on, a part is worth a word."""


class PartKind(StrEnum):
    """What a part of a count is."""

    SYSTEM_PROMPT = "system-prompt"
    TOOLS = "tools"
    SKILLS = "skills"
    BOOTSTRAP = "bootstrap"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL_RESULTS = "tool-results"
    THINKING = "thinking"
    REST = "not-in-the-transcript"


@dataclass(frozen=True, slots=True)
class TokensByClass:
    """Estimated tokens (characters / 4) by who wrote them."""

    user: int = 0
    assistant: int = 0
    tool_result: int = 0
    thinking: int = 0


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A memory file that stands at the beginning of every request.

    Attributes:
        raw_chars: Characters of the file; None when they were not noted.
        chars: Characters of it that were loaded.
    """

    name: str
    raw_chars: int | None
    chars: int

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning was loaded."""
        return self.raw_chars is not None and self.raw_chars > self.chars


@dataclass(frozen=True, slots=True)
class PromptReport:
    """What the platform noted about the beginning of a session's last request.

    Attributes:
        prompt_chars: The system prompt without files, skills and the list of tools; with what the
            platform wrote around the files.
        at: When it was noted; None when that is not known.
    """

    prompt_chars: int
    skills_chars: int
    tools_chars: int
    files: tuple[LoadedFile, ...]
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a session's count is made of.

    Attributes:
        tokens: Estimated as characters / 4; of the rest, what is left.
        source: `platform`, `memory`, `transcript` or `rest`.
        file: Which memory file it is; empty for the other kinds.
        note: What a reader must know of it, such as that a file was cut.
        loaded: The memory file that it is; None for the other kinds.
    """

    kind: PartKind
    tokens: int
    source: str
    note: str = ""
    loaded: LoadedFile | None = None

    @property
    def name(self) -> str:
        """What it is called where people read it."""
        return self.loaded.name if self.loaded else self.kind.value.replace("-", " ")


@dataclass(frozen=True, slots=True)
class Advice:
    """What would make a session smaller.

    Attributes:
        text: One sentence without a full stop.
        command: That does it or shows it; empty where the release has none.
    """

    text: str
    command: str = ""


def files_of(limits: Iterable[Limit]) -> tuple[LoadedFile, ...]:
    """Return the memory files that the platform loads, as they stand now."""
    return tuple(LoadedFile(one.path, one.chars, min(one.chars, one.limit)) for one in limits)


def composition(
    count: int | None,
    messages: TokensByClass,
    report: PromptReport | None,
    files: tuple[LoadedFile, ...] = (),
) -> tuple[Part, ...]:
    """Return the parts of a session's count.

    Args:
        count: The number that is shown; None when it is not known: then there is no rest. Nought,
            of a session that never ran, has no parts.
        messages: Estimates by who wrote them.
        report: What the platform noted; None when it did not.
        files: The memory files as they stand now, for want of a report.
    """
    if count == 0:
        return ()
    parts = [*_beginning(report, files), *_messages(messages)]
    if count is not None:
        left = count - sum(part.tokens for part in parts)
        parts.append(Part(PartKind.REST, left, "rest", _why_left(left, report)))
    return tuple(part for part in parts if part.tokens)


def _why_left(left: int, report: PromptReport | None) -> str:
    if left < 0:
        return "more is named than counted: some was dropped or folded since"
    if report is None:
        return "system prompt, tools and what was folded"
    return "what was folded, and what estimates miss"


def _beginning(report: PromptReport | None, files: tuple[LoadedFile, ...]) -> Iterator[Part]:
    source = "memory" if report is None else "platform"
    if report is not None:
        yield Part(PartKind.SYSTEM_PROMPT, _tokens(report.prompt_chars), source)
        yield Part(PartKind.TOOLS, _tokens(report.tools_chars), source)
        yield Part(PartKind.SKILLS, _tokens(report.skills_chars), source)
        files = report.files
    for one in files:
        note = (
            f"cut: {short_kilo(one.chars)} of {short_kilo(one.raw_chars)} characters"
            if one.is_cut
            else ""
        )
        yield Part(PartKind.BOOTSTRAP, _tokens(one.chars), source, note, one)


def _messages(messages: TokensByClass) -> Iterator[Part]:
    for kind, tokens in (
        (PartKind.USER, messages.user),
        (PartKind.ASSISTANT, messages.assistant),
        (PartKind.TOOL_RESULTS, messages.tool_result),
        (PartKind.THINKING, messages.thinking),
    ):
        yield Part(kind, tokens, "transcript")


def _tokens(chars: int) -> int:
    return round(chars / _CHARS_A_TOKEN)


def advice(
    parts: Iterable[Part],
    key: str,
    *,
    agent_id: str,
    window_percent: float | None,
    is_compacted: bool,
    has_servers: bool,
) -> tuple[Advice, ...]:
    """Return what would make a session smaller, the greatest gain first.

    Args:
        parts: What its count is made of.
        key: Its key, for commands.
        agent_id: Whose memory files they are.
        window_percent: Share of its window that is used; None when nobody knows.
        is_compacted: The platform may compact it.
        has_servers: The release has `openclaw mcp`.
    """
    sizes: dict[PartKind, int] = {}
    largest = ""
    for part in sorted(parts, key=lambda one: one.tokens):
        largest = part.loaded.name if part.loaded else largest
        sizes[part.kind] = sizes.get(part.kind, 0) + max(part.tokens, 0)
    total = sum(sizes.values()) or 1
    names = {
        "key": shlex.quote(key),
        "agent": shlex.quote(agent_id),
        "largest": shlex.quote(largest),
        "servers": "openclaw mcp configure NAME --disable" if has_servers else "",
    }
    where = ", which `openclaw mcp list` names" if has_servers else ""
    found = []
    for kind, least, text, command in _ADVICE:
        if (size := sizes.get(kind, 0)) >= max(least * total, _LEAST):
            said = text.format(short_kilo(size), name=largest, where=where)
            found.append((size, Advice(said, command.format(**names))))
    if is_compacted and window_percent is not None and window_percent >= _EARLY:
        state = "now" if window_percent <= _LATE else "at once"
        text = f"it is at {window_percent:.0f} % of its window: compact {state}, best at 50 to 70 %"
        found.append((total, Advice(text, f"memconsole compact {shlex.quote(key)} --dry-run")))
    return tuple(one for _, one in sorted(found, key=lambda pair: -pair[0]))


_ADVICE = (
    (
        PartKind.TOOLS,
        _SHARE_OF_TOOLS,
        "tools take {} of every request: switch off the tool servers that nobody uses{where}",
        "{servers}",
    ),
    (
        PartKind.BOOTSTRAP,
        _SHARE_OF_FILES,
        "memory files take {} of every request, {name} most: what is old belongs below memory/",
        "memconsole memory edit {largest} --agent {agent}",
    ),
    (
        PartKind.TOOL_RESULTS,
        _SHARE_OF_RESULTS,
        "tool results take {}: pruning leaves the old ones out of requests",
        "memconsole prune-preview {key}",
    ),
)
