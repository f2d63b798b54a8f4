"""Runs a command over its targets, one after the other, and prints each outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.json import outcome as encode_outcome
from memconsole.cli.json.outcome import hint_of, session_key_of, wrote_of
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import CHECKPOINT, Checkpoint
from memconsole.domain.commands.command import key_of, name_of
from memconsole.domain.commands.confirmation import carried_out, for_question
from memconsole.domain.commands.outcomes import (
    RUNNING,
    Failed,
    Planned,
    is_busy,
    notices_of,
    reason_of,
    status_of,
)
from memconsole.domain.commands.rotate import ROTATE, Rotate
from memconsole.engine.home.lookup import agents_of, default_agent
from memconsole.errors import ConfirmationError, UsageError
from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.cli.output.stream import Progress
    from memconsole.domain.agents import Home
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Account, Outcome, Step
    from memconsole.engine.rotation.plan import RotationPlan


@dataclass(frozen=True, slots=True)
class RotationRequest:
    """What `rotate` was asked for.

    Attributes:
        keys: Named sessions; empty means all that are due.
        agent: Only this agent's.
        threshold: Another limit in tokens.
        is_active_forced: Runs that are going on are broken off.
    """

    keys: tuple[str, ...]
    agent: str | None
    threshold: int | None
    is_forced: bool
    dry_run: bool
    is_active_forced: bool = False


def checkpoints(
    call: Call, *, agent: str | None, session: str | None, is_forced: bool, dry_run: bool
) -> int:
    """Take a checkpoint of every target; one agent's failure never stops the next."""
    home = call.engine.home.read()
    orders = [
        Checkpoint(target, key, is_forced=is_forced, dry_run=dry_run)
        for target, key in _targets(call, home, agent, session)
    ]
    return answer(call, CHECKPOINT.name, outcomes_of(call, orders, "taking checkpoints"), home)


def _targets(
    call: Call, home: Home, agent: str | None, session: str | None
) -> list[tuple[AgentRef, str | None]]:
    """Return the agents to save, each with its session key when one is named.

    Raises:
        SessionNotFoundError: No session has that name.
        UnknownAgentError: No agent has that id.
        UsageError: The session belongs to another agent than the named one.
    """
    named = None if agent is None else call.engine.home.agent(agent).ref
    if session is not None:
        view = call.engine.sessions.find(session)
        if named is not None and named != view.agent:
            raise UsageError(
                f"session {session!r} belongs to agent {view.agent.id!r}, not to {named.id!r}",
                hint="Leave --agent out; the session names its agent.",
            )
        return [(view.agent, view.key_text or session)]
    return [(ref, None) for ref in ([named] if named is not None else _refs(home, None))]


def rotations(call: Call, request: RotationRequest, *, yes: bool) -> int:
    """Plan from disk, ask, then reset one session after the other.

    Raises:
        ReadOnlyError: Nothing may be done.
        ConfirmationError: It was not confirmed.
        GatewayUnavailableError: The Gateway is not reachable or refuses us; nothing was done.
    """
    call.refuse_read_only(ROTATE.name, dry_run=request.dry_run)
    home = call.engine.home.read()
    with call.busy("reading the sessions"):
        plan = call.engine.rotation.plan(
            agent_id=request.agent,
            keys=request.keys,
            threshold_tokens=request.threshold,
            is_forced=request.is_forced,
            is_active_forced=request.is_active_forced,
        )
    outcomes: Sequence[Outcome] = plan.outcomes
    planned = [one for one in outcomes if isinstance(one, Planned)]
    if planned and not request.dry_run:
        _confirm(call, planned, yes=yes)
        call.settings.require("gateway")
        call.engine.gateway.require()
        outcomes = _rotate(call, plan, request)
    return answer(call, ROTATE.name, outcomes, home, plan=plan)


