"""`--serve` as a process: one owner, honest signals, and nothing loaded that it does not need."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateJobs
from memconsole.cli.allocator import has_gnu_library
from memconsole.scheduler.jobs import TABLE
from tests.program import ROOT, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

LATE_S = 60
HEAVY = {
    *("textual", "numpy", "sqlite_utils", "websockets", "watchfiles", "sentencepiece"),
    *("apprise", "httpx", "prometheus_client", "rich"),
}

SERVED = """
import gc
import sys
from memconsole.__main__ import main
sys.argv = ["memconsole", "--serve"]
code = main()
print(gc.isenabled(), file=sys.stderr)
print("loaded", *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def program(tmp_path: Path, user_home: Path) -> Program:
    sessions = user_home / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.json").write_text("{}")
    (user_home / ".openclaw" / "workspace").mkdir()
    environment = {name: os.environ[name] for name in os.environ if name.startswith("XDG_")}
    return Program({"HOME": str(user_home), "MEMCONSOLE_TRANSPORT": "none", **environment})


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(tmp_path / "notify"))
        line.settimeout(LATE_S)
        yield line


def checkpointed(program: Program) -> dict[str, object]:
    """Return the row of the job `checkpoint` once it has run: jobs begin one after the other."""
    until_s = time.monotonic() + LATE_S
    while True:
        [row] = [row for row in program.json("jobs").data if row["id"] == "checkpoint"]
        if row["last_status"] is not None:
            return {**row}
        assert time.monotonic() < until_s


def test_one_serves_and_says_so_until_it_is_told_to_end(
    program: Program, manager: socket.socket
) -> None:
    environment = {
        **program.environment,
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "NOTIFY_SOCKET": str(manager.getsockname()),
        "WATCHDOG_USEC": "2000000",
    }
    command = [sys.executable, "-c", SERVED]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert manager.recv(200).decode().startswith("READY=1\nSTATUS=")
        assert manager.recv(200) == b"WATCHDOG=1"
        owner = program.json("status").data["scheduler"]
        assert (owner["state"], owner["pid"]) == ("running", process.pid)
        if sys.platform == "linux" and has_gnu_library():
            asked = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
            assert b"PYTHONMALLOC=malloc" in asked
        assert owner["next_job"] in {job.id for job in TABLE}
        second = program("serve")
        assert second.code == 1
        assert f"process {process.pid} since" in second.err
        assert checkpointed(program)["last_reason"] == "no-session"
        process.send_signal(signal.SIGTERM)
        sent_s = time.monotonic()
        out, err = process.communicate(timeout=LATE_S)
        assert time.monotonic() - sent_s < 10
    assert (process.returncode, out) == (0, "")
    *lines, looks_for_rubbish, loaded = err.splitlines()
    assert looks_for_rubbish == "True"
    assert {"at", "level", "message"} <= set(json.loads(lines[0]))
    # Nothing was due at the Gateway, and what indexes is a process of its own; files are watched.
    assert set(loaded.split()) & HEAVY == {"watchfiles"}
    assert program.json("status").data["scheduler"]["state"] == "stopped"
    checkpoint = checkpointed(program)
    assert (checkpoint["last_status"], checkpoint["last_reason"]) == ("skipped", "no-session")
    assert (checkpoint["running"], checkpoint["next_at"]) == (False, None)


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("--read-only", "--serve"), 1, "read-only"),
        (("--home", "/nowhere", "serve"), 3, "/nowhere"),
        (("--serve", "status"), 2, "--serve takes no command"),
    ],
)
def test_what_cannot_be_served_is_refused(
    program: Program, arguments: tuple[str, ...], code: int, word: str
) -> None:
    answer = program(*arguments)
    assert answer.code == code
    assert word in answer.err


