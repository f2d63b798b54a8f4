"""Writes our hooks into `<home>/hooks`, one of the few places of the home that we write.

Whether the platform runs them is asked of its own program: `openclaw hooks list --json`. When it
did so last is told by a file a hook in our own state folder, empty; its time is the call's. Only a
call that the handler of a hook made counts (`MEMCONSOLE_HOOK` names it).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memconsole.adapters.platform.config.json5_file import mapping, sequence, text
from memconsole.domain.commands.outcomes import Written
from memconsole.domain.hooks import HOOKS, MARK, HookState, HookStatus, handler_js, hook_md
from memconsole.errors import PlatformConfigError
from memconsole.system import launch
from memconsole.system.atomic_file import FILE_MODE, is_temporary, remove, replace_file
from memconsole.system.folders import UnsafeFolderError, adopt, open_folder, open_state_folder
from memconsole.system.regular_file import open_regular
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.hooks import HookSpec


_FILES = ("HOOK.md", "handler.js")

_OLD_TEMPORARY = re.compile(r"\.(?:HOOK\.md|handler\.js)\.\d+\.tmp")

_MOST_BYTES = 64 * 1024


class DiskHooks:
    """Answers the port `HookFolder`.

    Args:
        home: The platform's state folder.
        config: Returns the platform's configuration as it is; None when it cannot be read.
        program: Of the platform, for the command that enables a hook.
        calls: Knows when a hook was called last.
        listed: Asks the platform which hooks it runs; see `listed_hooks`.
        probed: Lets the platform start an MCP server; see `probed_server`.
    """

    def __init__(
        self,
        home: Path,
        config: Callable[[], Mapping[str, object] | None],
        program: str,
        *,
        calls: HookCalls | None = None,
        listed: Callable[[], Mapping[str, str] | None] = lambda: None,
        probed: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._home = home
        self._folder = home / "hooks"
        self._config = config
        self._platform = program
        self._calls = calls
        self._listed = listed
        self.obstacle_of_server = probed

    @property
    def program(self) -> str:
        """Path of memconsole, as the platform starts it."""
        return launch.find_program("memconsole") or str(Path(sys.executable).parent / "memconsole")

    def called_at(self, name: str) -> datetime | None:
        """Return when the platform called something of ours last; None when no call was seen."""
        return None if self._calls is None else self._calls.last(name)

    def status(self, prefix: str, *, asks: bool = False) -> tuple[HookStatus, ...]:
        """Return every hook as it is now, and what proves that the platform runs it."""
        config = self._config()
        found = [self._status(spec, f"{prefix}{spec.name}", config) for spec in HOOKS]
        is_any = any(one.state is HookState.INSTALLED for one in found)
        listed = self._listed() if asks and is_any else None
        return tuple(self._proven(one, listed) for one in found)

    def _proven(self, one: HookStatus, listed: Mapping[str, str] | None) -> HookStatus:
        """Add what says that the platform runs a hook, or that it does not."""
        called_at = self.called_at(one.name)
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
        self._require_folder()
        for spec in HOOKS:
            name = f"{prefix}{spec.name}"
            if self._look(name, {}) is HookState.FOREIGN:
                raise PlatformConfigError(
                    one_line(
                        f"{self._folder / name} is a hook of somebody else, and was left alone"
                    ),
                    hint="`--prefix P` puts ours beside it under another name.",
                )
        wrote: list[Written] = []
        for spec in HOOKS:
            name = f"{prefix}{spec.name}"
            texts = self._texts(spec, name)
            if not dry_run:
                self._write(name, texts)
            for file, content in texts.items():
                wrote.append(Written(str(self._folder / name / file), len(content.encode())))
        return tuple(wrote)

    def linked(self, prefix: str) -> tuple[str, ...]:
        """Return the folders of our hooks that stand behind links; see the port."""
        places = [self._folder / f"{prefix}{spec.name}" for spec in HOOKS]
        linked = places if self._folder.is_symlink() else filter(Path.is_symlink, places)
        return tuple(str(one) for one in linked if _is_marked(one / _FILES[0]))

    def remove(self, prefix: str, *, dry_run: bool) -> tuple[str, ...]:
        """Remove our hooks, and nothing that is not ours; return the folders."""
        gone: list[str] = []
        for spec in HOOKS:
            name = f"{prefix}{spec.name}"
            try:
                with open_folder(self._home, "hooks", name) as folder:
                    if _state(folder, {}) is HookState.FOREIGN:
                        continue
                    if not dry_run:
                        self._remove(folder, name)
            except (FileNotFoundError, NotADirectoryError, UnsafeFolderError):
                continue
            except OSError as error:
                raise _failed(self._folder / name, error) from error
            gone.append(str(self._folder / name))
        return tuple(gone)

    def _status(self, spec: HookSpec, name: str, config: Mapping[str, object] | None) -> HookStatus:
        place = self._folder / name
        state = self._look(name, self._texts(spec, name))
        is_enabled = _enabled(config, name) if state is not HookState.MISSING else None
        message, hint = self._words(state, is_enabled, name)
        if state is HookState.FOREIGN:
            try:
                self._require_folder()
            except PlatformConfigError as error:  # no other name would help
                message, hint = str(error), error.hint or ""
        return HookStatus(name, str(place), state, is_enabled, message, hint)

    def _texts(self, spec: HookSpec, name: str) -> dict[str, str]:
        return {"HOOK.md": hook_md(spec, name), "handler.js": handler_js(spec, self.program)}

    def _require_folder(self) -> None:
        """Refuse a folder of hooks that is a link: who made it would choose where they go."""
        try:
            with open_folder(self._home, "hooks"):
                return
        except FileNotFoundError:
            return
        except OSError as error:
            raise _failed(self._folder, error) from error

    def _look(self, name: str, texts: Mapping[str, str]) -> HookState:
        """Tell what is in a hook's place; a link on the way there is somebody else's."""
        try:
            with open_folder(self._home, "hooks", name) as folder:
                return _state(folder, texts)
        except FileNotFoundError:
            return HookState.MISSING
        except OSError:
            return HookState.FOREIGN

    def _write(self, name: str, texts: Mapping[str, str]) -> None:
        """Put the files of a hook in their places whole: 0600 in a folder of 0700.

        They belong to the owner of the home, who runs them.
        """
        try:
            with open_folder(self._home, "hooks", name, creates=True) as folder:
                _clean(folder)
                for file, content in texts.items():
                    replace_file(folder, file, content.encode())
        except OSError as error:
            raise _failed(self._folder / name, error) from error

    def _remove(self, folder: int, name: str) -> None:
        try:
            _clean(folder)
            for file in _FILES:
                remove(folder, file)
            with open_folder(self._home, "hooks") as above:
                os.rmdir(name, dir_fd=above)
        except OSError as error:
            raise _failed(self._folder / name, error) from error

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
        enable = f"`{self._platform} hooks enable {name}`"
        return "it is installed", f"{enable} switches it on; then restart the Gateway."


def _state(folder: int, texts: Mapping[str, str]) -> HookState:
    """Tell what an open folder holds; without texts to compare, ours is `installed`.

    A folder with nothing but what a killed run of ours left is as good as missing.
    """
    names = {name for name in os.listdir(folder) if not _is_leftover(name)}
    if not names:
        return HookState.MISSING
    found = {name: _read(folder, name) for name in _FILES}
    is_marked = all(MARK in text for text in found.values() if text is not None)
    if not is_marked or names - set(_FILES) or all(text is None for text in found.values()):
        return HookState.FOREIGN
    return HookState.INSTALLED if not texts or found == texts else HookState.OUTDATED


def _is_leftover(name: str) -> bool:
    return is_temporary(name) or _OLD_TEMPORARY.fullmatch(name) is not None


def _clean(folder: int) -> None:
    """Remove what killed runs left, whoever they were: nothing but a hook is ever in there."""
    for name in os.listdir(folder):
        if _is_leftover(name):
            remove(folder, name)


def _read(folder: int, name: str) -> str | None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        return file.read(_MOST_BYTES).decode("utf-8", "replace")


def _is_marked(path: Path) -> bool:
    """Whether an ordinary file, behind links too, is one of ours; no more is told of it."""
    try:
        with open_regular(path) as file:
            return MARK.encode() in file.read(_MOST_BYTES)
    except OSError:
        return False


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


def _failed(path: Path, error: OSError) -> PlatformConfigError:
    reason = error.strerror or "no reason given"
    return PlatformConfigError(
        one_line(f"{path} cannot be written: {reason}"),
        hint="Check owner, mode and free space of the platform home.",
    )


_TIMEOUT_S: Final = 120.0
"""Measured 2 to 6 s on an idle host, and 75 s to start a server on one with a load of ten."""


def listed_hooks(program: str, home: Path, environ: Mapping[str, str]) -> dict[str, str] | None:
    """Return what keeps each hook that the platform lists from running; "" for nothing.

    None when nobody could be asked: no program, no answer, or one that is not understood.

    Args:
        program: Name of the platform's program.
        home: The state folder.
        environ: Environment of the process; the program is looked for on its PATH.
    """
    rows = _answer(program, home, environ, "hooks", "list").get("hooks")
    if not isinstance(rows, list):
        return None
    known = ((text(mapping(row).get("name")), mapping(row)) for row in rows)
    return {name: _obstacle(row) for name, row in known if name is not None}


def probed_server(program: str, home: Path, environ: Mapping[str, str], name: str) -> str | None:
    """Return what keeps an MCP server of the configuration from answering; "" for nothing.

    None when nobody could be asked. The platform's program starts the server as a Gateway does.
    """
    answer = _answer(program, home, environ, "mcp", "probe", name)
    if "servers" not in answer:
        return text(mapping(answer.get("error")).get("message"))
    if mapping(mapping(answer.get("servers")).get(name)).get("tools"):
        return ""
    told = [text(mapping(one).get("message")) for one in sequence(answer.get("diagnostics"))]
    return next((one_line(one) for one in told if one), "it offers no tools")


def _answer(
    program: str, home: Path, environ: Mapping[str, str], *words: str
) -> Mapping[str, object]:
    """Ask the platform's program; empty when it is not there or cannot be understood."""
    found = launch.find_program(program, environ)
    if found is None:
        return {}
    brand = program.upper()
    child = {**launch.environment(environ), "NO_COLOR": "1", f"{brand}_STATE_DIR": os.fspath(home)}
    done = launch.ended(found, *words, "--json", environ=child, timeout_s=_TIMEOUT_S)
    try:
        return {} if done is None else mapping(json.loads(done.stdout))
    except ValueError:
        return {}


