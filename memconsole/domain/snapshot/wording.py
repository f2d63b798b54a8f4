"""How findings name sessions and numbers of tokens."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.text.figures import short_kilo
from memconsole.text.graphemes import cut_middle
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import SessionView

_NAME_CHARS = 40


def name_of(view: SessionView) -> str:
    """Return what the session is called, after its agent."""
    return named(view.agent.id, view.name)


@lru_cache(maxsize=1024)  # each reading names the same sessions, and masking is the dear part of it
def named(agent_id: str, name: str) -> str:
    """Return a name of others behind that of its agent, masked and short."""
    return f"{agent_id} / {cut_middle(let_out(name), _NAME_CHARS)}"


def why_suspect(view: SessionView) -> str:
    """Return what speaks against a count that cannot be true, in numbers."""
    count, window = view.count, view.window
    reported = "?" if count.reported is None else f"{short_kilo(count.reported)} reported"
    if window is not None and (count.reported or 0) > window:
        reported += f" > {short_kilo(window)} window"
    elif count.estimated is None:
        return f"{reported}, and it was compacted since"
    told = "does not tell" if count.estimated is None else f"says {short_kilo(count.estimated)}"
    return f"{reported}; transcript {told}"
