"""Answers a search, and shows what it found; nothing here needs Typer (`cli.fast_path`)."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.json import search
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell
from memconsole.domain.agents import Notice
from memconsole.domain.search.indexing import IndexState
from memconsole.text import cells, figures
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import Home
    from memconsole.domain.search.agent_view import AgentSearch, AgentView
    from memconsole.domain.search.indexing import IndexStatus
    from memconsole.domain.search.values import Ranking, SearchHit, SearchRequest, SearchResult


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
        _show(printer, found, is_explained=request.is_explained)

    return call.answer(
        Answer(
            name,
            data=lambda: search.result(found, is_explained=request.is_explained),
            show=show,
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


_BAR: Final = 5

_INDENT: Final = "      "

_MOST_LINES: Final = 6

_LOOKED: Final = (IndexState.FRESH, IndexState.STALE)


def _show(printer: Printer, found: SearchResult, *, is_explained: bool = False) -> None:
    """Write the hits, best first, and what they are worth; explained, also what ranked them."""
    for one in found.hits:
        _hit(printer, one)
        printer.gap()
    if not found.query.is_empty:
        printer.write(*_summary(printer, found))
    if is_explained and found.ranking is not None:
        for row in _wrapped(printer, f"{ranking_words(found.ranking)}.", ()):
            printer.write(*row)
    for agent_search in found.agent_searches:
        printer.write(Cell(printer.text(_compared(agent_search)), "dim"))


def ranking_words(by: Ranking) -> str:
    """Return what the hits were ranked by, leg by leg with its weight."""
    late = f", {by.late:.2f} of it word by word" if by.late else ""
    parts = [f"{by.vector:.2f} meaning{late}", f"{by.text:.2f} words"]
    if by.quality:
        parts.append(
            f"then {by.quality:.2f} the quality model against {1 - by.quality:.2f} of these"
        )
    if by.dates:
        parts.append(f"up to {by.date_bonus:g} for the date ({', '.join(by.dates)})")
    if by.agents:
        parts.append(f"up to {by.agents:g} less for agents that know less of the question")
    return f"Ranked by {'; '.join(parts)}"


def could_look(found: SearchResult) -> bool:
    """Tell whether any index could be looked into."""
    if not found.indexes:
        return True
    return any(one.state in _LOOKED for one in found.indexes.values())


def _summary(printer: Printer, found: SearchResult) -> list[Cell | str]:
    if not could_look(found):
        return [Cell(f"Could not look: {printer.text(found.index.because)}.", "due")]
    number = len(found.hits)
    cells: list[Cell | str] = [
        f"{figures.plural(number, 'hit')}." if number else "Nothing was found."
    ]
    if found.coverage is not None and number and found.coverage < 1:
        words = len(found.query.words)
        known = round(found.coverage * words)
        cells.append(Cell(f"  {known} of {words} words occur in the index.", "warn"))
    return [*cells, Cell(f"  {index_words(printer, found.index)}", "dim")]


def index_words(printer: Printer, index: IndexStatus) -> str:
    """Return the state of an index on one line."""
    age = wording.age(index.updated_at, printer.now)
    words = f"Index {index.state.value}, {figures.plural(index.chunks, 'chunk')}"
    words += f" in {size_words(index.size_bytes)}" if index.size_bytes else ""
    words += f", {age} old" if index.updated_at is not None else ""
    return words if index.has_vectors else f"{words}, words only"


def _hit(printer: Printer, one: SearchHit) -> None:
    place = f"{one.path}:{one.start_line}-{one.end_line}"
    score = Cell(f"{one.score:.2f} ", "head")
    notes = " · ".join(_notes(printer, one))
    room = None if printer.style.width is None else printer.style.width - 6 - _BAR * 2 - 2
    if room is not None:
        place = cells.cut_middle(
            printer.text(place),
            max(16, room - cells.width(notes) - 2),
            ellipsis=printer.style.ellipsis,
        )
    printer.write(
        score,
        Cell(_bars(printer, one), "title"),
        " ",
        Cell(printer.text(place), "head"),
        Cell(f"  {notes}", "dim"),
    )
    if one.agent_view is not None:
        _agent_view(printer, one.agent_view)
    for line in _lines(printer, one):
        printer.write(_INDENT, *line)


def _compared(search: AgentSearch) -> str:
    """Return by which rules an agent searches, and what is not known of it."""
    if not search.release:
        return f"{search.agent}'s own search: {search.because}."
    words = (
        f"{search.agent}'s own search: rules of {search.release}, {search.max_results} results "
        f"from {search.min_score:g} on, {search.provider}"
    )
    return f"{words}; {search.because}." if search.because else f"{words}."


def _agent_view(printer: Printer, view: AgentView) -> None:
    """Write where the agent's own search has it, why, and what would help."""
    from memconsole.domain.search.agent_view import Reason  # noqa: PLC0415  # for few searches

    is_found = view.reason is Reason.FOUND
    told = [(f"the agent's own search: {view.place}, {view.because}", "ok" if is_found else "warn")]
    told += [(view.help, "dim")] if view.help else []
    for text, tone in told:
        for row in _wrapped(printer, printer.text(text), ()):
            printer.write(_INDENT, *(Cell(one.text, tone) for one in row if isinstance(one, Cell)))


