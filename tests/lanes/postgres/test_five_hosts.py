"""Two people over five hosts: two are well, one is stopped, one has a wrong clock, one an old wire.

What they see is true of all; what one asks is done once, where the agent lives, and stands in the
audit; one search ranks what all of them remember; and an end of the server in the middle of it
loses nothing and stops nothing.
"""

from __future__ import annotations

import json
import re
import signal
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.gateway import LoopbackGateway, rows_of
from memconsole.demo.home import write_home
from memconsole.domain.agents import Origin
from tests.conftest import live_in
from tests.lanes.postgres.fleet import wait_for
from tests.lanes.postgres.test_two_consoles import console
from tests.lanes.tmux import wait_until
from tests.program import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lanes.postgres.fleet import Fleet
    from tests.lanes.postgres.server import Server
    from tests.lanes.tmux import Tmux
    from tests.program import Answer

pytestmark = pytest.mark.postgres

_OLD = "import memconsole.domain.fleet.wire as wire\nwire.WIRE = 0\n"
"""What makes a memconsole speak an older edition."""
_HAS_CHUNKS = """
SELECT 1 FROM fleet.chunks c JOIN fleet.indexes i ON i.id = c.index_id
JOIN fleet.homes o ON o.id = i.home JOIN fleet.hosts h ON h.id = o.host WHERE h.name = %s
"""
HOSTS = ("alpha", "beta", "gamma", "delta", "epsilon")
DUE = "agent:work:main"


class FiveHosts:
    """The hosts, each a `--serve` over a home of its own, and ann and bob."""

    def __init__(self, fleet: Fleet, folder: Path, stack: ExitStack) -> None:
        self.fleet = fleet
        self.hosts = {name: fleet.join(name, "--labels", "prod") for name in HOSTS}
        self.people = {name: fleet.join(name, "--operator") for name in ("ann", "bob")}
        lines = []
        for name, person in self.people.items():
            verbs = ("read", "search", "checkpoint", "rotate")
            assert fleet.owner("fleet", "grant", name, *verbs, "--on", "prod").code == 0
            person.reads(person.url)
            lines.append(person("fleet", "key", "--name", name).data[0]["details"]["line"])
        self.operators = json.dumps(lines)
        self.gateway = stack.enter_context(self._played(folder))
        self.old = folder / "old"
        self.old.mkdir()
        (self.old / "sitecustomize.py").write_text(_OLD)
        self.set("UPDATE fleet.meta SET least_wire = 0")
        for name in HOSTS:
            self._remember(name)
        self.stops = {name: stack.enter_context(self._serving(name)) for name in HOSTS}
        for name in HOSTS:
            wait_for(fleet, name)
            self.wait_until(_HAS_CHUNKS, name)

    def _remember(self, name: str) -> None:
        """Let an agent of a host write something down, and index it."""
        host = self.hosts[name]
        (host.home / "workspace").mkdir(exist_ok=True)
        agent = "writer" if name == "alpha" else "main"
        note = f"The ferry of {name} leaves at seven."
        assert host("memory", "add", note, "--agent", agent, "--long").code == 0
        assert host("reindex", "--agent", agent).code == 0

    @contextmanager
    def _played(self, folder: Path) -> Iterator[LoopbackGateway]:
        """Give alpha a home with a session that is due, and a Gateway that knows it."""
        operator = folder / "played"
        operator.mkdir()
        now = datetime.now(UTC)
        home = write_home(operator, now, None).state
        with pytest.MonkeyPatch.context() as patch:
            live_in(operator, patch)
            engine = wiring.build_engine(process.load_settings(None, {}), Origin.CLI)
            rows = rows_of(engine.sessions.all())
        with LoopbackGateway(lambda: rows, now=lambda: datetime.now(UTC)) as gateway:
            self.hosts["alpha"].environment |= {
                "MEMCONSOLE_HOME": str(home),
                "MEMCONSOLE_TRANSPORT": "ws",
                "MEMCONSOLE_GATEWAY": gateway.url,
                "MEMCONSOLE_GATEWAY__TOKEN": gateway.token,
            }
            yield gateway

    @contextmanager
    def _serving(self, name: str) -> Iterator[None]:
        late = datetime.now(UTC) + timedelta(hours=1)
        clock = {"MEMCONSOLE_NOW": late.isoformat()} if name == "delta" else {}
        old = {"PYTHONPATH": f"{self.old}:{ROOT}"} if name == "epsilon" else {}
        serving = (
            self.hosts[name]
            .program(
                MEMCONSOLE_FLEET__PUBLISH="memory",
                MEMCONSOLE_FLEET__BEAT="1s",
                MEMCONSOLE_FLEET__OPERATORS=self.operators,
                MEMCONSOLE_FLEET__ALLOW="checkpoint,rotate",
                **clock,
                **old,
            )
            .start("--serve", "--layer", "health")
        )
        self.processes = {**getattr(self, "processes", {}), name: serving}
        try:
            yield
        finally:
            if serving.poll() is None:
                serving.send_signal(signal.SIGTERM)
            serving.communicate()

    def end(self, name: str) -> None:
        """Kill a host, as a power cut would."""
        self.processes[name].kill()
        self.processes[name].wait()

    def wait_until(self, query: str, *values: object) -> None:
        """Wait until the server knows something."""
        end = time.monotonic() + 60
        with self.fleet.admin() as connection:
            while not connection.execute(query, values).fetchone():
                assert time.monotonic() < end, (query, values)
                time.sleep(0.1)

    def set(self, query: str) -> None:
        with self.fleet.admin() as connection:
            connection.execute(query)

    def asks(self, who: str, *words: str, timeout: str = "20s") -> Answer:
        return self.people[who](*words, MEMCONSOLE_FLEET__TIMEOUT=timeout)


