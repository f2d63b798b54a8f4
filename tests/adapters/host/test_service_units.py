"""Services: golden files, what their readers make of them, and what managers are told."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.host.service_units import ServiceUnits
from memconsole.domain.jobs.service_units import (
    MARK,
    ServiceKind,
    ServiceSetup,
    cron_lines,
    launchd_job,
    systemd_unit,
)
from memconsole.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLDEN = Path(__file__).with_name("golden")
SETUP = ServiceSetup(
    ("/opt/memconsole/bin/python", "-P", "-m", "memconsole", "--serve"),
    {
        "HOME": "/home/one",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "MEMCONSOLE_STATE__DIR": "/home/one/.local/state/memconsole",
        "MEMCONSOLE_HOME": '/home/one/50% of $HOME/"my" .openclaw',
    },
    "/home/one/.local/state/memconsole/logs/serve.log",
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("memconsole.service", systemd_unit(SETUP)),
        ("org.memconsole.serve.plist", launchd_job(SETUP)),
        ("crontab", cron_lines(SETUP)),
    ],
)
def test_files_are_the_golden_ones(name: str, text: str) -> None:
    assert text == (GOLDEN / name).read_text("utf-8")


def unit_of(text: str) -> tuple[list[str], dict[str, str]]:
    """Return words and environment of a unit, as systemd reads them."""
    lines = text.splitlines()
    [command] = [one.partition("=")[2] for one in lines if one.startswith("ExecStart=")]
    pairs = [one.partition("=")[2] for one in lines if one.startswith("Environment=")]
    words = [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(command)]
    values = [shlex.split(pair)[0].replace("%%", "%").partition("=") for pair in pairs]
    return words, {name: value for name, _, value in values}


WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)


@given(WORDS, WORDS)
def test_whatever_a_path_holds_is_read_back(word: str, value: str) -> None:
    setup = ServiceSetup((word, "--serve"), {"X": value}, "/log")
    assert unit_of(systemd_unit(setup)) == ([word, "--serve"], {"X": value})
    job = plistlib.loads(launchd_job(setup).encode())
    assert (job["ProgramArguments"], job["EnvironmentVariables"]) == (
        [word, "--serve"],
        {"X": value},
    )
    line = cron_lines(setup).splitlines()[1].replace("\\%", "%")
    words = shlex.split(line)
    assert [f"X={value}", word, "--serve"] == words[words.index("-i") + 1 :][:3]


@pytest.mark.parametrize("make", [systemd_unit, launchd_job, cron_lines])
def test_a_line_break_cannot_add_a_line(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match="control characters"):
        make(ServiceSetup(("/bin/true\nExecStartPre=/bin/evil",), {}, "/log"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    setup = ServiceSetup((sys.executable, *SETUP.words[1:]), SETUP.environment, SETUP.log)
    unit = tmp_path / "memconsole.service"
    unit.write_text(systemd_unit(setup))
    done = subprocess.run(
        ["systemd-analyze", "--user", "--man=no", "verify", str(unit)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert (done.returncode, "memconsole" in done.stderr) == (0, False), done.stderr


def test_the_unit_runs_with_nothing_but_its_environment(tmp_path: Path) -> None:
    """It reports READY and WATCHDOG, and ends in peace."""
    sessions = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.json").write_text("{}")
    setup = ServiceSetup(
        (sys.executable, "-P", "-m", "memconsole", "--serve"),
        {
            "HOME": str(tmp_path),
            "PATH": os.defpath,
            "MEMCONSOLE_STATE__DIR": str(tmp_path / "state"),
            "MEMCONSOLE_HOME": str(tmp_path / ".openclaw"),
            "MEMCONSOLE_TRANSPORT": "none",
        },
    )
    words, environment = unit_of(systemd_unit(setup))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        told = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "2000000"}
        pairs = [f"{name}={value}" for name, value in {**environment, **told}.items()]
        with subprocess.Popen(["env", "-i", *pairs, *words], cwd="/") as process:
            try:
                said = manager.recv(4096).decode()
                assert said.startswith("READY=1\n")
                assert manager.recv(4096) == b"WATCHDOG=1"
            finally:
                process.send_signal(signal.SIGTERM)
                code = process.wait(30)
    assert code == 0
    assert (tmp_path / "state" / "state.db").stat().st_mode & 0o777 == 0o600


@dataclass
class Manager:
    """Remembers what it was told; `answers` are exit codes by the verb of a call."""

    answers: dict[str, int] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def __call__(self, words: Sequence[str], timeout_s: float) -> tuple[int, str]:
        self.calls.append(" ".join(words))
        verb = next(word for word in words[1:] if not word.startswith("-"))
        return self.answers.get(verb, 0), f"{verb} said so"


@pytest.fixture
def manager() -> Manager:
    return Manager()


@pytest.fixture
def units(tmp_path: Path, manager: Manager) -> ServiceUnits:
    return ServiceUnits({}, tmp_path, manager)


SYSTEMD = ServiceKind.SYSTEMD


def test_a_unit_is_installed_started_and_removed(units: ServiceUnits, manager: Manager) -> None:
    found, was_told = units.install(SYSTEMD, SETUP)
    assert was_told
    assert found.path is not None
    assert found.path.read_text("utf-8") == systemd_unit(SETUP)
    assert found.path.stat().st_mode & 0o777 == 0o600
    assert manager.calls == [
        "systemctl --user show-environment",
        "systemctl --user daemon-reload",
        "systemctl --user enable memconsole.service",
        "systemctl --user restart memconsole.service",
    ]
    state = units.status(SYSTEMD, SETUP)
    assert (state.is_installed, state.is_current, state.is_enabled) == (True, True, True)
    assert units.status(SYSTEMD, ServiceSetup(("/other",), {})).is_current is False
    manager.answers["is-active"] = 3
    assert units.status(SYSTEMD, SETUP).is_active is False
    units.install(SYSTEMD, SETUP)
    assert units.remove(SYSTEMD) == found.path
    assert not found.path.exists()
    assert "systemctl --user disable --now memconsole.service" in manager.calls
    assert units.remove(SYSTEMD) is None


def test_a_host_without_a_manager_gets_the_file(units: ServiceUnits, manager: Manager) -> None:
    manager.answers["show-environment"] = 1
    found, was_told = units.install(SYSTEMD, SETUP)
    assert (was_told, found.path is not None and found.path.exists()) == (False, True)
    state = units.status(SYSTEMD, SETUP)
    assert (state.is_installed, state.is_active, state.is_enabled) == (True, None, None)
    assert units.remove(SYSTEMD) == found.path


def test_a_manager_that_refuses_is_a_failure(units: ServiceUnits, manager: Manager) -> None:
    manager.answers["restart"] = 5
    with pytest.raises(ServiceError, match="code 5: restart said so"):
        units.install(SYSTEMD, SETUP)


@pytest.mark.parametrize("kind", [ServiceKind.SYSTEMD, ServiceKind.LAUNCHD])
def test_what_somebody_else_wrote_is_left_alone(kind: ServiceKind, units: ServiceUnits) -> None:
    path = units.path(kind)
    assert path is not None
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=/my/own\n")
    assert units.planned(kind, SETUP).is_installed is False
    for change in (lambda: units.install(kind, SETUP), lambda: units.remove(kind)):
        with pytest.raises(ServiceError, match="left alone"):
            change()
    assert path.read_text() == "[Service]\nExecStart=/my/own\n"


def test_a_link_is_left_alone(units: ServiceUnits, tmp_path: Path) -> None:
    path = units.path(SYSTEMD)
    assert path is not None
    path.parent.mkdir(parents=True)
    target = tmp_path / "target"
    target.write_text(MARK)
    path.symlink_to(target)
    with pytest.raises(ServiceError, match="left alone"):
        units.install(SYSTEMD, SETUP)
    assert target.read_text() == MARK


def test_cron_is_only_told_about(units: ServiceUnits, manager: Manager, tmp_path: Path) -> None:
    found, was_told = units.install(ServiceKind.CRON, SETUP)
    assert (found.path, was_told, found.text) == (None, False, cron_lines(SETUP))
    assert units.remove(ServiceKind.CRON) is None
    assert (manager.calls, [*tmp_path.rglob("*memconsole*")]) == ([], [])


def test_launchd_is_told_its_own_way(
    units: ServiceUnits, manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(shutil, "which", lambda name, **_: f"/bin/{name}")
    assert units.usual_kind() is ServiceKind.LAUNCHD
    setup = ServiceSetup(SETUP.words, {}, str(tmp_path / "logs" / "serve.log"))
    found, was_told = units.install(ServiceKind.LAUNCHD, setup)
    uid = os.getuid()
    assert was_told
    assert manager.calls == [
        f"launchctl bootout gui/{uid}/org.memconsole.serve",
        f"launchctl bootstrap gui/{uid} {found.path}",
    ]
    assert (tmp_path / "logs").is_dir()
    assert units.status(ServiceKind.LAUNCHD, setup).is_active is True
    manager.answers["print"] = 113
    assert units.status(ServiceKind.LAUNCHD, setup).is_active is False
    assert units.remove(ServiceKind.LAUNCHD) == found.path


@pytest.mark.parametrize(
    ("platform", "program", "kind"),
    [("linux", "/bin/systemctl", "systemd"), ("linux", None, "cron"), ("darwin", None, "launchd")],
)
def test_the_kind_is_found_out(
    platform: str,
    program: str | None,
    kind: str,
    units: ServiceUnits,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(shutil, "which", lambda _name, **_: program)
    assert units.usual_kind().value == kind


def test_a_folder_that_cannot_be_made_is_said(manager: Manager, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match="cannot be written: not a directory"):
        ServiceUnits({"XDG_CONFIG_HOME": f"{tmp_path}/file"}, tmp_path, manager).install(
            SYSTEMD, SETUP
        )


def test_a_program_that_is_missing_is_no_crash(tmp_path: Path) -> None:
    units = ServiceUnits({"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path)
    assert units.status(SYSTEMD, SETUP).is_active is None
