"""`reflect`: consolidates observations.md, asks first, and takes it back."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import perform
from memconsole.cli.call.options import AgentOption, DryRunOption, YesOption, call_of
from memconsole.domain.commands.reflect import REFLECT, Reflect
from memconsole.errors import UsageError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from memconsole.cli.call.call import Call
    from memconsole.domain.agents import AgentRef

_MOST_BYTES = 16 * 1024 * 1024


def reflect(
    context: typer.Context,
    *,
    agent: AgentOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also when it is not due, or a text is very short.")
    ] = False,
    candidate: Annotated[
        Path | None,
        typer.Option(
            "--candidate",
            metavar="FILE",
            help="Put this text in the place of the file, if it loses nothing.",
            show_default=False,
        ),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Put the file back as it was before the last time.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Consolidate an agent's observations: merge, fold, archive what has expired.

    Without --agent those of every agent. Asks before it acts; --dry-run shows what would change.
    A backup is kept beside the file, and everything that goes is in the archive.
    """
    if undo and (candidate is not None or force):
        raise UsageError("--undo stands alone", hint="Leave --candidate and --force out.")
    call = call_of(context)
    _require_sense(call, agent, candidate, dry_run=dry_run)
    text = None if candidate is None else _read(candidate)

    def build(ref: AgentRef) -> Reflect:
        return Reflect(
            ref,
            is_forced=force,
            candidate=text,
            candidate_name="" if candidate is None else str(candidate),
            is_undo=undo,
            dry_run=dry_run,
        )

    doing, question = "consolidating observations", "Consolidate the observations?"
    if dry_run or undo:
        return perform.each_agent(call, build, agent, doing)
    return perform.each_agent_asked(call, build, agent, doing, question=question, yes=yes)


def _require_sense(call: Call, agent: str | None, candidate: Path | None, *, dry_run: bool) -> None:
    """Refuse what may not be done, or names no single file.

    Raises:
        ReadOnlyError: Nothing may be done.
        UsageError: A text for several agents.
    """
    call.refuse_read_only(REFLECT.name, dry_run=dry_run)
    if candidate is not None and agent is None and len(call.engine.home.read().agents) > 1:
        raise UsageError("--candidate needs --agent", hint="A text replaces one agent's file.")


def _read(path: Path) -> str:
    """Return a candidate.

    Raises:
        UsageError: It cannot be read, or is no text.
    """
    try:
        with path.expanduser().open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or "no reason given"
        raise UsageError(one_line(f"{path} cannot be read: {reason}")) from error
    if len(data) > _MOST_BYTES:
        raise UsageError(one_line(f"{path} holds more than 16 MB"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(one_line(f"{path} is no UTF-8 text")) from error
