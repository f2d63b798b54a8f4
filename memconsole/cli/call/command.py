"""A command as Typer knows it: it takes the global options as well, where hands put them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperOption

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
from memconsole.errors import UsageError

if TYPE_CHECKING:
    import typer
    from typer._click.core import Context, Parameter  # what Typer's own signatures name

    from memconsole.cli.call.flags import GlobalOption


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
