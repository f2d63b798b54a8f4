"""What the agents of the demo said and wrote down: files in `content/`, read as they are."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = Path(__file__).parent / "content"
_DAY = re.compile(rb"\{d(\d+)\}")

DAILY = "daily.md"
"""Sections of an agent's daily logs; every other file of its folder is a note as it is."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of a session.

    Attributes:
        kind: `U` a person, `I` a person with a picture, `A` the agent, `T` a tool.
        text: What was said, or the tool's name.
        call: A tool's arguments, as JSON.
        result: What the tool answered; `@name` in a session stands for one of the agent's notes.
    """

    kind: str
    text: str
    call: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a daily log: its title, and the lines below it."""

    title: str
    lines: tuple[str, ...]


def conversations(agent_id: str) -> dict[str, tuple[Turn, ...]]:
    """Return the sessions of an agent by name."""
    found: dict[str, list[Turn]] = {}
    turns: list[Turn] = []
    text = (_FOLDER / "conversations" / f"{agent_id}.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("## "):
            turns = found.setdefault(line.removeprefix("## "), [])
        elif line[1:3] == ": ":
            turns.append(_turn(agent_id, line[0], line[3:].replace("\\n", "\n")))
    return {name: tuple(turns) for name, turns in found.items()}


def _turn(agent_id: str, kind: str, text: str) -> Turn:
    if kind != "T":
        return Turn(kind, text)
    name, call, result = text.split(" ¦ ", 2)
    if result.startswith("@"):
        result = (_FOLDER / "notes" / agent_id / result[1:]).read_text("utf-8")
    # In a call a line end stays escaped: it is JSON.
    return Turn(kind, name, call.replace("\n", "\\n"), result)


def sections(agent_id: str) -> tuple[Section, ...]:
    """Return the sections that an agent's daily logs are made of."""
    text = (_FOLDER / "notes" / agent_id / DAILY).read_text("utf-8")
    return tuple(
        Section(title, tuple(lines))
        for title, *lines in (part.splitlines() for part in text.split("## ")[1:])
    )


def notes(agent_id: str, today: date) -> Iterator[tuple[str, bytes]]:
    """Yield (path in the workspace, bytes) of an agent's notes.

    `{d12}` in a note is the date twelve days before `today`.
    """

    def day(found: re.Match[bytes]) -> bytes:
        return (today - timedelta(days=int(found[1]))).isoformat().encode()

    root = _FOLDER / "notes" / agent_id
    for path in sorted(root.rglob("*.md")):
        name = path.relative_to(root).as_posix()
        if name != DAILY:
            yield name, _DAY.sub(day, path.read_bytes())
