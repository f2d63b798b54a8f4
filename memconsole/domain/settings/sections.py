"""Every section of the settings with its defaults; a long list, for all are declared here."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.settings.channels import Channels, ChannelSettings, Hours
from memconsole.domain.settings.declare import (
    Other,
    anything,
    hours,
    kilobytes,
    minutes,
    seconds,
    setting,
    turned,
    verbosity,
)
from memconsole.domain.settings.headings import Categories, CategoryRule, Tags
from memconsole.domain.settings.kinds import (
    MINUTE,
    SECOND,
    Choice,
    Counts,
    Groups,
    Kind,
    Operators,
    PathName,
    Ratio,
    Score,
    Server,
    Sources,
    Span,
    Switch,
    Texts,
    Url,
    Whole,
)
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RotationSettings:
    """`[rotation]`."""

    threshold_tokens: int = setting(
        150_000,
        Whole(1),
        "Tokens at which a session is due for rotation",
        others=(Other("ROTATION_THRESHOLD"),),
    )
    window_ratio: float = setting(
        0.75, Ratio(), "Share of the model's context window at which it is due, when that is less"
    )
    overhead_tokens: int = setting(
        20_000, Whole(), "Tokens added to what a compaction left, until a model counts again"
    )
    skip_patterns: tuple[str, ...] = setting(
        (), Texts(), 'Session keys that never rotate, such as "agent:main:telegram:*"'
    )
    keys: Mapping[str, int] = setting(
        {}, Counts(), "Threshold of single sessions, in tokens by session key"
    )
    models: Mapping[str, int] = setting(
        {}, Counts(), 'Threshold by model, in tokens by a pattern of its name such as "anthropic/*"'
    )
    min_interval: timedelta = setting(
        timedelta(minutes=10), Span(), "Time between two rotations of one session"
    )
    require_capture: bool = setting(
        True, Switch(), "Reset nothing whose work could not be saved first"
    )
    force_active: bool = setting(
        False, Switch(), "Break off the run of a session that was deferred twice"
    )
    max_per_run: int = setting(
        5, Whole(1), "Sessions that one run rotates, fullest first", is_for_all=True
    )
    interval: timedelta = setting(
        timedelta(minutes=30),
        Span(MINUTE),
        "How often the scheduler looks for due sessions",
        is_for_all=True,
    )


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """`[checkpoint]`."""

    interval: timedelta = setting(
        timedelta(minutes=20),
        Span(MINUTE),
        "How often the scheduler takes checkpoints",
        is_for_all=True,
    )
    stale_after: timedelta = setting(
        timedelta(hours=4),
        Span(MINUTE),
        "Sessions without a word for so long are not saved again",
        others=(Other("SESSION_STALE_HOURS", hours),),
    )
    min_bytes: int = setting(1024, Whole(), "Smaller transcripts are not saved")
    min_messages: int = setting(3, Whole(1), "Fewer messages than these are not saved")
    tail_messages: int = setting(
        60,
        Whole(1, 10_000),
        "Messages that a checkpoint looks at, from the end of the transcript",
        name="tail_lines",
    )
    dedup_window: timedelta = setting(
        timedelta(minutes=15), Span(), "Time between two entries in a daily log"
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`[search]`; `base_url` stands without `/embeddings`."""

    provider: str = setting(
        "static",
        Choice("static", "quality", "openai-compatible", "none"),
        "What makes the vectors: the model that is installed, a better one beside it (the extra "
        "memconsole[quality]), a service, or nothing",
    )
    model: str = setting("text-embedding-3-small", Kind(), "Model of the service")
    base_url: str = setting(
        "https://api.openai.com/v1", Url("http", "https"), "Address of the service"
    )
    api_key_env: str = setting(
        "OPENAI_API_KEY", Kind(), "Environment variable that holds the key of the service"
    )
    dimensions: int = setting(
        0, Whole(0, 8192), "Length of the service's vectors; 0 leaves it to the model"
    )
    sessions: bool = setting(False, Switch(), "Search transcripts as well")
    extra_paths: tuple[str, ...] = setting(
        (), Texts(), "More Markdown files and folders to search, as absolute paths"
    )
    max_results: int = setting(6, Whole(1, 200), "Results of a search")
    min_score: float = setting(0.35, Ratio(), "Least score of a result")
    vector_weight: float = setting(0.7, Ratio(), "Weight of what words mean")
    text_weight: float = setting(0.3, Ratio(), "Weight of the words themselves")
    chunk_tokens: int = setting(400, Whole(50, 4000), "Tokens of a chunk, four characters each")
    chunk_overlap: int = setting(80, Whole(0, 2000), "Tokens of a chunk that the next one repeats")
    half_life: timedelta = setting(
        timedelta(),
        Span(),
        "Time in which the score of a dated note halves; 0s is never, under 180d hides old notes",
    )
    mmr: float = setting(
        1.0,
        Ratio(),
        "Weight of the score against likeness to better results, such as 0.7; 1 is off",
    )
    sync: bool = setting(
        True, Switch(), "Let the scheduler keep the indexes up to date", is_for_all=True
    )
    debounce: timedelta = setting(
        timedelta(seconds=1.5),
        Span(),
        "Quiet time after a change before it is indexed",
        is_for_all=True,
    )
    sync_mb: int = setting(
        32, Whole(0, 10_000), "Megabytes of changes that a search indexes itself", is_for_all=True
    )


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """`[summary]`."""

    tail_messages: int = setting(
        80,
        Whole(1, 10_000),
        "Messages that a summary reads, from the end of its session",
        name="tail_lines",
    )
    min_chars: int = setting(50, Whole(), "Sessions with less text get no summary")
    max_per_tag: int = setting(5, Whole(0, 100), "Observations of one kind in a summary")


