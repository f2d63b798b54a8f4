"""The console, `status` and plain searches without loading Typer: many ask them all the time.

Understood are global options alone, and behind them `status` or `search [--agent A] WORD…`, with
`--json` anywhere. Any other call, and any failure before an answer, goes the usual way, which
finds out for itself what is wrong and says so; so nothing is decided here that `cli.main` would
decide otherwise.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from memconsole.cli.call.call import Call
from memconsole.cli.call.flags import (
    DEMO,
    FLEET,
    GLOBAL_OPTIONS,
    HOST,
    JSON,
    LABEL,
    VERBOSE,
    WITHIN,
)
from memconsole.cli.signals import stopped_like_interrupted
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.flags import GlobalOption


_COMPLETION = "_MEMCONSOLE_COMPLETE"
_UNUSUAL = (DEMO, FLEET, HOST, LABEL, WITHIN, JSON, VERBOSE)


class Plain(NamedTuple):
    """A call that is nothing but a search, `status` or the console, with its global options."""

    words: tuple[str, ...]
    options: tuple[tuple[GlobalOption, str], ...] = ()
    agent: str | None = None
    is_json: bool = False
    is_console: bool = False
    is_status: bool = False


def quick(arguments: Sequence[str]) -> int | None:
    """Open the console, or answer `status` or a plain search; None for all else."""
    plain = read(arguments)
    if plain is None or _COMPLETION in os.environ:
        return None
    if any(not value for _, value in plain.options):  # refused, or at least looked at, elsewhere
        return None
    call = Call()
    call.is_json_asked = plain.is_json
    for option, value in plain.options:
        call.flags.take(option, value)
    with stopped_like_interrupted(), call.resources:
        try:
            if plain.is_console:
                return _console(call)
            return _status(call) if plain.is_status else _search(call, plain)
        except MemconsoleError:
            return None
        except (Exception, KeyboardInterrupt) as error:  # the edge of the process
            from memconsole.cli.main import tell  # noqa: PLC0415  # loads Typer

            return tell(call, error)


def _console(call: Call) -> int:
    from memconsole.cli.console import front  # noqa: PLC0415 - a search has no use for it

    return front(call)


def _status(call: Call) -> int | None:
    if call.is_usually_of_fleet:
        return None
    from memconsole.cli.call.status import show_status  # noqa: PLC0415 - as above

    return show_status(call)


def _search(call: Call, plain: Plain) -> int | None:
    # The console searches later.
    from memconsole.cli.call.search import answer  # noqa: PLC0415
    from memconsole.domain.search.values import SearchRequest  # noqa: PLC0415
    from memconsole.engine.home.lookup import default_agent  # noqa: PLC0415

    if call.is_usually_of_fleet:
        return None
    home = call.searcher.home.read()
    agent = plain.agent or default_agent(home)
    return answer(call, "search", SearchRequest(" ".join(plain.words), agent), home)


def read(arguments: Sequence[str]) -> Plain | None:
    """Take a call apart; None when it is neither the console nor `status` nor a plain search."""
    own = list(arguments)
    is_json = "--json" in own
    own = [word for word in own if word != "--json"]
    options, own = _options(own)
    if not own and not is_json:
        return Plain((), options, is_console=True)
    if own == ["status"]:
        return Plain((), options, is_json=is_json, is_status=True)
    if own[:1] != ["search"]:
        return None
    agent, words = None, own[1:]
    if len(words) > 1 and words[0] in ("--agent", "-a"):
        agent, words = words[1], words[2:]
    if any(one.startswith("-") for one in (*words, agent or "")):
        return None
    return Plain(tuple(words), options, agent, is_json)


def _options(words: list[str]) -> tuple[tuple[tuple[GlobalOption, str], ...], list[str]]:
    """Return the global options that stand first, and the words behind them."""
    named = {option.names[0]: option for option in GLOBAL_OPTIONS if option not in _UNUSUAL}
    found: list[tuple[GlobalOption, str]] = []
    left = list(words)
    while left and (option := named.get(left[0])) is not None:
        size = 1 if option.metavar is None else 2
        value = left[size - 1] if len(left) >= size else "-"
        if option.metavar is not None and (not value or value.startswith("-")):
            break
        found.append((option, value))
        left = left[size:]
    return tuple(found), left
