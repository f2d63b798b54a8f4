from __future__ import annotations

import pytest

from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.address import SshAddress, labels, parse


def test_all_parts_of_an_address_are_read() -> None:
    whole = parse("ssh://ops@alpha.example:2222/srv/b/.openclaw")
    assert whole == SshAddress("alpha.example", "ops", 2222, "/srv/b/.openclaw")
    assert parse("ssh://alpha") == parse("ssh://alpha/") == SshAddress("alpha")


@pytest.mark.parametrize(
    "text",
    [
        "ssh://-oProxyCommand=id",
        "ssh://-l@alpha",
        "ssh://a b",
        "ssh://alpha\n",
        "ssh://alpha\x1b[2J",
        "ssh://alpha:0",
        "ssh://alpha:70000",
        "ssh://alpha/$(id)",
        "ssh://alpha/a b",
        "http://alpha",
        "ssh://",
    ],
)
def test_what_could_be_an_option_or_more_than_one_word_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must look like"):
        parse(text)


def test_no_two_homes_have_one_name_whatever_hosts_say_of_their_paths() -> None:
    one, other = HomeRef("/home/op/.openclaw", "alpha"), HomeRef("/srv/b/.openclaw", "alpha")
    assert labels([one, HomeRef("/x", "beta")]) == ["alpha", "beta"]
    assert labels([one, other]) == ["alpha:op", "alpha:b"]
    # Two servers, each with a host of that name; who came first keeps its name.
    assert labels([one, one, one]) == [
        "alpha:/home/op/.openclaw",
        "alpha:/home/op/.openclaw#2",
        "alpha:/home/op/.openclaw#3",
    ]
    lies = [HomeRef("/b#2/.openclaw", "alpha"), HomeRef("/x/b/.openclaw", "alpha"), other, other]
    assert len(set(labels(lies))) == 4
