"""Every command has a name and a command line that does the same."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.catalogue import COMMANDS
from memconsole.domain.commands.command import Command, command_line, key_of, name_of
from memconsole.domain.commands.recover import Recover
from memconsole.domain.commands.summarize import Summarize

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")


@pytest.mark.parametrize("kind", [spec.kind for spec in COMMANDS], ids=lambda kind: kind.__name__)
def test_every_command_has_a_name(kind: type[Command]) -> None:
    values = {"agent": MAIN, "key": "agent:main:main", "text": "words", "ids": ("m-1a2b3c4d",)}
    fields = kind.__dataclass_fields__
    given = {name: values[name] for name in values if name in fields}
    make: Callable[..., Command] = kind
    command = make(**given)
    words = shlex.split(command_line(command))
    assert " ".join(words).startswith(f"memconsole {name_of(command)}")
    assert key_of(command) == (values["key"] if "key" in fields else None)


def test_a_dry_run_is_said() -> None:
    assert command_line(Recover(MAIN, dry_run=True)).endswith(" --dry-run")


def test_an_earlier_session_is_named_beside_its_key() -> None:
    command = Summarize(MAIN, "agent:main:main", session_id="old id", reason="daily")
    assert command_line(command) == (
        "memconsole summarize agent:main:main --session-id 'old id' --reason daily"
    )
    assert Summarize(MAIN, None, session_id="x").key is None
