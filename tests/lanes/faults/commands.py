"""The commands of the lane: what each is called with, and what comes before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.lanes.faults.world import (
    KEY,
    PLAN,
    World,
    end_talk,
    id_of,
    keep_copies,
    leave_empty_notes,
    leave_packed,
    settle_on_mcp,
    switch_on,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Trial:
    """One command of the lane.

    Attributes:
        arguments: The command line; a callable asks the prepared home for ids.
        prepare: Commands that run healthy before it, and changes of the home.
        may_change: Beginnings of paths below the platform's home that the command is for.
        erases: Words that are nowhere below the home once it is done.
        is_undoable: `memory undo` takes it back.
        falls_back_on: Files that it writes only where a step failed, and says so.
    """

    name: str
    arguments: tuple[str, ...] | Callable[[World], tuple[str, ...]]
    prepare: tuple[tuple[str, ...] | Callable[[World], object], ...] = ()
    may_change: tuple[str, ...] = ()
    erases: str | None = None
    is_undoable: bool = False
    falls_back_on: tuple[str, ...] = ()

    def words(self, world: World) -> tuple[str, ...]:
        """Return the command line in a prepared home."""
        return self.arguments if isinstance(self.arguments, tuple) else self.arguments(world)


_ADD_PLAN = ("memory", "add", PLAN)
_ADD = ("memory", "add", "Ada keeps the spare keys in the blue cabinet")
_LONG = "MEMORY.md"
_CLEANUP = ("cleanup", "--older-than", "1m", "--uncaptured", "--yes")
_UNDO_CLEANUP = ("cleanup", "--undo", "--yes")
_ENDED = "agents/main/sessions/7f3a2c11-"
_OFFER = ("hooks", "install", "--mcp")


def _forget(*options: str) -> Callable[[World], tuple[str, ...]]:
    return lambda world: ("memory", "forget", id_of(world, _LONG, PLAN), "--yes", *options)


TRIALS = (
    Trial("checkpoint", ("checkpoint",)),
    Trial("observe", ("observe", "--flush")),
    Trial("flush", ("flush", KEY)),
    Trial("summarize", ("summarize", KEY)),
    Trial("reflect", ("reflect", "--force", "--yes"), is_undoable=True),
    Trial(
        "reflect --undo",
        ("reflect", "--undo", "--yes"),
        prepare=(("reflect", "--force", "--yes"),),
    ),
    Trial("memory add", _ADD, is_undoable=True),
    Trial("memory add --daily", (*_ADD, "--daily"), is_undoable=True),
    Trial("memory forget", _forget(), prepare=(_ADD_PLAN,), is_undoable=True),
    Trial(
        "memory forget --hard",
        _forget("--hard"),
        prepare=(_ADD_PLAN, keep_copies, ("reindex",)),
        may_change=(f"{_ENDED}0b1c-4d2e-8f3a-555566667777.jsonl.gz",),
        erases=PLAN,
    ),
    Trial("undo of add", ("memory", "undo"), prepare=(_ADD,)),
    Trial("undo of forget", ("memory", "undo"), prepare=(_ADD_PLAN, _forget())),
    Trial(
        "undo of consolidate",
        ("memory", "undo"),
        prepare=(("consolidate", "--apply", "--yes"),),
    ),
    Trial(
        "promote",
        lambda world: ("memory", "promote", id_of(world, "memory/2026-01-20.md", "Port 8443")),
        prepare=(("reindex",), ("search", "which port has the gateway", "--min-score", "0")),
        is_undoable=True,
    ),
    Trial("memory tidy", ("memory", "tidy"), prepare=(leave_empty_notes,), is_undoable=True),
    Trial("undo of tidy", ("memory", "undo"), (leave_empty_notes, ("memory", "tidy"))),
    Trial("consolidate", ("consolidate", "--apply", "--yes"), is_undoable=True),
    Trial("index-md", ("index-md", "--force")),
    Trial("reindex", ("reindex",)),
    Trial("reindex again", ("reindex", "--full"), prepare=(("reindex",), _ADD)),
    Trial(
        "recover",
        ("recover",),
        prepare=(("recover",), end_talk),
        falls_back_on=(".openclaw/workspace/memory/2026-01-26.md",),
    ),
    Trial(
        "recover --session",
        ("recover", "--session", KEY),
        prepare=(("recover",), end_talk),
        falls_back_on=(".openclaw/workspace/memory/2026-01-26.md",),
    ),
    Trial("restore", ("restore", KEY), prepare=(("recover",), end_talk), is_undoable=True),
    Trial("rotate", ("rotate", KEY, "--yes")),
    Trial("compact", ("compact", KEY, "--yes")),
    Trial("hooks install", ("hooks", "install"), may_change=("hooks",)),
    Trial(
        "hooks remove",
        ("hooks", "remove"),
        prepare=(("hooks", "install"), switch_on),
        may_change=("hooks", "openclaw.json"),
    ),
    Trial("hooks install --mcp", _OFFER, prepare=(settle_on_mcp,), may_change=("openclaw.json",)),
    Trial(
        "hooks remove --mcp",
        ("hooks", "remove", "--mcp"),
        prepare=(settle_on_mcp, _OFFER),
        may_change=("openclaw.json",),
    ),
    Trial("config fix", ("config", "fix", "--apply", "--yes"), may_change=("openclaw.json",)),
    Trial("cleanup", _CLEANUP, prepare=(end_talk,), may_change=(_ENDED,)),
    Trial("cleanup of packed ones", _CLEANUP, prepare=(leave_packed,), may_change=(_ENDED,)),
    Trial("cleanup --undo", _UNDO_CLEANUP, (end_talk, _CLEANUP), may_change=(_ENDED,)),
    Trial(
        "cleanup --undo of packed ones",
        _UNDO_CLEANUP,
        prepare=(leave_packed, _CLEANUP),
        may_change=(_ENDED,),
    ),
    Trial("logs rotate", ("logs", "rotate"), may_change=("logs",)),
    Trial("report", lambda world: ("report", "--output", str(world.home / "report.md"), "--yes")),
    Trial("alerts test", ("alerts", "test")),
)
