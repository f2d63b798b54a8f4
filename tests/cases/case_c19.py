"""c19: the last sixty lines are all heartbeats."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Json

TODAY = "2026-04-12.md"


def checkpoint(stage: Stage, after: timedelta = timedelta()) -> dict[str, str]:
    answer = stage.run("checkpoint", "--agent", "main", after=after)
    assert answer.code == 0
    return {name: stage.read(name) for name in ("ACTIVE_CONTEXT.md", TODAY)}


@action("c19.1", "checkpoint main")
def first(stage: Stage) -> dict[str, str]:
    return checkpoint(stage)


@expects("c19.1", "active_context_contains")
def contains(seen: dict[str, str], want: Json) -> None:
    assert [text for text in want if text not in seen["ACTIVE_CONTEXT.md"]] == []


@expects("c19.1", "active_context_excludes")
def excludes(seen: dict[str, str], want: Json) -> None:
    assert [text for text in want if text in seen["ACTIVE_CONTEXT.md"]] == []


@action("c19.2", "checkpoint main, 30 minutes and one more heartbeat pair later")
def later(stage: Stage) -> tuple[dict[str, str], dict[str, str]]:
    before = checkpoint(stage)
    add_heartbeat(stage)
    return before, checkpoint(stage, timedelta(minutes=30))


def add_heartbeat(stage: Stage) -> None:
    """Repeat the last pair, hung on the last record as the platform does."""
    [path] = stage.sessions.glob("*.jsonl")
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    parent = records[-1]["id"]
    with path.open("a", encoding="utf-8") as lines:
        for number, record in enumerate(records[-2:]):
            record |= {"id": f"fff{number}", "parentId": parent}
            record["timestamp"] = f"2026-04-12T17:1{number}:00.000Z"
            parent = record["id"]
            lines.write(json.dumps(record) + "\n")


@expects("c19.2", "daily_log")
def daily_log(seen: tuple[dict[str, str], dict[str, str]], want: Json) -> None:
    assert want == "unchanged"
    assert seen[0][TODAY] == seen[1][TODAY]


@expects("c19.2", "ACTIVE_CONTEXT.md", says="still names the plumber")
def still_names_the_plumber(seen: tuple[dict[str, str], dict[str, str]], want: Json) -> None:
    assert "find a plumber for Tuesday" in seen[1]["ACTIVE_CONTEXT.md"]
