"""What a host publishes, what a reader is told of it, and what happens when something fails."""

from __future__ import annotations

import json
import random
import shutil
import threading
import uuid
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

import pytest

from memconsole import __version__
from memconsole.adapters.fleet.postgres.copy import PostgresCopy
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.source import PostgresFleet
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.demo.history import FixedClock
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.fleet.shapes import AGENT, SESSION, STATUS
from memconsole.domain.fleet.wire import Freshness
from memconsole.domain.published import Fact, Veil, facts_of
from memconsole.engine.fleet.publishing import Publisher
from memconsole.errors import FleetError, FleetHeldError, SourceAwayError
from tests.lanes.postgres.fleet import NOW

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.fleet.shapes import Json, Row, Shape
    from tests.lanes.postgres.fleet import Fleet, Somebody
    from tests.lanes.postgres.server import Server
    from tests.program import Answer

pytestmark = pytest.mark.postgres

IDENTITY = uuid.UUID("5e551010-0000-4000-8000-000000000001")


@pytest.fixture(scope="module")
def alpha(fleet: Fleet) -> Somebody:
    return fleet.join("alpha", "--labels", "prod")


@pytest.fixture(scope="module")
def ann(fleet: Fleet, alpha: Somebody) -> Somebody:
    """Somebody who may read every host."""
    made = fleet.join("ann", "--operator")
    assert fleet.owner("fleet", "grant", "ann", "read").code == 0
    made.reads(made.url)
    return made


def copy_of(host: Somebody, identity: uuid.UUID = IDENTITY) -> PostgresCopy:
    return PostgresCopy(
        parse_server(host.url),
        passwords_of(host.state),
        identity=identity,
        path="/home/op/.openclaw",
        release=__version__,
        beat_s=30,
    )


def example(shape: Shape, **changes: Json) -> Row:
    """Return the least that an answer of a shape holds."""
    made = _least(shape)
    assert isinstance(made, dict)
    return {**made, **changes}


def _least(shape: Shape) -> Json:
    if isinstance(shape, list):
        return []
    if isinstance(shape, dict):
        return None if "?" in shape else {name: _least(one) for name, one in shape.items()}
    if shape.endswith("?") or shape == "any":
        return None
    made: dict[str, Json] = {"text": "x", "count": 0, "flag": False, "time": NOW.isoformat()}
    return made[shape]


def sessions(*tokens: int) -> tuple[Fact, ...]:
    """Return rows of a home with sessions that hold so much."""
    agent = example(AGENT, id="main", sessions=len(tokens), due=0)
    return (
        Fact("status", "", 0, example(STATUS)),
        Fact("agent", "main", 0, agent),
        *(
            Fact("session", f"s{n}", n, example(SESSION, key=f"s{n}", agent="main", tokens=count))
            for n, count in enumerate(tokens)
        ),
    )


def rows(fleet: Fleet) -> dict[str, int]:
    with fleet.admin() as connection:
        found = connection.execute("SELECT body FROM fleet.facts WHERE kind = 'session'")
        return {body["key"]: body["tokens"] for (body,) in found}


def generation(fleet: Fleet) -> int:
    with fleet.admin() as connection:
        [row] = connection.execute("SELECT generation FROM fleet.homes").fetchall()
        return int(row[0])


def shown(reader: Somebody, *words: str) -> Answer:
    return reader(*words, "--fleet")


def test_only_what_differs_is_sent(fleet: Fleet, alpha: Somebody) -> None:
    with closing(copy_of(alpha)) as copy:
        assert copy.publish(sessions(1, 2, 3)).rows == 5
        before = generation(fleet)
        assert copy.publish(sessions(1, 2, 3))[:2] == (0, 0)
        assert generation(fleet) == before
        assert copy.publish(sessions(1, 9, 3))[:2] == (1, 0)
        assert copy.publish(sessions(1))[:2] == (1, 2)  # the agent counts its sessions
    with closing(copy_of(alpha)) as copy:  # another process knows it too
        assert copy.publish(sessions(1))[:2] == (0, 0)
    assert rows(fleet) == {"s0": 1}


def test_sessions_beyond_those_that_are_published_are_told(
    fleet: Fleet, alpha: Somebody, ann: Somebody
) -> None:
    answers: dict[str, Json] = {
        "status": example(STATUS),
        "agents": [example(AGENT, id="main", sessions=2007, due=0)],
        "sessions": [example(SESSION, key=f"agent:main:s{n}", agent="main") for n in range(2007)],
    }
    with closing(copy_of(alpha)) as copy:
        copy.publish(facts_of(answers, Veil(b"x"), frozenset(), frozenset()))
        for words in ((), ("--agent", "alpha/main")):
            answer = shown(ann, "sessions", *words)
            assert len(answer.data) == 2000
            assert answer.envelope["left_out"] == {"unpublished": 7}
            assert "7 more sessions are there" in str(answer.warnings)
        assert shown(ann, "agents").envelope["left_out"] == {}
        assert len(rows(fleet)) == 2000
        copy.publish(sessions(1))
        assert shown(ann, "sessions").envelope["left_out"] == {}


