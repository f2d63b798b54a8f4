"""A fleet of agents that talks and grows while time passes, in the files of 2026.1 to 2026.7."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.demo.records import milliseconds, stamp, uuid_of

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

_WINDOW = 200_000
_GROWTH_TOKENS = 1_500
_NEW_SESSION_EVERY = 40
"""Turns after which a talk begins anew, as after a reset: below every threshold."""

_WORDS = (
    "we decided to keep the inventory database in WAL mode",
    "the replica in rack two waits for its backup drill",
    "I prefer short answers without a greeting",
    "please write src/stock/scanner.py so that it reads two codes at once",
    "the certificate must be renewed before 2026-05-14",
    "the import took 41 seconds and failed with EPIPE twice",
)


_CHAT = (
    "any news about case {}?",
    "not yet, case {} is still open",
    "and case {}, how far is that?",
    "nobody has looked at case {} today",
)
_FACT_EVERY = 6
"""Messages of which one says something to be remembered, in words that come back; the rest is talk.
What is new in every message would grow memory without an end, and the work on it too."""


@dataclass(slots=True)
class Talk:
    """One live session.

    Attributes:
        turns: Pairs of messages so far.
    """

    agent: str
    number: int
    turns: int = 0
    last: str | None = None

    @property
    def id(self) -> str:
        """Its session id."""
        return uuid_of("soak", self.agent, self.number)


@dataclass(slots=True)
class Fleet:
    """Agents below one platform home.

    Attributes:
        home: The platform's state folder.
        messages: Written in all.
    """

    home: Path
    talks: dict[str, Talk] = field(default_factory=dict)
    messages: int = 0

    def hire(self) -> None:
        """Add an agent with a workspace."""
        name = f"agent{len(self.talks)}" if self.talks else "main"
        (self.home / "agents" / name / "sessions").mkdir(parents=True)
        (self.home.parent / f"ws-{name}" / "memory").mkdir(parents=True)
        self.talks[name] = Talk(name, 0)
        roster = [{"id": one, "workspace": f"~/ws-{one}"} for one in self.talks]
        config = {"agents": {"list": roster}, "gateway": {"mode": "local"}}
        (self.home / "openclaw.json").write_text(json.dumps(config), "utf-8")

    def talk(self, at: datetime) -> None:
        """Let every agent speak once; long talks begin anew."""
        for name, talk in self.talks.items():
            if talk.turns >= _NEW_SESSION_EVERY:
                self.talks[name] = Talk(name, talk.number + 1)
            self._turn(self.talks[name], at)
            self._store(self.talks[name], at)

    def _turn(self, talk: Talk, at: datetime) -> None:
        path = self.home / "agents" / talk.agent / "sessions" / f"{talk.id}.jsonl"
        lines = [] if talk.turns else [{"type": "session", "version": 3, "id": talk.id}]
        for place, role in enumerate(("user", "assistant")):
            number = f"{talk.turns * 2 + place:08x}"
            said = self._said(self.messages + place)
            message: dict[str, object] = {
                "role": role,
                "content": [{"type": "text", "text": said}],
            }
            if role == "assistant":
                tokens = (talk.turns + 1) * _GROWTH_TOKENS
                message["usage"] = {"input": tokens, "output": 200, "totalTokens": tokens}
            lines.append(
                {
                    "type": "message",
                    "id": number,
                    "parentId": talk.last,
                    "timestamp": stamp(at + timedelta(seconds=place)),
                    "message": message,
                }
            )
            talk.last = number
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(line)}\n" for line in lines)
        moment = at.timestamp()
        os.utime(path, (moment, moment))
        talk.turns += 1
        self.messages += 2

    def _said(self, number: int) -> str:
        facts, is_chat = divmod(number, _FACT_EVERY)
        if is_chat:
            return _CHAT[number % len(_CHAT)].format(number)
        return _WORDS[facts % len(_WORDS)]

    def _store(self, talk: Talk, at: datetime) -> None:
        entry = {
            "sessionId": talk.id,
            "updatedAt": milliseconds(at),
            "totalTokens": talk.turns * _GROWTH_TOKENS,
            "totalTokensFresh": True,
            "contextTokens": _WINDOW,
            "chatType": "direct",
        }
        path = self.home / "agents" / talk.agent / "sessions" / "sessions.json"
        path.write_text(json.dumps({f"agent:{talk.agent}:main": entry}), "utf-8")
