"""Which exit code a call ends with, by the class of what failed.

A skip is done: a workspace that another run holds is one, and so is a session that is not due.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.errors import (
    ConfigError,
    GatewayUnavailableError,
    HomeNotFoundError,
    HomeUnreadableError,
    MemconsoleError,
    SourceAwayError,
    StateNewerError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.commands.outcomes import Outcome

DONE = 0
FAILED = 1
USAGE = 2
UNREACHABLE = 3
INTERRUPTED = 130

_BY_CLASS: tuple[tuple[type[MemconsoleError], int], ...] = (
    (UsageError, USAGE),
    (ConfigError, USAGE),
    (StateNewerError, USAGE),
    (HomeNotFoundError, UNREACHABLE),
    (HomeUnreadableError, UNREACHABLE),
    (GatewayUnavailableError, UNREACHABLE),
    (SourceAwayError, UNREACHABLE),
)


def exit_of(error: MemconsoleError) -> int:
    """Return the exit code of an expected failure."""
    for kind, code in _BY_CLASS:
        if isinstance(error, kind):
            return code
    return FAILED


def exit_of_outcomes(outcomes: Iterable[Outcome]) -> int:
    """Return the code of the worst outcome of a batch; an empty batch is done."""
    return max((_exit_of_outcome(outcome) for outcome in outcomes), default=DONE)


def _exit_of_outcome(outcome: Outcome) -> int:
    """A failure inside the engine has become a word; the word leads back to its class."""
    from memconsole.domain.commands.outcomes import Failed  # noqa: PLC0415  # reading needs no outcomes

    if not isinstance(outcome, Failed):
        return DONE
    return _codes().get(outcome.code, FAILED)


def _codes() -> dict[str, int]:
    from memconsole.domain.gateway import Verdict  # noqa: PLC0415  # for failures only

    found: dict[str, int] = {verdict.value: UNREACHABLE for verdict in Verdict}
    for kind, code in _BY_CLASS:
        for one in (kind, *kind.__subclasses__()):
            found[one.code] = code
    return found
