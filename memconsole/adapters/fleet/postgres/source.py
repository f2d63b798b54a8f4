"""Answers for the homes of a fleet out of the published copy, also for those that are away."""

from __future__ import annotations

import json
import threading
import time
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memconsole.adapters.fleet.postgres.connect import connect, rows, said, table_of, time_of
from memconsole.adapters.fleet.postgres.owner import read_members
from memconsole.adapters.fleet.postgres.post import Draft, Ended, Post
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.letters import VERBS, LetterState, wrong_words
from memconsole.domain.fleet.members import freshness_of
from memconsole.domain.fleet.wire import MOST_BYTES, SKEW, WIRE, Copied, Freshness, Heard
from memconsole.domain.published import (
    OF_ONE_AGENT,
    PUBLISHED,
    Fact,
    answer_of,
    kinds_of,
    unpublished,
)
from memconsole.errors import FleetError, SourceAwayError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta
    from pathlib import Path

    import psycopg

    from memconsole.adapters.fleet.signing import Signer
    from memconsole.domain.fleet.members import Member
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Json


class PublishedHome(NamedTuple):
    """One home of the fleet.

    Attributes:
        looked_at: When its host looked at it last; None before anything was published.
    """

    path: str
    member: Member
    looked_at: datetime | None
    identity: str


