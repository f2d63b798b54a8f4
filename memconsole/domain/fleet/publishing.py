"""How publishing goes on: what was sent, what is wrong, and when it is tried again."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_PAUSE: Final = timedelta(minutes=1)
_FIRST_PAUSE = timedelta(seconds=1)
TOLD_AFTER: Final = timedelta(minutes=15)
"""A server that is away for longer is a finding; for less it is the weather."""


class Published(NamedTuple):
    """What one round sent.

    Attributes:
        rows: That are new or differ.
        gone: That are there no more.
        owed: Chunks that wait for the next round, which should come at once.
        earlier: When the fleet last heard of a home of this path under another identity, which is
            away; None where there is none.
    """

    rows: int
    gone: int
    owed: int = 0
    earlier: datetime | None = None


class Standing(NamedTuple):
    """How publishing goes, as a file tells other processes.

    Attributes:
        state: `live`, or the word of what is wrong: `away`, `held`, `fleet`.
        since: When it became so.
        at: When it was written.
        published_at: The last round that went through.
        message: What is wrong, as one sentence; also of what goes through.
        owed: Rows that are not in the copy yet, or not as they are now; None where nobody knows.
        commands: How many commands of people elsewhere ended so, by `verb state`.
    """

    state: str
    since: datetime
    at: datetime
    published_at: datetime | None = None
    message: str = ""
    owed: int | None = None
    commands: Mapping[str, int] = MappingProxyType({})

    def next(
        self, state: str, at: datetime, message: str = "", owed: int | None = None
    ) -> Standing:
        """Return what it is after another round."""
        published = at if state == "live" else self.published_at
        since = self.since if state == self.state else at
        return Standing(state, since, at, published, message, owed, self.commands)

    def text(self) -> str:
        """Return the file."""
        row = {
            name: one.isoformat() if isinstance(one, datetime) else one
            for name, one in self._replace(commands=dict(self.commands))._asdict().items()
        }
        return json.dumps(row) + "\n"


def standing_of(text: str | None) -> Standing | None:
    """Return what a file says; None when there is none, or it is none of ours."""
    try:
        row = json.loads(text or "")
        since, at = datetime.fromisoformat(row["since"]), datetime.fromisoformat(row["at"])
        published = row["published_at"]
        return Standing(
            str(row["state"]),
            since,
            at,
            None if published is None else datetime.fromisoformat(published),
            str(row["message"]),
            row.get("owed"),
            dict(row.get("commands", {})),
        )
    except (ValueError, KeyError, TypeError):
        return None


def pause_after(failures: int, share: float) -> timedelta:
    """Return how long to wait after some failures in a row.

    Args:
        failures: At least 1.
        share: From 0 to 1: hosts that failed together do not come back together.
    """
    whole: timedelta = min(MOST_PAUSE, _FIRST_PAUSE * 2 ** min(failures - 1, 10))
    return whole * (0.5 + share / 2)
