"""`consolidate`, `memory promote`, `memory decline`: what a memory may let go or keep for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import AgentOption, DryRunOption, YesOption, call_of
from memconsole.cli.json import memory
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.commands.consolidate import CONSOLIDATE, Consolidate, Propose
from memconsole.domain.commands.memory import Decline, Promote
from memconsole.engine.home.lookup import agents_of
from memconsole.errors import UsageError
from memconsole.text import figures
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.consolidate.decay import Decayed
    from memconsole.domain.consolidate.promotion import Proposal
    from memconsole.domain.consolidate.text import ConsolidationPreview


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
    yes: YesOption = False,
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
    if is_archiving or report:
        call.refuse_read_only(CONSOLIDATE.name, dry_run=dry_run)
    if is_archiving:
        return _archive(call, agent, with_high=apply_high, yes=yes, dry_run=dry_run)
    return _report(call, agent, dry_run=dry_run) if report else _preview(call, agent)


def _preview(call: Call, agent: str | None) -> int:

    home = call.engine.home.read()
    agents = [one.id for one in agents_of(home, agent)]
    with call.busy("looking at the memory"):
        found = [call.engine.consolidation.preview(one) for one in agents]

    def show(printer: Printer) -> None:
        previews(printer, found)

    return call.answer(
        Answer(
            CONSOLIDATE.name,
            data=lambda: [memory.preview(one) for one in found],
            show=show,
            home=home,
        )
    )


def _archive(call: Call, agent: str | None, *, with_high: bool, yes: bool, dry_run: bool) -> int:
    """Archive what was shown when the question was asked, or nothing."""

    def build(ref: AgentRef) -> Consolidate:
        shown = None if dry_run else call.engine.consolidation.preview(ref.id).shown
        return Consolidate(ref, shown, is_high_included=with_high, dry_run=dry_run)

    if dry_run:
        return perform.each_agent(call, build, agent, "looking for what has decayed")
    question = "Archive these lines?"
    return perform.each_agent_asked(call, build, agent, "archiving", question=question, yes=yes)


def _report(call: Call, agent: str | None, *, dry_run: bool) -> int:

    def build(ref: AgentRef) -> Propose:
        return Propose(ref, dry_run=dry_run)

    return perform.each_agent(call, build, agent, "writing DREAMS.md")


def previews(printer: Printer, found: Sequence[ConsolidationPreview]) -> None:
    """Write a section for each memory."""
    for one in found:
        _preview_tables(printer, one)
    if not found:
        printer.write("No agents.")


def _preview_tables(printer: Printer, one: ConsolidationPreview) -> None:
    agent = printer.text(one.agent.id)
    printer.title(
        agent,
        f"observations: {short_kilo(one.tokens_before)} of {short_kilo(one.token_target)} tokens",
    )
    left = f"could be archived, which leaves {short_kilo(one.tokens_after)} tokens"
    for lines, words, option in (
        (one.archived, left, "--apply"),
        (one.high, "with 🔴 could go as well", "--apply-high"),
    ):
        if lines:
            printer.write(f"{figures.plural(len(lines), 'line')} {words}:")
            _lines(printer, lines)
            printer.write(Cell(f"memconsole consolidate --agent {agent} {option}", "dim"))
    if one.proposals:
        notes = figures.plural(len(one.proposals), "daily note")
        printer.write(f"{notes} could go into MEMORY.md:")
        _proposals(printer, one.proposals)
        printer.write(Cell(f"memconsole memory promote ID --agent {agent} (or decline)", "dim"))
    if one.is_empty:
        printer.write("Nothing has decayed, and nothing is proposed.")
    for note in one.notes:
        printer.sentence(Cell("note  ", "warn"), printer.text(note))


def _lines(printer: Printer, lines: Sequence[Decayed]) -> None:
    columns = (
        Column("id"),
        Column("score", right=True),
        Column("days", right=True, rank=1),
        Column("line", cut="end", least=20),
    )
    rows: list[list[Cell | str]] = [
        [
            printer.text(one.id),
            f"{one.score:.1f}",
            "?" if one.age_days is None else str(one.age_days),
            printer.text(one.text),
        ]
        for one in lines
    ]
    printer.table(columns, rows)


def _proposals(printer: Printer, proposals: Sequence[Proposal]) -> None:
    columns = (
        Column("id"),
        Column("score", right=True),
        Column("found", right=True),
        Column("questions", right=True, rank=2),
        Column("days", right=True, rank=2),
        Column("place", cut="middle", least=14, rank=1),
        Column("note", cut="end", least=20),
    )
    rows: list[list[Cell | str]] = [
        [
            one.id,
            f"{one.score:.2f}",
            str(one.hits),
            str(one.queries),
            str(one.days),
            printer.text(f"{one.path}:{one.line}"),
            printer.text(one.text.removeprefix("- ")),
        ]
        for one in proposals
    ]
    printer.table(columns, rows)


Ids = Annotated[
    list[str],
    typer.Argument(metavar="ID...", help="Ids as `consolidate` lists them, or beginnings."),
]


def promote(
    context: typer.Context, ids: Ids, agent: AgentOption = None, dry_run: DryRunOption = False
) -> int:
    """Write daily notes that searches found again into MEMORY.md, each that you name.

    They stay in their logs. A note that was changed since it was shown has another id and is
    refused; `memory undo` takes back what was written.
    """
    call = call_of(context)
    command = Promote(perform.owner(call, agent), tuple(ids), dry_run=dry_run)
    return perform.single(call, command, "writing it down")


def decline(
    context: typer.Context, ids: Ids, agent: AgentOption = None, dry_run: DryRunOption = False
) -> int:
    """Propose daily notes for MEMORY.md no more; they stay in their logs.

    `memory promote` still takes them.
    """
    call = call_of(context)
    command = Decline(perform.owner(call, agent), tuple(ids), dry_run=dry_run)
    return perform.single(call, command, "remembering it")
