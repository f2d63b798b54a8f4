"""Whether everything that keeps memory safe is well, and what is wrong with the configuration."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.ui.keys import Verb, bind
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.health.rows import (
    check_facts,
    config_listing,
    finding_facts,
    full_listing,
    health_listing,
)
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.alerts.rules import AlertStatus
    from memconsole.domain.config_check.finding import ConfigReport
    from memconsole.domain.health.checks import HealthReport
    from memconsole.engine.engine import Engine

MUTED_FOR = timedelta(days=1)
"""As `memconsole alerts mute` does unless it is told otherwise."""

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
        Verb("x", "mute", "mute", "Tell nobody of this for a day, or tell people again", "mute"),
    )

    def __init__(self) -> None:
        super().__init__("health")
        self._asked_at: datetime | None = None
        self._chosen = "checks"
        self._health: Loader[HealthReport] = Loader(self, "health")
        self._told: dict[str, AlertStatus] = {}
        self._findings: Loader[ConfigReport] = Loader(self, "config")
        self._standings: Loader[tuple[AlertStatus, ...]] = Loader(self, "alerts")
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
        super().on_descendant_focus()
        self._show_one()

    @on(Pane.Moved, "#checks")
    @on(Pane.Moved, "#findings")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        if self.pane is not None and self.pane.id in ("checks", "findings"):
            self._chosen = self.pane.id
        pane, row = self.named("one"), self.named(self._chosen).row
        key = "" if row is None else row.key
        if self._chosen == "checks":
            facts = check_facts(self._health.value, key, self.context(), self._told)
        else:
            facts = finding_facts(self._findings.value, key)
        pane.show(full_listing(facts, pane.room[0]))

    def action_open(self) -> None:
        """Go on to the one under the cursor in full."""
        self.focus_pane(self.named("one"))

    # ---- deeds ---------------------------------------------------------------------------

    @property
    def _alert(self) -> AlertStatus | None:
        """The alert of the check under the cursor, when people are or would be told of it."""
        row = self.named("checks").row if self._chosen == "checks" else None
        return None if row is None else self._told.get(row.key.removeprefix("check-"))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Return why an action cannot work now, or None when it can."""
        if action != "mute":
            return super().why_not(action, parameters)
        if not self.is_open or self._alert is None:
            return "there is no open alert under the cursor"
        if self.desk.settings.ui.read_only:
            return "memconsole runs read-only; start it without --read-only to act"
        return None

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
