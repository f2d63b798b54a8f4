"""One session that grows while somebody looks, until the platform compacts it and it starts over.

Formats: `docs/formats.md`, "Session entries" and "Transcripts".
"""

from __future__ import annotations

import json
import logging
import threading
from contextlib import contextmanager
from datetime import timedelta
from itertools import cycle
from typing import TYPE_CHECKING

from memconsole.demo.records import encode, milliseconds
from memconsole.demo.sessions import add_turn
from memconsole.demo.stores import STORE, write_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.demo.content import Turn
    from memconsole.demo.records import Transcript

logger = logging.getLogger(__name__)

EVERY = timedelta(seconds=4)
TOKENS_A_TURN = 900
COMPACTED_AT = 178_000
COMPACTED_TO = 21_400

_SUMMARY = (
    "## Goal\nReplace the failed disk in bay 3.\n\n## Done\n- Spare K0A9 tested and put in\n"
    "- Resilver runs, no errors since\n\n## Open\n- Send disk 7SG2 back when the claim is accepted"
)


class GrowingSession:
    """Appends to a transcript and its store as the platform of the file era does.

    Attributes:
        key: Its session key.
        tokens: Size of its context now.
    """

    def __init__(
        self,
        folder: Path,
        key: str,
        transcript: Transcript,
        tokens: int,
        turns: Sequence[Turn],
    ) -> None:
        self.key = key
        self.tokens = tokens
        self._folder = folder
        self._transcript = transcript
        self._turns = cycle(turns)

    def step(self, now: datetime) -> None:
        """Say one more thing; at the limit of the window the platform compacts.

        Raises:
            OSError: The home is gone.
        """
        written = len(self._transcript.records)
        is_full = self.tokens + TOKENS_A_TURN > COMPACTED_AT
        if is_full:
            self._transcript.compaction(now, _SUMMARY, self.tokens, COMPACTED_TO)
            self.tokens = COMPACTED_TO
        else:
            self.tokens += TOKENS_A_TURN
        add_turn(self._transcript, next(self._turns), now, self.tokens)
        lines = [encode(record) + b"\n" for _, record in self._transcript.records[written:]]
        path = self._folder / f"{self._transcript.session_id}.jsonl"
        with path.open("r+b") as file:
            file.seek(0, 2)
            file.writelines(lines)
        self._note(now, is_compacted=is_full)

    def _note(self, now: datetime, *, is_compacted: bool) -> None:
        store = json.loads((self._folder / STORE).read_text("utf-8"))
        entry = store[self.key]
        entry["totalTokens"] = self.tokens
        entry["updatedAt"] = entry["lastInteractionAt"] = milliseconds(now)
        entry["compactionCount"] += is_compacted
        write_store(self._folder, store)

    @contextmanager
    def running(self, now: Callable[[], datetime], every: timedelta = EVERY) -> Iterator[None]:
        """Let it grow for the block, in a thread that ends with it.

        Args:
            now: The wall clock.
            every: Time between two turns.
        """
        stop = threading.Event()

        def grow() -> None:
            while not stop.wait(every.total_seconds()):
                try:
                    self.step(now())
                except (OSError, ValueError, KeyError) as error:
                    logger.info("the session of the demo grows no more: %s", error)
                    return

        thread = threading.Thread(target=grow, name="growing", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
