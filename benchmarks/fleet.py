"""Measures a fleet over a real PostgreSQL: `make bench-fleet`.

500 hosts are simulated by their rows; what one of them publishes, and what is sent to it, goes the
way of the program. Bytes are those of the protocol, as libpq traces them. Search over a fleet is
measured by `benchmarks.fleet_search` and `benchmarks.fleet_recall`, as other parts of one table.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import uuid
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks import fleet_recall, fleet_search
from benchmarks.budgets import ROOT, Row, environment
from benchmarks.console import answers
from benchmarks.fleet_table import run_parts
from benchmarks.terminal import running
from memconsole import __version__
from memconsole.adapters.clock import SystemClock
from memconsole.adapters.fleet.postgres.copy import PostgresCopy
from memconsole.adapters.fleet.postgres.letterbox import PostgresLetters
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.source import PostgresFleet
from memconsole.adapters.fleet.signing import Signer
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.domain.fleet.letters import Operator
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.published import Fact
from memconsole.engine.fleet.ask import ask_all
from memconsole.engine.fleet.letters import Door, LetterWorker
from tests.lanes.postgres.fleet import Fleet
from tests.lanes.postgres.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.fleet.shapes import Row as Body

HOSTS, FEW, SESSIONS, ROUNDS, COMMANDS = 500, 5, 25, 60, 40
ERA = {"sessions": "files", "memory_index": "none", "cron": "none"}
STATUS: Body = {
    "home": "/home/op/.openclaw",
    "era": ERA,
    "gateway": {"verdict": "up"},
    "scheduler": {"state": "running"},
    "attention": [],
    "agents": [],
    "alerts": [],
}
_SETTLES_S = 20.0
"""A console that has read 500 hosts is at rest."""

SIGNER = Signer(b"a" * 32)


def facts(changed: int = 0) -> tuple[Fact, ...]:
    """Return the rows of a home of three agents; one session has grown so often."""
    agents: list[Body] = [
        {
            "id": name,
            "name": name,
            "era": ERA,
            "store": "files",
            "sessions": 9,
            "due": 0,
            "tokens_max": 90_000,
            "problems": [],
        }
        for name in ("main", "work", "research")
    ]
    sessions: list[Body] = [
        {
            "key": f"agent:main:telegram:direct:#{n:08x}",
            "agent": "main",
            "session_id": str(uuid.UUID(int=n)),
            "class": "direct",
            "state": "live",
            "transcript": "present",
            "source": "files",
            "label": f"#{n:08x}",
            "tokens": 60_000 + n + (changed if n == 7 else 0),
            "token_state": "fresh",
            "window": 200_000,
            "threshold": 150_000,
            "percent_of_threshold": 40.0 + n,
            "updated_at": "2026-05-02T10:00:00+00:00",
            "activity": {"doing": "idle", "since": "2026-05-02T10:00:00+00:00", "heard_at": None},
            "due": False,
            "not_due_because": "below its threshold of 150K",
        }
        for n in range(SESSIONS)
    ]
    return (
        Fact("status", "", 0, STATUS),
        *(Fact("agent", str(one["id"]), n, one) for n, one in enumerate(agents)),
        *(Fact("session", str(one["key"]), n, one) for n, one in enumerate(sessions)),
    )


class Simulated:
    """A fleet whose hosts are logins, made with one statement."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.fleet = Fleet(server, folder)
        self.host = self.fleet.join("n000")
        self.ann = self.fleet.join("ann", "--operator")
        self.fleet.owner("fleet", "grant", "ann", "read", "checkpoint")
        self.ann.reads(self.ann.url)
        self.copy = self.copy_of()
        self.copy.publish(facts())

    def copy_of(self) -> PostgresCopy:
        """Return what publishes the one host that is real."""
        return PostgresCopy(
            parse_server(self.host.url),
            passwords_of(self.host.state),
            identity=uuid.UUID(int=1),
            path="/home/op/.openclaw",
            release=__version__,
            beat_s=30,
        )

    def grow(self, hosts: int) -> None:
        """Add hosts with the figures of the first one."""
        with self.fleet.admin() as connection:
            connection.execute(
                "INSERT INTO fleet.hosts (role, name, version, wire, joined_at, seen_at, skew_ms,"
                " beat_s) SELECT 'n' || n, 'n' || lpad(n::text, 3, '0'), %s, 1, now(), now(), 0,"
                " 3600"  # they stay live, however long it takes to ask them
                " FROM generate_series(1, %s) n ON CONFLICT DO NOTHING",
                (__version__, hosts - 1),
            )
            connection.execute(
                "INSERT INTO fleet.homes (host, identity, path, looked_at) SELECT id,"
                " gen_random_uuid(), '/home/op/.openclaw', now() FROM fleet.hosts h"
                " WHERE NOT EXISTS (SELECT FROM fleet.homes o WHERE o.host = h.id)"
            )
            connection.execute(
                "INSERT INTO fleet.facts SELECT o.id, f.kind, f.key, 1, f.hash, f.place, f.body"
                " FROM fleet.homes o, fleet.facts f WHERE f.home = (SELECT min(id) FROM"
                " fleet.homes)"
                " ON CONFLICT DO NOTHING"
            )
            connection.execute("ANALYZE fleet.facts")

    def status_s(self, clock: SystemClock) -> float:
        """Return how long `status --fleet` takes to gather its answers."""
        taken = []
        for _ in range(5):
            start = time.perf_counter()
            fleet = PostgresFleet(
                parse_server(self.ann.url),
                passwords_of(self.ann.state),
                lambda: SIGNER,
                timedelta(minutes=1),
            )
            ask_all(fleet.homes(), "sessions", ["sessions"], clock)
            taken.append(time.perf_counter() - start)
        return median(taken)

    def keys_s(self, shown: str) -> list[float]:
        """Return how long keys take in a console over it, while one fact after the other moves."""
        seen = environment("console") | self.ann.environment | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "memconsole", "--fleet", "--read-only"]
        with running(command, seen) as terminal, self.moving():
            terminal.until(shown)
            terminal.read_for(_SETTLES_S)
            return [*answers(terminal), *answers(terminal)]

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Let a session of one host grow again and again."""
        stop = threading.Event()

        def work() -> None:
            number = 0
            while not stop.wait(0.3):
                number += 1
                self.copy.publish(facts(number))

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def traced(copy: PostgresCopy, work: Callable[[], object]) -> int:
    """Return the bytes that go to the server in some work, as libpq traces them."""
    connection = copy._connection
    assert connection is not None
    with tempfile.TemporaryFile() as file:
        connection.pgconn.trace(file.fileno())
        work()
        connection.pgconn.untrace()
        file.seek(0)
        lines = file.read().decode("utf-8", "replace").splitlines()
    parts = [line.split("\t") for line in lines]
    return sum(int(part[2]) + 1 for part in parts if len(part) > 3 and part[1] == "F")


def bytes_sent(simulated: Simulated) -> Iterator[Row]:
    """Yield what a host sends: nothing new, one session that grew, a beat."""
    copy = simulated.copy
    beat = traced(copy, lambda: copy.publish(facts()))
    changed = traced(copy, lambda: copy.publish(facts(1)))
    yield Row("an unchanged reading, its beat included", f"{beat} B", "300 B", beat / 300)
    yield Row("one changed session", f"{changed - beat} B", "4 KB", (changed - beat) / 4096)


def change_heard(simulated: Simulated) -> Iterator[Row]:
    """Yield how long a change takes until another session has its row, against `SELECT 1`."""
    with simulated.fleet.role(simulated.ann) as reader:
        reader.execute("LISTEN fleet")
        plain, heard = [], []
        for number in range(ROUNDS):
            start = time.perf_counter()
            reader.execute("SELECT 1").fetchone()
            plain.append(time.perf_counter() - start)
            start = time.perf_counter()
            simulated.copy.publish(facts(2 + number))
            [notice] = reader.notifies(timeout=5, stop_after=1)
            home, generation = map(int, notice.payload.split())
            reader.execute(
                "SELECT body FROM fleet.facts WHERE home = %s AND generation = %s",
                (home, generation),
            ).fetchall()
            heard.append(time.perf_counter() - start)
    yield _ratio("change written → row in another session", median(heard), median(plain), 40)


def command_heard(simulated: Simulated, folder: Path) -> Iterator[Row]:
    """Yield how long a command takes from sent to heard, p95, against `SELECT 1`."""
    host, home = simulated.host, str(uuid.UUID(int=1))
    box = PostgresLetters(parse_server(host.url), passwords_of(host.state), home)
    worker = LetterWorker(
        box,
        Door("n000", [home], [Operator("ann", SIGNER.key, frozenset({"*"}))], ["checkpoint"]),
        lambda _: (0, {"schema": 1, "command": "checkpoint", "data": []}),
        JsonStatusFile(folder / "state" / "fleet" / "begun.json"),
        SystemClock(),
    )
    stop = threading.Event()
    thread = threading.Thread(target=worker.run, args=(stop,))
    thread.start()
    fleet = PostgresFleet(
        parse_server(simulated.ann.url),
        passwords_of(simulated.ann.state),
        lambda: SIGNER,
        timedelta(minutes=1),
    )
    source = next(one for one in fleet.homes() if one.home.host == "n000")
    taken = []
    for _ in range(COMMANDS):
        start = time.perf_counter()
        assert source.ask(["checkpoint", "--agent", "main"]).code == 0
        taken.append(time.perf_counter() - start)
    stop.set()
    thread.join()
    with simulated.fleet.role(simulated.ann) as reader:
        start = time.perf_counter()
        for _ in range(ROUNDS):
            reader.execute("SELECT 1").fetchone()
        plain = (time.perf_counter() - start) / ROUNDS
    yield _ratio(
        "command, connection and all, sent → outcome heard, p95",
        quantiles(taken, n=20)[-1],
        plain,
        200,
    )


def many_hosts(simulated: Simulated, clock: SystemClock) -> Iterator[Row]:
    """Yield the sessions of 500 hosts against those of five, for each host, and keys likewise."""
    simulated.grow(FEW)
    few, few_keys = simulated.status_s(clock), simulated.keys_s(f"{FEW} live")
    simulated.grow(HOSTS)
    many, many_keys = simulated.status_s(clock), simulated.keys_s(f"{HOSTS} live")
    told = f"{many * 1000:.0f} ms ({many / few:.1f} × five hosts)"
    yield Row(
        f"sessions of {HOSTS} hosts, {HOSTS * SESSIONS:,} rows",
        told,
        "100 × five hosts",
        many / few / 100,
    )
    late, base = (1000 * quantiles(one, n=20)[-1] for one in (many_keys, few_keys))
    told = f"p95 {late:.0f} ms ({late / base:.2f} × five hosts), median {_ms(many_keys)} ms"
    work = f"a key over {HOSTS} hosts while one fact changes"
    yield Row(work, told, "1.5 × five hosts", late / base / 1.5)


def _ms(found: list[float]) -> str:
    return f"{1000 * median(found):.0f}"


def _ratio(work: str, measured: float, base: float, limit: float) -> Row:
    found = measured / base
    told = f"{measured * 1000:.1f} ms ({found:.0f} × `SELECT 1`)"
    return Row(work, told, f"{limit:.0f} ×", found / limit)


def hosts() -> Iterator[Row]:
    """Yield what 500 hosts come to."""
    with _server() as (server, folder):
        simulated = Simulated(server, folder)
        with closing(simulated.copy):
            yield from bytes_sent(simulated)
            yield from change_heard(simulated)
            yield from command_heard(simulated, folder)
            yield from many_hosts(simulated, SystemClock(None))


def labelled(every: int = 1) -> Iterator[Row]:
    """Yield what is found of the labelled talks."""
    with _server() as (server, folder):
        bench = fleet_search.Bench(server, folder / "fleet")
        with closing(bench.copy):
            yield from fleet_search.labelled(bench, folder, every)


def published() -> Iterator[Row]:
    """Yield what the chunks of one host take to publish, to keep and to search."""
    with _server() as (server, folder):
        bench = fleet_search.Bench(server, folder / "fleet")
        with closing(bench.copy):
            for chunks in PUBLISHED:
                yield from fleet_search.scale(bench, chunks)


def strangers() -> Iterator[Row]:
    """Yield how long one search over fleets of several sizes takes."""
    with _server() as (server, folder):
        yield from fleet_search.strangers(server, folder, list(FLEETS))


def recall(total: int, every: int) -> Iterator[Row]:
    """Yield what is missed among so many chunks, by each so many of the questions."""
    with _server() as (server, folder):
        yield from fleet_recall.crowd(server, folder, total, every)


@contextmanager
def _server() -> Iterator[tuple[Server, Path]]:
    """Run a server with room for the indexes of a million chunks, and a folder beside it."""
    server = Server()
    try:
        with closing(server.admin()) as connection:
            connection.execute(f"ALTER SYSTEM SET shared_buffers = '{fleet_search.SHARED}'")
        server.stop()
        server.start()
        with tempfile.TemporaryDirectory() as folder:
            yield server, Path(folder)
    finally:
        server.close()


PUBLISHED = (10_000, 100_000)
FLEETS = (10_000, 100_000, 1_000_000)
PARTS: dict[str, Callable[[], Iterable[Row]]] = {
    "hosts": hosts,
    "labelled": labelled,
    "published": published,
    "strangers": strangers,
    "recall": partial(recall, 100_000, 4),
    "recall-of-a-million": partial(recall, 1_000_000, 24),
}
"""The long ones last: a whole run that is broken off goes on with the part it was at."""


def main() -> int:
    """Measure all parts, or those that are named; 1 when a budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help=", ".join(PARTS))
    parser.add_argument("--anew", action="store_true", help="Begin a whole run anew.")
    chosen = parser.parse_args()
    return run_parts(PARTS, chosen.parts, anew=chosen.anew)


if __name__ == "__main__":
    sys.exit(main())
