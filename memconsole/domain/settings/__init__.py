"""Settings as a frozen value with their defaults; `memconsole.config` loads it."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.settings.sections import (
    AlertSettings,
    BootstrapSettings,
    CaptureSettings,
    CleanupSettings,
    ConfigCheckSettings,
    ConsolidateSettings,
    FlushSettings,
    FreshnessSettings,
    HealthSettings,
    IndexMdSettings,
    LlmSettings,
    LogRotationSettings,
    MarkerSettings,
    MetricsSettings,
    ObserverSettings,
    RecoverySettings,
    ReflectorSettings,
    SummarySettings,
    WatcherSettings,
)
from memconsole.errors import ConfigError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RotationSettings:
    """`[rotation]`."""

    threshold_tokens: int = 150_000
    window_ratio: float = 0.75
    overhead_tokens: int = 20_000
    skip_patterns: tuple[str, ...] = ()
    max_per_run: int = 5
    require_capture: bool = True
    force_active: bool = False
    min_interval: timedelta = timedelta(minutes=10)
    interval: timedelta = timedelta(minutes=30)
    keys: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """`[checkpoint]`."""

    interval: timedelta = timedelta(minutes=20)
    stale_after: timedelta = timedelta(hours=4)
    min_bytes: int = 1024
    min_messages: int = 3
    tail_messages: int = 60
    dedup_window: timedelta = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`[search]`.

    Attributes:
        provider: `static`, `openai-compatible` or `none`.
        model: Of a remote provider.
        base_url: Of a remote provider, without `/embeddings`.
        api_key_env: Variable that holds the key of a remote provider.
        dimensions: Asked of a remote provider; 0 leaves it to the model.
        sessions: Talks are indexed and searched as well.
        extra_paths: Markdown files and folders beside the workspace.
        half_life: Scores halve with each; zero is off, less than 180 days hides what is old.
        mmr: Weight of the score against likeness to better results; 1 is off.
        sync: The scheduler keeps indexes up to date; else the next search does.
        debounce: Quiet time after a change before it is indexed.
        sync_mb: A search reads at most so many megabytes of changes before it answers.
    """

    provider: str = "static"
    model: str = "text-embedding-3-small"
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    dimensions: int = 0
    sessions: bool = False
    extra_paths: tuple[str, ...] = ()
    max_results: int = 6
    min_score: float = 0.35
    vector_weight: float = 0.7
    text_weight: float = 0.3
    chunk_tokens: int = 400
    chunk_overlap: int = 80
    half_life: timedelta = timedelta()
    mmr: float = 1.0
    sync: bool = True
    debounce: timedelta = timedelta(seconds=1.5)
    sync_mb: int = 32


@dataclass(frozen=True, slots=True)
class UiSettings:
    """`[ui]`: how console and command line draw.

    Attributes:
        color: `auto`, `always` or `never`, for plain commands.
        json: Machine output even without `--json`.
    """

    theme: str = ""
    mono: bool = False
    ascii: bool = False
    mouse: bool = True
    interval: timedelta = timedelta(seconds=2)
    read_only: bool = False
    color: str = "auto"
    json: bool = False


@dataclass(frozen=True, slots=True)
class LogSettings:
    """`[log]`: where our own log lines go; never to standard output.

    Attributes:
        level: `warning`, `info` or `debug`.
        file: Besides standard error; None means nowhere else.
    """

    level: str = "warning"
    file: Path | None = None


WRONG_SETTINGS = "settings-wrong"
"""Code of the notice about a section of our own configuration that cannot be used."""