def through_gateway(call: Call, command: Command, doing: str, *, question: str, yes: bool) -> int:
    """Ask, then have the Gateway do something with one session.

    Args:
        call: The call.
        command: What to run.
        doing: For the progress line, such as `compacting`.
        question: What is asked.
        yes: It was said already.

    Raises:
        ReadOnlyError: Nothing may be done.
        ConfirmationError: It was not confirmed.
        GatewayUnavailableError: The Gateway is not reachable or refuses us; nothing was done.
    """
    call.refuse_read_only(name_of(command), dry_run=command.dry_run)
    if not command.dry_run:
        plan = call.engine.run(replace(command, dry_run=True))
        if not isinstance(plan, Planned):
            return answer(call, name_of(command), [plan], call.engine.home.read())
        _confirm(call, [plan], yes=yes, question=question)
        call.settings.require("gateway")
        call.engine.gateway.require()
    with call.busy(doing) as progress:
        outcome = call.engine.run(command, follower=Steps(call, progress))
    return answer(call, name_of(command), [outcome], call.engine.home.read())


def single(call: Call, command: Command, doing: str) -> int:
    """Run one command that asks nothing, and print what came of it.

    Args:
        call: The call.
        command: What to run.
        doing: For the progress line, such as `summarising`.
    """
    with call.busy(doing) as progress:
        outcome = call.engine.run(command, follower=Steps(call, progress))
    return answer(call, name_of(command), [outcome], call.engine.home.read())


def reviewed(call: Call, command: Command, doing: str, *, question: str, yes: bool) -> int:
    """Show the plan of what can be undone and ask where somebody is; elsewhere just do it.

    Raises:
        ConfirmationError: The answer was no; nothing was done.
    """
    is_asked = not (yes or command.dry_run or call.is_json) and call.output.can_ask
    if is_asked and isinstance(plan := call.engine.run(replace(command, dry_run=True)), Planned):
        _confirm(call, [plan], yes=False, question=question)
    return single(call, command, doing)


def batch(call: Call, name: str, commands: Sequence[Command], doing: str) -> int:
    """Run commands that ask nothing, one after the other; there may be none.

    Args:
        call: The call.
        name: Name of the command line's command.
        commands: What to run.
        doing: For the progress line.
    """
    return answer(call, name, outcomes_of(call, commands, doing), call.engine.home.read())


def each_agent(
    call: Call, build: Callable[[AgentRef], Command], agent: str | None, doing: str
) -> int:
    """Run a command that asks nothing for one agent or all; one failure never stops the next.

    Args:
        call: The call.
        build: Makes the command of one agent.
        agent: Only this one.
        doing: For the progress line.
    """
    home = call.engine.home.read()
    orders = [build(ref) for ref in _refs(home, agent)]
    name = name_of(orders[0] if orders else build(AgentRef(HomeRef(""), "")))
    return answer(call, name, outcomes_of(call, orders, doing), home)


def each_agent_asked(
    call: Call,
    build: Callable[[AgentRef], Command],
    agent: str | None,
    doing: str,
    *,
    question: str,
    yes: bool,
    settle: Callable[[list[Outcome]], list[Outcome]] = list,
) -> int:
    """Plan a command for one agent or all, ask once, then run what was planned.

    Args:
        call: The call.
        build: Makes the command of one agent.
        agent: Only this one.
        doing: For the progress line.
        question: What is asked.
        yes: It was said already.
        settle: Ends what was begun, behind the commands themselves.

    Raises:
        ConfirmationError: It was not confirmed; nothing was done.
    """
    home = call.engine.home.read()
    orders = [build(ref) for ref in _refs(home, agent)]
    outcomes = settle(asked(call, orders, doing, question=question, yes=yes))
    return answer(call, name_of(orders[0]) if orders else "reflect", outcomes, home)


