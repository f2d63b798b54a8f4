"""Asks homes of a fleet to `search` and `get`; a copy of several homes is asked once for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memconsole.cli.call import exits
from memconsole.cli.call.options import request_of
from memconsole.cli.json import encode
from memconsole.cli.json.search import hit, result
from memconsole.compose.fleet import split_copies
from memconsole.domain.fleet.wire import Freshness, Reply, away
from memconsole.engine.fleet.ask import ask_all
from memconsole.errors import SourceAwayError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Json, Row
    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.shapes import Json as Plain
    from memconsole.domain.search.values import SearchHit
    from memconsole.engine.search.copied import CopySearch, Found
    from memconsole.ports.fleet import FleetSource

_NAMES = [
    "query",
    "agent",
    "all_agents",
    "max_results",
    "min_score",
    "sessions",
    "since",
    "type_",
    "newest",
]


def replies_of(
    call: Call,
    command: str,
    words: Sequence[str],
    sources: Sequence[FleetSource],
    options: Mapping[str, object],
) -> tuple[Reply, ...]:
    """Return what the homes answer: one for all homes of a copy, one for each other home.

    Raises:
        UsageError: A copy cannot answer that.
    """
    copies, others = split_copies(call.settings, sources, call.clock)
    answer = _found if command == "search" else _lines
    found = [one for copy, homes in copies.items() for one in answer(call, copy, homes, options)]
    return (*found, *(ask_all(others, command, words, call.clock) if others else ()))


def _found(
    call: Call, copy: CopySearch, homes: Mapping[HomeRef, str], options: Mapping[str, object]
) -> Iterator[Reply]:
    if options["explain"] or options["ask_gateway"]:
        raise UsageError(
            "a copy knows nothing of an agent's own search",
            hint="Ask its host: `memconsole search --explain` there.",
        )
    request = request_of(call, **{name: options[name] for name in _NAMES})  # type: ignore[arg-type]
    try:
        found = copy.find(request, homes)
    except SourceAwayError as error:
        yield away(copy.place, str(error), error.hint)
        return
    data = cast("Plain", encode.plain(_data(found)))
    code = exits.DONE if found.searched.known else exits.FAILED  # where nobody looked
    yield Reply(copy.place, Freshness.LIVE, code, call.clock.now(), data)


def _data(found: Found) -> Row:
    behind: list[Json] = [
        {"host": name, "as_of": seen.as_of, "freshness": seen.freshness.value}
        for name, seen in found.searched.behind.items()
    ]
    hosts = found.searched.hosts
    return {
        **result(found.result),
        "hits": [_hit(one, found) for one in found.result.hits],
        "searched": {
            "line": found.line,
            "hosts": found.searched.known,
            "of": len(hosts),
            "behind": behind,
            "lacking": [name for name, seen in hosts.items() if seen is None],
        },
    }


def _hit(one: SearchHit, found: Found) -> Row:
    """Return a hit with whose it is, and how new that is."""
    index = found.owners[one.agent]
    return {
        **hit(one),
        "agent": one.agent.rpartition("/")[2],
        "name": one.agent,
        "host": index.home.host,
        "home": index.home.path,
        "as_of": index.seen.as_of,
        "freshness": index.seen.freshness.value,
    }


def _lines(
    call: Call, copy: CopySearch, homes: Mapping[HomeRef, str], options: Mapping[str, object]
) -> Iterator[Reply]:
    agent, path, first = options["agent"], str(options["path"]), cast("int", options["from_"])
    if not isinstance(agent, str):
        raise UsageError("it is not said of whom", hint="Name the agent: --agent alpha/main.")
    for home in homes:
        try:
            known = copy.lines(home, agent, path)
        except SourceAwayError as error:
            yield away(home, str(error), error.hint)
            continue
        if known is None:
            hint = f"Ask on {home.host} itself, or see `fleet.publish` there."
            yield Reply(home, Freshness.LIVE, exits.FAILED, failure="not published", hint=hint)
            continue
        last = max(known)
        count = cast("int | None", options["lines"])
        end = last if count is None else min(last, first - 1 + count)
        data: Plain = {
            "agent": agent,
            "path": path,
            "from": first,
            "lines": max(0, end - first + 1),
            "total_lines": last,
            "text": "\n".join(known.get(number, "") for number in range(first, end + 1)),
        }
        yield Reply(home, Freshness.LIVE, exits.DONE, call.clock.now(), data)
