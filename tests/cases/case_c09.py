"""c09: hundreds of cron runs, and names that merely contain 'cron'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

PEOPLE = {"main", "direct", "group", "thread"}


@action("c09.1", "list-sessions (default view)")
def list_sessions(stage: Stage) -> Answer:
    return stage.run("sessions")


@expects("c09.1", "shown_first")
def shown_first(seen: Answer, want: Json) -> None:
    assert {row["key"] for row in seen.data[: len(want)]} == set(want)


equals(
    "c09.1",
    "counts > conversation",
    of=lambda seen: len([row for row in seen.data if row["class"] in PEOPLE]),
)
equals("c09.1", "counts > cron_jobs", of=lambda seen: len(seen.rows(**{"class": "cron"})))
equals("c09.1", "counts > cron_runs", of=lambda seen: seen.envelope["left_out"]["cron_run"])
equals("c09.1", "counts > subagent", of=lambda seen: len(seen.rows(**{"class": "subagent"})))


@action("c09.2", "rotate-plan")
def rotate_plan(stage: Stage) -> Answer:
    return stage.run("rotate", "--dry-run")


@expects("c09.2", "candidates")
def candidates(seen: Answer, want: Json) -> None:
    assert {row["key"] for row in seen.rows(status="planned")} == set(want)


def skipped(seen: Answer, segment: str) -> list[str]:
    keys = [row["key"] for row in seen.rows(status="skipped", reason="class-not-rotated")]
    return [key for key in keys if key.split(":")[2] == segment]


equals("c09.2", "over_the_limit_but_skipped > cron", of=lambda seen: len(skipped(seen, "cron")))
equals(
    "c09.2", "over_the_limit_but_skipped > subagent", of=lambda seen: len(skipped(seen, "subagent"))
)


@action("c09.3", "checkpoint micron")
def checkpoint(stage: Stage) -> str:
    assert stage.run("checkpoint", "--agent", "micron").row(agent="micron")["status"] == "done"
    return (stage.home / "ws-micron" / "memory" / "ACTIVE_CONTEXT.md").read_text("utf-8")


@expects("c09.3", "active_context_contains")
def contains(seen: str, want: Json) -> None:
    assert [text for text in want if text not in seen] == []
