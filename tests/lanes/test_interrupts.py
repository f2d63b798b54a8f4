"""Ctrl-C in a terminal, while a call waits for something that does not come: it ends at once."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest

from memconsole.demo.home import write_home
from tests.conftest import XDG_FOLDERS
from tests.lanes.postgres.liar import Liar
from tests.lanes.terminal import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.lanes.postgres.liar import Rows

pytestmark = pytest.mark.pty

WITHIN_S = 8.0
"""Until it is over; a busy machine needs seconds to say so."""


class Place:
    """A user's folder with a home, and a configuration that names what is waited for."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.home = write_home(folder, datetime.now(UTC), None).state
        self.environment = {
            "HOME": str(folder),
            "TERM": "xterm-256color",
            "MEMCONSOLE_HOME": str(self.home),
            "MEMCONSOLE_STATE__DIR": str(folder / "state"),
            "MEMCONSOLE_TRANSPORT": "none",
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
            **{name: str(folder / where) for name, where in XDG_FOLDERS.items()},
        }
        (folder / "bin").mkdir()

    def configure(self, *sources: str) -> None:
        """Name the sources of a fleet."""
        place = self.folder / ".config" / "memconsole" / "config.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(f"[[fleet.source]]\n{one}\n" for one in sources))

    def program(self, name: str, text: str) -> Path:
        """Put a program in the PATH; returns the file that it touches first."""
        begun = self.folder / f"{name}-began"
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\ntouch {begun}\n{text}\n")
        path.chmod(0o755)
        return begun


def of_hosts(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """Two hosts that say nothing."""
    begun = place.program("ssh", "exec sleep 100")
    place.configure('url = "ssh://ops@alpha"', 'url = "ssh://ops@beta"')
    return ["status", "--fleet"], begun.exists


def of_a_server(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """A server that takes the call and says nothing."""
    listener = place.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    listener.setblocking(False)
    place.configure(f'url = "postgresql://f_ann@127.0.0.1:{listener.getsockname()[1]}/fleet"')

    def is_called() -> bool:
        try:
            place.stack.enter_context(listener.accept()[0])
        except BlockingIOError:
            return False
        return True

    return ["status", "--fleet"], is_called


def silent(words: str, query: str, rows: Rows, _: socket.socket) -> Rows:
    """Say nothing to a question with these words."""
    if words in query:
        time.sleep(100)
    return rows


def of_an_answer(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """A server that falls silent when it is asked for figures."""
    liar = place.stack.enter_context(Liar())
    liar.lie = partial(silent, "AS is_little")
    place.configure(f'url = "postgresql://f_ann@127.0.0.1:{liar.port}/fleet"')
    return ["status", "--fleet"], lambda: any("AS is_little" in one for one in liar.asked)


def of_a_letter(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """A host that does not begin what it is asked for."""
    liar = place.stack.enter_context(Liar())
    liar.lie = partial(silent, "SELECT id::text, state, code")
    key = place.folder / "state" / "fleet" / "operator.key"
    key.parent.mkdir(parents=True, mode=0o700)
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    place.configure(f'url = "postgresql://f_ann@127.0.0.1:{liar.port}/fleet"')
    return (
        ["checkpoint", "--fleet", "--within", "1h"],
        lambda: any("fleet.send(" in one for one in liar.asked),
    )


def of_jobs(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """The scheduler, between two jobs."""
    del place
    return ["--serve"], lambda: False


def of_schedulers(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """A scheduler for each of several homes."""
    other = place.folder / "other"
    other.mkdir()
    write_home(other, datetime.now(UTC), None)
    homes = json.dumps([str(place.home), str(other / place.home.name)])
    place.configure(f"homes = {homes}")
    return ["--serve", "--fleet"], lambda: False


def of_an_agent(place: Place) -> tuple[list[str], Callable[[], bool]]:
    """An agent that asks nothing of its memory."""
    del place
    end = time.monotonic() + 8  # it says nothing by itself
    return ["mcp", "--agent", "main"], lambda: time.monotonic() > end


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(tmp_path, stack)


@pytest.mark.parametrize(
    "waits",
    [of_hosts, of_a_server, of_an_answer, of_a_letter, of_jobs, of_schedulers, of_an_agent],
)
def test_a_call_that_waits_ends_with_the_first_interrupt(
    place: Place, waits: Callable[[Place], tuple[list[str], Callable[[], bool]]]
) -> None:
    words, is_waiting = waits(place)
    command = [sys.executable, "-P", "-m", "memconsole", *words]
    with running(command, (120, 40), place.environment) as terminal:
        end = time.monotonic() + 30
        while not is_waiting() and time.monotonic() < end and terminal.process.poll() is None:
            terminal.read_for(0.1)
            if b"scheduler started" in terminal.output:
                break
        terminal.read_for(1.0)
        assert terminal.process.poll() is None, terminal.output
        start = time.monotonic()
        terminal.process.send_signal(signal.SIGINT)
        code = terminal.wait()
        assert time.monotonic() - start < WITHIN_S, terminal.output
    assert code == 130, (code, terminal.output)
