"""`hooks`: install, status, remove, and what read-only refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.fakes import World


def test_they_are_installed_shown_and_removed(world: World, call: Caller) -> None:
    for words, state in (
        (("hooks", "status"), "missing"),
        (("hooks", "install", "--dry-run"), "missing"),
        (("hooks", "install"), "installed"),
        (("hooks", "remove"), "missing"),
    ):
        result = call.json(*words)
        check_envelope(result.envelope)
        assert result.code == 0
        assert {one["state"] for one in result.data} == {state}
    assert "wrote" in call("hooks", "install", "--prefix", "mc-").out


@pytest.mark.parametrize("words", [("install",), ("remove",)])
def test_read_only_refuses(words: tuple[str, ...], world: World, call: Caller) -> None:
    result = call.json("--read-only", "hooks", *words)
    assert (result.code, world.hooks.installed) == (1, [])


def test_a_prefix_is_a_name(call: Caller) -> None:
    result = call.json("hooks", "install", "--prefix", "../x")
    assert result.code == 2
    assert "--prefix" in result.error["message"]