def asked(
    call: Call, orders: Sequence[Command], doing: str, *, question: str, yes: bool
) -> list[Outcome]:
    """Plan commands, ask once, then run what was planned.

    Raises:
        ConfirmationError: It was not confirmed; nothing was done.
    """
    can_go_on = yes or (call.output.can_ask and not call.is_json)
    tries = [for_question(order) if can_go_on else replace(order, dry_run=True) for order in orders]
    outcomes = outcomes_of(call, tries, doing)
    plans = [one for one in outcomes if isinstance(one, Planned)]
    if plans:
        _confirm(call, plans, yes=yes, question=question)
    # What fails fails again, and this time it is written down.
    with call.busy(doing) as progress:
        return [
            call.engine.run(carried_out(order, one), follower=Steps(call, progress, order))
            if isinstance(one, Planned | Failed)
            else one
            for order, one in zip(orders, outcomes, strict=True)
        ]


def patch_lines(call: Call, patch: str) -> list[str]:
    """Return a patch line by line, its indentation kept and everything else made safe."""
    lines = []
    for line in patch.splitlines():
        words = line[1:].lstrip(" \t")
        blanks = line[1 : len(line) - len(words)].expandtabs(4)
        lines.append(line[:1] + blanks + call.line(words))
    return lines


def _refs(home: Home, agent: str | None) -> list[AgentRef]:
    """Return the agent that is named, else all."""
    return [one.ref for one in agents_of(home, agent)]


def meant(home: Home, agent: str | None) -> str:
    """Return the agent that is named, else the one whose memory is meant where none is.

    Raises:
        UsageError: None is named, and there is none.
    """
    owner = agent or default_agent(home)
    if owner is None:
        raise UsageError("there are no agents", hint="The platform makes them.")
    return owner


def owner(call: Call, agent: str | None) -> AgentRef:
    """Return the agent that is named, else the one whose memory is meant where none is.

    Raises:
        UnknownAgentError: No agent has that id.
        UsageError: None is named, and there is none.
    """
    return call.engine.home.agent(meant(call.engine.home.read(), agent)).ref


def outcomes_of(call: Call, commands: Sequence[Command], doing: str) -> list[Outcome]:
    """Run commands one after the other, with a progress line; one failure never stops the next."""
    outcomes: list[Outcome] = []
    with call.busy(doing, total=len(commands)) as progress:
        for command in commands:
            outcomes.append(call.engine.run(command, follower=Steps(call, progress, command)))
            progress.advance()
    return outcomes


class Steps:
    """Says on standard error what a command has done, line by line, while it runs.

    Only where a person watches, and never beside an answer for a machine.
    """

    def __init__(self, call: Call, progress: Progress, command: Command | None = None) -> None:
        """Follow a command.

        Args:
            call: The call.
            progress: Where the lines go.
            command: Named above its steps, where there are several.
        """
        self._call, self._progress = call, progress
        self._title = "" if command is None else key_of(command) or command.agent.id

    def moved(self, step: Step) -> None:
        """Say how a step ended."""
        if step.status == RUNNING or self._call.is_json:
            return
        if self._title:
            self._progress.step(self._call.line(self._title))
            self._title = ""
        took = f"{step.duration_ms} ms"
        said = self._call.line(step.message)
        self._progress.step(f"  {step.name:<14} {step.status:<9} {took:>9}  {said}")

    def kept(self, account: Account, run_id: int | None) -> None:
        """Hear where it is kept, which the answer says."""


def _confirm(
    call: Call, planned: Sequence[Planned], *, yes: bool, question: str | None = None
) -> None:
    """Ask on a terminal; elsewhere `--yes` must say it.

    Raises:
        ConfirmationError: Nobody can be asked, or the answer is no.
    """
    if yes:
        return
    if call.is_json or not call.output.can_ask:
        raise ConfirmationError(name_of(planned[0].command), is_declined=False)
    for one in planned:
        call.output.error(call.line(one.message))
        lines = one.details.get("diff") if "totals" in one.details else ()
        _list(call, lines if isinstance(lines, list) else ())
    number = len(planned)
    usual = "Start this session anew?" if number == 1 else f"Start these {number} sessions anew?"
    if not typer.confirm(question or usual, default=False, err=True):
        raise ConfirmationError(name_of(planned[0].command), is_declined=True)


