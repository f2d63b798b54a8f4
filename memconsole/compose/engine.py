"""The only place that knows concrete classes: builds everything once, then hands over an engine.

Every import is inside the function that needs it, so that a command loads what it uses and no more.
"""

from __future__ import annotations

import functools
import gc
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.adapters.state.views import StateViews
    from memconsole.domain.agents import Home, Notice, Origin
    from memconsole.domain.calendar import Zone
    from memconsole.domain.search.recall import Recall
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.channels import ChannelSettings
    from memconsole.engine.engine import Engine
    from memconsole.ports.bundle import AlertPorts, HealthPorts, ModelPorts
    from memconsole.ports.platform import (
        ChangeFeed,
        Clock,
        Gateway,
        MemoryReader,
        Platform,
        SchedulerControl,
        SessionStore,
        StopSignal,
        UsageMemory,
    )
    from memconsole.ports.platform_files import ConfigFile, HookFolder

_T = TypeVar("_T")


def load_settings(file: str | None, flags: Mapping[str, str]) -> Settings:
    """Put configuration file, environment and options together.

    Args:
        file: `--config`; None means the usual place, where it may be absent.
        flags: Configuration keys with the text that an option gave them.

    Raises:
        ConfigError: One of them cannot be used.
    """
    from memconsole.config.load import load  # noqa: PLC0415

    return load(os.environ, file=None if file is None else Path(file), options=flags)


def build_clock() -> Clock:
    """Return the clock of this process.

    Raises:
        ConfigError: `MEMCONSOLE_NOW` is no moment.
    """
    from memconsole.adapters.clock import SystemClock  # noqa: PLC0415

    return SystemClock(os.environ.get("MEMCONSOLE_NOW"))


