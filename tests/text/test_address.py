"""Addresses: what is decided, and what is kept, is what was parsed."""

from __future__ import annotations

import pytest

from memconsole.text.address import is_same_host, parse

SCHEMES = ("ws", "wss")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("WS://192.0.2.2:5", "ws://192.0.2.2:5"),
        ("Ws://Host.Example/Path", "ws://host.example/Path"),
        (" wss://[FD00::1]:7/ ", "wss://[fd00::1]:7/"),
        ("ws://[fe80::1%25eth0]:7", "ws://[fe80::1%eth0]:7"),
        ("wss://user:fake-secret@gw.example/ws?token=fake", "wss://gw.example/ws"),
    ],
)
def test_the_normal_form_holds_no_secret(written: str, text: str) -> None:
    found = parse(written, *SCHEMES)
    assert found.text == text
    assert "fake" not in repr(found)


def test_the_whole_address_keeps_what_opens_it() -> None:
    found = parse("WSS://user:pw@GW.example:4/ws?key=1", *SCHEMES)
    assert found.whole == "wss://user:pw@gw.example:4/ws?key=1"


@pytest.mark.parametrize(
    "written",
    [
        "ws://127.0.0.1:5",
        "WS://LOCALHOST:5",
        "ws://127.9.9.9",
        "ws://[::1]:5",
        "ws://[::1%25lo]:5",
        "ws://[::ffff:127.0.0.1]:5",
        "ws://user@127.0.0.1",
    ],
)
def test_what_stays_on_this_host(written: str) -> None:
    found = parse(written, *SCHEMES)
    assert (found.is_loopback, found.is_private) == (True, True)


@pytest.mark.parametrize(
    "written",
    [
        "ws://192.0.2.2:5",
        "WS://192.0.2.2:5",
        "ws://127.0.0.1@192.0.2.2",
        "ws://127.0.0.1:80@192.0.2.2",
        "ws://localhost.evil.example",
        "ws://localhost.",
        "ws://127.0.0.1.",
        "ws://127.0.0.1.evil.example",
        "ws://127.1",
        "ws://2130706433",
        "ws://0x7f000001",
        "ws://0",
        "ws://[::ffff:192.0.2.2]",
        "ws://[fe80::1%25lo]",
    ],
)
def test_what_only_looks_like_this_host(written: str) -> None:
    found = parse(written, *SCHEMES)
    assert (found.is_loopback, found.is_private) == (False, False)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "127.0.0.1:5",
        "http://127.0.0.1",
        "ws:127.0.0.1",
        "ws://",
        "ws:///path",
        "ws://:5",
        "ws://127.0.0.1:99999",
        "ws://127.0.0.1:x",
        "ws://192.0.2.2\\@127.0.0.1",
        "ws://127.0.0.1\t.example",
        "ws://127.0.0.1 .example",
        "ws://127.0.0.1#@192.0.2.2",
        "ws://[::1",
        "ws://a]b",
    ],
)
def test_what_is_no_address_is_refused_without_repeating_it(written: str) -> None:
    with pytest.raises(ValueError, match=r"^must be a ws:// or wss:// address$"):
        parse(written, *SCHEMES)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("WS://LocalHost:1", "ws://127.0.0.1:2", True),
        ("ws://GW.example", "wss://gw.EXAMPLE", True),
        ("ws://gw.example@evil.example", "ws://gw.example", False),
        ("ws://127.0.0.1", "ws://127.0.0.1.evil.example", False),
    ],
)
def test_one_host_or_two(one: str, other: str, is_same: bool) -> None:
    assert is_same_host(parse(one, *SCHEMES), parse(other, *SCHEMES)) is is_same
