"""Reads the platform home from disk: the `Platform` port."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.platform.config.read import read_config
from memconsole.adapters.platform.era import EraDetector, home_era
from memconsole.adapters.platform.first_store import store_above
from memconsole.adapters.platform.roster import build_roster, is_agent_folder
from memconsole.domain.agents import Home
from memconsole.errors import HomeNotFoundError, HomeUnreadableError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.adapters.sqlite.ways import Copies


class DiskPlatform:
    """One platform home; reads it anew each time it is asked, and never writes.

    Args:
        choice: The state folder.
        environ: Environment, for the variables that name a configuration.
        now: The wall clock, aware UTC.
        copies: Makes private copies of databases that cannot be read in place.
    """

    def __init__(
        self,
        choice: HomeChoice,
        *,
        environ: Mapping[str, str],
        now: Callable[[], datetime],
        copies: Copies,
    ) -> None:
        self._choice = choice
        self._environ = environ
        self._now = now
        self._eras = EraDetector(copies)

    def read(self) -> Home:
        """Read home, configuration and agents.

        Raises:
            HomeNotFoundError: The home does not exist.
            HomeUnreadableError: It exists and cannot be listed.
        """
        home = self._choice.path
        read_at = self._now()
        _require_folder(home)
        folders = _agent_folders(home)
        reading = read_config(self._choice, self._environ)
        agents, notices = build_roster(self._choice, reading, folders)
        cron = self._eras.cron(home)
        agents = tuple(replace(agent, era=self._eras.agent(agent, home, cron)) for agent in agents)
        return Home(
            path=home,
            config=reading.config,
            agents=agents,
            era=home_era((agent.era for agent in agents), cron),
            notices=(
                *self._choice.notices,
                *reading.notices,
                *notices,
                *store_above(home, agents),
            ),
            read_at=read_at,
        )


def _require_folder(home: Path) -> None:
    try:
        with os.scandir(home):
            return
    except FileNotFoundError:
        raise HomeNotFoundError(one_line(str(home))) from None
    except NotADirectoryError:
        raise HomeUnreadableError(one_line(str(home)), "it is a file, not a folder") from None
    except (OSError, ValueError) as error:
        raise HomeUnreadableError(one_line(str(home)), _reason(error)) from None


def _agent_folders(home: Path) -> list[Path]:
    """Return the agents' folders in no order; none when there is no `agents/` yet."""
    agents = home / "agents"
    try:
        with os.scandir(agents) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise HomeUnreadableError(one_line(str(home)), _reason(error)) from None
    return [path for path in (agents / name for name in names) if is_agent_folder(path)]


def _reason(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return (text or "its name is impossible").lower()
