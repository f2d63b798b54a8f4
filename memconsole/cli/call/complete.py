"""Shell completion of agents and session keys; it never fails, it only has nothing to offer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

import typer  # noqa: TC002  # Typer reads the annotations of these functions

from memconsole.cli.call.call import Call
from memconsole.errors import MemconsoleError
from memconsole.text.outgoing import name_out

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping

    from memconsole.engine.engine import Engine


_BASH = ("_MEMCONSOLE_COMPLETE", "complete_bash")
_TYPED = "_MEMCONSOLE_TYPED"
"""Beginning of the current word that bash took for words of their own."""


def join_bash_words(environ: MutableMapping[str, str]) -> None:
    """Undo that bash splits words at `:`, which every session key holds.

    Bash asks for what follows the last colon and inserts only that; the words before it are taken
    out of the line and remembered.

    Args:
        environ: Environment of a call for completion; others are left alone.
    """
    if environ.get(_BASH[0]) != _BASH[1]:
        return
    words = environ.get("COMP_WORDS", "").split("\n")
    try:
        at = int(environ.get("COMP_CWORD", ""))
    except ValueError:
        return
    current = words[at] if at < len(words) else ""
    start = at - 1 if current != ":" else at
    if at < 2 or start >= len(words) or words[start] != ":":
        return
    first = start
    while first > 1 and ":" in (words[first], words[first - 1]):
        first -= 1
    environ[_TYPED] = "".join(words[first : start + 1])
    environ["COMP_WORDS"] = "\n".join([*words[:first], "" if current == ":" else current])
    environ["COMP_CWORD"] = str(first)


def agents(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the agents whose id begins as typed, with their names."""
    return _offer(context, incomplete, _agents)


def sessions(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return session keys that begin as typed, then ids once something is typed."""
    return _offer(context, incomplete, _sessions)


def _agents(engine: Engine, *, has_begun: bool) -> Iterator[tuple[str, str]]:
    del has_begun
    for agent in engine.home.read().agents:
        yield agent.id, agent.name or ""


def _sessions(engine: Engine, *, has_begun: bool) -> Iterator[tuple[str, str]]:
    rows = engine.sessions.all()
    for row in rows:
        if row.key_text is not None and not row.is_cron_run:
            yield row.key_text, row.label or row.session_class.value
    for row in rows if has_begun else ():
        if row.session_id is not None:
            yield row.session_id, row.label or row.key_text or row.state.value


class Finder(Protocol):
    """Finds what could be meant, each with a word about it."""

    def __call__(self, engine: Engine, *, has_begun: bool) -> Iterator[tuple[str, str]]:
        """Yield names; `has_begun` tells that a part of one has been typed."""


def _offer(context: typer.Context, incomplete: str, find: Finder) -> list[tuple[str, str]]:
    from rich.markup import escape  # noqa: PLC0415  # the shells' help texts are markup to Typer

    call = context.ensure_object(Call)
    typed = os.environ.get(_TYPED, "")
    try:
        offered = find(call.engine, has_begun=bool(typed + incomplete))
        # A masked name completes to nothing that is there.
        found = [
            pair
            for pair in offered
            if pair[0].startswith(typed + incomplete) and name_out(pair[0]) == pair[0]
        ]
    except (MemconsoleError, OSError):
        return []
    return [
        (call.line(name).removeprefix(typed), escape(call.line(about))) for name, about in found
    ]
