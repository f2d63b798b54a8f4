"""Keeps what is known about jobs; a full disk costs the memory of runs, never a run."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Run
from memconsole.domain.jobs.runs import CANCELLED, FAILED, NOTHING_DUE
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from memconsole.domain.agents import Origin
    from memconsole.domain.jobs.runs import JobEnd, JobRecord
    from memconsole.ports.jobs import JobStore
    from memconsole.ports.platform import RunLog

logger = logging.getLogger(__name__)

_RETRY_S = 60.0


class JobHistory:
    """Writes down what jobs did; what cannot be stored is stored later.

    Args:
        store: Where jobs are remembered.
        runs: Where their runs are told to people.
        origin: Who runs them.
        home: The platform home they are about.
    """

    def __init__(self, store: JobStore, runs: RunLog, origin: Origin, home: str | None) -> None:
        self._store = store
        self._runs = runs
        self._origin = origin
        self._home = home
        self._unsaved: dict[str, JobRecord] = {}
        self._retry_s = float("-inf")
        self._seen: object = None

    def keep_open(self) -> AbstractContextManager[None]:
        """Make the many small writes of the block cheap."""
        return self._store.keep_open()

    def load(self) -> Mapping[str, JobRecord]:
        """Return what is remembered."""
        return self._store.records()

    def paused(self) -> frozenset[str] | None:
        """Return the jobs that somebody has paused; None when that cannot have changed."""
        changes = self._store.changes()
        if changes == self._seen:
            return None
        self._seen = changes
        records = self._store.records()
        if not records:  # it cannot be read, which resumes nothing
            return None
        return frozenset(name for name, record in records.items() if record.is_paused)

    def save(self, record: JobRecord) -> None:
        """Store a record, or keep it until it can be stored."""
        try:
            self._store.save(record)
        except StateError as error:
            if not self._unsaved:
                logger.warning("runs are not remembered: %s", error)
            self._unsaved[record.id] = record
        else:
            self._unsaved.pop(record.id, None)

    def retry(self, elapsed_s: float) -> None:
        """Store what could not be stored; most calls do nothing."""
        if not self._unsaved or elapsed_s - self._retry_s < _RETRY_S:
            return
        self._retry_s = elapsed_s
        for record in tuple(self._unsaved.values()):
            self.save(record)
        if not self._unsaved:
            logger.warning("runs are remembered again")

    def note(self, record: JobRecord) -> None:
        """Tell people of a job that failed as a whole: its commands did not get so far."""
        if record.status != FAILED or record.started_at is None:
            return
        run = Run(
            id=0,
            job=record.id,
            command="once",
            command_line=f"memconsole once {record.id}",
            origin=self._origin,
            agent=None,
            key=None,
            started_at=record.started_at,
            ended_at=record.ended_at,
            status=FAILED,
            reason=record.reason,
            message=record.message,
            duration_ms=record.duration_ms,
            home=self._home,
        )
        try:
            self._runs.add(run)
        except StateError as error:
            logger.warning("the run was not recorded: %s", error)


def log_end(job: str, end: JobEnd) -> None:
    """Log how a run ended; one that had nothing to do is no news."""
    level = logging.INFO
    if end.status == FAILED and end.reason != CANCELLED:
        level = logging.WARNING
    elif end.reason == NOTHING_DUE:
        level = logging.DEBUG
    words = end.status if end.reason is None else f"{end.status} ({end.reason})"
    logger.log(level, "job %s %s: %s", job, words, end.message)
