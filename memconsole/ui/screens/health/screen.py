"""Whether everything that keeps memory safe is well, and what is wrong with the configuration."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from textual import on

from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.memory import MEMORY_FORGET
from memconsole.domain.health import CheckStatus
from memconsole.errors import MemconsoleError
from memconsole.text import cells, figures
from memconsole.text.plain import one_line
from memconsole.ui.actions.targets import for_entries
from memconsole.ui.drawing.gauges import short_age
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import Verb, bind, command_verb
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.widgets.title import home_name, severity_role
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.alerts import AlertStatus
    from memconsole.domain.config_check.finding import ConfigReport, Finding
    from memconsole.domain.health import Check, HealthReport
    from memconsole.domain.memory.secrets import FoundSecret, SecretsFound
    from memconsole.engine.engine import Engine
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context


MUTED_FOR = timedelta(days=1)
"""As `memconsole alerts mute` does unless it is told otherwise."""

SECRETS = "check-secrets"
"""The row of the check whose cases are looked for when it is opened: they are kept nowhere."""

_REST_S = 30
"""Both looks read files whole; they are taken again after this long, not with every reading."""


class HealthScreen(ConsoleScreen):
    """The checks, the findings about the configuration, and one of them in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("1", "panel(1)", "health", "Panel 1: health", name="panel-1"),
        bind("2", "panel(2)", "configuration", "Panel 2: platform configuration", name="panel-2"),
        bind("3", "panel(3)", "in full", "Panel 3: one of them in full", name="panel-3"),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("o", "report", "report", "What a bug report would hold; e writes it", "report"),
        Verb("x", "mute", "mute", "Tell nobody of this for a day, or tell people again", "mute"),
        replace(command_verb("D", MEMORY_FORGET, "forget"), panels=("one",)),
    )

    _looks_for_secrets = False

    def __init__(self) -> None:
        super().__init__("health")
        self._asked_at: datetime | None = None
        self._chosen = "checks"
        self._health: Loader[HealthReport] = Loader(self, "health")
        self._told: dict[str, AlertStatus] = {}
        self._findings: Loader[ConfigReport] = Loader(self, "config")
        self._standings: Loader[tuple[AlertStatus, ...]] = Loader(self, "alerts")
        self._secrets: Loader[Looked] = Loader(self, "secrets")
        self._deed: Loader[str] = Loader(self, "deed")

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "health"

    def body(self) -> ComposeResult:
        """Yield checks, findings, and one of them below."""
        yield Pane("checks", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("findings", glyphs=self.desk.glyphs)
        yield Pane("one", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Look again when the last look is old."""
        self._standings.ask(self._ask_standings)
        now = self.desk.clock.now()
        if self._asked_at is None or (now - self._asked_at).total_seconds() >= _REST_S:
            self._asked_at = now
            self._health.ask(self._ask_health)
            self._findings.ask(self._ask_findings)
        self._show()
        super().show_snapshot()

    # The threads make the services: their modules may still have to be loaded.

    def _ask_standings(self) -> tuple[AlertStatus, ...]:
        return self.desk.engine.alerts.standings()

    def _ask_health(self) -> HealthReport:
        return self.desk.engine.health.report()

    def _ask_findings(self) -> ConfigReport:
        return self.desk.engine.config.check()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        if message.what == "deed":
            self._done(message)
        elif message.what == "alerts":
            self._standings.take(message)
            self._told = {one.alert.issue: one for one in self._standings.value or ()}
        elif message.what == "health":
            self._health.take(message)
        elif message.what == "secrets":
            self._secrets.take(message)
        else:
            self._findings.take(message)
        self._show()

    def _show(self) -> None:
        context, health, found = self.context(), self._health, self._findings
        self.named("checks").show(health_listing(health.value, health.failure, context, self._told))
        self.named("findings").show(config_listing(found.value, found.failure, context))
        self._show_one()

    def on_descendant_focus(self) -> None:
        """Show what the list is about that has the keys now."""
        self._show_one()

    @on(Pane.Moved, "#checks")
    @on(Pane.Moved, "#findings")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        if self.pane is not None and self.pane.id in ("checks", "findings"):
            self._chosen = self.pane.id
        pane, row = self.named("one"), self.named(self._chosen).row
        key = "" if row is None else row.key
        if self._shows_secrets:
            looked, failure = self._secrets.value, self._secrets.failure
            pane.show(secrets_listing(looked and looked[0], failure, self.context()))
            return
        if self._chosen == "checks":
            facts = check_facts(self._health.value, key, self.context(), self._told)
        else:
            facts = finding_facts(self._findings.value, key)
        pane.show(full_listing(facts, pane.room[0]))

    def action_open(self) -> None:
        """Go on to the one under the cursor in full; of secrets, look where they stand."""
        row = self.named("checks").row
        if self.pane is self.named("checks") and row is not None and row.key == SECRETS:
            self._looks_for_secrets = True
            self._secrets.ask(self._ask_secrets)
            self._show_one()
        self.focus_pane(self.named("one"))

    def on_screen_resume(self) -> None:
        """Look again for secrets: one may have been taken out meanwhile."""
        if self._looks_for_secrets:
            self._secrets.ask(self._ask_secrets)

    def _ask_secrets(self) -> Looked:
        """Look for secrets, and for the entries of memory that the lines belong to."""
        engine = self.desk.engine
        found = engine.secrets.find()
        return found, tuple(_entry_at(engine, one) for one in found.items)

    @property
    def _shows_secrets(self) -> bool:
        row = self.named("checks").row if self._chosen == "checks" else None
        return self._looks_for_secrets and row is not None and row.key == SECRETS

    @property
    def _secret(self) -> tuple[FoundSecret, str | tuple[str, ...]] | None:
        """The secret under the cursor, and the ids of its entry or why it has none."""
        row = self.named("one").row if self.is_open and self._shows_secrets else None
        looked = self._secrets.value
        if row is None or looked is None or not row.key.startswith("secret-"):
            return None
        place = int(row.key.removeprefix("secret-"))
        return (looked[0].items[place], looked[1][place]) if place < len(looked[1]) else None

    # ---- deeds ---------------------------------------------------------------------------

    @property
    def _alert(self) -> AlertStatus | None:
        """The alert of the check under the cursor, when people are or would be told of it."""
        row = self.named("checks").row if self._chosen == "checks" else None
        return None if row is None else self._told.get(row.key.removeprefix("check-"))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Return why an action cannot work now, or None when it can."""
        if action == "command" and parameters == (MEMORY_FORGET.name,):
            return super().why_not(action, parameters) or _why_not_forget(self._secret)
        if action != "mute":
            return super().why_not(action, parameters)
        if not self.is_open or self._alert is None:
            return "there is no open alert under the cursor"
        if self.desk.settings.ui.read_only:
            return "memconsole runs read-only; start it without --read-only to act"
        return None

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the line of memory that the secret under the cursor stands in."""
        found, snapshot = self._secret, self.desk.snapshot
        if subject is not Subject.ENTRY or found is None or snapshot is None:
            return super().targets(subject)
        return () if isinstance(found[1], str) else for_entries(snapshot, found[0].agent, found[1])

    def action_mute(self) -> None:
        """Tell nobody of the alert under the cursor for a day, or tell people again."""
        one, engine = self._alert, self.desk.engine
        if one is not None:
            self._deed.ask(lambda: _muted(engine, one))

    def _done(self, message: Loaded) -> None:
        self._deed.done()
        self.say_what_came(message)
        self._standings.ask(self._ask_standings)


def _muted(engine: Engine, one: AlertStatus) -> str:
    issue = one.alert.issue
    if one.muted_until is not None:
        engine.alerts.mute(issue, None)
        return f"people are told of {issue} again   memconsole alerts unmute {issue}"
    engine.alerts.mute(issue, MUTED_FOR)
    return f"nobody is told of {issue} for a day   memconsole alerts mute {issue}"


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

Looked: TypeAlias = "tuple[SecretsFound, tuple[str | tuple[str, ...], ...]]"
"""Secrets, and of each the ids of its entry in memory, or why it has none."""

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
    said = f"{figures.plural(bad, 'check')} of {len(checks)} failed" if bad else "all passed"
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


_SECRETS = (
    Column("agent", 5, flex=1, most=12, drop=3),
    Column("file and line", 20, flex=3, most=44, name="name"),
    Column("kind", 8, flex=1, most=20),
    Column("age", 5, right=True, drop=1),
    Column("masked", 16, flex=3, drop=2),
)


def secrets_listing(found: SecretsFound | None, failure: str, context: Context) -> Listing:
    """Return where secrets stand in memory files, masked as everywhere."""
    if found is None:
        return Listing("Secrets", number=3, empty=(failure or "looking for secrets",))
    unread = f", {len(found.unread)} could not be read" if found.unread else ""
    files = figures.plural(found.files, "memory file")
    return Listing(
        "Secrets",
        about=f"{context.glyphs.dot} {len(found.items)} in {files}{unread}",
        number=3,
        columns=_SECRETS,
        rows=tuple(_secret_row(one, place, context) for place, one in enumerate(found.items)),
        empty=("no memory file that could be read holds one",),
        problem=failure,
    )


def _secret_row(one: FoundSecret, place: int, context: Context) -> Row:
    where = literal(f"{one.path}:{one.spot.line or 'name'}")
    return Row(
        key=f"secret-{place}",
        cells=(
            Cell(literal(one.agent), Role.MUTED),
            Cell(where, is_id=True),
            Cell(one.spot.kind, Role.WARNING),
            Cell(short_age(context.since(one.modified_at)), Role.MUTED),
            Cell(literal(one.spot.masked)),
        ),
        value=where,
    )


def _entry_at(engine: Engine, one: FoundSecret) -> str | tuple[str, ...]:
    """Return the ids of the entry that a secret stands in, or why there is none."""
    if not one.spot.line:
        return "it stands in the file's name, and goes with the name"
    try:
        return engine.memory.ids_of(one.agent, [f"{one.path}:{one.spot.line}"])
    except MemconsoleError as error:
        return literal(f"{error}. {error.hint}")


def _why_not_forget(found: tuple[FoundSecret, str | tuple[str, ...]] | None) -> str | None:
    if found is None:
        return "Enter on the check secrets lists them; select one of its lines first"
    return found[1] if isinstance(found[1], str) else None


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
            rows.append(text_row(f"{number}:{place}", head, Span(piece), value=literal(value)))
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
