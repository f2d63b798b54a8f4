"""The global options as one table: name, configuration key, environment variable, help.

They stand before the command; behind it they are understood as well, because that is where hands
put them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperOption

from memconsole.cli.call.call import Call
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    import typer
    from typer._click.core import Context, Parameter  # what Typer's own signatures name

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


CONFIG = GlobalOption(("--config",), "config", "Our own configuration file.", "FILE")
DEMO = GlobalOption(("--demo",), "", "Look at a generated home; yours is not touched.")
FLEET = GlobalOption(("--fleet",), "", "Ask every home of [[fleet.source]].")
HOST = GlobalOption(("--host",), "", "Ask the homes of these hosts of the fleet.", "NAME[,NAME]")
LABEL = GlobalOption(("--label",), "", "Ask the hosts of this label of [fleet.labels].", "L[,L]")
JSON = GlobalOption(("--json",), "ui.json", "Machine output on stdout.")
VERBOSE = GlobalOption(("--verbose", "-v"), "log.level", "Log to stderr; twice for more.")

GLOBAL_OPTIONS = (
    GlobalOption(("--home",), "platform.home", "The platform's state folder.", "DIR"),
    DEMO,
    FLEET,
    HOST,
    LABEL,
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


class Command(TyperCommand):
    """A command, which shows `--json` among its options and takes the other global ones too."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Return the command's own parameters, then the global ones."""
        extra = [parameter(option, is_hidden=option is not JSON) for option in GLOBAL_OPTIONS]
        *own, last = super().get_params(ctx)  # `--help` stays the last one
        return [*own, *extra, last]

    def invoke(self, ctx: Context) -> object:
        """Run the command, or carry it to the homes of the fleet."""
        call = ctx.ensure_object(Call)
        named = ctx.params.get("agent")
        is_far = isinstance(named, str) and "/" in named
        _, _, command = ctx.command_path.partition(" ")
        if not is_far and not call.flags.names_fleet and not _is_usual(call, command):
            return super().invoke(ctx)
        from memconsole.cli.call.fleet import ask_fleet  # noqa: PLC0415 - most calls have no fleet

        asks = any(one.name == "yes" for one in self.params)
        words = own_words(call.flags.words)
        return ask_fleet(call, command, words, agent=str(named) if is_far else None, asks=asks)


def _is_usual(call: Call, command: str) -> bool:
    """Whether the settings carry this call to the fleet although nothing of it says so."""
    if command.startswith("config ") or not call.is_usually_of_fleet:
        return False
    from memconsole.cli.call.fleet import is_carried  # noqa: PLC0415 - most calls have no fleet

    return is_carried(command)


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


def parameter(option: GlobalOption, *, is_hidden: bool) -> TyperOption:
    """Return a global option as Typer knows it; what it is given goes to the call."""
    is_flag = option.metavar is None and option is not VERBOSE

    def note(context: typer.Context, _parameter: object, value: object) -> None:
        if value:
            take(context.ensure_object(Call), option, value)

    return TyperOption(
        param_decls=list(option.names),
        is_flag=is_flag or None,
        count=option is VERBOSE,
        metavar=option.metavar,
        expose_value=False,
        callback=note,
        hidden=is_hidden,
        help=f"{option.help} [{option.variable}]" if option.key else option.help,
    )


def take(call: Call, option: GlobalOption, value: object) -> None:
    """Note a global option that was given."""
    if option is JSON:
        call.flags.is_json = True
    elif option is DEMO:
        call.flags.is_demo = True
    elif option is FLEET:
        call.flags.is_fleet = True
    elif option is HOST:
        call.flags.hosts = tuple(filter(None, str(value).split(",")))
    elif option is LABEL:
        call.flags.labels = tuple(filter(None, str(value).split(",")))
    elif option is CONFIG:
        call.flags.config = str(value)
    elif option is VERBOSE and isinstance(value, int):
        call.flags.values[option.key] = _LEVELS[min(value, len(_LEVELS) - 1)]
    else:
        call.flags.values[option.key] = option.text if option.metavar is None else str(value)
