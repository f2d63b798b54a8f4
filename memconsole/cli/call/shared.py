"""What commands share: the call of a context, and options that several of them have."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli.call import complete
from memconsole.cli.call.call import Call
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.errors import UsageError

AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent", "-a", metavar="A", help="Only this agent.", autocompletion=complete.agents
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
]
SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="KEY|ID",
        help="Session key, session id, or at least 6 characters an id begins with.",
        autocompletion=complete.sessions,
        show_default=False,
    ),
]


def at_least_one(option: str, value: int | None) -> None:
    """Check a number that an option gave.

    Raises:
        UsageError: It is 0 or less.
    """
    if value is not None and value < 1:
        raise UsageError(f"{option} {value} is no such number", hint=f"{option} takes 1 or more.")


def call_of(context: typer.Context) -> Call:
    """Return the call that a context belongs to; a context without one gets one."""
    return context.ensure_object(Call)


def tag_of(text: str, extra: tuple[str, ...] = ()) -> str:
    """Return the marker type that an option gave, in capitals and without brackets.

    Args:
        text: As given.
        extra: Types beside the eight, where such are known.

    Raises:
        UsageError: There is no such type.
    """
    tag = text.strip().strip("[]").upper()
    known = (*MARKER_TAGS, *extra)
    if tag not in known:
        raise UsageError(
            f"there is no marker type {text!r}", hint=f"The types are {', '.join(known)}."
        )
    return tag
