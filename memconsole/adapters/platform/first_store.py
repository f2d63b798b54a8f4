"""The session folder of the first releases, which lies right in the state folder.

They knew no agents. Later releases move it below `agents/` when they start; where that never
happened its sessions are still there, and no agent has them.
"""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent

_FOLDER = "sessions"
_STORE = "sessions.json"
_MOST_BYTES = 64 * 1024 * 1024
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


def store_above(home: Path, agents: Iterable[Agent]) -> Iterator[Notice]:
    """Yield the notice of sessions that lie above the agents and are not read.

    Args:
        home: The state folder.
        agents: A store that one of them is configured to keep there is theirs.
    """
    store = home / _FOLDER / _STORE
    if any(agent.store_file == store for agent in agents):
        return
    try:
        info = store.stat()
        data = store.read_bytes() if store.is_file() and info.st_size <= _MOST_BYTES else b""
    except OSError as error:
        if error.errno not in _ABSENT:
            reason = (error.strerror or "no reason given").lower()
            yield _notice(store, f"{one_line(str(store))} cannot be read: {reason}")
        return
    count = _count(data)
    if count != 0:
        what = {None: "sessions", 1: "1 session"}.get(count, f"{count} sessions")
        message = (
            f"{one_line(str(store))} holds {what} from before there were agents, and they are not"
            " read; the platform moves them below agents/ when `openclaw doctor` is run"
        )
        yield _notice(store, message)


def _count(data: bytes) -> int | None:
    """Return how many entries a store has; None when that cannot be told."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return len(found) if isinstance(found, dict) else None


def _notice(store: Path, message: str) -> Notice:
    return Notice("store-unreadable", message, str(store))
