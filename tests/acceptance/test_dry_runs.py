"""A dry run of any command writes nothing, sends nothing, and needs nobody who calls it.

On a home with something to do for each of them: what a dry run only would have done, the same
command without it then does.
"""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.history import FixedClock
from memconsole.demo.home import workspace_of, write_home
from memconsole.domain.agents import Origin
from memconsole.domain.commands.catalogue import COMMANDS
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.cleanup import Cleanup
from memconsole.domain.commands.compact import Compact
from memconsole.domain.commands.config_fix import ConfigFix
from memconsole.domain.commands.consolidate import Consolidate, Propose
from memconsole.domain.commands.flush import Flush
from memconsole.domain.commands.index_md import IndexMd
from memconsole.domain.commands.memory import (
    Decline,
    MemoryAdd,
    MemoryForget,
    MemoryTidy,
    MemoryUndo,
    Promote,
)
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Planned, status_of
from memconsole.domain.commands.recover import Recover
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.commands.restore import Restore
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.commands.summarize import Summarize
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import Observation, ObservationLog, Priority
from memconsole.domain.settings.sections import ConsolidateSettings, ReflectorSettings
from tests.program import tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memconsole.domain.commands.command import Command
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine

NOW = datetime(2026, 4, 14, 14, 20, tzinfo=UTC)
DUE = "agent:work:main"
LONG = "agent:homelab:main"
NOTES = "memory/2026-04-10.md"
NOTE = "- [FACT] Port 8443 is the gateway\n"

CALLS = (
    "checkpoint",
    "rotate",
    "reindex",
    "compact",
    "observe",
    "summarize",
    "flush",
    "recover",
    "restore",
    "restore --branch",
    "reflect",
    "index-md",
    "memory add",
    "memory forget",
    "memory tidy",
    "cleanup",
    "memory undo",
    "consolidate",
    "promote",
    "decline",
    "propose",
    "config fix",
)
"""The calls of `Place.commands`, in its order."""

pytestmark = pytest.mark.xdist_group("dry runs")
"""The home takes a while to write: one serves them all."""


class Listener:
    """A port on loopback that counts who comes, and never answers."""

    def __init__(self) -> None:
        self.visitors = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()

    def _count(self) -> None:
        while True:
            try:
                visitor, _ = self._socket.accept()
            except OSError:
                return
            self.visitors += 1
            visitor.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


class Place:
    """A home with something to do for every command."""

    def __init__(self, operator: Path, listener: Listener) -> None:
        self.operator = operator
        self.listener = listener
        self.home = write_home(operator, NOW, None).state
        self.settings = replace(
            process.load_settings(None, {}),
            home=self.home,
            state_dir=operator / "state",
            transport="ws",
            gateway_url=listener.url,
            consolidate=ConsolidateSettings(token_target=1),
            reflector=ReflectorSettings(word_threshold=30),
        )
        self.engine = self.engine_with(self.settings)
        self.refs = {agent.id: agent.ref for agent in self.engine.home.read().agents}
        self.prepare()

    def engine_with(self, settings: Settings) -> Engine:
        return wiring.build_engine(settings, Origin.CLI, clock=FixedClock(NOW))

    def prepare(self) -> None:
        config = self.home / "openclaw.json"
        text = config.read_text().replace('"mode": "default"', '"mode": "safeguard"')
        config.write_text(text.replace("2026.9.6", "2026.1.24-3"))
        workspace = workspace_of(self.operator, "main")
        (workspace / NOTES).write_text(NOTE)
        (workspace / "memory" / "2026-01-02.md").write_text("# main — 2026-01-02\n")
        self.note = entries_of(NOTES, NOTE)[0].id
        finds = [NoteHit(self.note, NOTES, f"{n:016x}", NOW.date(), 1.0, NOW) for n in range(8)]
        self.engine._ports.consolidation.add(str(workspace.resolve()), finds, keep_since=NOW)
        old = [
            Observation(Priority.LOW, f"Remark {n} about {word * 5}", day, "14:05")
            for n, word in enumerate("abcdefgh")
            for day in [NOW.date() - timedelta(days=90)]
        ]
        for agent in ("main", "research", "finance"):
            path = workspace_of(self.operator, agent) / "memory" / "observations.md"
            path.write_text(add(ObservationLog(), old).text)
        added = self.engine.run(MemoryAdd(self.refs["work"], "The shelf is empty"))
        self.entry = str(added.details["id"])

    def commands(self) -> Mapping[str, Command]:
        """Return each command with something to do, by the words that call it."""
        main, work = self.refs["main"], self.refs["work"]
        nobody = replace(main, id="")
        found: tuple[Command, ...] = (
            Checkpoint(main, is_forced=True),
            Rotate(work, DUE),
            Reindex(main),
            Compact(self.refs["homelab"], LONG, is_truncation_forced=True),
            Observe(main),
            Summarize(main, "agent:main:main"),
            Flush(main, "agent:main:main"),
            Recover(work),
            Restore(work, "agent:work:main"),
            Restore(self.refs["writer"], "agent:writer:main", is_branch=True),
            Reflect(self.refs["research"], is_forced=True),
            IndexMd(main, is_forced=True),
            MemoryAdd(main, "Two keys for every deployment"),
            MemoryForget(work, (self.entry,)),
            MemoryTidy(main),
            Cleanup(main, timedelta(minutes=1), takes_uncaptured=True),
            MemoryUndo(work),
            Consolidate(main),
            Promote(main, (self.note,)),
            Decline(main, (self.note,)),
            Propose(self.refs["finance"]),
            ConfigFix(nobody),
        )
        return dict(zip(CALLS, found, strict=True))

    def state(self) -> tuple[dict[str, str], int]:
        return tree(self.operator), self.listener.visitors


@contextmanager
def placed(folder: Path) -> Iterator[Place]:
    listener = Listener()
    yield Place(folder, listener)
    listener.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with placed(tmp_path_factory.mktemp("operator")) as made:
        yield made


def test_every_command_is_among_them(place: Place) -> None:
    assert {type(one) for one in place.commands().values()} == {spec.kind for spec in COMMANDS}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("is_read_only", [False, True], ids=["", "read-only"])
def test_a_dry_run_writes_and_sends_nothing(call: str, is_read_only: bool, place: Place) -> None:
    ui = replace(place.settings.ui, read_only=is_read_only)
    engine = place.engine_with(replace(place.settings, ui=ui))
    before = place.state()
    outcome = engine.run(replace(place.commands()[call], dry_run=True))
    assert isinstance(outcome, Planned), outcome
    assert outcome.command.dry_run
    assert place.state() == before


def test_what_a_dry_run_only_tells_is_done_without_it(tmp_path: Path) -> None:
    """Else a test above could pass because there was nothing to do."""
    done: dict[str, str] = {}
    with placed(tmp_path) as place:
        for call, command in place.commands().items():
            asked_before = place.listener.visitors
            status = status_of(place.engine.run(command))
            if status == "failed" and place.listener.visitors > asked_before:
                status = "asked"  # the Gateway, which is none
            done[call] = status
    asks = {"rotate", "compact", "restore --branch"}
    assert done == {name: "asked" if name in asks else "done" for name in done}


def test_read_only_refuses_each_command_that_is_no_dry_run(place: Place) -> None:
    ui = replace(place.settings.ui, read_only=True)
    engine = place.engine_with(replace(place.settings, ui=ui))
    before = place.state()
    for command in place.commands().values():
        assert getattr(engine.run(command), "code", None) == "read-only"
    assert place.state() == before
