"""Puts file, environment and options together into `Settings`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from memconsole.config import given
from memconsole.config.given import Wrong
from memconsole.config.keys import CONFIG_VARIABLE
from memconsole.config.place import Place
from memconsole.domain.settings import SearchSettings, Settings
from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from _typeshed import DataclassInstance

    from memconsole.config.given import Given

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

        found += given.from_file(toml_file.read(path), user_home)
    elif file is not None or environ.get(CONFIG_VARIABLE):
        raise ConfigError(
            f"the configuration file {path} does not exist",
            hint="`memconsole config init` writes one to the usual place.",
        )
    found += given.from_environment(environ, here)
    found += given.from_options(options, here)
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
    for one in found:
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
        faults=tuple(wrong.values()),
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
    names = [given.full_name(f"search.chunk_{one}", agent) for one in ("overlap", "tokens")]
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
