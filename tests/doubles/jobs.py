"""A double of the jobs that are due and that ran."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.jobs.runs import JobRecord


class FakeJobs:
    """What is remembered about jobs."""

    def __init__(self) -> None:
        self.current: dict[str, JobRecord] = {}

    def records(self) -> Mapping[str, JobRecord]:
        return self.current

    def save(self, record: JobRecord) -> None:
        self.current[record.id] = record

    def pause(self, job: str, *, is_paused: bool) -> None:
        self.current[job] = replace(self.current[job], is_paused=is_paused)

    def changes(self) -> object:
        return dict(self.current)

    def keep_open(self) -> AbstractContextManager[None]:
        return nullcontext()
