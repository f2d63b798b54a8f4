"""Writes INDEX.md of a workspace whose memory has grown large."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import UNREADABLE
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.commands.index_md import Catalogued
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.index_md import INDEX, catalogued, is_same_index, render_index
from memconsole.domain.memory.files import is_utf8
from memconsole.text.estimate import tokens_in
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import Agent, Home, Notice
    from memconsole.domain.commands.index_md import IndexMd
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.index_md import IndexText
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.turn import Turns
    from memconsole.ports.platform import Clock, Workspace


def index_md(
    command: IndexMd,
    *,
    turns: Turns,
    reader: Reader,
    settings: Settings,
    workspace: Workspace,
    clock: Clock,
) -> Outcome:
    """Bring the index up to date, where the pool is large enough to need one.

    Raises:
        WorkspaceError: It cannot be written; its old text is whole.
    """
    home, agent = turns.place(command)
    pool = reader.pool(home, agent)
    unread = tuple(
        one for one in pool.notices if one.code == UNREADABLE or not is_utf8(one.path or "")
    )
    least = settings.index_md.min_pool_bytes
    if pool.size_bytes < least and not command.is_forced:
        return Skipped(
            command,
            SkipReason.TOO_SMALL,
            f"{_held(agent, pool, unread)}, and an index is made "
            f"from index_md.min_pool_bytes ({size_words(least)})",
            hint="`--force` makes one anyway.",
            details={"pool_bytes": pool.size_bytes, "threshold": least},
            notices=unread,
        )
    index = made_index(settings, home, pool, clock.now())
    if command.dry_run:
        wrote = Written(INDEX, len(index.text.encode()))
        message = f"would index {_files(index)} of {agent.id}"
        details = {**_details(index), "text": index.text}
        return Planned(command, message, (wrote,), details, notices=unread)
    return turns.hold(
        agent, lambda: replace(_write(command, agent, index, workspace), notices=unread)
    )


def _held(agent: Agent, pool: Pool, unread: tuple[Notice, ...]) -> str:
    """Return how large a memory is, as far as it could be looked at."""
    size = size_words(pool.size_bytes)
    return (
        f"what could be read of the memory of {agent.id} holds {size}"
        if unread
        else (f"the memory of {agent.id} holds {size}")
    )


def made_index(settings: Settings, home: Home, pool: Pool, at: datetime) -> IndexText:
    """Return the index of a pool as it would be written now."""
    rules = settings.index_md
    zone = resolve_zone(settings.timezone, home.config.user_timezone).zone
    return render_index(catalogued(pool.items, rules), at=at, zone=zone, rules=rules)


def _write(
    command: IndexMd, agent: Agent, index: IndexText, workspace: Workspace
) -> Skipped | Catalogued:
    seen = workspace.read(agent.workspace, INDEX)
    if seen is not None and is_same_index(seen.text, index.text):
        return Skipped(
            command,
            SkipReason.NOTHING_NEW,
            f"{INDEX} of {agent.id} is up to date: {_files(index)}",
            details=_details(index),
        )
    wrote = workspace.replace(agent.workspace, INDEX, index.text, seen=seen, is_final=True)
    return Catalogued(
        command, f"{INDEX} of {agent.id} lists {_files(index)}", (wrote,), _details(index)
    )


def _files(index: IndexText) -> str:
    folded = index.files - index.shown
    named = f"{index.files} files" if index.files != 1 else "1 file"
    return f"{named}, {folded} of them folded" if folded else named


def _details(index: IndexText) -> dict[str, Detail]:
    return {
        "files": index.files,
        "shown": index.shown,
        "tokens": tokens_in(index.text),
    }
