"""Puts file, environment and options together into `Settings`.

Collects what was given for each key: file, then environment, then options.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

from memconsole.config.keys import (
    ALIASES,
    ASKED_VARIABLE,
    BY_NAME,
    BY_PATH,
    CONFIG_VARIABLE,
    HOOK_VARIABLE,
    KEYS,
    NOW_VARIABLE,
    PREFIX,
    Key,
)
from memconsole.config.toml_file import Place, read
from memconsole.domain.settings import Settings
from memconsole.domain.settings.kinds import nearest, shown
from memconsole.errors import ConfigError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from _typeshed import DataclassInstance

    from memconsole.config.toml_file import TomlFile
    from memconsole.domain.settings.kinds import Value
    from memconsole.domain.settings.sections import SearchSettings


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
    error, and `Settings.faults` lists it. Of `[ui]` and `[log]`, which everybody needs, the rest
    holds; a key that may have been meant as `ui.read_only` counts as that.

    Args:
        environ: The process's environment.
        file: `--config`; None means `MEMCONSOLE_CONFIG`, else the usual place.
        options: Configuration keys with the text that a global option gave them.

    Raises:
        ConfigError: A named file is missing, a file is no TOML, an option is wrong, or something
            that says where to look: `[state]`, `[platform]`; says which key, where, what is meant.
    """
    user_home = _user_home(environ)
    here = Place("", None, user_home)
    path = config_path(environ, file)
    found: list[Given | Wrong] = []
    if os.path.lexists(path):
        found += from_file(read(path), user_home)
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
    sources: dict[str, str] = {}
    refused, kept = _without_part(given := list(found))
    for one in given:
        if _section(one) in refused or (isinstance(one, Wrong) and one.part in kept):
            continue
        if isinstance(one, Wrong):
            wrong.setdefault((one.agent, one.part), one.error)
            values.setdefault(one.agent, {})
            continue
        part, field = one.key.place
        values.setdefault(one.agent, {}).setdefault(part, {})[field] = one.value
        sources[one.name] = one.place.text
    settings = _fitting(_laid_over(usual, values.pop(None), None, wrong), None, sources, wrong)
    settings = _safe(settings, given, refused)
    agents = {
        agent: _fitting(_laid_over(settings, own, agent, wrong), agent, sources, wrong)
        for agent, own in values.items()
        if agent
    }
    return replace(
        settings,
        agents=agents,
        sources=sources,
        faults=(*wrong.values(), *refused.values(), *kept.values()),
        refused=refused | kept,
    )


def _without_part(
    given: Iterable[Given | Wrong],
) -> tuple[dict[str, ConfigError], dict[str, ConfigError]]:
    """Return the faults of sections that have no part of their own, and of those that are kept."""
    refused: dict[str, ConfigError] = {}
    kept: dict[str, ConfigError] = {}
    for one in given:
        if isinstance(one, Wrong) and one.part in _KEPT:
            kept.setdefault(one.part, one.error)
        elif isinstance(one, Wrong) and one.part not in _PARTS.values():
            refused.setdefault(one.part, one.error)
    return refused, kept


def _safe(
    settings: Settings, given: Iterable[Given | Wrong], refused: Mapping[str, ConfigError]
) -> Settings:
    """Return settings that do nothing which a wrong section may have been meant to forbid."""
    if any(isinstance(one, Wrong) and one.doubts_writing for one in given):
        settings = replace(settings, ui=replace(settings.ui, read_only=True))
    return replace(settings, transport="none") if "gateway" in refused else settings


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
_READ_ONLY = "ui.read_only"
_PARTS = {key.path[0]: key.place[0] for key in KEYS}
"""The part of `Settings` that a section is; "" for one that is spread over its top."""

_KEPT = frozenset({"ui", "log"})
"""Parts that every command needs: what is wrong of them is left out, and the rest holds."""
_SPREAD = frozenset({"compaction", "redact", "config", "gateway", AGENTS})
"""Sections that have no part of their own in `Settings`, and that not every command needs.

Without `state` or `platform` nobody knows where to look: they stop every command.
"""

