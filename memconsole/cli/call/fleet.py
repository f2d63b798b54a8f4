"""Carries one call to every home of the fleet and puts their answers together.

Each home is asked for JSON by the command line of its own host, which decides for itself what it
admits. An answer says nothing of who gave it: host, home, time and freshness are put on here.
Most calls have no fleet, and load nothing of this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.call.flags import WITHIN
from memconsole.compose.fleet import build_sources, servers_of
from memconsole.domain.agents import HomeRef, Notice
from memconsole.domain.fleet.address import labels
from memconsole.domain.fleet.wire import Freshness, total
from memconsole.engine.fleet.ask import ask_all
from memconsole.errors import ConfirmationError, UsageError
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.call.flags import Flags
    from memconsole.cli.json.encode import Json, Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.wire import Reply
    from memconsole.ports.fleet import FleetSource

LISTS: Final = ("agents", "sessions", "runs", "transcript", "memory show")
"""Answered by a list; the others by one object a home."""

OF_ONE_THING: Final = ("get", "session", "transcript", "memory show")
"""Readings about something of one home: asked of others only where a call names them."""

READING: Final = tuple(dict.fromkeys(("status", *LISTS, "search", "health", *OF_ONE_THING)))
_AT_HOME: Final = ("config fix",)
"""Acts on what nobody mends from afar."""


def acting() -> tuple[str, ...]:
    """Return the names of the commands that act on agents, whosever they are."""
    from memconsole.domain.commands.catalogue import COMMANDS  # noqa: PLC0415 - readings have none

    return tuple(one.name for one in COMMANDS if one.name not in _AT_HOME)


def is_carried(command: str) -> bool:
    """Whether a command can be carried to several homes."""
    return command in READING or command in acting()


def is_usually_carried(command: str) -> bool:
    """Whether settings alone carry a command to several homes."""
    return is_carried(command) and command not in OF_ONE_THING


def ask_fleet(
    call: Call,
    command: str,
    words: Sequence[str],
    *,
    agent: str | None = None,
    asks: bool = False,
    options: Mapping[str, object] | None = None,
) -> int:
    """Ask the homes that are meant and print what they answer.

    Args:
        call: The call.
        command: Name of the command.
        words: The same with its options, without the global ones.
        agent: An agent with its host, such as `alpha/main`, when `--agent` names one.
        asks: The command takes `--yes`: it is planned and asked about first.
        options: Of the command, as Typer read them.

    Raises:
        UsageError: The command is about one home, or a host is none of the fleet's.
        ConfirmationError: It was not confirmed; nothing was done.
        ConfigError: `[fleet]` is wrong.
    """
    is_dry = "--dry-run" in words
    refuse_what_is_of_one_home(call, command, is_dry=is_dry)
    sources = build_sources(call.settings, call.flags.config)
    require_fleet(sources)
    if agent is not None:
        sources, words = _of_agent(sources, agent, words)
    sources = meant(sources, call.flags, call.settings.fleet.labels)
    if command in ("search", "get") and options is not None:
        from memconsole.cli.call.copied import replies_of  # noqa: PLC0415 - most ask no copy

        own = agent.rpartition("/")[2] if agent else None
        with call.busy(f"asking {plural(len(sources), 'home')}"):
            options = {**options, "agent": own or options["agent"]}
            return _told(call, command, replies_of(call, command, words, sources, options))
    if not asks or is_dry or {"--yes", "-y"} & set(words) or _only_looks(command, words):
        return _told(call, command, _replies(call, command, words, sources))
    return _told(call, command, _asked(call, command, words, sources))


def _only_looks(command: str, words: Sequence[str]) -> bool:
    """Whether a command that may destroy is asked for what it would find."""
    is_preview = command == "consolidate" and not any(one.startswith("--apply") for one in words)
    return is_preview or "--what-if" in words


def _replies(
    call: Call, command: str, words: Sequence[str], sources: Sequence[FleetSource]
) -> tuple[Reply, ...]:
    with call.busy(f"asking {plural(len(sources), 'home')}"):
        return ask_all(sources, command, words, call.clock)


def _asked(
    call: Call, command: str, words: Sequence[str], sources: Sequence[FleetSource]
) -> tuple[Reply, ...]:
    """Show what each home would do, ask once, and have those do it that would.

    Each host plans anew when it does it, by its own rules.
    """
    if call.is_json or not call.output.can_ask:
        raise ConfirmationError(command, is_declined=False)
    plans = _replies(call, command, _with(command, words, "--dry-run"), sources)
    number = 0
    for reply in plans:
        if reply.failure:
            call.output.error(call.line(f"{reply.home}: {reply.failure}"))
        for row in _planned(reply):
            number += 1
            call.output.error(call.line(f"{reply.home}/{row['agent']}: {row['message']}"))
    able = [one for one, plan in zip(sources, plans, strict=True) if _planned(plan)]
    if not able:
        return plans
    question = f"{command}: {plural(number, 'plan')} on {plural(len(able), 'home')}. Do it?"
    if not typer.confirm(question, default=False, err=True):
        raise ConfirmationError(command, is_declined=True)
    done = iter(_replies(call, command, _with(command, words, "--yes"), able))
    return tuple(next(done) if _planned(plan) else plan for plan in plans)


def _planned(reply: Reply) -> list[Row]:
    rows = reply.data if isinstance(reply.data, list) else []
    return [one for one in rows if isinstance(one, dict) and one.get("status") == "planned"]


def _with(command: str, words: Sequence[str], option: str) -> list[str]:
    """Return the words with an option right behind the name of the command."""
    place = len(command.split())
    return [*words[:place], option, *words[place:]]


def _told(call: Call, command: str, replies: Sequence[Reply]) -> int:
    def show(printer: Printer) -> None:
        from memconsole.cli.output.fleet import show_replies  # noqa: PLC0415 - not for JSON

        show_replies(printer, command, replies)

    return call.answer(
        Answer(
            command,
            data=lambda: data_of(command, replies),
            show=show,
            warnings=tuple(one for reply in replies for one in _warnings(reply)),
            left_out=total(one.left_out for one in replies),
            code=code_of(replies),
            said=frozenset(one.message for reply in replies for one in _failures(reply)),
        )
    )


def refuse_what_is_of_one_home(call: Call, command: str, *, is_dry: bool) -> None:
    """Refuse a call that cannot be carried to several homes.

    Raises:
        UsageError: Says which ones can.
        ReadOnlyError: It acts, and nothing may be done.
    """
    if not is_carried(command):
        able = ", ".join((*READING, *acting()))
        raise UsageError(
            f"{command} is about one home", hint=f"--fleet, --host and --label go with: {able}."
        )
    if call.flags.is_demo or "platform.home" in call.flags.values:
        raise UsageError(
            "--fleet, --host and --label ask the homes of [[fleet.source]], not one that is named",
            hint="Leave out --home or --demo.",
        )
    if command in READING and WITHIN.key in call.flags.values:
        raise UsageError(f"{command} waits for no host", hint="--within goes with what acts.")
    if command == "memory add" and "-" in call.flags.words:
        raise UsageError(
            "standard input is not carried to other homes", hint="Write the note into the call."
        )
    if command not in READING:
        call.refuse_read_only(command, dry_run=is_dry)


def require_fleet(sources: Sequence[FleetSource]) -> None:
    """Refuse to ask nobody.

    Raises:
        UsageError: No home is named in the settings.
    """
    if not sources:
        raise UsageError(
            "no home of a fleet is configured",
            hint='Name them in our configuration: [[fleet.source]] with homes = ["~/.openclaw"] '
            'or url = "ssh://ops@alpha".',
        )


def _of_agent(
    sources: Sequence[FleetSource], agent: str, words: Sequence[str]
) -> tuple[tuple[FleetSource, ...], list[str]]:
    """Return the home that owns an agent, and the words as that home understands them.

    Raises:
        UsageError: There is no such home, or the host has several.
    """
    place, _, own = agent.rpartition("/")
    host, colon, path = place.partition(":")
    _require_known(sources, [host])
    named = labels([one.home for one in sources])
    found = [
        one
        for one, label in zip(sources, named, strict=True)
        if place == label or (colon and one.home == HomeRef(path, host))
    ]
    if len(found) != 1:
        every = ", ".join(f"{label}/{own}" for label in named)
        why = f"has no home {path!r} in the fleet" if colon else "has several homes"
        raise UsageError(f"{host} {why}", hint=f"Known: {every}.")
    told = [own if word == agent else word for word in words]
    return tuple(found), [one.replace(f"={agent}", f"={own}") for one in told]


def _require_known(sources: Sequence[FleetSource], hosts: Sequence[str]) -> None:
    known = dict.fromkeys(one.home.host for one in sources)
    if strangers := [one for one in hosts if one not in known]:
        raise UsageError(
            f"there is no host {strangers[0]!r} in the fleet", hint=f"Known: {', '.join(known)}."
        )


def meant(
    sources: Sequence[FleetSource], flags: Flags, labels: Mapping[str, Sequence[str]]
) -> tuple[FleetSource, ...]:
    """Return the homes of the hosts and labels that are named; all of them where none is.

    Raises:
        UsageError: There is no such host or label.
    """
    if strangers := [one for one in flags.labels if one not in labels]:
        known = ", ".join(labels) or "none"
        raise UsageError(f"there is no label {strangers[0]!r}", hint=f"[fleet.labels]: {known}.")
    _require_known(sources, flags.hosts)
    labelled = {host for label in flags.labels for host in labels[label]}
    return tuple(
        one
        for one in sources
        if (not flags.hosts or one.home.host in flags.hosts)
        and (not flags.labels or one.home.host in labelled)
    )


def meant_here(call: Call) -> Sequence[FleetSource]:
    """Return the homes that are meant, but for those of a server, which come and go.

    Raises:
        UsageError: There is none, or a host or label is none of the fleet's.
    """
    sources = build_sources(call.settings, call.flags.config, with_servers=False)
    if servers_of(call.settings):
        allowed = is_meant(call)
        return [one for one in sources if allowed(one.home.host, ())]
    require_fleet(sources)
    return meant(sources, call.flags, call.settings.fleet.labels)


def is_meant(call: Call) -> Callable[[str, tuple[str, ...]], bool]:
    """Return whether a host with its labels is one of those that the call names."""
    flags, groups = call.flags, call.settings.fleet.labels

    def tells(host: str, labels: tuple[str, ...]) -> bool:
        own = {name for name, hosts in groups.items() if host in hosts} | set(labels)
        return (not flags.hosts or host in flags.hosts) and (
            not flags.labels or bool(own & set(flags.labels))
        )

    return tells


def code_of(replies: Sequence[Reply]) -> int:
    """Return the exit code: 0 when all is well, 2 when each refuses the call, 3 when none is there.

    Anything else that is not well is 1.
    """
    if all(one.freshness is Freshness.AWAY for one in replies):
        return exits.UNREACHABLE
    codes = {one.code for one in replies if one.freshness is not Freshness.AWAY}
    if codes == {exits.USAGE}:
        return exits.USAGE
    is_well = all(one.code == exits.DONE and not one.failure for one in replies)
    return exits.DONE if is_well else exits.FAILED


def data_of(command: str, replies: Sequence[Reply]) -> Json:
    """Return the answers as one list, each object with who it is of and how old it is."""
    rows: list[Row] = []
    for reply in replies:
        failure = reply.failure or None
        if reply.failure and command not in READING:
            rows.append({**_outcome(command, reply), **_origin(reply)})
        elif reply.failure and command not in LISTS:
            rows.append({**_origin(reply), "error": failure})
        elif isinstance(reply.data, list):
            rows += [{**one, **_origin(reply)} for one in reply.data if isinstance(one, dict)]
        elif isinstance(reply.data, dict):
            rows.append({**reply.data, **_origin(reply)})
    return rows


def _outcome(command: str, reply: Reply) -> Row:
    """Return what came of an action at a home that did not do it."""
    return {
        "command": command,
        "agent": None,
        "key": None,
        "status": "failed",
        "reason": reply.reason or _away_or_failed(reply),
        "message": reply.failure,
        "hint": reply.hint or None,
    }


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
    return (*_failures(reply), *told)


def _failures(reply: Reply) -> tuple[Notice, ...]:
    failed = Notice(_away_or_failed(reply), f"{reply.home}: {reply.failure}")
    return (failed,) if reply.failure else ()


def _away_or_failed(reply: Reply) -> str:
    return "home-away" if reply.freshness is Freshness.AWAY else "home-failed"
