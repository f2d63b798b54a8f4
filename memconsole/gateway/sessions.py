"""Questions about sessions over one link: all of them, and one by its exact key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memconsole.gateway import frames
from memconsole.gateway.problem import AnswerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memconsole.domain.gateway import LiveSession
    from memconsole.gateway.doorway import Link

PAGE = 500
_MOST_PAGES = 200
_REFUSED_PROPERTY = re.compile(r"unexpected property '?\"?(\w+)")


def list_rows(link: Link, *, timeout_s: float) -> dict[str, LiveSession]:
    """Return every session by key, all pages of it.

    Raises:
        AnswerError: The Gateway refused.
        LinkLostError: No answer came.
    """
    return {one.key: one for one in _rows(link, timeout_s)}


def find_row(link: Link, key: str, *, timeout_s: float) -> LiveSession | None:
    """Return the session with exactly this key, or None.

    `sessions.describe` where it exists, else all pages of the list. A row of another key is no
    answer: a reset of a key that is not there would make a session, and an agent (A13).

    Raises:
        AnswerError: The Gateway refused.
        LinkLostError: No answer came.
    """
    methods = link.hello.methods
    if methods is None or "sessions.describe" in methods:
        try:
            payload = link.request("sessions.describe", {"key": key}, timeout_s=timeout_s)
        except AnswerError as error:
            if "unknown method" not in error.words.lower():
                raise
        else:
            found = frames.session(payload.get("session"))
            return found if found is not None and found.key == key else None
    return list_rows(link, timeout_s=timeout_s).get(key)


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


def _rows(link: Link, timeout_s: float) -> Iterator[LiveSession]:
    offset = 0
    for _ in range(_MOST_PAGES):
        params: dict[str, object] = {"limit": PAGE}
        if offset:
            params["offset"] = offset
        payload = link.request("sessions.list", params, timeout_s=timeout_s)
        rows = payload.get("sessions")
        for row in rows if isinstance(rows, list) else ():
            if (found := frames.session(row)) is not None:
                yield found
        following = frames.whole(payload.get("nextOffset"))
        if payload.get("hasMore") is not True or following is None or following <= offset:
            return
        offset = following