_ENDS: Final = {
    "redact": "secrets are masked",
    "compaction": "its defaults hold",
    "agents": "it changes nothing",
    "gateway": "the Gateway is not asked",
    "ui": "its other keys hold",
    "log": "its other keys hold",
    "config": "what needs this section does not run",
}
"""What a wrong section of `Settings.refused` means; one that is not here is none of ours."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can set.

    Attributes:
        home: Explicit platform home; None means "find it".
        is_home_explicit: The home came from `--home`, our configuration or a state-dir variable.
        state_dir: Our own state folder.
        timezone: IANA name; None means the platform's, then the host's.
        unknown_zone: The value of `TZ`, when it names no time zone.
        transport: How to reach the Gateway: `auto`, `ws`, `cli` or `none`.
        gateway_token: Shared token of the Gateway; a secret.
        gateway_timeout: How long one question to it may take.
        min_compaction_ms: Faster compactions are suspicious.
        max_backups: Copies of the platform's configuration that are kept.
        uses_program: `config fix` asks the platform's own program first, where that is possible.
        agents: Settings of the agents that differ, whole, by lower-cased id.
        faults: What could not be used of our own configuration, a section each; who reads such a
            section gets the `ConfigError`.
        refused: Those of `faults` whose section is no part of its own, or that every command
            needs, by section: `require` raises them, and whoever does not need the section goes on
            with what is right of it, or with its defaults.
        sources: Where each changed key came from, for `config show`.
    """

    state_dir: Path
    config_file: Path | None = None
    home: Path | None = None
    is_home_explicit: bool = False
    timezone: str | None = None
    unknown_zone: str = ""
    transport: str = "auto"
    gateway_url: str | None = None
    gateway_token: str | None = field(default=None, repr=False)
    gateway_timeout: timedelta = timedelta(seconds=10)
    min_compaction_ms: int = 100
    max_backups: int = 10
    uses_program: bool = False
    redact: bool = True
    rotation: RotationSettings = field(default_factory=RotationSettings)
    checkpoint: CheckpointSettings = field(default_factory=CheckpointSettings)
    summary: SummarySettings = field(default_factory=SummarySettings)
    recovery: RecoverySettings = field(default_factory=RecoverySettings)
    reflector: ReflectorSettings = field(default_factory=ReflectorSettings)
    consolidate: ConsolidateSettings = field(default_factory=ConsolidateSettings)
    observer: ObserverSettings = field(default_factory=ObserverSettings)
    flush: FlushSettings = field(default_factory=FlushSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    index_md: IndexMdSettings = field(default_factory=IndexMdSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    markers: MarkerSettings = field(default_factory=MarkerSettings)
    health: HealthSettings = field(default_factory=HealthSettings)
    alerts: AlertSettings = field(default_factory=AlertSettings)
    config_check: ConfigCheckSettings = field(default_factory=ConfigCheckSettings)
    log_rotation: LogRotationSettings = field(default_factory=LogRotationSettings)
    cleanup: CleanupSettings = field(default_factory=CleanupSettings)
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    watcher: WatcherSettings = field(default_factory=WatcherSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    bootstrap: BootstrapSettings = field(default_factory=BootstrapSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ui: UiSettings = field(default_factory=UiSettings)
    log: LogSettings = field(default_factory=LogSettings)
    agents: Mapping[str, Settings] = field(default_factory=dict)
    faults: tuple[ConfigError, ...] = field(default=(), compare=False)
    refused: Mapping[str, ConfigError] = field(default_factory=dict, compare=False)
    sources: Mapping[str, str] = field(default_factory=dict)

    def for_agent(self, agent_id: str) -> Settings:
        """Return the settings of one agent, overrides applied."""
        return self.agents.get(agent_id, self)

    def require(self, section: str) -> None:
        """Refuse to go on where a section that has no part of its own cannot be used.

        Raises:
            ConfigError: What is wrong with it.
        """
        if (fault := self.refused.get(section)) is not None:
            raise ConfigError(str(fault), hint=fault.hint)


def fault_notices(settings: Settings) -> Iterator[Notice]:
    """Yield what is wrong with our own configuration; commands that need it refuse to run."""
    path = None if settings.config_file is None else str(settings.config_file)
    for fault in settings.faults:
        section = next((one for one, why in settings.refused.items() if why is fault), "config")
        end = _ENDS.get(section, "it changes nothing")
        if section == "ui" and settings.ui.read_only:
            end += ", and every action is refused"
        yield Notice(WRONG_SETTINGS, f"{fault}; {end}", path)
