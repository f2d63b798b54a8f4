"""A host that remembers something, and publishes it, all in this process."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.domain.agents import Origin
from memconsole.domain.commands.reindex import Reindex
from tests.lanes.postgres.test_publishing import copy_of

if TYPE_CHECKING:
    import uuid
    from pathlib import Path

    from memconsole.domain.fleet.chunks import Shelf
    from memconsole.domain.fleet.publishing import Published
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from tests.lanes.postgres.fleet import Somebody


class Memories:
    """What the agents of a host wrote down.

    Args:
        host: Whose.
        identity: Of its home.
        publish: The level.
        more: More of its environment.
    """

    def __init__(
        self, host: Somebody, identity: uuid.UUID, publish: str = "memory", **more: str
    ) -> None:
        self.host, self.identity = host, identity
        self.environment = {
            **host.environment,
            "MEMCONSOLE_FLEET__PUBLISH": publish,
            **more,
        }

    def workspace(self, agent: str = "main") -> Path:
        """Return the folder of an agent's memory."""
        return self.host.home / ("workspace" if agent == "main" else f"workspace-{agent}")

    def write(self, path: str, text: str, agent: str = "main") -> None:
        """Write a file of a memory."""
        place = self.workspace(agent) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def settings(self, **fleet: object) -> Settings:
        """Return the settings of the host."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            found = process.load_settings(None, {})
        return replace(found, fleet=replace(found.fleet, **fleet))  # type: ignore[arg-type]

    def engine(self, **fleet: object) -> Engine:
        """Return the engine of the host."""
        return wiring.build_engine(self.settings(**fleet), Origin.CLI)

    def shelves(self, **fleet: object) -> tuple[Shelf, ...]:
        """Return what may leave, after the index was brought up to date."""
        engine = self.engine(**fleet)
        for agent in engine.home.read().agents:
            engine.run(Reindex(agent.ref, with_sessions=True))
        return engine.search.outgoing()

    def publish(self, **fleet: object) -> Published:
        """Publish once, as the scheduler does with each beat."""
        with closing(copy_of(self.host, self.identity)) as copy:
            return copy.publish((), self.shelves(**fleet))
