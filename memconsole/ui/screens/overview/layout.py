"""How the panels of the first screen share its lines: by what they hold, lists before all else.

Sizes follow the whole reading, not what is selected: panels do not change their size while
somebody moves through them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.memory.files import MARKER_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.listing import Listing

FRAME = 2
_HEADING = 1

EMPTY = 1 + FRAME
"""Lines of a panel that holds nothing but a sentence."""

_LEAST_LIST, _LEAST_LOWER, _LEAST_JOURNAL = 6, 5, 5
AGENTS_CELLS = ((160, 62), (140, 52), (0, 41))
"""From so many cells of the terminal on, so many for the agents."""


class Needs(NamedTuple):
    """Lines that the panels would fill, frames included."""

    upper: int
    memory: int
    search: int
    journal: int


class Heights(NamedTuple):
    """Lines that the panels get; the journal takes what is left."""

    upper: int
    lower: int
    journal: int


def lists_need(snapshot: ConsoleSnapshot, counts: Mapping[str, int]) -> int:
    """Return the lines of the longest list of the upper panels, whichever agent is selected.

    Args:
        snapshot: The reading.
        counts: Sessions that are listed of each agent.
    """
    everyone = len(snapshot.agents) + (len(snapshot.agents) > 1)
    return max(everyone, *counts.values(), 1) + _HEADING + FRAME


def hosts_need(listing: Listing) -> int:
    """Return the lines of the list of hosts."""
    return len(listing.rows) + len(listing.fixed) + _HEADING + FRAME


def memory_needs(snapshot: ConsoleSnapshot, tags_a_line: int) -> int:
    """Return the lines of the fullest memory panel of this reading."""
    pools = [agent.pool for agent in snapshot.agents if agent.pool is not None]
    lines = [
        2 + len(pool.limits) + bool(pool.trend) - (-len(MARKER_TAGS) // tags_a_line)
        for pool in pools
    ]
    return max(lines, default=1) + FRAME


def wide(height: int, needs: Needs) -> Heights:
    """Share the lines between lists, lower panels and journal."""
    lower_need = max(needs.memory, needs.search)
    lower = min(lower_need, _LEAST_LOWER)
    upper = min(max(height - lower - _LEAST_JOURNAL, _LEAST_LIST), max(needs.upper, _LEAST_LIST))
    spare = max(height - upper - lower - _LEAST_JOURNAL, 0)
    lower += min(spare, lower_need - lower)
    return Heights(upper, lower, max(height - upper - lower, 0))


def compact(height: int, rows: int, need: int) -> Heights:
    """Share the lines between one list and the one lower panel that is shown.

    Args:
        height: Lines of both.
        rows: Of the list.
        need: Lines that the lower panel would fill.
    """
    least = min(need, _LEAST_LOWER)
    upper = min(max(height - least, 0), max(rows + _HEADING + FRAME, _LEAST_LIST))
    lower = min(need, max(height - upper, 0))
    return Heights(height - lower, lower, lower)


def agents_cells(width: int) -> int:
    """Return the cells of the panel of agents beside the sessions."""
    return next(own for least, own in AGENTS_CELLS if width >= least)
