"""The scheduler as a service: a systemd user unit, a launchd job, or lines for cron.

All of them are self-contained: what they run needs nothing of the environment but what they say.
"""

from __future__ import annotations

import plistlib
import shlex
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.domain.jobs.layers import Layer

NAME = "memconsole"
LABEL = "org.memconsole.serve"
MARK = "Written by `memconsole service install`; changes of yours are lost with the next one."
"""What tells our files from those of somebody else."""


class ServiceKind(StrEnum):
    """Who keeps the scheduler running."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    CRON = "cron"


@dataclass(frozen=True, slots=True)
class ServiceSetup:
    """What is to be kept running.

    Attributes:
        words: Program and arguments.
        environment: All of it.
        log: Where a manager without a journal puts what is logged.
        missing: Keys of secrets that only the caller's environment holds: no file of a service
            gets them.
        layer: The only layer whose jobs it runs; None runs all.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    log: str = ""
    missing: tuple[str, ...] = ()
    layer: Layer | None = None


_UNIT = """\
# {mark}
[Unit]
Description=memconsole: keeps the memory of OpenClaw agents{about}
StartLimitIntervalSec=10min
StartLimitBurst=5

[Service]
# It says when its jobs are planned, and gives a sign of life every few seconds.
Type=notify
NotifyAccess=main
WatchdogSec=3min
ExecStart={command}
{environment}WorkingDirectory=/
Restart=on-failure
RestartSec=15s
TimeoutStartSec=2min
# A job that runs is finished or rolled back within 10 s.
TimeoutStopSec=20s
KillMode=mixed
Nice=5
UMask=0077
# Only what a user's own manager can do everywhere: no mount namespaces.
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
"""


def unit_name(layer: Layer | None) -> str:
    """Return the name of a unit of systemd."""
    return f"{NAME}.service" if layer is None else f"{NAME}-{layer.value}.service"


def label(layer: Layer | None) -> str:
    """Return the name of a job of launchd."""
    return LABEL if layer is None else f"{LABEL}.{layer.value}"


def systemd_unit(setup: ServiceSetup) -> str:
    """Return the unit of a user's systemd.

    Raises:
        ValueError: A word or value cannot stand in a unit.
    """
    lines = (
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in setup.environment.items()
    )
    command = " ".join(_quoted(word, is_command=True) for word in setup.words)
    about = "" if setup.layer is None else f" (layer {setup.layer.value})"
    return _UNIT.format(mark=MARK, about=about, command=command, environment="".join(lines))


def _quoted(word: str, *, is_command: bool = False) -> str:
    """Return a word as systemd reads it back: `%` and, in commands, `$` would mean something."""
    _require_plain(word)
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    if is_command:
        text = text.replace("$", "$$")
    is_simple = text.replace("%%", "").replace("$$", "") and not set(text) & set(" \t'\"\\;#")
    return text if is_simple else f'"{text}"'


def launchd_job(setup: ServiceSetup) -> str:
    """Return the property list of a launchd agent."""
    for word in (*setup.words, *setup.environment.values()):
        _require_plain(word)
    job = {
        "Label": label(setup.layer),
        "ProgramArguments": list(setup.words),
        "EnvironmentVariables": dict(setup.environment),
        "WorkingDirectory": "/",
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 15,
        "ExitTimeOut": 20,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Umask": 0o077,
        "StandardOutPath": setup.log,
        "StandardErrorPath": setup.log,
    }
    text = plistlib.dumps(job, sort_keys=False).decode()
    head, separator, rest = text.partition("<plist")
    return f"{head}<!-- {MARK} -->\n{separator}{rest}"


def cron_lines(setup: ServiceSetup) -> str:
    """Return lines for a crontab: one at the start, and one that starts what has ended.

    A second scheduler, or one of the same layer, ends at once, so that the second line does no
    harm.
    """
    pairs = (f"{name}={_for_shell(value)}" for name, value in setup.environment.items())
    words = (_for_shell(word) for word in setup.words)
    line = " ".join(["/usr/bin/env", "-i", *pairs, *words])
    folder = _for_shell(setup.log.rpartition("/")[0])
    run = f"cd /; umask 077; mkdir -p {folder}; {line} >/dev/null 2>>{_for_shell(setup.log)}"
    run = run.replace("%", "\\%")
    return f"# {MARK}\n@reboot {run}\n*/10 * * * * {run}\n"


def _for_shell(word: str) -> str:

    _require_plain(word)
    return shlex.quote(word)


def _require_plain(word: str) -> None:
    if any(ord(char) < 32 or ord(char) == 127 for char in word):
        raise ValueError("control characters cannot stand in a service")


def commands(
    kind: ServiceKind, path: str, uid: int, layer: Layer | None = None
) -> Sequence[tuple[str, ...]]:
    """Return what makes the manager take a service that has been written."""
    unit = unit_name(layer)
    told: dict[ServiceKind, Sequence[tuple[str, ...]]] = {
        ServiceKind.SYSTEMD: (
            ("systemctl", "--user", "daemon-reload"),
            ("systemctl", "--user", "enable", unit),
            ("systemctl", "--user", "restart", unit),
        ),
        ServiceKind.LAUNCHD: (("launchctl", "bootstrap", f"gui/{uid}", path),),
    }
    return told.get(kind, ())


def removals(kind: ServiceKind, uid: int, layer: Layer | None = None) -> Sequence[tuple[str, ...]]:
    """Return what makes the manager let go of a service, before its file goes."""
    told: dict[ServiceKind, Sequence[tuple[str, ...]]] = {
        ServiceKind.SYSTEMD: (("systemctl", "--user", "disable", "--now", unit_name(layer)),),
        ServiceKind.LAUNCHD: (("launchctl", "bootout", f"gui/{uid}/{label(layer)}"),),
    }
    return told.get(kind, ())
