"""Shell completion of agents and session keys; it never fails, it only has nothing to offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer  # noqa: TC002  # Typer reads the annotations of these functions

from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.engine.engine import Engine


def agents(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the agents whose id begins as typed, with their names."""
    return _offer(context, incomplete, _agents)


def sessions(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return session keys that begin as typed, then ids, for shells that split words at `:`."""
    return _offer(context, incomplete, _sessions)


def _agents(engine: Engine) -> Iterator[tuple[str, str]]:
    for agent in engine.home().agents:
        yield agent.id, agent.name or ""


def _sessions(engine: Engine) -> Iterator[tuple[str, str]]:
    rows = engine.sessions()
    for row in rows:
        if row.key_text is not None and not row.is_cron_run:
            yield row.key_text, row.label or row.session_class.value
    for row in rows:
        if row.session_id is not None:
            yield row.session_id, row.label or row.key_text or row.state.value


def _offer(
    context: typer.Context, incomplete: str, find: Callable[[Engine], Iterator[tuple[str, str]]]
) -> list[tuple[str, str]]:
    from rich.markup import escape  # noqa: PLC0415  # the shells' help texts are markup to Typer

    from memconsole.cli.call import Call  # noqa: PLC0415  # it imports this module

    call = context.ensure_object(Call)
    try:
        found = [pair for pair in find(call.engine) if pair[0].startswith(incomplete)]
    except (MemconsoleError, OSError):
        return []
    return [(call.line(name), escape(call.line(about))) for name, about in found]
