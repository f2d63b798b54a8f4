"""c23: chat text that looks like the log's own structure."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Json

TODAY = "2026-04-12.md"


def headings(text: str, level: int) -> list[str]:
    return re.findall(rf"^ {{0,3}}#{{{level}}} .*$", text, re.MULTILINE)


def checkpoint(stage: Stage, after: timedelta = timedelta()) -> None:
    answer = stage.run("checkpoint", "--agent", "main", after=after)
    assert answer.row(agent="main")["status"] == "done"


@action("c23.1", "memory-pool main, before and after the checkpoint")
def pools(stage: Stage) -> list[Json]:
    before = stage.run("memory", "pool", "--agent", "main")
    checkpoint(stage)
    after = stage.run("memory", "pool", "--agent", "main")
    return [row["markers"] for answer in (before, after) for row in answer.data]


def count_of(tag: str) -> None:
    @expects("c23.1", f"markers > {tag}")
    def check(seen: list[Json], want: Json) -> None:
        assert [counts[tag] for counts in seen] == [want, want]


for _tag in ("DECISION", "TODO", "GOTCHA"):
    count_of(_tag)


@action("c23.2", "checkpoint main at 08:10")
def first(stage: Stage) -> dict[str, str]:
    checkpoint(stage)
    return {name: stage.read(name) for name in ("ACTIVE_CONTEXT.md", TODAY)}


@expects("c23.2", "daily_log_headings_level_3")
def one_heading(seen: dict[str, str], want: Json) -> None:
    assert headings(seen[TODAY], 3) == ["### Checkpoint 08:10 (auto)"]
    assert want == 1


@expects("c23.2", "code_fences", says="even number")
def fences_are_closed(seen: dict[str, str], want: Json) -> None:
    for text in seen.values():
        assert len(re.findall(r"^ {0,3}(?:[-*] )?(```|~~~)", text, re.MULTILINE)) % 2 == 0


equals(
    "c23.2",
    "active_context > level_1_headings",
    of=lambda seen: len(headings(seen["ACTIVE_CONTEXT.md"], 1)),
)
equals(
    "c23.2",
    "active_context > sections_named_Recent_Requests",
    of=lambda seen: headings(seen["ACTIVE_CONTEXT.md"], 2).count("## Recent Requests"),
)


@action("c23.3", "append more-lines.jsonl to the transcript, checkpoint main at 08:50")
def second(stage: Stage) -> str:
    checkpoint(stage)
    [path] = stage.sessions.glob("*.jsonl")
    with path.open("ab") as lines:
        lines.write((stage.folder / "more-lines.jsonl").read_bytes())
    checkpoint(stage, timedelta(minutes=40))
    return stage.read(TODAY)


equals("c23.3", "daily_log_headings_level_3", of=lambda seen: len(headings(seen, 3)))


@expects("c23.3", "daily_log_contains")
def contains(seen: str, want: Json) -> None:
    assert [text for text in want if text not in seen] == []
