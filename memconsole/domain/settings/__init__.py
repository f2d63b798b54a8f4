"""The settings as one frozen value; its sections: `sections.py`; `memconsole.config` loads them."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from memconsole.domain.agents import Notice
from memconsole.domain.settings.declare import (
    SETTING,
    Other,
    Setting,
    section,
    setting,
)
from memconsole.domain.settings.kinds import (
    SECOND,
    Choice,
    Kind,
    PathName,
    Span,
    Switch,
    Url,
    Whole,
    Zone,
)
from memconsole.domain.settings.sections import (
    AlertSettings,
    BootstrapSettings,
    CaptureSettings,
    CheckpointSettings,
    CleanupSettings,
    ConfigCheckSettings,
    ConsolidateSettings,
    FleetSettings,
    FlushSettings,
    FreshnessSettings,
    HealthSettings,
    IndexMdSettings,
    LlmSettings,
    LogRotationSettings,
    LogSettings,
    MarkerSettings,
    McpSettings,
    MetricsSettings,
    ObserverSettings,
    RecoverySettings,
    ReflectorSettings,
    RotationSettings,
    SearchSettings,
    SummarySettings,
    UiSettings,
    WatcherSettings,
)
from memconsole.errors import ConfigError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_T = TypeVar("_T")
_U = TypeVar("_U")


WRONG_SETTINGS = "settings-wrong"
"""Code of the notice about a section of our own configuration that cannot be used."""


_ENDS: Final = {
    "redact": "secrets are masked",
    "compaction": "its defaults hold",
    "bootstrap": "its defaults hold",
    "agents": "it changes nothing",
    "gateway": "the Gateway is not asked",
    "ui": "its other keys hold",
    "log": "its other keys hold",
    "config": "what needs this section does not run",
}
"""What a wrong section of `Settings.refused` means; one that is not here is none of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything an operator can set.

    Attributes:
        timezone: IANA name; None means the platform's, then the host's.
        unknown_zone: The value of `TZ`, when it names no time zone.
        agents: Settings of the agents that differ, whole, by lower-cased id.
        faults: What could not be used of our own configuration, a section each; who reads such a
            section gets the `ConfigError`.
        refused: Those of `faults` whose section is no part of its own, or that every command
            needs, by section: `require` raises them, and whoever does not need the section goes on
            with what is right of it, or with its defaults.
        sources: Where each changed key came from, for `config show`.
    """

    timezone: str | None = setting(
        None, Zone(), "Time zone of daily logs and times", example='"Europe/Berlin"'
    )
    home: Path | None = setting(
        None,
        PathName(),
        "State folder of the platform; found by itself when not set",
        name="platform.home",
        option="--home",
        example='"~/.openclaw"',
        others=(Other("MEMCONSOLE_HOME"),),
    )
    state_dir: Path = field(
        metadata={SETTING: Setting(PathName(), "Our own state: database, locks, logs", "state.dir")}
    )
    gateway_url: str | None = setting(
        None,
        Url("ws", "wss"),
        "Address of the Gateway; taken from the platform's configuration when not set",
        name="gateway.url",
        option="--gateway",
        example='"ws://127.0.0.1:18789"',
        others=(Other("MEMCONSOLE_GATEWAY"),),
    )
    transport: str = setting(
        "auto",
        Choice("auto", "ws", "cli", "none"),
        "How to reach the Gateway",
        name="gateway.transport",
        option="--transport",
        others=(Other("MEMCONSOLE_TRANSPORT"),),
    )
    gateway_token: str | None = setting(
        None,
        Kind(),
        "Token of the Gateway; better in MEMCONSOLE_GATEWAY__TOKEN than in a file",
        name="gateway.token",
        example='"…"',
        is_secret=True,
    )
    gateway_timeout: timedelta = setting(
        timedelta(seconds=10),
        Span(SECOND),
        "How long one question to the Gateway may take",
        name="gateway.timeout",
    )
    min_compaction_ms: int = setting(
        100,
        Whole(),
        "Compactions that took less time cannot have made a summary",
        name="compaction.min_duration_ms",
    )
    max_backups: int = setting(
        10,
        Whole(1, 1000),
        "Copies of the platform's configuration to keep from before a config fix",
        name="config.max_backups",
        others=(Other("CLAWDBOT_MAX_BACKUPS"),),
    )
    uses_program: bool = setting(
        False,
        Switch(),
        "Let the platform's own program set what config fix sets; it rewrites the whole file",
        name="config.use_program",
    )
    rotation: RotationSettings = section(RotationSettings, is_per_agent=True)
    checkpoint: CheckpointSettings = section(CheckpointSettings, is_per_agent=True)
    flush: FlushSettings = section(FlushSettings, is_per_agent=True)
    freshness: FreshnessSettings = section(FreshnessSettings, is_per_agent=True)
    observer: ObserverSettings = section(ObserverSettings, is_per_agent=True)
    summary: SummarySettings = section(SummarySettings, is_per_agent=True)
    recovery: RecoverySettings = section(RecoverySettings, is_per_agent=True)
    reflector: ReflectorSettings = section(ReflectorSettings, is_per_agent=True)
    consolidate: ConsolidateSettings = section(ConsolidateSettings, is_per_agent=True)
    index_md: IndexMdSettings = section(IndexMdSettings, is_per_agent=True)
    watcher: WatcherSettings = section(WatcherSettings, is_per_agent=True)
    bootstrap: BootstrapSettings = section(BootstrapSettings, is_per_agent=True)
    mcp: McpSettings = section(McpSettings, is_per_agent=True)
    capture: CaptureSettings = section(CaptureSettings, is_per_agent=True)
    markers: MarkerSettings = section(MarkerSettings)
    search: SearchSettings = section(SearchSettings, is_per_agent=True)
    health: HealthSettings = section(HealthSettings, is_per_agent=True)
    alerts: AlertSettings = section(AlertSettings)
    config_check: ConfigCheckSettings = section(ConfigCheckSettings)
    log_rotation: LogRotationSettings = section(LogRotationSettings)
    cleanup: CleanupSettings = section(CleanupSettings)
    metrics: MetricsSettings = section(MetricsSettings)
    fleet: FleetSettings = section(FleetSettings)
    llm: LlmSettings = section(LlmSettings)
    redact: bool = setting(
        True, Switch(), "Mask secrets in all we write and show", name="redact.enabled"
    )
    ui: UiSettings = section(UiSettings)
    log: LogSettings = section(LogSettings)
    config_file: Path | None = None
    unknown_zone: str = ""
    agents: Mapping[str, Settings] = field(default_factory=dict)
    faults: tuple[ConfigError, ...] = field(default=(), compare=False)
    refused: Mapping[str, ConfigError] = field(default_factory=dict, compare=False)
    sources: Mapping[str, str] = field(default_factory=dict)

    def for_agent(self, agent_id: str) -> Settings:
        """Return the settings of one agent, overrides applied."""
        return self.agents.get(agent_id, self)

    def any_agent(self, wants: Callable[[Settings], bool]) -> bool:
        """Whether something is switched on for all agents, or for one that differs."""
        return wants(self) or any(wants(one) for one in self.agents.values())

    def is_on(self, wants: Callable[[Settings], bool]) -> bool:
        """As `any_agent`; in a section that is wrong nothing is on."""
        return usable(lambda: self.any_agent(wants), otherwise=False)

    def require(self, section: str) -> None:
        """Refuse to go on where a section that has no part of its own cannot be used.

        Raises:
            ConfigError: What is wrong with it.
        """
        if (fault := self.refused.get(section)) is not None:
            raise ConfigError(str(fault), hint=fault.hint)


def usable(part: Callable[[], _T], otherwise: _U) -> _T | _U:
    """Return a part of the settings; of a section that is wrong, something else.

    Whoever does the work of that section reads it himself, and is told then.
    """
    try:
        return part()
    except ConfigError:
        return otherwise


def fault_notices(settings: Settings) -> Iterator[Notice]:
    """Yield what is wrong with our own configuration; commands that need it refuse to run."""
    path = None if settings.config_file is None else str(settings.config_file)
    for fault in settings.faults:
        section = next((one for one, why in settings.refused.items() if why is fault), "config")
        end = _ENDS.get(section, "it changes nothing")
        if section == "ui" and settings.ui.read_only:
            end += ", and every action is refused"
        yield Notice(WRONG_SETTINGS, f"{fault}; {end}", path)
