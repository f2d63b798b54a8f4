"""Shows the settings, and writes the commented file that `config init` gives."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memconsole.config.keys import KEYS
from memconsole.config.load import full_name
from memconsole.domain.settings import Settings
from memconsole.domain.settings.kinds import span_text
from memconsole.errors import ConfigError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.config.keys import Key
    from memconsole.domain.settings.kinds import Value

Plain: TypeAlias = (
    "bool | int | float | str | list[str] | dict[str, int] | dict[str, list[str]] | None"
)
"""A setting as JSON can carry it: durations and paths as text."""

HIDDEN = "(hidden)"
DEFAULT = "default"

_HEAD = """\
# memconsole: its own settings. Every line that is commented out shows the default.
# `memconsole config show` prints what is in force and where it came from.
# Each key is an environment variable, too: rotation.threshold_tokens is
# MEMCONSOLE_ROTATION__THRESHOLD_TOKENS. Durations need a unit: 90s, 20m, 6h, 7d.

"""
_AGENTS = """
# One agent may differ in what belongs to its memory (rotation, checkpoint, flush, freshness,
# observer, summary, recovery, reflector, consolidate, index_md, watcher, bootstrap, mcp, capture,
# search), but for the intervals, and in health.stuck_after and health.memory_file_kb:
# [agents.work.rotation]
# threshold_tokens = 120_000
"""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of `config show`.

    Attributes:
        key: Dotted name; `agents.<id>.…` for what one agent does differently.
        value: For JSON; a secret that is set is `(hidden)`.
        text: The same as TOML; `unset` when it has no value.
        source: `default`, or where it was given.
        help: What it is for.
    """

    key: str
    value: Plain
    text: str
    source: str
    help: str


def describe(settings: Settings) -> tuple[SettingRow, ...]:
    """Return every setting in the order of the table, then those of single agents.

    Raises:
        ConfigError: Something in it is wrong, so that it cannot be shown whole.
    """
    for fault in settings.faults:
        raise ConfigError(str(fault), hint=fault.hint)
    rows = [_row(key, None, value_of(settings, key), settings) for key in KEYS]
    for agent, own in sorted(settings.agents.items()):
        for key in KEYS:
            if full_name(key.name, agent) in settings.sources:
                part, field = key.place
                rows.append(_row(key, agent, getattr(getattr(own, part), field), settings))
    return tuple(rows)


def template() -> str:
    """Return a configuration file with every key commented out under its section."""
    usual = Settings(state_dir=Path("~/.local/state/memconsole"))
    lines = [_HEAD]
    section = ""
    for key in KEYS:
        *above, name = key.path
        if above and above[0] != section:
            section = above[0]
            lines.append(f"\n[{section}]\n")
        value = value_of(usual, key)
        text = key.setting.example if value in (None, "") else toml_text(value)
        lines.append(f"# {key.setting.help}.\n# {name} = {text}\n")
    return "".join([*lines, _AGENTS])


def _row(key: Key, agent: str | None, value: Value, settings: Settings) -> SettingRow:
    name = full_name(key.name, agent)
    source = settings.sources.get(name, DEFAULT)
    if key.setting.is_secret and value is not None:
        return SettingRow(name, HIDDEN, HIDDEN, source, key.setting.help)
    is_unset = value in (None, "")
    text = "unset" if is_unset else toml_text(value)
    return SettingRow(name, None if is_unset else _plain(value), text, source, key.setting.help)


def value_of(settings: Settings, key: Key) -> Value:
    """Return what a key is set to."""
    part, field = key.place
    value: Value = getattr(getattr(settings, part) if part else settings, field)
    return value


def _plain(value: Value) -> Plain:
    match value:
        case timedelta():
            return span_text(value)
        case Path():
            return str(value)
        case tuple():
            return [str(one) for one in value]
        case Mapping():
            counts = {name: one for name, one in value.items() if isinstance(one, int)}
            lists = {name: list(one) for name, one in value.items() if not isinstance(one, int)}
            return lists or counts
        case _:
            return value


def toml_text(value: Value) -> str:
    """Return a value as TOML writes it."""
    match _plain(value):
        case bool(truth):
            return str(truth).lower()
        case int(number):
            return f"{number:_}" if number >= 10_000 else str(number)
        case float(number):
            return str(number)
        case list(texts):
            return f"[{', '.join(map(_quoted, texts))}]"
        case dict(table):
            pairs = ", ".join(
                f"{_quoted(name)} = {one if isinstance(one, int) else toml_text(tuple(one))}"
                for name, one in table.items()
            )
            return f"{{ {pairs} }}" if pairs else "{}"
        case text:
            return _quoted(str(text))


def _quoted(text: str) -> str:
    """Return a TOML basic string."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in ('"', "\\"):
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