PAIRS = """
import os, signal, sys, time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from memconsole.cli.call.serving import stopped_by_signals
from memconsole.domain.jobs.runs import JobEnd
from memconsole.domain.agents import Origin
from memconsole.domain.jobs.schedule import Every
from memconsole.domain.settings import Settings
from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.compose import jobs as wiring_jobs
from memconsole.compose.state import renew_state
from memconsole.errors import SchedulerOwnedError
from memconsole.scheduler.control import Stopper
from memconsole.cli.allocator import has_gnu_library
from memconsole.scheduler.jobs import TABLE
from memconsole.scheduler.serving import Notifier
import memconsole.scheduler.scheduler

HOUR = timedelta(hours=1)
kind, folder = sys.argv[1], Path(sys.argv[2])
settings = Settings(state_dir=folder / "state", transport="none")


def jobs_of(table):
    clock = process.build_clock()
    engine = wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)
    jobs = wiring_jobs.build_jobs(settings, engine, clock=clock)
    return replace(jobs, table=table)


def write(name, text):
    place = os.open(folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(place, text.encode())
    os.close(place)


def compete(ready, go):
    stopper = Stopper()

    def work(engine, cancel):
        write("ran", f"{os.getpid()}\\n")
        stopper.stop()
        return JobEnd("done", None, "")

    jobs = jobs_of((replace(TABLE[0], work=work),))
    os.write(ready, b"1")
    os.read(go, 1)
    try:
        jobs.serve(stopper, Notifier(None))
    except SchedulerOwnedError:
        write("refused", f"{os.getpid()}\\n")
        return


def load_everything():
    # A fork is quick when its parent has imported what it needs.
    stopper = Stopper()
    stopper.stop()
    jobs_of(TABLE[:0]).serve(stopper, Notifier(None))
    renew_state(settings)


def pairs(rounds):
    load_everything()
    for _ in range(rounds):
        ready, told = os.pipe()
        go, start = os.pipe()
        children = []
        for _ in range(2):
            child = os.fork()
            if child == 0:
                try:
                    compete(told, go)
                finally:
                    os._exit(0)
            children.append(child)
        for _ in children:
            os.read(ready, 1)
        os.write(start, b"12")
        for child in children:
            os.waitpid(child, 0)
        for one in (ready, told, go, start):
            os.close(one)
        write("ran", "--\\n")


def hang(name, told):
    def work(engine, cancel):
        os.write(told, b"1")
        time.sleep(600)

    [row] = [one for one in TABLE if one.id == name]
    now = replace(row, work=work, trigger=lambda _: Every(HOUR), is_enabled=lambda _: True)
    jobs_of((now,)).serve(Stopper(), Notifier(None))


def kills():
    load_everything()
    for name in [one.id for one in TABLE if one.is_listed]:
        for _ in range(2):
            begun, told = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    hang(name, told)
                finally:
                    os._exit(1)
            os.close(told)
            assert os.read(begun, 1) == b"1", name
            os.close(begun)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


pairs(int(sys.argv[3])) if kind == "pairs" else kills()
"""


def test_of_two_that_start_at_once_one_runs_and_no_job_twice(
    program: Program, tmp_path: Path
) -> None:
    """Twenty pairs; a second one that comes after the first has ended may run as well, alone."""
    run_script(program, "pairs", tmp_path, "20")
    rounds = (tmp_path / "ran").read_text().split("--\n")[:-1]
    refused = (tmp_path / "refused").read_text().split()
    assert len(rounds) == 20
    ran = [one.split() for one in rounds]
    assert all(pids for pids in ran)
    assert all(len(set(pids)) == len(pids) for pids in ran)
    assert sum(map(len, ran)) + len(refused) == 40
    assert len(refused) >= 10


def test_a_kill_in_the_middle_of_any_job_is_seen_by_the_next_scheduler(
    program: Program, tmp_path: Path
) -> None:
    """Each job is killed twice: the second one has seen the first, and was killed as well."""
    run_script(program, "kills", tmp_path)
    records = StateJobs(StateDatabase(tmp_path / "state", PrivateCopies())).records()
    for name in [job.id for job in TABLE if job.is_listed]:
        record = records[name]
        assert (record.status, record.reason, record.failures) == ("failed", "killed", 1)
        assert (record.is_running, record.done_at) == (True, None)


def started(program: Program, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PAIRS, *map(str, arguments)],
        env={**program.environment, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def run_script(program: Program, *arguments: object) -> None:
    with started(program, *arguments) as process:
        process.communicate(timeout=LATE_S * 3)
    assert process.returncode == 0
