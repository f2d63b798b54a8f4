"""A home of one conversation, captured session by session as it would have been in its time."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from benchmarks.capture_talks import Kept, tokens
from memconsole.compose import engine
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.bootstrap import OBSERVATIONS_NAME
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.commands.summarize import Summarize
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS, render
from memconsole.domain.observe.worth import values
from memconsole.domain.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchmarks.capture_talks import Conversation
    from memconsole.domain.commands.command import Command
    from memconsole.domain.memory.observations import Observation, ObservationLog
    from memconsole.engine.engine import Engine

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_DATES = re.compile(r" \((?:week of |weekend of )?\d{4}(?:-\d\d){0,2}\)")


class MovingClock:
    """A clock that is set from session to session."""

    def __init__(self) -> None:
        self.at = datetime(2023, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return what it was set to."""
        return self.at

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return self.at.timestamp()


class Captured:
    """One conversation as an agent's sessions, captured by the program's own commands.

    Attributes:
        engine: Over the home and a state of its own.
        observed: observations.md before it was reflected.
        given: What of it the next session would have been given then.
        reflected: The same afterwards.
    """

    def __init__(self, talk: Conversation, folder: Path) -> None:
        self.talk = talk
        self._sessions = folder / ".openclaw" / "agents" / "main" / "sessions"
        self._workspace = folder / "workspace"
        self._clock = MovingClock()
        self._make(folder)
        self._settings = settings = Settings(
            state_dir=folder / "state",
            home=folder / ".openclaw",
            timezone="UTC",
            transport="none",
        )
        self.agent = AgentRef(HomeRef(str(folder / ".openclaw")), "main")
        self.engine: Engine = engine.build_engine(settings, Origin.CONSOLE, clock=self._clock)
        for session in talk.sessions:
            self._capture(session)
        self.observed = self._log()
        self.given = self._given()
        self._clock.at += timedelta(hours=1)
        self._run(Reflect(self.agent, is_forced=True))
        self.reflected = self._log()

    def searching(self, provider: str) -> Engine:
        """Return an engine that finds by another provider, in an index of its own."""
        search = replace(self._settings.search, provider=provider)
        folder = self._settings.state_dir.with_name(f"state-{provider}")
        settings = replace(self._settings, state_dir=folder, search=search)
        found = engine.build_engine(settings, Origin.CONSOLE, clock=self._clock)
        if provider == "quality":
            found.run(Reindex(self.agent))
        return found

    @cache  # noqa: B019 - one of these lives for one measurement
    def lines(self, path: str) -> tuple[str, ...]:
        """Return the lines of a document, as search numbers them."""
        return self.engine.search.lines("main", path)

    def _make(self, folder: Path) -> None:
        """Lay out home and workspace; a session appears when its time has come."""
        self._sessions.mkdir(parents=True)
        self._workspace.mkdir()
        roster = {"agents": {"list": [{"id": "main", "workspace": str(self._workspace)}]}}
        (folder / ".openclaw" / "openclaw.json").write_text(json.dumps(roster), "utf-8")

    def _capture(self, session: str) -> None:
        """Let one session happen, and capture it a minute after its last word."""
        source = self.talk.folder / "sessions" / f"{session}.jsonl"
        shutil.copy(source, self._sessions)
        last = json.loads(source.read_text("utf-8").splitlines()[-1])["timestamp"]
        ended = datetime.fromisoformat(last.replace("Z", "+00:00"))
        self._clock.at = ended + timedelta(minutes=1)
        path = self._sessions / "sessions.json"
        store = json.loads(path.read_text("utf-8")) if path.exists() else {}
        key = f"agent:main:direct:{session[:8]}"
        store[key] = {"sessionId": session, "updatedAt": int(ended.timestamp() * 1000)}
        path.write_text(json.dumps(store), "utf-8")
        self._run(Checkpoint(self.agent, session_key=key, is_forced=True))
        self._run(Observe(self.agent, session_key=key, is_flush=True))
        self._run(Summarize(self.agent, key, session_id=session))

    def _run(self, command: Command) -> None:
        outcome = self.engine.run(command)
        assert not isinstance(outcome, Failed), outcome

    def _given(self) -> tuple[Observation, ...]:
        """Return the observations whose lines a main session would be given now."""
        files = self.engine.bootstrap.given().files
        [text] = [one.content for one in files if one.name == OBSERVATIONS_NAME]
        lines = frozenset(text.splitlines())
        return tuple(one for one in self.observed.observations if bare(one) in lines)

    def _log(self) -> ObservationLog:
        return parse((self._workspace / OBSERVATIONS).read_text("utf-8"))


def in_order(log: ObservationLog) -> list[Kept]:
    """Return the lines of the file by their value, comments not counted."""
    worth = dict(zip(log.observations, values(log.observations), strict=True))
    return kept(sorted(worth, key=lambda one: -worth[one]))


def kept(lines: Iterable[Observation]) -> list[Kept]:
    """Return lines as what they keep of the turns that they came from."""
    return [Kept(one.source or one, plain(one), tokens(bare(one))) for one in lines]


def bare(one: Observation) -> str:
    """Return a line as it is read, without its comment."""
    return render(one).partition(" <!--")[0]


def hash_of(one: Observation) -> str:
    """Return what labels know of a line: its words as they were spoken, without added dates."""
    return sha256(plain(one).encode()).hexdigest()[:16]


def plain(one: Observation) -> str:
    """Return the words of a line as they were spoken."""
    return _DATES.sub("", _ESCAPED.sub(r"\1", one.text))
