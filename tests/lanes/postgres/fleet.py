"""A fleet in a database of its own, with hosts and people who use the real program."""

from __future__ import annotations

import itertools
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.lanes.postgres.server import ADMIN, PASSWORD
from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from tests.lanes.postgres.server import Server
    from tests.program import Answer

NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)
_numbers = itertools.count(1)


class Somebody:
    """A host or a person: a user's folder, a state folder and a login.

    Attributes:
        url: Address of the fleet with the role of theirs.
    """

    def __init__(self, folder: Path, url: str, password: str = "") -> None:
        self.folder = folder
        self.url = url
        self.home = folder / ".openclaw"
        self.state = folder / "state"
        sessions = self.home / "agents" / "main" / "sessions"
        sessions.mkdir(parents=True)
        (sessions / "sessions.json").write_text("{}")
        self.environment = {
            "HOME": str(folder),
            "MEMCONSOLE_STATE__DIR": str(self.state),
            "MEMCONSOLE_HOME": str(self.home),
            "MEMCONSOLE_TRANSPORT": "none",
            "MEMCONSOLE_FLEET__URL": url,
            "TZ": "UTC",
            **({"PGPASSWORD": password} if password else {}),
        }

    def __call__(self, *words: str, **more: str) -> Answer:
        """Run one command with `--json`."""
        return self.program(**more).json(*words)

    def reads(self, url: str) -> None:
        """Make a fleet what `--fleet` asks, and publish nowhere."""
        del self.environment["MEMCONSOLE_FLEET__URL"]
        folder = self.folder / ".config" / "memconsole"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f'[[fleet.source]]\nurl = "{url}"\n')

    def program(self, **more: str) -> Program:
        """Return their program, with more in its environment."""
        return Program({**self.environment, **more})


class Fleet:
    """One fleet; `owner` may do everything in it."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.database = f"fleet{next(_numbers)}"
        with server.admin() as connection:
            connection.execute(f"CREATE DATABASE {self.database}")
        self.people: dict[str, Somebody] = {}
        self.owner = Somebody(folder / "owner", server.url(self.database), PASSWORD)
        assert self.owner("fleet", "init").row(status="done")

    def invite(self, name: str, *words: str) -> tuple[str, str]:
        """Invite a host, or a person; returns the address and the secret."""
        details = self.owner("fleet", "invite", name, *words).data[0]["details"]
        return details["url"], details["secret"]

    def join(self, name: str, *words: str) -> Somebody:
        """Return a host, or a person, that has joined."""
        url, secret = self.invite(name, *words)
        made = Somebody(self.folder / name, url)
        answer = made("fleet", "join", url, PGPASSWORD=secret)
        assert answer.code == 0, answer
        self.people[name] = made
        return made

    def role(self, who: Somebody) -> psycopg.Connection:
        """Return a connection of somebody, as who stole the password would have it."""
        line = (who.state / "fleet" / "passwords").read_text().splitlines()[-1]
        *_, role, password = line.split(":")
        return self.server.connect(self.database, role, password)

    def admin(self) -> psycopg.Connection:
        """Return a connection that may do everything."""
        return self.server.connect(self.database, ADMIN, PASSWORD)


def wait_for(fleet: Fleet, host: str, *, anew: bool = False) -> None:
    """Wait until a host has published a home; anew from now on."""
    query = (
        "SELECT 1 FROM fleet.homes o JOIN fleet.hosts h ON h.id = o.host WHERE h.name = %s"
        f" AND looked_at {'> %s' if anew else 'IS NOT NULL'}"
    )
    values = (host, datetime.now(UTC)) if anew else (host,)
    end = time.monotonic() + 60
    with fleet.admin() as connection:
        while not connection.execute(query, values).fetchone():
            assert time.monotonic() < end, f"{host} has published nothing"
            time.sleep(0.1)
