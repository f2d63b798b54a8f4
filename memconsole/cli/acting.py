"""Commands that act: `checkpoint` and `rotate`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli import complete, exits
from memconsole.cli.call import Answer
from memconsole.cli.shared import AgentOption, DryRunOption, at_least_one, call_of
from memconsole.domain.catalogue import spec_of
from memconsole.domain.commands import Checkpoint, Rotate
from memconsole.domain.outcomes import Planned
from memconsole.engine.lookup import find_session
from memconsole.errors import ConfirmationError, ReadOnlyError, UsageError

if TYPE_CHECKING:
    from memconsole.cli.call import Call
    from memconsole.domain.agents import AgentRef, Home
    from memconsole.domain.outcomes import Outcome

CHECKPOINT_HELP = f"{spec_of('checkpoint').help}."
ROTATE_HELP = f"{spec_of('rotate').help}. Without a KEY: every session that is due."


def checkpoint(
    context: typer.Context,
    agent: AgentOption = None,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="KEY",
            help="This session instead of the newest eligible one.",
            autocompletion=complete.sessions,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also what is stale, or was just saved.")
    ] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Save the agents' current work; without --agent that of all."""
    call = call_of(context)
    home = call.engine.home()
    targets = _targets(call, home, agent, session)
    outcomes: list[Outcome] = []
    with call.busy("taking checkpoints", total=len(targets)) as progress:
        for target, key in targets:
            command = Checkpoint(target, session_key=key, is_forced=force, dry_run=dry_run)
            outcomes.append(call.engine.run(command))
            progress.advance()
    return _answer(call, "checkpoint", outcomes, home)


def _targets(
    call: Call, home: Home, agent: str | None, session: str | None
) -> list[tuple[AgentRef, str | None]]:
    """Return the agents to save, each with its session key when one is named.

    Raises:
        SessionNotFoundError: No session has that name.
        UnknownAgentError: No agent has that id.
        UsageError: The session belongs to another agent than the named one.
    """
    named = None if agent is None else call.engine.agent(agent).ref
    if session is not None:
        view = find_session(call.engine.sessions(), session)
        if named is not None and named != view.agent:
            raise UsageError(
                f"session {session!r} belongs to agent {view.agent.id!r}, not to {named.id!r}",
                hint="Leave --agent out; the session names its agent.",
            )
        return [(view.agent, view.key_text or session)]
    return [(ref, None) for ref in ([one.ref for one in home.agents] if named is None else [named])]


def rotate(
    context: typer.Context,
    *,
    keys: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY]...",
            help="Sessions to start anew.",
            autocompletion=complete.sessions,
            show_default=False,
        ),
    ] = None,
    agent: AgentOption = None,
    threshold: Annotated[
        int | None,
        typer.Option("--threshold", metavar="N", help="Another limit in tokens."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Pass threshold, interval and breaker.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Start due sessions anew before the platform compacts them; without a KEY all that are due."""
    at_least_one("--threshold", threshold)
    call = call_of(context)
    if call.settings.ui.read_only and not dry_run:
        raise ReadOnlyError("rotate")
    home = call.engine.home()
    with call.busy("reading the sessions"):
        plan = call.engine.rotation_plan(
            agent_id=agent, keys=tuple(keys or ()), threshold_tokens=threshold, is_forced=force
        )
    outcomes = list(plan.outcomes)
    planned = [one for one in outcomes if isinstance(one, Planned)]
    if planned and not dry_run:
        _confirm(call, planned, yes=yes)
        outcomes = _rotate_all(call, outcomes, threshold=threshold, force=force)
    return _answer(call, "rotate", outcomes, home, left_out={"below": plan.below})


def _confirm(call: Call, planned: list[Planned], *, yes: bool) -> None:
    """Ask on a terminal; elsewhere `--yes` must say it (`cli.md`, Commands).

    Raises:
        ConfirmationError: Nobody can be asked, or the answer is no.
    """
    if yes:
        return
    if call.is_json or not call.output.can_ask:
        raise ConfirmationError("rotate", is_declined=False)
    for one in planned:
        call.output.error(call.line(one.message))
    if not typer.confirm(f"Start {len(planned)} session(s) anew?", default=False, err=True):
        raise ConfirmationError("rotate", is_declined=True)


def _rotate_all(
    call: Call, outcomes: list[Outcome], *, threshold: int | None, force: bool
) -> list[Outcome]:
    results: list[Outcome] = []
    with call.busy("rotating", total=len(outcomes)) as progress:
        for one in outcomes:
            command = one.command
            if isinstance(one, Planned) and isinstance(command, Rotate):
                done = call.engine.run(
                    Rotate(command.agent, command.key, threshold, is_forced=force)
                )
                results.append(replace(done, details={**one.details, **done.details}))
            else:
                results.append(one)
            progress.advance()
    return results


def _answer(
    call: Call,
    name: str,
    outcomes: list[Outcome],
    home: Home,
    left_out: dict[str, int] | None = None,
) -> int:
    from memconsole.cli import encode_outcome, results  # noqa: PLC0415

    return call.answer(
        Answer(
            name,
            data=lambda: [encode_outcome.outcome(one) for one in outcomes],
            show=lambda paper: results.outcomes(paper, outcomes, left_out or {}),
            at=call.clock.now(),
            left_out=left_out or {},
            code=exits.exit_of_outcomes(outcomes),
            home=home,
        )
    )
