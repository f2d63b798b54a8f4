"""Commands that save what sessions hold: `checkpoint`, `observe`, `rotate` and their like."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import complete, perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import (
    AgentOption,
    DryRunOption,
    Since,
    YesOption,
    at_least_one,
    call_of,
    parse_since,
    session_option,
    tokens,
)
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Column
from memconsole.domain.commands.compact import Compact
from memconsole.domain.commands.flush import FLUSH, Flush
from memconsole.domain.commands.index_md import IndexMd
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Planned
from memconsole.domain.commands.recover import Recover
from memconsole.domain.commands.summarize import Summarize
from memconsole.engine.home.lookup import agents_of
from memconsole.errors import UsageError
from memconsole.text.figures import plural, short_kilo
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command


def checkpoint(
    context: typer.Context,
    agent: AgentOption = None,
    session: Annotated[
        str | None, session_option("This session instead of the newest eligible one.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also what is stale, or was just saved.")
    ] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Save an agent's current work to ACTIVE_CONTEXT.md and the daily log.

    Without --agent that of every agent.
    """
    return perform.checkpoints(
        call_of(context), agent=agent, session=session, is_forced=force, dry_run=dry_run
    )


_Threshold = Annotated[
    int | None,
    typer.Option("--threshold", metavar="N", parser=tokens, help="Another limit: 120k, 120000."),
]
_WhatIf = Annotated[
    bool,
    typer.Option(
        "--what-if", help="Which would have been rotated when (--since, else 7d); changes nothing."
    ),
]


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
    threshold: _Threshold = None,
    force: Annotated[
        bool, typer.Option("--force", help="Pass threshold, interval and breaker.")
    ] = False,
    force_active: Annotated[
        bool, typer.Option("--force-active", help="Also a session that is at work: breaks it off.")
    ] = False,
    what_if: _WhatIf = False,
    since: Since = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Start due sessions anew before the platform compacts them.

    Without a KEY every session that is due. Asks before it acts; --dry-run shows the plan and needs
    no Gateway.
    """
    at_least_one("--threshold", threshold)
    if what_if:
        if keys or force or force_active or yes:
            raise UsageError("--what-if changes nothing: it takes --threshold, --since and --agent")
        return _what_if(call_of(context), agent=agent, threshold=threshold, since=since or "7d")
    request = perform.RotationRequest(
        keys=tuple(keys or ()),
        agent=agent,
        threshold=threshold,
        is_forced=force,
        dry_run=dry_run,
        is_active_forced=force_active,
    )
    return perform.rotations(call_of(context), request, yes=yes)


def _what_if(call: Call, *, agent: str | None, threshold: int | None, since: str) -> int:
    """Print which sessions would have been rotated, by the counts that were seen.

    Args:
        call: The call.
        agent: Only of this agent.
        threshold: In tokens; None for those of the settings.
        since: From when on, as it was typed.

    Raises:
        UsageError: `since` is no time.
    """
    now = call.clock.now()
    start = parse_since(since, now)
    found, counts = call.engine.rotation.what_if(
        agent_id=agent, threshold_tokens=threshold, since=start
    )
    data: Row = {
        "threshold": threshold,
        "since": start,
        "counts": counts,
        "rotations": [
            {"key": key, "at": one.at, "tokens": one.tokens, "would_capture": saved._asdict()}
            for one, key, saved in found
        ],
    }

    def show(printer: Printer) -> None:
        limit = "the settings" if threshold is None else f"{short_kilo(threshold)} tokens"
        began = wording.stamp(start, printer.zone)
        if not counts:
            printer.write(f"Nobody can say: no counts were kept since {began}.")
            return
        told = f"{plural(len(found), 'rotation')} since {began}"
        printer.write(f"By {limit}: {told}, by the {plural(counts, 'count')} that were kept.")
        rows = [
            [
                wording.stamp(one.at, printer.zone),
                short_kilo(one.tokens),
                *("?" if count is None else str(count) for count in captured),
                printer.text(key or "?"),
            ]
            for one, key, captured in found
        ]
        if rows:
            figures = (Column(one, right=True) for one in ("tokens", "messages", "observations"))
            printer.table((Column("when"), *figures, Column("session", least=24)), rows)

    home = call.engine.home.read()
    return call.answer(Answer("rotate", data=lambda: data, show=show, home=home))


def index_md(
    context: typer.Context,
    agent: AgentOption = None,
    force: Annotated[bool, typer.Option("--force", help="Also of a small memory.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print it instead; write nothing.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """List what an agent's memory holds in INDEX.md, where it has grown large.

    Made of memories from 50 KB on; written only when something but its time would change.
    """
    call = call_of(context)
    if show and not call.is_json:
        home = call.engine.home.read()
        refs = [one.ref for one in agents_of(home, agent)]
        outcomes = [call.engine.run(IndexMd(ref, force, dry_run=True)) for ref in refs]
        if texts := [str(one.details["text"]) for one in outcomes if isinstance(one, Planned)]:
            call.output.lines("\n".join(texts).splitlines())
            return 0
    return perform.each_agent(
        call, lambda ref: IndexMd(ref, force, dry_run=dry_run or show), agent, "writing INDEX.md"
    )


def compact(
    context: typer.Context,
    *,
    key: Annotated[
        str,
        typer.Argument(metavar="KEY", help="Session to compact.", autocompletion=complete.sessions),
    ],
    instructions: Annotated[
        str | None,
        typer.Option("--instructions", metavar="TEXT", help="What the summary should heed."),
    ] = None,
    force_truncate: Annotated[
        bool,
        typer.Option("--force-truncate", help="Also where the release only cuts lines off."),
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Ask the Gateway to compact a session, after saving its work.

    Asks before it acts. Refused on releases that only cut lines off, unless --force-truncate.
    """
    call = call_of(context)
    view = call.engine.sessions.find(key)
    command = Compact(
        view.agent,
        view.key_text or key,
        instructions=instructions,
        is_truncation_forced=force_truncate,
        dry_run=dry_run,
    )
    return perform.through_gateway(
        call, command, "compacting", question="Compact this session?", yes=yes
    )


