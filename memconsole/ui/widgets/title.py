"""The two lines at the top: what this is and whether the machinery lives; what wants attention."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.text import cells, figures
from memconsole.ui.drawing.literal import literal, shorter
from memconsole.ui.drawing.spans import Role, Span, between, line_width

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.snapshot.homes import HomeReading, ServerReading
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line

_SEVERITY_ROLES = {
    Severity.CRITICAL: Role.DUE,
    Severity.HIGH: Role.DUE,
    Severity.WARNING: Role.WARNING,
    Severity.INFO: Role.MUTED,
}


def title_line(
    snapshot: ConsoleSnapshot | None,
    context: Context,
    width: int,
    *,
    where: str = "",
    badges: tuple[str, ...] = (),
    aim: str = "",
) -> Line:
    """Return the title: home, gateway, scheduler and time; what does not fit goes from the middle.

    Args:
        snapshot: The reading, None before the first.
        context: Time, zone and glyphs.
        width: Cells.
        where: The screen, when it is not the first one.
        badges: Words such as `read-only` and `frozen`.
        aim: On which of several hosts an action would run; never left out.
    """
    left: Line = (Span(" memconsole", Role.STRONG),)
    if where:
        left = (*left, Span(f" {context.glyphs.cursor} {where}", Role.PLAIN))
    if aim:
        left = (*left, Span("  on ", Role.MUTED), Span(aim, Role.ACCENT))
    for badge in badges:
        left = (*left, Span("  "), Span(f" {badge} ", Role.BADGE))
    time = (Span(f"{figures.clock(context.now, context.zone)} ", Role.MUTED),)
    if snapshot is None:
        return between(left, time, width)
    home = Span(f"  {_homes(snapshot) or home_name(snapshot.home.path)}", Role.MUTED)
    words = [tuple(_machinery(snapshot, context, size)) for size in _SIZES]
    for head, middle in (((*left, home), words[0]), *((left, one) for one in words)):
        right = (*middle, *time)
        if line_width(head) + line_width(right) + 2 <= width:
            return between(head, right, width)
    # Whether the machinery lives stays when everything else has gone.
    return between(left, words[-1], width)


def _homes(snapshot: ConsoleSnapshot) -> str:
    """Return how many homes there are and how they are; empty for one."""
    if not snapshot.homes:
        return ""
    counts = Counter("asked" if _is_asked(one) else one.freshness for one in snapshot.homes)
    every = figures.plural(len(snapshot.homes), "home")
    return ", ".join((every, *(f"{count} {word}" for word, count in sorted(counts.items()))))


def _is_asked(home: HomeReading) -> bool:
    return home.as_of is None and not home.failure


def home_name(path: Path) -> str:
    """Return the home with `~` for the operator's own folder."""
    try:
        return literal(f"~/{path.relative_to(Path.home())}")
    except (ValueError, RuntimeError):
        return literal(str(path))


_SIZES = ("long", "middle", "short")

_NARROW = 80
"""Cells below which the words beside a finding give way to it."""

_READABLE = 34
"""Cells that tell what a finding is about; with so many, what its key does is told too."""


def _machinery(snapshot: ConsoleSnapshot, context: Context, size: str) -> Iterator[Span]:
    """Yield whether gateway and scheduler live, at one of three lengths."""
    glyphs = context.glyphs
    if snapshot.server is not None:
        yield from _server(snapshot.server, context, size)
    gateway, scheduler = snapshot.gateway, snapshot.scheduler
    is_up = gateway.verdict == "up"
    role = Role.OK if is_up else Role.MUTED if gateway.verdict == "off" else Role.WARNING
    version = f" {literal(gateway.version)}" if gateway.version and size == "long" else ""
    word = "not asked" if gateway.verdict == "off" else gateway.word
    word = "" if size == "short" else f"{word}{version}  "
    yield Span("gateway " if size == "long" else "gw ", Role.MUTED)
    yield Span(f"{glyphs.on if is_up else glyphs.off} ", role)
    yield Span(word, Role.MUTED if role is Role.OK else role)
    runs = scheduler.state == "running"
    is_odd = scheduler.state == "stale" or scheduler.silent
    role = Role.WARNING if is_odd else Role.OK if runs else Role.MUTED
    yield Span(" scheduler " if size == "long" else "sch ", Role.MUTED)
    yield Span(f"{glyphs.on if runs else glyphs.off} ", role)
    yield Span(_scheduler_words(snapshot, context, size), Role.MUTED)


def _server(server: ServerReading, context: Context, size: str) -> Iterator[Span]:
    """Yield how the server of the fleet is; while it is away, since when, and of when all is."""
    glyphs = context.glyphs
    yield Span("fleet ", Role.MUTED)
    if server.is_up:
        words = f"{server.latency_ms:.0f} ms  " if server.latency_ms and size == "long" else ""
        yield from (Span(f"{glyphs.on} ", Role.OK), Span(words, Role.MUTED))
        return
    words = "asked" if server.is_asked else f"down {figures.span(context.now - server.since)}"
    if server.as_of is not None and size != "short":
        words += f" {glyphs.dot} figures of {figures.when(server.as_of, context.now, context.zone)}"
    yield Span(f"{glyphs.off} {words}  ", Role.MUTED if server.is_asked else Role.WARNING)


