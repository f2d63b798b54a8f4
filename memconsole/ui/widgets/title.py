"""The two lines at the top: what this is and whether the machinery lives; what wants attention."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.commands.catalogue import spec_of
from memconsole.text import figures
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.literal import literal, shorter
from memconsole.ui.drawing.spans import Role, Span, between, line_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.snapshot.snapshot import Attention, ConsoleSnapshot
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
) -> Line:
    """Return the title: home, gateway, scheduler and time; what does not fit goes from the middle.

    Args:
        snapshot: The reading, None before the first.
        context: Time, zone and glyphs.
        width: Cells.
        where: The screen, when it is not the first one.
        badges: Words such as `read-only` and `frozen`.
    """
    left: Line = (Span(" memconsole", Role.STRONG),)
    if where:
        left = (*left, Span(f" {context.glyphs.cursor} {where}", Role.PLAIN))
    for badge in badges:
        left = (*left, Span("  "), Span(f" {badge} ", Role.BADGE))
    time = (Span(f"{figures.clock(context.now, context.zone)} ", Role.MUTED),)
    if snapshot is None:
        return between(left, time, width)
    home = Span(f"  {home_name(snapshot.home.path)}", Role.MUTED)
    words = [tuple(_machinery(snapshot, context, size)) for size in _SIZES]
    for head, middle in (((*left, home), words[0]), *((left, one) for one in words)):
        right = (*middle, *time)
        if line_width(head) + line_width(right) + 2 <= width:
            return between(head, right, width)
    # Whether the machinery lives stays when everything else has gone.
    return between(left, words[-1], width)


def home_name(path: Path) -> str:
    """Return the home with `~` for the operator's own folder."""
    try:
        return literal(f"~/{path.relative_to(Path.home())}")
    except (ValueError, RuntimeError):
        return literal(str(path))


_SIZES = ("long", "middle", "short")


def _machinery(snapshot: ConsoleSnapshot, context: Context, size: str) -> Iterator[Span]:
    """Yield whether gateway and scheduler live, at one of three lengths."""
    glyphs = context.glyphs
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
    role = Role.OK if runs else Role.WARNING if scheduler.state == "stale" else Role.MUTED
    yield Span(" scheduler " if size == "long" else "sch ", Role.MUTED)
    yield Span(f"{glyphs.on if runs else glyphs.off} ", role)
    yield Span(_scheduler_words(snapshot, context, size), Role.MUTED)


def _scheduler_words(snapshot: ConsoleSnapshot, context: Context, size: str) -> str:
    """Return what the scheduler does next, such as `next checkpoint 17:13`."""
    scheduler = snapshot.scheduler
    if size == "short":
        return ""
    if scheduler.state == "running" and scheduler.next_job and scheduler.next_at:
        at = figures.clock(scheduler.next_at, context.zone)
        job = literal(scheduler.next_job)
        return f"next {job} {at}   " if size == "long" else f"{job} {at}  "
    return f"{scheduler.state}   "


def attention_line(
    snapshot: ConsoleSnapshot | None,
    context: Context,
    width: int,
    *,
    failure: str = "",
    number: int = 0,
    keys: str = "",
) -> Line:
    """Return one finding with its next step, and how many more there are.

    Args:
        snapshot: The reading, None before the first.
        context: Glyphs.
        width: Cells.
        failure: Why there is no new reading; it comes before everything else.
        number: Which finding, from 0; the worst unless the operator went on to another.
        keys: What to press about that finding; else its hint stands there.
    """
    if failure:
        return (Span(" ! ", Role.DUE), Span(failure, Role.WARNING))
    if snapshot is None:
        return (Span(" reading the home", Role.MUTED),)
    findings = snapshot.attention
    agents = len(snapshot.agents)
    part = f"{agents} of {agents + snapshot.unread} agents " if snapshot.unread else ""
    if part and not findings:
        return (Span(" reading the home: ", Role.MUTED), Span(part, Role.PLAIN))
    if not findings:
        return (Span(f" {context.glyphs.done} ", Role.OK), Span("all quiet", Role.MUTED))
    worst = findings[min(number, len(findings) - 1)]
    role = _SEVERITY_ROLES[worst.severity]
    more = f"+ {len(findings) - 1} more  ! " if len(findings) > 1 else ""
    if number:
        more = f"{number + 1} of {len(findings)}  ! "
    right: Line = (Span(part or more, Role.MUTED),) if part or more else ()
    room = width - line_width(right) - 4
    message = shorter(literal(worst.message), snapshot.home.path)
    hint = keys or literal(worst.hint)
    if cells.width(message) + cells.width(hint) + 3 > room:
        hint = keys
        message = cells.cut(message, room - cells.width(hint) - 3, ellipsis=context.glyphs.ellipsis)
    left: Line = (Span(" ! ", role), Span(message, role), Span(f"   {hint}", Role.PLAIN))
    return between(left, right, width)


def next_step(finding: Attention) -> str:
    """Return what to do about a finding, in keys where there is one."""
    if finding.command:
        return f"Enter, then {spec_of(finding.command).key}"
    return literal(finding.hint)


def severity_role(severity: Severity) -> Role:
    """Return the role of a severity."""
    return _SEVERITY_ROLES[severity]
