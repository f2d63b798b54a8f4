"""The console as ever, that also notes whose sessions are listed: `… watched LOG ARGUMENTS`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.__main__ import main
from memconsole.adapters.sessions.agent import AgentSessionStore

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.stored import StoreListing


def watch(log: Path) -> None:
    """Append the id of every agent whose sessions are listed to a file."""
    listed = AgentSessionStore.sessions

    def sessions(self: AgentSessionStore, agent: Agent) -> StoreListing:
        with log.open("a", encoding="utf-8") as lines:
            lines.write(f"{agent.id}\n")
        return listed(self, agent)

    AgentSessionStore.sessions = sessions  # type: ignore[method-assign]  # to listen in


if __name__ == "__main__":
    watch(Path(sys.argv.pop(1)))
    sys.exit(main())
