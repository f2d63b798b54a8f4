"""Fakes of the Gateway and of the journal of rotations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.gateway import CompactAnswer, GatewayStatus, LiveReading, ResetAnswer
from memconsole.errors import GatewayUnavailableError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.gateway import LiveSession
    from memconsole.domain.rotation import Identity, Rotation, RotationState
    from memconsole.domain.search.agent_view import AgentHit
    from memconsole.ports.platform import StopSignal


class FakeRotations:
    """The journal as a list, oldest first."""

    def __init__(self) -> None:
        self.stored: list[Rotation] = []
        self.is_unwritable = False

    def begin(self, rotation: Rotation) -> int:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.stored.append(replace(rotation, id=len(self.stored) + 1))
        return len(self.stored)

    def finish(
        self, number: int, state: RotationState, after: Identity | None, ended_at: datetime
    ) -> None:
        self.stored[number - 1] = replace(
            self.stored[number - 1], state=state, after=after, ended_at=ended_at
        )

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Rotation, ...]:
        found = [one for one in self.stored if (one.agent, one.key) == (agent, key)]
        return tuple(reversed(found[-limit:]))


class FakeGateway:
    """Switched off, unless sessions were put in; resets in place, as 2026.9 does.

    Attributes:
        rows: Sessions by key.
        verdict: What it answers with; anything but `up` refuses everything.
        version: Its release.
        reason: Why it has that verdict.
        cut_at: Where its list ends early.
        resets: Every (key, expected session id) that was sent.
        during: Called before a request of that name is answered.
        is_ineffective: It answers ok and does nothing.
        loses: The answers of these requests never arrive, though they are carried out.
        refusal: Raised by a reset or compaction instead of an answer.
        answer: What a compaction answers.
        memory: What its own search finds, whatever is asked; `searches` holds the questions.
        news: What happens before each piece of news.
    """

    def __init__(self, at: datetime) -> None:
        self.scopes: tuple[str, ...] = ()
        self.at = at
        self.rows: dict[str, LiveSession] = {}
        self.verdict = "off"
        self.version = "2026.9.6"
        self.reason: str | None = None
        self.cut_at: tuple[int, int] | None = None
        self.resets: list[tuple[str, str | None]] = []
        self.compactions: list[str] = []
        self.instructions: list[str | None] = []
        self.looks: list[str] = []
        self.searches: list[tuple[str, str]] = []
        self.memory: tuple[AgentHit, ...] = ()
        self.during: dict[str, Callable[[], None]] = {}
        self.is_ineffective = False
        self.news: list[Callable[[], None]] = []
        self.loses: set[str] = set()
        self.refusal: Exception | None = None
        self.answer = CompactAnswer(True, summary="## Goal", tokens_before=1, tokens_after=1)

    @property
    def is_off(self) -> bool:
        return self.verdict == "off"

    def hold(self, *rows: LiveSession) -> None:
        """Serve these sessions."""
        self.verdict = "up"
        self.rows = {row.key: row for row in rows}

    def read(self) -> LiveReading:
        self._happen("read")
        is_up = self.verdict == "up"
        return LiveReading(
            self._status(),
            dict(self.rows) if is_up else {},
            self.at if is_up else None,
            cut_at=self.cut_at,
        )

    def listen(self, stop: StopSignal) -> Iterator[None]:
        while not stop.is_set() and self.news:
            self.news.pop(0)()
            yield None

    def provisional(self) -> GatewayStatus:
        return GatewayStatus("late", reason="it was asked, and did not answer yet")

    def require(self) -> GatewayStatus:
        if self.verdict != "up":
            raise GatewayUnavailableError(
                f"the gateway is {self.verdict}", "Look at it.", verdict=self.verdict
            )
        return self._status()

    def find(self, key: str, *, patience_s: float = 0.0) -> LiveSession | None:
        self._happen("find")
        self.require()
        self.looks.append(key)
        return self.rows.get(key)

    def search_memory(self, agent_id: str, query: str, limit: int) -> tuple[AgentHit, ...]:
        self.require()
        if self.refusal is not None:
            raise self.refusal
        self.searches.append((agent_id, query))
        return self.memory[:limit]

    def reset(self, key: str, session_id: str | None) -> ResetAnswer:
        self._happen("reset")
        self.require()
        self.resets.append((key, session_id))
        if self.refusal is not None:
            raise self.refusal
        row = self.rows[key]
        if not self.is_ineffective:
            row = self.rows[key] = replace(row, tokens=0, tokens_fresh=True, status=None)
            row = replace(row, revision=f"r-{len(self.resets)}", started_at=self.at)
        if "reset" in self.loses:
            return ResetAnswer(is_lost=True)
        return ResetAnswer(row)

    def compact(self, key: str, instructions: str | None = None) -> CompactAnswer:
        self._happen("compact")
        self.require()
        self.compactions.append(key)
        self.instructions.append(instructions)
        if self.refusal is not None:
            raise self.refusal
        return self.answer

    def _happen(self, name: str) -> None:
        self.during.get(name, lambda: None)()

    def _status(self) -> GatewayStatus:
        version = self.version if self.verdict == "up" else None
        url = "ws://127.0.0.1:18789"
        return GatewayStatus(self.verdict, url, version, self.scopes, self.reason)
