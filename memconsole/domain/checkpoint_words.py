"""Sentences about a checkpoint, for people (mission §6, `cli.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.days import clock
from memconsole.domain.graphemes import cut
from memconsole.domain.outgoing import let_out
from memconsole.domain.plain import one_line
from memconsole.domain.sizes import size_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from memconsole.domain.captures import Capture
    from memconsole.domain.checkpoint import Due
    from memconsole.domain.days import Zone
    from memconsole.domain.outcomes import Written
    from memconsole.domain.sessions import StoredSession
    from memconsole.domain.transcript import TranscriptCounts

_LABEL_CHARS = 120


def label_of(stored: StoredSession) -> str:
    """Return what to call a session: its key, else its id."""
    name = stored.key.text if stored.key is not None else stored.session_id or "a session"
    return cut(let_out(one_line(name)), _LABEL_CHARS)


def span(length: timedelta) -> str:
    """Return a length of time in its two largest units, such as `5 h 12 min`."""
    minutes = max(0, int(length.total_seconds() // 60))
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    shown = [f"{number} {unit}" for number, unit in parts if number][:2]
    return " ".join(shown) or "0 min"


def left_out(counts: TranscriptCounts) -> str:
    """Say what of a transcript could not be read; empty when there was nothing."""
    parts = []
    if counts.damaged:
        lines = "line was" if counts.damaged == 1 else "lines were"
        parts.append(f"; {counts.damaged} damaged {lines} left out")
    if counts.in_progress:
        parts.append("; the last line is still being written")
    if counts.unknown_newest:
        parts.append(
            f"; {counts.unknown_newest} newer records were not understood: this may not be the"
            " latest"
        )
    if counts.unknown - counts.unknown_newest:
        parts.append(f"; {counts.unknown - counts.unknown_newest} records were not understood")
    return "".join(parts)


def saved(count: int, label: str, wrote: Sequence[Written], *, is_plan: bool = False) -> str:
    """Say what was written, or would be."""
    verb = "would save" if is_plan else "saved"
    messages = "1 message" if count == 1 else f"{count} messages"
    files = " and ".join(f"{one.path} ({size_words(one.size_bytes)})" for one in wrote)
    return f"{verb} {messages} of {label}: {files}"


def nothing_new(label: str, last: Capture | None, due: Due, zone: Zone) -> str:
    """Say why nothing was written."""
    since = "" if last is None else f" since the checkpoint of {clock(last.at, zone)}"
    if due.window_ends_at is not None:
        return f"nothing new of {label} to write{kept_back(due, zone)}"
    return f"nothing new in {label}{since}"


def kept_back(due: Due, zone: Zone) -> str:
    """Say why there is no daily entry; empty when there is one."""
    if due.entry:
        return ""
    if due.window_ends_at is None:
        return "; the daily log has this already"
    return f"; no daily entry before {clock(due.window_ends_at, zone)}, the last one is too young"
