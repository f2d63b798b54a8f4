"""What a host publishes of its home, as the JSON of its own command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memconsole.cli.json import encode, outcome
from memconsole.cli.output.views import is_shown
from memconsole.domain.published import facts_of, names_in, outcomes_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from memconsole.domain.fleet.shapes import Json, Row
    from memconsole.domain.published import Fact, Veil
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.engine import Engine

_RUNS = 200


class Figures:
    """Makes the rows of a home.

    Args:
        engine: Of the home.
        settings: Its own.
        veil: Hides names.
        now: The time; health is looked after only so often.
    """

    def __init__(
        self, engine: Engine, settings: Settings, veil: Veil, now: Callable[[], datetime]
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._veil = veil
        self._now = now
        self._names: frozenset[str] = frozenset()
        self._keys: dict[str, str] = {}
        self._health: Row = {}
        self._health_names: frozenset[str] = frozenset()  # it tells of who may be gone by now
        self._health_at: datetime | None = None

    def look(self) -> tuple[Fact, ...]:
        """Return the rows of now, masked whatever the settings say.

        Raises:
            MemconsoleError: The home cannot be read.
        """
        snapshot = self._engine.snapshot()
        sessions = [encode.session(view) for view in snapshot.sessions if is_shown(view)]
        answers: dict[str, encode.Json] = {
            "status": encode.status(snapshot, self._settings),
            "agents": encode.agents(snapshot),
            "sessions": sessions,
            "runs": [outcome.run(one) for one in self._engine.runs.newest(limit=_RUNS)],
        }
        plain = cast("Row", encode.plain(answers))
        known = [(view.key_text or "", view.label) for view in snapshot.sessions]
        names = self._names = names_in(known)
        self._keys = {self._veil.key(key): key for key, _ in known if key}
        whole: dict[str, Json] = {**plain, "health": self._looked_after(snapshot)}
        every = names | self._health_names
        return facts_of(whole, self._veil, every, frozenset(self._settings.fleet.exclude))

    def meant(self, word: str) -> str:
        """Return the key of a session that a digest stands for; any other word as it is."""
        return self._keys.get(word, word)

    def hidden(self, answer: Json) -> Json:
        """Return an answer as rows are: masked, without names and without what is remembered."""
        return outcomes_of(cast("Json", encode.plain(answer)), self._veil, self._names)

    def _looked_after(self, snapshot: ConsoleSnapshot) -> Row:
        now, every = self._now(), self._interval
        if self._health_at is None or now - self._health_at >= every:
            self._health = cast(
                "Row", encode.plain(encode.health(self._engine.health.look(snapshot)))
            )
            self._health_at, self._health_names = now, self._names
        return self._health

    @property
    def _interval(self) -> timedelta:
        return self._settings.health.interval
