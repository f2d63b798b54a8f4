"""`reindex`, and `bench recall`, which measures search on a labelled set of the user's own."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import AgentOption, DryRunOption, call_of
from memconsole.domain.commands.reindex import Reindex, Reindexed

if TYPE_CHECKING:
    from memconsole.cli.output.paper import Paper
    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.search.recall import Recall


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
    home = call.engine.home()
    refs = [one.ref for one in home.agents] if agent is None else [call.engine.agent(agent).ref]
    outcomes: list[Outcome] = []
    with call.busy("indexing", total=len(refs)) as progress:
        for ref in refs:
            command = Reindex(ref, is_full=full, with_sessions=sessions, dry_run=dry_run)
            outcomes.append(call.engine.run(command))
            progress.advance()
    from memconsole.cli.json import outcome  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli.call import perform  # noqa: PLC0415  # not for machines

        perform.show_outcomes(paper, outcomes, {})

    return call.answer(
        Answer(
            "reindex",
            data=lambda: [outcome.outcome(one) for one in outcomes],
            show=show,
            at=call.clock.now(),
            warnings=_notices(outcomes),
            code=exits.exit_of_outcomes(outcomes),
            failures=outcome.failures(outcomes),
            home=home,
        )
    )


def recall(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="With queries.jsonl, and below it one workspace an agent.",
            show_default=False,
        ),
    ],
) -> int:
    """Measure how much of the evidence of labelled questions the first results hold.

    Each line of queries.jsonl is an object with `agent`, `query` and `evidence`, a list of objects
    with `path` and `line`; `category` "adversarial" is left out. The folder is only read.
    """
    from memconsole.compose import engine  # noqa: PLC0415

    call = call_of(context)
    with call.busy("measuring"):
        found = engine.measure_recall(call.settings, folder, call.clock)
    return call.answer(
        Answer(
            "bench recall",
            data=lambda: _row(found),
            show=lambda paper: _show(paper, found),
            at=call.clock.now(),
        )
    )


def _row(found: Recall) -> dict[str, float | int | str]:
    return {
        "questions": found.questions,
        "agents": found.agents,
        "chunks": found.chunks,
        "provider": found.provider,
        **{f"recall_at_{place}": round(value, 4) for place, value in found.recall.items()},
        "ndcg_at_10": round(found.ndcg, 4),
        "mrr": round(found.mrr, 4),
        "seconds": round(found.seconds, 3),
    }


def _show(paper: Paper, found: Recall) -> None:
    for name, value in _row(found).items():
        paper.field(name.replace("_", " "), str(value))


def _notices(outcomes: list[Outcome]) -> tuple[Notice, ...]:
    found = [notice for one in outcomes if isinstance(one, Reindexed) for notice in one.notices]
    return tuple(dict.fromkeys(found))
