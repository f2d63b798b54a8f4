"""The global options as one table, and as they were given to one call.

They stand before the command; behind it they are understood as well, because that is where hands
put them. Nothing here needs Typer.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEVELS = ("warning", "info", "debug")


@dataclass(frozen=True, slots=True)
class GlobalOption:
    """One global option.

    Attributes:
        names: As typed.
        key: Configuration key that it sets; "" for one that can be given here only.
        help: One sentence, with its full stop.
        metavar: What its value is called; None for a flag.
        text: What a flag sets its key to.
    """

    names: tuple[str, ...]
    key: str
    help: str
    metavar: str | None = None
    text: str = "true"

    @property
    def variable(self) -> str:
        """Its environment variable, the short one; the key has a long one."""
        name = self.names[0].removeprefix("--").replace("-", "_").upper()
        return name if name == "NO_COLOR" else f"MEMCONSOLE_{name}"


HOME = GlobalOption(("--home",), "platform.home", "The platform's state folder.", "DIR")
CONFIG = GlobalOption(("--config",), "config", "Our own configuration file.", "FILE")
DEMO = GlobalOption(("--demo",), "", "Look at a generated home; yours is not touched.")
FLEET = GlobalOption(("--fleet",), "", "Ask every home of [[fleet.source]].")
HOST = GlobalOption(("--host",), "", "Ask the homes of these hosts of the fleet.", "NAME[,NAME]")
LABEL = GlobalOption(("--label",), "", "Ask the hosts of this label of [fleet.labels].", "L[,L]")
WITHIN = GlobalOption(
    ("--within",), "fleet.within", "How long a command waits for its host in a PostgreSQL.", "D"
)
JSON = GlobalOption(("--json",), "ui.json", "Machine output on stdout.")
VERBOSE = GlobalOption(("--verbose", "-v"), "log.level", "Log to stderr; twice for more.")

GLOBAL_OPTIONS = (
    HOME,
    DEMO,
    FLEET,
    HOST,
    LABEL,
    WITHIN,
    CONFIG,
    GlobalOption(("--gateway",), "gateway.url", "Where the Gateway listens.", "URL"),
    GlobalOption(
        ("--transport",), "gateway.transport", "How to reach the Gateway.", "auto|ws|cli|none"
    ),
    GlobalOption(("--read-only",), "ui.read_only", "Refuse every action, with a reason."),
    JSON,
    GlobalOption(("--color",), "ui.color", "When to colour.", "auto|always|never"),
    GlobalOption(("--no-color",), "ui.color", "Same as --color never.", text="never"),
    GlobalOption(("--mono",), "ui.mono", "No colours, in the console as well."),
    GlobalOption(("--ascii",), "ui.ascii", "Draw with ASCII characters only."),
    GlobalOption(("--no-mouse",), "ui.mouse", "Leave the mouse to the terminal.", text="false"),
    VERBOSE,
    GlobalOption(("--log-file",), "log.file", "Log to this file as well.", "FILE"),
)


@dataclass(slots=True)
class Flags:
    """Global options as given; None means "not given".

    Attributes:
        config: `--config`, our own configuration file.
        values: Configuration keys with the text that an option gave them.
        is_json: `--json`, before or after the command.
        is_demo: `--demo`.
        is_fleet: `--fleet`.
        hosts: Names that `--host` gave.
        labels: Labels of hosts that `--label` gave.
        words: Everything behind the name of the program.
    """

    config: str | None = None
    values: dict[str, str] = field(default_factory=dict)
    is_json: bool = False
    is_demo: bool = False
    is_fleet: bool = False
    hosts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def names_fleet(self) -> bool:
        """Whether an option asks for homes beside the one of this call."""
        return self.is_fleet or bool(self.hosts or self.labels)

    def take(self, option: GlobalOption, value: object) -> None:
        """Note a global option that was given."""
        if option is JSON:
            self.is_json = True
        elif option is DEMO:
            self.is_demo = True
        elif option is FLEET:
            self.is_fleet = True
        elif option is HOST:
            self.hosts = tuple(filter(None, str(value).split(","))) or ("",)
        elif option is LABEL:
            self.labels = tuple(filter(None, str(value).split(","))) or ("",)
        elif option is CONFIG:
            self.config = str(value)
        elif option is VERBOSE and isinstance(value, int):
            self.values[option.key] = _LEVELS[min(value, len(_LEVELS) - 1)]
        else:
            self.values[option.key] = option.text if option.metavar is None else str(value)


def own_words(words: Sequence[str]) -> list[str]:
    """Return a call that was understood without its global options."""
    flags = {one for option in GLOBAL_OPTIONS if option.metavar is None for one in option.names}
    valued = {one for option in GLOBAL_OPTIONS if option.metavar for one in option.names}
    kept: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            return [*kept, word, *left]
        if word in valued:
            next(left, None)
        elif word not in flags and not word.startswith(tuple(f"{one}=" for one in valued)):
            kept.append(word)
    return kept