@pytest.fixture
def five(fleet: Fleet, tmp_path: Path) -> Iterator[FiveHosts]:
    with ExitStack() as stack:
        yield FiveHosts(fleet, tmp_path, stack)


def of(answer: Answer, host: str) -> dict[str, object]:
    [row] = [one for one in answer.data if one["host"] == host]
    return dict(row)


def test_two_people_over_five_hosts(five: FiveHosts, server: Server) -> None:
    five.end("gamma")
    five.set(
        "UPDATE fleet.homes SET looked_at = now() - interval '14 min' WHERE host ="
        " (SELECT id FROM fleet.hosts WHERE name = 'gamma')"
    )
    for person in five.people:
        answer = five.asks(person, "status", "--fleet")
        fresh = {row["host"]: row["freshness"] for row in answer.data}
        assert fresh["alpha"] == fresh["beta"] == fresh["delta"] == "live"
        assert fresh["gamma"] == "away"
        assert of(answer, "gamma")["agents"]
        assert "speaks another edition" in str(of(answer, "epsilon")["error"])
        told = json.dumps(answer.warnings)
        assert "clock of delta is 3" in told
        assert "away for 14 min" in told
        assert answer.code == 1
        _search(five, person)
    _checkpoint(five)
    with console(five.people["ann"]) as ann, console(five.people["bob"]) as bob:
        for one in (ann, bob):
            _is_true(one)
        _rotate(ann, bob)
    _rotation(five)
    _without_a_server(five, server)


_ROWS = (
    r"alpha +work .* DUE",
    r"beta +main +–",
    r"delta +main +–",
    r"gamma +main +\? +away 1\dm",
    r"epsilon +\? +\? +away ",
)


def _is_true(one: Tmux) -> None:
    """A console on screen says of each of the five what is so."""
    wait_until(lambda: all(re.search(row, one.picture()) for row in _ROWS), one.picture)
    one.press("!")
    one.wait_for("gamma: away 1")
    one.wait_for("epsilon: away: its answer cannot be used: it speaks")
    one.wait_for("delta: its clock is")
    one.press("Escape")
    one.wait_for("1 Agents")


def _rotate(ann: Tmux, bob: Tmux) -> None:
    """Ann rotates what is due on alpha, from her screen; bob sees on his what came of it."""
    ann.press("1", "g", "R")
    ann.wait_for("y rotate")
    ann.settle()  # keys of a question's first moment are dropped
    ann.press("y")
    wait_until(lambda: re.search(r"✓ .*done", ann.picture()) is not None, ann.picture)
    says = re.compile(r"ann +rotate +✓ +alpha/work")
    wait_until(lambda: says.search(bob.picture()) is not None, bob.picture)


