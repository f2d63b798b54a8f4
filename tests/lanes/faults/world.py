"""A home in which every command of the lane has something to do."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.lanes.home import make_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.lanes.faults.process import Result

KEY = "agent:main:main"
TOKEN = "EXAMPLE-gateway-token-000"
PLAN = "The lighthouse keeper moves to Osterholz in March"
"""What `memory forget --hard` has to make disappear."""

NEXT = "5b1d9a20-77aa-4c1e-9f00-222233334444"
_CONFIG = """\
timezone = "UTC"
[search]
provider = "none"
[consolidate]
search_log = true
token_target = 1
[reflector]
word_threshold = 20
[index_md]
min_pool_bytes = 100
[log_rotation]
max_bytes = 5000
"""

_MEMORY = """\
# Memory

## Notes

- DECISION: SQLite in WAL mode
- The build needs ninja
"""

_OBSERVATIONS = """\
# Observations

Date: 2025-12-10

- 🟢 09:00 Lunch was at noon <!-- dc:type=event dc:importance=1.0 mc:id=o-1111aaaa -->
- 🟢 09:05 Lunch was at noon <!-- dc:type=event dc:importance=1.0 mc:id=o-1111aaab -->
- 🟡 10:00 The rack is upstairs <!-- dc:type=fact dc:importance=5.0 mc:id=o-2222aaaa -->

Date: 2026-01-24

- 🔴 11:00 Never push on a Friday <!-- dc:type=rule dc:importance=9.0 mc:id=o-3333aaaa -->
- 🟡 11:05 Ada prefers tea <!-- dc:type=preference dc:importance=5.5 mc:id=o-4444aaaa -->
"""


@dataclass(frozen=True, slots=True)
class World:
    """One home, and how memconsole is run in it."""

    home: Path
    run: Callable[..., Result]

    @property
    def state(self) -> Path:
        """The platform's home."""
        return self.home / ".openclaw"


def id_of(world: World, path: str, words: str) -> str:
    """Return the id of the entry that says something."""
    rows = json.loads(world.run("--json", "memory", "show", path).out)["data"]
    return str(next(row["id"] for row in rows if words in row["text"]))


def keep_copies(world: World) -> None:
    """Leave copies of the plan where we keep what was taken out, and in a packed transcript."""
    leave_packed(world, PLAN)
    memory = world.state / "workspace" / "memory"
    for path in ("archive/observations/2026-01-02.md", "observation-backups/observations-1.md"):
        place = memory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# Kept\n\n- 🟡 10:00 {PLAN}\n- 🟡 11:00 Something else\n")


def leave_empty_notes(world: World) -> None:
    """Leave daily notes of last year that hold nothing."""
    memory = world.state / "workspace" / "memory"
    (memory / "2025-11-03.md").write_text("# main — 2025-11-03\n\n")
    (memory / "2025-11-04.md").write_text("")


def end_talk(world: World) -> None:
    """Let the platform begin the main session anew: its transcript becomes an archive."""
    sessions = world.state / "agents" / "main" / "sessions"
    store = json.loads((sessions / "sessions.json").read_text())
    old = store["agent:main:main"]["sessionId"]
    (sessions / f"{old}.jsonl").rename(sessions / f"{old}.jsonl.reset.2026-01-26T13-15-00.000Z")
    store["agent:main:main"] = {"sessionId": NEXT, "updatedAt": 1_769_433_300_000}
    (sessions / "sessions.json").write_text(json.dumps(store))


def leave_packed(world: World, words: str = "") -> None:
    """Leave a transcript that was packed last year, in which somebody says some words."""
    sessions = world.state / "agents" / "main" / "sessions"
    path = sessions / "7f3a2c11-0b1c-4d2e-8f3a-555566667777.jsonl.gz"
    said = json.dumps({"type": "message", "message": {"role": "user", "content": words}})
    text = f'{{"type":"session"}}\n{said}\n' if words else '{"type":"session"}\n'
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    os.utime(path, (1_762_000_000, 1_762_000_000))


def switch_on(world: World) -> None:
    """Do as the platform's own command does when an operator switches our hooks on."""
    path = world.state / "openclaw.json"
    settings = json.loads(path.read_text())
    names = ("memory-index-inject", "session-summary", "memory-flush", "session-memory")
    entries = {name: {"enabled": True} for name in names}
    settings["hooks"] = {"internal": {"enabled": True, "entries": entries}}
    path.write_text(json.dumps(settings, indent=2))


def settle_on_mcp(world: World) -> None:
    """Let a release with MCP servers have written the configuration, and another agent be there."""
    path = world.state / "openclaw.json"
    settings = json.loads(path.read_text())
    settings["meta"] = {"lastTouchedVersion": "2026.9.2"}
    settings["agents"]["entries"] = {"main": {}, "ops": {"tools": {"deny": ["browser"]}}}
    path.write_text(json.dumps(settings, indent=2))


def gateway_row() -> dict[str, object]:
    """Return the main session as a Gateway lists it."""
    return {
        "key": KEY,
        "sessionId": "7f3a2c11-0b1c-4d2e-8f3a-111122223333",
        "updatedAt": 1_769_433_000_000,
        "totalTokens": 151_200,
        "totalTokensFresh": True,
        "contextTokens": 200_000,
    }


def make_world(home: Path) -> None:
    """Write an operator's home below a folder that does not exist yet."""
    home.mkdir()
    state = make_home(home)
    config = home / ".config" / "memconsole"
    config.mkdir(parents=True, mode=0o700)
    (config / "config.toml").write_text(_CONFIG)
    (config / "config.toml").chmod(0o600)
    sessions = state / "agents" / "main" / "sessions" / "sessions.json"
    store = json.loads(sessions.read_text())
    store[KEY]["sessionStartedAt"] = 1_769_430_000_000  # by which a reset is proven
    sessions.write_text(json.dumps(store))
    (state / "openclaw.json").write_text(
        json.dumps({"agents": {"defaults": {"compaction": {"mode": "safe"}}}}, indent=2)
    )
    workspace = state / "workspace"
    (workspace / "MEMORY.md").write_text(_MEMORY)
    (workspace / "memory" / "2026-01-20.md").write_text(
        "# main — 2026-01-20\n\n## 09:00 - Note\n\n- [DECISION] Port 8443 is the gateway\n"
    )
    (workspace / "memory" / "observations.md").write_text(_OBSERVATIONS)
    (state / "logs").mkdir()
    (state / "logs" / "gateway.log").write_text("a line of the gateway\n" * 300)
    alerts = home / ".local" / "state" / "memconsole" / "health"
    alerts.mkdir(parents=True, mode=0o700)
    (alerts / "alerts.log").write_text('{"at": "2026-01-25T00:00:00+00:00"}\n' * 150)
    (alerts / "alerts.log").chmod(0o600)
