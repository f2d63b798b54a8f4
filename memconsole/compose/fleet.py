"""Makes the sources of a fleet out of the settings."""

from __future__ import annotations

import os
import socket
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memconsole.adapters.fleet.homes import LocalHome
from memconsole.adapters.fleet.ssh import SshHome
from memconsole.adapters.platform.home import find_home
from memconsole.compose.process import user_home
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.address import labels, parse
from memconsole.system.folders import require_state_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.engine.search.copied import CopySearch
    from memconsole.ports.fleet import FleetSource
    from memconsole.ports.platform import Clock

_SOCKETS = "ssh"


def local_homes(sources: Sequence[FleetSource]) -> tuple[str, ...]:
    """Return the paths of the homes of this host among them."""
    return tuple(one.home.path for one in sources if isinstance(one, LocalHome))


def build_several(
    settings: Settings,
    own: Engine,
    sources: Sequence[FleetSource],
    *,
    clock: Clock,
    engine_of: Callable[[Settings], Engine],
    is_meant: Callable[[str, tuple[str, ...]], bool],
) -> Engine:
    """Return what stands for an engine in a console over several homes, its own home first.

    Args:
        settings: Of this console.
        own: Its engine.
        sources: The homes that are meant.
        clock: Ours.
        engine_of: Builds the engine of another home of this host.
        is_meant: Whether a host that publishes in a server is shown, by its name and its labels.
    """
    from memconsole.engine.several.homes import SeveralHomes  # noqa: PLC0415 - most have one home
    from memconsole.engine.several.members import FarMember, LocalMember  # noqa: PLC0415 - likewise

    choice = str(find_home(settings.home, os.environ, user_home()).path)
    members: list[FarMember | LocalMember] = []
    for one, label in zip(sources, labels([one.home for one in sources]), strict=True):
        path = one.home.path
        if isinstance(one, LocalHome):
            is_own = path == choice
            engine = own if is_own else engine_of(replace(settings, home=Path(path)))
            members.append(LocalMember(label, HomeRef(path), engine, one.home))
        else:
            members.append(FarMember(label, one, clock))
    members.sort(key=lambda one: one.engine is not own)
    several = SeveralHomes(own, members, clock, settings.fleet.labels)
    if servers := servers_of(settings):
        from memconsole.compose.fleet_server import fleet_search, fleet_watch  # noqa: PLC0415 - loads psycopg

        for url in servers:
            copy = fleet_search(settings, url, clock)
            several.watch(fleet_watch(settings, url), is_meant, copy)
    return cast("Engine", several)


def split_copies(
    settings: Settings, sources: Sequence[FleetSource], clock: Clock
) -> tuple[dict[CopySearch, dict[HomeRef, str]], tuple[FleetSource, ...]]:
    """Return what searches the homes that were copied to one place as one, and the others."""
    if not any(one.startswith("postgres") for one in settings.fleet.sources):
        return {}, tuple(sources)
    from memconsole.compose.fleet_server import copy_searches  # noqa: PLC0415 - loads psycopg

    return copy_searches(settings, sources, clock)


def build_teller(
    settings: Settings,
    own: Engine,
    clock: Clock,
    is_meant: Callable[[str, tuple[str, ...]], bool],
    *,
    is_alone: bool,
) -> Callable[[Event], None] | None:
    """Return what tells monitoring of a fleet for as long as it runs; None where nobody asks.

    Args:
        settings: With `[fleet]` and `[metrics]`.
        own: The engine of this process.
        clock: Ours.
        is_meant: Whether a host is told of.
        is_alone: No scheduler of this call has port and file to itself; else the file is one beside
            theirs, and there is no port.
    """
    from memconsole.adapters.metrics import PrometheusMetrics  # noqa: PLC0415 - seldom

    file, servers = settings.metrics.textfile, servers_of(settings)
    if file is not None and not is_alone:
        file = file.with_name(f"{file.stem}-fleet{file.suffix}")
    sink = PrometheusMetrics(file, settings.metrics.port if is_alone else 0)
    if not servers or not sink.is_wanted:
        return None
    from memconsole.compose.fleet_server import fleet_watch  # noqa: PLC0415 - loads psycopg
    from memconsole.engine.several.homes import SeveralHomes  # noqa: PLC0415 - most have one home
    from memconsole.engine.several.metrics import tell  # noqa: PLC0415 - likewise

    several = SeveralHomes(own, (), clock, settings.fleet.labels)
    for url in servers:
        several.watch(fleet_watch(settings, url), is_meant)
    return partial(tell, several, sink, settings.metrics.interval)


def servers_of(settings: Settings) -> tuple[str, ...]:
    """Return the addresses of the servers in which homes of other hosts publish."""
    return tuple(one for one in settings.fleet.sources if one.startswith("postgres"))


def build_sources(
    settings: Settings, config: str | None, *, with_servers: bool = True
) -> tuple[FleetSource, ...]:
    """Return a source for each home that is named, in that order.

    Args:
        settings: With `[fleet]`.
        config: `--config`, when it was given.
        with_servers: Also the homes that publish in a server, which is asked for them now.

    Raises:
        StateError: The folder of kept connections cannot be made.
    """
    fleet, host = settings.fleet, socket.gethostname().partition(".")[0].lower()
    file = None if config is None else str(Path(config).absolute())
    servers = servers_of(settings)
    others = [one for one in fleet.sources if one not in servers]
    if any("://" in one for one in others):
        require_state_folder(settings.state_dir, _SOCKETS)
    addresses = [parse(one) for one in others if "://" in one]
    usual = Counter(one.host for one in addresses if not one.home)
    found: tuple[FleetSource, ...] = tuple(
        SshHome(
            parse(one),
            sockets=settings.state_dir / _SOCKETS,
            timeout=fleet.timeout,
            is_of_several=usual[parse(one).host] > 1,
        )
        if "://" in one
        else LocalHome(
            os.path.expanduser(one),  # noqa: PTH111 - keeps the path as it is written
            config=file,
            host=host,
            timeout=fleet.timeout,
        )
        for one in others
    )
    if servers and with_servers:
        from memconsole.compose.fleet_server import fleet_homes  # noqa: PLC0415 - loads psycopg

        found += tuple(home for one in servers for home in fleet_homes(settings, one))
    return found
