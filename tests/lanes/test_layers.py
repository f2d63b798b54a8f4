"""Layers, and homes, as processes of their own: they run together; the death of one is told."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.locks import SchedulerWatch
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateJobs
from memconsole.domain.jobs.layers import Layer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.snapshot.snapshot import SchedulerStatus

pytestmark = pytest.mark.slow

_DEADLINE_S = 60


class Host:
    """A home whose layers are started by hand."""

    def __init__(self, folder: Path) -> None:
        sessions = folder / ".openclaw" / "agents" / "main" / "sessions"
        sessions.mkdir(parents=True)
        (sessions / "sessions.json").write_text("{}")
        state = folder / "state"
        self._environment = {
            "HOME": str(folder),
            "PATH": os.defpath,
            "MEMCONSOLE_STATE__DIR": str(state),
            "MEMCONSOLE_HOME": str(folder / ".openclaw"),
            "MEMCONSOLE_TRANSPORT": "none",
        }
        self._state = state
        self._watch = self.watch("locks")

    def watch(self, locks: str) -> SchedulerWatch:
        """Return what looks at the locks of one scheduler."""
        jobs = StateJobs(StateDatabase(self._state, PrivateCopies()))
        return SchedulerWatch(self._state / locks, jobs)

    def begin(self, *words: str, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "memconsole", *words],
            env=self._environment,
            cwd="/",
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def serve(self, layer: Layer) -> subprocess.Popen[str]:
        return self.begin("--serve", "--layer", layer.value)

    def status(
        self, is_so: Callable[[SchedulerStatus], bool], watch: SchedulerWatch | None = None
    ) -> SchedulerStatus:
        """Wait until the locks say something."""
        deadline_s = time.monotonic() + _DEADLINE_S
        while not is_so(found := (watch or self._watch).status()) and time.monotonic() < deadline_s:
            time.sleep(0.1)
        return found


def test_the_death_of_one_layer_stops_no_other_and_is_told(tmp_path: Path) -> None:
    host = Host(tmp_path)
    processes = {layer: host.serve(layer) for layer in Layer}
    try:
        found = host.status(lambda one: one.state == "running" and not one.silent)
        owners = {layer: process.pid for layer, process in processes.items()}
        assert {one.layer: one.pid for one in found.layers} == owners
        assert host.serve(Layer.CAPTURE).wait(_DEADLINE_S) == 1
        processes[Layer.CAPTURE].send_signal(signal.SIGKILL)
        processes[Layer.CAPTURE].wait(_DEADLINE_S)
        assert host.status(lambda one: bool(one.silent)).silence == "nobody runs the layer capture"
        said, _ = host.begin("health", stdout=subprocess.PIPE).communicate(timeout=_DEADLINE_S)
        assert "nobody runs the layer capture" in said
        assert "--serve --layer capture" in said
        processes[Layer.CAPTURE] = host.serve(Layer.CAPTURE)
        assert not host.status(lambda one: not one.silent).silent
    finally:
        for process in processes.values():
            process.terminate()
        codes = [process.wait(_DEADLINE_S) for process in processes.values()]
    assert codes == [0, 0, 0, 0]


def test_each_home_of_the_fleet_has_a_scheduler_and_one_that_dies_is_started_again(
    tmp_path: Path,
) -> None:
    homes = [tmp_path / name / ".openclaw" for name in "ab"]
    for home in homes:
        (home / "agents" / "main" / "sessions").mkdir(parents=True)
    file = tmp_path / "config.toml"
    named = ", ".join(f'"{home}"' for home in homes)
    file.write_text(f"[[fleet.source]]\nhomes = [{named}]\n")
    host = Host(tmp_path)
    process = host.begin("--config", str(file), "--serve", "--fleet")
    watches = [host.watch("locks"), host.watch(f"locks-{_mark(homes[1])}")]
    try:
        first, second = (
            host.status(lambda one: one.state == "running", watch) for watch in watches
        )
        assert first.pid is not None
        assert second.pid is not None
        assert len({first.pid, second.pid, process.pid}) == 3
        os.kill(first.pid, signal.SIGKILL)
        again = host.status(lambda one: one.pid not in (None, first.pid), watches[0])
        assert again.state == "running"
        assert watches[1].status().pid == second.pid
    finally:
        process.terminate()
        code = process.wait(_DEADLINE_S)
    assert code == 0
    assert [watch.status().state for watch in watches] == ["stopped", "stopped"]


def _mark(home: Path) -> str:
    return hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
