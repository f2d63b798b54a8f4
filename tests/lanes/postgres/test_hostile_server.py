"""A PostgreSQL that somebody took over: whatever it says is one sentence, and steers nothing."""

from __future__ import annotations

import re
import time
import uuid
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

import pytest

from memconsole.adapters.fleet.postgres import connect as connecting
from memconsole.adapters.fleet.postgres.copy import PostgresCopy
from memconsole.adapters.fleet.postgres.letterbox import PostgresLetters
from memconsole.adapters.fleet.postgres.membership import Membership
from memconsole.adapters.fleet.postgres.post import Draft, Post, read_sent
from memconsole.adapters.fleet.postgres.search import SearchableCopy
from memconsole.adapters.fleet.postgres.watch import PostgresWatch
from memconsole.adapters.fleet.signing import Signer
from memconsole.cli.main import main
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.letters import Operator
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.published import Fact
from memconsole.domain.search.values import SearchRequest
from memconsole.domain.settings import Settings
from memconsole.engine.fleet.letters import Door, LetterWorker
from memconsole.engine.search.copied import CopySearch
from memconsole.engine.several.homes import SeveralHomes
from memconsole.errors import MemconsoleError, SourceAwayError
from tests.doubles.alerts import FakeStatusFile
from tests.doubles.platform import FakeClock
from tests.lanes.postgres.liar import (
    IDENTITY,
    READY,
    TRUTH,
    Liar,
    described,
    error,
    lies,
    message,
    row,
)
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Sequence

    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.engine.engine import Engine
    from tests.lanes.postgres.liar import Rows

pytestmark = pytest.mark.postgres

OWN = "/home/op/.openclaw"
KEY = Signer(b"k" * 32)


@pytest.fixture
def liar() -> Iterator[Liar]:
    with Liar() as made:
        yield made


def address(liar: Liar, role: str = "f_ann") -> ServerAddress:
    return parse_server(f"postgresql://{role}@127.0.0.1:{liar.port}/fleet")


def watched(liar: Liar) -> None:
    """Look as a console does, and draw what is there."""
    watch = PostgresWatch(address(liar), Path("/nowhere"), lambda: KEY, timedelta(seconds=1))
    clock = FakeClock()
    several = SeveralHomes(cast("Engine", FakeEngine()), (), clock)
    watching = several.watch(watch, lambda _host, _labels: True)
    watching.begin = lambda: None  # type: ignore[method-assign]  # looks when it is told to
    with closing(watch):
        watching.round()
    taken = several.snapshot()
    assert all(one.label.isprintable() for one in taken.homes)
    assert "bug" not in " ".join(one.failure for one in taken.homes)
    if not watching.server.is_up:
        raise SourceAwayError(watching.server.failure)


def searched(liar: Liar) -> None:
    copy = SearchableCopy(address(liar), Path("/nowhere"), None)  # type: ignore[arg-type]  # no vectors
    with closing(copy):
        own = CopySearch(copy, FakeClock(), Settings(state_dir=Path("/nowhere")))
        found = own.find(SearchRequest("ferry"), {HomeRef(OWN, "alpha"): "alpha"})
        assert found.line.isprintable()
        assert all(hit.snippet.replace("\n", " ").isprintable() for hit in found.result.hits)
        copy.lines(HomeRef(OWN, "alpha"), "main", "MEMORY.md")


def published(liar: Liar) -> None:
    copy = PostgresCopy(
        address(liar, "f_alpha"),
        Path("/nowhere"),
        identity=uuid.UUID(IDENTITY),
        path=OWN,
        release="1.4.0",
        beat_s=30,
    )
    with closing(copy):
        copy.publish([Fact("status", "all", 0, {})])


def carried_out(liar: Liar) -> None:
    """Take letters: whatever the server says, nothing is done that nobody signed."""
    box = PostgresLetters(address(liar, "f_alpha"), Path("/nowhere"), IDENTITY)
    operators = [Operator("ann", KEY.key, frozenset({"*"}))]

    def do(words: Sequence[str]) -> tuple[int, None]:
        raise AssertionError(words)

    worker = LetterWorker(
        box,
        Door("alpha", [IDENTITY], operators, ["checkpoint"]),
        do,
        FakeStatusFile(),
        FakeClock(),
    )
    with closing(box):
        worker.round()


def asked(liar: Liar) -> None:
    second = timedelta(seconds=0.2)
    post = Post(address(liar), Path("/nowhere"), lambda: KEY, within=second, patience=second)
    post.ask(Draft(7, "alpha", IDENTITY, ("checkpoint",)))


def lied(
    told: Callable[[Rows], Rows], words: str, query: str, rows: Rows, _: socket.socket
) -> Rows:
    """Lie about the answers to questions with these words."""
    return told(rows) if words in query else rows


def joined(liar: Liar) -> None:
    """Look at the way to a fleet, as who joins it does."""
    Membership(address(liar), Path("/nowhere")).look()


def listed(liar: Liar) -> None:
    """Read what was asked of hosts."""
    for one in read_sent(address(liar), Path("/nowhere"), timedelta(days=1)):
        assert one.message.isprintable()


WAYS = (watched, searched, published, carried_out, asked, joined, listed)


