"""Writes an agent's workspace: its notes as they are, and weeks of daily logs."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from memconsole.demo import content
from memconsole.demo.records import uuid_of
from memconsole.demo.stores import write_file
from memconsole.text.markdown import quote_line

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence
    from datetime import date
    from pathlib import Path

    from memconsole.demo.cast import AgentPlan, Stage
    from memconsole.demo.content import Section, Turn

LESSONS = b"{lessons}"
"""Stands in a note for the marked lines of everybody's daily logs."""

MAX_LESSON_CHARS = 9_300
"""With it the long-term memory of `main` comes near to what the platform loads of it."""

_SATURDAY = 5
_QUOTED = 200


def write_workspace(folder: Path, stage: Stage, agent: AgentPlan, lessons: str) -> None:
    """Write one workspace.

    Args:
        folder: Made here.
        stage: When it plays.
        agent: Whose it is.
        lessons: What `{lessons}` in a note stands for.
    """
    chance = stage.chance(agent.id)
    for name, data in content.notes(agent.id, stage.today):
        at = stage.now - timedelta(days=chance.randrange(1, 20), minutes=chance.randrange(600))
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():  # `memory.md` beside MEMORY.md, where that is the same file
            write_file(path, data.replace(LESSONS, lessons.encode()), at)
    _write_logs(folder / "memory", stage, agent, chance)


def _write_logs(folder: Path, stage: Stage, agent: AgentPlan, chance: random.Random) -> None:
    """Write a log for each working day, the sections of the agent spread over them."""
    days = [
        day
        for back in range(agent.log_days, 0, -1)
        if (day := stage.today - timedelta(days=back)).weekday() < _SATURDAY
    ]
    sections: dict[date, list[Section]] = {}
    for section in content.sections(agent.id):
        sections.setdefault(chance.choice(days), []).append(section)
    conversations = tuple(content.conversations(agent.id).items())
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for day in days:
        at = datetime.combine(day, time(8, chance.randrange(60)), stage.zone)
        lines = [f"# {agent.id} — {day.isoformat()}", ""]
        for section in sections.get(day, ()):
            lines += [f"## {_clock(at)} - {section.title}", "", *section.lines, ""]
            at += timedelta(minutes=chance.randrange(50, 180))
        for _, conversation in chance.sample(conversations, k=chance.randrange(1, 4)):
            lines += checkpoint_lines(agent.id, conversation, at)
            at += timedelta(minutes=chance.randrange(20, 120))
        write_file(folder / f"{day.isoformat()}.md", "\n".join(lines).encode(), at)
    for name, conversation in conversations:
        hour = time(chance.randrange(15, 21), chance.randrange(60))
        at = datetime.combine(chance.choice(days), hour, stage.zone)
        text = summary_of(agent.id, name, conversation, at)
        write_file(folder / f"{at:%Y-%m-%d}-{name}.md", text.encode(), at)


def checkpoint_lines(agent_id: str, conversation: Sequence[Turn], at: datetime) -> list[str]:
    """Return an entry as our own checkpoints write it."""
    asked = [turn.text for turn in conversation if turn.kind in "UI"]
    said = [turn.text for turn in conversation if turn.kind == "A"]
    count = f"{len(asked) + len(said)} messages ({len(asked)} user, {len(said)} assistant)"
    return [
        f"### Checkpoint {at:%H:%M} (auto)",
        "",
        f"- Session: `{uuid_of(agent_id, at.isoformat())[:8]}` ({agent_id}) — {count}",
        f"- Last request: {_cut(asked[-1])}",
        f"- Last output: {_cut(said[-1])}",
        "",
    ]


def summary_of(agent_id: str, name: str, conversation: Iterable[Turn], at: datetime) -> str:
    """Return a note as the platform's `session-memory` hook leaves it."""
    spoken = {"U": "user", "I": "user", "A": "assistant"}
    lines = [
        f"# Session: {at:%Y-%m-%d %H:%M}",
        "",
        f"- **Session Key**: agent:{agent_id}:main",
        f"- **Session ID**: {uuid_of(agent_id, name)}",
        "- **Source**: telegram",
        "",
        "## Conversation Summary",
        "",
        *(f"{spoken[turn.kind]}: {turn.text}\n" for turn in conversation if turn.kind in spoken),
    ]
    return "\n".join(lines)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return quote_line(line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…")


def _clock(at: datetime) -> str:
    """Return the time as agents write it: `9:05 AM`."""
    return f"{at.hour % 12 or 12}:{at.minute:02} {'AM' if at.hour < 12 else 'PM'}"


def lessons_of(agents: Iterable[AgentPlan]) -> str:
    """Return the marked lines of all daily logs, as one long list that an agent kept."""
    lines = [
        f"- {line.removeprefix('- ')} ({agent.name}, {section.title.lower()})"
        for agent in agents
        for section in content.sections(agent.id)
        for line in section.lines
        if line.startswith("- [")
    ]
    kept, size = [], 0
    for line in lines:
        size += len(line) + 1
        if size > MAX_LESSON_CHARS:
            break
        kept.append(line)
    return "\n".join(kept)