def _scheduler_words(snapshot: ConsoleSnapshot, context: Context, size: str) -> str:
    """Return what the scheduler does next, such as `next checkpoint 17:13`."""
    scheduler = snapshot.scheduler
    if size == "short":
        return ""
    if scheduler.silent:
        return f"without {', '.join(one.layer.value for one in scheduler.silent)}   "
    if scheduler.state == "running" and scheduler.next_job and scheduler.next_at:
        at = figures.clock(scheduler.next_at, context.zone)
        job = literal(scheduler.next_job)
        return f"next {job} {at}   " if size == "long" else f"{job} {at}  "
    return f"{scheduler.state}   "


def shown_findings(snapshot: ConsoleSnapshot | None, number: int, height: int) -> tuple[int, ...]:
    """Return which findings stand above the panels: two where there is room, not twice the same.

    Args:
        snapshot: The reading, None before the first.
        number: The one that was gone to, from 0.
        height: Rows of the terminal.
    """
    found = () if snapshot is None else snapshot.attention
    if number >= len(found) or (number == 0 and found[0].severity is Severity.INFO):
        return ()
    if height < TWO_LINES_FROM or number + 1 >= len(found):
        return (number,)
    code, rest = found[number].code, range(number + 1, len(found))
    second = next((place for place in rest if found[place].code != code), number + 1)
    return (number,) if found[second].severity is Severity.INFO else (number, second)


TWO_LINES_FROM = 30
"""Rows of a terminal that has room for a second finding."""


def attention_line(
    snapshot: ConsoleSnapshot | None,
    context: Context,
    width: int,
    *,
    failure: str = "",
    number: int | None = None,
    keys: str = "",
    after: str = "",
    quiet_since: datetime | None = None,
) -> Line:
    """Return one finding with its next step, or what speaks for quiet.

    Args:
        snapshot: The reading, None before the first.
        context: Glyphs.
        width: Cells.
        failure: Why there is no new reading; it comes before everything else.
        number: Which finding, from 0; None where there is none to show.
        keys: What to press about that finding; else its hint stands there.
        after: How many more findings there are, in words.
        quiet_since: Since when this console knows the home to be quiet.
    """
    if failure:
        return (Span(" ! ", Role.DUE), Span(failure, Role.WARNING))
    if snapshot is None:
        return (Span(" reading the home", Role.MUTED),)
    right: Line = (Span(after, Role.MUTED),) if after else ()
    if number is None or number >= len(snapshot.attention):
        if part := _part(snapshot):
            return (Span(" reading the home: ", Role.MUTED), Span(part, Role.PLAIN))
        return between(_quiet(snapshot, context, quiet_since), right, width)
    one = snapshot.attention[number]
    role = _SEVERITY_ROLES[one.severity]
    room = width - line_width(right) - 4
    message = shorter(literal(one.message), snapshot.home.path)
    hint = keys or literal(one.hint)
    if cells.width(message) + cells.width(hint) + 3 > room:
        if width < _NARROW:  # what is lost stays readable before how many more there are
            right = tuple(replace(span, text=span.text.replace(" more ", "")) for span in right)
            room = width - line_width(right) - 4
            keys = _fitting(keys, room - 3 - min(_READABLE, cells.width(message)))
        hint = keys
        message = cells.cut(message, room - cells.width(hint) - 3, ellipsis=context.glyphs.ellipsis)
    left: Line = (Span(" ! ", role), Span(message, role), Span(f"   {hint}", Role.PLAIN))
    return between(left, right, width)


def _fitting(keys: str, room: int) -> str:
    """Return what is pressed and what it does, or a word of it, or none: `c saves`, `. then R`."""
    way, then, key = keys.rpartition("then ")
    for words in (1, 0):
        if cells.width(keys) > room:
            least = 1 + key.startswith(":") + words
            keys = " ".join([*f"{way}{then}".split(), *key.split()[:least]])
    return keys


def more_findings(snapshot: ConsoleSnapshot | None, shown: tuple[int, ...]) -> str:
    """Return how many findings the lines above the panels leave out, and the key to all of them.

    While agents are still being read it is how many were.
    """
    if snapshot is not None and (part := _part(snapshot)):
        return part
    found = () if snapshot is None else snapshot.attention
    if shown and shown[0]:
        return f"{shown[0] + 1} of {len(found)}  ! "
    rest = len(found) - len(shown)
    return f"+ {rest} more  ! " if rest > 0 else ""


def _part(snapshot: ConsoleSnapshot) -> str:
    """Return how many agents were read; empty for all of them."""
    agents = len(snapshot.agents)
    return f"{agents} of {agents + snapshot.unread} agents " if snapshot.unread else ""


def _quiet(snapshot: ConsoleSnapshot, context: Context, since: datetime | None) -> Line:
    """Return that all is quiet and what proves it; else what is not known."""
    glyphs, quiet = context.glyphs, snapshot.quiet
    dot = f" {glyphs.dot} "
    evidence = literal(dot.join(quiet.evidence))
    if quiet.unknown:
        said = f"nothing found, not known: {', '.join(quiet.unknown)}"
        return (
            Span(" ? ", Role.WARNING),
            Span(said, Role.WARNING),
            Span(f"{dot}{evidence}" if evidence else "", Role.MUTED),
        )
    age = "" if since is None else figures.until(context.now - since)
    words = f"quiet {age}" if age and age != "now" else "quiet"
    return (
        Span(f" {glyphs.done} ", Role.OK),
        Span(dot.join(filter(None, (words, evidence))), Role.MUTED),
    )


def severity_role(severity: Severity) -> Role:
    """Return the role of a severity."""
    return _SEVERITY_ROLES[severity]
