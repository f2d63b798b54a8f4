"""Puts file, environment and options together into `Settings`.

Collects what was given for each key: file, then environment, then options.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

from memconsole.config.keys import CONFIG_VARIABLE, HOOK_VARIABLE, NOW_VARIABLE, PREFIX, Key
from memconsole.config.place import Place, shown
from memconsole.config.table import ALIASES, BY_NAME, BY_PATH, KEYS
from memconsole.domain.settings import SearchSettings, Settings
from memconsole.errors import ConfigError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from _typeshed import DataclassInstance

    from memconsole.config.kinds import Value
    from memconsole.config.toml_file import TomlFile


_Part = TypeVar("_Part", bound="DataclassInstance")

_NO_OPTIONS: Mapping[str, str] = {}


def load(
    environ: Mapping[str, str],
    *,
    file: Path | None = None,
    options: Mapping[str, str] = _NO_OPTIONS,
) -> Settings:
    """Return the settings: file, then environment, then options; the last one wins.

    A section in which something is wrong stops those alone who need it: reading it raises the
    error, and `Settings.faults` lists it.

    Args:
        environ: The process's environment.
        file: `--config`; None means `MEMCONSOLE_CONFIG`, else the usual place.
        options: Configuration keys with the text that a global option gave them.

    Raises:
        ConfigError: A named file is missing, a file is no TOML, a section is unknown, or something
            is wrong that every command needs; says which key, where, and what is meant.
    """
    user_home = _user_home(environ)
    here = Place("", None, user_home)
    path = config_path(environ, file)
    found: list[Given | Wrong] = []
    if os.path.lexists(path):
        from memconsole.config import toml_file  # noqa: PLC0415  # only when there is a file

        found += from_file(toml_file.read(path), user_home)
    elif file is not None or environ.get(CONFIG_VARIABLE):
        raise ConfigError(
            f"the configuration file {path} does not exist",
            hint="`memconsole config init` writes one to the usual place.",
        )
    found += from_environment(environ, here)
    found += from_options(options, here)
    usual = Settings(
        state_dir=_state_dir(environ), config_file=path, unknown_zone=_unknown_zone(environ)
    )
    return _settings(usual, found)


def config_path(environ: Mapping[str, str], file: Path | None = None) -> Path:
    """Return where our configuration file is or would be, absolute.

    Args:
        environ: The process's environment.
        file: `--config`, when it was given.
    """
    named = file or (Path(text) if (text := environ.get(CONFIG_VARIABLE)) else None)
    if named is None:
        return _xdg(environ, "XDG_CONFIG_HOME", ".config") / "memconsole" / "config.toml"
    place = Place("", None, _user_home(environ))
    try:
        return place.absolute(named)
    except ValueError as error:
        raise ConfigError(f"the configuration file {error}") from None


def _settings(usual: Settings, found: Iterable[Given | Wrong]) -> Settings:
    """Lay the values over the defaults, those of single agents over those of all."""
    values: dict[str | None, dict[str, dict[str, Any]]] = {None: {}}
    wrong: dict[tuple[str | None, str], ConfigError] = {}
    refused: dict[str, ConfigError] = {}
    sources: dict[str, str] = {}
    for one in (given := list(found)):
        if isinstance(one, Wrong) and one.part in _SPREAD:
            refused.setdefault(one.part, one.error)
    for one in given:
        if _section(one) in refused:
            continue
        if isinstance(one, Wrong):
            wrong.setdefault((one.agent, one.part), one.error)
            values.setdefault(one.agent, {})
            continue
        part, field = one.key.place
        values.setdefault(one.agent, {}).setdefault(part, {})[field] = one.value
        sources[one.name] = one.place.text
    settings = _fitting(_laid_over(usual, values.pop(None), None, wrong), None, sources, wrong)
    agents = {
        agent: _fitting(_laid_over(settings, own, agent, wrong), agent, sources, wrong)
        for agent, own in values.items()
        if agent
    }
    return replace(
        settings,
        is_home_explicit=settings.home is not None,
        agents=agents,
        sources=sources,
        faults=(*wrong.values(), *refused.values()),
        refused=refused,
    )


def _laid_over(
    usual: Settings,
    values: Mapping[str, Mapping[str, Any]],
    agent: str | None,
    wrong: Mapping[tuple[str | None, str], ConfigError],
) -> Settings:
    """Return settings with the values of all agents or of one; wrong parts are refused later."""
    refused: dict[str, Any] = {
        part: RefusedPart(error) for (whose, part), error in wrong.items() if whose == agent
    }
    parts = {
        part: _with(getattr(usual, part), own)
        for part, own in values.items()
        if part and part not in refused and not isinstance(getattr(usual, part), RefusedPart)
    }
    return _with(usual, {**values.get("", {}), **parts, **refused})


def _fitting(
    settings: Settings,
    agent: str | None,
    sources: Mapping[str, str],
    wrong: dict[tuple[str | None, str], ConfigError],
) -> Settings:
    """Refuse values that fit only one by one: chunks must move on by more than they repeat."""
    search: SearchSettings | RefusedPart = settings.search
    if isinstance(search, RefusedPart) or search.chunk_overlap < search.chunk_tokens:
        return settings
    names = [full_name(f"search.chunk_{one}", agent) for one in ("overlap", "tokens")]
    places = ", ".join(dict.fromkeys(sources[name] for name in names if name in sources))
    error = ConfigError(
        f"{names[0]} must be less than search.chunk_tokens: {search.chunk_overlap} of "
        f"{search.chunk_tokens}" + (f" ({places})" if places else ""),
        hint="A chunk that repeats the whole one before it never moves on.",
    )
    wrong.setdefault((agent, "search"), error)
    refused: dict[str, Any] = {"search": RefusedPart(error)}
    return _with(settings, refused)


class RefusedPart:
    """Stands for a part of the settings that cannot be used: who reads it is told why."""

    __slots__ = ("_error",)

    def __init__(self, error: ConfigError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse every setting of the part.

        Raises:
            ConfigError: What is wrong with it.
        """
        raise ConfigError(str(self._error), hint=self._error.hint)


