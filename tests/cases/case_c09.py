"""c09: hundreds of cron runs, and names that merely contain 'cron'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

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


@expects("c09.1", "counts > conversation")
def conversations(seen: Answer, want: Json) -> None:
    assert len([row for row in seen.data if row["class"] in PEOPLE]) == want


@expects("c09.1", "counts > cron_jobs")
def cron_jobs(seen: Answer, want: Json) -> None:
    assert len(seen.rows(**{"class": "cron"})) == want


@expects("c09.1", "counts > cron_runs")
def cron_runs(seen: Answer, want: Json) -> None:
    assert seen.envelope["left_out"]["cron_run"] == want


@expects("c09.1", "counts > subagent")
def subagents(seen: Answer, want: Json) -> None:
    assert len(seen.rows(**{"class": "subagent"})) == want


@action("c09.2", "rotate-plan")
def rotate_plan(stage: Stage) -> Answer:
    return stage.run("rotate", "--dry-run")


@expects("c09.2", "candidates")
def candidates(seen: Answer, want: Json) -> None:
    assert {row["key"] for row in seen.rows(status="planned")} == set(want)


def skipped(seen: Answer, segment: str) -> list[str]:
    keys = [row["key"] for row in seen.rows(status="skipped", reason="class-not-rotated")]
    return [key for key in keys if key.split(":")[2] == segment]


@expects("c09.2", "over_the_limit_but_skipped > cron")
def cron_is_skipped(seen: Answer, want: Json) -> None:
    assert len(skipped(seen, "cron")) == want


@expects("c09.2", "over_the_limit_but_skipped > subagent")
def subagent_is_skipped(seen: Answer, want: Json) -> None:
    assert len(skipped(seen, "subagent")) == want


@action("c09.3", "checkpoint micron")
def checkpoint(stage: Stage) -> str:
    assert stage.run("checkpoint", "--agent", "micron").row(agent="micron")["status"] == "done"
    return (stage.home / "ws-micron" / "memory" / "ACTIVE_CONTEXT.md").read_text("utf-8")


@expects("c09.3", "active_context_contains")
def contains(seen: str, want: Json) -> None:
    assert [text for text in want if text not in seen] == []
