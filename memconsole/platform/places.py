"""Turns paths of the platform's configuration into paths of this machine (A25)."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from memconsole.domain.moved import moved_places
from memconsole.platform.home import is_folder, is_platform_name
from memconsole.values import dataclass

if TYPE_CHECKING:
    from memconsole.platform.home import HomeChoice

_INTERNAL = frozenset(
    {"agents", "cache", "canvas", "credentials", "cron", "devices", "hooks", "identity", "logs"}
    | {"media", "memory", "plugins", "sandbox", "sessions", "skills", "state", "subagents", "tmp"}
)
"""Folders of the state folder that are never anybody's workspace."""


_OF_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|~\\")
"""How a path begins that was written on Windows: a drive, a share, or its home folder."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of the configuration, here.

    Attributes:
        named: Where the configuration says it is.
        is_mapped: It is not there, but was found by its tail.
        exists: A folder is there.
        doubt: Why the path is only what is written, and no place: a variable that is not set.
    """

    path: Path
    named: PurePath
    exists: bool
    doubt: str = ""

    @property
    def is_mapped(self) -> bool:
        """Whether it was found elsewhere than the configuration says."""
        return self.path != self.named


def expand(text: str, choice: HomeChoice) -> PurePath:
    """Make a configured path absolute; `~`, and what is relative, begin at the platform's `~`.

    A path of Windows is absolute on the machine that wrote it, and no place here.
    """
    value = text.strip()
    if _OF_WINDOWS.match(value):
        return PureWindowsPath(value)
    if value.startswith("~/"):
        value = value[2:].lstrip("/")
    path = choice.tilde if value == "~" else choice.tilde / value
    return Path(os.path.normpath(path))


def find_folder(named: PurePath, choice: HomeChoice, *, main_workspace: Path | None) -> Place:
    """Find a configured folder here; nothing is ever created.

    Args:
        named: Absolute path by the configuration.
        choice: The home.
        main_workspace: The usual workspace of `main`, when another agent asks: by its common name
            alone it must not be given to that agent. None for `main` itself.
    """
    is_foreign = isinstance(named, PureWindowsPath)
    here = Path("/", str(named)) if is_foreign else Path(named)
    if not is_foreign and is_folder(here):
        return Place(here, here, exists=True)
    for place in moved_places(named, choice.path):
        is_taken = place == main_workspace and not is_platform_name(named.parent.name)
        if not is_taken and _may_be_workspace(place, choice.path) and is_folder(place):
            return Place(place, named, exists=True)
    return Place(here, here, exists=False)


def _may_be_workspace(place: Path, home: Path) -> bool:
    is_internal = place.parent == home and place.name in _INTERNAL
    return not is_internal and home != place and place not in home.parents
