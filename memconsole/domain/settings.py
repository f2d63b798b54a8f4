"""Settings as a frozen value; `memconsole.config` loads it, defaults are the specification's."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RotationSettings:
    """`[rotation]` (mission §5)."""

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
    """`[checkpoint]` (mission §6)."""

    interval: timedelta = timedelta(minutes=20)
    stale_after: timedelta = timedelta(hours=4)
    min_bytes: int = 1024
    min_messages: int = 3
    tail_messages: int = 60
    dedup_window: timedelta = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """`[summary]` (mission §9).

    Attributes:
        tail_messages: Messages that a summary reads, from the end of its session.
        min_chars: Sessions with less text get none.
        max_per_tag: Observations of one kind in a summary.
    """

    tail_messages: int = 80
    min_chars: int = 50
    max_per_tag: int = 5


@dataclass(frozen=True, slots=True)
class ObserverSettings:
    """`[observer]` (mission §12).

    Attributes:
        lookback: Messages younger than this are looked at, and all behind the last run.
        morning_lookback: The same until seven o'clock in the morning.
        flush_lookback: The same before a talk is compacted or begins anew.
        recover_lookback: Time before the end of a talk that had ended.
        min_lines: Fewer new messages wait for more.
        max_items: Observations that one run adds.
        min_score: Less important ones are not written.
    """

    interval: timedelta = timedelta(minutes=15)
    lookback: timedelta = timedelta(minutes=15)
    morning_lookback: timedelta = timedelta(minutes=480)
    flush_lookback: timedelta = timedelta(hours=2)
    recover_lookback: timedelta = timedelta(hours=4)
    min_lines: int = 2
    max_items: int = 20
    min_score: float = 1.5


@dataclass(frozen=True, slots=True)
class ReflectorSettings:
    """`[reflector]` (mission §12, A19).

    Attributes:
        word_threshold: Words of `observations.md` above which it is consolidated; four thirds as
            many tokens do as well, for languages without blanks between words.
        min_interval: Time between two consolidations.
        similarity: Likeness from which two lines may say the same, 0 to 100.
        max_backups: Copies of the file that are kept.
    """

    word_threshold: int = 8_000
    min_interval: timedelta = timedelta(hours=6)
    similarity: int = 90
    max_backups: int = 10


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """`[freshness]` (mission §18).

    Attributes:
        precapture: How long before a reset of the platform a session is saved.
        assume: What the platform does when its configuration says nothing: `daily`, `none`, or
            `auto` by its release.
    """

    precapture: timedelta = timedelta(minutes=10)
    assume: str = "auto"


@dataclass(frozen=True, slots=True)
class FlushSettings:
    """`[flush]` (mission §13).

    Attributes:
        ratio: Share of the window at which the early stage begins.
        reserve_tokens_floor: Least that the platform is taken to keep free.
        soft_threshold_tokens: How long before its compaction the final stage begins.
    """

    interval: timedelta = timedelta(minutes=2)
    ratio: float = 0.70
    reserve_tokens_floor: int = 20_000
    soft_threshold_tokens: int = 4_000


@dataclass(frozen=True, slots=True)
class IndexMdSettings:
    """`[index_md]` (mission §8).

    Attributes:
        min_pool_bytes: Smaller memories get no INDEX.md.
        max_tokens: Over it rows fold.
        exclude: Folders below `memory/` that are left out.
        domain_prefixes: Beginnings of names that have a heading of their own.
        interval: How often the scheduler looks.
    """

    min_pool_bytes: int = 51_200
    max_tokens: int = 2_000
    exclude: tuple[str, ...] = ("archive", "observation-backups", "dreaming")
    domain_prefixes: tuple[str, ...] = ()
    interval: timedelta = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`[search]` (mission §15, A22).

    Attributes:
        provider: `static`, `openai-compatible` or `none`.
        model: Of a remote provider.
        base_url: Of a remote provider, without `/embeddings`.
        api_key_env: Variable that holds the key of a remote provider.
        dimensions: Asked of a remote provider; 0 leaves it to the model.
        sessions: Talks are indexed and searched as well.
        extra_paths: Markdown files and folders beside the workspace.
        half_life: Scores halve with each; zero is off, less than 180 days hides what is old.
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
    debounce: timedelta = timedelta(seconds=1.5)
    sync_mb: int = 32


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """`[agents.<id>]`: what one agent does differently."""

    rotation: RotationSettings
    checkpoint: CheckpointSettings
    search: SearchSettings = field(default_factory=SearchSettings)


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


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can set.

    Attributes:
        home: Explicit platform home; None means "find it" (mission §2).
        is_home_explicit: The home came from `--home`, our configuration or a state-dir variable.
        state_dir: Our own state folder.
        timezone: IANA name; None means the platform's, then the host's (A23).
        transport: How to reach the Gateway: `auto`, `ws`, `cli` or `none`.
        gateway_token: Shared token of the Gateway; a secret.
        gateway_timeout: How long one question to it may take.
        min_compaction_ms: Faster compactions are suspicious (mission §7).
        max_backups: Copies of the platform's configuration that are kept.
        uses_program: `config fix` asks the platform's own program first, where that is possible.
        agents: Per-agent overrides by lower-cased id.
        sources: Where each changed key came from, for `config show`.
    """

    state_dir: Path
    config_file: Path | None = None
    home: Path | None = None
    is_home_explicit: bool = False
    timezone: str | None = None
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
    reflector: ReflectorSettings = field(default_factory=ReflectorSettings)
    observer: ObserverSettings = field(default_factory=ObserverSettings)
    flush: FlushSettings = field(default_factory=FlushSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    index_md: IndexMdSettings = field(default_factory=IndexMdSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ui: UiSettings = field(default_factory=UiSettings)
    log: LogSettings = field(default_factory=LogSettings)
    agents: Mapping[str, AgentSettings] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def for_agent(self, agent_id: str) -> AgentSettings:
        """Return the settings of one agent, overrides applied."""
        usual = AgentSettings(self.rotation, self.checkpoint, self.search)
        return self.agents.get(agent_id) or usual
