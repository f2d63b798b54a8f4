"""A notice as a message: the JSON that machines take, and the words that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.alerts.rules import NoticeKind
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from memconsole.domain.alerts.rules import Issue, Notice
    from memconsole.domain.commands.outcomes import Detail

SCHEMA = 1
_MOST_CHARS = 1000


def payload(notice: Notice, *, host: str, home: str, redact: bool) -> dict[str, Detail]:
    """Return a message; every text in it is one safe line, its secrets masked before it is cut.

    Args:
        notice: What to say.
        host: Name of this computer.
        home: The platform home it is about.
        redact: Mask secrets; they are unless the configuration says otherwise.
    """

    def safe(text: str) -> str:
        line = one_line(text.encode("utf-8", "replace").decode("utf-8"))
        return let_out(line, redacts=redact)[:_MOST_CHARS]

    issues: list[Detail] = [_row(one, safe(one.message), safe(one.hint)) for one in notice.issues]
    lines = [_line(one, safe(one.message), safe(one.hint)) for one in notice.issues]
    return {
        "schema": SCHEMA,
        "kind": notice.kind.value,
        "at": notice.at.isoformat(timespec="seconds"),
        "host": safe(host),
        "home": safe(home),
        "severity": max((one.status for one in notice.issues), key=lambda one: one.rank).value
        if notice.issues
        else "ok",
        "title": safe(_title(notice, host)),
        "text": "\n".join(lines) or "This is a test of memconsole's alerts.",
        "issues": issues,
    }


def _title(notice: Notice, host: str) -> str:
    names = ", ".join(one.id for one in notice.issues)
    match notice.kind:
        case NoticeKind.TEST:
            return f"memconsole on {host}: test"
        case NoticeKind.RECOVERY:
            return f"memconsole on {host}: well again: {names}"
        case _:
            worst = max(notice.issues, key=lambda one: one.status.rank).status
            return f"memconsole on {host}: {worst.value}: {names}"


def _row(one: Issue, message: str, hint: str) -> dict[str, Detail]:
    return {
        "id": one.id,
        "status": one.status.value,
        "message": message,
        "hint": hint or None,
        "since": None if one.since is None else one.since.isoformat(timespec="seconds"),
    }


def _line(one: Issue, message: str, hint: str) -> str:
    words = f"{one.status.value.upper()} {one.id}: {message}".rstrip(": ")
    return f"{words}. {hint}" if hint else words
