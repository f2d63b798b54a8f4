"""Several people's accounts of one host as homes: real users, who cannot read one another.

Making users takes root. Where the tests run as somebody else nothing of this is tried, and says so;
hosts that are keys of one account are tried anyway (`test_ssh_hosts`).
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.lanes import home
from tests.lanes.test_ssh import SSHD, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.ssh,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root makes the users that this tries"),
]

_LEFT_OUT = ("test", "tests", "idlelib", "site-packages", "__pycache__", "config-*")


class Account:
    """A user of this machine, with a home of the platform in a folder that nobody else reads."""

    def __init__(self, name: str, folder: Path, program: str, stack: ExitStack) -> None:
        self.name, self.folder = name, folder / name
        words = ["useradd", "-M", "-N", "-p", "*", "-s", "/bin/sh", "-d", str(self.folder), name]
        subprocess.run(words, check=True, capture_output=True)
        stack.callback(subprocess.run, ["userdel", name], check=False, capture_output=True)
        home.make_home(self.folder)
        (self.folder / "bin").mkdir()
        script = self.folder / "bin" / "memconsole"
        script.write_text(f'#!/bin/sh\nexec {program} -P -m memconsole "$@"\n')
        script.chmod(0o755)
        self.saved = self.folder / ".openclaw" / "workspace" / "memory" / "ACTIVE_CONTEXT.md"
        self.key = folder / f"{name}.key"
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key)]
        subprocess.run(words, check=True)

    @property
    def uid(self) -> int:
        return pwd.getpwnam(self.name).pw_uid

    def lets_in(self, environment: dict[str, str]) -> None:
        """Let its key in, and give everything to the user."""
        given = {
            **environment,
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "MEMCONSOLE_GATEWAY__TRANSPORT": "none",
        }
        options = ",".join(f'environment="{name}={value}"' for name, value in given.items())
        (self.folder / ".ssh").mkdir(mode=0o700)
        public = self.key.with_suffix(".key.pub").read_text()
        (self.folder / ".ssh" / "authorized_keys").write_text(f"{options} {public}")
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, self.uid, -1)
        self.folder.chmod(0o700)


def is_for_everybody(path: Path) -> bool:
    """Tell whether every user of this machine reaches a folder."""
    every = (path.resolve(), *path.resolve().parents)
    return all(one.stat().st_mode & 0o005 == 0o005 for one in every)


def shared(source: Path, target: Path) -> Path:
    """Return a folder that everybody reaches, with the files of another one."""
    if is_for_everybody(source):
        return source

    def link(one: str, other: str) -> None:
        try:
            os.link(one, other)
        except OSError:  # another file system
            shutil.copy(one, other)

    ignored = shutil.ignore_patterns(*(_LEFT_OUT if source.name.startswith("python3") else ()))
    shutil.copytree(source.resolve(), target, copy_function=link, ignore=ignored)
    return target


def interpreter(folder: Path) -> tuple[str, dict[str, str]]:
    """Return a Python that every user can start, with its environment.

    That of root may lie in root's own folder.
    """
    packages = shared(Path(sysconfig.get_path("purelib")), folder / "packages")
    package = shared(home.ROOT / "memconsole", folder / "source" / "memconsole")
    places = {"PYTHONPATH": f"{package.parent}:{packages}", "LANG": "C.UTF-8"}
    program = Path(sys.executable).resolve()
    if is_for_everybody(program.parent):
        return str(program), places
    library = Path(sysconfig.get_path("stdlib"))
    shared(library, folder / "python" / "lib" / library.name)
    (folder / "python" / "bin").mkdir()
    for one in (program, *program.parent.parent.glob("lib/libpython*")):
        kind = "bin" if one == program else "lib"
        shutil.copy(one, folder / "python" / kind / one.name)
    places |= {"LD_LIBRARY_PATH": f"{folder}/python/lib", "PYTHONHOME": f"{folder}/python"}
    return str(folder / "python" / "bin" / program.name), places


class Host:
    """One host with two accounts, and root's settings as who asks."""

    def __init__(self, folder: Path, sshd: Path, stack: ExitStack) -> None:
        self.folder = folder
        program, places = interpreter(folder)
        made = (f"mc{os.getpid()}{letter}" for letter in "ab")
        self.ann, self.bob = (Account(name, folder, program, stack) for name in made)
        self.server = Server(sshd, "PermitUserEnvironment yes\n", accounts=True)
        stack.callback(self.server.close)
        lines = []
        for one in (self.ann, self.bob):
            one.lets_in({**places, "MEMCONSOLE_NOW": home.NOW})
            lines.append(f"Match originalhost box user {one.name}\n  IdentityFile {one.key}\n")
        (folder / "ssh_config").write_text(
            f"{''.join(lines)}Host box\n  HostName 127.0.0.1\n  Port {self.server.port}\n"
            "  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n"
            "  LogLevel ERROR\n"
        )
        (folder / "bin").mkdir()
        ssh = folder / "bin" / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {folder / "ssh_config"} "$@"\n')
        ssh.chmod(0o755)
        self.state = folder / "state"
        stack.callback(self._end_connections)

    def _end_connections(self) -> None:
        for one in (self.state / "ssh").glob("*"):
            call = ["/usr/bin/ssh", "-O", "exit", "-S", str(one), "-F", "none", "x"]
            subprocess.run(call, check=False, capture_output=True)

    def ask(self, *words: str, homes: tuple[str, ...]) -> tuple[int, Any]:
        """Run our command line; return its code and its answer."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "memconsole", "--json", *words],
            env={
                **home.environment(self.folder),
                "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
                "MEMCONSOLE_STATE__DIR": str(self.state),
                "MEMCONSOLE_FLEET__SOURCE": ",".join(f"ssh://{one}" for one in homes),
            },
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The host, for all tests."""
    for needed in ("/usr/bin/ssh", SSHD, shutil.which("useradd") or "useradd"):
        if not Path(needed).exists():
            pytest.fail(
                f"{needed} is needed (apt-get install openssh-client openssh-server passwd)"
            )
    folder = Path(tempfile.mkdtemp(prefix="mc-", dir="/tmp"))  # those of pytest are root's alone
    folder.chmod(0o755)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield Host(folder, tmp_path_factory.mktemp("sshd"), stack)


