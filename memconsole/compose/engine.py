"""Builds an engine over this host.

What every engine asks is imported here. What only some commands ask is put together by a module of
its own, which is imported when the engine asks for it.
"""

from __future__ import annotations

import functools
import gc
import os
from typing import TYPE_CHECKING

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.adapters.locks import FileLocks, SchedulerWatch
from memconsole.adapters.platform.config.json5_file import decode_json5
from memconsole.adapters.platform.config.read import find_config
from memconsole.adapters.platform.disk import DiskPlatform
from memconsole.adapters.platform.gateway_address import find_place
from memconsole.adapters.platform.home import find_home
from memconsole.adapters.platform.with_state import PlatformAndState
from memconsole.adapters.sessions.agent import AgentSessionStore
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.views import StateViews
from memconsole.adapters.transcripts.usage_memory import DiskUsages
from memconsole.adapters.workspace.folders import DiskFolders
from memconsole.adapters.workspace.pool import DiskMemory
from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.compose.alerts import alert_ports
from memconsole.compose.home import user_home
from memconsole.compose.process import build_clock
from memconsole.compose.sections import usable
from memconsole.domain.agents import Origin
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.memory.categories import with_own
from memconsole.domain.settings import fault_notices
from memconsole.engine.engine import Engine
from memconsole.ports.bundle import Ports

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.domain.agents import Notice
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.channels import ChannelSettings
    from memconsole.ports.bundle import HealthPorts, ModelPorts
    from memconsole.ports.platform import (
        Clock,
        Gateway,
        MemoryReader,
        Platform,
        SchedulerControl,
        SessionStore,
        UsageMemory,
    )
    from memconsole.ports.platform_files import ConfigFile, HookFolder
    from memconsole.ports.search import PlatformIndexPorts, SearchPorts


def build_engine(settings: Settings, origin: Origin, *, clock: Clock | None = None) -> Engine:
    """Put the engine together over this host; a clock that runs already is given."""
    gc.enable()  # off for short calls (`__main__`): who needs an engine may run for months
    clock, copies, locks = clock or build_clock(), PrivateCopies(), settings.state_dir / "locks"
    kept = StateViews(state := StateDatabase(settings.state_dir, copies))
    choice = find_home(settings.home, os.environ, user_home())
    ports = Ports(
        platform=_platform(settings, choice, clock, copies, state),
        sessions=_sessions(settings, copies, clock),
        memory=_memory(settings),
        workspace=DiskWorkspace(journal=kept.journal),
        locks=FileLocks(locks),
        runs=kept.runs,
        samples=kept.samples,
        events=kept.events,
        usages=_usages(settings),
        captures=kept.captures,
        summaries=kept.summaries,
        recovery=kept.recovery,
        observer=kept.observer,
        flushes=kept.flushes,
        edits=kept.edits,
        consolidation=kept.consolidation,
        reflections=kept.reflections,
        folders=DiskFolders(kept.journal),
        journal=kept.journal,
        scheduler=_scheduler(locks, kept),
        gateway=_gateway(settings, choice, origin, clock),
        rotations=kept.rotations,
        clock=clock,
        origin=origin,
        search=functools.cache(lambda: _search(settings, origin, clock)),
        platform_index=functools.cache(lambda: _platform_index(copies)),
        config_file=functools.cache(lambda: _config_file(settings, choice, clock)),
        health=functools.cache(lambda: _health(settings, state, copies)),
        alerts=functools.cache(lambda: alert_ports(settings, state)),
        llm=functools.cache(lambda: _model(settings, state)),
        hooks=functools.cache(lambda: _hooks(settings, choice, clock)),
    )
    return Engine(ports, settings)


def _platform(
    settings: Settings,
    choice: HomeChoice,
    clock: Clock,
    copies: PrivateCopies,
    state: StateDatabase,
) -> Platform:
    platform = DiskPlatform(choice, environ=os.environ, now=clock.now, copies=copies)

    def own_notices(user_timezone: str | None) -> tuple[Notice, ...]:
        zone = resolve_zone(settings.timezone, user_timezone, settings.unknown_zone)
        return (*fault_notices(settings), *_lacks_of_channels(settings), *zone.notices)

    return PlatformAndState(platform, state.problem, own_notices)


def _lacks_of_channels(settings: Settings) -> tuple[Notice, ...]:
    none: tuple[ChannelSettings, ...] = ()
    channels = usable(lambda: settings.alerts.channels, none)
    if not channels:
        return ()
    from memconsole.adapters.alerts.extra import notices  # noqa: PLC0415 - only where there are channels

    return tuple(notices(channels, settings.config_file))


def _memory(settings: Settings) -> MemoryReader:
    categories = with_own(usable(lambda: settings.index_md.categories, ()))
    return DiskMemory(categories, usable(lambda: settings.markers.extra, ()))


def _sessions(settings: Settings, copies: PrivateCopies, clock: Clock) -> SessionStore:
    def captures_groups(agent_id: str) -> bool:
        return usable(lambda: settings.for_agent(agent_id).capture.groups, False)

    return AgentSessionStore(copies, decode_json5, clock.now, captures_groups)


def _scheduler(locks: Path, kept: StateViews) -> SchedulerControl:
    return SchedulerWatch(locks, kept.jobs)


def _usages(settings: Settings) -> UsageMemory:
    return DiskUsages(settings.state_dir, is_read_only=settings.ui.read_only)


def _gateway(settings: Settings, choice: HomeChoice, origin: Origin, clock: Clock) -> Gateway:
    connector = Connector(
        settings.transport,
        choice.path,
        os.environ,
        DeviceFile(settings.state_dir / "gateway" / "device.key"),
        may_register=origin in (Origin.CONSOLE, Origin.SCHEDULER),
    )
    return GatewayClient(
        lambda: find_place(
            find_config(choice, os.environ),
            os.environ,
            url=settings.gateway_url,
            token=settings.gateway_token,
            state=choice.path,
        ),
        connector,
        now=clock.now,
        timeout_s=settings.gateway_timeout.total_seconds(),
    )


def _search(settings: Settings, origin: Origin, clock: Clock) -> SearchPorts:
    from memconsole.compose.indexes import search_ports  # noqa: PLC0415

    return search_ports(settings, origin, clock)


def _platform_index(copies: PrivateCopies) -> PlatformIndexPorts:
    from memconsole.compose.platform_index import platform_index_ports  # noqa: PLC0415

    return platform_index_ports(copies)


def _config_file(settings: Settings, choice: HomeChoice, clock: Clock) -> ConfigFile:
    from memconsole.compose.config_file import config_file  # noqa: PLC0415

    return config_file(settings, choice, clock)


def _hooks(settings: Settings, choice: HomeChoice, clock: Clock) -> HookFolder:
    from memconsole.compose.hooks import hook_folder  # noqa: PLC0415

    return hook_folder(settings, choice, clock)


def _health(settings: Settings, state: StateDatabase, copies: PrivateCopies) -> HealthPorts:
    from memconsole.compose.health import health_ports  # noqa: PLC0415

    return health_ports(settings, state, copies)


def _model(settings: Settings, state: StateDatabase) -> ModelPorts:
    from memconsole.compose.model import model_ports  # noqa: PLC0415

    return model_ports(settings, state)
