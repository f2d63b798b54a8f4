"""Renders ACTIVE_CONTEXT.md and daily entries, in their exact shapes."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memconsole.domain.calendar import clock, daily_log, local_day, stamp
from memconsole.domain.sessions.tokens import TokenState
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.graphemes import cut
from memconsole.text.markdown import quote_line
from memconsole.text.sentences import is_courtesy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memconsole.domain.calendar import Zone
    from memconsole.domain.sessions.tokens import TokenCount
    from memconsole.domain.transcripts.excerpts import SessionExcerpt, Spoken

ACTIVE_CONTEXT = "memory/ACTIVE_CONTEXT.md"
_SESSION = "> Session: "

_REQUESTS, _REQUEST_CHARS = 5, 300
_WORKS, _WORK_CHARS = 5, 400
_LAST_CHARS = 200
_NAME_CHARS = 200
_UPDATED, _BY_US = "> Updated: ", " by memconsole checkpoint"
_HEADING = r"(?m)^(#{1,5}) "
_ID_LETTERS = r"[^\w-]"


@dataclass(frozen=True, slots=True)
class CurrentWork:
    """One agent's current work, as a checkpoint found it.

    Attributes:
        session_key: None for an orphan.
        tokens: The session's count with its state.
        compactions: None when the store does not say.
        at: The time of writing.
        zone: The user's zone.
    """

    agent_id: str
    session_id: str
    session_key: str | None
    session: SessionExcerpt
    tokens: TokenCount
    compactions: int | None
    at: datetime
    zone: Zone


def day_file(work: CurrentWork) -> str:
    """Return the daily log of the user's calendar day, relative to the workspace."""
    return daily_log(local_day(work.at, work.zone))


def render_context(work: CurrentWork) -> str:
    """Return ACTIVE_CONTEXT.md of one agent alone; a section without items is left out."""
    spoken = work.session.spoken
    sections = (
        ("Recent Requests", _said(work, "user", _REQUESTS, _REQUEST_CHARS)),
        ("Recent Work", _said(work, "assistant", _WORKS, _WORK_CHARS)),
        ("Open Items", [f"- [ ] {quote_line(item)}" for item in work.session.open_items]),
        ("Files Referenced", [f"- `{path}`" for path in work.session.files]),
    )
    lines = [
        f"# Active Context — {_name(work.agent_id)}",
        f"{_UPDATED}{stamp(work.at, work.zone)}{_BY_US}",
        f"{_SESSION}{_session(work)}",
        f"> Messages: {_count(spoken)} | Tokens: {_tokens(work.tokens)}"
        f" | Compactions: {'?' if work.compactions is None else work.compactions}",
    ]
    for title, items in sections:
        if items:
            lines += ["", f"## {title}", *items]
    return "\n".join(lines) + "\n"


def written_at(text: str) -> datetime | None:
    """Return when a checkpoint wrote ACTIVE_CONTEXT.md last; None where none says it did."""
    found: list[datetime] = []
    for line in text.splitlines():
        if line.startswith(_UPDATED) and line.endswith(_BY_US):
            with suppress(ValueError):
                found.append(datetime.fromisoformat(line[len(_UPDATED) : -len(_BY_US)]))
    return max((one for one in found if one.tzinfo is not None), default=None)


def is_of_session(text: str, key: str) -> bool:
    """Whether ACTIVE_CONTEXT.md tells of the session with this key, and of no other."""
    said = [line for line in text.splitlines() if line.startswith(_SESSION)]
    return len(said) == 1 and said[0].endswith(f" ({_name(key)})")


def render_shared(blocks: Iterable[tuple[str, str]]) -> str:
    """Return ACTIVE_CONTEXT.md of a workspace that several agents use.

    Args:
        blocks: (agent id, what `render_context` gave for it), in the order to show.
    """
    parts = ["# Active Context\n"]
    for agent_id, block in blocks:
        body = compiled(_HEADING).sub(r"#\1 ", block.partition("\n")[2])
        parts.append(f"## Agent {_name(agent_id)}\n{body}")
    return "\n".join(parts)


def render_entry(work: CurrentWork) -> str:
    """Return the daily log's entry, with the blank line that ends it."""
    requests = _last(work, "user")
    outputs = _last(work, "assistant")
    short_id = compiled(_ID_LETTERS).sub("?", work.session_id[:8])
    count = _count(work.session.spoken, "messages")
    lines = [
        f"### Checkpoint {clock(work.at, work.zone)} (auto)",
        "",
        f"- Session: `{short_id}` ({_name(work.agent_id)}) — {count}",
        *(f"- Last request: {text}" for text in requests),
        *(f"- Last output: {text}" for text in outputs),
        "",
    ]
    return "\n".join(lines) + "\n"


def render_header(work: CurrentWork) -> str:
    """Return what a new daily log starts with."""
    return f"# {_name(work.agent_id)} — {local_day(work.at, work.zone)}\n\n"


def _said(work: CurrentWork, role: str, most: int, chars: int) -> list[str]:
    chosen = [one for one in work.session.spoken if one.role == role][-most:]
    return [
        f"- **[{clock(one.at, work.zone)}]** {quote_line(cut(one.text, chars))}" for one in chosen
    ]


def _last(work: CurrentWork, role: str) -> list[str]:
    """Return the last words of a role that are more than courtesy, as a list of one or none."""
    said = [one.text for one in work.session.spoken if one.role == role]
    telling = [text for text in said if not is_courtesy(text)]
    return [quote_line(cut(text, _LAST_CHARS)) for text in (telling or said)[-1:]]


def _count(spoken: Sequence[Spoken], word: str = "") -> str:
    users = sum(1 for one in spoken if one.role == "user")
    total = f"{len(spoken)} {word}".rstrip()
    return f"{total} ({users} user, {len(spoken) - users} assistant)"


def _tokens(count: TokenCount) -> str:
    """Return a count that never shows a guess as a number."""
    match count.state:
        case TokenState.FRESH:
            return str(count.reported)
        case TokenState.STALE:
            return f"{count.reported} (stale)"
        case TokenState.ESTIMATED | TokenState.SUSPECT | TokenState.UNKNOWN:
            return "?" if count.estimated is None else f"~{count.estimated} (estimated)"


def _session(work: CurrentWork) -> str:
    session_id = _name(work.session_id)
    return session_id if work.session_key is None else f"{session_id} ({_name(work.session_key)})"


def _name(text: str) -> str:
    return quote_line(cut(text, _NAME_CHARS)) or "?"
