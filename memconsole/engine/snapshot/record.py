"""Keeps what a reading found out, for growth, for recovery and for the next process."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.engine.snapshot.snapshot import keys_of, samples_of
from memconsole.errors import StateError

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import SampleStore
    from memconsole.ports.state import RecoveryLog

logger = logging.getLogger(__name__)


class ReadingService:
    """What readings leave behind."""

    def __init__(self, samples: SampleStore, recovery: RecoveryLog, reader: Reader) -> None:
        self._samples = samples
        self._recovery = recovery
        self._reader = reader
        self._noted: dict[AgentRef, dict[str, str]] = {}

    def sample(self, snapshot: ConsoleSnapshot) -> None:
        """Keep what a snapshot saw: counts for growth, and the keys of sessions for recovery."""
        try:
            self._samples.add(samples_of(snapshot))
            for agent, keys in keys_of(snapshot).items():
                if self._noted.get(agent) != keys:
                    self._recovery.note(agent, keys, snapshot.taken_at)
                    self._noted[agent] = keys
        except StateError as error:
            logger.warning("samples are not kept: %s", error)

    def remember(self) -> None:
        """Keep the ends of transcripts, so that the next process need not read them anew."""
        self._reader.remember(self._reader.home())
