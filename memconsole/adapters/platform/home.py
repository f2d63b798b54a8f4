"""Finds the platform's state folder, and where on this machine the paths of its configuration are.

A home may have been moved, mounted or copied since its paths were written. Which folder is looked
for where: `docs/formats.md`, "The state folder".
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice, moved_places
from memconsole.lazy_dataclass import dataclass
from memconsole.system.launch import absolute
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


STATE_VARIABLES = ("OPENCLAW_STATE_DIR", "MOLTBOT_STATE_DIR", "CLAWDBOT_STATE_DIR")
LEGACY_HOME_VARIABLES = ("MOLTBOT_HOME", "CLAWDBOT_HOME")
FOLDER_NAMES = (".openclaw", ".moltbot", ".clawdbot", ".moldbot")
"""Newest first; the last one is a spelling that releases of one week used."""

CONFIG_NAMES = ("openclaw.json", "moltbot.json", "clawdbot.json", "moldbot.json")

_PLATFORM_NAME = r"\.(?:openclaw|moltbot|clawdbot|moldbot)(?:-.+)?"
_PROFILE = r"[A-Za-z0-9][A-Za-z0-9._-]*"


@dataclass(frozen=True, slots=True)
class HomeChoice:
    """The state folder to read, and how it was chosen.

    Attributes:
        path: Absolute path; may not exist.
        is_explicit: Named by an option, our configuration or a state-folder variable.
        user_home: What `~` means to the platform, moved homes aside.
        others: State folders that exist as well and are not read.
        missing: Variables that name a folder which does not exist.
        is_option: Named by an option or our configuration, not by the platform's variables.
    """

    path: Path
    is_explicit: bool
    user_home: Path
    others: tuple[Path, ...] = ()
    missing: tuple[tuple[str, Path], ...] = ()
    is_option: bool = False

    @property
    def tilde(self) -> Path:
        """What `~` in the platform's configuration means here."""
        if self.is_explicit and is_platform_name(self.path.name):
            return self.path.parent
        return self.user_home

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the operator should know about the choice."""
        read = _shown(self.path)
        passed = [
            _other(f"{name} names {_shown(path)}, which does not exist; {read} is read", path)
            for name, path in self.missing
        ]
        also = [
            _other(f"{_shown(path)} is a platform home too; {read} is read", path)
            for path in self.others
        ]
        return (*passed, *also)


def is_platform_name(name: str) -> bool:
    """Whether a folder of this name is a state folder by its name."""
    return compiled(_PLATFORM_NAME).fullmatch(name) is not None


def find_home(explicit: Path | None, environ: Mapping[str, str], user_home: Path) -> HomeChoice:
    """Choose the state folder: the first that exists wins, the others are named.

    Args:
        explicit: Folder from `--home` or our configuration; taken whether it exists or not.
        environ: Environment to look into.
        user_home: The operator's home folder, absolute.
    """
    base = _base(environ, user_home)
    if explicit is not None:
        path = _expand(str(explicit), user_home)
        return HomeChoice(path, is_explicit=True, user_home=base, is_option=True)
    named = tuple(_named(environ, user_home))
    usual = tuple(_usual(environ, base))
    candidates = (*(path for _, path in named), *usual)
    existing = _distinct(path for path in candidates if is_folder(path))
    chosen = existing[0] if existing else _first_present(candidates)
    return HomeChoice(
        chosen,
        is_explicit=any(path == chosen for _, path in named),
        user_home=base,
        others=existing[1:],
        missing=tuple((name, path) for name, path in named if path != chosen and _is_gone(path)),
    )


def home_of_process(environ: Mapping[str, str], words: Sequence[str]) -> Path | None:
    """Return the home that a process of the platform serves; None when it does not say.

    Args:
        environ: Its environment, of which only the platform's variables and `HOME` are looked at.
        words: Its command line: `--profile NAME` counts like the variable.
    """
    user_home = environ.get("HOME", "")
    if not user_home.startswith("/"):
        return None
    profile = next(
        (after for word, after in pairwise(words) if word == "--profile"),
        next((one.partition("=")[2] for one in words if one.startswith("--profile=")), None),
    )
    named = environ if profile is None else {**environ, "OPENCLAW_PROFILE": profile}
    found = find_home(None, named, Path(user_home)).path
    return found if is_folder(found) else None


def is_folder(path: Path) -> bool:
    """Whether a folder is there, as far as we may see."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _looks_like_state(path: Path) -> bool:
    """Whether a folder holds what a state folder holds."""
    names = (*CONFIG_NAMES, "agents", "state")
    return is_folder(path) and any(not _is_gone(path / name) for name in names)


def _base(environ: Mapping[str, str], user_home: Path) -> Path:
    """`OPENCLAW_HOME` stands for the operator's home, not for the state folder."""
    value = environ.get("OPENCLAW_HOME", "").strip()
    return _expand(value, user_home) if value else user_home


def _named(environ: Mapping[str, str], user_home: Path) -> Iterator[tuple[str, Path]]:
    for name in STATE_VARIABLES:
        value = environ.get(name, "").strip()
        if value:
            yield name, _expand(value, user_home)
    for name in LEGACY_HOME_VARIABLES:
        value = environ.get(name, "").strip()
        if value:
            yield name, _state_in(_expand(value, user_home))
    base = _base(environ, user_home)
    if base != user_home and _state_in(base) == base and _looks_like_state(base):
        yield "OPENCLAW_HOME", base


def _state_in(folder: Path) -> Path:
    """Take a home variable both ways: the folder that holds a state folder, or one itself."""
    inside = (folder / name for name in FOLDER_NAMES)
    return next((path for path in inside if is_folder(path)), folder)


def _usual(environ: Mapping[str, str], base: Path) -> Iterator[Path]:
    profile = environ.get("OPENCLAW_PROFILE", "").strip()
    if compiled(_PROFILE).fullmatch(profile) and profile != "default":
        yield base / f"{FOLDER_NAMES[0]}-{profile}"
    for name in FOLDER_NAMES:
        yield base / name


def _expand(text: str, user_home: Path) -> Path:
    """Make a path absolute and free of `..`, for the home's path names its agents."""
    path = user_home / text[2:] if text == "~" or text.startswith("~/") else Path(text)
    return Path(os.path.normpath(absolute(path)))


def _first_present(candidates: tuple[Path, ...]) -> Path:
    """Nothing is a folder: take what is there in another form, else what was asked for first."""
    return next((path for path in candidates if not _is_gone(path)), candidates[0])


def _is_gone(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _distinct(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Each folder once: an old name may be a link to the new one."""
    found: dict[Path, Path] = {}
    for path in paths:
        found.setdefault(path.resolve(), path)
    return tuple(found.values())


def _other(message: str, path: Path) -> Notice:
    return Notice("other-home-found", message, path=str(path))


def _shown(path: Path) -> str:
    return one_line(str(path))


_INTERNAL = frozenset(
    {"agents", "cache", "canvas", "credentials", "cron", "devices", "hooks", "identity", "logs"}
    | {"media", "memory", "plugins", "sandbox", "sessions", "skills", "state", "subagents", "tmp"}
)
"""Folders of the state folder that are never anybody's workspace."""


_OF_WINDOWS = r"[A-Za-z]:[\\/]|\\\\|~\\"
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
    if compiled(_OF_WINDOWS).match(value):
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
