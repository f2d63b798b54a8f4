"""The one table of commands: what each of them builds, and what it has to be told."""

from __future__ import annotations

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.catalogue import CATALOGUE, spec_of
from memconsole.domain.commands.command import CommandSpec, Subject
from memconsole.domain.commands.memory import MemoryAdd, MemoryForget, MemoryUndo

MAIN = AgentRef(HomeRef("/home/op/.openclaw"), "main")


def test_names_are_of_one_command_each() -> None:
    names = [spec.name for spec in CATALOGUE]
    assert len(names) == len(set(names))
    with pytest.raises(KeyError):
        spec_of("fly")


@pytest.mark.parametrize("spec", CATALOGUE, ids=lambda spec: spec.name)
def test_what_is_not_about_an_agent_has_to_be_told_its_key(spec: CommandSpec) -> None:
    found = spec_of(spec.name)
    assert found.build(MAIN, "k", dry_run=True).dry_run
    if found.subject is not Subject.AGENT or found.takes_text:
        with pytest.raises(ValueError, match=r"\w"):
            found.build(MAIN)
    else:
        assert not found.build(MAIN).dry_run


def test_edits_of_memory_take_texts_and_ids() -> None:
    assert spec_of("memory add").build(MAIN, "tea") == MemoryAdd(MAIN, "tea")
    assert spec_of("memory forget").build(MAIN, "m-1 m-2") == MemoryForget(MAIN, ("m-1", "m-2"))
    assert spec_of("memory undo").build(MAIN, dry_run=True) == MemoryUndo(MAIN, dry_run=True)


def test_what_is_destroyed_or_reviewed_asks_first() -> None:
    asking = {spec.name for spec in CATALOGUE if spec.asks}
    assert asking >= {"rotate", "reflect", "memory add", "memory forget", "memory undo"}
    assert "checkpoint" not in asking
