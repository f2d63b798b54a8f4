"""The journal of rotations in `state.db` (port `RotationLog`, A13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.stores.state_values import instant, known_text, marks, rows_of, stamp, text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.sqlite import Connection, Row, SqlValue
    from memconsole.stores.state import StateDatabase

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
            text(rotation.agent.home),
            text(rotation.agent.id),
            text(rotation.key),
            rotation.state.value,
            stamp(rotation.started_at),
            None,
            rotation.threshold,
            *_identity_values(rotation.before),
            *_identity_values(Identity()),
        )
        number = 0

        def change(connection: Connection) -> None:
            nonlocal number
            found = connection.execute(
                f"INSERT INTO rotation ({_COLUMNS}) VALUES ({marks(values)}) RETURNING id", values
            ).fetchone()
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
        values = (text(agent.home), text(agent.id), text(key), limit)
        found = rows_of(self._database, statement, values)
        return tuple(one for row in found if (one := _rotation(row)) is not None)


def _identity_values(one: Identity) -> tuple[str | int | None, ...]:
    started_at = None if one.started_at is None else stamp(one.started_at)
    return text(one.session_id), text(one.revision), started_at, one.tokens


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


def _identity(values: Sequence[SqlValue]) -> Identity:
    session_id, revision, started_at, tokens = values
    return Identity(
        session_id=known_text(session_id),
        revision=known_text(revision),
        started_at=instant(started_at),
        tokens=tokens if isinstance(tokens, int) else None,
    )
