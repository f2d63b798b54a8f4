"""Which sessions a listing shows by default, and how many it leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.sessions.stored import SessionState

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView

FOLDED = ("cron_run", "archived", "orphan")
"""What `--all` lists besides; the other counts of `left_out` stay."""


def default_view(
    snapshot: ConsoleSnapshot, *, everything: bool
) -> tuple[tuple[SessionView, ...], dict[str, int]]:
    """Return the sessions to list and the counts of what is left out.

    Args:
        snapshot: The reading.
        everything: List archives, orphans and cron runs as well; their counts are then 0.
    """
    counts = dict(snapshot.left_out)
    if everything:
        return snapshot.sessions, counts | dict.fromkeys(FOLDED, 0)
    shown = tuple(view for view in snapshot.sessions if is_shown(view))
    return shown, counts


def is_shown(view: SessionView) -> bool:
    """Tell whether the default view lists a session."""
    return view.state is SessionState.LIVE and not view.is_cron_run
