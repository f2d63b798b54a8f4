"""Delivers alerts by the channels of the settings (port `AlertChannel`).

What a channel loads is loaded by a child, which is bounded in time and ended with all it has
started. One channel is always there: `health/alerts.log`, one JSON object a line.

A secret is written as `${NAME}`, for a variable or a line of the secrets file. That file belongs to
the user and nobody else may read it; its lines are read and never executed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from memconsole.adapters.alerts.extra import INSTALL, missing
from memconsole.errors import DeliveryError
from memconsole.system import launch
from memconsole.system.atomic_file import append_to
from memconsole.system.folders import open_state_folder
from memconsole.system.launch import find_program, own_module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.settings.channels import ChannelSettings
    from memconsole.domain.settings.sections import AlertSettings
    from memconsole.errors import ConfigError


TIMEOUT_S = 10.0
"""How long a delivery may take."""

_START_S = 10.0
"""How long the child may take to begin on a busy host."""

_CHILD = own_module("memconsole.adapters.alerts.child")


class _Named:
    """What the channels of the settings have in common: name, kind, and the time for a delivery.

    Args:
        settings: Of the channel.
        timeout_s: How long a delivery may take.
    """

    def __init__(self, settings: ChannelSettings, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self.name = settings.name
        self.kind = settings.type


class ChildChannel(_Named):
    """Slack, a webhook, or an address for Apprise: delivered by a process of its own.

    Args:
        settings: With `${NAME}` for secrets.
        secrets: Fills them in when a message is sent.
        timeout_s: How long a delivery may take.
    """

    def __init__(
        self, settings: ChannelSettings, secrets: Secrets, timeout_s: float = TIMEOUT_S
    ) -> None:
        super().__init__(settings, timeout_s)
        self._settings = settings
        self._secrets = secrets

    def check(self) -> None:
        """See whether every secret is there, and the library that delivers.

        Raises:
            DeliveryError: One is missing.
        """
        self._filled()

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Deliver one message.

        Raises:
            DeliveryError: It was not delivered; names no secret.
        """
        found = self._filled()
        question = {
            "kind": found.type,
            "url": found.url,
            "token": found.token,
            "channel": found.channel,
            "message": message,
            "timeout_s": self._timeout_s,
        }
        data = json.dumps(question).encode()
        limit_s = self._timeout_s + _START_S
        ended = run(_CHILD, data, timeout_s=limit_s, cancel=cancel, reads=True)
        try:
            answer = json.loads(ended.out)
        except ValueError:
            raise DeliveryError(f"its process ended with code {ended.code}") from None
        if answer["error"] is not None:
            raise DeliveryError(str(answer["error"]), is_final=bool(answer["is_final"]))

    def _filled(self) -> ChannelSettings:
        if lack := missing(self.kind):
            raise DeliveryError(lack, INSTALL, is_final=True)
        fill = self._secrets.fill
        found = self._settings
        return replace(
            found, url=fill(found.url), token=fill(found.token), channel=fill(found.channel)
        )


