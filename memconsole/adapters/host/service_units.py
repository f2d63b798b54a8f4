"""Writes and removes the files of service managers, and asks them to follow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.jobs import service_units as units
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.jobs.service_units import MARK, ServiceKind
from memconsole.errors import ServiceError
from memconsole.lazy_dataclass import dataclass
from memconsole.system import launch
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import make_folder, open_folder
from memconsole.system.regular_file import open_regular
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.domain.jobs.service_units import ServiceSetup

_PATIENCE_S = 30.0
_LOOK_S = 5.0

Result = tuple[int, str]
"""Exit code, and what was said."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """One service as it is, or as it would be.

    Attributes:
        path: Of its file; None of cron, whose lines somebody puts in by hand.
        text: What the file holds, or would hold.
        is_installed: The file is there and ours.
        is_current: It is what would be written now.
        is_enabled: It starts by itself; None when the manager cannot be asked.
        is_active: It runs; None when the manager cannot be asked.
        commands: What the manager is, or would be, told.
        layer: The only layer whose jobs it runs; None runs all.
    """

    kind: ServiceKind
    path: Path | None
    text: str
    is_installed: bool = False
    is_current: bool = False
    is_enabled: bool | None = None
    is_active: bool | None = None
    commands: tuple[str, ...] = ()
    layer: Layer | None = None


class ServiceUnits:
    """The services of this user.

    Args:
        environ: The process's environment.
        user_home: Of this user.
        run: Runs a program; tests bring their own.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        user_home: Path,
        run: Callable[[Sequence[str], float], Result] | None = None,
    ) -> None:
        self._environ = environ
        self._home = user_home
        self._run = run or _run

    def usual_kind(self) -> ServiceKind:
        """Return the kind of this host."""
        if sys.platform == "darwin":
            return ServiceKind.LAUNCHD
        return ServiceKind.SYSTEMD if launch.find_program("systemctl") else ServiceKind.CRON

    def path(self, kind: ServiceKind, layer: Layer | None = None) -> Path | None:
        """Return where the file of a service is."""
        match kind:
            case ServiceKind.SYSTEMD:
                named = self._environ.get("XDG_CONFIG_HOME", "")
                base = Path(named) if named.startswith("/") else self._home / ".config"
                return base / "systemd" / "user" / units.unit_name(layer)
            case ServiceKind.LAUNCHD:
                return self._home / "Library" / "LaunchAgents" / f"{units.label(layer)}.plist"
            case ServiceKind.CRON:
                return None

    def planned(self, kind: ServiceKind, setup: ServiceSetup) -> ServiceState:
        """Return what `install` would write and say; nothing is changed or asked.

        Raises:
            ServiceError: A path cannot stand in such a file.
        """
        makers = {
            ServiceKind.SYSTEMD: units.systemd_unit,
            ServiceKind.LAUNCHD: units.launchd_job,
            ServiceKind.CRON: units.cron_lines,
        }
        try:
            text = makers[kind](setup)
        except ValueError as error:
            raise ServiceError(f"no service can be written: {error}") from error
        path = self.path(kind, setup.layer)
        found = None if path is None else _read(path)
        told = units.commands(kind, str(path), os.getuid(), setup.layer)
        return ServiceState(
            kind,
            path,
            text,
            is_installed=found is not None and MARK in found,
            is_current=found == text,
            commands=tuple(" ".join(words) for words in told),
            layer=setup.layer,
        )

    def status(self, kind: ServiceKind, setup: ServiceSetup) -> ServiceState:
        """Return a service as it is, as far as its manager says."""
        planned = self.planned(kind, setup)
        if planned.path is None or not planned.is_installed or not self._is_reachable(kind):
            return planned
        enabled, active = self._asked(kind, setup.layer)
        return ServiceState(
            kind,
            planned.path,
            _read(planned.path) or "",
            is_installed=True,
            is_current=planned.is_current,
            is_enabled=enabled,
            is_active=active,
            layer=setup.layer,
        )

    def installed(self, kind: ServiceKind) -> tuple[Layer | None, ...]:
        """Return whose files are there and ours: the whole scheduler's (None), and layers'."""
        paths = {layer: self.path(kind, layer) for layer in (None, *Layer)}
        return tuple(
            layer
            for layer, path in paths.items()
            if path is not None and MARK in (_read(path) or "")
        )

    def install(self, kind: ServiceKind, setup: ServiceSetup) -> tuple[ServiceState, bool]:
        """Write the file and tell the manager; return whether there was one to tell.

        Raises:
            ServiceError: The file cannot be written or is somebody else's, or the manager refuses.
        """
        planned = self.planned(kind, setup)
        if planned.path is None:
            return planned, False
        _require_ours(planned.path)
        _write(planned.path, planned.text)
        if kind is ServiceKind.LAUNCHD:  # it makes the log, and not the folder around it
            make_folder(Path(setup.log).parent)
        if not self._is_reachable(kind):
            return planned, False
        if kind is ServiceKind.LAUNCHD:  # it knows the old file until it is told
            self._tell(units.removals(kind, os.getuid(), setup.layer), is_required=False)
        told = units.commands(kind, str(planned.path), os.getuid(), setup.layer)
        self._tell(told, is_required=True)
        return planned, True

    def remove(self, kind: ServiceKind, layer: Layer | None = None) -> Path | None:
        """Tell the manager and remove the file; None when there was none.

        Raises:
            ServiceError: The file is somebody else's or cannot be removed.
        """
        path = self.path(kind, layer)
        if path is None or not os.path.lexists(path):
            return None
        _require_ours(path)
        is_reachable = self._is_reachable(kind)
        if is_reachable:
            self._tell(units.removals(kind, os.getuid(), layer), is_required=False)
        try:
            path.unlink()
        except OSError as error:
            raise _cannot(path, "removed", error) from error
        if is_reachable and kind is ServiceKind.SYSTEMD:
            self._tell((("systemctl", "--user", "daemon-reload"),), is_required=False)
        return path

    def _is_reachable(self, kind: ServiceKind) -> bool:
        if kind is ServiceKind.LAUNCHD:
            return sys.platform == "darwin" and launch.find_program("launchctl") is not None
        code, _ = self._run(("systemctl", "--user", "show-environment"), _LOOK_S)
        return code == 0

    def _asked(self, kind: ServiceKind, layer: Layer | None) -> tuple[bool | None, bool | None]:
        if kind is ServiceKind.LAUNCHD:
            code, _ = self._run(
                ("launchctl", "print", f"gui/{os.getuid()}/{units.label(layer)}"), _LOOK_S
            )
            return None, code == 0
        unit = units.unit_name(layer)
        enabled, _ = self._run(("systemctl", "--user", "is-enabled", unit), _LOOK_S)
        active, _ = self._run(("systemctl", "--user", "is-active", unit), _LOOK_S)
        return enabled == 0, active == 0

    def _tell(self, commands: Sequence[Sequence[str]], *, is_required: bool) -> None:
        for words in commands:
            code, said = self._run(words, _PATIENCE_S)
            if code != 0 and is_required:
                raise ServiceError(
                    one_line(f"`{' '.join(words)}` ended with code {code}: {said[:300]}"),
                    hint="The file is written; run the command by hand to see more.",
                )


