"""Tables of agents, sessions and runs for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.agents import Storage
from memconsole.domain.jobs.runs import Repeated, repeated
from memconsole.domain.sessions.activity import Doing, told, words_of
from memconsole.domain.sessions.stored import SessionState, TranscriptState
from memconsole.text import figures
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from memconsole.cli.output.printer import Printer
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.snapshot.groups import Group
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot, SessionView


_GAUGE = 10
_ID_CHARS = 8
_WARN_AT = 75.0

_LEFT_OUT = {
    "cron_run": "cron run",
    "archived": "archived session",
    "orphan": "orphan",
    "backup": "backup copy",
    "unreadable": "unreadable",
}
_UNCOUNTABLE = ("unreadable",)

_STATUS_STYLES = {"done": "ok", "failed": "due", "skipped": "warn"}

AGENT_COLUMNS = (
    Column("agent", cut="middle", least=8),
    Column("sessions", right=True),
    Column("due", right=True),
    Column("fullest", right=True),
    Column("does", cut="end", least=8, rank=2),
    Column("memory", right=True),
    Column("files", right=True, rank=4),
    Column("checkpoint", right=True, rank=1),
    Column("store", rank=3),
    Column("notes", cut="end", least=10),
)

_MEMORY = ("memory", "files")

SESSION_COLUMNS = (
    Column("agent", cut="middle", least=6),
    Column("session", cut="middle", least=22),
    Column("id"),
    Column("tokens", right=True),
    Column("of limit", rank=3),
    Column("%", right=True),
    Column("state"),
    Column("window", right=True, rank=5),
    Column("grows", right=True, rank=4),
    Column("due", right=True, rank=1),
    Column("age", right=True, rank=2),
    Column("key", cut="middle", least=24, rank=6),
)
"""The id's beginning is enough to name a session; at 80 cells its key has no room."""


def agents(printer: Printer, snapshot: ConsoleSnapshot, *, has_memory: bool = True) -> None:
    """Write the table of agents; `has_memory` tells the size of their memory as well."""
    if not snapshot.agents:
        path, is_known = snapshot.home.path, snapshot.home.config.is_readable
        said = (
            f"{path} is sound and has no agents yet."
            if is_known
            else f"No agent of {path} is known: its configuration cannot be read."
        )
        printer.write(printer.text(said))
        return
    chosen = [at for at, one in enumerate(AGENT_COLUMNS) if has_memory or one.name not in _MEMORY]
    rows = [_agent_row(printer, view) for view in snapshot.agents]
    printer.table(
        [AGENT_COLUMNS[at] for at in chosen], [[row[at] for at in chosen] for row in rows]
    )


def _agent_row(printer: Printer, view: AgentView) -> list[Cell | str]:
    """Return one agent's cells."""
    pool = view.pool
    is_unknown = pool is None or not pool.is_known
    nothing = figures.UNKNOWN if is_unknown else ""
    if not is_unknown and not view.agent.workspace_exists:
        nothing = wording.NOTHING
    return [
        printer.text(view.ref.id),
        figures.UNKNOWN if view.sessions is None else str(view.sessions),
        Cell(
            figures.UNKNOWN if view.sessions is None else str(view.due),
            "due" if view.due else "dim",
        ),
        wording.NOTHING if view.sessions == 0 else figures.short_kilo(view.tokens_max),
        _does(view),
        nothing if pool is None or nothing else size_words(pool.size_bytes),
        nothing if pool is None or nothing else str(pool.files),
        "never" if view.checkpoint_at is None else wording.age(view.checkpoint_at, printer.now),
        Cell(view.store.value, "due" if view.store is Storage.UNREADABLE else ""),
        Cell(printer.text(", ".join(_notes(view))), "warn"),
    ]


def _does(view: AgentView) -> Cell:
    """Return what an agent's sessions do, those first of which an operator should know."""
    doing = told(view.activity, view.sessions)
    is_stuck = bool(doing) and doing[0][0] is Doing.STUCK
    return Cell(", ".join(words for _, words in doing) or wording.NOTHING, "due" * is_stuck)


def _notes(view: AgentView) -> list[str]:
    notes = ["not configured"] if view.agent.is_configured is False else []
    if view.agent.workspace_doubt:
        notes.append("workspace not known")
    elif not view.agent.workspace_exists:
        notes.append("no workspace")
    known = {"agent-unconfigured", "workspace-missing"}
    codes = (problem.code for problem in view.problems if problem.code not in known)
    return notes + list(dict.fromkeys(codes))


def sessions(printer: Printer, shown: Sequence[SessionView], left_out: Mapping[str, int]) -> None:
    """Write the table of sessions and what it leaves out."""
    if shown:
        printer.table(SESSION_COLUMNS, [session_row(printer, view) for view in shown])
    else:
        printer.write("No sessions to list.")
    if rest := left_out_words(left_out):
        is_folded = any(left_out.get(code) for code in FOLDED)
        more = "; --all lists every session" if is_folded else ""
        printer.gap()
        printer.write(Cell(printer.cut(f"Left out: {rest}{more}."), "dim"))


