"""Every command that writes takes `--dry-run`; one that has none is named here, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.main import get_command

from memconsole.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typer._click.core import Command

WITHOUT = {
    **dict.fromkeys(
        (
            *(
                "status",
                "agents",
                "sessions",
                "session",
                "transcript",
                "runs",
                "prune-preview",
                "secrets",
            ),
            *("memory pool", "memory show", "markers", "get", "memory get"),
            *("health", "alerts list", "hooks status", "service status"),
            *("fleet hosts", "fleet doctor", "fleet commands", "fleet audit"),
            *("config check", "config show", "config path"),
        ),
        "reads",
    ),
    "search": "reads; the only thing it keeps is the index and that a note was found",
    "memory search": "as search",
    "bench recall": "measures a copy that it throws away",
    "mcp": "answers the agent's questions until it is ended; it writes notes where that is allowed",
    "serve": "runs jobs until it is ended; `once JOB --dry-run` tries one",
}
"""Commands without the option, and why."""


def commands(group: Command, path: str = "") -> Iterator[tuple[str, Command]]:
    """Yield every command below a group with the words that call it."""
    for name, one in getattr(group, "commands", {}).items():
        words = f"{path} {name}".strip()
        if hasattr(one, "commands"):
            yield from commands(one, words)
        else:
            yield words, one


ALL = dict(commands(get_command(app)))


@pytest.mark.parametrize("words", ALL)
def test_what_writes_can_be_tried_first(words: str) -> None:
    options = {option for one in ALL[words].params for option in one.opts}
    assert ("--dry-run" in options) is (words not in WITHOUT)


def test_every_exception_is_a_command() -> None:
    assert set(WITHOUT) <= set(ALL)
