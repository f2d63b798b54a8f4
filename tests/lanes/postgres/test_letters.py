"""Commands for other hosts: signed, granted, carried out once, and written down."""

from __future__ import annotations

import json
import signal
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import psycopg
import pytest

from memconsole.adapters.clock import SystemClock
from memconsole.adapters.fleet.postgres.letterbox import PostgresLetters
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.source import PostgresFleet, PostgresHome
from memconsole.adapters.fleet.signing import Signer
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.demo.home import write_home
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.letters import Letter, Operator
from memconsole.domain.fleet.server import parse_server
from memconsole.engine.fleet.letters import Door, LetterWorker
from memconsole.errors import SourceAwayError
from tests.lanes.postgres.fleet import Somebody, wait_for
from tests.lanes.postgres.test_publishing import IDENTITY, copy_of, sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memconsole.domain.fleet.shapes import Json
    from memconsole.domain.fleet.wire import Heard
    from tests.lanes.postgres.fleet import Fleet
    from tests.lanes.postgres.server import Server

pytestmark = pytest.mark.postgres

ANN, MALLORY = Signer(b"a" * 32), Signer(b"m" * 32)
DONE: dict[str, Json] = {
    "schema": 1,
    "command": "checkpoint",
    "data": [{"agent": "main", "status": "done"}],
}


def written(body: dict[str, object]) -> str:
    """Return JSON, with a number longer and a value deeper than Python reads where there is one."""
    more = body.pop("more", None)
    text = json.dumps(body)
    if more is None:
        return text
    worst = "[" * 1500 + "]" * 1500 if more == "depth" else "9" * 5000
    return text[:-1] + f', "more": {worst}}}'


