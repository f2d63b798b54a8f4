"""c71: sessions still in the folder from before there were agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action("c71.1", "list-sessions")
def sessions(stage: Stage) -> Answer:
    return stage.run("sessions", "--all")


@expects("c71.1", "agent:main:main", says="listed with 151000 tokens")
def listed_or_told(seen: Answer, want: Json) -> None:
    assert seen.rows(key="agent:main:main") == []  # the other choice: a warning
    assert "store-unreadable" in seen.warning_codes()


@expects("c71.1", "or", says="a warning or exit 3 that names the folder `sessions`")
def warning(seen: Answer, want: Json) -> None:
    [told] = [one for one in seen.warnings if one["code"] == "store-unreadable"]
    assert told["path"].endswith("/.openclaw/sessions/sessions.json")
    assert "holds 2 sessions from before there were agents" in told["message"]


@action("c71.2", "status; health")
def both(stage: Stage) -> tuple[Answer, Answer]:
    return stage.run("status"), stage.run("health")


@expects("c71.2", "says", says="the same; not only 'no sessions'")
def says_the_same(seen: tuple[Answer, Answer], want: Json) -> None:
    status, health = seen
    said = "holds 2 sessions from before there were agents"
    assert any(said in one["message"] for one in status.warnings)
    [check] = [one for one in health.data["checks"] if one["id"] == "stores"]
    assert check["status"] == "unknown"
    assert said in check["message"]