@dataclass(frozen=True, slots=True)
class ObserverSettings:
    """`[observer]`."""

    interval: timedelta = setting(
        timedelta(minutes=15),
        Span(MINUTE),
        "How often the scheduler observes the sessions",
        is_for_all=True,
    )
    lookback: timedelta = setting(
        timedelta(minutes=15),
        Span(),
        "Messages younger than this are looked at in each run",
        others=(Other("OBSERVER_LOOKBACK_MIN", minutes),),
    )
    morning_lookback: timedelta = setting(
        timedelta(minutes=480), Span(), "The same until seven o'clock in the morning"
    )
    flush_lookback: timedelta = setting(
        timedelta(hours=2), Span(), "The same before a session is cut or begins anew"
    )
    recover_lookback: timedelta = setting(
        timedelta(hours=4), Span(), "Time before the end of a session that had ended"
    )
    min_lines: int = setting(2, Whole(1), "Fewer new messages wait for more")
    max_items: int = setting(20, Whole(1, 1_000), "Observations that one run adds")
    min_score: float = setting(2.0, Score(), "Less important observations are not written")


@dataclass(frozen=True, slots=True)
class ReflectorSettings:
    """`[reflector]`.

    Four thirds as many tokens as `word_threshold` words do as well, for languages without blanks
    between words.
    """

    word_threshold: int = setting(
        3_750,
        Whole(1),
        "Words above which observations are consolidated, and to which they come down",
        others=(Other("REFLECTOR_WORD_THRESHOLD"),),
    )
    min_interval: timedelta = setting(timedelta(hours=6), Span(), "Time between two consolidations")
    similarity: int = setting(90, Whole(50, 100), "Likeness from which two lines may say the same")
    max_backups: int = setting(10, Whole(1, 1000), "Copies of the observations that are kept")


