"""What a checkpoint says: ACTIVE_CONTEXT.md and the entry of the daily log (mission §6).

Everything quoted passes in this order: clean, mask, one line, cut, escape. So no secret is cut in
two, and no word of a conversation becomes structure (A10, A11).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconsole.domain.days import clock, local_day, stamp
from memconsole.domain.markdown import quote_line
from memconsole.domain.messages import captured_text
from memconsole.domain.plain import cut, one_line
from memconsole.domain.redaction import mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.days import Zone
    from memconsole.domain.transcript import Message

ACTIVE_CONTEXT = "memory/ACTIVE_CONTEXT.md"
"""Where the newest work of an agent is kept, relative to its workspace."""

_SHOWN = 5
_REQUEST_CHARS = 300
_WORK_CHARS = 400
_ENTRY_CHARS = 200
_OPEN_ITEMS = 10
_OPEN_CHARS = 200
_FILES = 20
_PATH_CHARS = 200
_UNTICKED = re.compile(r"^\s*[-*+]\s+\[ \]\s+(\S.*)$")
_TODO = re.compile(r"\[TODO\]")
_PATH = re.compile(r"(?<![\w/.~@:-])(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*\w\.\w{1,10}(?![\w/])")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Work:
    """What is known of the session whose work is saved.

    Attributes:
        session_key: None for a transcript that no entry names.
        tokens: Context in use; None when unknown.
        compactions: None when unknown.
        messages: Eligible messages, oldest first.
        at: Now, aware UTC; names the day and the clock times.
        zone: The user's zone.
    """

    agent_id: str
    session_id: str
    session_key: str | None
    tokens: int | None
    compactions: int | None
    messages: tuple[Message, ...]
    at: datetime
    zone: Zone

    @property
    def day_file(self) -> str:
        """The daily log of the user's calendar day (A23)."""
        return f"memory/{local_day(self.at, self.zone).isoformat()}.md"

    @property
    def day_header(self) -> str:
        """The beginning of a new daily log."""
        return f"# {_name(self.agent_id)} — {local_day(self.at, self.zone).isoformat()}\n\n"


def content_hash(messages: Iterable[Message]) -> str:
    """Return a hash of what the messages say; equal hashes mean nothing new was said."""
    digest = hashlib.sha256()
    for message in messages:
        said = (message.role or "", message.text, *message.attachments)
        digest.update("\0".join(said).encode("utf-8", "surrogatepass") + b"\1")
    return digest.hexdigest()


def secrets_in(messages: Iterable[Message]) -> int:
    """Return how many of the messages hold something that is masked."""
    return sum(mask(message.text) != message.text for message in messages)


def active_context(work: Work) -> str:
    """Return ACTIVE_CONTEXT.md of one agent alone; sections with no items are left out."""
    sections = (
        ("Recent Requests", _said(work, "user", _REQUEST_CHARS)),
        ("Recent Work", _said(work, "assistant", _WORK_CHARS)),
        ("Open Items", [f"- [ ] {item}" for item in _open_items(work.messages)]),
        ("Files Referenced", [f"- `{path}`" for path in files_referenced(work.messages)]),
    )
    lines = [
        f"# Active Context — {_name(work.agent_id)}",
        f"> Updated: {stamp(work.at, work.zone)} by memconsole checkpoint",
        f"> Session: {_session(work)}",
        f"> Messages: {_counts(work)} | Tokens: {_known(work.tokens)} "
        f"| Compactions: {_known(work.compactions)}",
    ]
    for title, items in sections:
        if items:
            lines += ["", f"## {title}", *items]
    return "\n".join(lines) + "\n"


def shared_context(blocks: Mapping[str, str]) -> str:
    """Return ACTIVE_CONTEXT.md of a workspace that several agents share (A7).

    Args:
        blocks: Each agent's text as `active_context` made it, by agent id.
    """
    lines = ["# Active Context"]
    for agent_id in sorted(blocks):
        own = blocks[agent_id].splitlines()
        lines += ["", f"## Agent {_name(agent_id)}"]
        # Only our own headings begin a line with `## `: quoted text cannot (A10).
        lines += [f"#{line}" if line.startswith("## ") else line for line in own[1:]]
    return "\n".join(lines) + "\n"


def daily_entry(work: Work) -> str:
    """Return the entry of the daily log."""
    lines = [
        f"### Checkpoint {clock(work.at, work.zone)} (auto)",
        "",
        f"- Session: `{_code(work.session_id[:8])}` ({_name(work.agent_id)}) — "
        f"{len(work.messages)} messages ({_by_role(work)})",
    ]
    for title, role in (("request", "user"), ("output", "assistant")):
        spoken = [message for message in work.messages if message.role == role]
        if spoken:
            lines.append(f"- Last {title}: {_quote(spoken[-1], _ENTRY_CHARS)}")
    return "\n".join(lines) + "\n\n"


def files_referenced(messages: Iterable[Message]) -> list[str]:
    """Return path-like words in order of appearance: at most 20, no URL, no `node_modules`."""
    found: dict[str, None] = {}
    for message in messages:
        # Masked first: a token with slashes in it must not come back as a path.
        text = _URL.sub(" ", mask(message.text))
        for match in _PATH.finditer(text):
            path = match.group()
            if 5 < len(path) <= _PATH_CHARS and "node_modules" not in path.split("/"):
                found.setdefault(path)
    return list(found)[:_FILES]


def _said(work: Work, role: str, chars: int) -> list[str]:
    spoken = [message for message in work.messages if message.role == role][-_SHOWN:]
    return [
        f"- **[{clock(message.at, work.zone)}]** {_quote(message, chars)}" for message in spoken
    ]


def _quote(message: Message, chars: int) -> str:
    return quote_line(captured_text(message, mask, chars))


def _open_items(messages: Sequence[Message]) -> list[str]:
    """Return unticked boxes and TODO lines of the messages, each once, the newest ten."""
    found: dict[str, None] = {}
    for message in messages:
        for item in _open_lines(mask(message.text)):
            text = quote_line(cut(one_line(item), _OPEN_CHARS))
            if text:
                found.pop(text, None)
                found[text] = None
    return list(found)[-_OPEN_ITEMS:]


def _open_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if unticked := _UNTICKED.match(line):
            yield unticked.group(1)
        elif _TODO.search(line):
            yield _TODO.sub("", line, count=1).lstrip(" -*+:\t")


def _session(work: Work) -> str:
    key = "no key" if work.session_key is None else quote_line(one_line(work.session_key))
    return f"{quote_line(one_line(work.session_id))} ({key})"


def _counts(work: Work) -> str:
    return f"{len(work.messages)} ({_by_role(work)})"


def _by_role(work: Work) -> str:
    users = sum(message.role == "user" for message in work.messages)
    return f"{users} user, {len(work.messages) - users} assistant"


def _known(number: int | None) -> str:
    return "?" if number is None else str(number)


def _name(agent_id: str) -> str:
    """An agent's id comes from a folder's name: foreign text as well."""
    return quote_line(one_line(agent_id))


def _code(text: str) -> str:
    return one_line(text).replace("`", "")