class PostgresFleet:
    """All homes that a role may see; what is read of them serves all that ask within two seconds.

    Args:
        address: Of the fleet, with a role that may read.
        passwords: Our password file.
        signer: Has the key of this person.
        timeout: For one command that is begun.
        within: For one that is not.
        monotonic: Seconds; tells how old a reading is.
    """

    def __init__(
        self,
        address: ServerAddress,
        passwords: Path,
        signer: Callable[[], Signer],
        timeout: timedelta,
        *,
        within: timedelta | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = address
        self._passwords = passwords
        self._post = Post(address, passwords, signer, within=within or timeout, patience=timeout)
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._read_at: float | None = None
        self._homes: dict[int, PublishedHome] = {}
        self._facts: dict[tuple[str, ...], dict[int, list[Fact] | None]] = {}

    def homes(self) -> tuple[PostgresHome | AwayFleet, ...]:
        """Return the homes, by host; the fleet itself in their place when it is away."""
        try:
            with self._guard:
                self._renew()
        except (SourceAwayError, FleetError) as error:
            return (AwayFleet(self._address, SourceAwayError(str(error), hint=error.hint)),)
        return tuple(
            PostgresHome(self, number, HomeRef(one.path, one.member.name), one.identity)
            for number, one in self._homes.items()
            if not one.member.is_hidden
        )

    @property
    def way(self) -> tuple[ServerAddress, Path]:
        """Where it is, and the file with our password."""
        return self._address, self._passwords

    def told(
        self, number: int, kinds: tuple[str, ...]
    ) -> tuple[Member, datetime | None, list[Fact]]:
        """Return whose a home is, when it was looked at, and its rows; all homes are read at once.

        Raises:
            SourceAwayError: The server is away, the home is not there any more, or what was
                published of it is no figures.
        """
        try:
            with self._guard:
                self._renew()
                home = self._homes.get(number)
                if home is None:
                    raise SourceAwayError("it is not in the fleet any more")
                if kinds not in self._facts:
                    self._facts[kinds] = self._read(kinds)
                found = self._facts[kinds].get(number, [])
        except FleetError as error:
            raise SourceAwayError(str(error), hint=error.hint) from error
        if found is None:
            raise SourceAwayError("what it published cannot be used")
        return home.member, home.looked_at, found

    def version(self, number: int) -> str:
        """Return the release that a home's host told of; empty where nobody knows."""
        home = self._homes.get(number)
        return "" if home is None else home.member.version or ""

    def _renew(self) -> None:
        """Read who is there, unless that was just read; drop the rows of the reading before."""
        now = self._monotonic()
        if self._read_at is not None and now - self._read_at <= _GOOD_FOR_S:
            return
        with connect(self._address, self._passwords) as connection:
            self._homes = {number: home for number, home, _ in read_homes(connection)}
        self._facts = {}
        self._read_at = now

    def send(
        self,
        draft: Draft,
        stop: Callable[[], bool] | None,
        begun: Callable[[], None] | None,
    ) -> Ended:
        """Send a command to the host of a home, signed, and wait for its end.

        Raises:
            SourceAwayError: The server is away, or refuses.
        """
        try:
            return self._post.ask(draft, stop, begun)
        except FleetError as error:
            return Ended(LetterState.REFUSED, 1, refused(str(error), error.hint))

    def _read(self, kinds: tuple[str, ...]) -> dict[int, list[Fact] | None]:
        """Return the rows of each home; None for one whose rows are too much or no figures."""
        with connect(self._address, self._passwords) as connection, said("cannot read the fleet"):
            asked = {"most": MOST_BYTES, "kinds": list(kinds)}
            found: dict[int, list[Fact] | None] = {}
            for home, kind, key, place, text in rows(connection, _FACTS, asked, *_FACT):
                body, known = table_of(text), found.setdefault(home, [])
                if body is None or known is None:
                    found[home] = None
                else:
                    known.append(Fact(kind, key, place, body))
        return found


_GOOD_FOR_S = 2.0
_FACT = (int, str, str, int, str | None)


def read_homes(connection: psycopg.Connection) -> list[tuple[int, PublishedHome, int]]:
    """Return the homes that this role may see, by host, each with its number and generation."""
    members = {one.name: one for one in read_members(connection)}
    with said("cannot look at the fleet"):
        return [
            (
                number,
                PublishedHome(
                    one_line(path[:_MOST_PATH]), members[name], time_of(looked_at), identity
                ),
                generation,
            )
            for number, name, path, looked_at, identity, generation in rows(
                connection, _HOMES, (), int, str, str, datetime | None, str, int
            )
            if name in members  # else it joined since those were read
        ]


_MOST_PATH = 4096
_HOMES = """
SELECT o.id, h.name, o.path, o.looked_at, o.identity::text, o.generation
FROM fleet.homes o JOIN fleet.hosts h ON h.id = o.host ORDER BY h.name, o.path
"""

_FACTS = """
SELECT home, kind, key, place, CASE WHEN is_little THEN body END FROM (
  SELECT home, kind, key, place, body, row_number() OVER (PARTITION BY home) AS n,
    sum(bytes) OVER (PARTITION BY home) <= %(most)s
      AND sum(bytes) OVER (PARTITION BY host) <= 4 * %(most)s AS is_little
  FROM (SELECT f.home, o.host, kind, key, place, body::text AS body,
      octet_length(body::text) AS bytes
    FROM fleet.facts f JOIN fleet.homes o ON o.id = f.home WHERE kind = ANY (%(kinds)s)) AS made
  ) AS found
WHERE is_little OR n = 1
"""
"""Of a home or a host with too much one row without a body: who floods hides no other."""


class PostgresHome:
    """One home as its host published it; answers the port `FleetSource`."""

    def __init__(self, fleet: PostgresFleet, number: int, home: HomeRef, identity: str) -> None:
        self.home = home
        self.fleet = fleet
        self._identity = identity
        self._number = number

    def ask(
        self,
        words: Sequence[str],
        text: str = "",
        stop: Callable[[], bool] | None = None,
        begun: Callable[[], None] | None = None,
    ) -> Heard:
        """Answer a command out of the copy, or have the host carry it out."""
        del text  # a copy takes nothing in
        command, *options = words
        if command in VERBS:
            return self._sent(words, stop, begun)
        agent = None
        if command in OF_ONE_AGENT and len(options) == 2 and options[0] in ("--agent", "-a"):
            agent, options = options[1], []
        if command not in PUBLISHED or options:
            return _refused(
                f"not published: `{' '.join(words)}`",
                f"The copy answers {', '.join(PUBLISHED)} without options, and sessions --agent A.",
            )
        member, looked_at, facts = self.fleet.told(self._number, kinds_of(command))
        data = answer_of(command, facts, agent)
        if looked_at is None or data is None:
            return _refused("nothing is published yet", "`fleet.publish` on that host says what.")
        freshness = freshness_of(looked_at, member.now, member.beat_s)
        missing = unpublished(command, facts, agent)
        row = {
            "schema": member.wire,
            "command": command,
            "at": looked_at.isoformat(timespec="milliseconds"),
            "data": data,
            "warnings": _warnings(member, looked_at, freshness) + _beyond(command, missing),
            "left_out": {"unpublished": missing} if missing else {},
        }
        is_bad = command == "health" and isinstance(data, dict) and data.get("overall") in _BAD
        return Heard(
            json.dumps(row).encode(),
            int(is_bad or freshness is Freshness.AWAY),
            version=member.version or "",
            copied=Copied(freshness, looked_at),
        )

    def _sent(
        self,
        words: Sequence[str],
        stop: Callable[[], bool] | None,
        begun: Callable[[], None] | None,
    ) -> Heard:
        """Have the host carry it out."""
        if wrong := wrong_words(words):
            return _refused(wrong, f"Ask on {self.home.host} itself.")
        letter = Draft(self._number, self.home.host, self._identity, tuple(words))
        ended = self.fleet.send(letter, stop, begun)
        if ended.answer is None:
            return _unanswered(words[0], ended.state)
        version = self.fleet.version(self._number)
        code = 1 if ended.code is None else ended.code
        return Heard(json.dumps(ended.answer).encode(), code, version)


def _unanswered(verb: str, state: LetterState | None) -> Heard:
    """Return the answer to a command that its host did not answer."""
    if state is None:
        text = f"{verb} was sent, and the fleet knows nothing of it any more"
        return _refused(text, "`memconsole runs` on that host tells what was done.")
    words = {
        LetterState.EXPIRED: "expired: it was not begun in time, and is not begun any more",
        LetterState.CANCELLED: "was taken back before it was begun",
        LetterState.BEGUN: "was begun, and is not answered yet",
    }
    message = f"{verb} {words.get(state, f'is {state}')}"
    return _refused(message, "`memconsole fleet commands` tells of it later.", state.value)


def _warnings(member: Member, looked_at: datetime, freshness: Freshness) -> list[dict[str, str]]:
    found = []
    if freshness is Freshness.AWAY:
        minutes = (member.now - looked_at).total_seconds() / 60
        told = f"away for {minutes:.0f} min; what is shown is of then"
        found.append({"code": "home-away", "message": told})
    if member.skew_ms is not None and abs(member.skew_ms) > SKEW.total_seconds() * 1000:
        way = "ahead of" if member.skew_ms > 0 else "behind"
        off = abs(member.skew_ms) // 1000
        told = f"the clock of {member.name} is {off} s {way} the fleet's"
        found.append({"code": "clock-skew", "message": told})
    return found


def _beyond(command: str, missing: int) -> list[dict[str, str]]:
    """Return that there are more than were published, which nobody sees otherwise."""
    rows = "agents" if command == "status" else command
    told = f"{missing:,} more {rows} are there than its host publishes of one home"
    return [{"code": "unpublished", "message": told}] * (missing > 0)


_BAD = ("warning", "critical")


class AwayFleet:
    """A fleet whose server is away, in the place of its homes."""

    def __init__(self, address: ServerAddress, error: SourceAwayError) -> None:
        self.home = HomeRef(address.database, address.host)
        self._error = error

    def ask(
        self,
        words: Sequence[str],  # noqa: ARG002 - those of the port
        text: str = "",  # noqa: ARG002
        stop: Callable[[], bool] | None = None,  # noqa: ARG002
        begun: Callable[[], None] | None = None,  # noqa: ARG002
    ) -> Heard:
        """Say why there is no answer.

        Raises:
            SourceAwayError: Always.
        """
        raise self._error


def refused(message: str, hint: str, code: str = "refused") -> dict[str, Json]:
    """Return the answer of a home that does not do what was asked."""
    return {"schema": WIRE, "error": {"code": code, "message": message, "hint": hint}}


def _refused(message: str, hint: str, code: str = "refused") -> Heard:
    return Heard(json.dumps(refused(message, hint, code)).encode(), 1)