class CommandChannel(_Named):
    """A program of the operator's: the message is JSON on its standard input.

    Args:
        settings: With the program, by a name on PATH or its whole path, and its arguments.
        timeout_s: How long it may take.
    """

    def __init__(self, settings: ChannelSettings, timeout_s: float = TIMEOUT_S) -> None:
        super().__init__(settings, timeout_s)
        self._words = settings.command

    def check(self) -> None:
        """See whether the program is there.

        Raises:
            DeliveryError: It is not.
        """
        self._program()

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Run the program.

        Raises:
            DeliveryError: It could not run, took too long, or did not end with 0.
        """
        data = json.dumps(message).encode() + b"\n"
        words = (self._program(), *self._words[1:])
        ended = run(words, data, timeout_s=self._timeout_s, cancel=cancel)
        if ended.code != 0:
            how = f"by signal {-ended.code}" if ended.code < 0 else f"with code {ended.code}"
            raise DeliveryError(f"{self._words[0]} ended {how}")

    def _program(self) -> str:
        found = find_program(self._words[0])
        if found is None:
            hint = "Name a program on PATH, or its whole path: what is relative is not run."
            raise DeliveryError(f"there is no program {self._words[0]}", hint, is_final=True)
        return found


class DesktopChannel(_Named):
    """A notification on this host's desktop, by `notify-send` or macOS's `osascript`.

    The words are arguments of that program: secrets were masked in them before.
    """

    def check(self) -> None:
        """See whether the program is there.

        Raises:
            DeliveryError: It is not.
        """
        self._program()

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Show one message.

        Raises:
            DeliveryError: There is no program, no desktop, or it took too long.
        """
        is_urgent = message["severity"] == "critical"
        words = self._words(str(message["title"]), str(message["text"]), is_urgent=is_urgent)
        program = self._program()
        ended = run((program, *words), b"", timeout_s=self._timeout_s, cancel=cancel)
        if ended.code != 0:
            raise DeliveryError(f"{program} ended with code {ended.code}: is there a desktop?")

    def _program(self) -> str:
        name = "osascript" if sys.platform == "darwin" else "notify-send"
        found = find_program(name)
        if found is None:
            hint = "On Debian it is in libnotify-bin."
            message = f"there is no program {name}, which shows notifications"
            raise DeliveryError(message, hint, is_final=True)
        return found

    def _words(self, title: str, text: str, *, is_urgent: bool) -> tuple[str, ...]:
        if sys.platform == "darwin":
            script = "display notification (item 2 of argv) with title (item 1 of argv)"
            lines = ("on run argv", script, "end run")
            return (*(word for line in lines for word in ("-e", line)), title, text)
        urgency = "critical" if is_urgent else "normal"
        body = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return ("--app-name=memconsole", f"--urgency={urgency}", "--", title, body)


class RefusedChannels:
    """Stands for all channels of a configuration that cannot be used: every message fails.

    Args:
        error: What is wrong with it.
    """

    name = "alerts"
    kind = "configuration"

    def __init__(self, error: ConfigError) -> None:
        self._error = error

    def check(self) -> None:
        """Say why nobody can be told.

        Raises:
            DeliveryError: Always.
        """
        raise DeliveryError(str(self._error), self._error.hint, is_final=True)

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Say why nobody is told.

        Raises:
            DeliveryError: Always.
        """
        del message, cancel
        self.check()


def log_channel(state_dir: Path) -> LogChannel:
    """Return the channel that is always there."""
    return LogChannel(state_dir / "health" / "alerts.log")


Channel: TypeAlias = ChildChannel | CommandChannel | DesktopChannel


def build_channels(settings: AlertSettings, environ: Mapping[str, str]) -> tuple[Channel, ...]:
    """Return the channels of the settings; one of type log is the log that is there anyway."""
    secrets = Secrets(environ, settings.secrets_file)
    found: list[Channel] = []
    for one in settings.all_channels():
        if one.type == "command":
            found.append(CommandChannel(one))
        elif one.type == "desktop":
            found.append(DesktopChannel(one))
        elif one.type != "log":
            found.append(ChildChannel(one, secrets))
    return tuple(found)


class LogChannel:
    """Appends to a file of ours, 0600; a link in its place is refused.

    Args:
        path: The file; its folder is made when needed.
    """

    name = kind = "log"

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self) -> None:
        """See whether it can be written.

        Raises:
            DeliveryError: It cannot.
        """
        place = self._path if self._path.exists() else self._path.parent
        while not place.exists() and place != place.parent:
            place = place.parent
        if not os.access(place, os.W_OK):
            raise DeliveryError(f"{self._path} cannot be written", is_final=True)

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Append one line whole.

        Raises:
            DeliveryError: It cannot be written.
        """
        del cancel
        line = json.dumps(message, ensure_ascii=False) + "\n"
        try:
            with open_state_folder(self._path.parent.parent, self._path.parent.name) as folder:
                append_to(folder, self._path.name, line.encode())
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            raise DeliveryError(
                f"{self._path} cannot be written: {reason}",
                "Check owner, mode and free space of the state folder.",
                is_final=True,
            ) from error


_LOOK_S = 0.25


