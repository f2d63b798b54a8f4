"""Keys of what saves and renews sessions: rotation, checkpoint, observer, summary."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Choice, Counts, Ratio, Score, Switch, Texts, Whole
from memconsole.config.kinds_memory import Categories, Tags
from memconsole.config.span import Span

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
