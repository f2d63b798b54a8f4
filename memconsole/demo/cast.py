"""Who lives in the demo: six agents, their sessions, and the stage they play on."""

from __future__ import annotations

import random
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import date, datetime

    from memconsole.domain.calendar import Zone


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
    """What the store knows about the size of a session."""

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
        conversations: Names of its sessions, oldest first; none when it never ran.
        tokens: Size of its context at the end.
        reported: What the store says instead; None when it says the same.
        grown: Tokens added in the last five hours, for the forecast.
        age: Time since its last message.
        span: Time from its first message to its last.
        compacted_at: Size at which it was compacted before the last session; None when never.
        is_restarted: A person reset it before the last session.
        status: Of its last run; one that failed did not get beyond the first question.
    """

    rest: str
    conversations: tuple[str, ...] = ()
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


GROWING = ("homelab", "main", "growing")
"""Agent, key and talk of the session that grows while somebody looks."""

CRON_RUNS = ("homelab", "nightly-backup", "nightly", 40)
"""Agent, job, talk and number of the runs that are folded into one row."""


def _ago(days: float = 0, hours: float = 0, minutes: float = 0) -> timedelta:
    return timedelta(days=days, hours=hours, minutes=minutes)


def _spawned(name: str) -> str:
    return f"subagent:{name}"


_MAIN = AgentPlan(
    id="main",
    name="Robin",
    is_sqlite=False,
    log_days=62,
    saved=_ago(minutes=4),
    sessions=(
        SessionPlan(
            rest="main",
            conversations=("groceries", "inventory-move", "ferry", "household"),
            tokens=83_400,
            grown=21_000,
            age=_ago(minutes=6),
            span=_ago(hours=9),
        ),
        SessionPlan(
            rest="telegram:direct:lena",
            conversations=("lena",),
            tokens=64_200,
            count=Count.ABSENT,
            age=_ago(minutes=52),
            label="Lena",
            channel="telegram",
        ),
        SessionPlan(
            rest="telegram:group:-100204718",
            conversations=("family",),
            tokens=31_800,
            grown=2_500,
            age=_ago(hours=2),
            label="Family",
            channel="telegram",
            chat_type="group",
        ),
        SessionPlan(
            rest="telegram:group:-100204718:topic:7",
            conversations=("groceries",),
            tokens=12_100,
            age=_ago(hours=5),
            label="Family · shopping",
            channel="telegram",
            chat_type="group",
        ),
        SessionPlan(
            rest="whatsapp:direct:351912",
            conversations=("avo",),
            tokens=9_300,
            age=_ago(days=3),
            label="Avó Rosa",
            channel="whatsapp",
        ),
        SessionPlan(
            rest="cron:morning-brief", conversations=("brief",), tokens=18_200, age=_ago(hours=7)
        ),
        SessionPlan(
            rest=_spawned("9c0f6a52-0d3e-4c5f-8f66-2f1f2f9a7e10"),
            conversations=("subferry",),
            tokens=22_700,
            age=_ago(hours=8),
            label="Compare ferry prices",
            parent="main",
        ),
        SessionPlan(rest="main", conversations=("ferry",), fate=Fate.RESET, age=_ago(days=6)),
        SessionPlan(
            rest="main", conversations=("groceries", "avo"), fate=Fate.RESET, age=_ago(days=13)
        ),
        SessionPlan(
            rest="telegram:direct:tom",
            conversations=("family",),
            fate=Fate.DELETED,
            age=_ago(days=9),
        ),
        SessionPlan(rest="", conversations=("ferry",), fate=Fate.ORPHAN, age=_ago(days=21)),
    ),
)

_WORK = AgentPlan(
    id="work",
    name="Ada",
    is_sqlite=True,
    log_days=55,
    saved=_ago(minutes=12),
    sessions=(
        SessionPlan(
            rest="main",
            conversations=("oncall", "deadlock", "flaky", "migration"),
            tokens=151_240,
            grown=44_000,
            age=_ago(minutes=14),
            span=_ago(hours=11),
        ),
        SessionPlan(
            rest="dashboard:5f0c2f3e-8a44-4a1b-9d5d-0c7f6d1f3b90",
            conversations=("migration", "review"),
            tokens=128_400,
            count=Count.STALE,
            age=_ago(hours=3),
            label="Inventory migration",
        ),
        SessionPlan(
            rest="discord:channel:ops",
            conversations=("ops",),
            count=Count.ABSENT,
            age=_ago(hours=1, minutes=20),
            label="#ops",
            channel="discord",
            chat_type="channel",
            status="failed",
        ),
        SessionPlan(
            rest="discord:channel:ops:thread:1184",
            conversations=("thread", "review"),
            tokens=44_600,
            grown=8_200,
            age=_ago(minutes=38),
            label="PR 1184",
            channel="discord",
            chat_type="channel",
        ),
        SessionPlan(
            rest="slack:direct:u042",
            conversations=("jonas",),
            tokens=58_300,
            reported=231_500,
            age=_ago(hours=4),
            label="Jonas",
            channel="slack",
        ),
        SessionPlan(
            rest=_spawned("1d4d8b0e-6a7c-4a39-b7c0-52f0a1c2d3e4"),
            conversations=("spawned",),
            tokens=38_900,
            age=_ago(hours=2),
            label="Find every reader of PostgreSQL",
            parent="main",
        ),
        SessionPlan(
            rest="dashboard:old", conversations=("flaky",), fate=Fate.DELETED, age=_ago(days=11)
        ),
        SessionPlan(
            rest="main", conversations=("review", "ops"), fate=Fate.RESET, age=_ago(days=4)
        ),
    ),
)

_RESEARCH = AgentPlan(
    id="research",
    name="Noor",
    is_sqlite=True,
    log_days=24,
    sessions=(
        SessionPlan(
            rest="main",
            conversations=("reading", "sources", "batteries"),
            tokens=71_300,
            grown=15_500,
            age=_ago(hours=2),
            span=_ago(hours=30),
            compacted_at=171_200,
        ),
        SessionPlan(
            rest="line:direct:yuki",
            conversations=("yuki",),
            tokens=87_900,
            age=_ago(days=1),
            label="由紀",
            channel="line",
            window=128_000,
        ),
    ),
)

_WRITER = AgentPlan(
    id="writer",
    name="Clarice",
    is_sqlite=True,
    log_days=27,
    sessions=(
        SessionPlan(
            rest="main",
            conversations=("style", "newsletter"),
            tokens=37_100,
            age=_ago(hours=6),
            span=_ago(hours=28),
            is_restarted=True,
        ),
        SessionPlan(
            rest="email:direct:brandt",
            conversations=("lektorat",),
            tokens=26_400,
            age=_ago(days=1, hours=3),
            label="Lektorat Brandt",
            channel="email",
        ),
        SessionPlan(
            rest="dashboard:mette", conversations=("podcast",), tokens=19_800, age=_ago(days=8)
        ),
    ),
)

_HOMELAB = AgentPlan(
    id="homelab",
    name="Rack",
    is_sqlite=False,
    saved=_ago(minutes=22),
    log_days=20,
    sessions=(
        SessionPlan(
            rest="main",
            conversations=("dns", "backup", "disk"),
            tokens=132_600,
            grown=30_000,
            age=_ago(minutes=2),
            span=_ago(hours=10),
            label="Disk in bay 3",
        ),
        SessionPlan(
            rest="cron:disk-check", conversations=("diskcheck",), tokens=15_100, age=_ago(hours=7)
        ),
        SessionPlan(
            rest="hook:alertmanager", conversations=("alert",), tokens=11_900, age=_ago(days=2)
        ),
    ),
)

_FINANCE = AgentPlan(
    id="finance",
    name="Penny",
    is_sqlite=False,
    log_days=30,
    sessions=(
        SessionPlan(
            rest="main", conversations=("vat", "invoices"), tokens=14_700, age=_ago(days=2)
        ),
        SessionPlan(
            rest="email:direct:kanzlei",
            conversations=("steuer",),
            tokens=8_100,
            age=_ago(days=5),
            label="Kanzlei",
            channel="email",
        ),
        SessionPlan(rest="dashboard:new", age=_ago(days=1), label="Year end"),
    ),
)

AGENTS = (_MAIN, _WORK, _RESEARCH, _WRITER, _HOMELAB, _FINANCE)
