"""Who makes a fleet, is invited, joins and leaves; and over which ways."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.fleet.postgres.membership import is_pooled
from tests.lanes.postgres.certificates import NAME
from tests.lanes.postgres.fleet import Somebody
from tests.lanes.postgres.server import PASSWORD

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from tests.lanes.postgres.fleet import Fleet
    from tests.lanes.postgres.server import Server

pytestmark = pytest.mark.postgres


def test_a_fleet_is_made_once_and_printed_without_a_server(fleet: Fleet, server: Server) -> None:
    assert fleet.owner("fleet", "init").row(status="skipped")
    assert fleet.owner("fleet", "upgrade").row(status="skipped")
    sql = fleet.owner.program(PGPASSWORD="")("fleet", "init", "--print").out
    with server.admin() as connection:
        connection.execute("CREATE DATABASE by_hand")
    with server.connect("by_hand", "postgres", PASSWORD) as connection:
        connection.execute(sql)
        assert connection.execute("SELECT schema FROM fleet.meta").fetchone() == (1,)


def test_a_host_joins_with_a_secret_that_works_once(fleet: Fleet) -> None:
    url, secret = fleet.invite("alpha", "--labels", "prod")
    alpha = Somebody(fleet.folder / "alpha", url)
    assert alpha("fleet", "join", url).error["message"].startswith("the secret of the invitation")
    planned = alpha("fleet", "join", url, "--dry-run", PGPASSWORD=secret)
    assert planned.row(status="planned")
    assert not (alpha.state / "fleet").exists()
    assert alpha("fleet", "join", url, PGPASSWORD=secret).row(status="done")
    kept = alpha.state / "fleet" / "passwords"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert secret not in kept.read_text()
    again = Somebody(fleet.folder / "thief", url)("fleet", "join", url, PGPASSWORD=secret)
    assert (again.code, again.error["code"]) == (3, "away")
    assert alpha("fleet", "doctor").data["findings"] == []
    assert [row["name"] for row in alpha("fleet", "hosts").data] == ["alpha"]
    assert fleet.owner("fleet", "invite", "alpha").error["message"] == "alpha has joined already"
    assert alpha("fleet", "leave").row(status="done")
    assert not kept.read_text()
    [left] = fleet.owner("fleet", "hosts", "--all").data
    assert left["left_at"]
    assert fleet.owner("fleet", "forget", "alpha").code == 2
    assert fleet.owner("fleet", "forget", "alpha", "--yes").row(status="done")
    assert fleet.owner("fleet", "hosts", "--all").data == []


def test_who_joins_is_told_what_to_write_down(fleet: Fleet) -> None:
    for name, words, line in (("host1", (), 'publish = "figures"'), ("eva", ("--operator",), "[[")):
        url, secret = fleet.invite(name, *words)
        somebody = Somebody(fleet.folder / name, url)
        told = somebody.program(PGPASSWORD=secret)("fleet", "join", url).out
        assert (line in told, "publish" in told) == (True, not words)


def test_an_invitation_ends(fleet: Fleet) -> None:
    url, secret = fleet.invite("late")
    with fleet.admin() as connection:
        connection.execute(f"ALTER ROLE {fleet.database}_late VALID UNTIL '2020-01-01'")
    late = Somebody(fleet.folder / "late", url)
    assert late("fleet", "join", url, PGPASSWORD=secret).code == 3
    _, secret = fleet.invite("late")
    assert late("fleet", "join", url, PGPASSWORD=secret).row(status="done")


def test_nobody_is_invited_as_somebody_else(fleet: Fleet) -> None:
    fleet.invite("nora")
    with fleet.admin() as connection:
        connection.execute(f"CREATE ROLE {fleet.database}_dba SUPERUSER")
        before = connection.execute("SELECT rolname, rolpassword FROM pg_authid").fetchall()
        for words in (("nora", "--operator"), ("dba",), ("dba", "--operator")):
            answer = fleet.owner("fleet", "invite", *words)
            assert (answer.code, answer.error["code"]) == (2, "usage")
            assert "of somebody else" in answer.error["message"]
        assert connection.execute("SELECT rolname, rolpassword FROM pg_authid").fetchall() == before
        connection.execute(f"DROP ROLE {fleet.database}_dba")


def test_what_is_old_goes_and_the_rest_stays(fleet: Fleet) -> None:
    for name in ("fresh", "stale"):
        fleet.join(name)
    zoe = fleet.join("zoe", "--operator")
    assert fleet.owner("fleet", "grant", "zoe", "read").code == 0
    with fleet.admin() as connection:
        connection.execute(
            "UPDATE fleet.hosts SET seen_at = now() - interval '31 days' WHERE name = 'stale'"
        )
        connection.execute("UPDATE fleet.events SET at = now() - interval '401 days' WHERE id = 1")
    assert fleet.owner("fleet", "prune").code == 2
    planned = fleet.owner("fleet", "prune", "--dry-run").data[0]
    assert planned["details"] == {"commands": 0, "events": 1, "hosts": ["stale"]}
    assert fleet.owner("fleet", "prune", "--yes").data[0]["details"] == planned["details"]
    assert fleet.owner("fleet", "prune", "--yes").data[0]["status"] == "skipped"
    assert "stale" not in {row["name"] for row in fleet.owner("fleet", "hosts", "--all").data}
    told = [(row["what"], row["details"]) for row in fleet.owner("fleet", "audit").data]
    assert told[0] == ("prune", "0 commands and 1 events of the audit, and the hosts stale")
    assert ("grant", "zoe read *") in told
    assert zoe("fleet", "audit").code != 0
    words = ("fleet", "forget", "zoe", "--operator")
    assert fleet.owner(*words, "--dry-run").data[0]["details"] == {"rows": 1}
    assert fleet.owner(*words, "--yes").code == 0
    assert zoe("fleet", "hosts").code == 3
    assert fleet.owner(*words, "--dry-run").code == 2


def test_no_password_is_told(fleet: Fleet) -> None:
    url = fleet.owner.url.replace("@", ":of-somebody@")
    answer = fleet.owner("fleet", "hosts", "--url", url)
    assert answer.code == 2
    assert "of-somebody" not in answer.out + answer.err
    refused = fleet.owner("config", "show", MEMCONSOLE_FLEET__URL=url)
    assert "of-somebody" not in refused.out + refused.err


@pytest.mark.parametrize("verb", ["init", "invite", "upgrade", "grant", "forget", "prune"])
def test_only_the_owner_does_what_an_owner_does(fleet: Fleet, verb: str, tmp_path: Path) -> None:
    url, secret = fleet.invite(f"not-{verb}")
    host = Somebody(tmp_path, url, "")
    assert host("fleet", "join", url, PGPASSWORD=secret).code == 0
    words = {
        "init": (
            "--url",
            host.url.replace(fleet.database + "_", "x").split("@")[0] + "@127.0.0.1:1/x",
        ),
        "invite": ("somebody",),
        "upgrade": (),
        "grant": ("ann", "read"),
        "forget": (f"not-{verb}", "--yes"),
        "prune": ("--yes",),
    }[verb]
    answer = host("fleet", verb, *words)
    assert answer.code != 0 or answer.row(status="skipped")


@pytest.mark.parametrize(
    ("host", "authority", "reason"),
    [
        (NAME, "ca.crt", ""),
        ("127.0.0.1", "ca.crt", "does not match host name"),
        (NAME, "other.crt", "certificate verify failed"),
    ],
    ids=["right name", "wrong name", "strange authority"],
)
def test_a_server_must_prove_its_name(
    fleet: Fleet, server: Server, host: str, authority: str, reason: str
) -> None:
    root = server.certificates.folder / authority
    url = fleet.owner.url.replace("127.0.0.1", host)
    answer = fleet.owner(
        "fleet", "doctor", "--url", f"{url}?sslmode=verify-full&sslrootcert={root}"
    )
    if reason:
        assert answer.code == 3
        assert reason in answer.error["message"]
    else:
        assert answer.data["encrypted"] is True


def test_a_pooler_that_gives_sessions_away_is_found(fleet: Fleet) -> None:
    """Two real sessions behind one name, swapped between transactions as such a pooler does."""
    with fleet.admin() as one, fleet.admin() as other:
        assert not is_pooled(one, other)
        assert is_pooled(one, one)
        assert is_pooled(Swapped(one, other), other)  # type: ignore[arg-type]


class Swapped:
    """Gives each transaction the next of some sessions."""

    def __init__(self, *sessions: psycopg.Connection) -> None:
        self._sessions = list(sessions)

    def execute(
        self, query: str, values: tuple[object, ...] = (), *, binary: bool = False
    ) -> psycopg.Cursor:
        """Run a statement in the next session."""
        self._sessions.append(self._sessions.pop(0))
        return self._sessions[-1].execute(query, values, binary=binary)
