"""`reindex`: brings the search indexes up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits, perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import AgentOption, DryRunOption, call_of
from memconsole.cli.json import outcome
from memconsole.domain.commands.reindex import REINDEX, Reindex, Reindexed
from memconsole.engine.home.lookup import agents_of

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.outcomes import Outcome


def reindex(
    context: typer.Context,
    agent: AgentOption = None,
    full: Annotated[bool, typer.Option("--full", help="Build it anew in any case.")] = False,
    sessions: Annotated[
        bool | None,
        typer.Option("--sessions/--no-sessions", help="Also the transcripts."),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Bring an agent's search index up to date. Without --agent those of all agents."""
    call = call_of(context)
    home = call.engine.home.read()
    refs = [one.ref for one in agents_of(home, agent)]
    outcomes: list[Outcome] = []
    with call.busy("indexing", total=len(refs)) as progress:
        for ref in refs:
            command = Reindex(ref, is_full=full, with_sessions=sessions, dry_run=dry_run)
            outcomes.append(call.engine.run(command))
            progress.advance()

    def show(printer: Printer) -> None:
        perform.show_outcomes(printer, outcomes, {})

    return call.answer(
        Answer(
            REINDEX.name,
            data=lambda: [outcome.outcome(one) for one in outcomes],
            show=show,
            at=call.clock.now(),
            warnings=_notices(outcomes),
            code=exits.exit_of_outcomes(outcomes),
            failures=outcome.failures(outcomes),
            home=home,
        )
    )


def _notices(outcomes: list[Outcome]) -> tuple[Notice, ...]:
    found = [notice for one in outcomes if isinstance(one, Reindexed) for notice in one.notices]
    return tuple(dict.fromkeys(found))
