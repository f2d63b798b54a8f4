"""The homes of a fleet, how each of them is, and how the server is in which they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.agents import Severity
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from memconsole.domain.agents import HomeRef

MANY: Final = 6
"""From so many hosts on a list of all their agents shows nothing at a glance."""


class HomeFigures(NamedTuple):
    """What of one home stands in its row.

    Attributes:
        due: Sessions that automatic rotation would take.
        fill: Of its fullest live session, 1 at the threshold; None when no count is known.
        tokens: Of the same session.
        findings: Worth a look.
        worst: What the first of them says; empty when there is none.
        severity: How bad that is.
    """

    agents: int = 0
    due: int = 0
    fill: float | None = None
    tokens: int | None = None
    findings: int = 0
    worst: str = ""
    severity: Severity = Severity.INFO


@dataclass(frozen=True, slots=True)
class HomeReading:
    """How one of several homes is.

    Attributes:
        label: What its agents are called by, before a slash: `alpha`, or `alpha:/srv/b/.openclaw`.
        freshness: `live`, `late` or `away`; what is shown of one that is away is of `as_of`.
        as_of: When what is shown of it was read; None where nothing ever was.
        failure: Why it is away; empty when it is not, or was not asked yet.
        version: Release of memconsole there; empty where nobody knows.
        labels: Groups of hosts that it belongs to.
        figures: What stands in its row; None where nothing was ever read.
        skew: How far its clock is ahead, where that is worth telling.
        allows: Commands that its host admits from afar; None where that is its own affair.
        granted: Commands that this person may ask of its host; None where nobody grants any.
        chunks: Published to be searched; None where nobody knows, or we may not search there.
        waits: A command for it waits while it is away, and is not refused.
    """

    ref: HomeRef
    label: str
    freshness: str
    as_of: datetime | None
    failure: str = ""
    hint: str = ""
    version: str = ""
    labels: tuple[str, ...] = ()
    figures: HomeFigures | None = None
    skew: timedelta | None = None
    allows: tuple[str, ...] | None = None
    granted: tuple[str, ...] | None = None
    chunks: int | None = None
    waits: bool = False

    def door(self, verb: str) -> str:
        """Return which door is shut for a command, as a sentence; empty where none is known to be.

        The command's own rules are a door too, which the host alone opens.
        """
        if self.granted is not None and verb not in self.granted:
            return f"{verb} on {self.label}: you were not granted it (fleet grant)"
        if self.allows is not None and verb not in self.allows:
            return f"{verb} on {self.label}: that host does not admit it (fleet.allow there)"
        return ""

    @property
    def is_far(self) -> bool:
        """Whether it is of another host, whose files nobody reads here."""
        return bool(self.ref.host)


@dataclass(frozen=True, slots=True)
class ServerReading:
    """How the server is in which a fleet meets.

    Attributes:
        is_up: Whether the last look at it succeeded.
        since: When that became so.
        as_of: When it was looked at last with success; None for never.
        latency_ms: Of that look; None for never.
        failure: Why it is away; empty when it is not.
    """

    is_up: bool
    since: datetime
    as_of: datetime | None = None
    latency_ms: float | None = None
    failure: str = ""
    hint: str = ""

    @property
    def is_asked(self) -> bool:
        """Whether the first look at it has not ended yet."""
        return not self.is_up and not self.failure


def hosts(homes: Iterable[HomeReading]) -> set[str]:
    """Return the names of the hosts of homes: a label is a host, and what tells its homes apart."""
    return {one.label.partition(":")[0] for one in homes}
