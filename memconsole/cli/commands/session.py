"""`session`, `transcript`, `restore`: one session, read from beginning to end, and handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import (
    DryRunOption,
    SessionArgument,
    YesOption,
    at_least_one,
    call_of,
)
from memconsole.cli.json import encode
from memconsole.cli.output import safe, wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.commands.restore import Restore
from memconsole.domain.freshness import describe
from memconsole.domain.sessions.activity import in_full
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.snapshot.snapshot import why_suspect
from memconsole.domain.transcripts.records import MessageKind
from memconsole.text import figures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.cli.output.printer import Printer
    from memconsole.domain.sessions.composition import LoadedFile
    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView, TranscriptView
    from memconsole.domain.transcripts.records import Message, TranscriptCounts


def session(
    context: typer.Context,
    key: SessionArgument,
    windows: Annotated[
        bool,
        typer.Option("--windows", help="Also its earlier windows, and what of them is in memory."),
    ] = False,
) -> int:
    """Show one session in full, its transcript read from beginning to end."""
    call = call_of(context)
    with call.busy("reading the transcript"):
        detail = call.engine.sessions.detail(key, with_windows=windows)
        home = call.engine.home.read()

    def show(printer: Printer) -> None:
        _show_session(printer, detail)
        if windows:
            _show_windows(printer, detail)

    def data() -> encode.Row:
        more: encode.Row = {}
        if windows:
            more = {
                "windows": encode.windows(detail.windows),
                "unattributed": len(detail.unattributed),
                "unattributed_windows": encode.windows(detail.unattributed),
            }
        return {**encode.session_detail(detail), **more}

    return call.answer(
        Answer(
            "session",
            data=data,
            show=show,
            warnings=detail.notices,
            left_out=encode.transcript_left_out(detail.counts),
            home=home,
        )
    )


def restore(
    context: typer.Context,
    key: SessionArgument,
    *,
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            metavar="ID",
            help="Of `session KEY --windows`; else the last that ended.",
            show_default=False,
        ),
    ] = None,
    branch: Annotated[
        bool,
        typer.Option("--branch", help="Have the Gateway make a new session of it instead."),
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Hand an earlier window of a session over to its next start.

    It is given that once. What was asked, decided and left open, and the last messages, stand in a
    file of the memory; `memory undo` takes it away again. The transcript stays as it is.

    With --branch the platform goes on with it in a new session beside this one: in 2026.8 and later
    of what stands before the last reset, up to its last question; in 2026.7 and 2026.8 of what
    stands before a compaction.
    """
    call = call_of(context)
    view = call.engine.sessions.find(key)
    command = Restore(view.agent, view.key_text or key, window, branch, dry_run=dry_run)
    if branch:
        return perform.through_gateway(
            call, command, "branching", question="Make a new session of this?", yes=yes
        )
    return perform.reviewed(
        call, command, "handing over", question="Hand this over to its next start?", yes=yes
    )


def transcript(
    context: typer.Context,
    key: SessionArgument,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", help="Only the last N messages.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what is filtered or off the active path.")
    ] = False,
) -> int:
    """Print the messages of a session, oldest first."""
    at_least_one("--tail", tail)
    call = call_of(context)
    with call.busy("reading the transcript"):
        view = call.engine.sessions.transcript(key, tail=tail, everything=all_)
        home = call.engine.home.read()

    def show(printer: Printer) -> None:
        _show_transcript(printer, view, redact=call.redact, is_everything=all_)

    return call.answer(
        Answer(
            "transcript",
            data=lambda: [encode.message(one) for one in view.messages],
            show=show,
            warnings=view.notices,
            left_out=encode.transcript_left_out(view.counts),
            home=home,
        )
    )


_CONTRIBUTORS = 12

_RELATED = 8


def _show_session(printer: Printer, detail: SessionDetail) -> None:
    """Write everything that is known about one session."""
    view = detail.view
    printer.write(Cell(printer.text(view.key_text or view.session_id or figures.UNKNOWN), "title"))
    if view.label:
        printer.field("label", printer.text(view.label))
    printer.field("agent", printer.text(view.agent.id))
    printer.field("session id", printer.text(view.session_id or figures.UNKNOWN))
    printer.field("class", f"{view.session_class.value}, {view.state.value}")
    if view.state is SessionState.LIVE:
        printer.field("does", in_full(view.activity, printer.now))
    _tokens(printer, view)
    if detail.limits:
        named = (f"{name.replace('_', ' ')} {at:,}" for name, at in detail.limits.items())
        printer.field("limits", ", ".join(named))
    _times(printer, detail)
    _content(printer, detail)
    _parts(printer, detail)
    _contributors(printer, detail)
    _windows(printer, detail)


