"""The console over SSH, for the terminals that operators come with; and a line that breaks."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.lanes import home
from tests.lanes.terminal import PATIENCE_S, RESTORED, SGR, Terminal, running
from tests.lanes.tmux import is_alive, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

SSHD = "/usr/sbin/sshd"
TERMS = ("xterm-256color", "screen-256color", "tmux-256color", "linux")

pytestmark = pytest.mark.ssh


class Server:
    """An sshd on the loopback interface, with keys of its own.

    Args:
        folder: For everything of it.
        more: Lines of its configuration.
        accounts: Each account lets in the keys in its own home, as on a host that people use; else
            one list is for everybody.
    """

    def __init__(self, folder: Path, more: str = "", *, accounts: bool = False) -> None:
        self.folder = folder
        self.port = _free_port()
        for name in ("host", "user"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)],
                check=True,
            )
        shutil.copy(folder / "user.pub", folder / "authorized")
        config = folder / "sshd_config"
        keys = ".ssh/authorized_keys" if accounts else folder / "authorized"
        strict = "yes" if accounts else "no"
        config.write_text(
            f"ListenAddress 127.0.0.1:{self.port}\nHostKey {folder / 'host'}\n"
            f"PidFile {folder / 'pid'}\nAuthorizedKeysFile {keys}\n"
            f"StrictModes {strict}\nUsePAM no\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\nPrintMotd no\nPrintLastLog no\n{more}"
        )
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        self.log = (folder / "sshd.log").open("wb")
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=self.log)
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError((self.folder / "sshd.log").read_text())

    def call(self, remote: str) -> list[str]:
        """Return the call of ssh that runs a command with a terminal."""
        options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR")
        return [
            "ssh", "-tt", "-F", "none", "-p", str(self.port), "-i", str(self.folder / "user"),
            *(word for option in options for word in ("-o", option)),
            f"{getpass.getuser()}@127.0.0.1", remote,
        ]  # fmt: skip

    def close(self) -> None:
        """End the server."""
        self.process.terminate()
        self.process.wait()
        self.log.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all terminals."""
    if shutil.which("ssh") is None or not Path(SSHD).exists():
        pytest.fail("ssh and sshd are needed (apt-get install openssh-client openssh-server)")
    server = Server(tmp_path_factory.mktemp("sshd"))
    yield server
    server.close()


@contextmanager
def connected(
    server: Server, folder: Path, term: str, *options: str, size: tuple[int, int] = (80, 24)
) -> Iterator[Terminal]:
    """Open the console at the other end of a connection."""
    state = home.make_home(folder)
    settings = [f"{name}={value}" for name, value in home.environment(folder).items()]
    console = shlex.join(["env", *settings, *home.command(state, *options)])
    remote = f"echo $$ > {shlex.quote(str(folder / 'pid'))}; cd {home.ROOT}; exec {console}"
    with running(server.call(remote), size, {"TERM": term}) as terminal:
        yield terminal


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_walk_over_ssh(server: Server, tmp_path: Path, term: str, size: tuple[int, int]) -> None:
    with connected(server, tmp_path, term, size=size) as terminal:
        terminal.wait_for(home.DUE)
        terminal.clear()
        terminal.press("2\r")
        terminal.wait_for("without the sales part")
        output = terminal.clear()
        terminal.press("\x1b")
        terminal.wait_for("Journal")
        terminal.press("q")
        assert terminal.wait() == 0

    for sequence in RESTORED:
        assert sequence in terminal.output
    numbers = {int(n) for group in SGR.findall(output) for n in group.split(b";") if n}
    assert (38 in numbers) is (term != "linux")


def test_a_broken_line_ends_the_console(server: Server, tmp_path: Path) -> None:
    with connected(server, tmp_path, "xterm-256color") as terminal:
        terminal.wait_for(home.DUE)
        pid = int((tmp_path / "pid").read_text())
        assert is_alive(pid)
        terminal.process.kill()
        wait_until(lambda: not is_alive(pid), lambda: f"{pid} still runs")


def test_a_dumb_terminal_gets_the_status(server: Server, tmp_path: Path) -> None:
    with connected(server, tmp_path, "dumb") as terminal:
        assert terminal.wait() == 0

    assert b"151.2K" in terminal.output
    assert b"\x1b[?1049h" not in terminal.output
