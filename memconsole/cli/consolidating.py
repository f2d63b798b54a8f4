"""`consolidate`: shows what a memory could let go or keep for good, then does what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import Answer
from memconsole.cli.shared import AgentOption, DryRunOption, call_of
from memconsole.errors import ReadOnlyError, UsageError

if TYPE_CHECKING:
    from memconsole.cli.call import Call
    from memconsole.cli.paper import Paper
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.consolidation_commands import Consolidate, Propose


def consolidate(
    context: typer.Context,
    *,
    agent: AgentOption = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Archive the observations that have decayed.")
    ] = False,
    apply_high: Annotated[
        bool, typer.Option("--apply-high", help="Archive also the lines with 🔴 among them.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Write the preview into DREAMS.md, once a day.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Archive observations that have decayed, after showing them, and propose notes for MEMORY.md.

    Without an option it only shows both. --apply archives after asking, and leaves a line that says
    where; `memory promote ID` writes a note into MEMORY.md, `memory decline ID` proposes it no
    more; `memory undo` takes back. Notes are proposed of what searches found, when
    consolidate.search_log is set.
    """
    call = call_of(context)
    is_archiving = apply or apply_high
    if is_archiving and report:
        raise UsageError("--apply and --report exclude each other", hint="Call it once for each.")
    if (is_archiving or report) and call.settings.ui.read_only and not dry_run:
        raise ReadOnlyError("consolidate")
    if is_archiving:
        return _archive(call, agent, with_high=apply_high, yes=yes, dry_run=dry_run)
    return _report(call, agent, dry_run=dry_run) if report else _preview(call, agent)


def _preview(call: Call, agent: str | None) -> int:
    from memconsole.cli import encode_consolidation  # noqa: PLC0415

    home = call.engine.home()
    agents = [one.id for one in home.agents] if agent is None else [call.engine.agent(agent).id]
    with call.busy("looking at the memory"):
        found = [call.engine.consolidation(one) for one in agents]

    def show(paper: Paper) -> None:
        from memconsole.cli import consolidation_view  # noqa: PLC0415  # not for machines

        consolidation_view.previews(paper, found)

    return call.answer(
        Answer(
            "consolidate",
            data=lambda: [encode_consolidation.preview(one) for one in found],
            show=show,
            at=call.clock.now(),
            home=home,
        )
    )


def _archive(call: Call, agent: str | None, *, with_high: bool, yes: bool, dry_run: bool) -> int:
    """Archive what was shown when the question was asked, or nothing."""
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.consolidation_commands import Consolidate  # noqa: PLC0415

    def build(ref: AgentRef) -> Consolidate:
        shown = None if dry_run else call.engine.consolidation(ref.id).shown
        return Consolidate(ref, shown, is_high_included=with_high, dry_run=dry_run)

    if dry_run:
        return perform.each_agent(call, build, agent, "looking for what has decayed")
    question = "Archive these lines?"
    return perform.each_agent_asked(call, build, agent, "archiving", question=question, yes=yes)


def _report(call: Call, agent: str | None, *, dry_run: bool) -> int:
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.consolidation_commands import Propose  # noqa: PLC0415

    def build(ref: AgentRef) -> Propose:
        return Propose(ref, dry_run)

    return perform.each_agent(call, build, agent, "writing DREAMS.md")
