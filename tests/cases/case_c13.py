"""c13: a SQLite store beside leftover JSONL of the same sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

MAIN = "agent:main:main"
TELEGRAM = "agent:main:telegram:direct:1001"
Listing = tuple["Answer", dict[str, "Json"]]


@action("c13.1", "list-sessions")
def list_sessions(stage: Stage) -> Listing:
    whole = {key: stage.run("session", key).data for key in (MAIN, TELEGRAM)}
    return stage.run("sessions", "--all"), whole


equals(
    "c13.1",
    f"live > {MAIN} > session",
    of=lambda seen: seen[0].row(key=MAIN, state="live")["session_id"],
)


@expects("c13.1", f"live > {MAIN} > tokens")
def main_tokens(seen: Listing, want: Json) -> None:
    assert seen[0].row(key=MAIN, state="live")["tokens"] == want
    assert seen[1][MAIN]["tokens"] == want


equals("c13.1", f"live > {MAIN} > messages", of=lambda seen: seen[1][MAIN]["messages"])
equals(
    "c13.1",
    f"live > {TELEGRAM} > session",
    of=lambda seen: seen[0].row(key=TELEGRAM, state="live")["session_id"],
)
equals("c13.1", f"live > {TELEGRAM} > messages", of=lambda seen: seen[1][TELEGRAM]["messages"])
equals(
    "c13.1",
    "archived",
    of=lambda seen: [row["session_id"] for row in seen[0].rows(state="archived")],
)
equals("c13.1", "total", of=lambda seen: len(seen[0].data))


@action("c13.2", "rotate-plan")
def rotate_plan(stage: Stage) -> Answer:
    return stage.run("rotate", "--dry-run")


@expects("c13.2", "candidates")
def candidates(seen: Answer, want: Json) -> None:
    assert seen.code == 0
    assert [row["key"] for row in seen.rows(status="planned")] == want


@action("c13.3", "search question (transcripts)")
def search(stage: Stage) -> Answer:
    stage.run("reindex")
    return stage.run("search", "--sessions", "--max-results", "50", "question")


@expects("c13.3", "distinct_hits_in")
def distinct_hits_in(seen: Answer, want: Json) -> None:
    assert seen.data["hits"]
    assert [hit for hit in seen.data["hits"] if want not in hit["path"]] == []


@expects("c13.3", "each_message_once")
def each_message_once(seen: Answer, want: Json) -> None:
    places = [(hit["path"], hit["start_line"]) for hit in seen.data["hits"]]
    assert (len(places) == len(set(places))) is want


@action("c13.4", "checkpoint main")
def checkpoint(stage: Stage) -> tuple[Answer, str]:
    live = stage.run("sessions")
    assert stage.run("checkpoint", "--agent", "main").row(agent="main")["status"] == "done"
    return live, stage.read("ACTIVE_CONTEXT.md")


@expects("c13.4", "source", says="the newest conversation in the store")
def source(seen: tuple[Answer, str], want: Json) -> None:
    newest = max(seen[0].rows(source="sqlite"), key=lambda row: str(row["updated_at"]))
    assert f"> Session: {newest['session_id']} ({newest['key']})" in seen[1]


@expects("c13.4", "active_context_contains")
def contains(seen: tuple[Answer, str], want: Json) -> None:
    assert [text for text in want if text not in seen[1]] == []