class Stop(Protocol):
    """Tells whether to end early (`ports.StopSignal`)."""

    def is_set(self) -> bool:
        """Whether it was asked for."""


class Ended(NamedTuple):
    """How a program ended, and what it wrote when that was asked for."""

    code: int
    out: bytes


def run(
    words: Sequence[str],
    data: bytes,
    *,
    timeout_s: float,
    cancel: Stop | None,
    reads: bool = False,
) -> Ended:
    """Run a program, without a shell, and wait for its end.

    Args:
        words: Program and arguments; no secret is among them.
        data: What it reads from standard input.
        timeout_s: How long it may take.
        cancel: Ends it within half a second.
        reads: Keep what it writes to standard output.

    Raises:
        DeliveryError: It cannot be started, took too long, or was cancelled.
    """
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if reads else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=launch.environment(),
            cwd=launch.FOLDER,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be started"
        raise DeliveryError(f"{words[0]}: {reason.lower()}", is_final=True) from error
    with process:
        end_s = time.monotonic() + timeout_s
        first: bytes | None = data
        while True:
            try:
                out, _ = process.communicate(first, timeout=_LOOK_S)
            except subprocess.TimeoutExpired:
                first = None  # it was taken the first time
                if time.monotonic() < end_s and not (cancel is not None and cancel.is_set()):
                    continue
                _end(process)
                raise DeliveryError(_why(timeout_s, cancel)) from None
            return Ended(process.returncode, out or b"")


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _why(timeout_s: float, cancel: Stop | None) -> str:
    if cancel is not None and cancel.is_set():
        return "told to end before it was delivered"
    return f"no answer within {timeout_s:g} s"


_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")

_MOST_BYTES = 65_536


class Secrets:
    """Fills in `${NAME}`; the environment wins over the file, which is read when it is needed.

    Args:
        environ: The process's environment.
        path: The secrets file; None when there is none.
    """

    def __init__(self, environ: Mapping[str, str], path: Path | None) -> None:
        self._environ = environ
        self._path = path

    def fill(self, text: str) -> str:
        """Return the text with every `${NAME}` replaced.

        Raises:
            DeliveryError: A name is unknown, or the file may not be used; names no secret.
        """
        wanted = set(_NAME.findall(text))
        if not wanted:
            return text
        known = {name: self._environ[name] for name in wanted if self._environ.get(name)}
        if self._path is not None and wanted - known.keys():
            known = {**read(self._path), **known}
        if missing := sorted(wanted - known.keys()):
            place = f" nor a line of {self._path}" if self._path is not None else ""
            raise DeliveryError(
                f"{', '.join(missing)} is neither a variable of the environment{place}"
                if place
                else f"{', '.join(missing)} is no variable of the environment",
                "Set it there, or in the file that `alerts.secrets_file` names.",
                is_final=True,
            )
        return _NAME.sub(lambda found: known[found[1]], text)


def read(path: Path) -> dict[str, str]:
    """Return the lines `KEY=VALUE` of a file; nothing in them is expanded.

    Blank lines and those that begin with `#` are passed over; one pair of quotes around a value is
    taken away.

    Raises:
        DeliveryError: It is missing, belongs to somebody else, or others may read it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DeliveryError(f"the secrets file {path}: {reason}", is_final=True) from error
    with os.fdopen(descriptor, "rb") as file:
        _require_private(path, os.fstat(descriptor))
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise DeliveryError(f"the secrets file {path} is larger than 64 KB", is_final=True)
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if not text.startswith("#") and (pair := _LINE.fullmatch(text)):
            found[pair[1]] = _unquoted(pair[2])
    return found


def _require_private(path: Path, status: os.stat_result) -> None:
    hint = f"chmod 600 {path}"
    if not stat.S_ISREG(status.st_mode):
        raise DeliveryError(f"the secrets file {path} is no file", is_final=True)
    if status.st_uid != os.geteuid():
        raise DeliveryError(f"the secrets file {path} belongs to somebody else", is_final=True)
    if status.st_mode & 0o077:
        raise DeliveryError(f"others may read the secrets file {path}", hint, is_final=True)


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
