"""The journal of rotations in `state.db` (port `RotationLog`)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.state.database import (
    instant,
    known_text,
    marks,
    name,
    rows_of,
    stamp,
    text,
)
from memconsole.domain.agents import AgentRef
from memconsole.domain.rotation import Identity, Rotation, RotationState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue
    from memconsole.adapters.state.database import StateDatabase

_COLUMNS = (
    "home, agent, key, state, started_at, ended_at, threshold, before_id, before_revision, "
    "before_started_at, before_tokens, after_id, after_revision, after_started_at, after_tokens"
)
_KEPT = 5_000


class StateRotations:
    """Answers `ports.RotationLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def begin(self, rotation: Rotation) -> int:
        """Store a reset before it is sent, and return its number.

        Raises:
            StateError: It cannot be stored; so it must not be sent.
        """
        values = (
            name(rotation.agent.home),
            name(rotation.agent.id),
            name(rotation.key),
            rotation.state.value,
            stamp(rotation.started_at),
            None,
            rotation.threshold,
            *_identity_values(rotation.before),
            *_identity_values(Identity()),
            ",".join(f"{step}:{status}" for step, status in rotation.captured),
        )
        number = 0
        statement = f"INSERT INTO rotation ({_COLUMNS}, captured) VALUES ({marks(values)})"
        statement += " RETURNING id"

        def change(connection: Connection) -> None:
            nonlocal number
            found = connection.execute(statement, values).fetchone()
            number = found[0] if found is not None and isinstance(found[0], int) else 0
            connection.execute("DELETE FROM rotation WHERE id <= ?", (number - _KEPT,))

        self._database.write(change)
        return number

    def finish(
        self, number: int, state: RotationState, after: Identity | None, ended_at: datetime
    ) -> None:
        """Store how a reset ended.

        Raises:
            StateError: It cannot be stored.
        """
        values = (
            state.value,
            stamp(ended_at),
            *_identity_values(after or Identity()),
            number,
        )

        def change(connection: Connection) -> None:
            connection.execute(
                "UPDATE rotation SET state = ?, ended_at = ?, after_id = ?, after_revision = ?, "
                "after_started_at = ?, after_tokens = ? WHERE id = ?",
                values,
            )

        self._database.write(change)

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Rotation, ...]:
        """Return the newest rotations of one session first; none when they cannot be read."""
        statement = (
            f"SELECT id, {_COLUMNS} FROM rotation WHERE home = ? AND agent = ? AND key = ? "
            "ORDER BY id DESC LIMIT ?"
        )
        values = (name(agent.home), name(agent.id), name(key), limit)
        found = [_rotation(row) for row in rows_of(self._database, statement, values)]
        saved = self._captured([one.id for one in found if one is not None])
        return tuple(
            replace(one, captured=saved.get(one.id, ())) for one in found if one is not None
        )

    def _captured(self, numbers: Sequence[int]) -> dict[int, tuple[tuple[str, str], ...]]:
        """Return what was saved before each; asked apart, for a database of before knows it not."""
        if not numbers:
            return {}
        statement = f"SELECT id, captured FROM rotation WHERE id IN ({marks(numbers)})"
        rows = rows_of(self._database, statement, numbers)
        return {
            number: _captured(known_text(steps))
            for number, steps in rows
            if isinstance(number, int)
        }


def _identity_values(one: Identity) -> tuple[str | int | None, ...]:
    started_at = None if one.started_at is None else stamp(one.started_at)
    return name(one.session_id), text(one.revision), started_at, one.tokens


def _rotation(row: Row) -> Rotation | None:
    """Return one rotation; None for a row that another program spoiled."""
    number, home, agent, key, state, started, ended, threshold, *rest = row
    started_at = instant(started)
    if started_at is None or state not in set(RotationState) or not isinstance(number, int):
        return None
    before, after = _identity(rest[:4]), _identity(rest[4:])
    return Rotation(
        id=number,
        agent=AgentRef(str(home), str(agent)),
        key=str(key),
        state=RotationState(state),
        started_at=started_at,
        before=before,
        threshold=threshold if isinstance(threshold, int) else 0,
        ended_at=instant(ended),
        after=None if after == Identity() else after,
    )


def _captured(stored: str | None) -> tuple[tuple[str, str], ...]:
    """Return (step, status) of what was saved first; nothing for rows of before."""
    parts = [one.partition(":") for one in (stored or "").split(",")]
    return tuple((step, status) for step, colon, status in parts if colon)


def _identity(values: Sequence[SqlValue]) -> Identity:
    session_id, revision, started_at, tokens = values
    return Identity(
        session_id=known_text(session_id),
        revision=known_text(revision),
        started_at=instant(started_at),
        tokens=tokens if isinstance(tokens, int) else None,
    )
