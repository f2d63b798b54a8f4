"""Completion as the shells ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.cli.call.complete import join_bash_words
from memconsole.errors import HomeNotFoundError
from tests.cli.caller import stored
from tests.doubles.platform import fake_agent

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World


@pytest.fixture(autouse=True)
def sessions(world: World) -> None:
    main = fake_agent("main", name="[/INST] boss")
    world.platform.agents = (main, fake_agent("work"))
    world.sessions.hold(
        stored(main.ref, "agent:main:main", 64_200, label="[/bad] label", session_id="aaaa1111"),
        stored(main.ref, "agent:main:cron:x:run:1", 5, session_id="bbbb2222"),
    )


def complete(call: Caller, monkeypatch: pytest.MonkeyPatch, shell: str, line: str) -> list[str]:
    """Return what a shell is offered for a line that ends where the cursor is."""
    monkeypatch.setenv("_MEMCONSOLE_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    words = line.split(" ")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    with pytest.raises(SystemExit):
        call()
    return call.capture.readouterr().out.splitlines()


def test_agents_are_offered(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(call, monkeypatch, "bash", "memconsole sessions --agent ") == ["main", "work"]
    assert complete(call, monkeypatch, "bash", "memconsole checkpoint --agent w") == ["work"]


def test_session_keys_and_then_ids_are_offered(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("session", "transcript", "rotate", "checkpoint --session"):
        offered = complete(call, monkeypatch, "bash", f"memconsole {command} ")
        assert offered == ["agent:main:main"]
    assert complete(call, monkeypatch, "bash", "memconsole session aaa") == ["aaaa1111"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_labels_are_no_markup(shell: str, call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = "\n".join(complete(call, monkeypatch, shell, "memconsole session "))
    assert "agent:main:main" in offered.replace("\\", "")
    assert "/bad" in offered


def test_commands_and_options_are_offered(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(call, monkeypatch, "bash", "memconsole che") == ["checkpoint"]
    assert "--home" in complete(call, monkeypatch, "bash", "memconsole --h")


def test_what_cannot_be_read_offers_nothing(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> object:
        raise HomeNotFoundError("/nowhere")

    monkeypatch.setattr(call.world.platform, "read", fail)
    for line in ("memconsole session ", "memconsole --config /no session "):
        assert [one for one in complete(call, monkeypatch, "bash", line) if one] == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["session", "agent", ":", "main", ":", "ma"], ["main"]),
        (["session", "agent", ":"], ["main:main"]),
        (["session", "agent", ":", "main", ":"], ["main"]),
        (["session", "agent", ":", "work", ":"], []),
        (["checkpoint", "--session", "agent", ":", "m"], ["main:main"]),
    ],
)
def test_bash_splits_keys_at_colons_and_is_understood(
    words: list[str], offered: list[str], call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_MEMCONSOLE_COMPLETE", "complete_bash")
    monkeypatch.setenv("_MEMCONSOLE_TYPED", "")
    monkeypatch.setenv("COMP_WORDS", "\n".join(["memconsole", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    with pytest.raises(SystemExit):
        call()
    out = call.capture.readouterr().out
    assert [one for one in out.splitlines() if one] == offered


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"_MEMCONSOLE_COMPLETE": "complete_zsh", "COMP_WORDS": "m\na\n:", "COMP_CWORD": "2"},
        {"_MEMCONSOLE_COMPLETE": "complete_bash"},
        {"_MEMCONSOLE_COMPLETE": "complete_bash", "COMP_WORDS": "m\n:", "COMP_CWORD": "x"},
        {"_MEMCONSOLE_COMPLETE": "complete_bash", "COMP_WORDS": "m\ns\nma", "COMP_CWORD": "2"},
        {"_MEMCONSOLE_COMPLETE": "complete_bash", "COMP_WORDS": "m\n:\n", "COMP_CWORD": "9"},
    ],
)
def test_other_lines_are_left_alone(environ: dict[str, str]) -> None:
    before = dict(environ)
    join_bash_words(environ)
    assert environ == before
