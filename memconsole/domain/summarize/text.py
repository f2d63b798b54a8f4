"""Renders the summary of one session, with the files that it touched, in its exact shape."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.calendar import clock, local_day, local_time
from memconsole.domain.memory.files import EMOJI
from memconsole.domain.transcripts.excerpts import MAX_FILES, files
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural
from memconsole.text.graphemes import cut
from memconsole.text.markdown import quote_line
from memconsole.text.plain import one_line
from memconsole.text.sentences import is_courtesy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.calendar import Zone
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.summarize.markers import Tagged
    from memconsole.domain.transcripts.excerpts import Spoken
    from memconsole.domain.transcripts.records import ToolUse


_REQUEST_CHARS = 200
_NAME_CHARS = 200


class SummaryReason(StrEnum):
    """Why a session is summarised; the word that its summary carries."""

    NEW = "new"
    RESET = "reset"
    DAILY = "daily"
    IDLE = "idle"
    ROTATION = "rotation"
    RECOVERY = "recovery"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class SummaryRecord:
    """One session summary that was written.

    Attributes:
        until: Time of the last message it covers: a reset in place keeps the session id, and what
            is said behind it is another session.
        path: Relative to the workspace.
    """

    agent: AgentRef
    session_id: str
    session_key: str | None
    at: datetime
    until: datetime
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session as its summary tells it; texts are masked, cut and not yet quoted.

    Attributes:
        session_key: None for a transcript whose key is unknown.
        source: Channel that it came over; None when unknown.
        title: What the file is named by, hyphens as blanks; None when only its time names it.
        ended_at: Last message, or the time of writing when no message has a time.
        started_at: First message that was read; None when no message has a time.
        is_whole: The session's beginning was read; else it had more messages than these.
        tokens: The session's count; None when unknown.
        said: What both said, oldest first.
        notes: How it came about, for the outcome.
    """

    agent_id: str
    session_id: str
    session_key: str | None
    source: str | None
    title: str | None
    reason: SummaryReason
    started_at: datetime | None
    ended_at: datetime
    zone: Zone
    is_whole: bool
    tokens: int | None
    said: tuple[Spoken, ...]
    completed: tuple[str, ...] = ()
    observations: tuple[Tagged, ...] = ()
    files: tuple[FileTouched, ...] = ()
    next_steps: tuple[str, ...] = ()
    notes: Mapping[str, Detail] = field(default_factory=dict)


def file_name(summary: SessionSummary) -> str:
    """Return the file of a summary, relative to the workspace."""
    name = (summary.title or "").replace(" ", "-") or f"{_local(summary):%H%M}"
    return f"memory/{local_day(summary.ended_at, summary.zone)}-{name}.md"


def render_summary(summary: SessionSummary) -> str:
    """Return the summary as Markdown; sections without anything are left out."""
    title = summary.title or f"{_local(summary):%H%M}"
    lines = [
        f"# Session: {_local(summary):%Y-%m-%d %H:%M %Z} — {quote_line(title)}",
        "",
        f"- **Session Key**: {_name(summary.session_key)}",
        f"- **Session ID**: {_name(summary.session_id)}",
        f"- **Agent**: {_name(summary.agent_id)}",
        f"- **Source**: {_name(summary.source)}",
        f"- **Span**: {_span(summary)}",
        f"- **Reason**: {summary.reason.value}",
    ]
    for heading, items in _sections(summary):
        if items:
            lines += ["", f"## {heading}", *items]
    return "\n".join(lines) + "\n"


def divided(summary: str) -> str:
    """Return a summary as it is added behind another one in the same file."""
    return f"\n---\n\n{summary}"


def requests(said: Sequence[Spoken]) -> tuple[str, ...]:
    """Return the first and the last thing the user asked for, courtesy left out."""
    asked = [one.text for one in said if one.role == "user"]
    telling = [text for text in asked if not is_courtesy(text)] or asked
    first_and_last = dict.fromkeys([*telling[:1], *telling[-1:]])
    return tuple(cut(text, _REQUEST_CHARS) for text in first_and_last)


def _sections(summary: SessionSummary) -> list[tuple[str, list[str]]]:
    return [
        ("Request", [f"- {quote_line(text)}" for text in requests(summary.said)]),
        ("Completed", [f"- [x] {quote_line(text)}" for text in summary.completed]),
        ("Observations", [_marked(one.tag, one.text) for one in summary.observations]),
        ("Files Touched", [_file(one) for one in summary.files]),
        ("Next Steps", [_marked("TODO", text) for text in summary.next_steps]),
        ("Conversation", _conversation(summary.said)),
    ]


def _marked(tag: str, text: str) -> str:
    return f"{EMOJI[tag]} [{tag}] {quote_line(text)}"


def _conversation(said: Sequence[Spoken]) -> list[str]:
    lines = [f"{one.role}: {quote_line(one.text)}" for one in said]
    return "\n\n".join(lines).split("\n")


def _file(one: FileTouched) -> str:
    path = one.path.replace("`", "")
    return f"- `{path}`" if one.done is None else f"- `{path}` ({one.done})"


def _span(summary: SessionSummary) -> str:
    number = plural(len(summary.said), "message")
    if not summary.is_whole:
        number = f"the last {number}"
    tokens = "? tokens" if summary.tokens is None else f"{summary.tokens} tokens"
    start = clock(summary.started_at, summary.zone)
    return f"{start}–{clock(summary.ended_at, summary.zone)}, {number}, {tokens}"


def _local(summary: SessionSummary) -> datetime:
    return local_time(summary.ended_at, summary.zone)


def _name(text: str | None) -> str:
    return "?" if text is None else (quote_line(cut(text, _NAME_CHARS)) or "?")


_PATH_CHARS = 200

_DELETES = ("delete", "remove", "unlink")
_CREATES = ("create", "write")
_CHANGES = ("edit", "patch", "replace", "update", "insert", "append")


def files_touched(tools: Iterable[ToolUse], texts: Iterable[str]) -> tuple[FileTouched, ...]:
    """Return the files that tools wrote, edited or deleted; without any, those that were named.

    A file written after it was touched before is modified, one written first was created: nobody
    but the platform knows whether it was there before.

    Args:
        tools: Calls, oldest first.
        texts: What was said, oldest first.
    """
    done: dict[str, str | None] = {}
    seen: set[str] = set()
    for tool in tools:
        if tool.path is None or not (path := cut(one_line(tool.path), _PATH_CHARS)):
            continue
        verb = _verb(tool.name)
        if verb == "created" and path in seen:
            verb = "modified"
        seen.add(path)
        if verb == "modified" and done.get(path) == "created":
            continue
        if verb is not None:
            done[path] = verb
    found = done or dict.fromkeys(files(texts))
    return tuple(FileTouched(path, verb) for path, verb in found.items())[-MAX_FILES:]


def _verb(tool: str) -> str | None:
    name = tool.casefold()
    for words, verb in ((_DELETES, "deleted"), (_CHANGES, "modified"), (_CREATES, "created")):
        if any(word in name for word in words):
            return verb
    return None


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file that the session was about.

    Attributes:
        done: `created`, `modified` or `deleted`; None when it was only named.
    """

    path: str
    done: str | None = None
