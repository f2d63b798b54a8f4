"""Changes the platform's configuration file: the one place that writes into it.

Promises: a copy of what was there lies in our own state folder before anything changes; the file is
the old one or the new one at every moment; mode and owner stay; a file that someone changed
meanwhile, a link in its place or a file with more names is left alone.

The platform's own program (`openclaw config set KEY VALUE`) checks values by its own schema, orders
the file anew as plain JSON and writes defaults into it: it is only asked where an operator wants
that, and where it loses no comment.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import time
from contextlib import contextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING

from memconsole.adapters.platform.config.json5_file import (
    ConfigSyntaxError,
    decode_json5,
    read_bytes,
)
from memconsole.adapters.platform.config.parts import ConfigPartError, read_parts
from memconsole.adapters.platform.config.read import find_config
from memconsole.domain.commands.outcomes import Written
from memconsole.domain.config_check.finding import ConfigPart, ConfigText, ConfigWhole
from memconsole.errors import ConcurrentEditError, PlatformConfigError
from memconsole.system import launch
from memconsole.system.atomic_file import (
    FILE_MODE,
    NEW,
    clean_leftovers,
    create_file,
    remove,
    temporary_name,
    write_all,
)
from memconsole.system.folders import open_state_folder
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.domain.config_check.finding import Change


_HINTS = {
    errno.ENOSPC: "Free some space on that disk; the old file is whole.",
    errno.EDQUOT: "The disk quota is used up; the old file is whole.",
    errno.EROFS: "The file system is mounted read-only.",
    errno.EACCES: "Check owner and mode of the file and its folder.",
    errno.EPERM: "Check owner and mode of the file and its folder.",
    errno.EFBIG: "A file size limit of this process was reached; the old file is whole.",
}
_MOST_HOOKS = 500
_LEFTOVER_S = 60.0
"""Age in seconds at which a temporary file that names no process belongs to no run any more."""


def _unobserved(step: str) -> None:
    del step


class DiskConfigFile:
    """The configuration of one home (the port `ConfigFile`).

    Args:
        choice: The home.
        environ: For the variables that name a configuration, and for the platform's program.
        backups: Folder of ours for the copies.
        now: The wall clock, for their names.
        max_backups: Copies to keep.
        steps: Called with a word after each step of a write; a test can end the process there.
    """

    def __init__(
        self,
        choice: HomeChoice,
        environ: Mapping[str, str],
        backups: Path,
        *,
        now: Callable[[], datetime],
        max_backups: int = 10,
        steps: Callable[[str], None] = _unobserved,
    ) -> None:
        self.steps = steps
        self._choice = choice
        self._environ = environ
        self._backups = backups
        self._now = now
        self._max_backups = max_backups

    def read(self) -> ConfigText | None:
        """Read it whole, with the version it had; None when there is none."""
        path = find_config(self._choice, self._environ)
        if path is None:
            return None
        with _telling(path, "read"):
            data = read_bytes(path)
            status = path.stat()
            named = path.lstat()
        if not json.detect_encoding(data).startswith("utf-8"):
            raise PlatformConfigError(
                f"{_shown(path)} is not written in UTF-8", "Save it as UTF-8 first."
            )
        text = data.decode("utf-8", "surrogateescape")
        return ConfigText(
            path=path,
            text=text,
            version=_version(data, status),
            root=_decoded(data, _shown(path)),
            is_plain=_is_plain(text),
            mode=f"{stat.S_IMODE(status.st_mode):04o}",
            obstacle=_obstacle(named)[0],
        )

    def whole(self, seen: ConfigText) -> ConfigWhole:
        """Return what it says with its parts; see the port."""
        try:
            root, found = read_parts(seen.path, seen.root)
        except ConfigPartError as error:
            raise PlatformConfigError(f"{_shown(seen.path)} cannot be read: {error}") from None
        return ConfigWhole(root, tuple(ConfigPart(*one) for one in found))

    def decode(self, text: str) -> Mapping[str, object]:
        """Decode a text that may be written."""
        return _decoded(_encoded(text), "the changed configuration")

    def back_up(self, seen: ConfigText) -> Written:
        """Copy what was read into our own state folder, and forget the oldest copies.

        Raises:
            PlatformConfigError: It cannot be written; nothing may be changed then.
        """
        data = _encoded(seen.text)
        return keep_copy(self._backups, data, now=self._now(), most=self._max_backups)

    def replace(self, text: str, *, seen: ConfigText) -> Written:
        """Replace it whole; see the port for the promises.

        Raises:
            ConcurrentEditError: The file is not the one that was seen; it was left alone.
            PlatformConfigError: Refused or failed; the old file is whole.
        """
        data = _encoded(text)
        path = seen.path
        with _telling(path, "replaced"), _folder(path) as folder:
            status = _require_ordinary(path, folder)
            _forget_leftovers(folder, path.name)
            with self._temporary(folder) as (name, descriptor):
                self._fill(descriptor, data, status)
                if _seen_now(path, folder) != seen.version:
                    raise ConcurrentEditError(_shown(path))
                self.steps("compared")
                os.replace(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
                self.steps("replaced")
            os.fsync(folder)
            _require_written(path, folder, data)
        return Written(str(path), len(data), f"{stat.S_IMODE(status.st_mode):04o}")

    def sweep(self) -> tuple[Path, ...]:
        """Remove what killed runs of ours left beside the configuration; see the port."""
        path = find_config(self._choice, self._environ)
        if path is None:
            return ()
        try:
            with _folder(path) as folder:
                return tuple(path.with_name(one) for one in _forget_leftovers(folder, path.name))
        except OSError:
            return ()

    def set_by_program(self, changes: Sequence[Change]) -> bool:
        """Let the platform's own program set values; False when it is not there or refused."""
        path = find_config(self._choice, self._environ)
        return path is not None and set_values(changes, path, self._choice.path, self._environ)

    def hooks(self) -> Mapping[str, frozenset[str]] | None:
        """Return the files of each hook folder by name; None when they cannot be listed."""
        try:
            with os.scandir(self._choice.path / "hooks") as found:
                names = sorted(entry.name for entry in found if entry.is_dir())
        except FileNotFoundError:
            return {}
        except OSError:
            return None
        return {name: self._files(name) for name in names[:_MOST_HOOKS]}

    def _files(self, name: str) -> frozenset[str]:
        try:
            return frozenset(one.name for one in (self._choice.path / "hooks" / name).iterdir())
        except OSError:
            return frozenset()

    @contextmanager
    def _temporary(self, folder: int) -> Iterator[tuple[str, int]]:
        """Make an empty file beside the target; it is gone afterwards, whatever happens."""
        with temporary_name() as name:
            descriptor = os.open(name, NEW, FILE_MODE, dir_fd=folder)
            try:
                self.steps("temporary-made")
                yield name, descriptor
            finally:
                os.close(descriptor)
                remove(folder, name)

    def _fill(self, descriptor: int, data: bytes, like: os.stat_result) -> None:
        write_all(descriptor, data)
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
            os.fchown(descriptor, like.st_uid, like.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        os.fsync(descriptor)
        self.steps("temporary-written")


def _decoded(data: bytes, name: str) -> Mapping[str, object]:
    try:
        root = decode_json5(data)
    except ConfigSyntaxError as error:
        raise PlatformConfigError(f"{name} cannot be read: {error}") from None
    if not isinstance(root, dict):
        raise PlatformConfigError(f"{name} holds no object")
    return root


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _is_plain(text: str) -> bool:
    """Whether a program that rewrites it as plain JSON would lose nothing."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _version(data: bytes, status: os.stat_result) -> tuple[int, int, str]:
    return status.st_mtime_ns, len(data), hashlib.sha256(data).hexdigest()


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    """Hold the folder open, so that what was checked is what is used."""
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _forget_leftovers(folder: int, beside: str) -> tuple[str, ...]:
    """Remove what killed runs left beside the file: the token of the Gateway is in it, too."""
    gone = list(clean_leftovers(folder))
    earlier = re.compile(rf"\.{re.escape(beside)}\.memconsole-[0-9a-f]{{16}}\.tmp")
    for name in filter(earlier.fullmatch, os.listdir(folder)):
        with suppress(OSError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if time.time() - status.st_mtime > _LEFTOVER_S:
                remove(folder, name)
                gone.append(name)
    return tuple(gone)


def _require_ordinary(path: Path, folder: int) -> os.stat_result:
    found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    why, hint = _obstacle(found)
    if why:
        raise PlatformConfigError(f"{_shown(path)} {why} and was left alone", hint)
    return found


def _obstacle(found: os.stat_result) -> tuple[str, str]:
    """Return why a file is never changed, and what would help; empty for an ordinary one."""
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link", "Change the file that it names by hand."
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        return "is no file of its own", "It has more names (hard links), or is no file at all."
    return "", ""


def _seen_now(path: Path, folder: int) -> tuple[int, int, str]:
    descriptor = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        return _version(file.read(), os.fstat(descriptor))


def _require_written(path: Path, folder: int, data: bytes) -> None:
    if _seen_now(path, folder)[1:] != (len(data), hashlib.sha256(data).hexdigest()):
        raise PlatformConfigError(
            f"{_shown(path)} is not what was written to it a moment ago",
            "Someone else replaced it right away: look at it before trying again.",
        )


@contextmanager
def _telling(path: Path, verb: str) -> Iterator[None]:
    """Turn what the system refuses into one sentence."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        hint = _HINTS.get(error.errno or 0, "")
        raise PlatformConfigError(f"{_shown(path)} cannot be {verb}: {reason}", hint) from error


def _shown(path: Path) -> str:
    return one_line(str(path))


_NAME = re.compile(r"config-\d{8}-\d{6}(?:-\d{2})?\.json")


def keep_copy(folder: Path, data: bytes, *, now: datetime, most: int) -> Written:
    """Write a copy, 0600, into a folder of our state folder; the oldest go, so that `most` remain.

    Raises:
        PlatformConfigError: It cannot be written.
    """
    try:
        with open_state_folder(folder.parent, folder.name) as place:
            name = _write(place, data, f"config-{now:%Y%m%d-%H%M%S}")
            _forget_oldest(place, name, most)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise PlatformConfigError(
            f"no copy of the configuration can be kept in {one_line(str(folder))}: {reason}",
            "Nothing was changed; check the state folder of memconsole.",
        ) from error
    return Written(str(folder / name), len(data), "0600")


def _write(folder: int, data: bytes, stem: str) -> str:
    """Write under a name of its own: two changes may come within a second."""
    for number in count(1):
        name = f"{stem}.json" if number == 1 else f"{stem}-{number:02}.json"
        try:
            create_file(folder, name, data)
        except FileExistsError:
            continue
        return name
    raise AssertionError("counting never ends")


def _forget_oldest(folder: int, newest: str, most: int) -> None:
    """Names sort by time; what is not named like a copy is not ours."""
    found = [name for name in os.listdir(folder) if _NAME.fullmatch(name) and name != newest]
    found.sort(key=lambda name: name.removesuffix(".json"))
    for name in found[: max(0, len(found) - most + 1)]:
        with suppress(OSError):
            remove(folder, name)


_PROGRAMS = ("openclaw", "moltbot", "clawdbot")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_TIMEOUT_S = 60.0
"""Of one value: measured 3 to 25 s."""


def set_values(
    changes: Sequence[Change], config: Path, home: Path, environ: Mapping[str, str]
) -> bool:
    """Set one value after the other; False when the program is not there, or refuses one.

    Args:
        changes: What to set; a key with a dot in its name is no path and is not tried.
        config: The configuration file.
        home: The state folder.
        environ: Environment of the process; the program is looked for on its PATH.
    """
    found = (launch.find_program(name, environ) for name in _PROGRAMS)
    program = next((one for one in found if one is not None), None)
    if program is None or not all(map(_is_path, changes)):
        return False
    child = {**launch.environment(environ), "NO_COLOR": "1"}
    for brand in ("OPENCLAW", "MOLTBOT", "CLAWDBOT"):
        child[f"{brand}_STATE_DIR"] = os.fspath(home)
        child[f"{brand}_CONFIG_PATH"] = os.fspath(config)
    for change in changes:
        words = ("config", "set", change.key, _argument(change))
        done = launch.ended(program, *words, environ=child, timeout_s=_TIMEOUT_S)
        if done is None or done.returncode:
            return False
    return True


def _is_path(change: Change) -> bool:
    return all(_PLAIN_KEY.fullmatch(key) for key in change.keys)


def _argument(change: Change) -> str:
    """The program reads a value as JSON5 where it can, else as a text."""
    return change.value if isinstance(change.value, str) else json.dumps(change.value)