def test_accounts_of_one_host_are_told_apart(host: Host) -> None:
    homes = (f"{host.ann.name}@box", f"{host.bob.name}@box")
    code, answer = host.ask("agents", "--fleet", homes=homes)
    assert code == 0, answer
    assert [(one["host"], one["home"]) for one in answer["data"]] == [
        ("box", f"~{host.ann.name}"),
        ("box", f"~{host.bob.name}"),
    ]
    assert len(list((host.state / "ssh").iterdir())) == 2  # a connection for each account


def test_what_is_done_is_done_as_the_account_that_owns_the_agent(host: Host) -> None:
    homes = (f"{host.ann.name}@box", f"{host.bob.name}@box")
    meant = f"box:~{host.bob.name}/main"
    code, answer = host.ask("checkpoint", "--agent", meant, homes=homes)
    assert (code, [one["status"] for one in answer["data"]]) == (0, ["done"]), answer
    assert host.bob.saved.stat().st_uid == host.bob.uid
    assert host.bob.saved.stat().st_mode & 0o077 == 0
    assert not host.ann.saved.exists()
    state = host.bob.folder / ".local" / "state" / "memconsole"
    assert {one.stat().st_uid for one in state.rglob("*")} == {host.bob.uid}


def test_one_account_asks_nothing_of_the_home_of_another(host: Host) -> None:
    there = host.bob.folder / ".openclaw"
    before = {one: one.stat() for one in host.bob.folder.rglob("*")}
    for words in (["agents"], ["checkpoint", "--force"], ["search", "sales"]):
        code, answer = host.ask(*words, "--fleet", homes=(f"{host.ann.name}@box{there}",))
        assert code in (1, 3)
        told = [one["message"] for one in answer["warnings"] if "home-" in one["code"]]
        assert all(str(there) in one for one in told), told
        assert told
    after = {one: one.stat() for one in host.bob.folder.rglob("*")}
    assert {one: (st.st_mtime_ns, st.st_uid) for one, st in after.items()} == {
        one: (st.st_mtime_ns, st.st_uid) for one, st in before.items()
    }
