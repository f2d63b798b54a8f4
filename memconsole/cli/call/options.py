"""Options that several commands have, and how what they were given is read."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from memconsole.cli.call import complete
from memconsole.cli.call.call import Call
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.search.values import Narrowing, SearchRequest
from memconsole.errors import UsageError
from memconsole.text.figures import read_span, read_tokens

if TYPE_CHECKING:
    from typer.models import OptionInfo

MCP_LIBRARY: Final = "mcp"

AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent", "-a", metavar="A", help="Only this agent.", autocompletion=complete.agents
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
]
LayerOption = Annotated[
    Layer | None,
    typer.Option("--layer", help="Run only the jobs of this layer.", show_default=False),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="D", help="Such as 90m, 6h, 7d, or 2026-01-26."),
]


def session_option(help_: str, metavar: str = "KEY") -> OptionInfo:
    """Return the option `--session`, which narrows a command to one session."""
    option: OptionInfo = typer.Option(
        "--session", metavar=metavar, help=help_, autocompletion=complete.sessions
    )
    return option


SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="KEY|ID",
        help="Session key, session id, or at least 6 characters an id begins with.",
        autocompletion=complete.sessions,
        show_default=False,
    ),
]


def at_least_one(option: str, value: int | None) -> None:
    """Check a number that an option gave.

    Raises:
        UsageError: It is 0 or less.
    """
    if value is not None and value < 1:
        raise UsageError(f"{option} {value} is no such number", hint=f"{option} takes 1 or more.")


def call_of(context: typer.Context) -> Call:
    """Return the call that a context belongs to; a context without one gets one."""
    return context.ensure_object(Call)


def tag_of(text: str, extra: tuple[str, ...] = ()) -> str:
    """Return the marker type that an option gave, in capitals and without brackets.

    Args:
        text: As given.
        extra: Types beside the eight, where such are known.

    Raises:
        UsageError: There is no such type.
    """
    tag = text.strip().strip("[]").upper()
    known = (*MARKER_TAGS, *extra)
    if tag not in known:
        raise UsageError(
            f"there is no marker type {text!r}", hint=f"The types are {', '.join(known)}."
        )
    return tag


def tokens(text: str | int) -> int:
    """Read a number of tokens as people write it: `120000`, `120k`, `0.2M`.

    Raises:
        typer.BadParameter: It is none.
    """
    try:
        return read_tokens(str(text))
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is no number of tokens, such as 120k") from error


def parse_since(text: str, now: datetime) -> datetime:
    """Return the moment that `--since` names; a day begins at the host's midnight.

    Raises:
        UsageError: It is neither a duration nor a date.
    """
    if (span := read_span(text)) is not None:
        try:
            return now - span
        except OverflowError:
            return datetime.min.replace(tzinfo=UTC)
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"--since {text!r} is neither a duration nor a date",
            hint="Write such as 90m, 6h, 7d, 2026-01-26 or 2026-01-26T14:00+01:00.",
        ) from error


def parse_span(option: str, text: str) -> timedelta:
    """Return the duration that an option names; more than none.

    Raises:
        UsageError: It is no duration.
    """
    span = read_span(text)
    if not span:
        raise UsageError(f"{option} {text!r} is no duration", hint="Write such as 90m, 8h or 7d.")
    return span


def require_mcp() -> None:
    """Look whether the package is there that memory as tools of an agent needs.

    Raises:
        UsageError: It is not.
    """
    if importlib.util.find_spec(MCP_LIBRARY) is None:
        raise UsageError(
            "the Model Context Protocol needs the package mcp, which is not installed",
            hint="Install it: `pipx inject memconsole mcp`, or `pip install 'memconsole[mcp]'`.",
        )


def request_of(
    call: Call,
    *,
    query: list[str] | None,
    agent: str | None,
    all_agents: bool,
    max_results: int | None,
    min_score: float | None,
    sessions: bool | None,
    since: str | None,
    type_: str | None,
    newest: bool,
) -> SearchRequest:
    """Return what a search asks; of all agents where none is named.

    Raises:
        UsageError: An option is none, or two exclude each other.
    """
    at_least_one("--max-results", max_results)
    if agent is not None and all_agents:
        raise UsageError(
            "--agent and --all-agents exclude each other", hint="Leave one of them out."
        )
    return SearchRequest(
        text=" ".join(query or ()),
        agent_id=agent,
        max_results=max_results,
        min_score=_checked_score(min_score),
        with_sessions=sessions,
        narrowing=Narrowing(
            since=None if since is None else parse_since(since, call.clock.now()),
            tag=None if type_ is None else tag_of(type_),
        ),
        by_date=newest,
    )


def _checked_score(value: float | None) -> float | None:
    if value is not None and not 0 <= value <= 1:
        raise UsageError(f"--min-score {value} is no such score", hint="A score is 0 to 1.")
    return value
