"""What keys do that every screen has: copy, freeze, interval, and the screens from anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from memconsole.ui.cells import cut
from memconsole.ui.clipboard import keep
from memconsole.ui.literal import literal, literal_block
from memconsole.ui.readings import INTERVALS
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.spans import Role
from memconsole.ui.title import home_name

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.ui.navigation import Navigation
    from memconsole.ui.readings import Readings


class KeysOfEveryScreen(App[int], inherit_bindings=False):
    """The part of the console that answers keys which work everywhere."""

    settings: Settings
    readings: Readings
    go: Navigation

    def tick(self) -> None:
        """Let ages grow where they are seen."""
        if isinstance(self.screen, ConsoleScreen) and self.screen.is_open:
            self.screen.show_snapshot()

    def say(self, text: str, role: Role = Role.PLAIN) -> None:
        """Show one sentence at the bottom of the screen in front."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, ConsoleScreen):
                screen.say(text, role)
                return

    def copy(self, text: str) -> None:
        """Copy by OSC 52, and into a file for terminals that refuse it."""
        safe = literal_block(text)
        self.copy_to_clipboard(safe)
        path = keep(safe, self.settings.state_dir)
        where = f"; also in {home_name(path)}" if path is not None else ""
        self.say(f"copied {cut(literal(safe), 40)}{where}", Role.MUTED)

    def action_freeze(self) -> None:
        """Stop or start refreshing."""
        self.readings.is_frozen = not self.readings.is_frozen
        if not self.readings.is_frozen:
            self.readings.request()
        self.tick()
        self.say("frozen: f goes on" if self.readings.is_frozen else "refreshing again", Role.MUTED)

    def action_refresh(self) -> None:
        """Look at everything now."""
        self.readings.request()
        self.say("looking at everything", Role.MUTED)

    def action_interval(self, step: int) -> None:
        """Refresh more or less often."""
        places = [abs(interval - self.readings.interval) for interval in INTERVALS]
        place = places.index(min(places)) + step
        self.readings.interval = INTERVALS[min(max(place, 0), len(INTERVALS) - 1)]
        self.readings.rest()
        seconds = self.readings.interval.total_seconds()
        self.say(f"refreshing every {seconds:g} s", Role.MUTED)

    def action_help(self) -> None:
        """Show the keys of the screen in front."""
        self.go.help()

    def action_palette(self) -> None:
        """Offer everything that can be done."""
        self.go.palette()

    def action_findings(self) -> None:
        """Show everything that wants attention."""
        self.go.findings()

    def action_jobs(self) -> None:
        """Show the scheduler's jobs."""
        self.go.jobs()

    def action_health(self) -> None:
        """Show what keeps memory safe."""
        self.go.health()

    def action_log(self) -> None:
        """Show our own log."""
        self.go.log()

    def action_theme(self, name: str) -> None:
        """Change the colours."""
        self.theme = name
