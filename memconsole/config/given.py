"""Collects what was given for each key: file, then environment, then options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memconsole.config.keys import CONFIG_VARIABLE, HOOK_VARIABLE, NOW_VARIABLE, PREFIX, Key
from memconsole.config.place import Place, shown
from memconsole.config.table import ALIASES, BY_NAME, BY_PATH, KEYS
from memconsole.domain.plain import one_line
from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.config.kinds import Value
    from memconsole.config.toml_file import TomlFile

AGENTS = "agents"
_PARTS = {key.path[0]: key.place[0] for key in KEYS}
"""The part of `Settings` that a section is; "" for one that is spread over its top."""

_NEEDED_BY_ALL = frozenset({"ui", "log"})
_INIT_HINT = "`memconsole config init` writes a file with every key."


class Wrong(NamedTuple):
    """A section of which something cannot be used, so that nothing of it is.

    Attributes:
        part: The part of `Settings` that it is.
        agent: Agent id, lower-cased, when it is for one agent only.
    """

    part: str
    agent: str | None
    error: ConfigError


class Given(NamedTuple):
    """One value, checked.

    Attributes:
        key: What it is for.
        agent: Agent id, lower-cased, when it is for one agent only.
        place: Where it was given.
    """

    key: Key
    agent: str | None
    value: Value
    place: Place

    @property
    def name(self) -> str:
        """Name of the key, the agent's table included."""
        return full_name(self.key.name, self.agent)


def full_name(name: str, agent: str | None) -> str:
    """Return a key's name with the agent's table in front."""
    return name if agent is None else f"{AGENTS}.{agent}.{name}"


def from_file(file: TomlFile, user_home: Path) -> Iterator[Given | Wrong]:
    """Yield what the file holds, and what of it is wrong.

    Raises:
        ConfigError: A section is unknown, or something is wrong that every command needs; names
            the line.
    """
    for path, raw in _leaves(file.table, ()):
        line = file.line(path)
        where = f"{file.path}, line {line}" if line else str(file.path)
        place = Place(where, file.path.parent, user_home)
        agent, rest = _split(path)
        key = BY_PATH.get(rest)
        try:
            if key is None:
                raise _unknown(".".join(path), agent, place, is_table=isinstance(raw, Mapping))
            found: Given | Wrong = _checked(key, agent, raw, place)
        except ConfigError as error:
            found = _wrong(rest, agent, error)
        yield found


def from_environment(environ: Mapping[str, str], base: Place) -> Iterator[Given | Wrong]:
    """Yield what variables hold: older names first, then short ones, then those of the keys.

    Raises:
        ConfigError: A variable of ours is unknown, or one is wrong that every command needs.
    """
    for alias in ALIASES:
        if text := environ.get(alias.variable):
            key = BY_NAME[alias.key]
            raw = key.kind.from_text(alias.convert(text))
            yield _tried(key, None, raw, _variable(alias.variable, base))
    own = {alias.variable for alias in ALIASES} | {CONFIG_VARIABLE, NOW_VARIABLE, HOOK_VARIABLE}
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name in own or not environ[name]:
            continue
        place = _variable(name, base)
        path = tuple(part.lower() for part in name.removeprefix(PREFIX).split("__"))
        agent, rest = _split(path)
        known = BY_PATH.get(rest)
        if known is not None:
            yield _tried(known, agent, known.kind.from_text(environ[name]), place)
        elif (near := _nearest_variable(name)) or "__" in name:
            hint = f"Did you mean {near}?" if near else "`memconsole config show` lists all keys."
            raise ConfigError(f"{one_line(name)} is an unknown environment variable", hint=hint)


def from_options(options: Mapping[str, str], base: Place) -> Iterator[Given]:
    """Yield what options hold, by key.

    Raises:
        ConfigError: A value is of another kind.
    """
    for name, text in options.items():
        key = BY_NAME[name]
        place = Place(f"option {key.option or name}", base.base, base.user_home)
        yield _checked(key, None, key.kind.from_text(text), place)


def _leaves(
    table: Mapping[str, object], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield (path, value) of every key, and of every table that is none of ours."""
    for name, value in table.items():
        path = (*above, name)
        if isinstance(value, Mapping) and _split(path)[1] not in BY_PATH and _is_section(path):
            yield from _leaves(value, path)
        else:
            yield path, value


def _is_section(path: tuple[str, ...]) -> bool:
    agent, rest = _split(path)
    is_roster = path[0] == AGENTS and agent is None
    keys = (key for key in KEYS if agent is None or key.is_per_agent)
    return is_roster or any(key.path[: len(rest)] == rest for key in keys)


def _split(path: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Return (agent, path of the key): `agents.<id>.<section>.<key>` belongs to one agent."""
    if path[0] == AGENTS and len(path) > 2:
        return path[1].lower(), path[2:]
    return None, path


def _checked(key: Key, agent: str | None, raw: object, place: Place) -> Given:
    name = full_name(key.name, agent)
    if agent is not None and not key.is_per_agent:
        hint = f"Set {key.name} for all agents."
        raise place.refuse(name, "cannot differ from agent to agent", hint)
    try:
        value = key.kind.parse(raw)
        if isinstance(value, Path):
            value = place.absolute(value)
    except ValueError as error:
        problem = f"must be a {key.kind.label}" if key.is_secret else str(error)
        raise place.refuse(name, problem) from None
    return Given(key, agent, value, place)


def _tried(key: Key, agent: str | None, raw: object, place: Place) -> Given | Wrong:
    try:
        return _checked(key, agent, raw, place)
    except ConfigError as error:
        return _wrong(key.path, agent, error)


def _wrong(path: tuple[str, ...], agent: str | None, error: ConfigError) -> Wrong:
    """Return what is wrong for those alone who need it; raise what everybody needs."""
    part = _PARTS.get(path[0], "")
    if not part or part in _NEEDED_BY_ALL:
        raise error
    return Wrong(part, agent, error)


def _variable(name: str, base: Place) -> Place:
    return Place(f"environment {name}", base.base, base.user_home)


def _unknown(name: str, agent: str | None, place: Place, *, is_table: bool) -> ConfigError:
    known = [full_name(key.name, agent) for key in KEYS if agent is None or key.is_per_agent]
    is_roster = name.partition(".")[0] == AGENTS and agent is None
    if is_roster or any(one.startswith(f"{name}.") for one in known):
        return place.refuse(name, "is a section, not a value", f"Write [{name}] on its own line.")
    if is_table:
        near = _nearest(name, sorted({one.rpartition(".")[0] for one in known}), cutoff=0.7)
        hint = f"Did you mean [{near}]?" if near else _INIT_HINT
        return place.refuse(shown(name), "is an unknown section", hint)
    near = _nearest(name, known, cutoff=0.6)
    hint = f"Did you mean {near}?" if near else _INIT_HINT
    return place.refuse(shown(name), "is an unknown key", hint)


def _nearest_variable(name: str) -> str | None:
    known = [CONFIG_VARIABLE, NOW_VARIABLE, *(alias.variable for alias in ALIASES)]
    known += [key.variable for key in KEYS]
    ours = [one.removeprefix(PREFIX) for one in known if one.startswith(PREFIX)]
    near = _nearest(name.removeprefix(PREFIX), ours, cutoff=0.75)
    return None if near is None else PREFIX + near


def _nearest(name: str, known: list[str], *, cutoff: float) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415  # only for refusals

    return next(iter(get_close_matches(name, known, n=1, cutoff=cutoff)), None)
