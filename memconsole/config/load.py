"""Puts file, environment and options together into `Settings`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memconsole.config import given
from memconsole.config.keys import CONFIG_VARIABLE
from memconsole.config.place import Place
from memconsole.domain.settings import AgentSettings, Settings
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

    Args:
        environ: The process's environment.
        file: `--config`; None means `MEMCONSOLE_CONFIG`, else the usual place.
        options: Configuration keys with the text that a global option gave them.

    Raises:
        ConfigError: A named file is missing, a file is no TOML, a key is unknown or a value is of
            another kind; says which key, where, and what is meant.
    """
    user_home = _user_home(environ)
    here = Place("", None, user_home)
    path = config_path(environ, file)
    found: list[Given] = []
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


def _settings(usual: Settings, found: Iterable[Given]) -> Settings:
    """Lay the values over the defaults, those of single agents over those of all."""
    for_all: dict[str, dict[str, Any]] = {}
    for_agents: dict[str, dict[str, dict[str, Any]]] = {}
    sources: dict[str, str] = {}
    for one in found:
        part, field = one.key.place
        values = for_all if one.agent is None else for_agents.setdefault(one.agent, {})
        values.setdefault(part, {})[field] = one.value
        sources[one.name] = one.place.text
    own = for_all.pop("", {})
    parts = {part: _with(getattr(usual, part), values) for part, values in for_all.items()}
    settings = _with(usual, {**own, **parts})
    agents = {
        agent: AgentSettings(
            rotation=_with(settings.rotation, values.get("rotation", {})),
            checkpoint=_with(settings.checkpoint, values.get("checkpoint", {})),
            search=_with(settings.search, values.get("search", {})),
        )
        for agent, values in for_agents.items()
    }
    return replace(
        settings,
        is_home_explicit=settings.home is not None,
        agents=agents,
        sources=sources,
    )


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
