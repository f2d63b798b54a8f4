"""Keeps the objects of sessions that are as they were: whoever shows them sees what is new."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView


def with_known_sessions(new: ConsoleSnapshot, old: ConsoleSnapshot | None) -> ConsoleSnapshot:
    """Return a reading in which each session that is as it was is the object that it was.

    Args:
        new: The reading; one of several homes stays as it is, its parts have sessions as well.
        old: The reading before it, if there was one.
    """
    if old is None or new.parts:
        return new
    known = {_name(view): view for view in old.sessions}
    kept = tuple(
        was if (was := known.get(_name(view))) is not None and was == view else view
        for view in new.sessions
    )
    is_same = len(kept) == len(old.sessions) and all(
        one is was for one, was in zip(kept, old.sessions, strict=True)
    )
    return replace(new, sessions=old.sessions if is_same else kept)


def _name(view: SessionView) -> tuple[str, str | None, str | None, str]:
    return view.agent.id, view.key_text, view.session_id, view.state
