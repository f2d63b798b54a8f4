"""Writes our hooks into `<home>/hooks`: one of the few places of the home that we write (§22)."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.hooks import HOOKS, MARK, HookState, HookStatus, handler_js, hook_md
from memconsole.domain.outcomes import Written
from memconsole.domain.plain import one_line
from memconsole.errors import PlatformConfigError
from memconsole.launch import find_program
from memconsole.whole_file import clean_leftovers_in, is_temporary, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.hooks import HookSpec
    from memconsole.platform.hook_calls import HookCalls

_FILES = ("HOOK.md", "handler.js")
_EARLIER = re.compile(r"\.(?:HOOK\.md|handler\.js)\.\d{1,10}\.tmp")
"""What a killed installation of an earlier memconsole may have left."""
_MOST_BYTES = 64 * 1024


class DiskHooks:
    """Answers `hook_ports.HookFolder`.

    Args:
        home: The platform's state folder.
        config: Returns the platform's configuration as it is; None when it cannot be read.
        program: Of the platform, for the command that enables a hook.
        calls: Knows when a hook was called last.
        listed: Asks the platform which hooks it runs; see `hooks_program`.
    """

    def __init__(
        self,
        home: Path,
        config: Callable[[], Mapping[str, object] | None],
        program: str,
        *,
        calls: HookCalls | None = None,
        listed: Callable[[], Mapping[str, str] | None] = lambda: None,
    ) -> None:
        self._folder = home / "hooks"
        self._config = config
        self._program = program
        self._calls = calls
        self._listed = listed

    def status(self, prefix: str, *, asks: bool = False) -> tuple[HookStatus, ...]:
        """Return every hook as it is now, and what proves that the platform runs it."""
        config = self._config()
        found = [self._status(spec, f"{prefix}{spec.name}", config) for spec in HOOKS]
        is_any = any(one.state is HookState.INSTALLED for one in found)
        listed = self._listed() if asks and is_any else None
        return tuple(self._proven(one, listed) for one in found)

    def _proven(self, one: HookStatus, listed: Mapping[str, str] | None) -> HookStatus:
        """Add what says that the platform runs a hook, or that it does not."""
        called_at = None if self._calls is None else self._calls.last(one.name)
        if one.state is not HookState.INSTALLED:
            return replace(one, called_at=called_at)
        if listed is not None:
            obstacle = listed.get(one.name, "it does not list it")
            if obstacle:
                message = f"{one.message}, and the platform does not run it: {obstacle}"
                hint = one.hint or "Restart the Gateway, then look again."
                return replace(one, message=message, hint=hint, called_at=called_at)
            message = f"{one.message}, and the platform lists it as ready"
            return replace(one, message=message, called_at=called_at, proof="platform")
        if called_at is not None:
            return replace(one, called_at=called_at, proof="call")
        if one.is_enabled:
            message = f"{one.message}; no call of it was seen yet"
            return replace(one, message=message, hint="The next session shows whether it runs.")
        return one

    def install(self, prefix: str, *, dry_run: bool) -> tuple[Written, ...]:
        """Write all hooks, or say what would be written; either all of them or none.

        Raises:
            PlatformConfigError: A folder of that name is somebody else's, or cannot be written.
        """
        for spec in HOOKS:
            place = self._folder / f"{prefix}{spec.name}"
            if _state(place, {}) is HookState.FOREIGN:
                raise PlatformConfigError(
                    one_line(f"{place} is a hook of somebody else, and was left alone"),
                    hint="`--prefix P` puts ours beside it under another name.",
                )
        wrote: list[Written] = []
        for spec in HOOKS:
            place = self._folder / f"{prefix}{spec.name}"
            for name, text in _texts(spec, place.name).items():
                if not dry_run:
                    _write(place, name, text)
                wrote.append(Written(str(place / name), len(text.encode())))
        return tuple(wrote)

    def remove(self, prefix: str, *, dry_run: bool) -> tuple[str, ...]:
        """Remove our hooks, and nothing that is not ours; return the folders.

        Raises:
            PlatformConfigError: One cannot be removed.
        """
        gone: list[str] = []
        for spec in HOOKS:
            place = self._folder / f"{prefix}{spec.name}"
            state = _state(place, {})
            if state is HookState.FOREIGN or not os.path.lexists(place):
                continue
            if not dry_run:
                _remove(place)
            gone.append(str(place))
        return tuple(gone)

    def _status(self, spec: HookSpec, name: str, config: Mapping[str, object] | None) -> HookStatus:
        place = self._folder / name
        state = _state(place, _texts(spec, name))
        is_enabled = _enabled(config, name) if state is not HookState.MISSING else None
        message, hint = self._words(state, is_enabled, name)
        return HookStatus(name, str(place), state, is_enabled, message, hint)

    def _words(self, state: HookState, is_enabled: bool | None, name: str) -> tuple[str, str]:
        match state:
            case HookState.MISSING:
                return "it is not installed", "`memconsole hooks install` does that."
            case HookState.FOREIGN:
                return "a hook of that name is somebody else's", "Use `--prefix P` for ours."
            case HookState.OUTDATED:
                return "it is another version", "`memconsole hooks install` renews it."
            case HookState.INSTALLED if is_enabled:
                return "it is installed and switched on", ""
            case _:
                pass
        enable = f"`{self._program} hooks enable {name}`"
        return "it is installed", f"{enable} switches it on; then restart the Gateway."


def _texts(spec: HookSpec, name: str) -> dict[str, str]:
    program = find_program("memconsole") or str(Path(sys.executable).parent / "memconsole")
    return {"HOOK.md": hook_md(spec, name), "handler.js": handler_js(spec, program)}


def _state(place: Path, texts: Mapping[str, str]) -> HookState:
    """Tell what a folder holds; without texts to compare, ours is `installed`."""
    if not os.path.lexists(place):
        return HookState.MISSING
    if place.is_symlink() or not place.is_dir():
        return HookState.FOREIGN
    found = {name: _read(place / name) for name in _FILES}
    if any(text is not None and MARK not in text for text in found.values()):
        return HookState.FOREIGN
    names = os.listdir(place)  # noqa: PTH208 - names are all that is wanted
    if not all(name in _FILES or _is_ours_for_now(name) for name in names):
        return HookState.FOREIGN
    if all(text is None for text in found.values()):
        # A name without a text that can be read is somebody else's pipe or folder.
        return HookState.FOREIGN if set(names) & set(_FILES) else HookState.MISSING
    return HookState.INSTALLED if not texts or found == texts else HookState.OUTDATED


def _read(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        return file.read(_MOST_BYTES).decode("utf-8", "replace")


def _enabled(config: Mapping[str, object] | None, name: str) -> bool | None:
    """Return what the configuration says of a hook; None when it says nothing."""
    found: object = config
    for part in ("hooks", "internal"):
        found = found.get(part) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return None
    if found.get("enabled") is False:
        return False
    entries = found.get("entries")
    entry = entries.get(name) if isinstance(entries, dict) else None
    value = entry.get("enabled") if isinstance(entry, dict) else None
    return value if isinstance(value, bool) else None


def _write(place: Path, name: str, text: str) -> None:
    """Put one file in its place whole, 0600 in a folder of 0700."""
    try:
        for folder in (place.parent, place):
            if not folder.is_dir():
                folder.mkdir(mode=0o700)
        write_whole(place / name, text.encode())
    except OSError as error:
        raise _failed(place / name, error) from error


def _remove(place: Path) -> None:
    try:
        for name in _FILES:
            (place / name).unlink(missing_ok=True)
        _sweep(place)
        place.rmdir()
    except OSError as error:
        raise _failed(place, error) from error


def _is_ours_for_now(name: str) -> bool:
    """Whether it is a temporary file of ours: an installation that was killed left it."""
    return is_temporary(name) or _EARLIER.fullmatch(name) is not None


def _sweep(place: Path) -> None:
    """Remove the temporary files of runs that were killed."""
    clean_leftovers_in(place)
    for name in os.listdir(place):  # noqa: PTH208 - names are all that is wanted
        if _EARLIER.fullmatch(name):
            (place / name).unlink(missing_ok=True)


def _failed(path: Path, error: OSError) -> PlatformConfigError:
    reason = error.strerror or "no reason given"
    return PlatformConfigError(
        one_line(f"{path} cannot be written: {reason}"),
        hint="Check owner, mode and free space of the platform home.",
    )
