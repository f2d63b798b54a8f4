"""What the four recorded homes hold, by their READMEs and by looking into them by hand."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-27T22:10:00+00:00"
"""Just after the last thing that happened in any of them."""

_GROUP = "telegram:group:-1001234567890"
_DASHBOARD = "agent:main:dashboard"


@dataclass(frozen=True, slots=True)
class Facts:
    """One release.

    Attributes:
        sessions_era: `files` or `sqlite`.
        tokens: Live session key to (tokens, token state).
        due: Keys that rotation would take.
        archived: How many archives there are.
        orphans: Ids of transcripts that nobody names.
        backups: How many copies of a transcript's past there are.
        pools: Agent to (files, bytes) of its memory.
        markers: Agent to its counts above zero.
        said: Agent to something its newest conversation says.
    """

    release: str
    sessions_era: str
    cron_era: str
    tokens: dict[str, tuple[int | None, str]]
    archived: int
    backups: int
    pools: dict[str, tuple[int, int]]
    said: dict[str, str]
    due: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    markers: dict[str, dict[str, int]] = field(default_factory=lambda: {"main": {}, "work": {}})


CLAWDBOT_2026_1 = Facts(
    release="clawdbot-2026.1",
    sessions_era="files",
    cron_era="files",
    tokens={
        "agent:main:nope": (None, "unknown"),
        "main": (11404, "fresh"),
        "agent:main:main": (11629, "fresh"),
        "agent:main:subagent:583a3dd2-d99d-4ced-91f7-66707dbacd0d": (7436, "fresh"),
        f"agent:main:{_GROUP}": (0, "fresh"),
        f"agent:main:{_GROUP}:topic:42": (11393, "fresh"),
        "agent:main:cron:96a8d851-e188-497e-a5e6-b3ee0832f29e": (11416, "fresh"),
        "agent:main:compactme": (24137, "fresh"),
        "agent:work:main": (11817, "fresh"),
    },
    archived=1,
    backups=1,
    orphans=(
        "7e3aeea3-acbd-4dca-86ca-19214749598c",
        "85cde2dd-4eb2-4916-afa6-fe6c6f92133e",
        "8a19c6c4-70c3-4460-92fa-256c8d478cff",
    ),
    pools={"main": (5, 7880), "work": (2, 180)},
    said={},
)
OPENCLAW_2026_3 = Facts(
    release="openclaw-2026.3",
    sessions_era="files",
    cron_era="files",
    tokens={
        "agent:main:nope": (None, "unknown"),
        "agent:main:main": (15034, "fresh"),
        "agent:main:subagent:9d7f80bb-3927-493d-a5a1-aca45e6b7bb9": (10332, "fresh"),
        f"agent:main:{_GROUP}": (0, "fresh"),
        f"agent:main:{_GROUP}:topic:42": (14800, "fresh"),
        "agent:main:cron:760dfde8-18f9-4d34-86a2-e5a375bb0fd6": (13492, "fresh"),
        # Its counters were removed when its lines were cut; the transcript still tells.
        "agent:main:compactme": (31774, "estimated"),
        # Flagged as not fresh after a cancelled compaction, and without a number.
        "agent:work:main": (15308, "estimated"),
    },
    archived=3,
    backups=1,
    pools={"main": (6, 8824), "work": (2, 180)},
    said={},
)
OPENCLAW_2026_7 = Facts(
    release="openclaw-2026.7",
    sessions_era="files",
    cron_era="sqlite",
    tokens={
        "agent:main:nope": (None, "unknown"),
        "agent:main:main": (21318, "fresh"),
        "agent:main:subagent:212af67a-51b6-46cd-b766-e093aa726a99": (12885, "fresh"),
        f"agent:main:{_GROUP}": (0, "fresh"),
        f"agent:main:{_GROUP}:topic:42": (21303, "fresh"),
        "agent:main:cron:28d2c3b3-2249-4f69-83c1-99d32c3d1717": (20649, "fresh"),
        "agent:main:compactme": (8439, "fresh"),
        # Compacted right after this count, and not counted since: 21,823 were there before.
        "agent:work:main": (21807, "suspect"),
    },
    archived=4,
    backups=1,
    pools={"main": (6, 1283), "work": (3, 180)},
    said={},
)
OPENCLAW_2026_9 = Facts(
    release="openclaw-2026.9",
    sessions_era="sqlite",
    cron_era="sqlite",
    tokens={
        "agent:main:main": (152940, "fresh"),
        f"{_DASHBOARD}:1a0008d5-f589-4fcd-9729-0d6200865169": (128400, "stale"),
        f"{_DASHBOARD}:d12e0f93-73dc-45d2-be5a-73d30cb2b876": (21400, "fresh"),
        f"{_DASHBOARD}:dbaf3b40-9814-44cc-9c8a-a5149b56967a": (0, "fresh"),
        f"{_DASHBOARD}:c7a416fe-b075-41e1-a854-7632fae111bc": (None, "unknown"),
        f"{_DASHBOARD}:1a4b516f-74af-4253-a975-39b19863e40c": (61000, "fresh"),
        "agent:work:main": (202, "fresh"),
        f"agent:work:{_GROUP}": (15200, "fresh"),
        "agent:work:dashboard:helpers": (0, "fresh"),
        "agent:work:subagent:5a5c9799-4b8e-4fde-8270-adb0af567588": (8800, "fresh"),
        "agent:work:cron:eb2435c7-7afe-4a43-861d-b426e73178ca": (12345, "fresh"),
    },
    archived=4,  # "Old log review" among them: its entry is there, and archived
    backups=0,
    pools={"main": (5, 1125), "work": (2, 173)},
    said={"main": "Wait before you answer"},
    due=("agent:main:main",),
    markers={"main": {"DECISION": 2, "TODO": 1, "FACT": 3}, "work": {"DECISION": 1}},
)
RELEASES = (CLAWDBOT_2026_1, OPENCLAW_2026_3, OPENCLAW_2026_7, OPENCLAW_2026_9)


def give_times_back(state: Path) -> None:
    """Set each transcript's file time to its last record, since git keeps none."""
    for path in state.glob("agents/*/sessions/*.jsonl*"):
        stamps = re.findall(rb'"timestamp":"([0-9TZ:.-]+)"', path.read_bytes())
        if stamps:
            at = datetime.fromisoformat(stamps[-1].decode()).timestamp()
            os.utime(path, (at, at))


def program_for(state: Path) -> Program:
    """Return memconsole in the operator's home, just after the recording."""
    return Program({"HOME": str(state.parent), "TZ": "UTC", "MEMCONSOLE_NOW": NOW})
