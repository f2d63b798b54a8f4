"""Calls the command line inside the test process, over a world of fakes."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from memconsole.cli.main import main
from memconsole.compose import process
from memconsole.domain.agents import Storage
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.engine.engine import Engine
from tests.doubles.platform import HOME, NOW

if TYPE_CHECKING:
    import pytest

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock
    from tests.doubles.bundle import World

Json = Any
"""What a test reads out of JSON."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one call printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> Json:
        """The one JSON object on stdout."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    @property
    def data(self) -> Json:
        """The data of the answer."""
        return self.envelope["data"]

    @property
    def error(self) -> Json:
        """The error of a call that failed."""
        assert self.envelope["schema"] == 1
        return self.envelope["error"]


@dataclass(slots=True)
class Caller:
    """Runs memconsole over fakes; `settings` is what the last call came to."""

    world: World
    capture: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    settings: Settings | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.monkeypatch.setattr(process, "build_clock", lambda: self.world.clock)

    def __call__(self, *words: str) -> Result:
        code = main(words, build=self._engine)
        out, err = self.capture.readouterr()
        return Result(code, out, err)

    def json(self, *words: str) -> Result:
        """Run one command with `--json`."""
        return self("--json", *words)

    def _engine(self, settings: Settings, clock: Clock) -> Engine:
        assert clock is self.world.clock
        self.settings = settings
        return Engine(self.world.ports, settings)


def stored(
    ref: AgentRef, key: str | None, tokens: int | None = None, **changes: object
) -> StoredSession:
    """Return a live session with a fresh count and a transcript, unless told otherwise."""
    session_id = f"5e551010-0000-4000-8000-{zlib.crc32((key or '').encode()):012d}"
    session_id = str(changes.get("session_id", session_id))
    values: dict[str, object] = {
        "agent": ref,
        "key": None if key is None else parse_key(key, owner=ref.id),
        "session_id": session_id,
        "state": SessionState.LIVE,
        "transcript_state": TranscriptState.PRESENT,
        "transcript": TranscriptRef(
            agent=ref,
            session_id=session_id,
            kind=TranscriptKind.FILE,
            path=HOME / "agents" / ref.id / "sessions" / f"{session_id}.jsonl",
            size_bytes=4096,
            modified_at=NOW - timedelta(minutes=5),
        ),
        "tokens_reported": tokens,
        "tokens_fresh": None if tokens is None else True,
        "window": 200_000,
        "updated_at": NOW - timedelta(minutes=5),
        "source": Storage.FILES,
        **changes,
    }
    return StoredSession(**values)  # type: ignore[arg-type]  # names are checked by the dataclass
