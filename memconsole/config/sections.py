"""Keys of what saves and renews sessions: rotation, checkpoint, observer, summary.

Keys of what is shown, written and logged.

Keys of health: from where on something is worth an alert.

Keys of the optional language model.

Keys of the platform, its Gateway, and our own state.

Keys of search.

Keys of what is around the jobs: alerts, logs, metrics.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import (
    Choice,
    Counts,
    Kind,
    PathName,
    Ratio,
    Score,
    Span,
    Switch,
    Texts,
    Url,
    Whole,
    Zone,
)
from memconsole.config.kinds_alerts import Channels, Hours
from memconsole.config.kinds_memory import Categories, Tags

_EVERY_MINUTE: Final = Span(timedelta(minutes=1))

CAPTURE_KEYS: Final = (
    Key(
        "rotation.threshold_tokens",
        Whole(1),
        "Tokens at which a session is due for rotation",
    ),
    Key(
        "rotation.window_ratio",
        Ratio(),
        "Share of the model's context window at which it is due, when that is less",
    ),
    Key(
        "rotation.overhead_tokens",
        Whole(),
        "Tokens added to what a compaction left, until a model counts again",
    ),
    Key(
        "rotation.skip_patterns",
        Texts(),
        'Session keys that never rotate, such as "agent:main:telegram:*"',
    ),
    Key(
        "rotation.keys",
        Counts(),
        "Threshold of single sessions, in tokens by session key",
    ),
    Key(
        "rotation.min_interval",
        Span(),
        "Time between two rotations of one session",
    ),
    Key(
        "rotation.require_capture",
        Switch(),
        "Reset nothing whose work could not be saved first",
    ),
    Key(
        "rotation.force_active",
        Switch(),
        "Break off the run of a session that was deferred twice",
    ),
    Key(
        "rotation.max_per_run",
        Whole(1),
        "Sessions that one run rotates, fullest first",
        is_for_all=True,
    ),
    Key(
        "rotation.interval",
        _EVERY_MINUTE,
        "How often the scheduler looks for due sessions",
        is_for_all=True,
    ),
    Key(
        "checkpoint.interval",
        _EVERY_MINUTE,
        "How often the scheduler takes checkpoints",
        is_for_all=True,
    ),
    Key(
        "checkpoint.stale_after",
        _EVERY_MINUTE,
        "Sessions without a word for so long are not saved again",
    ),
    Key(
        "checkpoint.min_bytes",
        Whole(),
        "Smaller transcripts are not saved",
    ),
    Key(
        "checkpoint.min_messages",
        Whole(1),
        "Fewer messages than these are not saved",
    ),
    Key(
        "checkpoint.tail_lines",
        Whole(1, 10_000),
        "Messages that a checkpoint looks at, from the end of the transcript",
        field="checkpoint.tail_messages",
    ),
    Key(
        "checkpoint.dedup_window",
        Span(),
        "Time between two entries in a daily log",
    ),
    Key(
        "flush.interval",
        _EVERY_MINUTE,
        "How often the scheduler looks for talks to flush",
        is_for_all=True,
    ),
    Key("flush.ratio", Ratio(), "Share of the context window at which a talk is flushed first"),
    Key("flush.reserve_tokens_floor", Whole(), "Tokens that the platform keeps free at least"),
    Key("flush.soft_threshold_tokens", Whole(), "Tokens before its compaction for the last flush"),
    Key(
        "freshness.precapture",
        Span(),
        "How long before the platform starts a session anew it is saved",
    ),
    Key(
        "freshness.assume",
        Choice("auto", "daily", "none"),
        "How the platform resets sessions when its configuration does not say",
    ),
    Key(
        "observer.interval",
        _EVERY_MINUTE,
        "How often the scheduler observes the talks",
        is_for_all=True,
    ),
    Key("observer.lookback", Span(), "Messages younger than this are looked at in each run"),
    Key("observer.morning_lookback", Span(), "The same until seven o'clock in the morning"),
    Key("observer.flush_lookback", Span(), "The same before a talk is cut or begins anew"),
    Key("observer.recover_lookback", Span(), "Time before the end of a talk that had ended"),
    Key("observer.min_lines", Whole(1), "Fewer new messages wait for more"),
    Key("observer.max_items", Whole(1, 1_000), "Observations that one run adds"),
    Key("observer.min_score", Score(), "Less important observations are not written"),
    Key(
        "summary.tail_lines",
        Whole(1, 10_000),
        "Messages that a summary reads, from the end of its session",
        field="summary.tail_messages",
    ),
    Key("summary.min_chars", Whole(), "Sessions with less text get no summary"),
    Key("summary.max_per_tag", Whole(0, 100), "Observations of one kind in a summary"),
    Key(
        "recovery.enabled",
        Switch(),
        "Capture what was said in talks that ended before it was captured",
        field="recovery.is_enabled",
    ),
    Key("reflector.word_threshold", Whole(1), "Words above which observations are consolidated"),
    Key("reflector.min_interval", Span(), "Time between two consolidations"),
    Key("reflector.similarity", Whole(50, 100), "Likeness from which two lines may say the same"),
    Key("reflector.max_backups", Whole(1, 1000), "Copies of the observations that are kept"),
    Key(
        "consolidate.enabled",
        Switch(),
        "Write every night into DREAMS.md what memory could let go, and keep for good",
        field="consolidate.is_enabled",
        is_for_all=True,
    ),
    Key("consolidate.token_target", Whole(1), "Tokens that observations.md shall come down to"),
    Key(
        "consolidate.with_platform",
        Switch(),
        "Consolidate also while the platform does so itself (dreaming)",
    ),
    Key(
        "consolidate.search_log",
        Switch(),
        "Remember which daily notes searches find, as hashes: what proposals are made of",
    ),
    Key("index_md.min_pool_bytes", Whole(), "Smaller memories get no INDEX.md"),
    Key("index_md.max_tokens", Whole(200), "Over it the rows of INDEX.md fold, oldest logs first"),
    Key("index_md.exclude", Texts(), "Folders below memory/ that INDEX.md leaves out"),
    Key(
        "index_md.domain_prefixes",
        Texts(),
        "Beginnings of file names that get a heading of their own in INDEX.md",
    ),
    Key(
        "index_md.category",
        Categories(),
        "Headings of your own, each a table [[index_md.category]] with a name, patterns of file "
        "names and, if wanted, an emoji; a usual name replaces that heading",
        field="index_md.categories",
        is_for_all=True,
    ),
    Key(
        "index_md.interval",
        _EVERY_MINUTE,
        "How often the scheduler looks after INDEX.md",
        is_for_all=True,
    ),
    Key(
        "watcher.enabled",
        Switch(),
        "Watch talks while the scheduler runs",
        field="watcher.is_enabled",
    ),
    Key("watcher.line_threshold", Whole(1), "New lines from which talks are observed at once"),
    Key("watcher.cooldown", Span(), "Time between two such looks"),
    Key("bootstrap.max_chars", Whole(1000), "Characters of one file that a session is given"),
    Key("bootstrap.total_chars", Whole(1000), "Characters of all files that a session is given"),
    Key("bootstrap.active_max_age", Span(), "An older ACTIVE_CONTEXT.md says so on top"),
    Key("bootstrap.groups", Switch(), "Groups are given INDEX.md"),
    Key(
        "capture.groups",
        Switch(),
        "Copy what is said in groups and threads into memory too, where direct talks will see it",
    ),
    Key("markers.extra", Tags(), "Markers in brackets that count beside the eight, in capitals"),
)


_EVERY_SECOND: Final = Span(timedelta(seconds=1))

FACE_KEYS: Final = (
    Key("redact.enabled", Switch(), "Mask secrets in all we write and show", field="redact"),
    Key("ui.theme", Kind(), "Theme of the console", example='"textual-dark"'),
    Key(
        "ui.color",
        Choice("auto", "always", "never"),
        "Colours of plain commands",
        option="--color",
    ),
    Key("ui.mono", Switch(), "No colours at all in the console", option="--mono"),
    Key("ui.ascii", Switch(), "Draw with ASCII characters only", option="--ascii"),
    Key("ui.mouse", Switch(), "Mouse in the console", option="--no-mouse"),
    Key("ui.interval", _EVERY_SECOND, "How often the console looks again when nothing tells it to"),
    Key("ui.read_only", Switch(), "Refuse every action, with a reason", option="--read-only"),
    Key("ui.json", Switch(), "Machine output, as with --json", option="--json"),
    Key(
        "log.level",
        Choice("warning", "info", "debug"),
        "How much is logged",
        option="--verbose",
    ),
    Key(
        "log.file",
        PathName(),
        "Log to this file, besides standard error",
        option="--log-file",
        example='"~/memconsole.log"',
    ),
)


HEALTH_KEYS: Final = (
    Key(
        "health.interval", Span(timedelta(minutes=1)), "How often the scheduler looks after health"
    ),
    Key(
        "health.process_pattern",
        Kind(),
        "Regular expression of the Gateway's command line",
    ),
    Key("health.disk_percent", Whole(1, 100), "How full a disk may be"),
    Key("health.disk_critical_percent", Whole(1, 100), "From here on a full disk is critical"),
    Key("health.transcripts_mb", Whole(1), "Megabytes that all transcripts may take"),
    Key("health.memory_file_kb", Whole(1), "Kilobytes that one memory file may take"),
    Key("health.cron_errors", Whole(1), "Failed scheduled runs of the platform within an hour"),
    Key("health.alert_cooldown", Span(timedelta(minutes=1)), "Time until an issue is told again"),
    Key("health.notify_recovery", Switch(), "Tell that an issue is over"),
    Key(
        "health.quiet_hours",
        Hours(),
        "Hours in which only what is critical is told",
        example='"22:00-07:00"',
    ),
)


LLM_KEYS: Final = (
    Key(
        "llm.provider",
        Choice("none", "openai-compatible"),
        "A language model that may help; nothing needs it",
    ),
    Key("llm.base_url", Url("http", "https"), "Address of its service"),
    Key("llm.api_key_env", Kind(), "Environment variable that holds the key of its service"),
    Key("llm.model", Kind(), "Model of the service", example='"small-model"'),
    Key(
        "llm.fallback_model",
        Kind(),
        "Model that is asked when the first one fails",
        example='"other-model"',
    ),
    Key("llm.timeout", Span(timedelta(seconds=1)), "How long one answer may take"),
    Key("llm.daily_tokens", Whole(), "Tokens that it may use within a day"),
)


PLATFORM_KEYS: Final = (
    Key("timezone", Zone(), "Time zone of daily logs and times", example='"Europe/Berlin"'),
    Key(
        "platform.home",
        PathName(),
        "State folder of the platform; found by itself when not set",
        field="home",
        option="--home",
        example='"~/.openclaw"',
    ),
    Key("state.dir", PathName(), "Our own state: database, locks, logs", field="state_dir"),
    Key(
        "gateway.url",
        Url("ws", "wss"),
        "Address of the Gateway; taken from the platform's configuration when not set",
        field="gateway_url",
        option="--gateway",
        example='"ws://127.0.0.1:18789"',
    ),
    Key(
        "gateway.transport",
        Choice("auto", "ws", "cli", "none"),
        "How to reach the Gateway",
        field="transport",
        option="--transport",
    ),
    Key(
        "gateway.token",
        Kind(),
        "Token of the Gateway; better in MEMCONSOLE_GATEWAY__TOKEN than in a file",
        field="gateway_token",
        example='"…"',
        is_secret=True,
    ),
    Key(
        "gateway.timeout",
        _EVERY_SECOND,
        "How long one question to the Gateway may take",
        field="gateway_timeout",
    ),
    Key(
        "compaction.min_duration_ms",
        Whole(),
        "Compactions that took less time cannot have made a summary",
        field="min_compaction_ms",
    ),
    Key(
        "config.max_backups",
        Whole(1, 1000),
        "Copies of the platform's configuration to keep from before a config fix",
        field="max_backups",
    ),
    Key(
        "config.use_program",
        Switch(),
        "Let the platform's own program set what config fix sets; it rewrites the whole file",
        field="uses_program",
    ),
)


SEARCH_KEYS: Final = (
    Key(
        "search.provider",
        Choice("static", "openai-compatible", "none"),
        "What makes the vectors: the model that is installed, a service, or nothing",
    ),
    Key("search.model", Kind(), "Model of the service"),
    Key("search.base_url", Url("http", "https"), "Address of the service"),
    Key(
        "search.api_key_env",
        Kind(),
        "Environment variable that holds the key of the service",
    ),
    Key(
        "search.dimensions",
        Whole(0, 8192),
        "Length of the service's vectors; 0 leaves it to the model",
    ),
    Key("search.sessions", Switch(), "Search transcripts as well"),
    Key(
        "search.extra_paths",
        Texts(),
        "More Markdown files and folders to search, as absolute paths",
    ),
    Key("search.max_results", Whole(1, 200), "Results of a search"),
    Key("search.min_score", Ratio(), "Least score of a result"),
    Key("search.vector_weight", Ratio(), "Weight of what words mean"),
    Key("search.text_weight", Ratio(), "Weight of the words themselves"),
    Key(
        "search.chunk_tokens",
        Whole(50, 4000),
        "Tokens of a chunk, four characters each",
    ),
    Key(
        "search.chunk_overlap",
        Whole(0, 2000),
        "Tokens of a chunk that the next one repeats",
    ),
    Key(
        "search.half_life",
        Span(),
        "Time in which the score of a dated note halves; 0s is never, under 180d hides old notes",
    ),
    Key(
        "search.mmr",
        Ratio(),
        "Weight of the score against likeness to better results, such as 0.7; 1 is off",
    ),
    Key("search.sync", Switch(), "Let the scheduler keep the indexes up to date", is_for_all=True),
    Key(
        "search.debounce", Span(), "Quiet time after a change before it is indexed", is_for_all=True
    ),
    Key(
        "search.sync_mb",
        Whole(0, 10_000),
        "Megabytes of changes that a search indexes itself",
        is_for_all=True,
    ),
)


SERVICE_KEYS: Final = (
    Key(
        "alerts.channel",
        Channels(),
        "Ways to be told, each a table [[alerts.channel]] with a type (slack, webhook, command, "
        'desktop, log, apprise) and its keys; "${NAME}" in them stands for a secret',
        field="alerts.channels",
    ),
    Key(
        "alerts.secrets_file",
        PathName(),
        'File of lines NAME=VALUE for "${NAME}"; yours, and readable by nobody else',
        example='"~/.config/memconsole/secrets.env"',
    ),
    Key("alerts.slack_channel", Kind(), "Id of a Slack channel to tell", example='"C0123456789"'),
    Key(
        "alerts.slack_token",
        Kind(),
        "Token of the Slack bot that tells it",
        example='"${SLACK_TOKEN}"',
        is_secret=True,
    ),
    Key(
        "config_check.interval",
        _EVERY_MINUTE,
        "How often the scheduler checks the platform's configuration, beside when it changed",
    ),
    Key("log_rotation.interval", _EVERY_MINUTE, "How often the scheduler looks at logs"),
    Key("log_rotation.max_bytes", Whole(1024), "Size from which a log is rotated"),
    Key("log_rotation.keep", Whole(1, 100), "Old logs that are kept of each"),
    Key("log_rotation.paths", Texts(), "More logs of other programs, patterns such as /srv/*.log"),
    Key(
        "cleanup.enabled",
        Switch(),
        "Pack, and later delete, old transcripts that no session store knows any more",
        field="cleanup.is_enabled",
    ),
    Key("cleanup.compress_days", Whole(1), "Days until such a transcript is packed"),
    Key("cleanup.delete_days", Whole(1), "Days until a packed one is deleted"),
    Key(
        "metrics.textfile",
        PathName(),
        "File of metrics for the Prometheus node exporter",
        example='"/var/lib/node_exporter/textfile/memconsole.prom"',
    ),
    Key("metrics.port", Whole(0, 65535), "Port of the metrics on 127.0.0.1; 0 is off"),
    Key("metrics.interval", _EVERY_MINUTE, "How often the metrics are renewed"),
)
