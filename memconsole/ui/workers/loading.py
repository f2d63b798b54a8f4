"""Loads what a screen shows in a thread; what comes back too late is dropped."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from textual.message import Message

from memconsole.errors import MemconsoleError
from memconsole.ui.drawing.literal import literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Loaded(Message):
    """Something arrived, or did not.

    Attributes:
        what: Which of the screen's questions it answers.
        value: The answer; None when it failed.
        failure: Why it failed, with what to do next; empty when it did not.
    """

    def __init__(self, what: str, value: object, failure: str = "") -> None:
        super().__init__()
        self.what = what
        self.value = value
        self.failure = failure


class Loader(Generic[T]):
    """Asks one question at a time: one runs and one waits.

    Attributes:
        value: The newest answer that was taken; None before the first.
        failure: Why the newest question failed; empty when it did not.
    """

    def __init__(self, screen: Screen[None], what: str) -> None:
        self._screen = screen
        self._what = what
        self._next: Callable[[], T] | None = None
        self.is_running = False
        self.value: T | None = None
        self.failure = ""

    def ask(self, question: Callable[[], T]) -> None:
        """Run the question in a thread; its answer comes as `Loaded`."""
        self._next = question
        self._begin()

    def done(self) -> None:
        """Note that the answer came, and ask what waits."""
        self.is_running = False
        self._begin()

    def take(self, message: Loaded) -> None:
        """Keep the answer that came; a failure keeps the last one, and says why."""
        self.failure = message.failure
        if message.value is not None:
            self.value = cast("T", message.value)
        self.done()

    def _begin(self) -> None:
        if self.is_running or self._next is None:
            return
        question, self._next = self._next, None
        self.is_running = True
        self._screen.run_worker(
            lambda: self._run(question), thread=True, group=self._what, exit_on_error=False
        )

    def _run(self, question: Callable[[], T]) -> None:
        try:
            message = Loaded(self._what, question())
        except MemconsoleError as error:
            text = " ".join(part for part in (f"{error}.", error.hint) if part)
            message = Loaded(self._what, None, literal(text))
        except Exception:
            logger.exception("%s could not be loaded", self._what)
            message = Loaded(
                self._what, None, "loading failed, which is a bug; press l for the log"
            )
        self._screen.post_message(message)
