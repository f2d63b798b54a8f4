"""What consolidation would do to one memory: what has decayed, and what could stay for good.

Proposals come from notes that searches found again; nothing is written before an operator says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.consolidate import CONSOLIDATE
from memconsole.domain.commands.memory import DECLINE, MEMORY_UNDO, PROMOTE
from memconsole.domain.memory.observations import Priority
from memconsole.text import figures
from memconsole.text.markdown import unquoted
from memconsole.ui.actions.targets import for_entries
from memconsole.ui.drawing.listing import Listing, fact_rows, text_row
from memconsole.ui.drawing.literal import literal, literal_quoted
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row, Span
from memconsole.ui.keys import Verb, command_verb, panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.observations.screen import PRIORITIES
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.consolidate.decay import Decayed
    from memconsole.domain.consolidate.promotion import Parts, Proposal
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line


_PANELS = ("proposals", "archive", "one")
_OF_PROPOSALS = (PROMOTE.name, DECLINE.name)


class ConsolidationScreen(AgentScreen):
    """A look at one memory; the keys act on the proposals, and on what has decayed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(_PANELS),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        command_verb("a", PROMOTE, "accept"),
        command_verb("x", DECLINE, "decline"),
        command_verb("A", CONSOLIDATE, "archive"),
        command_verb("u", MEMORY_UNDO, "undo"),
    )
    MARKED: ClassVar[tuple[str, ...]] = ("proposals",)

    def __init__(self, agent_id: str) -> None:
        super().__init__("consolidation", agent_id)
        self._seen: tuple[datetime | None, object] | None = None
        self._chosen = "proposals"
        self._loader: Loader[ConsolidationPreview] = Loader(self, "consolidation")

    def body(self) -> ComposeResult:
        """Yield proposals, decayed observations, and one of them in full."""
        yield Pane("proposals", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("archive", glyphs=self.desk.glyphs)
        yield Pane("one", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Look again when the memory was read again, or something was done to it."""
        snapshot, pool = self.desk.snapshot, self._pool
        last = None if snapshot is None else snapshot.activity[:1]
        seen = (None if pool is None else pool.read_at, last)
        if seen != self._seen:
            self._seen = seen
            engine, agent_id = self.desk.engine.of(self._agent_id)
            self._loader.ask(lambda: engine.consolidation.preview(agent_id))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        context, proposals = self.context(), self.named("proposals")
        proposals.show(proposals_listing(self._loader.value, self._loader.failure, context))
        proposals.place.marks &= {row.key for row in proposals.place.rows}
        self.named("archive").show(decayed_listing(self._loader.value, context))
        self._show_one()

    def on_descendant_focus(self) -> None:
        """Show what the list is about that has the keys now."""
        self._show_one()

    @on(Pane.Moved, "#proposals")
    @on(Pane.Moved, "#archive")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        if not self.is_open:
            return
        if self.pane is not None and self.pane.id in ("proposals", "archive"):
            self._chosen = self.pane.id
        pane, row = self.named("one"), self.named(self._chosen).row
        key = "" if row is None else row.key
        pane.show(one_listing(self._loader.value, key, self.context(), pane.room[0]))
        self.show_keys()

    # ---- keys ----------------------------------------------------------------------------

    def action_open(self) -> None:
        """Go on to the one under the cursor in full."""
        self.focus_pane(self.named("one"))

    def action_command(self, name: str) -> None:
        """Begin a command; what is archived is what was shown, or nothing."""
        if name != CONSOLIDATE.name or self._loader.value is None:
            super().action_command(name)
            return
        spec = replace(CONSOLIDATE, given={"shown": self._loader.value.shown})
        self.desk.begin(spec, self.targets(spec.subject))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        reason = super().why_not(action, parameters)
        has_proposal = self.pane is self.named("proposals") and self.pane.row is not None
        is_of_proposal = action == "command" and parameters[0] in _OF_PROPOSALS
        if reason is None and (is_of_proposal or action == "mark") and not has_proposal:
            return "select a proposal first: 1 leads to them"
        is_empty = self._loader.value is not None and not self._loader.value.archived
        is_archiving = action == "command" and parameters == (CONSOLIDATE.name,)
        if reason is None and is_archiving and is_empty:
            return "no observation has decayed far enough to be archived"
        return reason

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent, or the proposals that are marked, else the one under the cursor."""
        snapshot, pane = self.desk.snapshot, self.named("proposals")
        if snapshot is None or subject is not Subject.ENTRY:
            return super().targets(subject)
        marks = pane.place.marks or {"" if pane.row is None else pane.row.key}
        ids = tuple(row.key for row in pane.place.rows if row.key in marks)
        return for_entries(snapshot, self._agent_id, ids)


_GAUGE: Final = 24
_LABEL: Final = 12

_PROPOSALS = (
    Column("id", 10),
    Column("score", 5, right=True),
    Column("", 6, flex=1, most=12, drop=2, name="score in parts"),
    Column("found", 5, right=True, drop=3),
    Column("line for MEMORY.md", 24, flex=5),
)


def proposals_listing(
    preview: ConsolidationPreview | None, failure: str, context: Context
) -> Listing:
    """Return the notes that could go into MEMORY.md, the best first."""
    title = "Proposals for MEMORY.md"
    if preview is None:
        return Listing(title, number=1, empty=(failure or "looking at what was found again",))
    notes = tuple(literal(note) for note in preview.notes)
    return Listing(
        title=title,
        about=f"{context.glyphs.dot} {len(preview.proposals)}" if preview.proposals else "",
        source="searches",
        number=1,
        columns=_PROPOSALS,
        rows=tuple(_proposal(one) for one in preview.proposals),
        empty=("no note was found again often enough to be proposed", *notes),
        problem=failure
        or (literal(preview.notes[0]) if preview.notes and preview.proposals else ""),
    )


def _proposal(one: Proposal) -> Row:
    text = literal_quoted(one.text)
    return Row(
        key=one.id,
        cells=(
            Cell(one.id, Role.ACCENT),
            Cell(f"{one.score:.2f}"),
            Gauge(one.score, is_share=True),
            Cell(str(one.hits), Role.MUTED),
            Cell(text),
        ),
        value=text,
        search=f"{one.id} {text}",
    )


_DECAYED = (
    Column("weight", 6),
    Column("left", 4, right=True),
    Column("days", 4, right=True, drop=2),
    Column("type", 10, drop=3),
    Column("observation", 24, flex=1),
)


def decayed_listing(preview: ConsolidationPreview | None, context: Context) -> Listing:
    """Return the observations that have decayed; those of high weight stay unless they are told."""
    rows: list[Row] = []
    if preview is not None:
        rows = [_decayed(one, stays=False) for one in preview.archived]
        rows += [_decayed(one, stays=True) for one in preview.high]
    count = len(preview.archived) if preview is not None else 0
    return Listing(
        title="To be archived",
        about=f"{context.glyphs.dot} {count}" if count else "",
        source="files",
        number=2,
        columns=_DECAYED,
        rows=tuple(rows),
        empty=("reading" if preview is None else "no observation has decayed far enough",),
        fixed=() if preview is None else (_tokens(preview, context),),
    )


def _decayed(one: Decayed, *, stays: bool) -> Row:
    word, role = PRIORITIES[one.observation.priority]
    text = literal_quoted(one.text)
    note = "stays, high weight: " if stays else ""
    return Row(
        key=f"{one.id} {one.line}",
        cells=(
            Cell(word, role),
            Cell(f"{one.score:.1f}"),
            Cell("?" if one.age_days is None else str(one.age_days), Role.MUTED),
            Cell(one.observation.kind.value, Role.MUTED),
            Cell(f"{note}{text}", Role.MUTED if stays else Role.PLAIN),
        ),
        value=text,
    )


def _tokens(preview: ConsolidationPreview, context: Context) -> Line:
    before, after, most = preview.tokens_before, preview.tokens_after, preview.token_target
    return (
        Span("  tokens  ", Role.STRONG),
        *Gauge(before / most if most else None).draw(_GAUGE, context.glyphs, right=False),
        Span(
            f"  {figures.kilo(before)} {context.glyphs.arrow} {figures.kilo(after)} "
            f"of {figures.short_kilo(most)}"
        ),
    )


def one_listing(
    preview: ConsolidationPreview | None, key: str, context: Context, width: int
) -> Listing:
    """Return one proposal or one decayed observation in full."""
    proposal = next((one for one in (preview.proposals if preview else ()) if one.id == key), None)
    lines = (*preview.archived, *preview.high) if preview else ()
    decayed = next((one for one in lines if f"{one.id} {one.line}" == key), None)
    rows: tuple[Row, ...] = ()
    if proposal is not None:
        rows = (*fact_rows(_proposal_facts(proposal, context), width), *_bars(proposal, context))
    elif decayed is not None:
        rows = fact_rows(_decayed_facts(decayed), width)
    return Listing("In full", number=3, rows=rows, empty=("nothing is selected",))


def _proposal_facts(one: Proposal, context: Context) -> Iterator[tuple[str, str]]:
    yield "would add", unquoted(one.text)
    yield "stands in", f"{one.path}:{one.line}"
    last = figures.ago(context.since(one.last_at))
    yield (
        "found",
        f"{figures.plural(one.hits, 'time')} by {figures.plural(one.queries, 'question')} on "
        f"{figures.plural(one.days, 'day')}, last {last}",
    )


def _bars(one: Proposal, context: Context) -> Iterator[Row]:
    for name, share in _parts(one.parts):
        gauge = Gauge(share, is_share=True).draw(_GAUGE, context.glyphs, right=False)
        line = (Span(f"{name:<{_LABEL}}", Role.MUTED), *gauge, Span(f"  {share:.2f}"))
        yield text_row(f"part-{name}", *line, value=f"{name} {share:.2f}")


def _parts(parts: Parts) -> tuple[tuple[str, float], ...]:
    return (
        ("relevance", parts.relevance),
        ("frequency", parts.frequency),
        ("diversity", parts.diversity),
        ("recency", parts.recency),
        ("recurrence", parts.recurrence),
        ("richness", parts.richness),
    )


def _decayed_facts(one: Decayed) -> tuple[tuple[str, str], ...]:
    seen = one.observation
    high = "only `consolidate --apply-high` takes it" if seen.priority is Priority.HIGH else ""
    return (
        ("text", unquoted(one.text)),
        ("importance", f"{seen.importance:g} of 10, {one.score:.1f} left"),
        ("age", "" if one.age_days is None else figures.plural(one.age_days, "day")),
        ("type", seen.kind.value),
        ("weight", high),
        ("id", one.id),
    )