def session_row(printer: Printer, view: SessionView) -> list[Cell | str]:
    """Return one session's cells."""
    style = _fill_style(view)
    now = printer.now
    bar = wording.gauge(view.percent_of_threshold, _GAUGE, is_ascii=printer.style.is_ascii)
    return [
        printer.text(view.agent.id),
        Cell(printer.text(view.name), "" if _is_plain(view) else "dim"),
        Cell(printer.text((view.session_id or figures.UNKNOWN)[:_ID_CHARS]), "dim"),
        Cell(figures.short_kilo(view.tokens), style),
        Cell(bar, style),
        Cell(figures.percent(view.percent_of_threshold), style),
        Cell(printer.text(_state(view, now)), style),
        figures.percent(view.percent_of_window),
        wording.rate(view),
        wording.due(view, now),
        wording.age(view.stored.updated_at, now),
        Cell(printer.text(view.key_text or wording.NOTHING), "dim"),
    ]


def _is_plain(view: SessionView) -> bool:
    return view.state is SessionState.LIVE and not view.is_cron_run


def _state(view: SessionView, now: datetime) -> str:
    words = [wording.state_word(view)]
    if view.state is not SessionState.LIVE:
        words.append(view.stored.archive_reason or view.state.value)
    if view.transcript_state in (TranscriptState.MISSING, TranscriptState.REFUSED):
        words.append(view.transcript_state.value)
    if view.activity is not None and view.activity.doing is not Doing.IDLE:
        words.append(words_of(view.activity, now))
    return " ".join(word for word in words if word) or "ok"


def _fill_style(view: SessionView) -> str:
    if view.is_due:
        return "due"
    if view.percent_of_threshold is None or view.state is not SessionState.LIVE:
        return "dim"
    return "warn" if view.percent_of_threshold >= _WARN_AT else ""


def left_out_words(left_out: Mapping[str, int]) -> str:
    """Return what was left out as words: `310 cron runs, 2 orphans`."""
    parts = []
    for code, number in left_out.items():
        noun = _LEFT_OUT.get(code, code)
        if number:
            parts.append(
                f"{number:,} {noun}" if code in _UNCOUNTABLE else figures.plural(number, noun)
            )
    return ", ".join(parts).replace("copys", "copies")


def runs(printer: Printer, found: Sequence[Run], *, is_folded: bool) -> None:
    """Write the run log, newest first; folded, what repeats itself is one row."""
    columns = (
        Column("when"),
        Column("by"),
        Column("status"),
        Column("took", right=True, rank=2),
        Column("call", cut="middle", least=20),
        Column("message", cut="end", least=16, rank=1),
    )
    lines = repeated(found) if is_folded else [Repeated(one, 1, one.started_at) for one in found]
    rows = [_run_row(printer, one) for one in lines]
    if rows:
        printer.table(columns, rows)
    else:
        printer.write("No runs are recorded.")


def _run_row(printer: Printer, line: Repeated) -> list[Cell | str]:
    run = line.run
    status = run.status if run.reason is None else f"{run.status} ({run.reason})"
    return [
        wording.stamp(run.started_at, printer.zone),
        printer.text(run.job or run.origin.value),
        Cell(printer.text(status), _STATUS_STYLES.get(run.status, "")),
        "" if run.duration_ms is None else f"{run.duration_ms} ms",
        printer.text(run.command_line),
        printer.text(_times(printer, line) + run.message),
    ]


def _times(printer: Printer, line: Repeated) -> str:
    if line.count == 1:
        return ""
    return f"{line.count} times since {wording.stamp(line.first_at, printer.zone)}: "


def findings(printer: Printer, groups: Iterable[Group]) -> None:
    """Write findings with what to do about them; one of an earlier look says how old that is."""
    for group in groups:
        first = group.first
        age = "" if first.seen_at is None else f" (seen {figures.ago(printer.now - first.seen_at)})"
        sign = Cell(f"! {group.severity.value:8}  ", wording.SEVERITY_STYLES[group.severity])
        printer.sentence(sign, printer.text(f"{group.message}{age}"))
        if first.hint:
            more = " (and so on)" if len(group.findings) > 1 else ""
            printer.sentence(Cell(" " * 12), printer.text(f"{first.hint}{more}"), "dim")


FOLDED = ("cron_run", "archived", "orphan")
"""What `--all` lists besides; the other counts of `left_out` stay."""


def default_view(
    snapshot: ConsoleSnapshot, *, everything: bool
) -> tuple[tuple[SessionView, ...], dict[str, int]]:
    """Return the sessions to list and the counts of what is left out.

    Args:
        snapshot: The reading.
        everything: List archives, orphans and cron runs as well; their counts are then 0.
    """
    counts = dict(snapshot.left_out)
    if everything:
        return snapshot.sessions, counts | dict.fromkeys(FOLDED, 0)
    shown = tuple(view for view in snapshot.sessions if is_shown(view))
    return shown, counts


def is_shown(view: SessionView) -> bool:
    """Tell whether the default view lists a session."""
    return view.state is SessionState.LIVE and not view.is_cron_run