def test_any_order_of_publishing_ends_in_the_same_rows(fleet: Fleet, alpha: Somebody) -> None:
    chance = random.Random(4)
    copy = copy_of(alpha)
    for _ in range(30):
        counts = [chance.randrange(3) for _ in range(chance.randrange(6))]
        copy.publish(sessions(*counts))
        if chance.random() < 0.3:
            copy.close()
        assert rows(fleet) == {f"s{n}": count for n, count in enumerate(counts)}
    copy.close()


def test_a_reader_that_goes_on_is_told_what_came_since(
    fleet: Fleet, alpha: Somebody, ann: Somebody
) -> None:
    now = 0.0

    def signer() -> NoReturn:
        raise AssertionError("nothing is sent")

    reader = PostgresFleet(
        parse_server(ann.url), passwords_of(ann.state), signer, timedelta(), monotonic=lambda: now
    )

    def tokens() -> list[object]:
        heard = json.loads(home.ask(["sessions"]).text)
        return [one["tokens"] for one in heard["data"]]

    with closing(copy_of(alpha)) as copy:
        copy.publish(sessions(1))
        [home] = [one for one in reader.homes() if one.home.host == "alpha"]
        assert tokens() == [1]
        copy.publish(sessions(7, 8))
        assert tokens() == [1]  # all that ask at one time share one reading
        now = 20.0
        assert tokens() == [7, 8]
    with fleet.admin() as connection:
        connection.execute("UPDATE fleet.homes SET looked_at = looked_at - interval '1 hour'")
    now = 40.0
    told = home.ask(["sessions"]).copied
    assert told is not None
    assert told.freshness is Freshness.AWAY


def test_readers_are_told_what_is_published_and_how_new_it_is(
    fleet: Fleet, alpha: Somebody, ann: Somebody
) -> None:
    with closing(copy_of(alpha)) as copy:
        copy.publish(sessions(10, 20))
    answer = shown(ann, "sessions")
    assert [(row["host"], row["tokens"], row["freshness"]) for row in answer.data] == [
        ("alpha", 10, "live"),
        ("alpha", 20, "live"),
    ]
    assert shown(ann, "status").data[0]["agents"][0]["id"] == "main"
    assert shown(ann, "sessions", "--agent", "nobody").data == []
    assert shown(ann, "agents", "--host", "alpha").row(id="main")
    refused = shown(ann, "search", "inventory")
    assert refused.code == 1
    assert refused.data[0]["searched"]["lacking"] == ["alpha"]  # search was not granted
    refused = shown(ann, "jobs")
    assert refused.code == 2
    with fleet.admin() as connection:
        for ago, word, code in (("90 s", "late", 0), ("14 min", "away", 3)):
            connection.execute("UPDATE fleet.homes SET looked_at = now() - %s::interval", (ago,))
            answer = shown(ann, "sessions")
            assert {row["freshness"] for row in answer.data} == {word}
            assert answer.code == code
    assert "home-away" in answer.warning_codes()
    [row] = [one["as_of"] for one in answer.data[:1]]
    assert row


def test_a_clock_that_is_wrong_is_told(fleet: Fleet, alpha: Somebody, ann: Somebody) -> None:
    with closing(copy_of(alpha)) as copy, fleet.admin() as connection:
        copy.publish(sessions(1))
        connection.execute("UPDATE fleet.hosts SET skew_ms = 3600000")
        answer = shown(ann, "status")
        assert answer.code == 0
        assert "the clock of alpha is 3600 s ahead" in json.dumps(answer.warnings)
        copy.publish(sessions(1))  # measured again with each beat
        assert shown(ann, "status").warnings == []


def test_an_old_wire_is_not_read_and_too_old_a_host_stops_publishing(
    fleet: Fleet, alpha: Somebody, ann: Somebody
) -> None:
    with closing(copy_of(alpha)) as copy, fleet.admin() as connection:
        copy.publish(sessions(1))
        connection.execute("UPDATE fleet.hosts SET wire = 0")
        answer = shown(ann, "status")
        assert "speaks another edition" in answer.data[0]["error"]
        connection.execute("UPDATE fleet.meta SET least_wire = 99")
        copy.close()
        with pytest.raises(FleetError, match="newer memconsole"):
            copy.publish(sessions(2))
        connection.execute("UPDATE fleet.meta SET least_wire = 1")
        assert copy.publish(sessions(2)).rows == 1
        assert shown(ann, "sessions").data[0]["tokens"] == 2


