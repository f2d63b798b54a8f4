"""Old transcripts in memory: what was packed, and what was done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import OldFile


@dataclass
class FakeOldTranscripts:
    """Packs to a tenth; `refused` fails.

    Attributes:
        done: (what, session id), in order.
    """

    there: list[OldFile] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    done: list[tuple[str, str]] = field(default_factory=list)

    def packed(self, agent: Agent) -> tuple[OldFile, ...]:
        return tuple(self.there)

    def compress(self, agent: Agent, file: OldFile) -> int:
        return self._do("compress", file) * 9 // 10

    def delete(self, agent: Agent, file: OldFile) -> int:
        return self._do("delete", file)

    def _do(self, what: str, file: OldFile) -> int:
        if file.session_id in self.refused:
            raise PermissionError(13, "Permission denied")
        self.done.append((what, file.session_id))
        return file.size_bytes
