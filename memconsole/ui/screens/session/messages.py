"""A transcript in lines: who said what when, with compactions and resets where they happened."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.transcripts.records import MessageKind
from memconsole.text import cells, figures
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal, literal_block
from memconsole.ui.drawing.spans import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.snapshot.snapshot import TranscriptView
    from memconsole.domain.transcripts.records import Message
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Row

_MOST_LINES = 200
"""Lines of one message; a pasted log of a megabyte would bury the session around it."""

_MOST_CHARS = 40_000
"""Characters of one message that are wrapped at all."""

_ROLES = {"user": Role.ACCENT, "assistant": Role.OK}


def safe_transcript(view: TranscriptView) -> TranscriptView:
    """Return the transcript cleaned and masked; it takes its time, for the thread that loads."""
    messages = tuple(
        replace(message, text=literal_block(message.text)) for message in view.messages
    )
    return replace(view, messages=messages)


def messages_listing(view: TranscriptView, context: Context, width: int) -> Listing:
    """Return the messages, wrapped for a width in cells; the oldest comes first.

    Args:
        view: A transcript that went through `safe_transcript`.
        context: Time and zone.
        width: Cells of a line.
    """
    rows: list[Row] = []
    if not view.is_whole and view.messages:
        rows.append(
            text_row(
                "earlier", Span("earlier messages are not loaded: enter loads all", Role.MUTED)
            )
        )
    for number, message in enumerate(view.messages):
        rows += _message(number, message, context, width)
    return Listing(
        title="Messages",
        about=f"{context.glyphs.dot} {_about(view)}",
        source="transcript",
        number=1,
        rows=tuple(rows),
        empty=("no messages: it has not run yet, or its transcript is empty",),
        problem=literal(view.notices[0].message) if view.notices else "",
    )


def _about(view: TranscriptView) -> str:
    counts = view.counts
    parts = [figures.plural(len(view.messages), "message")]
    if not view.is_whole:
        parts[0] = f"last {parts[0]}"
    for count, word in (
        (counts.damaged, "damaged"),
        (counts.in_progress, "in progress"),
        (counts.filtered, "filtered"),
        (counts.off_path, "off the path"),
        (counts.unknown, "of an unknown kind"),
    ):
        if count:
            parts.append(f"{figures.thousands(count)} {word}")
    return ", ".join(parts)


def _message(number: int, message: Message, context: Context, width: int) -> Iterator[Row]:
    time = figures.moment(message.at, context.now, context.zone)
    text = message.text
    key = f"m{number}"
    if message.kind in (MessageKind.COMPACTION, MessageKind.RESET):
        rule = context.glyphs.horizontal * 3
        yield text_row(
            f"{key}:0", Span(f"{rule} {time} {message.kind.value} {rule}", Role.WARNING), value=text
        )
    else:
        role = literal(message.role or message.kind.value)
        tone = _ROLES.get(role, Role.MUTED)
        spans = [Span(f"{time} ", Role.MUTED), Span(role, tone)]
        if not message.on_path:
            spans.append(Span(" (off the active path)", Role.MUTED))
        yield text_row(f"{key}:0", *spans, value=text)
    for note in message.attachments:
        yield text_row(f"{key}:a{note}", Span(f"  [{literal(note)}]", Role.MUTED), value=text)
    yield from _text(key, text, width)


def _text(key: str, text: str, width: int) -> Iterator[Row]:
    left = len(text)
    for line, piece in enumerate(cells.wrap(text[:_MOST_CHARS], max(width - 2, 8))):
        if line >= _MOST_LINES:
            yield text_row(
                f"{key}:more",
                Span(f"  {figures.thousands(left)} more characters; y copies all", Role.MUTED),
                value=text,
            )
            return
        left -= len(piece)
        yield text_row(f"{key}:{line + 1}", Span(f"  {piece}"), value=text)
    if len(text) > _MOST_CHARS:
        yield text_row(
            f"{key}:more",
            Span(
                f"  {figures.thousands(len(text) - _MOST_CHARS)} more characters; y copies all",
                Role.MUTED,
            ),
            value=text,
        )