class Post:
    """A host with a home, and ann, who may send checkpoints to it."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.alpha = fleet.join("alpha")
        ann = fleet.join("ann", "--operator")
        verbs = ("read", "checkpoint", "rotate", "teleport")
        assert fleet.owner("fleet", "grant", "ann", *verbs).code == 0
        self.ann = fleet.role(ann)
        self.admin = fleet.admin()
        with closing(copy_of(self.alpha)) as copy:
            copy.publish(sessions(1))
        [(self.home,)] = self.admin.execute("SELECT id FROM fleet.homes").fetchall()

    def send(
        self,
        *words: str,
        by: Signer = ANN,
        home: uuid.UUID = IDENTITY,
        within: timedelta = timedelta(minutes=1),
        granted: str = "",
        **changes: object,
    ) -> str:
        """Send a letter as ann; returns its id. What changes is changed behind the signature."""
        deadline = (datetime.now(UTC) + within).replace(microsecond=0)
        letter = Letter(str(uuid.uuid4()), "alpha", str(home), words, deadline)
        body = {
            "id": letter.id,
            "host": "alpha",
            "home": str(home),
            "words": list(words),
            "deadline": deadline.isoformat(),
            **changes,
        }
        self.ann.execute(
            "SELECT fleet.send(%s, %s, %s, %s::jsonb, 1, %s, %s, %s)",
            (
                letter.id,
                self.home,
                granted or words[0],
                written(body),
                by.key,
                by.sign(letter),
                deadline,
            ),
        )
        return letter.id

    def row(self, letter_id: str) -> tuple[str, str]:
        """Return the state of a letter and what is said of it."""
        found = self.admin.execute(
            "SELECT state, outcome FROM fleet.commands WHERE id = %s", (letter_id,)
        ).fetchone()
        assert found is not None
        return found[0], json.dumps(found[1])


class Host:
    """What carries letters out, with a command line that counts."""

    def __init__(self, post: Post, folder: Path, allow: Sequence[str] = ("checkpoint",)) -> None:
        self.done: list[tuple[str, ...]] = []
        passwords = passwords_of(post.alpha.state)
        self.box = PostgresLetters(parse_server(post.alpha.url), passwords, str(IDENTITY))
        self.worker = LetterWorker(
            self.box,
            Door("alpha", [str(IDENTITY)], [Operator("ann", ANN.key, frozenset({"*"}))], allow),
            self.do,
            JsonStatusFile(folder / "state" / "fleet" / "begun.json"),
            SystemClock(),
        )

    def do(self, words: Sequence[str]) -> tuple[int, Json]:
        """Carry out one call."""
        self.done.append(tuple(words))
        return 0, DONE


@pytest.fixture(scope="module")
def post(fleet: Fleet) -> Iterator[Post]:
    made = Post(fleet)
    yield made
    made.ann.close()
    made.admin.close()


@pytest.fixture
def host(post: Post, tmp_path: Path) -> Iterator[Host]:
    made = Host(post, tmp_path)
    with closing(made.box):
        yield made


def test_a_letter_is_carried_out_once(post: Post, host: Host) -> None:
    sent = post.send("checkpoint", "--agent", "main", of_a_later_release=1)
    host.worker.round()
    host.worker.round()
    assert host.done == [("checkpoint", "--agent", "main")]
    assert post.row(sent)[0] == "answered"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"by": MALLORY}, "nobody in fleet.operators of this host has that key"),
        ({"words": ["checkpoint", "--agent", "work"]}, "its signature is not of that key"),
        ({"deadline": "2099-01-01T00:00:00+00:00"}, "its signature is not of that key"),
        ({"host": "beta"}, "its signature is not of that key"),
        ({"id": str(uuid.uuid4())}, "it is none of memconsole's"),
        ({"words": "checkpoint"}, "it is none of memconsole's"),
        ({"granted": "read"}, "it is none of memconsole's"),
        ({"more": "depth"}, "it is none of memconsole's"),
        ({"more": "number"}, "it is none of memconsole's"),
        ({"home": uuid.uuid4()}, "it is for another home"),
    ],
    ids=[
        "strange key",
        "other words",
        "other deadline",
        "other host",
        "other id",
        "no words",
        "another verb than was granted",
        "too deep",
        "too large a number",
        "home",
    ],
)
def test_a_letter_that_is_not_as_it_was_signed_is_refused(
    post: Post, host: Host, changes: dict[str, object], why: str
) -> None:
    sent = post.send("checkpoint", "--agent", "main", **changes)  # type: ignore[arg-type]  # one of its own
    host.worker.round()
    assert host.done == []
    state, said = post.row(sent)
    assert state == "refused"
    assert why in said


def test_a_letter_for_another_home_of_the_host_is_left_to_its_process(
    post: Post, host: Host
) -> None:
    other = uuid.uuid4()
    with closing(copy_of(post.alpha, other)) as copy:
        copy.publish(sessions(1))
    mine = post.home
    [(post.home,)] = post.admin.execute(
        "SELECT id FROM fleet.homes WHERE identity = %s", (other,)
    ).fetchall()
    sent = post.send("checkpoint", home=other)
    post.home = mine
    host.worker.round()
    assert host.done == []
    assert post.row(sent)[0] == "sent"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("rotate", "agent:main:main", "--yes"), "fleet.allow of this host does not admit rotate"),
        (("checkpoint", "--gateway", "ws://mallory"), "checkpoint takes no --gateway"),
        (("checkpoint", "--home=/tmp"), "checkpoint takes no --home"),
        (("checkpoint", "--", "x"), "checkpoint takes no --"),
        (("teleport", "--agent", "main"), "'teleport' is not asked of other hosts"),
        (("checkpoint", "--agent", "a\x1b[2J"), "control characters"),
    ],
)
def test_what_a_host_does_not_admit_is_refused(
    post: Post, host: Host, words: tuple[str, ...], why: str
) -> None:
    sent = post.send(*words)
    host.worker.round()
    assert host.done == []
    state, said = post.row(sent)
    assert state == "refused"
    assert why in said


def test_what_was_not_granted_is_not_sent(post: Post) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="not granted reflect there"):
        post.send("reflect", "--agent", "main")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="a day at most"):
        post.send("checkpoint", within=timedelta(days=2))


def test_a_letter_that_waited_too_long_is_not_begun(post: Post, host: Host) -> None:
    sent = post.send("checkpoint", within=timedelta(seconds=2))
    post.admin.execute("SELECT pg_sleep(2.1)")
    host.worker.round()
    assert host.done == []
    assert "its time is over" in post.row(sent)[1]
    late = post.send("checkpoint", within=timedelta(seconds=1))
    post.admin.execute("SELECT pg_sleep(1.1)")
    post.ann.execute("SELECT fleet.expire()")
    host.worker.round()
    assert host.done == []
    assert post.row(late)[0] == "expired"


def test_a_letter_that_was_taken_back_is_not_begun(post: Post, host: Host) -> None:
    sent = post.send("checkpoint")
    assert post.ann.execute("SELECT fleet.cancel(%s)", (sent,)).fetchone() == (True,)
    host.worker.round()
    assert host.done == []
    assert post.row(sent)[0] == "cancelled"
    done = post.send("checkpoint")
    host.worker.round()
    assert post.ann.execute("SELECT fleet.cancel(%s)", (done,)).fetchone() == (False,)


def asking(post: Post) -> Callable[..., Heard]:
    """Return how ann asks the host, which waits for up to a minute."""
    ann = post.fleet.people["ann"]
    fleet = PostgresFleet(
        parse_server(ann.url), passwords_of(ann.state), lambda: ANN, timedelta(minutes=1)
    )
    home = PostgresHome(fleet, post.home, HomeRef("", "alpha"), str(IDENTITY))
    return home.ask


def test_what_nobody_waits_for_any_more_is_taken_back(post: Post, host: Host) -> None:
    heard = json.loads(asking(post)(["checkpoint"], stop=lambda: True).text)
    assert heard["error"]["code"] == "cancelled"
    host.worker.round()
    assert host.done == []


def test_who_waits_hears_that_it_was_begun(post: Post, host: Host) -> None:
    begun, carried_out = threading.Event(), host.do

    def do(words: Sequence[str]) -> tuple[int, Json]:
        assert begun.wait(30)  # it is heard while it is being carried out
        return carried_out(words)

    host.worker._do = do
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(asking(post), ["checkpoint"], begun=begun.set)
        for _ in range(100):
            if host.box.open(0.1):
                break
        host.worker.round()
        assert json.loads(asked.result().text)["data"][0]["status"] == "done"


def test_ctrl_c_takes_back_what_is_not_begun(post: Post, host: Host) -> None:
    ann = Somebody(post.fleet.folder / "ann on her way", post.fleet.people["ann"].url)
    ann.environment["MEMCONSOLE_STATE__DIR"] = str(post.fleet.people["ann"].state)
    ann.reads(ann.url)
    host.worker.round()
    process = ann.program().start("checkpoint", "--host", "alpha", "--agent", "main")
    query = "SELECT id::text FROM fleet.commands WHERE state = 'sent' AND home = %s"
    while not (found := post.admin.execute(query, (post.home,)).fetchall()):
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told.splitlines()[-1]) == (130, "memconsole: interrupted")
    assert post.row(found[0][0])[0] == "cancelled"


def test_those_that_wait_hear_of_it_through_an_end_of_the_server(
    post: Post, host: Host, server: Server
) -> None:
    """One connection listens for all of them; it comes back when the server does."""
    ask = asking(post)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(ask, ["checkpoint"]) for _ in range(3)]
        for _ in range(200):
            if len(host.box.open(0.1)) == 3:
                break
        server.stop()
        server.start()
        reconnect(post)
        with pytest.raises(SourceAwayError):
            host.worker.round()
        host.worker.round()
        answers = [json.loads(one.result().text) for one in asked]
    assert [one["data"][0]["status"] for one in answers] == ["done"] * 3
    assert len(host.done) == 3


def test_a_command_is_taken_back_by_who_sent_it_before_it_is_begun(post: Post, host: Host) -> None:
    ann, bob = post.fleet.people["ann"], post.fleet.join("bea", "--operator")
    assert post.fleet.owner("fleet", "grant", "bea", "read").code == 0
    sent = post.send("checkpoint")
    planned = ann("fleet", "cancel", sent[:8], "--dry-run")
    assert planned.data[0]["status"] == "planned"
    assert post.row(sent)[0] == "sent"
    assert bob("fleet", "cancel", sent).error["message"].endswith("_ann sent it")
    assert ann("fleet", "cancel", sent[:8]).data[0]["status"] == "done"
    assert post.row(sent)[0] == "cancelled"
    assert ann("fleet", "cancel", sent).data[0]["status"] == "skipped"
    begun = post.send("checkpoint")
    post.admin.execute("UPDATE fleet.commands SET state = 'begun' WHERE id = %s", (begun,))
    refused = ann("fleet", "cancel", begun)
    assert (refused.code, refused.error["message"]) == (1, "alpha has begun it, and goes on")
    assert ann("fleet", "cancel", "ffffffff-1").code == 2
    assert ann("fleet", "cancel", "%").code == 2
    host.worker.round()
    late = post.send("checkpoint", within=timedelta(seconds=1))
    post.admin.execute("SELECT pg_sleep(1.1)")
    states = {row["id"]: row["state"] for row in ann("fleet", "commands").data}
    assert (states[sent], states[late]) == ("cancelled", "expired")


def test_a_notice_wakes_only_the_host_that_it_names(post: Post, host: Host) -> None:
    """Any login can tell all of them anything; the look every few seconds finds what is missed."""
    host.worker.round()  # what other tests left
    [(number,)] = post.admin.execute("SELECT id FROM fleet.hosts WHERE name = 'alpha'").fetchall()
    for word in ("host 999", "9" * 7000, "command x", f"host {number}"):
        post.ann.execute("SELECT pg_notify('fleet_commands', %s)", (word,))
    assert host.box.open(5.0) == ()  # it wakes at its own, finds nothing and goes back
    sent = post.send("checkpoint", "--agent", "main")
    assert [one.id for one in host.box.open(5.0)] == [sent]
    host.worker.round()


class KilledError(BaseException):
    """The process ends here."""


def test_a_letter_that_was_begun_when_its_process_ended_is_never_begun_again(
    post: Post, host: Host, tmp_path: Path
) -> None:
    def die(_words: Sequence[str]) -> tuple[int, Json]:
        raise KilledError

    sent = post.send("checkpoint")
    host.worker._do = die
    with pytest.raises(KilledError):
        host.worker.round()
    host.box.close()
    assert post.row(sent)[0] == "begun"
    with closing(Host(post, tmp_path).box) as box:
        again = Host(post, tmp_path)
        again.box.close()
        again.worker._box = box
        again.worker.round()
        assert again.done == []
        state, said = post.row(sent)
        assert state == "interrupted"
        assert "memconsole runs" in said
        # A server that was put back from a backup believes that nothing happened.
        post.admin.execute("UPDATE fleet.commands SET state = 'sent' WHERE id = %s", (sent,))
        again.worker.round()
        assert again.done == []
        assert "it was begun before" in post.row(sent)[1]


def reconnect(post: Post) -> None:
    """Give those who look new connections after an end of the server."""
    post.admin.close()
    post.ann.close()
    post.admin, post.ann = post.fleet.admin(), post.fleet.role(post.fleet.people["ann"])


def test_an_outcome_is_told_when_the_server_is_there_again(
    post: Post, host: Host, server: Server
) -> None:
    sent = post.send("checkpoint")

    def do(words: Sequence[str]) -> tuple[int, Json]:
        server.stop()
        return host.do(words)

    host.worker._do = do
    with pytest.raises(SourceAwayError):
        host.worker.round()
    with pytest.raises(SourceAwayError):
        host.worker.round()
    server.start()
    reconnect(post)
    host.worker.round()
    assert host.done == [("checkpoint",)]
    assert post.row(sent)[0] == "answered"


@contextmanager
def serving(host: Somebody, **settings: str) -> Iterator[None]:
    process = host.program(
        MEMCONSOLE_FLEET__PUBLISH="figures", MEMCONSOLE_FLEET__BEAT="1s", **settings
    ).start("--serve", "--layer", "health")
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def test_a_checkpoint_of_another_host_is_done_there_once(fleet: Fleet, tmp_path: Path) -> None:
    beta, ann = fleet.join("beta"), fleet.join("bob", "--operator")
    assert fleet.owner("fleet", "grant", "bob", "read", "checkpoint", "rotate").code == 0
    ann.reads(ann.url)
    line = ann("fleet", "key").data[0]["details"]["line"]
    assert ann("fleet", "key").data[0]["details"]["line"] == line
    (tmp_path / "op").mkdir()
    home = write_home(tmp_path / "op", datetime.now(UTC), None).state
    beta.environment["MEMCONSOLE_HOME"] = str(home)
    with serving(beta, MEMCONSOLE_FLEET__OPERATORS=line):
        wait_for(fleet, "beta")
        answer = ann("checkpoint", "--host", "beta", "--agent", "writer", "--force")
        refused = ann("rotate", "agent:work:main", "--yes", "--host", "beta")
        person = next(
            row["key"]
            for row in ann("sessions", "--host", "beta").data
            if "#" in row["key"] and row["agent"] == "writer"
        )
        single = ann(
            "checkpoint", "--host", "beta", "--agent", "writer", "--session", person, "--force"
        )
    assert answer.row(agent="writer")["status"] == "done", answer
    assert answer.row(agent="writer")["host"] == "beta"
    assert "fleet.allow of this host does not admit rotate" in json.dumps(refused.data)
    assert refused.code == 1
    assert single.row(agent="writer")["status"] in ("done", "skipped"), single
    sent = ann("fleet", "commands", "--url", ann.url).rows(host="beta")
    assert [(row["words"][0], row["state"]) for row in sent] == [
        ("checkpoint", "answered"),
        ("rotate", "refused"),
        ("checkpoint", "answered"),
    ]
    runs = beta("runs").data
    forced = [row for row in runs if row["command"] == "checkpoint" and row["origin"] == "cli"]
    assert len(forced) == 2
