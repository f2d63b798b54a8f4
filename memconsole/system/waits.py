"""Waits that Ctrl-C ends: looked out of again and again, never without an end.

Python's own waits without an end miss a signal that comes between their last look at signals and
their call of the system: nothing wakes them then. On a busy host that gap is as long as the thread
waits for its turn there (ADR 58).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Thread

LOOK_S: Final = 0.2


def until_ended(threads: Iterable[Thread], within_s: float | None = None) -> bool:
    """Wait until threads have ended; return whether they have.

    Args:
        threads: That were started.
        within_s: All of them together; None for however long it takes.

    Raises:
        KeyboardInterrupt: Somebody wants to go.
    """
    end = None if within_s is None else time.monotonic() + within_s
    for thread in threads:
        while thread.is_alive():
            left = LOOK_S if end is None else min(LOOK_S, end - time.monotonic())
            if left <= 0:
                return False
            thread.join(left)
    return True
