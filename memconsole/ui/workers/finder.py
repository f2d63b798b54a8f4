"""Searches while somebody types, in a thread: one runs, the newest waits, older ones are dropped.

The pause after a letter is waited for in the thread as well, so that the next letter ends it: a
search that began is interrupted in the same way. The side of the keys only hands
requests over and takes answers.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.message import Message

from memconsole.domain.search.indexing import IndexState
from memconsole.errors import MemconsoleError
from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.literal import literal

if TYPE_CHECKING:
    from textual.widget import Widget

    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.engine.engine import Engine

logger = logging.getLogger(__name__)

PAUSE_S = 0.07
"""Quiet time after a letter before it is searched for."""

_LARGE = 50_000
"""Chunks from which words come first and vectors behind them."""

_NO_INDEX = (IndexState.MISSING, IndexState.BUILDING)


@dataclass(frozen=True, slots=True)
class Found:
    """One answer.

    Attributes:
        result: None when the search failed.
        failure: Why, with what to do next; empty when it did not.
        from_files: There is no index: these are words in the files themselves.
        is_partial: Words alone; the whole answer follows.
    """

    request: SearchRequest
    result: SearchResult | None = None
    failure: str = ""
    from_files: bool = False
    is_partial: bool = False


class SearchFinished(Message):
    """An answer arrived; None when the search was given up for a newer one."""

    def __init__(self, found: Found | None) -> None:
        super().__init__()
        self.found = found


class Finder:
    """Asks the engine for a widget, which hands each `SearchFinished` back to `done`."""

    def __init__(self, owner: Widget, engine: Engine) -> None:
        self._owner = owner
        self._engine = engine
        self._pause_s = 0.0
        self._next: SearchRequest | None = None
        self._stop: threading.Event | None = None
        self._is_large = False

    @property
    def is_running(self) -> bool:
        """Whether an answer is on its way."""
        return self._stop is not None

    def ask(self, request: SearchRequest, *, pause_s: float = PAUSE_S) -> None:
        """Search for this; what is being searched for is given up.

        Args:
            request: What to ask; only while typing is it waited for the next letter.
            pause_s: How long.
        """
        self._next, self._pause_s = request, pause_s
        if self._stop is None:
            self._begin()
        else:
            self._stop.set()

    def forget(self) -> None:
        """Give up what is being searched for."""
        self._next = None
        if self._stop is not None:
            self._stop.set()

    def done(self, found: Found | None) -> None:
        """Note that an answer came, and begin what waits."""
        if found is not None and found.is_partial:
            return
        self._stop = None
        if found is not None and found.result is not None:
            self._is_large = found.result.index.chunks > _LARGE
        if self._next is not None:
            self._begin()

    def _begin(self) -> None:
        request, self._next = self._next, None
        stop = self._stop = threading.Event()
        if request is not None:
            self._owner.run_worker(
                lambda: self._run(request, stop), thread=True, group="search", exit_on_error=False
            )

    def _run(self, request: SearchRequest, stop: threading.Event) -> None:
        """Run in a thread; whatever happens, one last message goes back."""
        found = None
        if not (request.is_typing and stop.wait(self._pause_s)):
            try:
                found = self._search(request, stop)
            except MemconsoleError as error:
                text = ". ".join(part for part in (str(error), error.hint) if part)
                found = Found(request, failure=literal(text))
            except Exception:
                logger.exception("a search failed")
                found = Found(request, failure="it failed, which is a bug; press l for the log")
        self._owner.post_message(SearchFinished(None if stop.is_set() else found))

    def _search(self, request: SearchRequest, stop: threading.Event) -> Found:
        if self._is_large and request.is_typing:
            words = self._engine.search.find(replace(request, text_only=True), stop)
            if not stop.is_set():
                partial = Found(request, words, is_partial=True)
                self._owner.post_message(SearchFinished(partial))
        result = self._engine.search.find(request, stop)
        states = {one.state for one in result.indexes.values()}
        if states and states.issubset(_NO_INDEX) and not result.query.is_empty:
            return Found(request, self._engine.search.scan(request, stop), from_files=True)
        return Found(request, result)
