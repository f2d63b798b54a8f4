"""Settings section by section, as frozen values with their defaults."""

from __future__ import annotations

from dataclasses import field
from datetime import time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """`[summary]`.

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
    """`[observer]`.

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
    """`[reflector]`.

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
    """`[consolidate]`.

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
    """`[freshness]`.

    Attributes:
        precapture: How long before a reset of the platform a session is saved.
        assume: What the platform does when its configuration says nothing: `daily`, `none`, or
            `auto` by its release.
    """

    precapture: timedelta = timedelta(minutes=10)
    assume: str = "auto"


@dataclass(frozen=True, slots=True)
class FlushSettings:
    """`[flush]`.

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
class CategoryRule:
    """One row of the table.

    Attributes:
        name: Heading in words.
        emoji: What stands before the name in INDEX.md.
        patterns: Shell patterns for the file name; letter case does not matter.
    """

    name: str
    emoji: str
    patterns: tuple[str, ...]

    def __str__(self) -> str:
        """Return what `config show` says of it."""
        return f"{self.name}: {', '.join(self.patterns)}"


@dataclass(frozen=True, slots=True)
class IndexMdSettings:
    """`[index_md]`.

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
    """`[recovery]`.

    Attributes:
        is_enabled: Talks that ended uncaptured are captured by the scheduler and at a session's
            start; `recover` by hand works all the same.
    """

    is_enabled: bool = True


@dataclass(frozen=True, slots=True)
class WatcherSettings:
    """`[watcher]`.

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
    """`[capture]`.

    Attributes:
        groups: What is said in groups and their threads goes into memory as well.
    """

    groups: bool = False


@dataclass(frozen=True, slots=True)
class MarkerSettings:
    """`[markers]`.

    Attributes:
        extra: Tags beside the eight usual ones, in capitals.
    """

    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """`[bootstrap]`: what a starting session is given.

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
    """`[llm]`: a language model that may help, off by default.

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
    """`[health]`: from where on something is worth an alert.

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


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """One `[[alerts.channel]]`.

    `${NAME}` in address, token and channel stands for a secret that is kept elsewhere.

    Attributes:
        type: `slack`, `webhook`, `command`, `desktop`, `log` or `apprise`.
        name: There is one channel of a name.
        url: Where to; a secret.
        channel: Of Slack, its id.
        token: Of a Slack bot; a secret.
        command: Program and arguments.
    """

    type: str
    name: str
    url: str = field(default="", repr=False)
    channel: str = ""
    token: str = field(default="", repr=False)
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what may be shown of it."""
        return self.name if self.name.startswith(self.type) else f"{self.type} {self.name}"


_FORM = r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})"


class QuietHours(NamedTuple):
    """From one time of the day to another, the end excluded; it may pass midnight."""

    start: time
    end: time

    def holds(self, local: datetime) -> bool:
        """Tell whether a local time lies in them; the same time twice means never."""
        now = local.time()
        if self.start <= self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


def parse(text: str) -> QuietHours:
    """Read hours as they are written.

    Raises:
        ValueError: They are written in another way.
    """
    found = compiled(_FORM).fullmatch(text.strip())
    if found is None:
        raise ValueError("no hours")
    one, two, three, four = (int(part) for part in found.groups())
    return QuietHours(time(one, two), time(three, four))


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """`[alerts]`; the log is a channel beside these.

    Attributes:
        secrets_file: Lines `KEY=VALUE` for `${KEY}`; the user's own, readable by nobody else.
        slack_channel: With a token, one more channel: the short way to Slack.
        slack_token: Of the bot; a secret.
    """

    channels: tuple[ChannelSettings, ...] = ()
    secrets_file: Path | None = None
    slack_channel: str | None = None
    slack_token: str | None = field(default=None, repr=False)

    def all_channels(self) -> tuple[ChannelSettings, ...]:
        """Return those of the tables, and Slack when its two keys are set."""
        if not (self.slack_channel and self.slack_token):
            return self.channels

        short = ChannelSettings(
            "slack", "slack", channel=self.slack_channel, token=self.slack_token
        )
        if any(one.name == short.name for one in self.channels):
            return self.channels
        return (*self.channels, short)


@dataclass(frozen=True, slots=True)
class ConfigCheckSettings:
    """`[config_check]`: beside a look whenever the configuration changed."""

    interval: timedelta = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LogRotationSettings:
    """`[log_rotation]`.

    Attributes:
        max_bytes: From this size on a log is rotated.
        keep: Old ones that are kept of each.
        paths: Patterns of more logs that belong to other programs.
    """

    interval: timedelta = timedelta(hours=1)
    max_bytes: int = 5_242_880
    keep: int = 3
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CleanupSettings:
    """`[cleanup]`: of transcripts that no store knows; off by default.

    Attributes:
        compress_days: Days after its last line until one is packed.
        delete_days: Days after that line until a packed one is deleted.
    """

    is_enabled: bool = False
    compress_days: int = 7
    delete_days: int = 30


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """`[metrics]`; both ways are off until they are named.

    Attributes:
        textfile: For the node exporter's folder; ends in `.prom`.
        port: Of the endpoint on 127.0.0.1; 0 is off.
    """

    textfile: Path | None = None
    port: int = 0
    interval: timedelta = timedelta(minutes=1)
