"""Explains the token count of a session: what it is made of, in parts that add up to it.

The platform notes with a session what its last request began with: prompt, tools, skills and the
memory files that were loaded. Where it did not, the files are taken as they stand now. Everything
but the count is estimated from characters, so the last part is the rest and may be below nought:
then the platform has dropped or folded more than can be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from memconsole.domain.memory.files import Limit

_CHARS_A_TOKEN = 4

REST = "not in the transcript"


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
        prompt_chars: The system prompt without files, skills and the list of tools.
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
        note: What a reader must know of it, such as that a file was cut.
    """

    name: str
    tokens: int
    source: str
    note: str = ""


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
        count: The number that is shown; None when it is not known: then there is no rest.
        messages: Estimates by who wrote them.
        report: What the platform noted; None when it did not.
        files: The memory files as they stand now, for want of a report.
    """
    parts = [*_beginning(report, files), *_messages(messages)]
    if count is not None:
        named = sum(part.tokens for part in parts)
        note = "system prompt, tools and what was folded" if report is None else ""
        parts.append(Part(REST, count - named, "rest", note))
    return tuple(part for part in parts if part.tokens)


def _beginning(report: PromptReport | None, files: tuple[LoadedFile, ...]) -> Iterator[Part]:
    source = "memory" if report is None else "platform"
    if report is not None:
        yield Part("system prompt", _tokens(report.prompt_chars), source)
        yield Part("tools", _tokens(report.tools_chars), source)
        yield Part("skills", _tokens(report.skills_chars), source)
        files = report.files
    for one in files:
        note = (
            f"cut: {short_kilo(one.chars)} of {short_kilo(one.raw_chars)} characters"
            if one.is_cut
            else ""
        )
        yield Part(one.name, _tokens(one.chars), source, note)


def _messages(messages: TokensByClass) -> Iterator[Part]:
    for name, tokens in (
        ("user", messages.user),
        ("assistant", messages.assistant),
        ("tool results", messages.tool_result),
        ("thinking", messages.thinking),
    ):
        yield Part(name, tokens, "transcript")


def _tokens(chars: int) -> int:
    return round(chars / _CHARS_A_TOKEN)