def test_two_publishers_of_one_home(fleet: Fleet, alpha: Somebody) -> None:
    first, second = copy_of(alpha), copy_of(alpha)
    first.publish(sessions(1))
    with pytest.raises(FleetHeldError, match=r"published by another process: .* pid \d+ since"):
        second.publish(sessions(2))
    assert rows(fleet) == {"s0": 1}
    first.close()
    second.publish(sessions(2))
    assert rows(fleet) == {"s0": 2}
    second.close()


def test_a_server_that_was_put_back_from_a_backup_is_brought_to_now(
    fleet: Fleet, alpha: Somebody
) -> None:
    copy = copy_of(alpha)
    copy.publish(sessions(1, 2))
    copy.close()
    with fleet.admin() as connection:
        connection.execute(
            "UPDATE fleet.facts SET body = '{}', hash = decode(repeat('00', 16), 'hex')"
            " WHERE key = 's0'"
        )
        connection.execute("DELETE FROM fleet.facts WHERE key = 's1'")
    copy.publish(sessions(1, 2))
    assert rows(fleet) == {"s0": 1, "s1": 2}
    copy.close()


def test_a_listener_hears_home_and_generation_and_nothing_else(
    fleet: Fleet, alpha: Somebody
) -> None:
    with fleet.admin() as connection, closing(copy_of(alpha)) as copy:
        connection.execute("LISTEN fleet")
        copy.publish(sessions(7))
        [notice] = connection.notifies(timeout=5, stop_after=1)
        home, number = notice.payload.split()
        assert int(number) == generation(fleet)
        assert home.isdigit()


class Rounds:
    """A publisher whose rounds are made by hand."""

    def __init__(self, host: Somebody, folder: Path) -> None:
        self.facts: tuple[Fact, ...] = sessions(1)
        self.copy = copy_of(host)
        self.file = JsonStatusFile(folder / "state" / "fleet" / "standing.json")
        self.publisher = Publisher(
            lambda: self.facts,
            self.copy,
            self.file,
            FixedClock(NOW),
            beat=timedelta(seconds=30),
            share=lambda: 1.0,
        )

    def round(self) -> tuple[str, float]:
        """Return how it stands then, and the pause."""
        pause = self.publisher.round().total_seconds()
        return json.loads(self.file.read() or "{}")["state"], pause


def test_a_server_that_goes_away_loses_nothing_and_is_tried_again(
    fleet: Fleet, server: Server, alpha: Somebody, tmp_path: Path
) -> None:
    rounds = Rounds(alpha, tmp_path)
    assert rounds.round() == ("live", 30)
    for end in (server.stop, server.kill):
        end()
        rounds.facts = sessions(1, 2)
        assert [rounds.round() for _ in range(4)] == [
            ("away", 1), ("away", 2), ("away", 4), ("away", 8),
        ]  # fmt: skip
        assert json.loads(rounds.file.read() or "{}")["owed"] == 2  # a session, and its agent
        rounds.facts = sessions(1, 2, 3)
        server.start()
        assert rounds.round() == ("live", 30)
        assert rows(fleet) == {"s0": 1, "s1": 2, "s2": 3}
        rounds.facts = sessions(1)
        rounds.round()
    rounds.copy.close()


def test_what_may_not_be_there_any_more_is_taken_out_when_the_server_is_there_again(
    fleet: Fleet, server: Server, alpha: Somebody, tmp_path: Path
) -> None:
    rounds = Rounds(alpha, tmp_path)
    rounds.round()
    rounds.copy.close()
    assert rows(fleet)
    rounds.facts = ()
    server.stop()
    stop = threading.Event()
    thread = threading.Thread(target=rounds.publisher.withdraw, args=(stop,))
    thread.start()
    server.start()
    thread.join(30)
    assert rows(fleet) == {}
    assert json.loads(rounds.file.read() or "{}")["state"] == "withdrawn"


def test_a_connection_that_ends_in_the_middle_of_a_round_leaves_the_old_rows(
    fleet: Fleet, alpha: Somebody
) -> None:
    copy = copy_of(alpha)
    copy.publish(sessions(1))
    with fleet.admin() as connection, connection.transaction():
        # Its rows are held, so that the round waits in the middle of its transaction.
        connection.execute("SELECT FROM fleet.facts WHERE key = 's0' FOR UPDATE")
        kill = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            " AND usename = %s"
        )
        with fleet.admin() as other:
            other.execute("SET statement_timeout = 0")
            ended = Ending(other, kill, (fleet.database, f"{fleet.database}_alpha"))
            with ended, pytest.raises(SourceAwayError):
                copy.publish(sessions(5, 6))
    assert rows(fleet) == {"s0": 1}
    copy.publish(sessions(5, 6))
    assert rows(fleet) == {"s0": 5, "s1": 6}
    copy.close()


