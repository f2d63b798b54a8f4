"""The panels of one session: its state, what fills it, how it grew, what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.freshness import describe
from memconsole.domain.sessions.activity import in_full
from memconsole.domain.sessions.composition import composition
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.sessions.windows import WindowState
from memconsole.domain.snapshot.snapshot import why_suspect
from memconsole.text import cells, figures
from memconsole.ui.drawing.context import source_word
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.names import doing_role, row_key, session_name, state_word
from memconsole.ui.drawing.plot import Series, plot
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.sessions.windows import Window
    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView
    from memconsole.ui.drawing.context import Context

_LABEL = 12


def state_listing(
    view: SessionView, detail: SessionDetail | None, context: Context, width: int
) -> Listing:
    """Return what is known about the session itself, in label and value."""
    rows = []
    for label, value, role in _facts(view, detail, context):
        for place, piece in enumerate(cells.wrap(value, max(width - _LABEL, 8))):
            head = label if place == 0 else ""
            rows.append(
                text_row(
                    f"{label}-{place}",
                    Span(f"{head:<{_LABEL}}", Role.MUTED),
                    Span(piece, role),
                    value=value,
                )
            )
    return Listing(
        title="State",
        source=source_word(view.stored.source),
        age=figures.ago(context.since(view.read_at)),
        number=2,
        rows=tuple(rows),
    )


def _facts(
    view: SessionView, detail: SessionDetail | None, context: Context
) -> Iterator[tuple[str, str, Role]]:
    stored, dot = view.stored, f" {context.glyphs.dot} "
    counts = [
        f"{figures.kilo(view.tokens)} of {figures.short_kilo(view.threshold)}",
        state_word(view),
    ]
    yield "tokens", dot.join(part for part in counts if part), _tone(view)
    full = figures.percent(view.percent_of_window)
    yield "window", f"{full} of {figures.short_kilo(view.window)}", _tone(view)
    if view.count.state is TokenState.SUSPECT:
        yield "suspect", why_suspect(view), Role.WARNING
    elif view.count.estimated is not None and view.count.estimated != view.tokens:
        yield "estimate", f"{figures.kilo(view.count.estimated)} by the transcript", Role.PLAIN
    yield (
        "rotation",
        "due now" if view.is_due else literal(view.not_due_because or "?"),
        _tone(view),
    )
    yield "growth", _growth(view, context), Role.PLAIN
    captured = None if detail is None else detail.last_capture_at
    yield "checkpoint", "reading" if detail is None else _ago(captured, context), Role.PLAIN
    names = [literal(one) for one in (stored.label, *stored.other_names) if one]
    if names:
        yield "called", dot.join(names), Role.PLAIN
    if detail is not None:
        yield from _ahead(detail, context)
    yield "class", view.session_class.value, Role.PLAIN
    yield "state", _state(view), Role.PLAIN
    if view.state is SessionState.LIVE:
        yield "does", in_full(view.activity, context.now), doing_role(view.doing)
    yield "model", literal(stored.model or "?"), Role.PLAIN
    yield "compactions", "?" if stored.compactions is None else str(stored.compactions), Role.PLAIN
    if detail is not None:
        yield "records", figures.thousands(detail.events), Role.PLAIN
    yield "started", figures.day_and_time(stored.started_at, context.zone), Role.PLAIN
    yield "updated", figures.day_and_time(stored.updated_at, context.zone), Role.PLAIN
    yield "key", literal(view.key_text or "?"), Role.PLAIN
    yield "id", literal(view.session_id or "?"), Role.PLAIN
    if view.transcript is not None:
        size = figures.size(view.transcript.size_bytes)
        is_ours = view.transcript_state is TranscriptState.PRESENT
        first = "" if is_ours else f"{view.transcript_state.value}, "
        yield "transcript", f"{first}{size}, {literal(str(view.transcript.path))}", Role.PLAIN
    else:
        yield "transcript", view.transcript_state.value, Role.PLAIN


def _ahead(detail: SessionDetail, context: Context) -> Iterator[tuple[str, str, Role]]:
    """Yield when the platform starts it anew, and where else something happens."""
    if detail.freshness is not None:
        yield "freshness", literal(describe(detail.freshness)), Role.PLAIN
        if (reset_at := detail.freshness.next_reset_at) is not None:
            yield "reset", figures.day_and_time(reset_at, context.zone), Role.PLAIN
    if detail.limits:
        yield "limits", _limits(detail), Role.PLAIN
    if detail.advice:
        told = (f"{one.text}: {one.command}" if one.command else one.text for one in detail.advice)
        yield "smaller", literal("; ".join(told)), Role.PLAIN
    if detail.summary is not None:
        yield "summary", literal(detail.summary.path), Role.PLAIN
    if detail.is_captured is not None:
        end = "captured to its end" if detail.is_captured else "said since is not captured yet"
        yield "recovery", end, Role.PLAIN
    if detail.last_flush_at is not None:
        yield "flushed", _ago(detail.last_flush_at, context), Role.PLAIN


def _limits(detail: SessionDetail) -> str:
    """Return where flush, rotation and compaction begin."""
    named = detail.limits.items()
    return ", ".join(f"{name.replace('_', ' ')} {figures.short_kilo(at)}" for name, at in named)


def _state(view: SessionView) -> str:
    reason = view.stored.archive_reason
    return view.state.value + (f", {literal(reason)}" if reason else "")


def _growth(view: SessionView, context: Context) -> str:
    if view.growth is None:
        return "not known yet"
    rate = figures.short_rate(view.growth.tokens_per_hour)
    if view.growth.due_at is None:
        return rate
    due = figures.until(view.growth.due_at - context.now)
    return f"{rate}, due in {due} (by {view.growth.source})" if due != "now" else f"{rate}, due"


def _ago(at: datetime | None, context: Context) -> str:
    return "never" if at is None else figures.ago(context.since(at))


def _tone(view: SessionView) -> Role:
    return Role.DUE if view.is_due else Role.PLAIN


_FILL_COLUMNS = (
    Column("", 12, flex=2, most=30, name="part"),
    Column("share", 6, flex=1, most=24),
    Column("tokens", 6, right=True),
)


def fill_listing(detail: SessionDetail | None, context: Context) -> Listing:
    """Return tokens by who wrote them, and the largest contributors; all by characters / 4."""
    rows: list[Row] = []
    if detail is not None:
        kinds = detail.by_class
        parts = detail.parts or composition(None, kinds, None)
        total = sum(max(one.tokens, 0) for one in parts) or 1
        for one in parts:
            name = f"{literal(one.name)} ({one.note})" if one.note else literal(one.name)
            rows.append(_part(f"part-{one.name}", name, max(one.tokens, 0) / total, one.tokens))
        if detail.contributors:
            rows.append(
                Row("head", (Cell("largest", Role.HEADER), Cell(), Cell()), is_heading=True)
            )
        rows += [
            _part(f"top-{place}", literal(one.name), one.share, one.tokens)
            for place, one in enumerate(detail.contributors)
        ]
    noted_at = None if detail is None else detail.noted_at
    return Listing(
        title="Fill",
        about=f"{context.glyphs.dot} estimated",
        source="" if noted_at is None else "platform's note",
        age="" if noted_at is None else figures.ago(context.since(noted_at)),
        number=3,
        columns=_FILL_COLUMNS,
        rows=tuple(rows),
        empty=("reading the whole transcript",),
    )


def _part(key: str, name: str, share: float, tokens: int) -> Row:
    return Row(
        key,
        (Cell(name), Gauge(share, is_share=True), Cell(figures.kilo(tokens))),
        value=f"{name} {tokens}",
    )


def growth_listing(
    detail: SessionDetail | None, view: SessionView, context: Context, size: tuple[int, int]
) -> Listing:
    """Return the plot of tokens over time, for a size in cells."""
    course = Series(
        points=() if detail is None else detail.usage_points,
        threshold=view.threshold,
        now=context.now,
        due_at=None if view.growth is None else view.growth.due_at,
    )
    lines = plot(course, size, context.glyphs, context.zone)
    empty = "reading the whole transcript" if detail is None else "too few counts for a plot"
    return Listing(
        title="Growth",
        about=f"{context.glyphs.dot} {_growth(view, context)}",
        source="transcript",
        number=4,
        rows=tuple(
            text_row(f"plot-{place}", *line, is_heading=True) for place, line in enumerate(lines)
        ),
        empty=(empty,),
    )


_WINDOW_COLUMNS = (
    Column("window", 10, flex=2, most=40, name="name"),
    Column("ended by", 8, drop=2, name="state"),
    Column("ended", 6, right=True, name="changed"),
    Column("size", 6, right=True, drop=3),
    Column("in memory", 10, flex=1, most=24, drop=1),
)


def windows_listing(detail: SessionDetail | None, context: Context) -> Listing:
    """Return what a session was before, its archives, and the helpers that it spawned."""
    windows = () if detail is None else detail.windows
    ids = {one.id for one in windows}
    related = () if detail is None else detail.related
    others = [view for view in related if view.session_id not in ids]
    count = len(windows) + len(others)
    return Listing(
        title="Windows and archives",
        about="" if detail is None else f"{context.glyphs.dot} {count}",
        number=5,
        columns=_WINDOW_COLUMNS,
        rows=(
            *(_window(one, context) for one in windows),
            *(_related(view, context) for view in others),
        ),
        empty=("reading" if detail is None else "no other transcript belongs to it",),
    )


WINDOW = "window-"
"""Begins the key of a row that `restore` can take."""


def _window(one: Window, context: Context) -> Row:
    is_current = one.state is WindowState.CURRENT
    ended = (
        context.glyphs.none if is_current else figures.when(one.ended_at, context.now, context.zone)
    )
    return Row(
        key=f"{WINDOW}{one.id}",
        cells=(
            Cell(literal(one.id), is_id=True),
            _ended_by(one.why or one.state.value, is_current=is_current),
            Cell(ended, Role.MUTED),
            Cell(figures.size(one.size_bytes), Role.MUTED),
            _in_memory(one),
        ),
        value=one.id,
    )


def _ended_by(why: str, *, is_current: bool) -> Cell:
    return Cell("goes on" if is_current else literal(why), Role.MUTED)


def _in_memory(one: Window) -> Cell:
    """Return what of a window is in memory; a summary is named by a path, and said in a word."""
    known = dict.fromkeys("summary" if "/" in part else part for part in one.captured)
    return Cell(literal(", ".join(known)), Role.PLAIN) if known else Cell("nothing", Role.WARNING)


def _related(view: SessionView, context: Context) -> Row:
    is_live = view.state is SessionState.LIVE
    when = figures.when(view.stored.updated_at, context.now, context.zone)
    size = None if view.transcript is None else view.transcript.size_bytes
    return Row(
        key=row_key(view),
        cells=(
            Cell(session_name(view) if is_live else literal(view.session_id or "?"), is_id=True),
            _ended_by(view.stored.archive_reason or view.state.value, is_current=is_live),
            Cell(context.glyphs.none if is_live else when, Role.MUTED),
            Cell(figures.size(size), Role.MUTED),
            Cell(),
        ),
        value=view.session_id or view.key_text or "",
    )