def _tokens(printer: Printer, view: SessionView) -> None:
    limit, tokens = figures.short_kilo(view.threshold), figures.kilo(view.tokens)
    state = view.count.state.value
    percent = figures.percent(view.percent_of_threshold)
    printer.field("tokens", f"{tokens} of {limit}, {percent} ", Cell(f"({state})", "dim"))
    if view.count.state is TokenState.SUSPECT:
        printer.field("  suspect", why_suspect(view))
    elif view.count.estimated is not None:
        printer.field("  transcript", f"{figures.kilo(view.count.estimated)} by its last usage")
    window = figures.short_kilo(view.window)
    printer.field("window", f"{window}, {figures.percent(view.percent_of_window)} used")
    if view.is_due:
        printer.field("rotation", Cell("DUE", "due"))
    else:
        printer.field("rotation", printer.text(f"not due: {view.not_due_because}"))
    if view.growth is not None and view.growth.tokens_per_hour is not None:
        due = wording.due(view, printer.now)
        printer.field("grows", f"{wording.rate(view)}, due {due} (by {view.growth.source})")
    elif view.growth is None and view.state is SessionState.LIVE:
        printer.field("growth", Cell("not known yet", "dim"))
    compactions = view.stored.compactions
    printer.field("compactions", figures.UNKNOWN if compactions is None else str(compactions))


def _times(printer: Printer, detail: SessionDetail) -> None:
    stored = detail.view.stored
    if detail.freshness is not None:
        printer.field("freshness", printer.text(describe(detail.freshness)))
    for name, at in (
        ("started", stored.started_at),
        ("updated", stored.updated_at),
        ("last capture", detail.last_capture_at),
        *([] if detail.last_flush_at is None else [("last flush", detail.last_flush_at)]),
        *((name.replace("_", " "), at) for name, at in detail.next_events.items()),
    ):
        text = "never" if at is None and name == "last capture" else wording.stamp(at, printer.zone)
        ago = "" if at is None else f"  ({wording.age(at, printer.now)})"
        printer.field(name, text, Cell(ago, "dim"))


def _content(printer: Printer, detail: SessionDetail) -> None:
    messages = figures.UNKNOWN if detail.view.messages is None else f"{detail.view.messages:,}"
    printer.field(
        "transcript", f"{detail.view.transcript_state.value}, from ", _source(detail.view)
    )
    printer.field("events", f"{detail.events:,} stored, {messages} messages")
    skipped = skipped_words(detail.counts)
    if skipped:
        printer.field("passed over", skipped)


def _source(view: SessionView) -> str:
    return view.stored.source.value


def _parts(printer: Printer, detail: SessionDetail) -> None:
    if not detail.parts:
        return
    is_known = detail.view.tokens is not None
    sums = "adds up to it" if is_known else "how much there is beside it is unknown"
    printer.title("What the count is made of", f"{sums}; estimated, characters / 4")
    rows = [
        [
            printer.text(one.name),
            figures.short_kilo(one.tokens),
            _chars(one.loaded),
            one.source,
            printer.text(one.note),
        ]
        for one in detail.parts
    ]
    columns = (
        Column("part", cut="middle", least=12),
        Column("~tokens", right=True),
        Column("characters", right=True),
        Column("from"),
        Column("note"),
    )
    printer.table(columns, rows)
    for one in detail.advice:
        end = f": {one.command}" if one.command else ""
        printer.write(Cell(printer.text(f"{one.text}{end}"), "dim"))


def _chars(one: LoadedFile | None) -> str:
    """Return how much of a file was loaded: `7,783`, or `20,000 of 30,000`."""
    if one is None:
        return ""
    if one.raw_chars == one.chars:
        return f"{one.chars:,}"
    return f"{one.chars:,} of {figures.UNKNOWN if one.raw_chars is None else f'{one.raw_chars:,}'}"


