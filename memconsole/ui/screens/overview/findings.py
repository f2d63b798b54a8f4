"""Everything that wants attention, worst first, with its next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text import figures
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.screens.base import ListScreen
from memconsole.ui.widgets.title import next_step, severity_role

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.context import Context

_COLUMNS = (
    Column("", 8),
    Column("agent", 6, flex=1, most=12, drop=2),
    Column("finding", 20, flex=5),
    Column("next step", 20, flex=4, drop=1),
)


def findings_listing(snapshot: ConsoleSnapshot, context: Context) -> Listing:
    """Return all findings, and the notices that are none."""
    rows = [
        Row(
            key=f"{number}-{finding.code}",
            cells=(
                Cell(finding.severity.value, severity_role(finding.severity)),
                Cell(finding.agent or ""),
                Cell(literal(finding.message)),
                Cell(next_step(finding), Role.MUTED),
            ),
            value=literal(f"{finding.message} {finding.hint}"),
        )
        for number, finding in enumerate(snapshot.attention)
    ]
    known = {finding.message for finding in snapshot.attention}
    rows += [
        Row(
            key=f"notice-{number}",
            cells=(
                Cell("notice", Role.MUTED),
                Cell(notice.agent or "", Role.MUTED),
                Cell(literal(notice.message)),
                Cell(literal(notice.path or ""), Role.MUTED, is_id=True),
            ),
            value=literal(notice.path or notice.message),
        )
        for number, notice in enumerate(snapshot.notices)
        if notice.message not in known
    ]
    notices = len(rows) - len(snapshot.attention)
    return Listing(
        title="Findings",
        about=f"{context.glyphs.dot} {len(known)}, {figures.plural(notices, 'notice')}",
        source="disk",
        age=context.age(snapshot.taken_at),
        columns=_COLUMNS,
        rows=tuple(rows),
        empty=("all quiet: nothing wants attention",),
        is_stale=context.is_stale(snapshot.taken_at),
    )


class FindingsScreen(ListScreen):
    """All findings; Enter goes to what a finding is about."""

    def __init__(self) -> None:
        super().__init__("findings")

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "findings"

    def show_snapshot(self) -> None:
        """Show the newest findings."""
        if self.desk.snapshot is not None:
            self.named("list").show(findings_listing(self.desk.snapshot, self.context()))
        super().show_snapshot()

    def action_open(self) -> None:
        """Go to what the finding is about: a session, a start, a memory, else to health."""
        snapshot = self.desk.snapshot
        row = None if self.pane is None else self.pane.row
        number = "" if row is None else row.key.partition("-")[0]
        if snapshot is None or not number.isdigit() or int(number) >= len(snapshot.attention):
            return
        finding = snapshot.attention[int(number)]
        view = next(
            (one for one in snapshot.sessions if finding.key and one.key_text == finding.key), None
        )
        if view is not None:
            self.desk.go.session(view)
        elif finding.agent is not None and finding.code == "bootstrap-truncation":
            self.desk.go.bootstrap(finding.agent)
        elif finding.agent is not None:
            self.desk.go.memory(finding.agent)
        else:  # the Gateway, or the platform's configuration
            self.desk.go.health()