@dataclass(frozen=True, slots=True)
class ConsolidateSettings:
    """`[consolidate]`; only the nightly job needs `is_enabled`."""

    is_enabled: bool = setting(
        False,
        Switch(),
        "Write every night into DREAMS.md what memory could let go, and keep for good",
        name="enabled",
        is_for_all=True,
    )
    token_target: int = setting(
        5_000,
        Whole(1),
        "Tokens that observations.md shall come down to",
        others=(Other("DREAM_TOKEN_TARGET"),),
    )
    with_platform: bool = setting(
        False, Switch(), "Consolidate also while the platform does so itself (dreaming)"
    )
    search_log: bool = setting(
        False,
        Switch(),
        "Remember which daily notes searches find, as hashes: what proposals are made of",
    )


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """`[freshness]`."""

    precapture: timedelta = setting(
        timedelta(minutes=10),
        Span(),
        "How long before the platform starts a session anew it is saved; 0s never",
    )
    assume: str = setting(
        "auto",
        Choice("auto", "daily", "none"),
        "How the platform resets sessions when its configuration does not say",
    )


@dataclass(frozen=True, slots=True)
class FlushSettings:
    """`[flush]`."""

    interval: timedelta = setting(
        timedelta(minutes=2),
        Span(MINUTE),
        "How often the scheduler looks for sessions to flush",
        is_for_all=True,
    )
    ratio: float = setting(
        0.70, Ratio(), "Share of the context window at which a session is flushed first"
    )
    reserve_tokens_floor: int = setting(
        20_000, Whole(), "Tokens that the platform keeps free at least"
    )
    soft_threshold_tokens: int = setting(
        4_000, Whole(), "Tokens before its compaction for the last flush"
    )


@dataclass(frozen=True, slots=True)
class IndexMdSettings:
    """`[index_md]`."""

    min_pool_bytes: int = setting(
        51_200,
        Whole(),
        "Smaller memories get no INDEX.md",
        others=(Other("MEMORY_SIZE_THRESHOLD", kilobytes),),
    )
    max_tokens: int = setting(
        2_000, Whole(200), "Over it the rows of INDEX.md fold, oldest logs first"
    )
    exclude: tuple[str, ...] = setting(
        ("archive", "observation-backups", "dreaming"),
        Texts(),
        "Folders below memory/ that INDEX.md leaves out",
    )
    domain_prefixes: tuple[str, ...] = setting(
        (), Texts(), "Beginnings of file names that get a heading of their own in INDEX.md"
    )
    categories: tuple[CategoryRule, ...] = setting(
        (),
        Categories(),
        "Headings of your own, each a table [[index_md.category]] with a name, patterns of file "
        "names and, if wanted, an emoji; a usual name replaces that heading",
        name="category",
        is_for_all=True,
    )
    interval: timedelta = setting(
        timedelta(hours=6),
        Span(MINUTE),
        "How often the scheduler looks after INDEX.md",
        is_for_all=True,
    )


@dataclass(frozen=True, slots=True)
class RecoverySettings:
    """`[recovery]`; `recover` by hand works all the same."""

    is_enabled: bool = setting(
        True,
        Switch(),
        "Capture what was said in sessions that ended before it was captured",
        name="enabled",
    )


@dataclass(frozen=True, slots=True)
class WatcherSettings:
    """`[watcher]`."""

    is_enabled: bool = setting(
        True, Switch(), "Watch sessions while the scheduler runs", name="enabled"
    )
    line_threshold: int = setting(
        40,
        Whole(1),
        "New lines from which sessions are observed at once",
        others=(Other("OBSERVER_LINE_THRESHOLD"),),
    )
    cooldown: timedelta = setting(
        timedelta(minutes=5),
        Span(),
        "Time between two such looks",
        others=(Other("OBSERVER_COOLDOWN_SECS", seconds),),
    )


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """`[capture]`."""

    groups: bool = setting(
        False,
        Switch(),
        "Copy what groups and threads say into memory too, where direct sessions will see it",
    )


