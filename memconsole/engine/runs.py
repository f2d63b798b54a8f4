"""Answers what was run, from our own records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import Origin
    from memconsole.domain.commands.outcomes import Run
    from memconsole.engine.home.service import HomeService
    from memconsole.ports.platform import RunLog


@dataclass(slots=True)
class RunService:
    """The runs of this home.

    Attributes:
        log: The records themselves; `log.require_readable()` tells what was never recorded from
            what cannot be read.
    """

    log: RunLog
    home: HomeService

    def newest(
        self,
        *,
        limit: int = 50,
        since: datetime | None = None,
        job: str | None = None,
        origin: Origin | None = None,
    ) -> tuple[Run, ...]:
        """Return this home's newest runs first.

        Raises:
            StateError: The records cannot be read: "none" and "nobody knows" differ.
        """
        self.log.require_readable()
        home = str(self.home.read().path)
        return self.log.runs(limit=limit, since=since, job=job, home=home, origin=origin)
