"""Everything that wants attention, worst first: equal findings as one, each in full below."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.domain.commands.command import Subject
from memconsole.domain.snapshot.groups import Group, grouped, name_of
from memconsole.text import cells, figures
from memconsole.ui.actions.targets import for_finding
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal, shorter
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import panel_keys
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.widgets.title import severity_role

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.agents import Notice
    from memconsole.domain.snapshot.snapshot import Attention, ConsoleSnapshot
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context

_COLUMNS = (
    Column("", 8, name="severity"),
    Column("agent", 6, flex=1, most=12, drop=2),
    Column("finding", 20, flex=8),
    Column("next step", 20, flex=3, drop=1),
)

_NOTICE = "notice-"


def _key(group: Group) -> str:
    """Return the name of a group's row; messages grow older, so they are no part of it."""
    first = group.first
    if len(group.findings) > 1:
        return f"{first.severity}-{first.code}-{first.command}"
    return f"one-{'-'.join(name_of(first))}"


def _others(snapshot: ConsoleSnapshot) -> list[Notice]:
    """Return the notices that are no findings."""
    known = {finding.message for finding in snapshot.attention}
    return [notice for notice in snapshot.notices if notice.message not in known]


def findings_listing(
    snapshot: ConsoleSnapshot, context: Context, keys: Callable[[Attention], str]
) -> Listing:
    """Return all findings, equal ones as one row, and the notices that are none.

    Args:
        snapshot: The reading.
        context: Time and glyphs.
        keys: What to press about a finding, now; empty where its hint says what to do.
    """
    home = snapshot.home.path
    rows = [
        Row(
            key=_key(group),
            cells=(
                Cell(group.severity.value, severity_role(group.severity)),
                Cell(_whose(group)),
                Cell(shorter(literal(group.message), home)),
                Cell(_step(group, keys), Role.MUTED),
            ),
            value=literal(" ".join(f"{one.message} {one.hint}" for one in group.findings)),
        )
        for group in grouped(snapshot.attention)
    ]
    notices = _others(snapshot)
    rows += [
        Row(
            key=f"{_NOTICE}{number}",
            cells=(
                Cell("notice", Role.MUTED),
                Cell(notice.agent or "", Role.MUTED),
                Cell(shorter(literal(notice.message), home)),
                Cell(literal(notice.path or ""), Role.MUTED, is_id=True),
            ),
            value=literal(notice.path or notice.message),
        )
        for number, notice in enumerate(notices)
    ]
    return Listing(
        title="Findings",
        about=f"{context.glyphs.dot} {len(snapshot.attention)}, "
        f"{figures.plural(len(notices), 'notice')}",
        source="disk",
        age=context.age(snapshot.taken_at),
        number=1,
        columns=_COLUMNS,
        rows=tuple(rows),
        empty=("nothing was found that wants attention",),
        is_stale=context.is_stale(snapshot.taken_at),
    )


def _whose(group: Group) -> str:
    agents = dict.fromkeys(one.agent for one in group.findings if one.agent)
    return next(iter(agents), "") if len(agents) < 2 else str(len(agents))


def _step(group: Group, keys: Callable[[Attention], str]) -> str:
    if len(group.findings) > 1 and group.first.command:
        return f"space marks all {len(group.findings)}"
    return keys(group.first) or literal(group.first.hint)


def full_text(snapshot: ConsoleSnapshot, key: str, context: Context, width: int) -> tuple[Row, ...]:
    """Return one row of the list in full, broken between words."""
    if key.startswith(_NOTICE):
        notice = _others(snapshot)[int(key.removeprefix(_NOTICE))]
        parts = [notice.message, notice.path or ""]
    else:
        group = next((one for one in grouped(snapshot.attention) if _key(one) == key), None)
        parts = [] if group is None else _told(group, context)
    return tuple(
        text_row(f"{number}:{place}", Span(piece), value=piece)
        for number, part in enumerate(filter(None, parts))
        for place, piece in enumerate(cells.wrap(literal(part), max(width, 8)))
    )