_MOST_LINES = 20


def _list(call: Call, lines: Sequence[object]) -> None:
    """List what would go, on standard error, above the question."""
    for line in lines[:_MOST_LINES]:
        call.output.error(f"  {call.line(str(line))}")
    if len(lines) > _MOST_LINES:
        call.output.error(f"  {len(lines) - _MOST_LINES} more: --dry-run lists them all")


def _rotate(call: Call, plan: RotationPlan, request: RotationRequest) -> list[Outcome]:
    """Run what was planned, up to the maximum; what the plan skips stays as it is."""
    from memconsole.engine.rotation.plan import over_the_maximum  # noqa: PLC0415

    done: list[Outcome] = []
    taken = 0
    with call.busy("rotating", total=len(plan.outcomes)) as progress:
        for one in plan.outcomes:
            command = one.command
            if not isinstance(one, Planned) or not isinstance(command, Rotate):
                done.append(one)
            elif plan.most is not None and taken >= plan.most:
                done.append(over_the_maximum(one, plan.most))
            else:
                order = replace(
                    command,
                    threshold_tokens=request.threshold,
                    is_forced=request.is_forced,
                    is_active_forced=request.is_active_forced,
                    dry_run=False,
                )
                outcome = call.engine.run(order, follower=Steps(call, progress, order))
                taken += not is_busy(outcome)
                done.append(replace(outcome, details={**one.details, **outcome.details}))
            progress.advance()
    return done


def answer(
    call: Call,
    name: str,
    outcomes: Sequence[Outcome],
    home: Home | None = None,
    *,
    plan: RotationPlan | None = None,
    show: Callable[[Printer], None] = lambda _: None,
) -> int:
    """Answer with what came of commands.

    Args:
        call: The call.
        name: Name of the command line's command.
        outcomes: In their order.
        home: The platform home, for its time zone.
        plan: Of a rotation: what it left out.
        show: Writes more for people, below the outcomes.
    """

    def show_all(printer: Printer) -> None:
        show_outcomes(printer, outcomes, left_out)
        show(printer)

    left_out = {} if plan is None else {"below": plan.below}
    notices = () if plan is None else plan.notices
    return call.answer(
        Answer(
            name,
            data=lambda: [encode_outcome.outcome(one) for one in outcomes],
            show=show_all,
            warnings=tuple(
                dict.fromkeys((*notices, *(it for one in outcomes for it in notices_of(one))))
            ),
            left_out=left_out,
            code=exits.exit_of_outcomes(outcomes),
            failures=encode_outcome.failures(outcomes),
            home=home,
        )
    )


def show_outcomes(printer: Printer, found: Sequence[Outcome], left_out: Mapping[str, int]) -> None:
    """Write every outcome of a batch."""
    for one in found:
        _outcome(printer, one)
    if not found:
        printer.write("Nothing to do.")
    below = left_out.get("below", 0)
    if below:
        printer.write(Cell(f"{figures.plural(below, 'session')} below the threshold.", "dim"))


def _outcome(printer: Printer, one: Outcome) -> None:
    status = status_of(one)
    reason = reason_of(one)
    key = key_of(one.command) or session_key_of(one)
    subject = (one.command.agent.id or name_of(one.command)) if key is None else key
    word = status if reason is None else f"{status} ({reason})"
    took = one.duration_ms
    printer.write(
        Cell(printer.text(subject), "head"),
        "  ",
        Cell(word, wording.OUTCOME_STYLES[status]),
        Cell("" if took is None or status != "done" else f"  {took} ms", "dim"),
    )
    printer.write(f"  {printer.text(one.message)}")
    for file in wrote_of(one):
        verb = "would write" if status == "planned" else "wrote"
        printer.write(
            Cell(f"  {verb} ", "dim"), printer.text(file.path), f"  {size_words(file.size_bytes)}"
        )
    if hint := hint_of(one):
        printer.write(Cell(f"  {printer.text(hint)}", "dim"))
