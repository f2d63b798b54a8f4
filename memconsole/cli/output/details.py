"""One session and one transcript for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli.output import figures, safe
from memconsole.cli.output.paper import Cell, Column
from memconsole.cli.output.views import session_name
from memconsole.domain.freshness import describe
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.transcripts.records import MessageKind

if TYPE_CHECKING:
    from memconsole.cli.output.paper import Paper
    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView, TranscriptView
    from memconsole.domain.transcripts.records import Message, TranscriptCounts

_CONTRIBUTORS = 12
_RELATED = 8


def session(paper: Paper, detail: SessionDetail) -> None:
    """Write everything that is known about one session."""
    view = detail.view
    paper.write(Cell(paper.text(view.key_text or view.session_id or figures.UNKNOWN), "title"))
    if view.label:
        paper.field("label", paper.text(view.label))
    paper.field("agent", paper.text(view.agent.id))
    paper.field("session id", paper.text(view.session_id or figures.UNKNOWN))
    paper.field("class", f"{view.session_class.value}, {view.state.value}")
    _tokens(paper, view)
    if detail.limits:
        named = (f"{name.replace('_', ' ')} {at:,}" for name, at in detail.limits.items())
        paper.field("limits", ", ".join(named))
    _times(paper, detail)
    _content(paper, detail)
    _contributors(paper, detail)
    _windows(paper, detail)


def _tokens(paper: Paper, view: SessionView) -> None:
    limit = f"{view.threshold:,}"
    tokens = figures.UNKNOWN if view.tokens is None else f"{view.tokens:,}"
    state = view.count.state.value
    percent = figures.percent(view.percent_of_threshold)
    paper.field("tokens", f"{tokens} of {limit}, {percent} ", Cell(f"({state})", "dim"))
    if view.count.estimated is not None:
        paper.field("  transcript", f"{view.count.estimated:,} by its last usage")
    window = figures.UNKNOWN if view.window is None else f"{view.window:,}"
    paper.field("window", f"{window}, {figures.percent(view.percent_of_window)} used")
    if view.is_due:
        paper.field("rotation", Cell("DUE", "due"))
    else:
        paper.field("rotation", paper.text(f"not due: {view.not_due_because}"))
    if view.growth is not None and view.growth.tokens_per_hour is not None:
        due = figures.due(view, paper.now)
        paper.field("grows", f"{figures.rate(view)}, due {due} (by {view.growth.source})")
    elif view.growth is None and view.state is SessionState.LIVE:
        paper.field("growth", Cell("not known yet", "dim"))
    compactions = view.stored.compactions
    paper.field("compactions", figures.UNKNOWN if compactions is None else str(compactions))


def _times(paper: Paper, detail: SessionDetail) -> None:
    stored = detail.view.stored
    if detail.freshness is not None:
        paper.field("freshness", paper.text(describe(detail.freshness)))
    for name, at in (
        ("started", stored.started_at),
        ("updated", stored.updated_at),
        ("last capture", detail.last_capture_at),
        *([] if detail.last_flush_at is None else [("last flush", detail.last_flush_at)]),
        *((name.replace("_", " "), at) for name, at in detail.next_events.items()),
    ):
        text = "never" if at is None and name == "last capture" else figures.stamp(at, paper.zone)
        ago = "" if at is None else f"  ({figures.age(at, paper.now)})"
        paper.field(name, text, Cell(ago, "dim"))


def _content(paper: Paper, detail: SessionDetail) -> None:
    messages = figures.UNKNOWN if detail.view.messages is None else f"{detail.view.messages:,}"
    paper.field("transcript", f"{detail.view.transcript_state.value}, from ", _source(detail.view))
    paper.field("events", f"{detail.events:,} stored, {messages} messages")
    skipped = skipped_words(detail.counts)
    if skipped:
        paper.field("passed over", skipped)


def _source(view: SessionView) -> str:
    return view.stored.source.value


def _contributors(paper: Paper, detail: SessionDetail) -> None:
    if not detail.contributors:
        return
    paper.title("What fills it", "estimated, characters / 4")
    rows = [
        [paper.text(one.name), figures.count(one.tokens), figures.percent(100 * one.share)]
        for one in detail.contributors[:_CONTRIBUTORS]
    ]
    columns = (
        Column("part", cut="middle", least=12),
        Column("~tokens", right=True),
        Column("share", right=True),
    )
    paper.table(columns, rows)


def _windows(paper: Paper, detail: SessionDetail) -> None:
    if not detail.related:
        return
    paper.title("Related sessions")
    rows = [
        [
            paper.text(session_name(one)),
            paper.text(one.session_id or figures.UNKNOWN),
            paper.text(_ended(one)),
            figures.age(one.stored.updated_at, paper.now),
        ]
        for one in detail.related[:_RELATED]
    ]
    columns = (
        Column("session", cut="middle", least=12),
        Column("id", cut="middle", least=12),
        Column("state"),
        Column("age", right=True),
    )
    paper.table(columns, rows)


def _ended(view: SessionView) -> str:
    if view.state is SessionState.ARCHIVED and view.stored.archive_reason:
        return f"archived by {view.stored.archive_reason}"
    return view.state.value


def transcript(
    paper: Paper, view: TranscriptView, *, redact: bool, is_everything: bool = False
) -> None:
    """Write the messages, each under its time and role.

    Args:
        paper: To write on.
        view: The transcript.
        redact: Secrets are masked.
        is_everything: `--all` was given: there is no more to list.
    """
    for message in view.messages:
        paper.gap()
        _message(paper, message, redact=redact)
    if not view.messages:
        paper.write("No messages.")
    skipped = skipped_words(view.counts)
    if skipped:
        paper.gap()
        more = "" if is_everything else "; --all lists what can be read"
        paper.write(Cell(f"Left out: {skipped}{more}.", "dim"))


def _message(paper: Paper, message: Message, *, redact: bool) -> None:
    who = message.role if message.kind is MessageKind.MESSAGE else message.kind.value
    style = "" if message.role == "user" else "title"
    branch = "" if message.on_path else "  (other branch)"
    paper.write(
        Cell(f"{figures.stamp(message.at, paper.zone)}  ", "dim"),
        Cell(paper.text(who or figures.UNKNOWN), style or "head"),
        Cell(branch, "dim"),
    )
    for text in safe.block(message.text, redact=redact).splitlines():
        paper.write(f"  {text}")
    for attachment in message.attachments:
        paper.write(Cell(f"  [{paper.text(attachment)}]", "dim"))


def skipped_words(counts: TranscriptCounts) -> str:
    """Return what a reading passed over: `2 damaged, 1 in progress`."""
    parts = (
        (counts.damaged, "damaged"),
        (counts.in_progress, "in progress"),
        (counts.filtered, "filtered"),
        (counts.off_path, "off the active path"),
        (counts.unknown, "of an unknown kind"),
    )
    return ", ".join(f"{number:,} {word}" for number, word in parts if number)
