"""What the lists of the first screen need of every session: found once for each session object.

A home may have ten thousand of them, and most readings change none: what was found of a session,
and the order of all, is kept for as long as the reading holds the same objects.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.snapshot.danger import danger
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.names import row_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView


def is_usual(view: SessionView) -> bool:
    """Whether a session is shown unless all are asked for."""
    return view.state is SessionState.LIVE and not view.is_cron_run


class Known(NamedTuple):
    """What is known of one session.

    Attributes:
        key: Of its row.
        fill: 1 at the threshold; None where nobody knows, and of what has ended.
    """

    view: SessionView
    key: str
    agent: str
    danger: float
    is_usual: bool
    fill: float | None


def _known(view: SessionView) -> Known:
    percent = view.percent_of_threshold if view.state is SessionState.LIVE else None
    fill = None if percent is None else percent / 100
    return Known(view, row_key(view), view.agent.id, danger(view), is_usual(view), fill)


@dataclass(frozen=True, slots=True)
class Ordered:
    """The sessions of a list, in its order.

    Attributes:
        keys: Of their rows.
        places: Of the rows, by their keys.
        own: All sessions that could be listed, those that are folded included.
        due: How many are due.
        suspect: Those whose count cannot be true.
    """

    views: tuple[SessionView, ...]
    keys: tuple[str, ...]
    places: Mapping[str, int]
    own: tuple[Known, ...]
    due: int
    suspect: tuple[SessionView, ...]


class Crowd:
    """All sessions of a reading.

    Attributes:
        worst: The highest danger of each agent's sessions.
        fills: How full the fullest live session of each agent is; 1 at its threshold.
        usual: How many sessions of each agent are listed unless all are asked for.
    """

    def __init__(self) -> None:
        self._sessions: Sequence[SessionView] = ()
        self._known: dict[int, Known] = {}
        self._at: dict[str, SessionView] = {}
        self._orders: dict[tuple[object, ...], Ordered] = {}
        self.worst: dict[str, float] = {}
        self.fills: dict[str, float] = {}
        self.usual: dict[str, int] = {}

    def take(self, snapshot: ConsoleSnapshot) -> Crowd:
        """Take a reading; of what it shares with the last one nothing is found again."""
        if snapshot.sessions is not self._sessions:
            self._sessions = snapshot.sessions
            self._orders, self._at = {}, {}
            found = self._of(snapshot.sessions)
            self._known = {id(one.view): one for one in found}
            self._count(found)
        return self

    def _of(self, views: Iterable[SessionView]) -> list[Known]:
        found = []
        for view in views:
            one = self._known.get(id(view))
            found.append(_known(view) if one is None or one.view is not view else one)
        return found

    def _count(self, found: Iterable[Known]) -> None:
        self.worst, self.fills, self.usual = {}, {}, {}
        for _, _, agent, how_bad, is_listed, fill in found:
            if how_bad > self.worst.get(agent, -4.0):
                self.worst[agent] = how_bad
            if fill is not None and fill > self.fills.get(agent, -1.0):
                self.fills[agent] = fill
            if is_listed:
                self.usual[agent] = self.usual.get(agent, 0) + 1

    def at(self, key: str) -> SessionView | None:
        """Return the session of a row."""
        if not self._at:
            self._at = {one.key: one.view for one in reversed(self._known.values())}
        return self._at.get(key)

    def ordered(
        self,
        snapshot: ConsoleSnapshot,
        agent_id: str | None,
        order: Callable[[SessionView], float | str],
        *,
        falling: bool,
        everything: bool,
    ) -> Ordered:
        """Return the sessions of one agent, or of all, in an order that time alone cannot change.

        Args:
            snapshot: The reading that was taken.
            agent_id: Whose sessions; None for all.
            order: What decides.
            falling: The largest first.
            everything: Also cron runs, archives and orphans.
        """
        asked = agent_id, order, falling, everything
        if asked not in self._orders:
            own = self._of(snapshot.of_agent(agent_id))
            shown = own if everything else [one for one in own if one.is_usual]
            by = attrgetter("danger") if order is danger else lambda one: order(one.view)
            shown = sorted(shown, key=by, reverse=falling)
            keys = tuple(one.key for one in shown)
            views = tuple(one.view for one in shown)
            self._orders[asked] = Ordered(
                views,
                keys,
                {key: place for place, key in enumerate(keys)},
                tuple(own),
                sum(view.is_due for view in views),
                tuple(view for view in views if view.count.state is TokenState.SUSPECT),
            )
        return self._orders[asked]
