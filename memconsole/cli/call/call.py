"""One call of the command line: its options, its engine, and how its answer leaves."""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.call import exits
from memconsole.cli.call.flags import Flags
from memconsole.cli.output import safe
from memconsole.cli.output.stream import Output, Progress
from memconsole.domain.agents import Origin
from memconsole.errors import ConfigError, ReadOnlyError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memconsole.cli.json.encode import Json
    from memconsole.cli.output.printer import Printer
    from memconsole.demo.home import DemoHome
    from memconsole.domain.agents import Home, Notice
    from memconsole.domain.calendar import Zone
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import FleetSettings
    from memconsole.engine.engine import Engine
    from memconsole.engine.search.service import SearchService
    from memconsole.ports.platform import Clock


if TYPE_CHECKING:
    EngineBuilder = Callable[[Settings, Clock], Engine]

_SHOWN_WARNINGS = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command has to say.

    Attributes:
        command: Name for the envelope.
        data: Makes the JSON data; called only when JSON is wanted.
        show: Writes the same for people.
        at: Moment of the reading; None for now.
        code: Exit code.
        home: The platform home, for its time zone.
        said: Messages of warnings that `show` tells people itself.
        failures: Sentence and help of each action that failed.
    """

    command: str
    data: Callable[[], Json]
    show: Callable[[Printer], None]
    at: datetime | None = None
    warnings: tuple[Notice, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    code: int = exits.DONE
    home: Home | None = None
    said: frozenset[str] = frozenset()
    failures: tuple[tuple[str, str], ...] = ()


class Call:
    """State of one call; commands find it in the Typer context."""

    def __init__(self, build: EngineBuilder | None = None) -> None:
        self.flags = Flags()
        self.output = Output()
        self.is_json_asked = False
        self.origin = Origin.CLI
        self.resources = ExitStack()
        self._build = build
        self._demo: DemoHome | None = None

    @cached_property
    def settings(self) -> Settings:
        """Configuration file, environment and options together.

        Raises:
            ConfigError: One of them cannot be used.
        """
        from memconsole.cli.output.logging import start_logging  # noqa: PLC0415 - `--help` has none
        from memconsole.compose import process  # noqa: PLC0415 - likewise

        if self.flags.is_demo:
            from memconsole.cli.call import demo  # noqa: PLC0415

            settings, self._demo = demo.begin(self.flags, self.resources, self.clock)
        else:
            settings = process.load_settings(self.flags.config, self.flags.values)
        start_logging(settings, self.clock.now)
        return settings

    def life(self) -> AbstractContextManager[None]:
        """Let things happen in the home of a demo for the block; any other home has its own."""
        return nullcontext() if self._demo is None else self._demo.growing.running(self.clock.now)

    def use_defaults_when_broken(self) -> None:
        """Go on with the defaults when the configuration cannot be used: it is being repaired."""
        from memconsole.domain.settings import Settings  # noqa: PLC0415 - likewise

        try:
            _ = self.settings
        except ConfigError:
            self.settings = Settings(state_dir=Path())

    @cached_property
    def clock(self) -> Clock:
        """The clock of this process; `MEMCONSOLE_NOW` moves it.

        Raises:
            ConfigError: `MEMCONSOLE_NOW` is no moment.
        """
        from memconsole.compose import process  # noqa: PLC0415 - likewise

        return process.build_clock()

    @cached_property
    def engine(self) -> Engine:
        """The engine behind this call."""
        if self._build is not None:
            return self._build(self.settings, self.clock)
        from memconsole.compose import engine as wiring  # noqa: PLC0415 - a search needs none
        from memconsole.compose.process import note_hook_call  # noqa: PLC0415

        if self.origin is Origin.CLI and note_hook_call(self.settings, self.clock):
            self.origin = Origin.HOOK
        return wiring.build_engine(self.settings, self.origin, clock=self.clock)

    @cached_property
    def searcher(self) -> SearchService:
        """What a search needs: a part of the engine that loads in a fraction of its time."""
        if self._build is not None:
            return self.engine.search
        from memconsole.compose import search  # noqa: PLC0415

        return search.build_search(self.settings, self.clock)

    @property
    def is_usually_of_fleet(self) -> bool:
        """Whether the settings mean every home of the fleet where nothing else is said."""
        from memconsole.config.keys import ASKED_VARIABLE  # noqa: PLC0415 - `--help` has none

        fleet = self._fleet
        return fleet is not None and fleet.default and ASKED_VARIABLE not in os.environ

    @property
    def has_fleet(self) -> bool:
        """Whether an agent may be that of another home: some are configured, and none is named."""
        return self._fleet is not None and bool(self._fleet.sources)

    @property
    def _fleet(self) -> FleetSettings | None:
        """Return the homes that may be asked; None where one home is named."""
        if self.flags.is_demo or "platform.home" in self.flags.values:
            return None
        try:
            fleet = self.settings.fleet
            _ = fleet.default  # a section that is wrong says so when it is read
            return fleet
        except ConfigError:  # who needs the settings says what is wrong with them
            return None

    @property
    def is_json(self) -> bool:
        """Whether a machine reads the answer."""
        return self.is_json_asked or self.flags.is_json or self.settings.ui.json

    def refuse_read_only(self, command: str, *, dry_run: bool = False) -> None:
        """Refuse a command that changes something where nothing may be changed.

        Raises:
            ReadOnlyError: Nothing may be done.
        """
        if self.settings.ui.read_only and not dry_run:
            raise ReadOnlyError(command)

    @property
    def redact(self) -> bool:
        """Whether secrets are masked; they are unless the configuration says otherwise."""
        return self.settings.redact

    def busy(self, label: str, total: int | None = None) -> Progress:
        """Show a sign of life while the `with` block lasts longer than a second."""
        return Progress(self.output, label, total=total, is_terminal=self.output.is_watched)

    def answer(self, answer: Answer) -> int:
        """Print an answer and return its exit code."""
        at = answer.at or self.clock.now()
        if self.is_json:
            self._machine(answer, at)
        else:
            self._people(answer, at)
        if self.is_json or not self.output.is_terminal:
            self._complain(answer.failures)
        return answer.code

    def line(self, text: str) -> str:
        """Return foreign text as one safe line."""
        return safe.line(text, redact=self.redact)

    def _machine(self, answer: Answer, at: datetime) -> None:
        from memconsole.cli.json.encode import dump, envelope  # noqa: PLC0415

        row = envelope(
            answer.command,
            at,
            answer.data(),
            warnings=answer.warnings,
            left_out=answer.left_out,
        )
        self.output.json(dump(row, redact=self.redact))

    def _people(self, answer: Answer, at: datetime) -> None:
        from memconsole.cli.output.printer import Printer  # noqa: PLC0415

        style = self.output.style(self.settings.ui)
        printer = Printer(style, now=at, zone=self._zone(answer.home), text=self.line)
        answer.show(printer)
        self.output.lines(printer.lines())
        self._warn(tuple(one for one in answer.warnings if one.message not in answer.said))

    def _warn(self, warnings: tuple[Notice, ...]) -> None:
        shown = warnings if len(warnings) <= _SHOWN_WARNINGS + 1 else warnings[:_SHOWN_WARNINGS]
        for one in shown:
            place = "" if one.path is None or one.path in one.message else f" ({one.path})"
            self.output.error(f"! {one.code}: {self.line(one.message + place)}")
        if len(shown) < len(warnings):
            rest = len(warnings) - len(shown)
            self.output.error(f"! and {rest} more warnings; --json lists all of them")

    def _complain(self, failures: Iterable[tuple[str, str]]) -> None:
        """Say on standard error what failed, where nobody may read the answer itself."""
        for message, hint in failures:
            more = [f"  {self.line(hint)}"] if hint else []
            self.output.error(f"memconsole: {self.line(message)}", *more)

    def _zone(self, home: Home | None) -> Zone:
        """Return our zone, else the platform's, else the host's."""
        from memconsole.compose import process  # noqa: PLC0415 - likewise

        return process.zone(self.settings, home)
