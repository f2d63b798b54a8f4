"""A generated home that nobody owns, where it is played, and what grows in it meanwhile.

While it plays, `HOME` is a folder of the demo and no variable names anything of the user's: then no
part of the program, nor of a library, can find the user's files. Both are gone when it ends.

Formats: `docs/formats.md`, "Session entries" and "Transcripts".
"""

from __future__ import annotations

import json
import logging
import os
import threading
from contextlib import contextmanager
from datetime import timedelta
from itertools import cycle
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.private_copy import PrivateFolder
from memconsole.demo import content
from memconsole.demo.cast import AGENTS, CRON_RUNS, GROWING, Stage
from memconsole.demo.records import encode, milliseconds
from memconsole.demo.sessions import add_turn, cron_runs, play
from memconsole.demo.stores import STORE, write_database, write_files, write_store, write_transcript
from memconsole.demo.workspace import lessons_of, write_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.demo.cast import AgentPlan
    from memconsole.demo.content import Turn
    from memconsole.demo.records import Transcript
    from memconsole.demo.sessions import Session
    from memconsole.domain.calendar import Zone


_FOREIGN = ("OPENCLAW_", "CLAWDBOT_", "MOLTBOT_", "MOLDBOT_", "MEMCONSOLE_", "XDG_")

_OLDER_NAMES = frozenset({"ROTATION_THRESHOLD", "SESSION_STALE_HOURS"})

_KEPT = frozenset(
    {
        "MEMCONSOLE_NOW",
        "MEMCONSOLE_ASCII",
        "MEMCONSOLE_COLOR",
        "MEMCONSOLE_JSON",
        "MEMCONSOLE_MONO",
        "MEMCONSOLE_NO_MOUSE",
        "MEMCONSOLE_READ_ONLY",
        "MEMCONSOLE_VERBOSE",
    }
)

_KEPT_SECTION = "MEMCONSOLE_UI__"


@contextmanager
def demo_world() -> Iterator[Path]:
    """Yield the folder that stands for the operator's home; it exists, is empty and is 0700.

    Raises:
        OSError: There is no room for it.
    """
    private = PrivateFolder()
    private.sweep()
    operator = private.path() / "operator"
    operator.mkdir(mode=0o700)
    before = dict(os.environ)
    for name in before:
        if is_foreign(name):
            del os.environ[name]
    os.environ["HOME"] = str(operator)
    try:
        yield operator
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
        private.close()


def is_foreign(name: str) -> bool:
    """Tell whether a variable may name something of the user's; how to draw is not such."""
    if name in _KEPT or name.startswith(_KEPT_SECTION):
        return False
    return name.startswith(_FOREIGN) or name in _OLDER_NAMES


SEED = 41

_BOOTSTRAP_CHARS = 10_000

_WORKSPACES = "agents"


class DemoHome:
    """A generated home.

    Attributes:
        state: The platform's state folder, `.openclaw` below the operator's own folder.
        sessions: All that was played, by agent.
        growing: The one that grows when it is asked to.
    """

    def __init__(
        self, state: Path, sessions: Mapping[str, Sequence[Session]], growing: GrowingSession
    ) -> None:
        self.state = state
        self.sessions = sessions
        self.growing = growing

    def workspace(self, agent_id: str) -> Path:
        """Return where an agent keeps its notes."""
        return workspace_of(self.state.parent, agent_id)


def workspace_of(operator: Path, agent_id: str) -> Path:
    """Return an agent's workspace in the operator's folder."""
    return operator / _WORKSPACES / agent_id


def write_home(operator: Path, now: datetime, zone: Zone, *, seed: int = SEED) -> DemoHome:
    """Write a home and its workspaces; equal arguments write equal files.

    Args:
        operator: Stands for the operator's home folder; exists and is empty.
        now: The moment at which everything plays, aware.
        zone: The operator's time zone, None for the host's.
        seed: Chooses times, ids and days.
    """
    state = operator / ".openclaw"
    state.mkdir(mode=0o700)
    stage = Stage(now, zone, seed)
    lessons = lessons_of(AGENTS)
    played: dict[str, list[Session]] = {}
    for agent in AGENTS:
        conversations = content.conversations(agent.id)
        played[agent.id] = play(stage, agent, conversations)
        _write_agent(state / "agents" / agent.id, stage, agent, played[agent.id])
        write_workspace(workspace_of(operator, agent.id), stage, agent, lessons)
    _write_cron_runs(state, stage, played)
    (state / "openclaw.json").write_text(_config(), encoding="utf-8")
    return DemoHome(state, played, _growing(state, played))


def _write_agent(folder: Path, stage: Stage, agent: AgentPlan, sessions: Sequence[Session]) -> None:
    if agent.is_sqlite:
        database = folder / "agent" / "openclaw-agent.sqlite"
        write_database(database, agent.id, sessions, stage.now)
    else:
        write_files(folder / "sessions", sessions)


