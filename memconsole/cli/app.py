"""The Typer application: which commands there are, each loaded when it is asked for.

Typer inspects every parameter of every command at the start of a call; a call uses one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from importlib.machinery import PathFinder, SourceFileLoader
from types import CodeType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command, get_group

from memconsole.cli.call.call import Call
from memconsole.cli.call.flags import (
    CONFIG,
    GLOBAL_OPTIONS,
    HOME,
    HOST,
    JSON,
    LABEL,
    VERBOSE,
    WITHIN,
    own_words,
)
from memconsole.cli.call.options import LayerOption, call_of
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from typer._click.core import Command as AnyCommand  # what Typer's own signatures name
    from typer._click.core import Context, Parameter
    from typer._click.formatting import HelpFormatter

    from memconsole.cli.call.flags import GlobalOption


HELP_NAMES = {"help_option_names": ["-h", "--help"]}

PROGRAM = "memconsole"

COMMANDS = {
    PROGRAM: {
        "status": "commands.status:status",
        "agents": "commands.status:agents",
        "sessions": "commands.status:sessions",
        "session": "commands.session:session",
        "transcript": "commands.session:transcript",
        "runs": "commands.jobs:runs",
        "search": "commands.search:search",
        "get": "commands.search:get",
        "reindex": "commands.search:reindex",
        "memory": "Look into the memory of the agents, add to it, forget, undo.",
        "markers": "commands.memory:markers",
        "secrets": "commands.secrets:secrets",
        "checkpoint": "commands.capture:checkpoint",
        "flush": "commands.capture:flush",
        "observe": "commands.capture:observe",
        "reflect": "commands.reflect:reflect",
        "consolidate": "commands.consolidate:consolidate",
        "summarize": "commands.capture:summarize",
        "recover": "commands.capture:recover",
        "index-md": "commands.capture:index_md",
        "rotate": "commands.capture:rotate",
        "compact": "commands.capture:compact",
        "prune-preview": "commands.pruning:prune_preview",
        "bootstrap": "commands.bootstrap:bootstrap",
        "restore": "commands.session:restore",
        "serve": "commands.serve:serve",
        "service": "Let this host keep the scheduler running.",
        "jobs": "commands.jobs:jobs",
        "once": "commands.jobs:once",
        "hooks": "Put memconsole's hooks into the platform, and look after them.",
        "mcp": "commands.serve:mcp",
        "health": "commands.health:health",
        "alerts": "Tell people what is wrong, and list what is.",
        "config": "Check the platform's configuration, show or start memconsole's own.",
        "logs": "Look after logs.",
        "cleanup": "commands.cleanup:cleanup",
        "fleet": "Make a fleet of many hosts in a PostgreSQL, join it, look after it.",
        "report": "commands.report:report",
        "bench": "Measure memconsole on data of your own.",
    },
    "memory": {
        "pool": "commands.memory:pool",
        "show": "commands.memory_edit:show",
        "add": "commands.memory_edit:add",
        "forget": "commands.memory_edit:forget",
        "edit": "commands.memory_edit:edit",
        "tidy": "commands.memory_edit:tidy",
        "undo": "commands.memory_edit:undo",
        "promote": "commands.consolidate:promote",
        "decline": "commands.consolidate:decline",
        "search": "commands.search:memory_search",
        "get": "commands.search:memory_get",
    },
    "alerts": {
        "test": "commands.alerts:send_test",
        "list": "commands.alerts:list_alerts",
        "mute": "commands.alerts:mute",
        "unmute": "commands.alerts:unmute",
    },
    "hooks": {
        "install": "commands.hooks:install",
        "status": "commands.hooks:status",
        "remove": "commands.hooks:remove",
    },
    "service": {
        "install": "commands.service:install",
        "status": "commands.service:status",
        "remove": "commands.service:remove",
    },
    "fleet": {
        "init": "commands.fleet.owner:init",
        "upgrade": "commands.fleet.owner:upgrade",
        "invite": "commands.fleet.owner:invite",
        "grant": "commands.fleet.owner:grant",
        "revoke": "commands.fleet.owner:revoke",
        "forget": "commands.fleet.owner:forget",
        "join": "commands.fleet.member:join",
        "leave": "commands.fleet.member:leave",
        "hosts": "commands.fleet.member:hosts",
        "doctor": "commands.fleet.member:doctor",
        "key": "commands.fleet.letters:key",
        "commands": "commands.fleet.letters:commands",
        "cancel": "commands.fleet.letters:cancel",
        "audit": "commands.fleet.owner:audit",
        "prune": "commands.fleet.owner:prune",
    },
    "logs": {"rotate": "commands.logs:rotate"},
    "bench": {"recall": "commands.search:recall"},
    "config": {
        "check": "commands.config:check",
        "fix": "commands.config:fix",
        "show": "commands.config:show",
        "path": "commands.config:path",
        "init": "commands.config:init",
    },
}
"""Module and function below `memconsole.cli` by command, in the order of `--help`; a name that is a
key itself is a group, with its help."""

SECTIONS = {
    "status": "Look",
    "search": "Find",
    "checkpoint": "Save",
    "rotate": "Start anew",
    "serve": "Day and night",
    "health": "Trouble",
}
"""Headings of `--help`, each by the command that it stands above."""


class Command(TyperCommand):
    """A command, which shows `--json` among its options and takes the other global ones too.

    They are written before it or behind it: that is where hands put them.
    """

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Return the command's own parameters, then the global ones."""
        extra = [parameter(option, is_hidden=option is not JSON) for option in GLOBAL_OPTIONS]
        *own, last = super().get_params(ctx)  # `--help` stays the last one
        return [*own, *extra, last]

    def invoke(self, ctx: Context) -> object:
        """Run the command, or carry it to the homes of the fleet."""
        call = ctx.ensure_object(Call)
        named = ctx.params.get("agent")
        is_far = isinstance(named, str) and "/" in named and call.has_fleet
        _, _, command = ctx.command_path.partition(" ")
        if not is_far and not call.flags.names_fleet and not _is_usual(call, command):
            if WITHIN.key in call.flags.values:
                raise UsageError(
                    "--within is for commands that are sent to other hosts",
                    hint="Name them with --fleet, --host, --label or --agent host/agent.",
                )
            return super().invoke(ctx)
        from memconsole.cli.call.fleet import ask_fleet  # noqa: PLC0415 - most calls have no fleet

        asks = any(one.name == "yes" for one in self.params)
        words = own_words(call.flags.words)
        return ask_fleet(
            call,
            command,
            words,
            agent=str(named) if is_far else None,
            asks=asks,
            options=ctx.params,
        )