def _search(five: FiveHosts, person: str) -> None:
    """One ranking of what all of them remember, also of the host that is stopped."""
    answer = five.asks(person, "search", "the ferry leaves", "--fleet")
    [found] = answer.data
    first = {hit["host"]: hit for hit in reversed(found["hits"])}
    assert {"alpha", "beta", "gamma", "delta"} <= set(first), answer
    assert all(f"The ferry of {name} leaves" in hit["snippet"] for name, hit in first.items())
    assert first["gamma"]["freshness"] == "away"
    assert "gamma as of" in found["searched"]["line"]


def _checkpoint(five: FiveHosts) -> None:
    answer = five.asks("ann", "checkpoint", "--host", "alpha,gamma", "--force", "--within", "6s")
    rows = {row["host"]: row for row in answer.data}
    assert "not begun in time" in rows["gamma"]["message"]
    assert rows["gamma"]["reason"] == "expired"
    done = {row["agent"]: row["status"] for row in answer.data if row["host"] == "alpha"}
    assert set(done.values()) <= {"done", "skipped"}, answer
    assert "done" in done.values()
    assert answer.code == 1


def _rotation(five: FiveHosts) -> None:
    resets = [
        method
        for method, asked in five.gateway.requests
        if asked.get("key") == DUE and "reset" in method
    ]
    assert len(resets) == 1, five.gateway.requests
    local = [row for row in five.hosts["alpha"]("runs").data if row["command"] == "rotate"]
    assert [row["status"] for row in local] == ["done"]
    assert local[0]["proof"]["verdict"] == "proven", local
    commands = five.fleet.owner("fleet", "commands").data
    sent = [
        (row["host"], row["words"][0], row["state"], row["by"].rpartition("_")[2])
        for row in commands
        if "--dry-run" not in row["words"]  # her console asked for the plan first
    ]
    assert sent.count(("alpha", "rotate", "answered", "ann")) == 1
    assert ("gamma", "checkpoint", "expired", "ann") in sent
    audit = [
        (row["what"], row["details"].partition(" ")[0], row["state"])
        for row in five.fleet.owner("fleet", "audit").data
    ]
    asked = [row for row in commands if row["words"][0] == "rotate"]
    assert audit.count(("rotate", "alpha", "answered")) == len(asked) == 2


def _while_it_is_away(five: FiveHosts) -> None:
    assert five.asks("bob", "status", "--fleet").code == 3
    assert five.hosts["alpha"]("checkpoint", "--agent", "writer", "--force").code == 0


def _without_a_server(five: FiveHosts, server: Server) -> None:
    five.processes["beta"].send_signal(signal.SIGSTOP)  # the end comes while it is asked
    ann = five.people["ann"].program(MEMCONSOLE_FLEET__TIMEOUT="60s")
    words = ("checkpoint", "--host", "beta", "--agent", "main", "--force")
    asked = ann.start("--json", *words)
    five.wait_until("SELECT 1 FROM fleet.commands WHERE host_name = 'beta'")
    five.set("CHECKPOINT")  # fsync is off here: a kill would lose what a server would not
    server.kill()
    five.processes["beta"].send_signal(signal.SIGCONT)
    _while_it_is_away(five)
    server.start()
    answer = json.loads(asked.communicate()[0])
    assert {row["status"] for row in answer["data"]} <= {"done", "skipped"}, answer
    five.wait_until("SELECT 1 FROM fleet.commands WHERE host_name = 'beta' AND state = 'answered'")
    runs = [row for row in five.hosts["beta"]("runs").data if row["command"] == "checkpoint"]
    assert len(runs) == 1, runs
    wait_for(five.fleet, "alpha", anew=True)
    answer = five.asks("bob", "checkpoint", "--host", "alpha", "--agent", "writer", "--force")
    assert answer.row(host="alpha")["status"] == "done", answer
    assert all(five.processes[name].poll() is None for name in ("alpha", "beta", "delta"))
