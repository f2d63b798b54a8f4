from __future__ import annotations

import shlex
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.adapters.fleet.ssh import SshHome
from memconsole.domain.fleet.address import parse
from memconsole.domain.fleet.wire import Heard
from memconsole.errors import SourceAwayError


def written(folder: Path, script: str) -> None:
    """Put a program named ssh into a folder."""
    program = folder / "ssh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SshHome:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    written(tmp_path, "exit 255")
    address = parse("ssh://ops@alpha:2222/srv/b/.openclaw")
    return SshHome(address, sockets=tmp_path / "s", timeout=timedelta(minutes=1))


def test_the_host_follows_the_end_of_options_and_no_word_is_split(home: SshHome) -> None:
    *options, host, line = home.call(["search", "a; rm -rf ~ '\"$(id)"])
    assert (options[-1], host) == ("--", "alpha")
    assert {"BatchMode=yes", "ForwardAgent=no", "RemoteCommand=none"} <= set(options)
    assert options[options.index("-l") + 1] == "ops"
    assert options[options.index("-p") + 1] == "2222"
    said = ["memconsole", "--home", "/srv/b/.openclaw", "--json", "search", "a; rm -rf ~ '\"$(id)"]
    version, _, asked = line.partition("; ")
    assert version == "memconsole --version"
    assert shlex.split(asked) == ["env", "MEMCONSOLE_ASKED=1", *said]


def test_the_last_words_of_ssh_say_why_there_is_no_connection(
    home: SshHome, tmp_path: Path
) -> None:
    written(tmp_path, "echo banner >&2; echo 'ssh: alpha: no route' >&2; exit 255")
    with pytest.raises(SourceAwayError) as told:
        home.ask(["agents"])
    assert str(told.value) == "ssh: alpha: no route"
    assert "`ssh -l ops -p 2222 -- alpha`" in (told.value.hint or "")


def test_a_host_without_memconsole_is_told(home: SshHome, tmp_path: Path) -> None:
    written(tmp_path, "exit 127")
    with pytest.raises(SourceAwayError, match="memconsole is not in the PATH"):
        home.ask(["agents"])


def test_an_answer_comes_with_its_code(home: SshHome, tmp_path: Path) -> None:
    written(tmp_path, "echo '{}'; exit 1")
    assert home.ask(["agents"]) == Heard(b"{}\n", 1)


def test_the_release_there_comes_before_the_answer(home: SshHome, tmp_path: Path) -> None:
    written(tmp_path, "echo memconsole 0.9.1; echo '{}'")
    assert home.ask(["agents"]) == Heard(b"{}\n", 0, "0.9.1")


@pytest.mark.usefixtures("home")
def test_two_aliases_share_no_connection() -> None:
    def path(url: str) -> str:
        one = SshHome(parse(url), sockets=Path("/run/s"), timeout=timedelta(minutes=1))
        return next(word for word in one.call(["agents"]) if word.startswith("ControlPath="))

    assert path("ssh://alpha") != path("ssh://beta")
    assert path("ssh://alpha") != path("ssh://ops@alpha")
    assert path("ssh://alpha/a") == path("ssh://alpha/b")


@pytest.mark.parametrize("folder", ["a b", "a'b", "${HOME}", "ü" * 40])
def test_a_folder_that_means_something_to_ssh_keeps_no_connection(folder: str) -> None:
    home = SshHome(parse("ssh://alpha"), sockets=Path("/s") / folder, timeout=timedelta(minutes=1))
    assert not [word for word in home.call(["agents"]) if word.startswith("Control")]
