"""What the scheduler's service runs, from the settings of this call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.host.service_units import ServiceUnits
from memconsole.adapters.platform.home import find_home
from memconsole.compose.process import user_home
from memconsole.config.keys import KEYS
from memconsole.config.show import toml_text, value_of
from memconsole.domain.jobs.service_units import ServiceSetup
from memconsole.system import launch

if TYPE_CHECKING:
    from memconsole.domain.jobs.layers import Layer
    from memconsole.domain.settings import Settings


def service_units() -> ServiceUnits:
    """Return the services of this user."""
    return ServiceUnits(os.environ, user_home())


def service_setup(settings: Settings, layer: Layer | None = None) -> ServiceSetup:
    """Return the call that runs the jobs of these settings, whatever the environment.

    Args:
        settings: Of this call.
        layer: Only the jobs of this layer.

    `-P` keeps the folder it is started in out of what Python imports. No secret is in it: those
    stay in the configuration or its secrets file.
    """
    home = find_home(settings.home, os.environ, user_home()).path
    environment = {
        "HOME": str(user_home()),
        "PATH": launch.environment().get("PATH") or os.defpath,
        "MEMCONSOLE_STATE__DIR": str(settings.state_dir),
        "MEMCONSOLE_HOME": str(home),
    }
    if settings.config_file is not None and settings.config_file.exists():
        environment["MEMCONSOLE_CONFIG"] = str(settings.config_file)
    given, secrets = _given_here(settings)
    words = () if layer is None else ("--layer", layer.value)
    return ServiceSetup(
        launch.own_module("memconsole", "--serve", *words),
        {**given, **environment},
        str(settings.state_dir / "logs" / f"serve{'' if layer is None else f'-{layer}'}.log"),
        secrets,
        layer,
    )


def _given_here(settings: Settings) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what variables and options of this call set, and the names of secrets among them."""
    given: dict[str, str] = {}
    secrets: list[str] = []
    for key in KEYS:
        source = settings.sources.get(key.name, "")
        if not source.startswith(("option ", "environment ")) or key.path[0] == "ui":
            continue
        if key.setting.is_secret or key.name == "alerts.channel":
            secrets.append(key.name)
            continue
        value = value_of(settings, key)
        given[key.variable] = value if isinstance(value, str) else toml_text(value).strip('"')
    given.pop("MEMCONSOLE_PLATFORM__HOME", None)  # has its short name
    return given, tuple(secrets)
