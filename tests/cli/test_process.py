"""The program as a process: what it loads, how it ends, what its streams may be."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memconsole import __version__
from tests.program import Program, tree

HEAVY = (
    *("rich", "textual", "numpy", "sqlite_utils", "websockets", "watchfiles", "humanize"),
    "sentencepiece",
    "mcp",
    "pydantic",
)

# Runs the program, then says on standard error what it has loaded.
_SPY = """
import sys
from memconsole.__main__ import main
try:
    code = main()
finally:
    tops = sorted({name.partition(".")[0] for name in sys.modules})
    sys.stderr.write("loaded: " + " ".join(tops))
sys.exit(code)
"""


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment of its own for a process."""
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "MEMCONSOLE_NOW": "2026-04-12T09:00:00+00:00",
        **more,
    }


def run(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program."""
    return subprocess.run(
        [sys.executable, "-m", "memconsole", *words],
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=120,
    )


def loaded(home: Path, *words: str) -> tuple[str, set[str]]:
    """Run the program and return what it printed and which libraries it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", _SPY, *words],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert "loaded: " in done.stderr, done.stderr
    return done.stdout, set(done.stderr.rpartition("loaded: ")[2].split())


@pytest.fixture
def home(user_home: Path) -> Path:
    """A user with a platform home of one agent and one session."""
    sessions = user_home / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (user_home / ".openclaw" / "workspace" / "memory").mkdir(parents=True)
    entry = {
        "sessionId": "5e551010-0000-4000-8000-000000000001",
        "updatedAt": 1_775_984_100_000,
        "totalTokens": 64_200,
        "totalTokensFresh": True,
        "contextTokens": 200_000,
        "label": "Überblick 日本",
    }
    (sessions / "sessions.json").write_text(json.dumps({"agent:main:main": entry}), "utf-8")
    (sessions / f"{entry['sessionId']}.jsonl").write_text(
        "".join(
            json.dumps(
                {
                    "type": "message",
                    "id": f"{number:08x}",
                    "parentId": f"{number - 1:08x}" if number else None,
                    "timestamp": "2026-04-12T08:55:00.000Z",
                    "message": {"role": role, "content": f"message number {number} from {role}"},
                }
            )
            + "\n"
            for number, role in enumerate(["user", "assistant"] * 20)
        ),
        "utf-8",
    )
    return user_home


def test_the_version_is_answered_before_anything_is_loaded(user_home: Path) -> None:
    out, modules = loaded(user_home, "--version")
    assert out == f"memconsole {__version__}\n"
    assert modules & {"typer", "click", "json", "dataclasses", "logging", *HEAVY} == set()


def test_help_loads_no_rich(user_home: Path) -> None:
    out, modules = loaded(user_home, "--help")
    assert "Save:\n  checkpoint " in out
    assert modules & set(HEAVY) == set()
    assert not [one for one in modules if one.startswith("memconsole.cli.commands.")]


@pytest.mark.parametrize("words", ["status", "sessions", "agents", "runs", "memory pool"])
def test_machine_output_loads_nothing_it_does_not_use(words: str, home: Path) -> None:
    out, modules = loaded(home, "--json", *words.split())
    assert json.loads(out)["command"] == words
    assert modules & set(HEAVY) == set()


def test_plain_output_loads_no_console(home: Path) -> None:
    out, modules = loaded(home, "status")
    assert "Überblick 日本" in out
    assert modules & (set(HEAVY) - {"rich"}) == set()
    out, modules = loaded(home, "checkpoint")
    assert "done" in out
    assert modules & {"textual", "rich", "websockets", "watchfiles"} == set()


# Loads the program once and forks for the plain answer and for that of machines.
_TWICE = """
import os, sys
from memconsole.cli.main import main
codes = []
for words in (["sessions"], ["--json", "sessions"]):
    child = os.fork()
    if child == 0:
        sys.exit(main(words))
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(max(codes))
"""


@pytest.mark.parametrize(
    "more",
    [
        {"LANG": "C"},
        {"LANG": "en_US.ISO-8859-1"},
        {"LC_ALL": "C"},
        {"LC_ALL": "nonsense"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=lambda more: "=".join(*more.items()),
)
def test_text_is_printed_in_every_locale(home: Path, more: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TWICE],
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    plain, machine = done.stdout.rstrip(b"\n").rsplit(b"\n", 1)
    assert b"64.2K" in plain
    [row] = json.loads(machine.decode("utf-8"))["data"]
    assert row["label"] == "Überblick 日本"


def test_an_odd_folder_name_is_printed(home: Path) -> None:
    odd = os.fsencode(home / ".openclaw" / "agents") + b"/caf\xe9"
    Path(os.fsdecode(odd), "sessions").mkdir(parents=True)
    plain, machine = (run(home, *words, LC_ALL="C") for words in (["agents"], ["--json", "agents"]))
    for done in (plain, machine):
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr
    json.loads(machine.stdout)


def test_a_reader_who_leaves_is_no_failure(home: Path) -> None:
    for words in ("--help", "transcript agent:main:main", "--json sessions"):
        line = f'"{sys.executable}" -m memconsole {words} | head -c 1'
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {line}"],
            env=environment(home),
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert done.stderr == b""


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_may_be_closed(closed: str, home: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m memconsole status {closed}'],
        env=environment(home),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", ["status", "--version"])
def test_a_full_disk_is_said_in_one_sentence(words: str, home: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m memconsole {words} >/dev/full'],
        env=environment(home),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == ["memconsole: No space left on device"]


def test_a_home_that_does_not_exist_is_three(user_home: Path) -> None:
    answer = Program(environment(user_home)).json("--home", str(user_home / "nowhere"), "status")
    assert answer.code == 3
    assert answer.error["code"] == "home-not-found"
    assert len(answer.err.splitlines()) == 2


def test_a_wrong_moment_is_named(home: Path) -> None:
    answer = Program(environment(home, MEMCONSOLE_NOW="yesterday"))("status")
    assert answer.code == 2
    assert "MEMCONSOLE_NOW" in answer.err


def test_a_signal_ends_a_call_as_an_interruption(home: Path) -> None:
    fifo = home / ".openclaw" / "openclaw.json"
    with subprocess.Popen(
        [sys.executable, "-c", _WAITER],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b"memconsole: interrupted\n"
    assert not fifo.exists()


# Stands still inside the first reading, as a slow disk would.
_WAITER = """
import sys, time
from memconsole.adapters.platform import disk
def read(self):
    print("reading", flush=True)
    time.sleep(60)
disk.DiskPlatform.read = read
sys.argv = ["memconsole", "status"]
from memconsole.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("left", ["", "threading.Thread(target=time.sleep, args=(0.01,)).start();"])
def test_the_end_of_a_call_does_what_was_left_for_it(left: str, user_home: Path) -> None:
    """Alone the process ends at once, beside another thread the usual way."""
    text = (
        "import atexit, sys, threading, time\n"
        "atexit.register(print, 'tidied up', file=sys.stderr)\n"
        "from memconsole import __main__\n"
        f"def main(): {left} print('answer', end=''); return 4\n"
        "__main__.main = main; __main__.program()"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment(user_home), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, b"answer", b"tidied up\n")


def test_nothing_is_written_by_looking(home: Path) -> None:
    before, look = tree(home), Program(environment(home))
    for words in (("status",), ("agents",), ("sessions", "--all"), ("memory", "pool"), ("runs",)):
        assert look(*words).code == 0
    assert tree(home) == before


HOSTILE = (
    "red \x1b[31malert\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link \x9b2J \x90dcs\x9c "
    "back\x08space \x00nul \r\nbell\x07 \u202eright to left\u202c \x1bc reset \x1bP1$r\x1b\\"
)


@pytest.mark.parametrize(
    "words", ["transcript agent:main:main", "sessions", "status", "--json sessions"]
)
def test_no_control_byte_of_a_conversation_reaches_the_terminal(words: str, home: Path) -> None:
    sessions = home / ".openclaw" / "agents" / "main" / "sessions"
    store = json.loads((sessions / "sessions.json").read_text("utf-8"))
    store["agent:main:main"]["label"] = HOSTILE
    (sessions / "sessions.json").write_text(json.dumps(store), "utf-8")
    [transcript] = sessions.glob("*.jsonl")
    message = {"role": "user", "content": HOSTILE}
    record = {"type": "message", "id": "a1", "parentId": None, "message": message}
    transcript.write_text(json.dumps(record) + "\n", "utf-8")
    shown = _in_a_terminal(home, words.split())
    assert "alert" in shown
    own = re.compile("\x1b\\[[0-9;]*m")
    plain = own.sub("", shown).replace("\r\n", "\n").replace("\n", "")
    assert plain.isprintable(), repr(plain)
    if "--json" in words:
        assert own.search(shown) is None


def _in_a_terminal(home: Path, words: list[str]) -> str:
    """Run the program on a terminal of 100 columns and return what it sent there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "memconsole", *words],
        env=environment(home, TERM="xterm-256color", COLUMNS="100"),
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode("utf-8")