def tried(way: Callable[[Liar], None], liar: Liar) -> str:
    """Return the sentence that came of it; empty where it was borne."""
    try:
        way(liar)
    except MemconsoleError as told:
        sentence = str(told)
        assert sentence.isprintable()
        assert len(sentence) < 700
        return sentence
    return ""


@pytest.mark.parametrize("way", WAYS)
def test_what_a_fleet_answers_is_understood(liar: Liar, way: Callable[[Liar], None]) -> None:
    assert tried(way, liar) == ""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name, _ in lies()])
def test_a_lie_about_any_answer_is_borne_or_one_sentence(
    liar: Liar, name: str, way: Callable[[Liar], None]
) -> None:
    told = dict(lies())[name]
    tried(way, liar)
    answers = [words for words in TRUTH if any(words in one for one in liar.asked)]
    assert len(answers) >= 1
    for words in answers:
        liar.lie = partial(lied, told, words)
        tried(way, liar)


@pytest.mark.parametrize("way", [watched, searched, published, carried_out, asked])
def test_a_bug_of_ours_is_no_sentence_about_the_server(
    liar: Liar, monkeypatch: pytest.MonkeyPatch, way: Callable[[Liar], None]
) -> None:
    """What fails between two answers is ours, of whatever kind it is."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise TypeError("a bug of ours")

    for place in (
        "source.one_line",
        "search.name_out",
        "copy.json.dumps",
        "letterbox.is_signed",
        "post.Letter",
    ):
        monkeypatch.setattr(f"memconsole.adapters.fleet.postgres.{place}", fail)
    with pytest.raises(TypeError, match="a bug of ours"):
        way(liar)


def silent(_way: socket.socket) -> None:
    """Say nothing."""


def endless(way: socket.socket) -> None:
    way.sendall(described([25]))
    while True:
        way.sendall(row(["x" * 1000]) * 100)


def giant(way: socket.socket) -> None:
    way.sendall(described([25]) + b"D" + (2**30).to_bytes(4, "big") + b"\0\1" + b"\x30" * 4)
    while True:
        way.sendall(b"x" * 100_000)


def of_notices(way: socket.socket) -> None:
    """Tell without an end what nobody asked for: notices of the server, and of others."""
    told = message(b"N", b"SNOTICE\0C00000\0Mowned\0\0")
    heard = message(b"A", b"\0\0\0\1fleet\0" + b"7 7\0")
    while True:
        way.sendall((told + heard) * 1000)


def of_web_pages(way: socket.socket) -> None:
    way.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>" * 20)


def of_copies(way: socket.socket) -> None:
    """Ask for rows in the place of sending some."""
    way.sendall(message(b"G", b"\0\0\0"))


def of_refusals(way: socket.socket) -> None:
    way.sendall(error("\x1b]0;owned\x07[red]no[/]\n" * 10_000, "42501") + READY)


@pytest.mark.parametrize(
    ("speak", "why"),
    [
        (silent, "did not answer within"),
        (endless, "longer than 8 MiB"),
        (giant, "longer than 8 MiB|lost synchronization"),  # whoever of us and libpq sees it first
        (of_notices, "longer than 8 MiB"),
        (of_web_pages, ""),
        (of_copies, ""),
        (of_refusals, r"\[red\]no\[/\]"),
    ],
)
@pytest.mark.parametrize("place", ["read_members", "listening"])
def test_what_has_no_end_is_given_up(
    liar: Liar,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    speak: Callable[[socket.socket], None],
    why: str,
    place: str,
) -> None:
    monkeypatch.setattr(connecting, "_SILENT_S", 0.5)
    monkeypatch.setattr(connecting, "MOST_HEARD", 8 * 2**20)
    words = {"read_members": "FROM fleet.hosts ORDER", "listening": "SELECT 1"}[place]

    def lie(query: str, rows: Rows, way: socket.socket) -> Rows | None:
        if words not in query:
            return rows
        speak(way)
        return None

    liar.lie = lie
    watch = PostgresWatch(address(liar), Path("/nowhere"), lambda: KEY, timedelta(seconds=1))
    start = time.monotonic()
    with closing(watch), pytest.raises(MemconsoleError) as caught:
        watch.look(0.0)
    assert time.monotonic() - start < 20
    assert re.search(why, str(caught.value))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700
    assert capfd.readouterr() == ("", "")


def test_a_server_that_lies_takes_no_other_home_along(
    liar: Liar, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "a" / ".openclaw"
    (home / "workspace").mkdir(parents=True)
    (home / "openclaw.json").write_text("{}")
    config = tmp_path / "config.toml"
    config.write_text(
        f'[state]\ndir = "{tmp_path / "state"}"\n[gateway]\ntransport = "none"\n'
        f'[[fleet.source]]\nhomes = ["{home}"]\n'
        f'[[fleet.source]]\nurl = "{address(liar).text}"\n'
    )
    told = dict(lies())
    for name in ("control characters", "fewer columns", "the last day"):
        liar.lie = partial(lied, told[name], "")
        for words in (["status"], ["status", "--json"], ["search", "ferry"]):
            assert main([*words, "--fleet", "--config", str(config)]) == 1
            out, err = capsys.readouterr()
            assert "Traceback" not in err
            assert "\x1b]" not in out + err
            assert "internal" not in out
            assert ".openclaw" in out
