"""`bench recall`: measures search on a labelled set of the user's own."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import call_of

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.search.recall import Recall

AllAgents = Annotated[
    bool,
    typer.Option("--all-agents", help="Ask all agents at once.", show_default=False),
]


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
    *,
    all_agents: AllAgents = False,
) -> int:
    """Measure how much of the evidence of labelled questions the first results hold.

    Each line of queries.jsonl is an object with `agent`, `query` and `evidence`, a list of objects
    with `path` and `line`; `category` "adversarial" is left out. The folder is only read.
    """
    from memconsole.compose.recall import measure_recall  # noqa: PLC0415 - `--help` composes nothing

    call = call_of(context)
    with call.busy("measuring"):
        found = measure_recall(call.settings, folder, call.clock, all_agents=all_agents)
    return call.answer(
        Answer(
            "bench recall",
            data=lambda: _row(found),
            show=lambda printer: _show(printer, found),
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


def _show(printer: Printer, found: Recall) -> None:
    for name, value in _row(found).items():
        printer.field(name.replace("_", " "), str(value))
