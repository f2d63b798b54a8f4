"""Which addresses of a fleet's PostgreSQL are taken, and which could be listened to."""

from __future__ import annotations

import pytest

from memconsole.domain.fleet.server import ServerAddress, parse_server

HERE = ServerAddress("127.0.0.1", 5432, "fleet", "ann", "prefer")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("postgresql://ann@127.0.0.1/fleet", HERE),
        ("postgres://ann@127.0.0.1:5432/fleet", HERE),
        ("postgresql://ann@localhost/fleet", HERE._replace(host="localhost")),
        ("postgresql://ann@[::1]:6432/fleet", HERE._replace(host="::1", port=6432)),
        ("postgresql://ann@127.0.0.1/fleet?sslmode=verify-full", HERE._replace(mode="verify-full")),
        ("postgresql:///fleet?host=/run/pg", ServerAddress("/run/pg", 5432, "fleet", "", "prefer")),
        ("postgresql://ann@/fleet?host=/run/pg", HERE._replace(host="/run/pg")),
        (
            "postgresql://ann@db.example/fleet?sslrootcert=/etc/ca.pem",
            ServerAddress(
                "db.example", 5432, "fleet", "ann", files=(("sslrootcert", "/etc/ca.pem"),)
            ),
        ),
    ],
)
def test_an_address_is_read_and_can_be_given_again(text: str, address: ServerAddress) -> None:
    assert parse_server(text) == address
    assert parse_server(address.whole) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("postgresql://ann:geheim@127.0.0.1/fleet", "no password"),
        ("postgresql://ann@db.example/fleet?sslmode=require", "verify-full"),
        ("postgresql://ann@db.example/fleet?sslmode=disable", "verify-full"),
        ("postgresql://ann@localhost.example/fleet?sslmode=prefer", "verify-full"),
        ("postgresql://ann@127.0.0.1.example/fleet?sslmode=prefer", "verify-full"),
        ("postgresql://ann@127.0.0.1/fleet?password=geheim", "option 'password'"),
        ("postgresql://ann@127.0.0.1/fleet?host=db.example", "option"),
        ("postgresql://ann@127.0.0.1/fleet?hostaddr=10.0.0.1", "option 'hostaddr'"),
        ("postgresql://ann@127.0.0.1/fleet?options=-c%20x=1", "option 'options'"),
        ("postgresql:///fleet", "folder of a socket"),
        ("postgresql://ann@127.0.0.1,db.example/fleet?sslmode=prefer", "one server"),
        ("postgresql://ann@/fleet?host=/run/pg,db.example", "one server"),
        ("postgresql://ann@127.0.0.1/", "must look like"),
        ("postgresql://ann@127.0.0.1/fleet'%20x", "must look like"),
        ("mysql://ann@127.0.0.1/fleet", "postgresql://"),
        ("", "postgresql://"),
    ],
)
def test_an_address_that_is_not_safe_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        parse_server(text)
    assert "geheim" not in str(caught.value)
