"""The hosts of a fleet, how new what they published is, and the way to their server.

All times are by the server's clock alone.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.fleet.wire import Freshness

if TYPE_CHECKING:
    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.letters import Sent

AWAY = timedelta(minutes=5)
_SLACK = timedelta(seconds=20)
HIDDEN = timedelta(days=30)


class Member(NamedTuple):
    """One host of a fleet.

    Attributes:
        beat_s: Seconds between two signs of life, as it says itself.
        seen_at: Its last sign of life; None when there was none.
        skew_ms: How far its clock is ahead of the server's, in milliseconds.
        now: The server's clock when this was read.
        allows: Commands that it admits from afar, as it says itself.
        least_wire: Edition of answers that a host must speak to publish in this fleet.
    """

    name: str
    labels: tuple[str, ...]
    version: str | None
    wire: int | None
    beat_s: int
    seen_at: datetime | None
    skew_ms: int | None
    joined_at: datetime | None
    left_at: datetime | None
    now: datetime
    allows: tuple[str, ...] = ()
    least_wire: int = 1

    @property
    def freshness(self) -> Freshness:
        """How new its figures are."""
        return freshness_of(self.seen_at, self.now, self.beat_s)

    @property
    def is_too_old(self) -> bool:
        """Whether it publishes no more until its memconsole is a newer one."""
        return self.wire is not None and self.wire < self.least_wire

    @property
    def is_hidden(self) -> bool:
        """Whether lists leave it out: it left, or nobody has heard of it for long."""
        last = self.seen_at or self.joined_at
        return self.left_at is not None or (last is not None and self.now - last > HIDDEN)


def freshness_of(seen_at: datetime | None, now: datetime, beat_s: int) -> Freshness:
    """Return how new something is that is renewed with every beat.

    Args:
        seen_at: When it was renewed last; None for never.
        now: By the same clock.
        beat_s: Seconds between two beats.
    """
    if seen_at is None or now - seen_at > max(AWAY, timedelta(seconds=4 * beat_s)):
        return Freshness.AWAY
    late = timedelta(seconds=2 * beat_s) + _SLACK
    return Freshness.LATE if now - seen_at > late else Freshness.LIVE


class Event(NamedTuple):
    """One row of the audit.

    Attributes:
        by: Role that did it.
        what: `join`, `leave`, `invite`, `grant`, `revoke`, `forget`, `upgrade`, `prune`, or the
            name of a command that was sent.
        state: How far a command is; None for what is none.
        command_id: Of a command.
    """

    at: datetime
    by: str
    what: str
    details: str
    state: str | None
    command_id: str | None


class Pruned(NamedTuple):
    """What was deleted, or would be.

    Attributes:
        commands: Rows of the audit.
        events: Rows of the audit.
        hosts: That left, or were not heard of for long.
    """

    commands: int
    events: int
    hosts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The same in words."""
        hosts = f"the hosts {', '.join(self.hosts)}" if self.hosts else "no host"
        return f"{self.commands} commands and {self.events} events of the audit, and {hosts}"


class Seen(NamedTuple):
    """One home at one look.

    Attributes:
        number: Tells it from the others.
        looked_at: When its host looked at it last; None before anything was published.
        has_moved: Its figures are other than at the look before.
        granted: What this person may do there.
        chunks: That are there to be searched by this person; None where it may not search.
    """

    number: int
    ref: HomeRef
    member: Member
    looked_at: datetime | None
    has_moved: bool
    granted: tuple[str, ...] = ()
    chunks: int | None = None


class Look(NamedTuple):
    """What one look at a fleet found.

    Attributes:
        letters: What is asked of hosts, newest first; `by` is a person, empty for us.
    """

    homes: tuple[Seen, ...]
    latency_ms: float
    letters: tuple[Sent, ...] = ()


class Finding(NamedTuple):
    """One thing that is not as it should be.

    Attributes:
        code: Stable word.
        hint: What to do; empty when there is nothing to do.
        is_refusal: Nobody joins a fleet over such a way.
    """

    code: str
    text: str
    hint: str
    is_refusal: bool = False


class Way(NamedTuple):
    """What a look at the way to the server found.

    Attributes:
        server: Version of PostgreSQL.
        schema: Version of the fleet's schema; None where there is no fleet.
        latency_ms: Of a question that needs nothing.
        skew_ms: How far our clock is ahead of the server's.
        role: As whom we were let in.
        is_person: That is a person, who publishes nothing.
    """

    server: str
    schema: int | None
    latency_ms: float
    skew_ms: int
    role: str
    is_encrypted: bool
    is_person: bool
    findings: tuple[Finding, ...] = ()
