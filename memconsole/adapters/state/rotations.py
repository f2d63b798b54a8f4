"""The journals of rotations and of branches in `state.db` (`RotationLog`, `BranchLog`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.state.tables import BRANCHES, ROTATIONS
from memconsole.domain.rotation import Identity

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.rotation import Rotation, RotationState
    from memconsole.domain.sessions.windows import Branch, BranchState

_KEPT = 5_000


class StateRotations:
    """Answers the port `RotationLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def begin(self, rotation: Rotation) -> int:
        """Store a reset before it is sent, and return its number.

        Raises:
            StateError: It cannot be stored; so it must not be sent.
        """
        return self._database.write(
            lambda connection: ROTATIONS.add_newest(connection, rotation, kept=_KEPT)
        )

    def finish(
        self, number: int, state: RotationState, after: Identity | None, ended_at: datetime
    ) -> None:
        """Store how a reset ended."""
        after = after or Identity()
        row = {
            "state": state,
            "ended_at": ended_at,
            "after_id": after.session_id,
            "after_revision": after.revision,
            "after_started_at": after.started_at,
            "after_tokens": after.tokens,
        }
        self._database.write(lambda connection: ROTATIONS.change(connection, row, id=number))

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Rotation, ...]:
        """Return the newest rotations of one session first; none when they cannot be read."""
        found = self._database.find(
            ROTATIONS,
            "ORDER BY id DESC LIMIT ?",
            (limit,),
            home=agent.home,
            agent=agent.id,
            key=key,
        )
        return tuple(replace(one, after=None) if one.after == Identity() else one for one in found)


class StateBranches:
    """Answers the port `BranchLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def begin(self, branch: Branch) -> int:
        """Store a branch before it is asked for, and return its number.

        Raises:
            StateError: It cannot be stored; so it must not be asked for.
        """
        return self._database.write(
            lambda connection: BRANCHES.add_newest(connection, branch, kept=_KEPT)
        )

    def finish(self, number: int, state: BranchState, made: str | None, ended_at: datetime) -> None:
        """Store what became of it."""
        row = {"state": state, "made": made, "ended_at": ended_at}
        self._database.write(lambda connection: BRANCHES.change(connection, row, id=number))

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Branch, ...]:
        """Return the newest branches of one session first; none when they cannot be read."""
        return tuple(
            self._database.find(
                BRANCHES,
                "ORDER BY id DESC LIMIT ?",
                (limit,),
                home=agent.home,
                agent=agent.id,
                key=key,
            )
        )
