"""Builds an engine over this host.

What every engine asks is imported at the top; what only some commands ask, when it is asked for.
"""

from __future__ import annotations

import functools
import gc
import os
from typing import TYPE_CHECKING

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.adapters.locks import FileLocks, HeldLocks, SchedulerWatch
from memconsole.adapters.platform.config.json5_file import decode_json5
from memconsole.adapters.platform.config.read import find_config
from memconsole.adapters.platform.disk import DiskPlatform, PlatformAndState
from memconsole.adapters.platform.gateway_address import find_place
from memconsole.adapters.platform.home import find_home, home_of_process
from memconsole.adapters.sessions.agent import AgentSessionStore
from memconsole.adapters.sessions.reading_memory import DiskReadings
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.alerts import StateAlerts
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateModels
from memconsole.adapters.state.views import StateViews
from memconsole.adapters.workspace.folders import DiskFolders
from memconsole.adapters.workspace.pool import DiskMemory
from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.compose.process import build_clock, home_mark, user_home
from memconsole.domain.agents import Origin
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.memory.categories import with_own
from memconsole.domain.settings import fault_notices, usable
from memconsole.engine.engine import Engine
from memconsole.errors import ConfigError, MemconsoleError
from memconsole.ports.bundle import AlertPorts, HealthPorts, ModelPorts, Ports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.domain.agents import Notice
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.channels import ChannelSettings
    from memconsole.ports.alerts import AlertChannel
    from memconsole.ports.platform import (
        Clock,
        Gateway,
        MemoryReader,
        Platform,
        ReadingMemory,
        SessionStore,
    )
    from memconsole.ports.platform_files import ConfigFile, HookFolder
    from memconsole.ports.search import PlatformIndexPorts, SearchPorts


def build_engine(settings: Settings, origin: Origin, *, clock: Clock | None = None) -> Engine:
    """Put the engine together over this host; a clock that runs already is given."""
    _collect_rubbish()
    clock, copies, locks = clock or build_clock(), PrivateCopies(), settings.state_dir / "locks"
    kept = StateViews(
        state := StateDatabase(settings.state_dir, copies), mark := home_mark(settings)
    )
    choice = find_home(settings.home, os.environ, user_home())
    config_file = functools.cache(lambda: _config_file(settings, choice, clock))
    ports = Ports(
        platform=_platform(settings, choice, clock, copies, state),
        sessions=_sessions(settings, copies, clock),
        memory=_memory(settings),
        workspace=DiskWorkspace(journal=kept.journal),
        locks=FileLocks(locks),
        runs=kept.runs,
        samples=kept.samples,
        events=kept.events,
        read_before=_readings(settings),
        captures=kept.captures,
        summaries=kept.summaries,
        handovers=kept.handovers,
        taken=kept.taken,
        recovery=kept.recovery,
        observer=kept.observer,
        flushes=kept.flushes,
        edits=kept.edits,
        consolidation=kept.consolidation,
        reflections=kept.reflections,
        folders=DiskFolders(kept.journal),
        journal=kept.journal,
        scheduler=SchedulerWatch(settings.state_dir / f"locks{mark and '-'}{mark}", kept.jobs),
        gateway=_gateway(settings, choice, origin, clock),
        rotations=kept.rotations,
        branches=kept.branches,
        clock=clock,
        origin=origin,
        search=functools.cache(lambda: _search(settings, origin, clock)),
        platform_index=functools.cache(lambda: _platform_index(copies)),
        config_file=config_file,
        health=functools.cache(lambda: _health(settings, kept, copies)),
        alerts=functools.cache(lambda: _alerts(settings, state)),
        llm=functools.cache(lambda: _model(settings, state)),
        hooks=functools.cache(lambda: _hooks(settings, choice, config_file())),
    )
    return Engine(ports, settings)