def build_engine(settings: Settings, origin: Origin, *, clock: Clock | None = None) -> Engine:
    """Put the engine together over this host; a clock that runs already is given."""
    gc.enable()  # off for short calls (`__main__`): who needs an engine may run for months
    from memconsole.adapters.locks import FileLocks  # noqa: PLC0415
    from memconsole.adapters.platform.home import find_home  # noqa: PLC0415
    from memconsole.adapters.sqlite.private_copy import PrivateCopies  # noqa: PLC0415
    from memconsole.adapters.state.database import StateDatabase  # noqa: PLC0415
    from memconsole.adapters.state.views import StateViews  # noqa: PLC0415
    from memconsole.adapters.workspace.folders import DiskFolders  # noqa: PLC0415
    from memconsole.adapters.workspace.writer import DiskWorkspace  # noqa: PLC0415
    from memconsole.compose import search  # noqa: PLC0415
    from memconsole.engine.engine import Engine  # noqa: PLC0415
    from memconsole.ports.bundle import Ports  # noqa: PLC0415

    clock, copies, locks = clock or build_clock(), PrivateCopies(), settings.state_dir / "locks"
    kept = StateViews(state := StateDatabase(settings.state_dir, copies))
    choice = find_home(settings.home, os.environ, search.user_home())
    ports = Ports(
        platform=_platform(settings, choice, clock, copies, state),
        sessions=_sessions(settings, copies, clock),
        memory=_memory(settings),
        workspace=DiskWorkspace(journal=kept.journal),
        locks=FileLocks(locks),
        runs=kept.runs,
        samples=kept.samples,
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
        search=functools.cache(lambda: search.search_ports(settings, origin, clock)),
        platform_index=functools.cache(lambda: search.platform_index_ports(copies)),
        config_file=functools.cache(lambda: _config_file(settings, choice, clock)),
        health=functools.cache(lambda: _health(settings, state, copies)),
        alerts=functools.cache(lambda: _alerts(settings, state)),
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
    from memconsole.adapters.platform.disk import DiskPlatform  # noqa: PLC0415
    from memconsole.adapters.platform.with_state import PlatformAndState  # noqa: PLC0415
    from memconsole.domain.calendar import resolve_zone  # noqa: PLC0415
    from memconsole.domain.settings import fault_notices  # noqa: PLC0415

    platform = DiskPlatform(choice, environ=os.environ, now=clock.now, copies=copies)

    def own_notices(user_timezone: str | None) -> tuple[Notice, ...]:
        zone = resolve_zone(settings.timezone, user_timezone, settings.unknown_zone)
        return (*fault_notices(settings), *_lacks_of_channels(settings), *zone.notices)

    return PlatformAndState(platform, state.problem, own_notices)


def _lacks_of_channels(settings: Settings) -> tuple[Notice, ...]:
    none: tuple[ChannelSettings, ...] = ()
    channels = _usable(lambda: settings.alerts.channels, none)
    if not channels:
        return ()
    from memconsole.adapters.alerts.extra import notices  # noqa: PLC0415 - only where there are channels

    return tuple(notices(channels, settings.config_file))


def _memory(settings: Settings) -> MemoryReader:
    from memconsole.adapters.workspace.pool import DiskMemory  # noqa: PLC0415
    from memconsole.domain.memory.categories import with_own  # noqa: PLC0415

    categories = with_own(_usable(lambda: settings.index_md.categories, ()))
    return DiskMemory(categories, _usable(lambda: settings.markers.extra, ()))


def _sessions(settings: Settings, copies: PrivateCopies, clock: Clock) -> SessionStore:
    from memconsole.adapters.platform.config.json5_file import decode_json5  # noqa: PLC0415
    from memconsole.adapters.sessions.agent import AgentSessionStore  # noqa: PLC0415

    def captures_groups(agent_id: str) -> bool:
        return _usable(lambda: settings.for_agent(agent_id).capture.groups, False)

    return AgentSessionStore(copies, decode_json5, clock.now, captures_groups)


def _scheduler(locks: Path, kept: StateViews) -> SchedulerControl:
    from memconsole.adapters.locks import SchedulerWatch  # noqa: PLC0415

    return SchedulerWatch(locks, kept.jobs)


def _usages(settings: Settings) -> UsageMemory:
    from memconsole.adapters.transcripts.usage_memory import DiskUsages  # noqa: PLC0415

    return DiskUsages(settings.state_dir, is_read_only=settings.ui.read_only)


def _config_file(settings: Settings, choice: HomeChoice, clock: Clock) -> ConfigFile:
    from memconsole.adapters.platform.config.write import DiskConfigFile  # noqa: PLC0415  # rarely asked

    backups, most = settings.state_dir / "backups", settings.max_backups
    return DiskConfigFile(choice, os.environ, backups, now=clock.now, max_backups=most)


def _hooks(settings: Settings, choice: HomeChoice, clock: Clock) -> HookFolder:
    from memconsole.adapters.platform.hook_calls import HookCalls  # noqa: PLC0415
    from memconsole.adapters.platform.hooks import DiskHooks  # noqa: PLC0415
    from memconsole.adapters.platform.hooks_program import listed_hooks  # noqa: PLC0415
    from memconsole.errors import MemconsoleError  # noqa: PLC0415

    file = _config_file(settings, choice, clock)

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

    return DiskHooks(choice.path, config, program, calls=calls, listed=listed)


def note_hook_call(settings: Settings, clock: Clock) -> bool:
    """Remember that the platform's handler of a hook of ours made this call; False when none did.

    It is the proof that the platform runs that hook. Nothing is written for a call that may not.
    """
    from memconsole.config.keys import HOOK_VARIABLE  # noqa: PLC0415

    name = os.environ.get(HOOK_VARIABLE)
    if not name:
        return False
    from memconsole.adapters.platform.home import find_home  # noqa: PLC0415
    from memconsole.adapters.platform.hook_calls import HookCalls  # noqa: PLC0415
    from memconsole.compose.search import user_home  # noqa: PLC0415

    if not settings.ui.read_only:
        home = find_home(settings.home, os.environ, user_home()).path
        HookCalls(settings.state_dir, home).note(name, clock.now())
    return True


def _gateway(settings: Settings, choice: HomeChoice, origin: Origin, clock: Clock) -> Gateway:
    from memconsole.adapters.gateway.client import GatewayClient  # noqa: PLC0415
    from memconsole.adapters.gateway.connector import Connector  # noqa: PLC0415
    from memconsole.adapters.gateway.identity import DeviceFile  # noqa: PLC0415
    from memconsole.adapters.platform.config.read import find_config  # noqa: PLC0415
    from memconsole.adapters.platform.gateway_address import find_place  # noqa: PLC0415
    from memconsole.domain.agents import Origin  # noqa: PLC0415

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


def _health(settings: Settings, state: StateDatabase, copies: PrivateCopies) -> HealthPorts:
    from memconsole.adapters.host.log_files import DiskLogFiles  # noqa: PLC0415
    from memconsole.adapters.host.probe import Host  # noqa: PLC0415
    from memconsole.adapters.locks import HeldLocks  # noqa: PLC0415
    from memconsole.adapters.metrics import PrometheusMetrics  # noqa: PLC0415
    from memconsole.adapters.platform.cron_runs import PlatformCron  # noqa: PLC0415
    from memconsole.adapters.platform.home import home_of_process  # noqa: PLC0415
    from memconsole.adapters.sessions.files.archives import DiskOldTranscripts  # noqa: PLC0415
    from memconsole.adapters.state.jobs import StateJobs  # noqa: PLC0415
    from memconsole.ports.bundle import HealthPorts  # noqa: PLC0415

    locks = settings.state_dir / "locks"
    logs = DiskLogFiles(
        settings.state_dir,
        own=(settings.log.file,) if settings.log.file else (),
        patterns=_usable(lambda: settings.log_rotation.paths, ()),
    )
    metrics = PrometheusMetrics(
        _usable(lambda: settings.metrics.textfile, None), _usable(lambda: settings.metrics.port, 0)
    )
    cron, jobs = PlatformCron(copies), StateJobs(state)
    host = Host(home_of_process)
    return HealthPorts(host, HeldLocks(locks), cron, jobs, logs, metrics, DiskOldTranscripts())


def _usable(part: Callable[[], _T], otherwise: _T) -> _T:
    """Return a part of the settings; of a section that is wrong, something else.

    Whoever does the work of that section reads it himself, and is told then.
    """
    from memconsole.errors import ConfigError  # noqa: PLC0415

    try:
        return part()
    except ConfigError:
        return otherwise


def _alerts(settings: Settings, state: StateDatabase) -> AlertPorts:
    from memconsole.compose.alerts import alert_ports  # noqa: PLC0415

    return alert_ports(settings, state)


def _model(settings: Settings, state: StateDatabase) -> ModelPorts:
    from memconsole.adapters.model import RemoteModel  # noqa: PLC0415
    from memconsole.adapters.state.models import StateModels  # noqa: PLC0415
    from memconsole.ports.bundle import ModelPorts  # noqa: PLC0415

    rules = settings.llm
    key = os.environ.get(rules.api_key_env) or None
    model = RemoteModel(rules.base_url, (rules.model, rules.fallback_model), key=key)
    return ModelPorts(model, StateModels(state))


def measure_recall(settings: Settings, folder: Path, clock: Clock) -> Recall:
    """Measure search on a labelled set, as the command line would search it.

    A home of links to the set and a state of its own are made and removed again; the set is only
    read.

    Args:
        settings: Provider, weights and sizes; home and state are replaced.
        folder: With `queries.jsonl` and one workspace an agent.
        clock: The clock of the process.

    Raises:
        UsageError: It is no labelled set.
    """
    import json  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    from memconsole.domain.agents import Origin  # noqa: PLC0415
    from memconsole.engine.measure_recall import measure, read_questions  # noqa: PLC0415

    asked = read_questions(folder)
    with tempfile.TemporaryDirectory(prefix="memconsole-recall-") as place:
        home = Path(place) / ".openclaw"
        home.mkdir()
        names = sorted({question.agent for question in asked})
        roster = [{"id": name, "workspace": str((folder / name).resolve())} for name in names]
        (home / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}), "utf-8")
        own = replace(
            settings, home=home, is_home_explicit=True, state_dir=Path(place) / "state", agents={}
        )
        return measure(build_engine(own, Origin.CLI, clock=clock), asked, clock)


