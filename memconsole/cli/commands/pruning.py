"""`prune-preview`: what the platform would trim or clear of the next request."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import SessionArgument, call_of
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.pruning import CHARS_PER_TOKEN, PruneAction, PruningMode, parse_ttl
from memconsole.engine.pruning import PruningRequest
from memconsole.errors import UsageError
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from datetime import timedelta

    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.engine.pruning import PruningPreview


def prune_preview(
    context: typer.Context,
    key: SessionArgument,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode", metavar="M", help="off, cache-ttl, adaptive or aggressive; as configured."
        ),
    ] = None,
    ttl: Annotated[
        str | None, typer.Option("--ttl", metavar="D", help="Such as 5m or 4h; as configured.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When the request is sent; now.")
    ] = None,
) -> int:
    """Show what the platform would trim or clear of old tool results in the next request.

    Nothing is written: pruning changes the prompt, never the transcript.
    """
    call = call_of(context)
    request = PruningRequest(_mode(mode), _ttl(ttl), _moment(at))
    with call.busy("reading the transcript"):
        found = call.engine.sessions.pruned(key, request)
        home = call.engine.home.read()
    return call.answer(
        Answer(
            "prune-preview",
            data=lambda: _encoded(found),
            show=lambda printer: _show(printer, found),
            home=home,
        )
    )


def _mode(text: str | None) -> PruningMode | None:
    if text is None:
        return None
    try:
        return PruningMode(text.strip().lower())
    except ValueError as error:
        raise UsageError(
            f"--mode {text!r} is no such mode", hint=f"The modes are {', '.join(PruningMode)}."
        ) from error


def _ttl(text: str | None) -> timedelta | None:
    if text is None:
        return None
    found = parse_ttl(text)
    if found is None or not text.strip()[-1:].isalpha():
        raise UsageError(f"--ttl {text!r} is no duration", hint="Write such as 600s, 5m or 4h.")
    return found


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"--at {text!r} is no moment", hint="Write such as 2026-01-26T14:00+01:00."
        ) from error


def _encoded(found: PruningPreview) -> Row:
    plan = found.plan
    return {
        "key": found.session.key_text,
        "agent": found.session.agent.id,
        "session_id": found.session.session_id,
        "mode": plan.rules.mode.value,
        "ttl_s": round(plan.rules.ttl.total_seconds()),
        "at": plan.at,
        "last_call_at": plan.last_call_at,
        "due_at": plan.due_at,
        "window": plan.rules.window_tokens,
        "gate": None if plan.gate is None else plan.gate.value,
        "results": [
            {
                "index": one.part.index,
                "tool": one.part.tool,
                "at": one.part.at,
                "chars_before": one.part.chars,
                "chars_after": one.chars_after,
                "action": one.action.value,
                "reason": one.reason.value,
            }
            for one in plan.results
        ],
        "totals": {
            "results": len(plan.results),
            "kept": plan.count(PruneAction.KEEP),
            "trimmed": plan.count(PruneAction.TRIM),
            "cleared": plan.count(PruneAction.CLEAR),
            "chars_before": plan.chars_before,
            "chars_after": plan.chars_after,
            "tokens_before": -(-plan.chars_before // CHARS_PER_TOKEN),
            "tokens_after": -(-plan.chars_after // CHARS_PER_TOKEN),
            "percent_before": plan.percent(plan.chars_before),
            "percent_after": plan.percent(plan.chars_after),
        },
    }


_WHY = {
    "mode-off": "pruning is off (agents.defaults.contextPruning.mode)",
    "no-assistant-call": "the assistant has not said anything yet",
    "ttl-not-over": "the last call is younger than the ttl",
    "few-assistants": "there are too few assistant messages",
    "below-soft-ratio": "the context is too small to be trimmed",
}


def _show(printer: Printer, found: PruningPreview) -> None:
    plan = found.plan
    name = found.session.key_text or found.session.session_id or "?"
    printer.title(
        printer.text(name), f"{plan.rules.mode}, window {short_kilo(plan.rules.window_tokens)}"
    )
    if plan.gate is not None:
        printer.write(Cell(f"Nothing would be pruned: {_WHY[plan.gate]}.", "dim"))
    rows: list[list[Cell | str]] = [
        [
            str(one.part.index),
            printer.text(one.part.tool),
            f"{one.part.chars:,}",
            f"{one.chars_after:,}",
            Cell(one.action.value, "dim" if one.action == "keep" else "warn"),
            one.reason.value,
        ]
        for one in plan.results
    ]
    if rows:
        columns = (
            Column("message", right=True),
            Column("tool", cut="end", least=8),
            Column("chars", right=True),
            Column("after", right=True),
            Column("action"),
            Column("why"),
        )
        printer.table(columns, rows)
    before, after = plan.chars_before, plan.chars_after
    printer.write(
        f"{short_kilo(before)} characters ({plan.percent(before)} % of the window) "
        f"become {short_kilo(after)} ({plan.percent(after)} %)."
    )