def _is_usual(call: Call, command: str) -> bool:
    """Whether the settings carry this call to the fleet although nothing of it says so."""
    if command.startswith("config ") or not call.is_usually_of_fleet:
        return False
    from memconsole.cli.call.fleet import is_usually_carried  # noqa: PLC0415 - most have no fleet

    return is_usually_carried(command)


def parameter(option: GlobalOption, *, is_hidden: bool) -> TyperOption:
    """Return a global option as Typer knows it; what it is given goes to the call."""
    is_flag = option.metavar is None and option is not VERBOSE

    def note(context: typer.Context, _parameter: object, value: object) -> None:
        if value == "" and option in (HOME, HOST, LABEL, CONFIG):
            raise UsageError(f"{option.names[0]} names nothing")  # a variable that is not set
        if value:
            context.ensure_object(Call).flags.take(option, value)

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


class LazyCommands(MutableMapping[str, "AnyCommand"]):
    """Commands of one group by name, each built when it is asked for.

    Args:
        places: A row of `COMMANDS`.
    """

    def __init__(self, places: dict[str, str]) -> None:
        self._places = dict(places)
        self._built: dict[str, AnyCommand] = {}

    def __getitem__(self, name: str) -> AnyCommand:
        if name not in self._built:
            self._built[name] = _build(name, self._places[name])
        return self._built[name]

    def __setitem__(self, name: str, command: AnyCommand) -> None:
        self._places.setdefault(name, "")
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LazyGroup(TyperGroup):
    """A group whose commands are those of the table."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401, RUF100
        super().__init__(**attributes)
        self.commands = LazyCommands(COMMANDS[self.name or PROGRAM])

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """List the commands; for one line of each, no module of a command is loaded."""
        del ctx
        places = COMMANDS[self.name or PROGRAM]
        widest = max(map(len, places))
        sections: dict[str, list[tuple[str, str]]] = {}
        title = "Commands"
        for name, place in places.items():
            title = SECTIONS.get(name, title) if places is COMMANDS[PROGRAM] else title
            text = place if name in COMMANDS else _help(place)
            short = TyperCommand(name, help=text).get_short_help_str(formatter.width - 6 - widest)
            sections.setdefault(title, []).append((name.ljust(widest), short))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


class Program(LazyGroup):
    """The program itself: takes the global options."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401, RUF100
        super().__init__(**attributes)
        self.params += [parameter(option, is_hidden=False) for option in GLOBAL_OPTIONS]


def _help(place: str) -> str:
    """Return the docstring of a command out of its compiled module, which is not run."""
    module, _, function = place.partition(":")
    name = f"{__package__}.{module}"
    found = PathFinder.find_spec(name, import_module(name.rpartition(".")[0]).__path__)
    loader = None if found is None else found.loader
    code = loader.get_code(name) if isinstance(loader, SourceFileLoader) else None
    own = (one for one in (code.co_consts if code else ()) if isinstance(one, CodeType))
    return next((str(one.co_consts[0]) for one in own if one.co_name == function), "")


def _build(name: str, place: str) -> AnyCommand:
    if name in COMMANDS:
        group = typer.Typer(
            name=name,
            cls=LazyGroup,
            help=place,
            rich_markup_mode=None,
            add_completion=False,
            context_settings=HELP_NAMES,
        )
        return get_group(group)
    module, _, function = place.partition(":")
    single = typer.Typer(rich_markup_mode=None, add_completion=False)
    register = single.command(name, cls=Command, context_settings=HELP_NAMES)
    register(getattr(import_module(f"memconsole.cli.{module}"), function))
    return get_command(single)


app = typer.Typer(
    name=PROGRAM,
    cls=Program,
    help="Keeps the memory of OpenClaw agents: shows how full their sessions are, saves what they "
    "work on, and starts them anew in time. Without a command it opens the console.",
    epilog="Every option is also a configuration key and an environment variable; "
    "`memconsole config show` lists them with their values.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP_NAMES,
)


@app.callback()
def start(
    context: typer.Context,
    serve: Annotated[
        bool, typer.Option("--serve", help="Run the jobs in the foreground, without a console.")
    ] = False,
    layer: LayerOption = None,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> int:
    """Without a command open the console; where none can be, print `status`."""
    if context.invoked_subcommand is not None and not version:
        if serve or layer is not None:
            raise UsageError("--serve takes no command", hint="Leave one of the two out.")
        return 0
    if layer is not None and not serve:
        raise UsageError("--layer is for --serve", hint="Write `memconsole --serve --layer …`.")
    from memconsole.cli import console  # noqa: PLC0415

    call = call_of(context)
    if serve and not version:
        from memconsole.cli.call import serving  # noqa: PLC0415

        return (serving.serve_several if call.flags.names_fleet else serving.serve_jobs)(
            call, layer
        )
    return console.version(call) if version else console.front(call)
