"""`search`, `get`, `reindex` find what was written or said; `bench recall` measures how well."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path  # noqa: TC003  # Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import (
    AgentOption,
    DryRunOption,
    Since,
    at_least_one,
    call_of,
    request_of,
)
from memconsole.cli.call.search import answer
from memconsole.domain.agents import Notice
from memconsole.domain.commands.reindex import REINDEX, Reindex
from memconsole.engine.home.lookup import agents_of, default_agent
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Json
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.search.recall import Recall


QueryArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="QUERY", help="What to look for; any text.", show_default=False),
]

AllAgents = Annotated[
    bool, typer.Option("--all-agents", help="In the memory of every agent.", show_default=False)
]

MaxResults = Annotated[
    int | None,
    typer.Option(
        "--max-results", "-n", metavar="N", help="At most this many; 6 unless configured."
    ),
]

MinScore = Annotated[
    float | None,
    typer.Option("--min-score", metavar="S", help="Least score, 0 to 1; 0.35 unless configured."),
]

Sessions = Annotated[
    bool | None, typer.Option("--sessions/--no-sessions", help="Also in transcripts.")
]

TypeOption = Annotated[
    str | None, typer.Option("--type", metavar="T", help="Only with this marker, such as DECISION.")
]

Explain = Annotated[
    bool, typer.Option("--explain", help="Say how the agent's own search would have each hit.")
]

AskGateway = Annotated[
    bool,
    typer.Option(
        "--ask-gateway",
        help="Ask the platform's own search as well; its embedding service may cost.",
    ),
]

Newest = Annotated[bool, typer.Option("--newest", help="Newest first instead of best first.")]

PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help="As a hit names it.", show_default=False)
]

From = Annotated[int, typer.Option("--from", metavar="N", help="First line.")]

Lines = Annotated[int | None, typer.Option("--lines", metavar="M", help="How many lines.")]


def search(
    context: typer.Context,
    *,
    query: QueryArgument = None,
    agent: AgentOption = None,
    all_agents: AllAgents = False,
    max_results: MaxResults = None,
    min_score: MinScore = None,
    sessions: Sessions = None,
    since: Since = None,
    type_: TypeOption = None,
    explain: Explain = False,
    ask_gateway: AskGateway = False,
    newest: Newest = False,
) -> int:
    """Find what was written down, by meaning and by words; quotes and operators are only text."""
    call = call_of(context)
    request = request_of(
        call,
        query=query,
        agent=agent,
        all_agents=all_agents,
        max_results=max_results,
        min_score=min_score,
        sessions=sessions,
        since=since,
        type_=type_,
        newest=newest,
    )
    home = call.searcher.home.read()
    whose = None if all_agents else agent or default_agent(home)
    request = replace(request, agent_id=whose, is_explained=explain)
    return answer(call, "search", request, home, is_asking=ask_gateway)


def memory_search(
    context: typer.Context,
    *,
    query: QueryArgument = None,
    agent: AgentOption = None,
    all_agents: AllAgents = False,
    max_results: MaxResults = None,
    min_score: MinScore = None,
    since: Since = None,
    type_: TypeOption = None,
) -> int:
    """Find what was written down in the memory of an agent; the same as `search`."""
    return search(
        context,
        query=query,
        agent=agent,
        all_agents=all_agents,
        max_results=max_results,
        min_score=min_score,
        since=since,
        type_=type_,
    )


def get(
    context: typer.Context,
    path: PathArgument,
    agent: AgentOption = None,
    from_: From = 1,
    lines: Lines = None,
) -> int:
    """Print lines of a file or session that a search named; where there is none, that is said."""
    at_least_one("--from", from_)
    at_least_one("--lines", lines)
    call = call_of(context)
    home = call.searcher.home.read()
    owner = agent or default_agent(home)
    found = () if owner is None else call.searcher.lines(owner, path)
    end = None if lines is None else from_ - 1 + lines
    shown = found[from_ - 1 : end]
    data: dict[str, Json] = {
        "agent": owner,
        "path": path,
        "from": from_,
        "lines": len(shown),
        "total_lines": len(found),
        "text": "\n".join(shown),
    }

    def show(printer: Printer) -> None:
        for line in shown:
            printer.write(printer.text(line) if line.strip() else "")

    return call.answer(
        Answer(
            "get",
            data=lambda: data,
            show=show,
            home=home,
            warnings=_nothing_shown(path, owner, from_, len(found)),
        )
    )


def _nothing_shown(path: str, agent: str | None, from_: int, total: int) -> tuple[Notice, ...]:
    """Return why no lines are shown, where none are: a file that is there has at least one."""
    name = one_line(path)
    if agent is None:
        sentence = f"there is no {name}: this home has no agents"
    elif not total:
        sentence = f"there is no {name} in what is searched of {agent}"
    elif from_ > total:
        sentence = f"{name} ends with line {total}: there is no line {from_}"
    else:
        return ()
    return (Notice("nothing-there", sentence, path, agent),)


def memory_get(
    context: typer.Context,
    path: PathArgument,
    agent: AgentOption = None,
    from_: From = 1,
    lines: Lines = None,
) -> int:
    """Print lines of a memory file; the same as `get`."""
    return get(context, path, agent, from_, lines)


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
    with call.busy("indexing") as progress:
        for ref in refs:
            label = f"indexing {call.line(ref.id)}"
            command = Reindex(ref, is_full=full, with_sessions=sessions, dry_run=dry_run)
            counted = partial(progress.count, label)
            outcomes.append(call.engine.run(command, progress=counted))
    return perform.answer(call, REINDEX.name, outcomes, home)


_AtOnce = Annotated[
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
    all_agents: _AtOnce = False,
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