def _collect_rubbish() -> None:
    """Short calls do without (`__main__`); who needs an engine may run for months.

    What was loaded until now stays, so it is never looked through: the first time would come at
    once, and take a tenth of the time to the first figures.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


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


def _readings(settings: Settings) -> ReadingMemory:
    return DiskReadings(settings.state_dir, is_read_only=settings.ui.read_only)


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
    from memconsole.compose.search import search_ports  # noqa: PLC0415

    return search_ports(settings, origin, clock)


def _platform_index(copies: PrivateCopies) -> PlatformIndexPorts:
    from memconsole.compose.search import platform_index_ports  # noqa: PLC0415

    return platform_index_ports(copies)


def _config_file(settings: Settings, choice: HomeChoice, clock: Clock) -> ConfigFile:
    from memconsole.adapters.platform.config.write import DiskConfigFile  # noqa: PLC0415

    backups, most = settings.state_dir / "backups", settings.max_backups
    return DiskConfigFile(choice, os.environ, backups, now=clock.now, max_backups=most)


def _hooks(settings: Settings, choice: HomeChoice, file: ConfigFile) -> HookFolder:
    from memconsole.adapters.platform.hooks import (  # noqa: PLC0415
        DiskHooks,
        HookCalls,
        listed_hooks,
        probed_server,
    )

    def config() -> Mapping[str, object] | None:
        try:
            found = file.read()
            return None if found is None else file.decode(found.text)
        except MemconsoleError:
            return None

    names = ("clawdbot", "moltbot")
    program = next((name for name in names if name in choice.path.name), "openclaw")
    calls = HookCalls(settings.state_dir, choice.path)

    def listed() -> Mapping[str, str] | None:
        return listed_hooks(program, choice.path, os.environ)

    def probed(name: str) -> str | None:
        return probed_server(program, choice.path, os.environ, name)

    return DiskHooks(choice.path, config, program, calls=calls, listed=listed, probed=probed)


def _health(settings: Settings, kept: StateViews, copies: PrivateCopies) -> HealthPorts:
    from memconsole.adapters.host.log_files import DiskLogFiles  # noqa: PLC0415
    from memconsole.adapters.host.probe import Host  # noqa: PLC0415
    from memconsole.adapters.metrics import PrometheusMetrics  # noqa: PLC0415
    from memconsole.adapters.platform.cron_runs import PlatformCron  # noqa: PLC0415
    from memconsole.adapters.sessions.files.archives import DiskOldTranscripts  # noqa: PLC0415

    own = (settings.log.file,) if settings.log.file else ()
    logs = DiskLogFiles(
        settings.state_dir,
        own=own,
        patterns=usable(lambda: settings.log_rotation.paths, ()),
    )
    metrics = PrometheusMetrics(
        usable(lambda: settings.metrics.textfile, None), usable(lambda: settings.metrics.port, 0)
    )
    locks = HeldLocks(settings.state_dir / "locks")
    cron = PlatformCron(copies)
    secrets = JsonStatusFile(settings.state_dir / "health" / "secrets.json")
    old = DiskOldTranscripts(settings.state_dir, logs=own)
    fleet = JsonStatusFile(settings.state_dir / "fleet" / "standing.json")
    host = Host(home_of_process)
    return HealthPorts(host, locks, cron, kept.jobs, logs, metrics, old, secrets, fleet)


def _alerts(settings: Settings, state: StateDatabase) -> AlertPorts:
    return AlertPorts(
        StateAlerts(state),
        lambda: _channels(settings),
        JsonStatusFile(settings.state_dir / "health" / "last_status.json"),
        os.uname().nodename,
    )


def _channels(settings: Settings) -> tuple[AlertChannel, ...]:
    from memconsole.adapters.alerts import channels  # noqa: PLC0415 - only who tells

    log = channels.log_channel(settings.state_dir)
    try:
        return (log, *channels.build_channels(settings.alerts, os.environ))
    except ConfigError as error:
        return (log, channels.RefusedChannels(error))


def _model(settings: Settings, state: StateDatabase) -> ModelPorts:
    from memconsole.adapters.model import RemoteModel  # noqa: PLC0415

    rules = settings.llm
    key = os.environ.get(rules.api_key_env) or None
    model = RemoteModel(rules.base_url, (rules.model, rules.fallback_model), key=key)
    return ModelPorts(model, StateModels(state))