def require_home(settings: Settings) -> None:
    """Look for the platform home without reading it: no console is opened over nothing.

    Raises:
        HomeNotFoundError: It does not exist.
    """
    from memconsole.adapters.platform.home import find_home  # noqa: PLC0415
    from memconsole.compose.search import user_home  # noqa: PLC0415
    from memconsole.errors import HomeNotFoundError  # noqa: PLC0415

    path = find_home(settings.home, os.environ, user_home()).path
    if not os.path.lexists(path):
        raise HomeNotFoundError(str(path))


def build_feed(engine: Engine) -> ChangeFeed:
    """Return the source of changes for a long-running face: file events, and the Gateway's news."""
    from memconsole.adapters.changes.feed import (  # noqa: PLC0415
        FileChangeFeed,
        NewsFeed,
        SeveralFeeds,
    )

    def news(stop: StopSignal) -> Iterator[None]:
        """Ask the engine only when somebody listens: it may still have to be built."""
        return engine.gateway_news(stop)

    return SeveralFeeds(FileChangeFeed(), NewsFeed(news))


def zone(settings: Settings, home: Home | None) -> Zone:
    """Return the operator's time zone: ours, else the platform's; None for the host's."""
    from memconsole.domain.calendar import resolve_zone  # noqa: PLC0415

    platform = None if home is None else home.config.user_timezone
    return resolve_zone(settings.timezone, platform).zone
