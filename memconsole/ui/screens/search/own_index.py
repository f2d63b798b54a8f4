"""One line about the agent's own search index, which looks after itself."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, cast

from textual import on
from textual.message import Message

from memconsole.domain.platform_search.index import PlatformIndexHealth
from memconsole.errors import MemconsoleError
from memconsole.ui.screens.search.why_rows import index_line
from memconsole.ui.widgets.line import Bar

if TYPE_CHECKING:
    from memconsole.ui.desk import Desk

logger = logging.getLogger(__name__)

_EVERY_S: Final = 60.0


class OwnIndex(Bar, inherit_bindings=False):
    """Says whether an agent's own index is whole; looks now and then, in a thread.

    Without an index it takes no room: there is nothing to look after.

    Args:
        agent_id: Whose index.
    """

    class Looked(Message):
        """The index was looked at."""

        def __init__(self, health: PlatformIndexHealth) -> None:
            super().__init__()
            self.health = health

    def __init__(self, agent_id: str) -> None:
        super().__init__("own-index")
        self._agent_id = agent_id

    def on_mount(self) -> None:
        """Look at once, and again while the screen is open; nothing is shown before."""
        self.display = False
        self.look()
        self.set_interval(_EVERY_S, self.look)

    def look(self) -> None:
        """Look at the index in a thread; one look at a time."""
        self.run_worker(self._look, thread=True, group="own-index", exit_on_error=False)

    def _look(self) -> None:
        engine = cast("Desk", self.app).engine
        try:
            [health] = engine.platform_search.indexes(self._agent_id)
        except MemconsoleError as error:
            health = PlatformIndexHealth(self._agent_id, because=str(error))
        except Exception:
            logger.exception("the index of %s could not be looked at", self._agent_id)
            because = "looking failed, which is a bug; press l for the log"
            health = PlatformIndexHealth(self._agent_id, because=because)
        self.post_message(self.Looked(health))

    @on(Looked)
    def show_health(self, message: Looked) -> None:
        """Show what was found."""
        message.stop()
        self.display = not message.health.is_absent
        dot = cast("Desk", self.app).glyphs.dot
        self.show(lambda _width: index_line(message.health, dot))
