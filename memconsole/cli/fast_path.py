"""The console and plain searches without loading Typer: agents search many times an hour.

Understood is `[--home DIR]`, and `[--home DIR] search [--agent A] WORD…` with `--json` anywhere.
Any other call, and any failure before an answer, goes the usual way, which finds out for itself
what is wrong and says so; so nothing is decided here that `cli.main` would decide otherwise.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from memconsole.cli.call.call import Call
from memconsole.cli.signals import stopped_like_interrupted
from memconsole.domain.search.values import SearchRequest
from memconsole.engine.home.lookup import default_agent
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Sequence


_COMPLETION = "_MEMCONSOLE_COMPLETE"


class Plain(NamedTuple):
    """A call that is nothing but a search, or the console."""

    words: tuple[str, ...]
    home: str | None = None
    agent: str | None = None
    is_json: bool = False
    is_console: bool = False


def quick(arguments: Sequence[str]) -> int | None:
    """Open the console or answer a plain search; None for all that is neither."""
    plain = read(arguments)
    if plain is None or _COMPLETION in os.environ:
        return None
    call = Call()
    call.is_json_asked = plain.is_json
    if plain.home is not None:
        call.flags.values["platform.home"] = plain.home
    with stopped_like_interrupted(), call.resources:
        try:
            return _console(call) if plain.is_console else _search(call, plain)
        except MemconsoleError:
            return None
        except (Exception, KeyboardInterrupt) as error:  # the edge of the process
            from memconsole.cli.main import tell  # noqa: PLC0415  # loads Typer

            return tell(call, error)


def _console(call: Call) -> int:
    from memconsole.cli.console import front  # noqa: PLC0415 - a search has no use for it

    return front(call)


def _search(call: Call, plain: Plain) -> int:
    from memconsole.cli.call.find import answer  # noqa: PLC0415 - the console searches later

    home = call.searcher.home.read()
    agent = plain.agent or default_agent(home)
    return answer(call, "search", SearchRequest(" ".join(plain.words), agent), home)


def read(arguments: Sequence[str]) -> Plain | None:
    """Take a call apart; None when it is neither a plain search nor the console."""
    own = list(arguments)
    is_json = "--json" in own
    own = [word for word in own if word != "--json"]
    home, own = _option(own, ("--home",))
    if not own and not is_json and not (home or "").startswith("-"):
        return Plain((), home, is_console=True)
    if own[:1] != ["search"]:
        return None
    agent, words = _option(own[1:], ("--agent", "-a"))
    given = [*words, *(one for one in (home, agent) if one is not None)]
    if any(one.startswith("-") for one in given):
        return None
    return Plain(tuple(words), home, agent, is_json)


def _option(words: list[str], names: tuple[str, ...]) -> tuple[str | None, list[str]]:
    """Return the value of an option that stands first, and the words behind it."""
    if len(words) > 1 and words[0] in names:
        return words[1], words[2:]
    return None, words