def _run(words: Sequence[str], timeout_s: float) -> Result:
    program = launch.find_program(words[0])
    if program is None:
        return 127, f"there is no {words[0]}"
    try:
        done = subprocess.run(
            (program, *words[1:]),
            capture_output=True,
            env=launch.environment(),
            cwd=launch.FOLDER,
            timeout=timeout_s,
            check=False,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, type(error).__name__
    return done.returncode, (done.stderr or done.stdout).strip()


def _read(path: Path) -> str | None:
    try:
        with open_regular(path) as file:
            return file.read().decode()
    except (OSError, UnicodeDecodeError):
        return None


def _require_ours(path: Path) -> None:
    """Refuse what somebody else has put there, and links."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or MARK not in (_read(path) or ""):
        raise ServiceError(
            f"{path} was not written by memconsole; it was left alone",
            hint="Move it away, or keep it and leave this command out.",
        )


def _write(path: Path, text: str) -> None:
    try:
        with open_folder(path.parent, creates=True) as folder:
            replace_file(folder, path.name, text.encode())
    except OSError as error:
        raise _cannot(path, "written", error) from error


def _cannot(path: Path, verb: str, error: OSError) -> ServiceError:
    return ServiceError(f"{path} cannot be {verb}: {(error.strerror or 'no reason given').lower()}")