def _with(part: _Part, values: Mapping[str, Any]) -> _Part:
    """Return a part of the settings with some fields changed; the kinds have checked the values."""
    return replace(part, **values)


def _unknown_zone(environ: Mapping[str, str]) -> str:
    if not environ.get("TZ"):
        return ""
    from memconsole.config.host_zone import unknown_zone  # noqa: PLC0415 - most hosts set none

    return unknown_zone(environ)


def _state_dir(environ: Mapping[str, str]) -> Path:
    return _xdg(environ, "XDG_STATE_HOME", ".local/state") / "memconsole"


def _xdg(environ: Mapping[str, str], variable: str, usual: str) -> Path:
    """Return a folder of the XDG base directory specification; relative ones are ignored there."""
    named = environ.get(variable, "")
    return Path(named) if named.startswith("/") else _user_home(environ) / usual


def _user_home(environ: Mapping[str, str]) -> Path:
    try:
        return Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        raise ConfigError("this user has no home folder", hint="Set HOME.") from None


AGENTS = "agents"
_PARTS = {key.path[0]: key.place[0] for key in KEYS}
"""The part of `Settings` that a section is; "" for one that is spread over its top."""

_NEEDED_BY_ALL = frozenset({"ui", "log"})
_SPREAD = frozenset({"compaction", "redact", "config", AGENTS})
"""Sections that have no part of their own in `Settings`, and that not every command needs."""

_INIT_HINT = "`memconsole config init` writes a file with every key."


class Wrong(NamedTuple):
    """A section of which something cannot be used, so that nothing of it is.

    Attributes:
        part: The part of `Settings` that it is; of a section that has none, its name.
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
    if part and part not in _NEEDED_BY_ALL:
        return Wrong(part, agent, error)
    section = path[0] if agent is None else AGENTS
    if section not in _SPREAD:
        raise error
    return Wrong(section, None, error)


def _section(one: Given | Wrong) -> str:
    return one.part if isinstance(one, Wrong) else one.key.path[0]


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
