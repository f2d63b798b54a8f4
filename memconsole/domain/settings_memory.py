"""Settings of what captures, consolidates and looks after memory."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from memconsole.domain.categories import CategoryRule


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
class ConsolidateSettings:
    """`[consolidate]` (mission §20).

    Attributes:
        is_enabled: The nightly job writes its proposals; nothing else of it needs the switch.
        token_target: Tokens that `observations.md` shall not have more than.
        with_platform: Also while the platform consolidates by itself ("dreaming").
        search_log: Remember which daily notes searches find, those of the command line as well:
            what promotion is decided by.
    """

    is_enabled: bool = False
    token_target: int = 5_000
    with_platform: bool = False
    search_log: bool = False


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
        categories: Headings of the operator's own, in front of the usual ones.
        interval: How often the scheduler looks.
    """

    min_pool_bytes: int = 51_200
    max_tokens: int = 2_000
    exclude: tuple[str, ...] = ("archive", "observation-backups", "dreaming")
    domain_prefixes: tuple[str, ...] = ()
    categories: tuple[CategoryRule, ...] = ()
    interval: timedelta = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class RecoverySettings:
    """`[recovery]` (mission §14).

    Attributes:
        is_enabled: Talks that ended uncaptured are captured by the scheduler and at a session's
            start; `recover` by hand works all the same.
    """

    is_enabled: bool = True


@dataclass(frozen=True, slots=True)
class WatcherSettings:
    """`[watcher]` (mission §13).

    Attributes:
        is_enabled: Talks are watched while the scheduler runs.
        line_threshold: New lines from which an agent's talks are observed at once.
        cooldown: Time between two looks.
    """

    is_enabled: bool = True
    line_threshold: int = 40
    cooldown: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """`[capture]` (mission §3).

    Attributes:
        groups: What is said in groups and their threads goes into memory as well.
    """

    groups: bool = False


@dataclass(frozen=True, slots=True)
class MarkerSettings:
    """`[markers]` (mission §8).

    Attributes:
        extra: Tags beside the eight usual ones, in capitals.
    """

    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """`[bootstrap]`: what a starting session is given (mission §8).

    Attributes:
        max_chars: Characters of one file.
        total_chars: Of all files together.
        active_max_age: An older ACTIVE_CONTEXT.md says so on top.
        groups: Groups are given the index.
    """

    max_chars: int = 20_000
    total_chars: int = 60_000
    active_max_age: timedelta = timedelta(hours=24)
    groups: bool = False


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """`[llm]`: a language model that may help, off by default (mission §24).

    Attributes:
        provider: `none` or `openai-compatible`.
        base_url: Without `/chat/completions`.
        api_key_env: Variable that holds the key.
        model: Its name at the service.
        fallback_model: Asked when the first one fails.
        timeout: For one answer; a consolidation may take twice as long.
        daily_tokens: Tokens that may be used within a day.
    """

    provider: str = "none"
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    model: str = ""
    fallback_model: str = ""
    timeout: timedelta = timedelta(seconds=60)
    daily_tokens: int = 500_000


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """`[health]` (mission §10): from where on something is worth an alert.

    Attributes:
        interval: How often the scheduler looks.
        process_pattern: Regular expression of the Gateway's command line.
        disk_percent: How full a disk may be; at `disk_critical_percent` it is critical.
        transcripts_mb: Megabytes of all transcripts.
        memory_file_kb: Kilobytes of one memory file.
        cron_errors: Failed scheduled runs of the platform within an hour.
        alert_cooldown: Time until the same issue is told again.
        notify_recovery: Tell that an issue is over.
        quiet_hours: Such as `22:00-07:00`: only what is critical is told; "" for none.
    """

    interval: timedelta = timedelta(minutes=5)
    process_pattern: str = r"(?:openclaw|moltbot|clawdbot).*gateway"
    disk_percent: int = 90
    disk_critical_percent: int = 97
    transcripts_mb: int = 500
    memory_file_kb: int = 50
    cron_errors: int = 3
    alert_cooldown: timedelta = timedelta(minutes=30)
    notify_recovery: bool = True
    quiet_hours: str = ""
