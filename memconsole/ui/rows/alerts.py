"""Who was told of what is wrong, as words beside its check: told, again, muted (mission §21)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui import figures

if TYPE_CHECKING:
    from memconsole.domain.alert_mutes import Standing
    from memconsole.ui.rows.context import Context


def alert_cell(one: Standing | None, context: Context) -> str:
    """Return when somebody is told next: `18 min`, `muted 23 h`; empty when nobody is."""
    if one is None:
        return ""
    if one.muted_until is not None:
        return f"muted {figures.age(one.muted_until - context.now)}"
    if one.again_at is None:
        return "not told"
    left = one.again_at - context.now
    return figures.age(left) if left.total_seconds() > 0 else "now"


def alert_facts(one: Standing | None, context: Context) -> tuple[tuple[str, str], ...]:
    """Return the same in full: when somebody was told, and when the next is."""
    if one is None:
        return ()
    told = "nobody was told yet" if one.told_at is None else figures.ago(context.since(one.told_at))
    facts = [("told", told)]
    if one.muted_until is not None:
        quiet = figures.age(one.muted_until - context.now)
        facts.append(("muted", f"for {quiet} more, unless it gets worse; x tells people again"))
    elif one.again_at is not None:
        left = one.again_at - context.now
        is_due = left.total_seconds() <= 0
        facts.append(("again", "with the next look" if is_due else f"in {figures.age(left)}"))
    return tuple(facts)
