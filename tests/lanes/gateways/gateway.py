"""A released Gateway as a process of the lane's own, and somebody who chats with it.

Usable for any test that needs the real thing: `Gateway(release, home, model, extra)`, `start()`,
`chat(key, text)`, and what the model was asked in `model.prompts`.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.errors import AnswerError, ConnectionLostError, RefusedError
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.domain.gateway import GatewayPlace
from tests.lanes.gateways.family import family
from tests.lanes.gateways.install import compiled, node, program
from tests.lanes.gateways.releases import AGENTS, TOKEN, config, overlaid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memconsole.adapters.gateway.connector import Connection
    from tests.lanes.gateways.model_server import ModelServer
    from tests.lanes.gateways.releases import Release

Json = Any
"""What foreign JSON holds."""

START_S = 400.0
"""Cold, with all plugins and a busy machine (12 to 45 s
when warm; without what Node compiled before, several times that)."""

STARTS = 3
STOP_S = 30.0
TURN_S = 120.0
_CALL_S = 60.0
_PAUSE_S = 0.1

_QUIET = (
    "NO_RESPAWN", "NO_AUTO_UPDATE", "DISABLE_BONJOUR", "SKIP_CHANNELS", "SKIP_GMAIL_WATCHER",
    "SKIP_BROWSER_CONTROL_SERVER", "SKIP_CANVAS_HOST", "SKIP_CRON",
)  # fmt: skip
"""Variables of the platform: one process, and nothing that leaves the host."""


class Gateway:
    """One release over one home; every process is ended by `stop`, and by `close` in any case.

    Args:
        release: What runs.
        home: The user's home: state folder, workspaces and log are made in it.
        model: Who answers for the model.
        extra: Laid over the configuration, table by table.
    """

    def __init__(
        self,
        release: Release,
        home: Path,
        model: ModelServer,
        extra: Mapping[str, Json] | None = None,
    ) -> None:
        self.release = release
        self.home = home
        self.model = model
        self.port = free_port()
        self.state = home / release.state
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._numbers = itertools.count(1)
        settings = overlaid(config(release, home, self.port, model.url), extra or {})
        self.state.mkdir(parents=True)
        for agent in AGENTS:
            (home / f"ws-{agent}" / "memory").mkdir(parents=True)
        (self.state / release.config_name).write_text(json.dumps(settings, indent=2))

    @property
    def url(self) -> str:
        """Its address."""
        return f"ws://127.0.0.1:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    @property
    def pid(self) -> int:
        """The process that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and return when it lets an operator in.

        One that gives up is started again, as its service manager does: on a busy machine 2026.3
        takes so long to look at what a killed one left that it then believes it to be running.
        """
        for _ in range(STARTS):
            self._launch()
            wait_until(lambda: self._is_ended() or self._is_ready(), self._state, START_S)
            if not self._is_ended():
                return
        raise AssertionError(self._state())

    def stop(self) -> None:
        """Ask it to end, as an operator's restart does; insist after a while."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self._end(signal.SIGKILL)

    def call(self, method: str, **params: Json) -> Json:
        """Ask as an operator; the link is another one than memconsole's."""
        if self._connection is None:
            self._connection = self._open()
        try:
            return self._connection.request(method, params, timeout_s=_CALL_S)
        except ConnectionLostError:
            self._hang_up()
            raise

    def send(self, key: str, text: str) -> str:
        """Say something in a conversation; return its run, which goes on."""
        run = f"lane-{self.port}-{next(self._numbers)}"
        self.call("chat.send", sessionKey=key, message=text, idempotencyKey=run)
        return run

    def chat(self, key: str, text: str) -> None:
        """Say something, and wait until it is answered and the session's count is that of it."""
        run = self.send(key, text)
        self.await_run(run)
        self.await_count(key, text)

    def await_run(self, run: str) -> None:
        """Wait until a run has ended."""
        waiting = int(TURN_S * 1000)
        if self._connection is None:
            self._connection = self._open()
        done = self._connection.request(
            "agent.wait", {"runId": run, "timeoutMs": waiting}, timeout_s=TURN_S + _CALL_S
        )
        assert done["status"] == "ok", f"{done}\n{self.said()}"

    def await_count(self, key: str, text: str) -> None:
        """Wait until the count of a session is what the model told for a text (it comes late)."""
        told = self.model.prompts_saying(text)[-1].tokens
        wait_until(
            lambda: self.rows()[key].get("totalTokens") == told,
            lambda: f"{key} is not at {told}: {self.rows()[key]}\n{self.said()}",
        )

    def rows(self) -> dict[str, Json]:
        """Return what the Gateway itself lists, by key."""
        return {row["key"]: row for row in self.call("sessions.list", limit=200)["sessions"]}

    def agents_on_disk(self) -> set[str]:
        """Return the agents that have a folder."""
        return {one.name for one in (self.state / "agents").iterdir()}

    @property
    def output(self) -> Path:
        """What the process prints."""
        return self.home / "gateway.out"

    def said(self) -> str:
        """Return the end of what it printed."""
        return self.output.read_text(errors="replace")[-4000:] if self.output.exists() else ""

    def close(self) -> None:
        """End everything."""
        self._end(signal.SIGKILL)

    def _launch(self) -> None:
        environment = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join([str(node().parent), "/usr/bin", "/bin"]),
            "TMPDIR": str(self.home),
            "LANG": "C.UTF-8",
            **compiled(),
            **{f"{self.release.package.upper()}_{one}": "1" for one in _QUIET},
        }
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                [node(), program(self.release), "gateway", "run"],
                cwd=self.home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def _state(self) -> str:
        code = None if self._process is None else self._process.poll()
        return f"{self.release.name} ended with {code}: {self.said()}"

    def _is_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def _is_ready(self) -> bool:
        try:
            self.call("health")
        except (RefusedError, ConnectionLostError, AnswerError):
            self._hang_up()
            return False
        return True

    def _open(self) -> Connection:
        place = GatewayPlace(self.url, TOKEN, is_explicit=True)
        devices = DeviceFile(self.home / "operator.key")
        connector = Connector("ws", self.state, {}, devices, may_register=True)
        connection = connector.with_device(place, is_acting=True)
        assert connection is not None
        return connection

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _end(self, number: signal.Signals) -> None:
        """End the process, then whatever it started: some of that has a group of its own."""
        self._hang_up()
        process = self._process
        if process is None:
            return
        started = family(process.pid)
        process.send_signal(number)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for one in started:
            one.kill()
        wait_until(lambda: not any(one.lives for one in started), lambda: f"left: {started}")
        self._process = None


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(
    is_so: Callable[[], bool], complaint: Callable[[], str], patience_s: float = 60.0
) -> None:
    """Look again until something is so."""
    end = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(complaint())
        time.sleep(_PAUSE_S)