@dataclass(frozen=True, slots=True)
class MarkerSettings:
    """`[markers]`."""

    extra: tuple[str, ...] = setting(
        (), Tags(), "Markers in brackets that count beside the eight, in capitals"
    )


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """`[bootstrap]`: what a starting session is given."""

    max_chars: int = setting(20_000, Whole(1000), "Characters of one file that a session is given")
    total_chars: int = setting(
        60_000, Whole(1000), "Characters of all files that a session is given"
    )
    active_max_age: timedelta = setting(
        timedelta(hours=24), Span(), "An older ACTIVE_CONTEXT.md says so on top"
    )
    groups: bool = setting(False, Switch(), "Groups are given INDEX.md")


@dataclass(frozen=True, slots=True)
class McpSettings:
    """`[mcp]`: memory as tools of its agent."""

    allow_notes: bool = setting(
        False, Switch(), "An agent may append notes to its daily log through `memconsole mcp`"
    )


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """`[llm]`: a language model that may help, off by default.

    `base_url` stands without `/chat/completions`; a consolidation may take twice the `timeout`.
    """

    provider: str = setting(
        "none",
        Choice("none", "openai-compatible"),
        "A language model that may help; nothing needs it",
    )
    base_url: str = setting(
        "https://api.openai.com/v1", Url("http", "https"), "Address of its service"
    )
    api_key_env: str = setting(
        "OPENAI_API_KEY", Kind(), "Environment variable that holds the key of its service"
    )
    model: str = setting("", Kind(), "Model of the service", example='"small-model"')
    fallback_model: str = setting(
        "", Kind(), "Model that is asked when the first one fails", example='"other-model"'
    )
    timeout: timedelta = setting(
        timedelta(seconds=60), Span(SECOND), "How long one answer may take"
    )
    daily_tokens: int = setting(500_000, Whole(), "Tokens that it may use within a day")


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """`[health]`: from where on something is worth an alert."""

    interval: timedelta = setting(
        timedelta(minutes=5),
        Span(MINUTE),
        "How often the scheduler looks after health",
        is_for_all=True,
    )
    process_pattern: str = setting(
        r"(?:openclaw|moltbot|clawdbot).*gateway",
        Kind(),
        "Regular expression of the Gateway's command line",
        is_for_all=True,
    )
    disk_percent: int = setting(
        90,
        Whole(1, 100),
        "How full a disk may be",
        others=(Other("CLAWDBOT_DISK_THRESHOLD"),),
        is_for_all=True,
    )
    disk_critical_percent: int = setting(
        97, Whole(1, 100), "From here on a full disk is critical", is_for_all=True
    )
    transcripts_mb: int = setting(
        500, Whole(1), "Megabytes that all transcripts may take", is_for_all=True
    )
    memory_file_kb: int = setting(50, Whole(1), "Kilobytes that one memory file may take")
    cron_errors: int = setting(
        3, Whole(1), "Failed scheduled runs of the platform within an hour", is_for_all=True
    )
    stuck_after: timedelta = setting(
        timedelta(minutes=15),
        Span(MINUTE),
        "A run of the platform without a sign of life for so long is stuck",
    )
    alert_cooldown: timedelta = setting(
        timedelta(minutes=30),
        Span(MINUTE),
        "Time until an issue is told again",
        others=(Other("CLAWDBOT_ALERT_COOLDOWN", minutes),),
        is_for_all=True,
    )
    notify_recovery: bool = setting(True, Switch(), "Tell that an issue is over", is_for_all=True)
    quiet_hours: str = setting(
        "",
        Hours(),
        "Hours in which only what is critical is told",
        example='"22:00-07:00"',
        is_for_all=True,
    )


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """`[alerts]`; the log is a channel beside these."""

    channels: tuple[ChannelSettings, ...] = setting(
        (),
        Channels(),
        "Ways to be told, each a table [[alerts.channel]] with a type (slack, webhook, command, "
        'desktop, log, apprise) and its keys; "${NAME}" in them stands for a secret',
        name="channel",
    )
    secrets_file: Path | None = setting(
        None,
        PathName(),
        'File of lines NAME=VALUE for "${NAME}"; yours, and readable by nobody else',
        example='"~/.config/memconsole/secrets.env"',
    )
    slack_channel: str | None = setting(
        None,
        Kind(),
        "Id of a Slack channel to tell",
        example='"C0123456789"',
        others=(Other("CLAWDBOT_ALERT_CHANNEL"),),
    )
    slack_token: str | None = setting(
        None,
        Kind(),
        "Token of the Slack bot that tells it",
        example='"${SLACK_TOKEN}"',
        is_secret=True,
        others=(Other("CLAWDBOT_ALERT_SLACK_TOKEN"),),
    )

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

    interval: timedelta = setting(
        timedelta(days=1),
        Span(MINUTE),
        "How often the scheduler checks the platform's configuration, beside when it changed",
    )