def _write_cron_runs(state: Path, stage: Stage, played: Mapping[str, Sequence[Session]]) -> None:
    """Add a job's runs to the store of its agent; the job's own entry shows the newest one."""
    agent_id, job, conversation, _ = CRON_RUNS
    folder = state / "agents" / agent_id / "sessions"
    store = json.loads((folder / STORE).read_text("utf-8"))
    runs = cron_runs(stage, played[agent_id][0], content.conversations(agent_id)[conversation])
    for key, entry, transcript in runs:
        store.setdefault(f"agent:{agent_id}:cron:{job}", entry)
        store[key] = entry
        write_transcript(folder / f"{transcript.session_id}.jsonl", transcript)
    write_store(folder, store)


def _growing(state: Path, played: Mapping[str, Sequence[Session]]) -> GrowingSession:
    agent_id, rest, conversation = GROWING
    [session] = (one for one in played[agent_id] if one.plan.rest == rest)
    assert session.transcript is not None, "the session that grows has a transcript"
    folder = state / "agents" / agent_id / "sessions"
    turns = content.conversations(agent_id)[conversation]
    return GrowingSession(folder, session.key, session.transcript, session.plan.tokens, turns)


def _config() -> str:
    """Return the platform's configuration: JSON5, as people leave it behind."""
    entries = {
        agent.id: {
            "workspace": f"~/{_WORKSPACES}/{agent.id}",
            "identity": {"name": agent.name},
        }
        for agent in AGENTS
    }
    agents = {
        "defaults": {
            "model": {"primary": "anthropic/claude-sonnet-4-5"},
            "bootstrapMaxChars": _BOOTSTRAP_CHARS,
            "compaction": {"mode": "default", "reserveTokensFloor": 20_000},
        },
        "entries": entries,
    }
    text = json.dumps({"meta": {"lastTouchedVersion": "2026.9.6"}, "agents": agents}, indent=2)
    return f"// Six agents, half of them still waiting for their import.\n{text}\n"


logger = logging.getLogger(__name__)

EVERY = timedelta(seconds=4)

TOKENS_A_TURN = 900

COMPACTED_AT = 178_000

COMPACTED_TO = 21_400

_SUMMARY = (
    "## Goal\nReplace the failed disk in bay 3.\n\n## Done\n- Spare K0A9 tested and put in\n"
    "- Resilver runs, no errors since\n\n## Open\n- Send disk 7SG2 back when the claim is accepted"
)


class GrowingSession:
    """Appends to a transcript and its store as the platform of the file era does.

    Attributes:
        key: Its session key.
        tokens: Size of its context now.
    """

    def __init__(
        self,
        folder: Path,
        key: str,
        transcript: Transcript,
        tokens: int,
        turns: Sequence[Turn],
    ) -> None:
        self.key = key
        self.tokens = tokens
        self._folder = folder
        self._transcript = transcript
        self._turns = cycle(turns)

    def step(self, now: datetime) -> None:
        """Say one more thing; at the limit of the window the platform compacts.

        Raises:
            OSError: The home is gone.
        """
        written = len(self._transcript.records)
        is_full = self.tokens + TOKENS_A_TURN > COMPACTED_AT
        if is_full:
            self._transcript.compaction(now, _SUMMARY, self.tokens, COMPACTED_TO)
            self.tokens = COMPACTED_TO
        else:
            self.tokens += TOKENS_A_TURN
        add_turn(self._transcript, next(self._turns), now, self.tokens)
        lines = [encode(record) + b"\n" for _, record in self._transcript.records[written:]]
        path = self._folder / f"{self._transcript.session_id}.jsonl"
        with path.open("r+b") as file:
            file.seek(0, 2)
            file.writelines(lines)
        self._note(now, is_compacted=is_full)

    def _note(self, now: datetime, *, is_compacted: bool) -> None:
        store = json.loads((self._folder / STORE).read_text("utf-8"))
        entry = store[self.key]
        entry["totalTokens"] = self.tokens
        entry["updatedAt"] = entry["lastInteractionAt"] = milliseconds(now)
        entry["compactionCount"] += is_compacted
        write_store(self._folder, store)

    @contextmanager
    def running(self, now: Callable[[], datetime], every: timedelta = EVERY) -> Iterator[None]:
        """Let it grow for the block, in a thread that ends with it.

        Args:
            now: The wall clock.
            every: Time between two turns.
        """
        stop = threading.Event()

        def grow() -> None:
            while not stop.wait(every.total_seconds()):
                try:
                    self.step(now())
                except (OSError, ValueError, KeyError) as error:
                    logger.info("the session of the demo grows no more: %s", error)
                    return

        thread = threading.Thread(target=grow, name="growing", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
