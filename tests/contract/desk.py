"""The demo home with a Gateway, and the program called over it in this process."""

from __future__ import annotations

import io
import json
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateConsolidation
from memconsole.cli.main import main
from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.gateway import LoopbackGateway, rows_of
from memconsole.demo.history import FixedClock, remember
from memconsole.demo.home import DemoHome, write_home
from memconsole.domain.agents import Origin
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.entries import entries_of
from memconsole.engine.home import live
from tests.conftest import live_in
from tests.contract.calls import CALLS
from tests.contract.shape import Shape
from tests.program import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock

Json = Any
"""What a test reads out of JSON."""

NOW = datetime(2026, 4, 14, 14, 20, tzinfo=UTC)

_OLD = """# Observations Log

Date: 2026-01-10
- 🔴 09:00 Two keys open the door <!-- dc:type=rule dc:importance=8.0 -->
- 🟡 09:10 The rack stands on the second floor <!-- dc:type=fact dc:importance=5.0 -->
- 🟢 09:20 The rack stands on the second floor, again <!-- dc:type=fact dc:importance=1.0 -->
"""
_NOTES = """# homelab — 2026-04-01

## 09:00 - Note

- [FACT] Port 8443 is the gateway
- [FACT] The second switch has no uplink
"""
_SETTINGS = {
    "TZ": "UTC",
    "EDITOR": "vi",
    "VISUAL": "vi",
    "MEMCONSOLE_NOW": NOW.isoformat(),
    "MEMCONSOLE_TRANSPORT": "ws",
    "MEMCONSOLE_CONSOLIDATE__SEARCH_LOG": "true",
    "MEMCONSOLE_CONSOLIDATE__TOKEN_TARGET": "1",
    "MEMCONSOLE_LOG_ROTATION__MAX_BYTES": "4096",
}


class Desk:
    """Where every command of the table is called once.

    Args:
        operator: An empty folder, which becomes the operator's home folder.
        patch: Changes the environment for as long as the desk is used.
    """

    def __init__(self, operator: Path, patch: pytest.MonkeyPatch) -> None:
        live_in(operator, patch)
        for name, value in _SETTINGS.items():
            patch.setenv(name, value)
        patch.setattr(live, "BUDGET_S", 60.0)  # a busy machine makes no Gateway late
        self._patch = patch
        self._operator = operator
        self._settings = process.load_settings(None, {})
        self._home = write_home(operator, NOW, None)
        remember(self._home, self._settings.state_dir, NOW, self._engine_at)
        self._words: dict[str, str] = {}
        self._prepare()

    def answers(self) -> dict[str, Json]:
        """Call every command; return its golden form by command."""
        shape = Shape(
            {
                str(self._operator): "<operator>",
                str(ROOT): "<program>",
                sys.executable: "<python>",
                sys.prefix: "<environment>",
            }
        )
        with self._gateway():
            return {name: shape.of(self._answer(name, words)) for name, words in CALLS.items()}

    def _answer(self, name: str, words: tuple[str, ...]) -> Json:
        for word, value in self._words.items():
            words = tuple(one.replace(f"{{{word}}}", value) for one in words)
        if name == "memory tidy":
            note = self._home.workspace("main") / "memory" / "2026-01-02.md"
            note.write_text("# main — 2026-01-02\n", encoding="utf-8")
        found = answer(*words)
        if name == "memory add":
            self._words["id"] = found["data"][0]["details"]["id"]
        return found

    def _engine_at(self, clock: Clock) -> Engine:
        return wiring.build_engine(self._settings, Origin.SCHEDULER, clock=clock)

    @contextmanager
    def _gateway(self) -> Iterator[None]:
        disk = self._engine_at(FixedClock(NOW))
        with LoopbackGateway(lambda: rows_of(disk.sessions.all()), now=lambda: NOW) as gateway:
            self._patch.setenv("MEMCONSOLE_GATEWAY__URL", gateway.url)
            self._patch.setenv("MEMCONSOLE_GATEWAY__TOKEN", gateway.token)
            yield

    def _prepare(self) -> None:
        """Add what the demo does not have and a command tells of."""
        for agent in ("finance", "homelab"):
            memory = self._home.workspace(agent) / "memory"
            memory.mkdir(exist_ok=True)
            (memory / "observations.md").write_text(_OLD, encoding="utf-8")
        self._find_two_notes(self._home)
        logs = self._home.state / "logs"
        logs.mkdir()
        (logs / "gateway.log").write_text("the Gateway is well\n" * 1000)
        folder = self._operator / "recall"
        (folder / "main" / "memory").mkdir(parents=True)
        (folder / "main" / "MEMORY.md").write_text(
            "# Memory\n\n- The spare key hangs in the shed.\n"
        )
        question = {
            "agent": "main",
            "query": "where is the spare key",
            "evidence": [{"path": "MEMORY.md", "line": 3}],
        }
        (folder / "queries.jsonl").write_text(json.dumps(question) + "\n")
        self._words["folder"] = str(folder)

    def _find_two_notes(self, home: DemoHome) -> None:
        """Let searches have found two daily notes often enough for a proposal."""
        root = home.workspace("homelab")
        path = root / "memory" / "2026-04-01.md"
        path.write_text(_NOTES, encoding="utf-8")
        place = str(path.relative_to(root))
        notes = entries_of(place, _NOTES)
        self._words |= {"note": notes[0].id, "other": notes[1].id}
        log = StateConsolidation(StateDatabase(self._settings.state_dir, PrivateCopies()))
        finds = [
            NoteHit(note.id, place, f"{day:016x}", (NOW - timedelta(days=day)).date(), 0.9, NOW)
            for note in notes
            for day in range(6)
        ]
        log.add(str(root), finds, keep_since=NOW - timedelta(days=60))


def answer(*words: str) -> Json:
    """Run one command with `--json` in this process; return its one object."""
    out, err = _Pipe(), _Pipe()
    with redirect_stdout(out), redirect_stderr(err):
        main(("--json", *words))
    said = out.text()
    assert said.count("\n") == 1, (words, said, err.text())
    return json.loads(said)


class _Pipe(io.TextIOWrapper):
    """Collects what is written to it."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8", write_through=True)

    def text(self) -> str:
        """Return all that was written."""
        self.flush()
        return self._bytes.getvalue().decode("utf-8")
