"""Questions about sessions over one connection: all of them, and one by its exact key."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple

from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.errors import AnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memconsole.adapters.gateway.connector import Connection
    from memconsole.domain.gateway import LiveSession

PAGE = 500
_MOST_PAGES = 200
_REFUSED_PROPERTY = re.compile(r"unexpected property '?\"?(\w+)")


class Listed(NamedTuple):
    """A whole list.

    Attributes:
        rows: By key.
        came: Rows that came, usable or not.
        total: How many it says there are; None when it does not say.
    """

    rows: dict[str, LiveSession]
    came: int
    total: int | None


def list_rows(connection: Connection, *, until: float) -> Listed:
    """Return every session, all pages of the list.

    Args:
        connection: An open one.
        until: `time.monotonic()` at which the last page must be there.

    Raises:
        AnswerError: The Gateway refused.
        ConnectionLostError: No answer came.
    """
    rows: dict[str, LiveSession] = {}
    came, total = 0, None
    for page in _pages(connection, until):
        found = page.get("sessions")
        for row in found if isinstance(found, list) else ():
            came += 1
            if (one := frames.session(row)) is not None:
                rows[one.key] = one
        total = frames.whole(page.get("totalCount"))
    return Listed(rows, came, total)


def find_row(connection: Connection, key: str, *, timeout_s: float) -> LiveSession | None:
    """Return the session with exactly this key, or None.

    `sessions.describe` where it exists, else all pages of the list. A row of another key is no
    answer: a reset of a key that is not there would make a session, and an agent.

    Raises:
        AnswerError: The Gateway refused.
        ConnectionLostError: No answer came.
    """
    methods = connection.hello.methods
    if methods is None or "sessions.describe" in methods:
        try:
            payload = connection.request("sessions.describe", {"key": key}, timeout_s=timeout_s)
        except AnswerError as error:
            if "unknown method" not in error.words.lower():
                raise
        else:
            found = frames.session(payload.get("session"))
            return found if found is not None and found.key == key else None
    return list_rows(connection, until=time.monotonic() + timeout_s).rows.get(key)


def fewer_params(params: Mapping[str, object], error: AnswerError) -> dict[str, object] | None:
    """Return the parameters without those that a schema refused; None when it refused no such.

    A release that does not know `reason` is older than one that does not know
    `expectedSessionId`, so neither is sent to it again.
    """
    refused = set(_REFUSED_PROPERTY.findall(error.words)) & (params.keys() - {"key"})
    if not refused:
        return None
    if "reason" in refused:
        refused.add("expectedSessionId")
    return {name: value for name, value in params.items() if name not in refused}


def _pages(connection: Connection, until: float) -> Iterator[Mapping[str, object]]:
    offset = 0
    for _ in range(_MOST_PAGES):
        params: dict[str, object] = {"limit": PAGE}
        if offset:
            params["offset"] = offset
        left_s = max(0.001, until - time.monotonic())
        page = connection.request("sessions.list", params, timeout_s=left_s)
        yield page
        following = frames.whole(page.get("nextOffset"))
        if page.get("hasMore") is not True or following is None or following <= offset:
            return
        offset = following