_INIT_HINT = "`memconsole config init` writes a file with every key."


class Wrong(NamedTuple):
    """A section of which something cannot be used, so that nothing of it is.

    Attributes:
        part: The part of `Settings` that it is; of a section that has none, or that is unknown,
            its name.
        agent: Agent id, lower-cased, when it is for one agent only.
        doubts_writing: It may have been meant to refuse every action.
    """

    part: str
    agent: str | None
    error: ConfigError
    doubts_writing: bool = False


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
        ConfigError: Something is wrong that says where to look; names the line.
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
        ConfigError: A variable is wrong, or nearly one, that says where to look.
    """
    for alias in ALIASES:
        if text := environ.get(alias.variable):
            key = BY_NAME[alias.key]
            raw = key.kind.from_text(alias.convert(text))
            yield _tried(key, None, raw, _variable(alias.variable, base))
    own = {CONFIG_VARIABLE, NOW_VARIABLE, HOOK_VARIABLE, ASKED_VARIABLE}
    own |= {alias.variable for alias in ALIASES}
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
            error = ConfigError(f"{one_line(name)} is an unknown environment variable", hint=hint)
            yield _wrong(_path_of(near) or path, None, error)


def from_options(options: Mapping[str, str], base: Place) -> Iterator[Given]:
    """Yield what options hold, by key.

    Raises:
        ConfigError: A value is of another kind.
    """
    for name, text in options.items():
        key = BY_NAME[name]
        place = Place(f"option {key.setting.option or name}", base.base, base.user_home)
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
        problem = f"must be a {key.kind.label}" if key.setting.is_secret else str(error)
        raise place.refuse(name, problem) from None
    return Given(key, agent, value, place)


def _tried(key: Key, agent: str | None, raw: object, place: Place) -> Given | Wrong:
    try:
        return _checked(key, agent, raw, place)
    except ConfigError as error:
        return _wrong(key.path, agent, error)


def _wrong(path: tuple[str, ...], agent: str | None, error: ConfigError) -> Wrong:
    """Return what is wrong for those alone who need it; raise what everybody needs.

    A section whose name is nearly that of another was meant to be it: who needs that one stops.
    """
    section = path[0]
    if section not in _PARTS and section != AGENTS:
        section = nearest(section, list(_PARTS), cutoff=0.7) or section
    part = _PARTS.get(section)
    if part in _KEPT:
        meant = nearest(".".join((section, *path[1:])), list(BY_NAME), cutoff=0.6)
        return Wrong(part, None, error, meant == _READ_ONLY)
    if part:
        return Wrong(part, agent, error)
    if agent is not None:
        return Wrong(AGENTS, None, error)
    if part is None or section in _SPREAD:
        return Wrong(section, None, error)
    raise error


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
        near = nearest(name, sorted({one.rpartition(".")[0] for one in known}), cutoff=0.7)
        hint = f"Did you mean [{near}]?" if near else _INIT_HINT
        return place.refuse(shown(name), "is an unknown section", hint)
    near = nearest(name, known, cutoff=0.6)
    hint = f"Did you mean {near}?" if near else _INIT_HINT
    return place.refuse(shown(name), "is an unknown key", hint)


def _path_of(variable: str | None) -> tuple[str, ...]:
    """Return the key that a variable of ours sets; of those that set none, one of `[state]`."""
    if variable in (CONFIG_VARIABLE, NOW_VARIABLE):
        return ("state",)
    own = {key.variable: key.path for key in KEYS}
    own |= {alias.variable: BY_NAME[alias.key].path for alias in ALIASES}
    return own.get(variable or "", ())


def _nearest_variable(name: str) -> str | None:
    known = [CONFIG_VARIABLE, NOW_VARIABLE, *(alias.variable for alias in ALIASES)]
    known += [key.variable for key in KEYS]
    ours = [one.removeprefix(PREFIX) for one in known if one.startswith(PREFIX)]
    near = nearest(name.removeprefix(PREFIX), ours, cutoff=0.75)
    return None if near is None else PREFIX + near