def _told(group: Group, context: Context) -> list[str]:
    """Return every finding of a group with its hint, and how old what was not read now is."""
    parts = []
    for one in group.findings:
        age = ""
        if one.seen_at is not None:
            age = f" (a look at health saw it {figures.ago(context.since(one.seen_at))})"
        parts += [f"{one.message}{age}", one.hint]
    return list(dict.fromkeys(parts))


class FindingsScreen(ConsoleScreen):
    """All findings; Enter goes to what one is about, space marks all that a group is about."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(("findings", "in full")),
    ]
    MARKED: ClassVar[tuple[str, ...]] = ("list", "one")

    def __init__(self, chosen: Attention | None = None) -> None:
        super().__init__("findings")
        self._chosen_first = chosen

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "findings"

    def body(self) -> ComposeResult:
        """Yield the list, and one of its rows in full."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("one", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Show the newest findings."""
        if self.desk.snapshot is not None:
            self.named("list").show(
                findings_listing(self.desk.snapshot, self.context(), lambda one: self.helps(one)[1])
            )
            if self._chosen_first is not None:
                self.named("list").select(_key(Group((self._chosen_first,))))
                self._chosen_first = None
            self._show_one()
        super().show_snapshot()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        snapshot, row, pane = self.desk.snapshot, self.named("list").row, self.named("one")
        if snapshot is None:
            return
        found = full_text(snapshot, "" if row is None else row.key, self.context(), pane.room[0])
        pane.show(Listing("In full", number=2, rows=found, empty=("nothing is selected",)))
        self.show_keys()

    def _groups_by_key(self) -> dict[str, Group]:
        snapshot = self.desk.snapshot
        found = () if snapshot is None else grouped(snapshot.attention)
        return {_key(one): one for one in found}

    @property
    def _chosen(self) -> tuple[Attention, ...]:
        """What keys act on: marked groups whole, else the one finding under the cursor."""
        if not self.is_open:
            return ()
        place, groups = self.named("list").place, self._groups_by_key()
        if place.marks:
            marked = [groups[key] for key in groups if key in place.marks]
            return tuple(one for group in marked for one in group.findings)
        group = groups.get(place.cursor or "")
        return group.findings if group is not None and len(group.findings) == 1 else ()

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return what the chosen findings are about, each of it once."""
        snapshot = self.desk.snapshot
        if snapshot is None or subject is Subject.ENTRY:
            return ()
        found = (target for one in self._chosen for target in for_finding(snapshot, one))
        is_any = subject is Subject.AGENT
        return tuple(dict.fromkeys(one for one in found if is_any or one.key is not None))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add that notices are about nothing that a command could act on."""
        row = self.named("list").row if self.is_open else None
        if action == "mark" and (row is None or row.key.startswith(_NOTICE)):
            return "there is no finding under the cursor"
        return super().why_not(action, parameters)

    def action_open(self) -> None:
        """Go to what the finding is about: a session, a start, a memory, else to health."""
        snapshot, row = self.desk.snapshot, self.named("list").row
        group = None if row is None else self._groups_by_key().get(row.key)
        if snapshot is None or group is None:
            return
        if len(group.findings) > 1:
            self.focus_pane(self.named("one"))
            return
        finding = group.first
        own = snapshot.of_agent(finding.agent) if finding.key else ()
        view = next((one for one in own if one.key_text == finding.key), None)
        if view is not None:
            self.desk.go.session(view)
        elif finding.agent is not None and finding.code == "bootstrap-truncation":
            self.desk.go.bootstrap(finding.agent)
        elif finding.agent is not None:
            self.desk.go.memory(finding.agent)
        elif finding.home is not None:  # how to look there is all that can be said here
            self.focus_pane(self.named("one"))
        else:  # the Gateway, a check of health, or the platform's configuration
            self.desk.go.health()
