"""The agent's own search index on one line: what is in it, and what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui import figures
from memconsole.ui.literal import literal
from memconsole.ui.spans import Role, Span

if TYPE_CHECKING:
    from memconsole.domain.platform_index import PlatformIndexHealth
    from memconsole.ui.spans import Line


def index_line(health: PlatformIndexHealth, dot: str) -> Line:
    """Return the state of an agent's own index; `dot` stands between two facts."""
    head = Span(" its own index  ", Role.MUTED)
    if health.facts is None:
        return (head, Span(literal(health.because), Role.WARNING))
    size = f"{figures.plural(health.files, 'file')}, {figures.plural(health.chunks, 'chunk')}"
    if health.troubles:
        role = Role.DUE if health.is_deaf else Role.WARNING
        told = f" {dot} ".join(literal(one) for one in health.troubles)
        return (head, Span(f"{size} {dot} ", Role.MUTED), Span(told, role))
    waiting = len(health.recent)
    more = f" {dot} {figures.plural(waiting, 'new change')} to take in" if waiting else ""
    return (head, Span("whole", Role.OK), Span(f" {dot} {size}{more}", Role.MUTED))