def _obstacle(row: Mapping[str, object]) -> str:
    """Return why the platform does not run a hook; releases name the same things differently."""
    missing = mapping(row.get("missing"))
    parts = [
        f"{kind}: {', '.join(one_line(str(item)) for item in items)}"
        for kind, value in missing.items()
        if (items := sequence(value))
    ]
    if parts:
        return f"missing {'; '.join(parts)}"
    if row.get("disabled") is True or row.get("enabledByConfig") is False:
        return "switched off"
    if row.get("eligible") is False or row.get("loadable") is False:
        return text(row.get("blockedReason")) or "not eligible"
    return ""


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class HookCalls:
    """Remembers calls of the hooks of one platform home.

    Args:
        state_dir: Our own state folder.
        home: The platform's.
    """

    def __init__(self, state_dir: Path, home: Path) -> None:
        self._folder = state_dir / "hooks"
        self._home = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]

    def note(self, name: str, at: datetime) -> None:
        """Remember a call; what cannot be written is no reason to fail the call."""
        if _NAME.fullmatch(name) is None:
            return
        with (
            suppress(OSError),
            open_state_folder(self._folder.parent, self._folder.name) as folder,
        ):
            descriptor = os.open(self._path(name).name, _FLAGS, FILE_MODE, dir_fd=folder)
            try:
                adopt(descriptor, os.fstat(folder))
                os.utime(descriptor, (at.timestamp(), at.timestamp()))
            finally:
                os.close(descriptor)

    def last(self, name: str) -> datetime | None:
        """Return when a hook was called last; None when no call of it was seen."""
        try:
            return datetime.fromtimestamp(self._path(name).lstat().st_mtime, UTC)
        except (OSError, ValueError, OverflowError):
            return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{self._home}-{name}"
