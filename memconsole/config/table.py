"""The one table of configuration keys.

File, environment, options, `config show` and the commented file of `config init` all come from it.
A new key is a row here and a field of `Settings`.

Every key is a variable as well: `rotation.threshold_tokens` is
`MEMCONSOLE_ROTATION__THRESHOLD_TOKENS`, and for one agent
`MEMCONSOLE_AGENTS__WORK__ROTATION__THRESHOLD_TOKENS`. Besides there are

| variable | same as | |
|---|---|---|
| `MEMCONSOLE_CONFIG` | `--config` | no key of its own |
| `MEMCONSOLE_HOME` | `platform.home` | `--home` |
| `MEMCONSOLE_GATEWAY` | `gateway.url` | `--gateway` |
| `MEMCONSOLE_TRANSPORT` | `gateway.transport` | `--transport` |
| `MEMCONSOLE_READ_ONLY` | `ui.read_only` | `--read-only` |
| `MEMCONSOLE_JSON` | `ui.json` | `--json` |
| `MEMCONSOLE_COLOR` | `ui.color` | `--color` |
| `MEMCONSOLE_MONO`, `NO_COLOR` | `ui.mono` | `--mono` |
| `MEMCONSOLE_ASCII` | `ui.ascii` | `--ascii` |
| `MEMCONSOLE_NO_MOUSE` | `ui.mouse`, turned round | `--no-mouse` |
| `MEMCONSOLE_VERBOSE` | `log.level`: 0 warning, 1 info, 2 debug | `-v`, `-vv` |
| `MEMCONSOLE_LOG_FILE` | `log.file` | `--log-file` |
| `ROTATION_THRESHOLD` | `rotation.threshold_tokens` | older name (mission §3) |
| `SESSION_STALE_HOURS` | `checkpoint.stale_after`, in hours | older name |
| `MEMCONSOLE_NOW` | the wall clock (A23) | for tests |

The long name wins over a short one, and that over an older one. The other older names of mission §3
belong to features that do not exist yet: they are left alone until their key does.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Alias, Key
from memconsole.config.kinds import (
    Choice,
    Counts,
    Kind,
    PathName,
    Ratio,
    Switch,
    Texts,
    Url,
    Whole,
    Zone,
)
from memconsole.config.span import Span


def _turned(text: str) -> str:
    """Turn a switch round; what is no switch stays, so that the refusal shows it."""
    value = Switch().from_text(text)
    return str(not value).lower() if isinstance(value, bool) else text


def _level(text: str) -> str:
    return {"0": "warning", "1": "info", "2": "debug"}.get(text.strip(), text)


_EVERY_SECOND: Final = Span(timedelta(seconds=1))
_EVERY_MINUTE: Final = Span(timedelta(minutes=1))

KEYS: Final = (
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
        "rotation.threshold_tokens",
        Whole(1),
        "Tokens at which a session is due for rotation",
        is_per_agent=True,
    ),
    Key(
        "rotation.window_ratio",
        Ratio(),
        "Share of the model's context window at which it is due, when that is less",
        is_per_agent=True,
    ),
    Key(
        "rotation.overhead_tokens",
        Whole(),
        "Tokens added to an estimate for what no transcript holds",
        is_per_agent=True,
    ),
    Key(
        "rotation.skip_patterns",
        Texts(),
        'Session keys that never rotate, such as "agent:main:telegram:*"',
        is_per_agent=True,
    ),
    Key(
        "rotation.keys",
        Counts(),
        "Threshold of single sessions, in tokens by session key",
        is_per_agent=True,
    ),
    Key(
        "rotation.min_interval",
        Span(),
        "Time between two rotations of one session",
        is_per_agent=True,
    ),
    Key(
        "rotation.require_capture",
        Switch(),
        "Reset nothing whose work could not be saved first",
        is_per_agent=True,
    ),
    Key("rotation.max_per_run", Whole(1), "Sessions that one run rotates, fullest first"),
    Key("rotation.interval", _EVERY_MINUTE, "How often the scheduler looks for due sessions"),
    Key("checkpoint.interval", _EVERY_MINUTE, "How often the scheduler takes checkpoints"),
    Key(
        "checkpoint.stale_after",
        _EVERY_MINUTE,
        "Sessions without a word for so long are not saved again",
        is_per_agent=True,
    ),
    Key(
        "checkpoint.min_bytes",
        Whole(),
        "Smaller transcripts are not saved",
        is_per_agent=True,
    ),
    Key(
        "checkpoint.min_messages",
        Whole(1),
        "Fewer messages than these are not saved",
        is_per_agent=True,
    ),
    Key(
        "checkpoint.tail_lines",
        Whole(1, 10_000),
        "Messages that a checkpoint looks at, from the end of the transcript",
        field="checkpoint.tail_messages",
        is_per_agent=True,
    ),
    Key(
        "checkpoint.dedup_window",
        Span(),
        "Time between two entries in a daily log",
        is_per_agent=True,
    ),
    Key(
        "search.provider",
        Choice("static", "openai-compatible", "none"),
        "What makes the vectors: the model that is installed, a service, or nothing",
        is_per_agent=True,
    ),
    Key("search.model", Kind(), "Model of the service", is_per_agent=True),
    Key("search.base_url", Url("http", "https"), "Address of the service", is_per_agent=True),
    Key(
        "search.api_key_env",
        Kind(),
        "Environment variable that holds the key of the service",
        is_per_agent=True,
    ),
    Key(
        "search.dimensions",
        Whole(0, 8192),
        "Length of the service's vectors; 0 leaves it to the model",
        is_per_agent=True,
    ),
    Key("search.sessions", Switch(), "Search transcripts as well", is_per_agent=True),
    Key(
        "search.extra_paths",
        Texts(),
        "More Markdown files and folders to search, as absolute paths",
        is_per_agent=True,
    ),
    Key("search.max_results", Whole(1, 200), "Results of a search", is_per_agent=True),
    Key("search.min_score", Ratio(), "Least score of a result", is_per_agent=True),
    Key("search.vector_weight", Ratio(), "Weight of what words mean", is_per_agent=True),
    Key("search.text_weight", Ratio(), "Weight of the words themselves", is_per_agent=True),
    Key(
        "search.chunk_tokens",
        Whole(50, 4000),
        "Tokens of a chunk, four characters each",
        is_per_agent=True,
    ),
    Key(
        "search.chunk_overlap",
        Whole(0, 2000),
        "Tokens of a chunk that the next one repeats",
        is_per_agent=True,
    ),
    Key(
        "search.half_life",
        Span(),
        "Time in which the score of a dated note halves; 0s is never, under 180d hides old notes",
        is_per_agent=True,
    ),
    Key("search.debounce", Span(), "Quiet time after a change before it is indexed"),
    Key("search.sync_mb", Whole(0, 10_000), "Megabytes of changes that a search indexes itself"),
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
"""All keys, in the order of `config show` and of the commented file."""

ALIASES: Final = (
    Alias("ROTATION_THRESHOLD", "rotation.threshold_tokens"),
    Alias("SESSION_STALE_HOURS", "checkpoint.stale_after", lambda text: f"{text.strip()}h"),
    Alias("NO_COLOR", "ui.mono", lambda _: "true"),
    Alias("MEMCONSOLE_HOME", "platform.home"),
    Alias("MEMCONSOLE_GATEWAY", "gateway.url"),
    Alias("MEMCONSOLE_TRANSPORT", "gateway.transport"),
    Alias("MEMCONSOLE_READ_ONLY", "ui.read_only"),
    Alias("MEMCONSOLE_JSON", "ui.json"),
    Alias("MEMCONSOLE_COLOR", "ui.color"),
    Alias("MEMCONSOLE_MONO", "ui.mono"),
    Alias("MEMCONSOLE_ASCII", "ui.ascii"),
    Alias("MEMCONSOLE_NO_MOUSE", "ui.mouse", _turned),
    Alias("MEMCONSOLE_VERBOSE", "log.level", _level),
    Alias("MEMCONSOLE_LOG_FILE", "log.file"),
)
"""Other variables; a later row wins over an earlier one."""

BY_PATH: Final = {key.path: key for key in KEYS}
BY_NAME: Final = {key.name: key for key in KEYS}
