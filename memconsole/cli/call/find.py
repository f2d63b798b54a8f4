"""Answers a search; nothing here needs Typer (`cli.fast_path`)."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.json import search
from memconsole.cli.output import hits
from memconsole.domain.agents import Notice
from memconsole.domain.search.indexing import IndexState

if TYPE_CHECKING:
    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import Home
    from memconsole.domain.search.values import SearchRequest, SearchResult


def answer(
    call: Call, name: str, request: SearchRequest, home: Home, *, is_asking: bool = False
) -> int:
    """Search, answer, and return the exit code.

    Args:
        call: The call.
        name: Of the command.
        request: What is asked.
        home: The agents, for the time zone.
        is_asking: Ask the Gateway as well.
    """
    with call.busy("indexing") as progress:

        def advance(_done: int, _total: int) -> None:
            gc.enable()  # what has to index first is no short call
            progress.advance()

        found = call.searcher.find(request, None, advance)
    if is_asking and found.hits:
        with call.busy("asking the gateway"):
            found = call.engine.platform_search.ask(found)

    def show(printer: Printer) -> None:
        hits.result(printer, found, is_explained=request.is_explained)

    return call.answer(
        Answer(
            name,
            data=lambda: search.result(found, is_explained=request.is_explained),
            show=show,
            at=call.clock.now(),
            warnings=_warnings(found),
            code=_code(found),
            home=home,
        )
    )


def _warnings(found: SearchResult) -> tuple[Notice, ...]:
    told = {one.message for one in found.notices}
    stale = [
        Notice("index-stale", f"the index of {agent} ({source.value}): {one.because}", agent=agent)
        for (agent, source), one in found.indexes.items()
        if one.state is not IndexState.FRESH and one.because and one.because not in told
    ]
    return (*found.notices, *stale)


def _code(found: SearchResult) -> int:
    """Nothing found is an answer; nobody looked is a failure."""
    looked = (IndexState.FRESH, IndexState.STALE)
    if not found.indexes or any(one.state in looked for one in found.indexes.values()):
        return exits.DONE
    return exits.FAILED
