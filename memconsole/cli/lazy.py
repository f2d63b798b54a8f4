"""Commands that Typer learns of when they are asked for.

Typer inspects every parameter of every command at the start of a call; a call uses one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from memconsole.cli.options import GLOBAL_OPTIONS, Command, parameter

if TYPE_CHECKING:
    from typer._click.core import Command as AnyCommand  # what Typer's own signatures name

HELP_NAMES = {"help_option_names": ["-h", "--help"]}

PROGRAM = "memconsole"

COMMANDS = {
    PROGRAM: {
        "status": "reading:status",
        "agents": "reading:agents",
        "sessions": "reading:sessions",
        "session": "reading:session",
        "transcript": "reading:transcript",
        "memory": "Look into the memory of the agents, add to it, forget, undo.",
        "markers": "memory:markers",
        "search": "searching:search",
        "get": "searching:get",
        "reindex": "indexing:reindex",
        "checkpoint": "acting:checkpoint",
        "observe": "observing:observe",
        "index-md": "cataloguing:index_md",
        "bootstrap": "bootstrapping:bootstrap",
        "reflect": "reflecting:reflect",
        "consolidate": "consolidating:consolidate",
        "summarize": "summarizing:summarize",
        "recover": "recovering:recover",
        "rotate": "acting:rotate",
        "compact": "compacting:compact",
        "flush": "flushing:flush",
        "prune-preview": "pruning:prune_preview",
        "jobs": "jobs:jobs",
        "once": "jobs:once",
        "health": "health:health",
        "alerts": "Tell people what is wrong, and list what is.",
        "runs": "reading:runs",
        "logs": "Look after logs.",
        "serve": "serving:serve",
        "service": "Let this host keep the scheduler running.",
        "bench": "Measure memconsole on data of your own.",
        "hooks": "Put memconsole's hooks into the platform, and look after them.",
        "config": "Check the platform's configuration, show or start memconsole's own.",
    },
    "memory": {
        "pool": "memory:pool",
        "show": "memory_showing:show",
        "add": "memory_editing:add",
        "forget": "memory_editing:forget",
        "edit": "memory_showing:edit",
        "undo": "memory_editing:undo",
        "promote": "promoting:promote",
        "decline": "promoting:decline",
        "search": "searching:memory_search",
        "get": "searching:memory_get",
    },
    "alerts": {
        "test": "alerting:send_test",
        "list": "alerting:list_alerts",
        "mute": "alerting:mute",
        "unmute": "alerting:unmute",
    },
    "hooks": {
        "install": "hooking:install",
        "status": "hooking:status",
        "remove": "hooking:remove",
    },
    "service": {
        "install": "service:install",
        "status": "service:status",
        "remove": "service:remove",
    },
    "logs": {"rotate": "logs_rotate:rotate"},
    "bench": {"recall": "indexing:recall"},
    "config": {
        "check": "config_checking:check",
        "fix": "config_checking:fix",
        "show": "configuring:show",
        "path": "configuring:path",
        "init": "configuring:init",
    },
}
"""Module and function below `memconsole.cli` by command, in the order of `--help`; a name that is a
key itself is a group, with its help."""


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


class Program(LazyGroup):
    """The program itself: takes the global options."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401, RUF100
        super().__init__(**attributes)
        self.params += [parameter(option, is_hidden=False) for option in GLOBAL_OPTIONS]


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