@dataclass(frozen=True, slots=True)
class LogRotationSettings:
    """`[log_rotation]`."""

    interval: timedelta = setting(
        timedelta(hours=1), Span(MINUTE), "How often the scheduler looks at logs"
    )
    max_bytes: int = setting(
        5_242_880,
        Whole(1024),
        "Size from which a log is rotated",
        others=(Other("CLAWDBOT_LOG_MAX_BYTES"),),
    )
    keep: int = setting(
        3, Whole(1, 100), "Old logs that are kept of each", others=(Other("CLAWDBOT_LOG_KEEP"),)
    )
    paths: tuple[str, ...] = setting(
        (), Texts(), "More logs of other programs, patterns such as /srv/*.log"
    )


@dataclass(frozen=True, slots=True)
class CleanupSettings:
    """`[cleanup]`: of our old files and those of ended sessions, by their newest message."""

    is_enabled: bool = setting(
        False,
        Switch(),
        "Pack, and later take away, old files every night; `cleanup` by hand needs no switch",
        name="enabled",
    )
    compress_days: int = setting(
        7,
        Whole(1),
        "Days until a file of an ended session, a copy or a part of a log of ours is packed",
        others=(Other("CLAWDBOT_COMPRESS_DAYS"),),
    )
    delete_days: int = setting(
        30,
        Whole(1),
        "Days until a packed one is taken away",
        others=(Other("CLAWDBOT_DELETE_DAYS"),),
    )
    archive_days: int = setting(
        0,
        Whole(0),
        "Days until an archive of memory is packed, and search does not find it any more; it is "
        "taken away `delete_days` later; 0 is never",
    )
    grace: timedelta = setting(
        timedelta(days=7),
        Span(MINUTE),
        "How long what was packed or taken away can be brought back; then it is deleted",
    )
    max_bytes: int = setting(
        0,
        Whole(0),
        "Size of an agent's old files, or of ours, above which packed ones go before their time; "
        "0 is no limit",
    )


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """`[fleet]`: which homes `--fleet` and `--host` ask, and where this host publishes."""

    sources: tuple[str, ...] = setting(
        (),
        Sources(),
        "Homes that --fleet asks, each a table [[fleet.source]] with homes of this host or the url "
        "of another, such as ssh://ops@alpha",
        name="source",
    )
    timeout: timedelta = setting(
        timedelta(minutes=1), Span(SECOND), "How long one home is waited for"
    )
    url: str = setting(
        "",
        Server(),
        "PostgreSQL that this host publishes in, as `memconsole fleet join` printed it",
        example='"postgresql://fleet_alpha@db.example/fleet"',
    )
    publish: str = setting(
        "nothing",
        Choice("nothing", "figures", "memory", "talks"),
        "What leaves this host: nothing; figures (agents, counts, ages, findings and runs, without "
        "peers); memory (also what memory files say, masked); talks (also what was said, masked)",
    )
    beat: timedelta = setting(
        timedelta(seconds=30),
        Span(SECOND),
        "How often this host looks, publishes and says it lives",
    )
    exclude: tuple[str, ...] = setting(
        (),
        Texts(),
        "Agents of which nothing is published, and paths such as memory/private* whose text stays",
    )
    default: bool = setting(
        False, Switch(), "Every call that can be carried to a fleet is, without --fleet"
    )
    labels: Mapping[str, tuple[str, ...]] = setting(
        {}, Groups(), "Hosts by a label of yours, for --label", example='{ prod = ["alpha"] }'
    )
    allow: tuple[str, ...] = setting(
        ("checkpoint", "observe", "index-md", "reindex", "flush"),
        Texts(),
        "Commands that this host carries out for people of the fleet whose key it knows",
    )
    operators: tuple[str, ...] = setting(
        (),
        Operators(),
        "People whose key this host knows, each as `memconsole fleet key` prints it: name, key, "
        "and the commands that they may ask for, or * for all that are allowed",
    )
    within: timedelta = setting(
        timedelta(minutes=10),
        Span(SECOND),
        "How long a command waits for its host in a PostgreSQL; what is not begun then never is",
    )

    @property
    def is_published(self) -> bool:
        """Whether something may leave this host."""
        return bool(self.url) and self.publish != "nothing"

    @property
    def publishes_text(self) -> bool:
        """Whether what memories say may leave this host."""
        return self.is_published and self.publish != "figures"

    @property
    def publishes_talks(self) -> bool:
        """Whether what was said may leave this host."""
        return self.is_published and self.publish == "talks"


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """`[metrics]`; both ways are off until they are named."""

    textfile: Path | None = setting(
        None,
        PathName(),
        "File of metrics for the Prometheus node exporter",
        example='"/var/lib/node_exporter/textfile/memconsole.prom"',
    )
    port: int = setting(0, Whole(0, 65535), "Port of the metrics on 127.0.0.1; 0 is off")
    interval: timedelta = setting(
        timedelta(minutes=1), Span(MINUTE), "How often the metrics are renewed"
    )


