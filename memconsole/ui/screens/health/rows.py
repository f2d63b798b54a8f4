"""Health and the platform's configuration as rows: what is checked, who was told, one in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from memconsole.domain.health.checks import CheckStatus
from memconsole.text import figures
from memconsole.text.plain import one_line
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.widgets.title import home_name, severity_role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.alerts.rules import AlertStatus
    from memconsole.domain.config_check.finding import ConfigReport, Finding
    from memconsole.domain.health.checks import Check, HealthReport
    from memconsole.ui.drawing.context import Context


LABEL_WIDTH: Final = 10

NOBODY: Final[Mapping[str, AlertStatus]] = {}
"""Nobody was told of anything."""

_SIGNS: Final = {
    CheckStatus.OK: ("ok", Role.OK),
    CheckStatus.UNKNOWN: ("?", Role.MUTED),
    CheckStatus.WARNING: ("WARN", Role.WARNING),
    CheckStatus.CRITICAL: ("CRIT", Role.DUE),
}

_CHECKS = (
    Column("", 4, name="level"),
    Column("check", 12, flex=1, most=20),
    Column("what was found", 24, flex=5),
    Column("told again", 10, right=True, drop=2),
    Column("since", 6, right=True, drop=1),
)

_FINDINGS = (
    Column("", 8, name="severity"),
    Column("key", 14, flex=2, most=34),
    Column("finding", 24, flex=4),
    Column("agent", 6, flex=1, most=12, drop=1),
)

Facts = tuple[tuple[str, str], ...]
"""(label, value) of one row in full."""


def health_listing(
    report: HealthReport | None,
    failure: str,
    context: Context,
    told: Mapping[str, AlertStatus] = NOBODY,
) -> Listing:
    """Return every check, what is wrong first; `told` says who knows of it, by check."""
    if report is None:
        return Listing("Health", number=1, empty=(failure or "looking after health",))
    checks = sorted(report.checks, key=lambda one: -one.status.rank)
    bad = sum(one.status.is_bad for one in checks)
    unknown = sum(one.status is CheckStatus.UNKNOWN for one in checks)
    said = f"{figures.plural(bad, 'check')} of {len(checks)} ill" if bad else "all is well"
    more = f", {unknown} could not be looked at" if unknown else ""
    return Listing(
        title="Health",
        about=f"{context.glyphs.dot} {said}{more}",
        source="disk, Gateway",
        age=figures.ago(context.since(report.at)),
        number=1,
        columns=_CHECKS,
        rows=tuple(_check(one, told.get(one.id), context) for one in checks),
        problem=failure,
    )


def _check(check: Check, told: AlertStatus | None, context: Context) -> Row:
    sign, role = _SIGNS[check.status]
    since = "" if check.since is None else figures.age(context.now - check.since)
    return Row(
        key=f"check-{check.id}",
        cells=(
            Cell(sign, role),
            Cell(check.id, Role.STRONG if check.status.is_bad else Role.PLAIN),
            Cell(literal(check.message)),
            Cell(alert_cell(told, context), Role.MUTED),
            Cell(since, Role.MUTED),
        ),
        value=literal(f"{check.message} {check.hint}".strip()),
    )


def config_listing(report: ConfigReport | None, failure: str, context: Context) -> Listing:
    """Return every finding about the platform's configuration, worst first."""
    title = "Platform configuration"
    if report is None:
        return Listing(title, number=2, empty=(failure or "reading the configuration",))
    release = literal(report.release or "an unknown release")
    return Listing(
        title=title,
        about=f"{context.glyphs.dot} {release}",
        source="no file" if report.path is None else home_name(Path(report.path)),
        number=2,
        columns=_FINDINGS,
        rows=tuple(_finding(one, place) for place, one in enumerate(report.findings)),
        empty=("nothing is wrong with it",),
        problem=failure,
    )


def _finding(finding: Finding, place: int) -> Row:
    return Row(
        key=f"finding-{place}",
        cells=(
            Cell(finding.severity.value, severity_role(finding.severity)),
            Cell(literal(finding.key or finding.id)),
            Cell(literal(finding.why)),
            Cell(literal(finding.agent or ""), Role.MUTED),
        ),
        value=literal(f"{finding.why} {finding.hint}".strip()),
    )


def check_facts(
    report: HealthReport | None,
    key: str,
    context: Context,
    told: Mapping[str, AlertStatus] = NOBODY,
) -> Facts:
    """Return what is known of one check."""
    checks = () if report is None else report.checks
    one = next((it for it in checks if key == f"check-{it.id}"), None)
    if one is None:
        return ()
    cases = tuple(("", one_line(_case(it))) for it in one.details)
    return _kept(
        ("found", one.message),
        ("do", one.hint),
        ("measured", "" if one.value is None else str(one.value)),
        ("limit", "" if one.limit is None else str(one.limit)),
        ("since", "" if one.since is None else f"{one.since:%Y-%m-%d %H:%M} UTC"),
        *alert_facts(told.get(one.id), context),
        *cases,
    )


def finding_facts(report: ConfigReport | None, key: str) -> Facts:
    """Return what is known of one finding."""
    place = key.removeprefix("finding-")
    if report is None or not place.isdecimal() or int(place) >= len(report.findings):
        return ()
    one = report.findings[int(place)]
    return _kept(
        ("found", one.why),
        ("do", one.hint),
        ("key", one.key or ""),
        ("now", "" if one.current is None else str(one.current)),
        ("better", "" if one.recommended is None else str(one.recommended)),
        ("fix", "`memconsole config fix` sets it, with a copy first" if one.changes else ""),
        ("file", one.path or ""),
        *(("", one_line(_case(it))) for it in one.details),
    )


def full_listing(facts: Facts, width: int) -> Listing:
    """Return one check or finding in full."""
    rows = []
    for number, (label, value) in enumerate(facts):
        for place, piece in enumerate(cells.wrap(literal(value), max(width - LABEL_WIDTH, 8))):
            head = Span(f"{'' if place else label:<{LABEL_WIDTH}}", Role.MUTED)
            rows.append(text_row(f"{number}-{place}", head, Span(piece), value=literal(value)))
    return Listing("In full", number=3, rows=tuple(rows), empty=("nothing is selected",))


def _kept(*facts: tuple[str, str]) -> Facts:
    return tuple(fact for fact in facts if fact[1])


def _case(value: object) -> str:
    """Return one single case as words: `key value, key value`."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {it}" for key, it in value.items() if it is not None)
    return str(value)


def alert_cell(one: AlertStatus | None, context: Context) -> str:
    """Return when somebody is told next: `18 min`, `muted 23 h`; empty when nobody is."""
    if one is None:
        return ""
    if one.muted_until is not None:
        return f"muted {figures.age(one.muted_until - context.now)}"
    if one.again_at is None:
        return "not told"
    left = one.again_at - context.now
    return figures.age(left) if left.total_seconds() > 0 else "now"


def alert_facts(one: AlertStatus | None, context: Context) -> tuple[tuple[str, str], ...]:
    """Return the same in full: when somebody was told, and when the next is."""
    if one is None:
        return ()
    told = "nobody was told yet" if one.told_at is None else figures.ago(context.since(one.told_at))
    facts = [("told", told)]
    if one.muted_until is not None:
        quiet = figures.age(one.muted_until - context.now)
        facts.append(("muted", f"for {quiet} more, unless it gets worse; x tells people again"))
    elif one.again_at is not None:
        left = one.again_at - context.now
        is_due = left.total_seconds() <= 0
        facts.append(("again", "with the next look" if is_due else f"in {figures.age(left)}"))
    return tuple(facts)