def _contributors(printer: Printer, detail: SessionDetail) -> None:
    if not detail.contributors:
        return
    printer.title("What fills it", "estimated, characters / 4")
    rows = [
        [printer.text(one.name), figures.short_kilo(one.tokens), figures.percent(100 * one.share)]
        for one in detail.contributors[:_CONTRIBUTORS]
    ]
    columns = (
        Column("part", cut="middle", least=12),
        Column("~tokens", right=True),
        Column("share", right=True),
    )
    printer.table(columns, rows)


_RESTORED = (
    "`memconsole restore KEY --window ID` hands one over; of a compaction, --branch makes a session"
)


def _show_windows(printer: Printer, detail: SessionDetail) -> None:
    """Write the windows of a session, the newest first."""
    printer.title("Windows", _RESTORED)
    _table_of_windows(printer, detail.windows)
    if detail.unattributed:
        many = figures.plural(len(detail.unattributed), "ended transcript")
        said = f"{many} of {detail.view.agent.id}, nobody knows of which session: "
        printer.sentence(Cell(""), f"{said}--window takes one", "dim")
        _table_of_windows(printer, detail.unattributed[:_UNATTRIBUTED])
    if (more := len(detail.unattributed) - _UNATTRIBUTED) > 0:
        printer.sentence(Cell(""), f"{more} more are listed by `sessions --all`", "dim")


_UNATTRIBUTED = 20
"""Transcripts of nobody knows which session that are shown."""


def _table_of_windows(printer: Printer, windows: Iterable[Window]) -> None:
    rows = [
        [
            printer.text(one.id),
            one.state.value,
            printer.text(one.why or wording.NOTHING),
            wording.age(one.ended_at, printer.now) if one.ended_at else wording.NOTHING,
            figures.size(one.size_bytes),
            figures.UNKNOWN if one.messages is None else f"{one.messages:,}",
            printer.text(", ".join(one.captured) or "nothing"),
        ]
        for one in windows
    ]
    columns = (
        Column("window", cut="middle", least=12),
        Column("state"),
        Column("why"),
        Column("ended", right=True),
        Column("size", right=True),
        Column("messages", right=True),
        Column("in memory", cut="middle", least=12),
    )
    printer.table(columns, rows)


def _windows(printer: Printer, detail: SessionDetail) -> None:
    if not detail.related:
        return
    printer.title("Related sessions")
    rows = [
        [
            printer.text(one.name),
            printer.text(one.session_id or figures.UNKNOWN),
            printer.text(_ended(one)),
            wording.age(one.stored.updated_at, printer.now),
        ]
        for one in detail.related[:_RELATED]
    ]
    columns = (
        Column("session", cut="middle", least=12),
        Column("id", cut="middle", least=12),
        Column("state"),
        Column("age", right=True),
    )
    printer.table(columns, rows)


def _ended(view: SessionView) -> str:
    if view.state is SessionState.ARCHIVED and view.stored.archive_reason:
        return f"archived by {view.stored.archive_reason}"
    return view.state.value


def _show_transcript(
    printer: Printer, view: TranscriptView, *, redact: bool, is_everything: bool = False
) -> None:
    """Write the messages, each under its time and role.

    Args:
        printer: To write on.
        view: The transcript.
        redact: Secrets are masked.
        is_everything: `--all` was given: there is no more to list.
    """
    for message in view.messages:
        printer.gap()
        _message(printer, message, redact=redact)
    if not view.messages:
        printer.write("No messages.")
    skipped = skipped_words(view.counts)
    if skipped:
        printer.gap()
        more = "" if is_everything else "; --all lists what can be read"
        printer.write(Cell(f"Left out: {skipped}{more}.", "dim"))


def _message(printer: Printer, message: Message, *, redact: bool) -> None:
    who = message.role if message.kind is MessageKind.MESSAGE else message.kind.value
    style = "" if message.role == "user" else "title"
    branch = "" if message.on_path else "  (other branch)"
    printer.write(
        Cell(f"{wording.stamp(message.at, printer.zone)}  ", "dim"),
        Cell(printer.text(who or figures.UNKNOWN), style or "head"),
        Cell(branch, "dim"),
    )
    for text in safe.block(message.text, redact=redact).splitlines():
        printer.write(f"  {text}")
    for attachment in message.attachments:
        printer.write(Cell(f"  [{printer.text(attachment)}]", "dim"))


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
