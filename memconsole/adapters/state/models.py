"""What the model was used for, in `state.db` (port `ModelLog`)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.state.table import stamp
from memconsole.adapters.state.tables import MODEL_USES

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.model import ModelUse

_KEPT = timedelta(days=90)


class StateModels:
    """Answers the port `ModelLog`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def tokens_since(self, at: datetime) -> int:
        """Return the tokens used since then."""
        statement = "SELECT coalesce(sum(tokens), 0) FROM model_use WHERE at >= ?"
        rows = self._database.rows(statement, (stamp(at),))
        return rows[0][0] if rows and isinstance(rows[0][0], int) else 0

    def add(self, use: ModelUse) -> None:
        """Store one use."""

        def change(connection: Connection) -> None:
            MODEL_USES.add(connection, use)
            MODEL_USES.forget(connection, use.at - _KEPT)

        self._database.write(change)
