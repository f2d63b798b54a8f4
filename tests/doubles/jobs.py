"""A double of the jobs that are due and that ran."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memconsole.domain.jobs.runs import JobRecord
from tests.doubles.unwritable import Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass
class FakeJobs(Unwritable):
    """What is remembered about jobs.

    Attributes:
        stored: Records by job id.
        is_unreadable: Nothing is known of them.
        saves: How often something was stored.
        kept_open: How many blocks of cheap writes go on.
    """

    stored: dict[str, JobRecord] = field(default_factory=dict)
    is_unreadable: bool = False
    saves: int = 0
    kept_open: int = 0

    def records(self) -> Mapping[str, JobRecord]:
        return {} if self.is_unreadable else dict(self.stored)

    def save(self, record: JobRecord) -> None:
        known = self.stored.get(record.id, JobRecord(record.id))
        self._store(replace(record, is_paused=known.is_paused))

    def pause(self, job: str, *, is_paused: bool) -> None:
        self._store(replace(self.stored.get(job, JobRecord(job)), is_paused=is_paused))

    def changes(self) -> object:
        return self.saves, self.is_unreadable

    @contextmanager
    def keep_open(self) -> Iterator[None]:
        self.kept_open += 1
        try:
            yield
        finally:
            self.kept_open -= 1

    def _store(self, record: JobRecord) -> None:
        self._check()
        self.saves += 1
        self.stored[record.id] = record
