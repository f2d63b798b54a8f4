"""`--demo`: the whole program over a generated home, and nothing of the user's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.domain.agents import Origin
from memconsole.domain.settings.sections import UiSettings
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from contextlib import ExitStack

    from memconsole.cli.call.flags import Flags
    from memconsole.demo.home import DemoHome
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock

_OF_THE_USER = {
    "platform.home": "--home",
    "gateway.url": "--gateway",
    "gateway.transport": "--transport",
}
"""Options that name what a demo must not touch."""


def begin(flags: Flags, resources: ExitStack, clock: Clock) -> tuple[Settings, DemoHome]:
    """Generate the home, and let the process live in it until `resources` are closed.

    Raises:
        UsageError: An option names something of the user's.
    """
    from memconsole.demo.history import remember  # noqa: PLC0415  # a face loads no other at start
    from memconsole.demo.home import demo_world, write_home  # noqa: PLC0415

    _refuse(flags)
    operator = resources.enter_context(demo_world())
    # At the usual port the user's own Gateway may listen.
    settings = process.load_settings(None, {**flags.values, "gateway.transport": "none"})
    now = clock.now()
    home = write_home(operator, now, process.zone(settings, None))
    writing = replace(settings, ui=UiSettings())  # what happened before was not read-only

    def engine_at(at: Clock) -> Engine:
        return wiring.build_engine(writing, Origin.SCHEDULER, clock=at)

    remember(home, settings.state_dir, now, engine_at)
    return _with_gateway(settings, resources, clock), home


def _with_gateway(settings: Settings, resources: ExitStack, clock: Clock) -> Settings:
    """Let a Gateway of the demo's own answer on loopback for as long as `resources` live."""
    from memconsole.demo.gateway import (  # noqa: PLC0415
        LoopbackGateway,
        rows_of,
    )

    engine = wiring.build_engine(settings, Origin.CLI, clock=clock)
    gateway = LoopbackGateway(lambda: rows_of(engine.sessions.all()), now=clock.now)
    resources.enter_context(gateway)
    return replace(settings, transport="ws", gateway_url=gateway.url, gateway_token=gateway.token)


def _refuse(flags: Flags) -> None:
    given = [option for key, option in _OF_THE_USER.items() if key in flags.values]
    if flags.config is not None:
        given.append("--config")
    if given:
        raise UsageError(
            f"{given[0]} cannot be used with --demo",
            hint="The demo has a home and settings of its own, and reads nothing of yours.",
        )
