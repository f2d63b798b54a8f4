"""Moments and durations as options name them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from memconsole.errors import UsageError
from memconsole.text.compiled import compiled

Since = Annotated[
    str | None,
    typer.Option("--since", metavar="D", help="Such as 90m, 6h, 7d, or 2026-01-26."),
]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN = r"(\d{1,6})\s*([smhdw])"


def parse_since(text: str, now: datetime) -> datetime:
    """Return the moment that `--since` names; a day begins at the host's midnight.

    Raises:
        UsageError: It is neither a duration nor a date.
    """
    if (span := _span(text)) is not None:
        try:
            return now - span
        except OverflowError:
            return datetime.min.replace(tzinfo=UTC)
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"--since {text!r} is neither a duration nor a date",
            hint="Write such as 90m, 6h, 7d, 2026-01-26 or 2026-01-26T14:00+01:00.",
        ) from error


def parse_span(option: str, text: str) -> timedelta:
    """Return the duration that an option names; more than none.

    Raises:
        UsageError: It is no duration.
    """
    span = _span(text)
    if not span:
        raise UsageError(f"{option} {text!r} is no duration", hint="Write such as 90m, 8h or 7d.")
    return span


def _span(text: str) -> timedelta | None:
    found = compiled(_SPAN).fullmatch(text.strip().lower())
    return None if found is None else timedelta(seconds=int(found[1]) * _UNITS[found[2]])