def _bars(printer: Printer, one: SearchHit) -> str:
    """Return the meaning bar and the words bar beside each other."""
    parts = []
    for value in (one.vector_score, one.text_score):
        share = None if value is None else 100 * value
        drawn = wording.gauge(share, _BAR, is_ascii=printer.style.is_ascii)
        parts.append(cells.pad(drawn, _BAR))
    return "|".join(parts) if printer.style.is_ascii else "▏".join(parts)


def _notes(printer: Printer, one: SearchHit) -> Iterator[str]:
    if one.is_weak:
        yield "weak match"
    yield printer.text(one.agent)
    if one.quality_score is not None:
        yield f"quality {one.quality_score:.2f}"
    if one.date_score:
        yield f"date {one.date_score:.2f}"
    if one.same:
        yield f"{len(one.same)} more say the same"
    if one.is_archived:
        yield "archived"
    if not one.on_path:
        yield "off the active path"
    if one.modified_at is not None:
        yield wording.ago(one.modified_at, printer.now)


def _lines(printer: Printer, one: SearchHit) -> Iterator[list[Cell | str]]:
    """Yield the lines of the snippet, matched words in bold, blank ones left out."""
    position, shown = 0, 0
    for line in one.snippet.split("\n"):
        marks = [(a - position, b - position) for a, b in one.marks if a >= position]
        position += len(line) + 1
        if not line.strip():
            continue
        for part in _wrapped(printer, line, [mark for mark in marks if mark[1] <= len(line)]):
            shown += 1
            if printer.style.width is not None and shown > _MOST_LINES:
                return
            yield part


def _wrapped(
    printer: Printer, line: str, marks: Sequence[tuple[int, int]]
) -> Iterator[list[Cell | str]]:
    """Yield a line in rows that fit, cut at blanks."""
    width = None if printer.style.width is None else printer.style.width - len(_INDENT)
    start = 0
    while start < len(line):
        end = len(line) if width is None else _end(line, start, width)
        yield _marked(printer, line, start, end, marks)
        start = end
        while start < len(line) and line[start] == " ":
            start += 1


def _end(line: str, start: int, width: int) -> int:
    end = min(len(line), start + width)
    while end > start + 1 and cells.width(line[start:end]) > width:
        end -= 1
    blank = line.rfind(" ", start + width // 2, end)
    return end if end == len(line) or blank < 0 else blank


def _marked(
    printer: Printer, line: str, start: int, end: int, marks: Sequence[tuple[int, int]]
) -> list[Cell | str]:
    cells: list[Cell | str] = []
    position = start
    for a, b in marks:
        if b <= start or a >= end:
            continue
        a, b = max(a, start), min(b, end)  # noqa: PLW2901
        cells += [_plain(printer, line[position:a]), Cell(_safe(printer, line[a:b]), "mark")]
        position = b
    return [*cells, _plain(printer, line[position:end])]


def _plain(printer: Printer, text: str) -> Cell:
    return Cell(_safe(printer, text))


def _safe(printer: Printer, text: str) -> str:
    """Return text safe to show; the blanks at its ends are needed here."""
    lead = text[: len(text) - len(text.lstrip())].replace("\t", " ")
    trail = text[len(text.rstrip()) :].replace("\t", " ") if text.strip() else ""
    return f"{lead}{printer.text(text)}{trail}"