class Ending:
    """Ends a session as soon as it waits for a lock."""

    def __init__(self, connection: object, kill: str, values: tuple[str, str]) -> None:
        self._connection, self._kill, self._values = connection, kill, values
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Ending:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _run(self) -> None:
        query = self._kill + " AND wait_event_type = 'Lock'"
        for _ in range(100_000):
            if self._connection.execute(query, self._values).fetchall():  # type: ignore[attr-defined]
                return


def test_what_an_earlier_state_folder_left_is_told_until_it_is_gone(
    fleet: Fleet, alpha: Somebody, tmp_path: Path
) -> None:
    lost = uuid.uuid4()
    with closing(copy_of(alpha, lost)) as copy:
        copy.publish(sessions(1))
    rounds = Rounds(alpha, tmp_path)

    def told() -> str:
        assert rounds.round() == ("live", 30)
        return str(json.loads(rounds.file.read() or "{}")["message"])

    assert told() == ""  # it lives, as the home of another container may
    rounds.copy.close()
    with fleet.admin() as connection:
        connection.execute(
            "UPDATE fleet.homes SET looked_at = '2026-04-01T12:00:00+02' WHERE identity = %s",
            (lost,),
        )
        heard = "the fleet knows this home under another identity too, last heard of"
        assert told() == f"{heard} 2026-04-01 10:00 UTC"
        connection.execute("DELETE FROM fleet.homes WHERE identity = %s", (lost,))
    assert told() == ""
    rounds.copy.close()


def test_a_host_whose_state_folder_was_lost_is_forgotten_with_it_and_invited_anew(
    fleet: Fleet,
) -> None:
    lost = fleet.join("lost")
    with closing(copy_of(lost, uuid.uuid4())) as copy:
        copy.publish(sessions(1))
    shutil.rmtree(lost.state)
    assert lost("fleet", "hosts").code == 3
    assert fleet.owner("fleet", "invite", "lost").error["message"] == "lost has joined already"
    assert fleet.owner("fleet", "forget", "lost", "--yes").code == 0
    url, secret = fleet.invite("lost")
    assert lost("fleet", "join", url, PGPASSWORD=secret).code == 0
    with closing(copy_of(lost, uuid.uuid4())) as copy:
        assert copy.publish(sessions(1)).earlier is None
    assert fleet.owner("fleet", "forget", "lost", "--yes").code == 0


def test_a_server_that_only_reads_stops_nothing(
    fleet: Fleet, alpha: Somebody, tmp_path: Path
) -> None:
    rounds = Rounds(alpha, tmp_path)
    with fleet.admin() as connection:
        connection.execute(
            f"ALTER DATABASE {fleet.database} SET default_transaction_read_only = on"
        )
        assert rounds.round()[0] == "fleet"
        message = json.loads(rounds.file.read() or "{}")["message"]
        assert "read-only transaction" in message
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f"ALTER DATABASE {fleet.database} RESET default_transaction_read_only")
    assert rounds.round() == ("live", 30)
    rounds.copy.close()


LIES = ("[]", "[" * 1500 + "]" * 1500, f'{{"id": {"9" * 5000}}}', '{"key": {"a": "main"}}')


def test_a_host_that_lies_fails_no_other(fleet: Fleet, alpha: Somebody, ann: Somebody) -> None:
    mallory = fleet.join("mallory")
    with closing(copy_of(alpha)) as copy:
        copy.publish(sessions(1))
    with closing(copy_of(mallory, uuid.uuid4())) as copy:
        copy.publish(sessions(1))
    with closing(fleet.role(mallory)) as connection:
        for body in LIES:
            connection.execute("UPDATE fleet.facts SET body = %s::jsonb", (body,))
            answer = shown(ann, "sessions")
            assert {row["host"] for row in answer.data} == {"alpha"}
            assert "cannot be used" in json.dumps(answer.warnings)
        connection.execute(
            "INSERT INTO fleet.facts SELECT home, kind, 'x' || n, 1, hash, n, jsonb_build_object("
            "'a', repeat('x', 200000)) FROM fleet.facts, generate_series(1, 100) n"
            " WHERE kind = 'session'"
        )
    answer = shown(ann, "sessions")
    assert "cannot be used" in json.dumps(answer.warnings)
    assert fleet.owner("fleet", "forget", "mallory", "--yes").row(status="done")


def test_a_fleet_that_is_away_is_one_answer_of_the_reader(
    fleet: Fleet, server: Server, ann: Somebody
) -> None:
    server.stop()
    answer = shown(ann, "status")
    server.start()
    assert answer.code == 3
    assert answer.data[0]["error"] == "cannot reach the fleet: Connection refused"