@dataclass(frozen=True, slots=True)
class UiSettings:
    """`[ui]`: how console and command line draw."""

    theme: str = setting("", Kind(), "Theme of the console", example='"textual-dark"')
    color: str = setting(
        "auto",
        Choice("auto", "always", "never"),
        "Colours of plain commands",
        option="--color",
        others=(Other("MEMCONSOLE_COLOR"),),
    )
    mono: bool = setting(
        False,
        Switch(),
        "No colours at all in the console",
        option="--mono",
        others=(Other("NO_COLOR", anything), Other("MEMCONSOLE_MONO")),
    )
    ascii: bool = setting(
        False,
        Switch(),
        "Draw with ASCII characters only",
        option="--ascii",
        others=(Other("MEMCONSOLE_ASCII"),),
    )
    mouse: bool = setting(
        True,
        Switch(),
        "Mouse in the console",
        option="--no-mouse",
        others=(Other("MEMCONSOLE_NO_MOUSE", turned),),
    )
    interval: timedelta = setting(
        timedelta(seconds=2),
        Span(SECOND),
        "How often the console looks again when nothing tells it to",
    )
    read_only: bool = setting(
        False,
        Switch(),
        "Refuse every action, with a reason",
        option="--read-only",
        others=(Other("MEMCONSOLE_READ_ONLY"),),
    )
    json: bool = setting(
        False,
        Switch(),
        "Machine output, as with --json",
        option="--json",
        others=(Other("MEMCONSOLE_JSON"),),
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    """`[log]`: where our own log lines go; never to standard output."""

    level: str = setting(
        "warning",
        Choice("warning", "info", "debug"),
        "How much is logged",
        option="--verbose",
        others=(Other("MEMCONSOLE_VERBOSE", verbosity),),
    )
    file: Path | None = setting(
        None,
        PathName(),
        "Log to this file, besides standard error",
        option="--log-file",
        example='"~/memconsole.log"',
        others=(Other("MEMCONSOLE_LOG_FILE"),),
    )
