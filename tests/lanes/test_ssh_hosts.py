"""A fleet over the loopback sshd: live, slow, gone, older, wrong in time and hostile hosts.

Each host is a key of its own, which the server lets in with a home and a PATH of its own. What runs
on either side is the real program, and what carries it is the real OpenSSH.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memconsole import __version__
from tests.lanes import home
from tests.lanes.terminal import running
from tests.lanes.test_ssh import SSHD, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.ssh

KEY = "agent:main:main"
_REAL = f'exec {sys.executable} -P -m memconsole "$@"'
_OLD = f'[ "$1" = --version ] && {{ echo memconsole 0.0.9; exit 0; }}\n{_REAL}'
_SLOW = '[ "$1" = --version ] || sleep 30'
_ENVELOPE = '{"schema": 1, "command": "agents", "at": "2026-01-26T13:20:00+00:00", "data": '
_ESCAPE = "\\u001b]0;owned\\u0007"
_LIAR = '[ "$1" = --version ] || cat {folder}/answer'
HOSTS = {
    "alpha": _REAL,
    "beta": _REAL,
    "old": _OLD,
    "slow": _SLOW,
    "clock": f"MEMCONSOLE_NOW=2026-01-26T15:20:00+00:00 {_REAL}",
    "liar": _LIAR,
}


class Fleet:
    """Hosts behind one sshd, and the settings of the one who asks."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        # A socket's path holds 104 bytes, and those of pytest are long.
        self.state = Path(tempfile.mkdtemp(prefix="mc-", dir="/tmp"))
        self.bin = folder / "bin"
        self.bin.mkdir()
        client, keys = [], []
        for name, script in HOSTS.items():
            place = folder / name
            state = home.make_home(place)
            (place / "bin").mkdir()
            self._program(place / "bin" / "memconsole", script.replace("{folder}", str(place)))
            key = place / "key"
            call = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
            subprocess.run(call, check=True)
            keys.append(self._entry(place, (place / "key.pub").read_text()))
            client.append(self._host(name, key, server.port))
            assert state.exists()
        client.append(self._host("gone", folder / "alpha" / "key", 1))
        (server.folder / "authorized").write_text("".join(keys))
        (folder / "ssh_config").write_text("".join(client))
        self._program(self.bin / "ssh", f'exec /usr/bin/ssh -F {folder / "ssh_config"} "$@"')

    def _program(self, path: Path, script: str) -> None:
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def _entry(self, place: Path, key: str) -> str:
        """Return a line of `authorized_keys`: this key is a host with an environment of its own."""
        given = {
            **home.environment(place),
            "PATH": f"{place / 'bin'}:/usr/bin:/bin",
            "MEMCONSOLE_GATEWAY__TRANSPORT": "none",
        }
        options = ",".join(f'environment="{name}={value}"' for name, value in given.items())
        return f"{options} {key}"

    def _host(self, name: str, key: Path, port: int) -> str:
        return (
            f"Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
            f"  IdentityFile {key}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
            "  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
        )

    def environment(self, *hosts: str, timeout: str = "1m") -> dict[str, str]:
        """Return what the one who asks sees of the world."""
        sources = ",".join(f"ssh://{one}" for one in hosts)
        return {
            **home.environment(self.folder),
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "MEMCONSOLE_STATE__DIR": str(self.state),
            "MEMCONSOLE_FLEET__SOURCE": sources,
            "MEMCONSOLE_FLEET__TIMEOUT": timeout,
        }

    def ask(self, *words: str, hosts: tuple[str, ...], timeout: str = "1m") -> tuple[int, Any]:
        """Run our command line; return its code and its answer."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "memconsole", "--json", *words],
            env=self.environment(*hosts, timeout=timeout),
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """The hosts, for all tests."""
    if shutil.which("ssh") is None or not Path(SSHD).exists():
        pytest.fail("ssh and sshd are needed (apt-get install openssh-client openssh-server)")
    server = Server(tmp_path_factory.mktemp("sshd"), "PermitUserEnvironment yes\n")
    found = Fleet(server, tmp_path_factory.mktemp("hosts"))
    yield found
    for one in (found.state / "ssh").glob("*"):  # the masters of kept connections
        subprocess.run(["ssh", "-O", "exit", "-S", str(one), "-F", "none", "x"], check=False)
    server.close()
    shutil.rmtree(found.state)


def codes(answer: Any) -> dict[str, str]:
    """Return the sentence of each warning by its host and code."""
    return {
        f"{one['message'].partition(':')[0]} {one['code']}": one["message"]
        for one in answer["warnings"]
    }


def test_live_hosts_answer_beside_one_that_is_gone_and_one_that_is_slow(fleet: Fleet) -> None:
    code, answer = fleet.ask(
        "agents", "--fleet", hosts=("alpha", "gone", "beta", "slow"), timeout="8s"
    )
    assert code == 1
    assert [(one["host"], one["id"], one["freshness"]) for one in answer["data"]] == [
        ("alpha", "main", "live"),
        ("beta", "main", "live"),
    ]
    told = codes(answer)
    assert "refused" in told["gone home-away"].lower()
    assert "no answer within 8 s" in told["slow home-away"]


def test_one_connection_a_host_is_kept(fleet: Fleet) -> None:
    def connections() -> int:
        return (fleet.server.folder / "sshd.log").read_text().count("Accepted publickey")

    fleet.ask("agents", "--fleet", hosts=("beta",))
    before = connections()
    assert list((fleet.state / "ssh").iterdir())
    for command in ("agents", "sessions", "runs"):
        code, _ = fleet.ask(command, "--fleet", hosts=("beta",))
        assert code == 0
    assert connections() == before


def test_another_release_and_a_wrong_clock_are_told(fleet: Fleet) -> None:
    code, answer = fleet.ask("agents", "--fleet", hosts=("old", "clock"))
    assert code == 0
    told = codes(answer)
    assert told["old version-differs"] == (
        f"old: it runs memconsole 0.0.9, this one is {__version__}"
    )
    assert re.search(r"the clock of clock is 7[12]\d\d s ahead of ours", told["clock clock-skew"])


@pytest.mark.parametrize(
    "answer",
    [
        '{"schema": 1, "command": "agents", "at": "now", "data": []}',
        _ENVELOPE + '[{"id": 7}]}',
        _ENVELOPE + "[" * 100_000,
        '{"schema": 9, "command": "agents", "at": "2026-01-26T13:20:00+00:00", "data": []}',
        "x" * (17 * 2**20),
    ],
    ids=["no time", "another type", "too deep", "another edition", "too long"],
)
def test_an_answer_that_is_none_of_ours_is_told_and_hurts_no_other(
    fleet: Fleet, answer: str
) -> None:
    (fleet.folder / "liar" / "answer").write_text(answer)
    code, found = fleet.ask("agents", "--fleet", hosts=("alpha", "liar"))
    assert code == 1
    assert [one["host"] for one in found["data"]] == ["alpha"]
    assert "liar home-away" in codes(found)


def test_a_host_speaks_for_itself_alone_and_steers_no_terminal(fleet: Fleet) -> None:
    agent = {
        "id": "main",
        "host": "alpha",
        "freshness": "live",
        "secret_field": 1,
        "name": _ESCAPE,
        "era": {"sessions": "none", "memory_index": "none", "cron": "none"},
        "store": "none",
    }
    text = _ENVELOPE + json.dumps([agent]).replace("\\\\u", "\\u") + "}"
    (fleet.folder / "liar" / "answer").write_text(text)
    code, found = fleet.ask("agents", "--fleet", hosts=("liar",))
    assert code == 0, found["warnings"]
    [one] = found["data"]
    assert (one["host"], one["sessions"]) == ("liar", None)
    assert "secret_field" not in one
    assert "\x1b" not in one["name"]


def test_each_host_does_what_its_own_command_line_does(fleet: Fleet) -> None:
    saved = fleet.folder / "alpha" / ".openclaw" / "workspace" / "memory" / "ACTIVE_CONTEXT.md"
    code, answer = fleet.ask("checkpoint", "--agent", "alpha/main", hosts=("alpha", "beta"))
    assert (code, [one["status"] for one in answer["data"]]) == (0, ["done"])
    assert "sales part" in saved.read_text()
    assert not (fleet.folder / "beta" / ".openclaw/workspace/memory/ACTIVE_CONTEXT.md").exists()

    code, answer = fleet.ask("rotate", "--fleet", hosts=("alpha", "beta"))
    assert (code, answer["error"]["code"]) == (2, "not-confirmed")
    code, answer = fleet.ask("rotate", "--fleet", "--dry-run", hosts=("alpha", "beta"))
    assert [(one["host"], one["status"]) for one in answer["data"]] == [
        ("alpha", "planned"),
        ("beta", "planned"),
    ]
    # Without a Gateway each refuses it, as it refuses its own operator.
    code, answer = fleet.ask("rotate", "--fleet", "--yes", hosts=("alpha", "beta"))
    assert code == 1
    assert {one["status"] for one in answer["data"]} == {"failed"}


def test_what_was_said_and_written_on_another_host_is_read_there(fleet: Fleet) -> None:
    code, answer = fleet.ask("transcript", KEY, "--host", "alpha", hosts=("alpha", "beta"))
    assert code == 0, answer
    assert {one["host"] for one in answer["data"]} == {"alpha"}
    assert "sales part" in json.dumps(answer["data"])
    code, answer = fleet.ask("session", KEY, "--host", "alpha,beta", hosts=("alpha", "beta"))
    assert [(one["host"], one["key"]) for one in answer["data"]] == [
        ("alpha", KEY),
        ("beta", KEY),
    ]
    words = ("memory", "add", "the boat is red", "--agent", "alpha/main", "--long")
    assert fleet.ask(*words, hosts=("alpha",))[0] == 0
    code, answer = fleet.ask("get", "MEMORY.md", "--agent", "alpha/main", hosts=("alpha", "beta"))
    assert "the boat is red" in answer["data"][0]["text"]
    code, answer = fleet.ask("memory", "show", "--agent", "alpha/main", hosts=("alpha", "beta"))
    assert "MEMORY.md" in {one["path"] for one in answer["data"]}
    code, answer = fleet.ask("session", "agent:main:nobody", "--host", "beta", hosts=("beta",))
    assert (code, answer["data"][0]["host"]) == (2, "beta")
    assert answer["data"][0]["error"]


def test_an_entry_is_forgotten_where_it_stands_and_comes_back(fleet: Fleet) -> None:
    memory = fleet.folder / "beta" / ".openclaw" / "workspace" / "MEMORY.md"
    words = ("memory", "add", "the spare key is blue", "--agent", "beta/main", "--long")
    code, answer = fleet.ask(*words, hosts=("alpha", "beta"))
    assert code == 0, answer
    entry = answer["data"][0]["details"]["id"]
    assert "spare key" in memory.read_text()
    forget = ("memory", "forget", entry, "--agent", "beta/main")
    assert fleet.ask(*forget, hosts=("beta",))[0] == 2
    assert fleet.ask(*forget, "--yes", hosts=("beta",))[0] == 0
    assert "spare key" not in memory.read_text()
    assert fleet.ask("memory", "undo", "--agent", "beta/main", hosts=("beta",))[0] == 0
    assert "spare key" in memory.read_text()


def test_the_console_shows_the_hosts_and_acts_where_the_agent_lives(fleet: Fleet) -> None:
    saved = fleet.folder / "beta" / ".openclaw" / "workspace" / "memory" / "ACTIVE_CONTEXT.md"
    assert not saved.exists()
    call = [sys.executable, "-P", "-m", "memconsole", "--fleet"]
    environ = fleet.environment("beta", "gone")
    with running(call, (120, 40), environ) as terminal:
        terminal.wait_for("2 homes, 1 away, 1 live")
        terminal.wait_for("beta/main")
        terminal.press("c")
        terminal.wait_for("saved 6 messages")
        terminal.press("\x03")
        assert terminal.wait() == 0
    assert "sales part" in saved.read_text()
    assert os.access(saved, os.R_OK)