def flush(
    context: typer.Context,
    *,
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="[KEY]",
            help="Session to save now.",
            autocompletion=complete.sessions,
            show_default=False,
        ),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Save a session before the platform compacts it.

    Without a KEY every session that came near to its compaction and was not saved since. Neither
    the Gateway nor a model is asked, and the transcript stays as it is.
    """
    call = call_of(context)
    if key is None:
        due = [replace(one, dry_run=dry_run) for one in call.engine.due.flushes()]
        return perform.batch(call, FLUSH.name, due, "flushing")
    view = call.engine.sessions.find(key)
    command = Flush(view.agent, view.key_text or key, dry_run=dry_run)
    return perform.single(call, command, "flushing")


def observe(
    context: typer.Context,
    *,
    agent: AgentOption = None,
    session: Annotated[str | None, session_option("This session only.")] = None,
    flush: Annotated[bool, typer.Option("--flush", help="Look further back.")] = False,
    recover: Annotated[
        str | None,
        typer.Option("--recover", metavar="ID", help="The last hours of a session that has ended."),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Add what is worth remembering in an agent's sessions to observations.md.

    Without --agent in those of every agent. Groups and jobs are never copied into memory.
    """
    if recover is not None and (flush or session is not None):
        raise UsageError(
            "--recover stands alone: it names its session, and how far it looks back",
            hint="Leave --session and --flush out.",
        )
    call = call_of(context)

    def build(ref: AgentRef) -> Observe:
        return Observe(
            ref, session_key=session, is_flush=flush, recover_id=recover, dry_run=dry_run
        )

    return _of_session(call, session or recover, agent, build, "observing")


def _of_session(
    call: Call,
    name: str | None,
    agent: str | None,
    build: Callable[[AgentRef], Command],
    doing: str,
) -> int:
    """Run a command for the agent of the session that is named, else for one agent or all."""
    if name is None:
        return perform.each_agent(call, build, agent, doing)
    sessions, home = call.engine.sessions, call.engine.home
    owner = sessions.find(name).agent if agent is None else home.agent(agent).ref
    return perform.single(call, build(owner), doing)


def recover(
    context: typer.Context,
    agent: AgentOption = None,
    session: Annotated[
        str | None,
        session_option("Only what ended of this session, or the one with this id.", "KEY|ID"),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Capture what was said in sessions that ended before it was captured.

    Looks at the newest sessions that ended, archives included; without --agent those of every
    agent. What is captured once is never captured again.
    """
    return _of_session(
        call_of(context),
        session,
        agent,
        lambda ref: Recover(ref, session, dry_run=dry_run),
        "looking for lost sessions",
    )


REASONS = ("manual", "new", "reset", "daily", "idle", "rotation", "recovery")


def summarize(
    context: typer.Context,
    *,
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY", help="Session to summarise.", autocompletion=complete.sessions
        ),
    ],
    session_id: Annotated[
        str | None,
        typer.Option("--session-id", metavar="ID", help="An earlier session of that key."),
    ] = None,
    reason: Annotated[
        str,
        typer.Option("--reason", metavar="REASON", help="Why: " + ", ".join(REASONS) + "."),
    ] = "manual",
    dry_run: DryRunOption = False,
) -> int:
    """Write the summary of a session into memory, once.

    A second call for the same session does nothing; groups and jobs are never copied into memory.
    """
    if reason not in REASONS:
        raise UsageError(
            f"--reason {one_line(reason)!r} is none that is known",
            hint=f"Known are {', '.join(REASONS)}.",
        )
    call = call_of(context)
    view = call.engine.sessions.find(session_id or key)
    command = Summarize(
        view.agent,
        view.key_text or (key if session_id else None),
        session_id=session_id or (None if view.key_text == key else view.session_id),
        reason=reason,
        dry_run=dry_run,
    )
    return perform.single(call, command, "summarising")
