"""Carries one call to every home of the fleet and puts their answers together.

Each home is asked for JSON by the command line of its own host, which decides for itself what it
admits. An answer says nothing of who gave it: host, home, time and freshness are put on here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.domain.agents import Notice
from memconsole.domain.fleet.wire import Freshness
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Json, Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.wire import Reply
    from memconsole.ports.fleet import FleetSource

LISTS: Final = ("agents", "sessions", "runs")
"""Answered by a list; the others by one object a home."""

READING: Final = ("status", *LISTS, "search", "health")
ACTING: Final = ("checkpoint", "observe", "index-md", "reindex", "flush")
"""What a host admits without being told to; nothing of it destroys."""


def ask_fleet(call: Call, command: str, words: Sequence[str]) -> int:
    """Ask the homes that are meant and print what they answer.

    Args:
        call: The call.
        command: Name of the command.
        words: The same with its options, without the global ones.

    Raises:
        UsageError: The command is about one home, or a host is none of the fleet's.
        ConfigError: `[fleet]` is wrong.
    """
    from memconsole.compose.fleet import build_sources  # noqa: PLC0415 - most calls have no fleet
    from memconsole.engine.fleet import ask_all  # noqa: PLC0415 - likewise

    refuse_what_is_of_one_home(call, command)
    sources = _meant(build_sources(call.settings, call.flags.config), call.flags.hosts)
    with call.busy(f"asking {len(sources)} homes"):
        replies = ask_all(sources, command, words, call.clock)

    def show(printer: Printer) -> None:
        from memconsole.cli.output.fleet import show_replies  # noqa: PLC0415 - not for JSON

        show_replies(printer, command, replies)

    return call.answer(
        Answer(
            command,
            data=lambda: data_of(command, replies),
            show=show,
            at=call.clock.now(),
            warnings=tuple(one for reply in replies for one in _warnings(reply)),
            left_out=_left_out(replies),
            code=code_of(replies),
            said=frozenset(one.message for reply in replies for one in _told(reply)),
        )
    )


def refuse_what_is_of_one_home(call: Call, command: str) -> None:
    """Refuse a call that cannot be carried to several homes.

    Raises:
        UsageError: Says which ones can.
    """
    able = ", ".join((*READING, *ACTING))
    if command not in READING + ACTING:
        raise UsageError(
            f"{command} is about one home", hint=f"--fleet and --host go with: {able}."
        )
    if call.flags.is_demo or "platform.home" in call.flags.values:
        raise UsageError(
            "--fleet and --host ask the homes of [[fleet.source]], not one that is named",
            hint="Leave out --home or --demo.",
        )
    if command in ACTING and call.settings.ui.read_only:
        raise UsageError(f"{command} is refused: memconsole is read-only")


def _meant(sources: Sequence[FleetSource], hosts: Sequence[str]) -> tuple[FleetSource, ...]:
    if not sources:
        raise UsageError(
            "no home of a fleet is configured",
            hint='Name them in our configuration: [[fleet.source]] with homes = ["~/.openclaw"] '
            'or url = "ssh://ops@alpha".',
        )
    known = dict.fromkeys(one.home.host for one in sources)
    if strangers := [one for one in hosts if one not in known]:
        raise UsageError(
            f"there is no host {strangers[0]!r} in the fleet", hint=f"Known: {', '.join(known)}."
        )
    return tuple(one for one in sources if not hosts or one.home.host in hosts)


def code_of(replies: Sequence[Reply]) -> int:
    """Return the exit code: that of the worst answer, and 3 when there is none at all."""
    if all(one.freshness is Freshness.AWAY for one in replies):
        return exits.UNREACHABLE
    return max(exits.DONE if one.code == 0 and not one.failure else _failed(one) for one in replies)


def _failed(reply: Reply) -> int:
    return exits.FAILED if reply.failure or reply.code not in (1, 2, 3) else reply.code


def data_of(command: str, replies: Sequence[Reply]) -> Json:
    """Return the answers as one list, each object with who it is of and how old it is."""
    rows: list[Row] = []
    for reply in replies:
        failure = reply.failure or None
        if reply.failure and command not in LISTS:
            rows.append({**_origin(reply), "error": failure})
        elif isinstance(reply.data, list):
            rows += [{**one, **_origin(reply)} for one in reply.data if isinstance(one, dict)]
        elif isinstance(reply.data, dict):
            rows.append({**reply.data, **_origin(reply)})
    return rows


def _origin(reply: Reply) -> dict[str, Json]:
    return {
        "host": reply.home.host,
        "home": reply.home.path or None,
        "as_of": reply.as_of,
        "freshness": reply.freshness.value,
    }


def _warnings(reply: Reply) -> tuple[Notice, ...]:
    """Return what is wrong with a home, named by it, and that it is away."""
    told = tuple(
        Notice(one.code, f"{reply.home}: {one.message}", one.path) for one in reply.warnings
    )
    return (*_told(reply), *told)


def _told(reply: Reply) -> tuple[Notice, ...]:
    if not reply.failure:
        return ()
    code = "home-away" if reply.freshness is Freshness.AWAY else "home-failed"
    return (Notice(code, f"{reply.home}: {reply.failure}"),)


def _left_out(replies: Sequence[Reply]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for reply in replies:
        for name, count in reply.left_out.items():
            counts[name] = counts.get(name, 0) + count
    return counts
