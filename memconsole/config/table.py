"""The one table of configuration keys.

File, environment, options, `config show` and the commented file of `config init` all come from it.
A new key is a row of `sections.py` and a field of `Settings`.

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
| `ROTATION_THRESHOLD` | `rotation.threshold_tokens` | older name |
| `OBSERVER_LOOKBACK_MIN` | `observer.lookback`, in minutes | older name |
| `SESSION_STALE_HOURS` | `checkpoint.stale_after`, in hours | older name |
| `REFLECTOR_WORD_THRESHOLD` | `reflector.word_threshold` | older name |
| `MEMORY_SIZE_THRESHOLD` | `index_md.min_pool_bytes`, in kilobytes | older name |
| `CLAWDBOT_MAX_BACKUPS` | `config.max_backups` | older name |
| `CLAWDBOT_DISK_THRESHOLD` | `health.disk_percent` | older name |
| `CLAWDBOT_ALERT_COOLDOWN` | `health.alert_cooldown`, in minutes | older name |
| `CLAWDBOT_ALERT_CHANNEL` | `alerts.slack_channel` | older name |
| `CLAWDBOT_ALERT_SLACK_TOKEN` | `alerts.slack_token` | older name |
| `CLAWDBOT_LOG_MAX_BYTES` | `log_rotation.max_bytes` | older name |
| `CLAWDBOT_LOG_KEEP` | `log_rotation.keep` | older name |
| `CLAWDBOT_COMPRESS_DAYS` | `cleanup.compress_days` | older name |
| `CLAWDBOT_DELETE_DAYS` | `cleanup.delete_days` | older name |
| `DREAM_TOKEN_TARGET` | `consolidate.token_target` | older name |
| `OBSERVER_LINE_THRESHOLD` | `watcher.line_threshold` | older name |
| `OBSERVER_COOLDOWN_SECS` | `watcher.cooldown`, in seconds | older name |
| `MEMCONSOLE_NOW` | the wall clock | for tests |

The long name wins over a short one, and that over an older one.
"""

from __future__ import annotations

from typing import Final

from memconsole.config.keys import Alias
from memconsole.config.kinds import Switch
from memconsole.config.sections import (
    CAPTURE_KEYS,
    FACE_KEYS,
    HEALTH_KEYS,
    LLM_KEYS,
    PLATFORM_KEYS,
    SEARCH_KEYS,
    SERVICE_KEYS,
)


def _turned(text: str) -> str:
    """Turn a switch round; what is no switch stays, so that the refusal shows it."""
    value = Switch().from_text(text)
    return str(not value).lower() if isinstance(value, bool) else text


def _level(text: str) -> str:
    return {"0": "warning", "1": "info", "2": "debug"}.get(text.strip(), text)


def _kilobytes(text: str) -> str:
    """Turn kilobytes into bytes; what is no number stays, so that the refusal shows it."""
    number = text.strip()
    return str(int(number) * 1024) if number.isascii() and number.isdecimal() else text


KEYS: Final = (
    *PLATFORM_KEYS,
    *CAPTURE_KEYS,
    *SEARCH_KEYS,
    *HEALTH_KEYS,
    *SERVICE_KEYS,
    *LLM_KEYS,
    *FACE_KEYS,
)
"""All keys, in the order of `config show` and of the commented file."""

ALIASES: Final = (
    Alias("ROTATION_THRESHOLD", "rotation.threshold_tokens"),
    Alias("OBSERVER_LOOKBACK_MIN", "observer.lookback", lambda text: f"{text.strip()}m"),
    Alias("SESSION_STALE_HOURS", "checkpoint.stale_after", lambda text: f"{text.strip()}h"),
    Alias("REFLECTOR_WORD_THRESHOLD", "reflector.word_threshold"),
    Alias("MEMORY_SIZE_THRESHOLD", "index_md.min_pool_bytes", _kilobytes),
    Alias("CLAWDBOT_MAX_BACKUPS", "config.max_backups"),
    Alias("CLAWDBOT_DISK_THRESHOLD", "health.disk_percent"),
    Alias("CLAWDBOT_ALERT_COOLDOWN", "health.alert_cooldown", lambda text: f"{text.strip()}m"),
    Alias("CLAWDBOT_ALERT_CHANNEL", "alerts.slack_channel"),
    Alias("CLAWDBOT_ALERT_SLACK_TOKEN", "alerts.slack_token"),
    Alias("CLAWDBOT_LOG_MAX_BYTES", "log_rotation.max_bytes"),
    Alias("CLAWDBOT_LOG_KEEP", "log_rotation.keep"),
    Alias("CLAWDBOT_COMPRESS_DAYS", "cleanup.compress_days"),
    Alias("CLAWDBOT_DELETE_DAYS", "cleanup.delete_days"),
    Alias("DREAM_TOKEN_TARGET", "consolidate.token_target"),
    Alias("OBSERVER_LINE_THRESHOLD", "watcher.line_threshold"),
    Alias("OBSERVER_COOLDOWN_SECS", "watcher.cooldown", lambda text: f"{text.strip()}s"),
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
