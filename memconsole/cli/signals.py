"""How a call ends when the host asks it to."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_STOPPERS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopped_like_interrupted() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a call as Ctrl-C does: the write in progress is rolled back."""
    before = {one: signal.getsignal(one) for one in _STOPPERS}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
