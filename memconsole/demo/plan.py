"""How an agent of the demo and its sessions are planned, and the stage on which they play."""

from __future__ import annotations

import random
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from datetime import date, datetime

    from memconsole.domain.days import Zone


@dataclass(frozen=True, slots=True)
class Stage:
    """When and where everything plays; equal stages have equal homes.

    Attributes:
        now: The present, aware UTC.
        zone: The operator's time zone, None for the host's: daily logs go by it.
        seed: Chooses times, ids and days.
    """

    now: datetime
    zone: Zone
    seed: int

    @property
    def today(self) -> date:
        """The operator's date."""
        return self.now.astimezone(self.zone).date()

    def chance(self, *names: object) -> random.Random:
        """Return the dice of one thing, the same in every run."""
        return random.Random("/".join(map(str, (self.seed, *names))))  # dice, not secrets


class Count(Enum):
    """What the store knows about the size of a session (A2)."""

    FRESH = auto()
    STALE = auto()
    ABSENT = auto()


class Fate(Enum):
    """What became of a session."""

    LIVE = auto()
    RESET = auto()
    DELETED = auto()
    ORPHAN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """One session.

    Attributes:
        rest: Its key behind `agent:<id>:`.
        talks: Names of its talks, oldest first; none when it never ran.
        tokens: Size of its context at the end.
        reported: What the store says instead; None when it says the same.
        grown: Tokens added in the last five hours, for the forecast.
        age: Time since its last message.
        span: Time from its first message to its last.
        compacted_at: Size at which it was compacted before the last talk; None when never.
        is_restarted: A person reset it before the last talk.
        status: Of its last run; one that failed did not get beyond the first question.
    """

    rest: str
    talks: tuple[str, ...] = ()
    tokens: int = 0
    reported: int | None = None
    grown: int = 0
    age: timedelta = timedelta(hours=1)
    span: timedelta = timedelta(hours=4)
    count: Count = Count.FRESH
    fate: Fate = Fate.LIVE
    label: str | None = None
    channel: str | None = None
    chat_type: str = "direct"
    status: str = "done"
    window: int = 200_000
    compacted_at: int | None = None
    is_restarted: bool = False
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlan:
    """One agent.

    Attributes:
        name: How it calls itself.
        is_sqlite: It lives in the SQLite era, the others in the file era.
        sessions: Its sessions.
        saved: Time since its last checkpoint; None when there is none.
        log_days: How many days its daily logs go back.
    """

    id: str
    name: str
    is_sqlite: bool
    sessions: tuple[SessionPlan, ...]
    saved: timedelta | None = None
    log_days: int = 34
