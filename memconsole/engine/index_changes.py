"""What is known to have changed of one agent and waits to be indexed."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memconsole.domain.agents import Agent

_MOST_FILES: Final = 100
"""More changed files than these are found by a walk."""

_PATIENCE: Final = 20
"""Files that never rest are indexed after so many times the quiet that is waited for."""

_NEVER: Final = float("inf")


@dataclass(slots=True)
class Waiting:
    """Changes that have not been indexed yet.

    Attributes:
        first_s: When the first of them was seen; on the clock's stopwatch, as `last_s`.
        has_memory: A memory file changed.
        talks: Changes of transcripts.
        files: The memory files that changed; None when it may be any of them.
    """

    first_s: float
    last_s: float
    has_memory: bool = False
    talks: int = 0
    files: set[Path] | None = field(default_factory=set)

    @property
    def is_timed(self) -> bool:
        """Whether it becomes due by itself; otherwise it waits for the next change."""
        return self.last_s != _NEVER

    def due_at(self, quiet_s: float) -> float:
        """Return when it is due, given the quiet that is waited for."""
        return min(self.last_s + quiet_s, self.first_s + _PATIENCE * quiet_s)

    def add(self, more: Waiting, now: float) -> None:
        """Take further changes."""
        if not self.is_timed:
            self.first_s = now
        self.last_s = now
        self.has_memory = self.has_memory or more.has_memory
        self.talks += more.talks
        if self.files is not None:
            files = None if more.files is None else self.files | more.files
            self.files = None if files is None or len(files) > _MOST_FILES else files

    def wait_for_more(self) -> None:
        """Be due only after another change."""
        self.first_s = self.last_s = _NEVER


def changes_of(agent: Agent, paths: Iterable[Path]) -> Waiting:
    """Return what of an agent changed paths belong to; its times mean nothing."""
    found = Waiting(0, 0)
    places = (agent.sessions_dir, agent.database.parent)
    for path in paths:
        if path == agent.workspace or path in agent.workspace.parents:
            found.has_memory, found.files = True, None
        elif agent.workspace in path.parents and path.suffix.lower() == ".md":
            found.has_memory = True
            if found.files is not None:
                found.files.add(path)
        for place in places:
            if path == place or place in path.parents or path in place.parents:
                found.talks = 1
    return found
