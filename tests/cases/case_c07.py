"""c07: side files, archives, orphans and entries without a transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

LIVE = {
    "agent:main:main": "present",
    "agent:main:telegram:group:-100500:topic:42": "present",
    # It had 12,000 tokens, so its transcript is gone rather than never written.
    "agent:main:discord:channel:77": "missing",
    "agent:main:webchat:direct:9": "none",
}
PACKED = "cd73a262-8cba-58ba-87f8-1afc90f9dcb3"
ARCHIVED = {
    "33363ebe-89e3-50c6-a7b9-1b501a32224c",
    "83b08207-45fc-50b5-8fb4-c671211447d8",
    PACKED,
}


@action("c07.1", "list-sessions")
def list_sessions(stage: Stage) -> tuple[Answer, Answer]:
    return stage.run("sessions", "--all"), stage.run("transcript", PACKED)


def live_session(key: str) -> None:
    @expects("c07.1", f"live > {key}", says=None if LIVE[key] == "present" else "no transcript")
    def check(seen: tuple[Answer, Answer], want: Json) -> None:
        row = seen[0].row(key=key, state="live")
        assert row["transcript"] == LIVE[key]
        if LIVE[key] == "present":
            assert row["session_id"] == want


for _key in LIVE:
    live_session(_key)


equals("c07.1", "live_count", of=lambda seen: len(seen[0].rows(state="live")))


@expects("c07.1", "archived_count")
def archived_count(seen: tuple[Answer, Answer], want: Json) -> None:
    archived = seen[0].rows(state="archived")
    assert {row["session_id"] for row in archived} == ARCHIVED
    assert len(archived) == want


@expects("c07.1", "packed", says="the .zst archive is listed, and read or named as packed")
def packed(seen: tuple[Answer, Answer], want: Json) -> None:
    assert seen[0].row(session_id=PACKED)["state"] == "archived"
    assert seen[1].code == 0
    assert [row["text"] for row in seen[1].data] == ["PACKED note"]


@expects("c07.1", "orphans")
def orphans(seen: tuple[Answer, Answer], want: Json) -> None:
    rows = seen[0].rows(state="orphan")
    assert [row["session_id"] for row in rows] == want
    assert [row["key"] for row in rows] == [None]


@expects("c07.1", "not_sessions")
def not_sessions(seen: tuple[Answer, Answer], want: Json) -> None:
    ids = [row["session_id"] for row in seen[0].data]
    assert len(ids) == len(set(ids)) == 8
    assert [word for word in want for found in ids if word in found] == []
    assert seen[0].envelope["left_out"]["backup"] == 2  # the .bak and the .checkpoint copy


@action("c07.2", "checkpoint main")
def checkpoint(stage: Stage) -> str:
    assert stage.run("checkpoint", "--agent", "main").row(agent="main")["status"] == "done"
    return stage.read("ACTIVE_CONTEXT.md")


@expects("c07.2", "source_session")
def source_session(seen: str, want: Json) -> None:
    assert f"> Session: {want} (agent:main:main)" in seen


@expects("c07.2", "active_context_contains")
def contains(seen: str, want: Json) -> None:
    assert [text for text in want if text not in seen] == []


@expects("c07.2", "active_context_excludes")
def excludes(seen: str, want: Json) -> None:
    assert [text for text in want if text in seen] == []


@action("c07.3", "search boiler (transcripts)")
def search(stage: Stage) -> Answer:
    stage.run("reindex")
    return stage.run("search", "--sessions", "boiler")


@expects(
    "c07.3",
    "hits_from",
    says="the reset archive, marked archived, at most once",
)
def hits_from(seen: Answer, want: Json) -> None:
    [hit] = seen.data["hits"]
    assert hit["archived"]
    assert "33363ebe-89e3-50c6-a7b9-1b501a32224c" in hit["path"]


@action("c07.4", "any command")
def any_command(stage: Stage) -> tuple[list[str], list[str]]:
    before = sorted(path.name for path in stage.sessions.rglob("*"))
    for arguments in (
        ("status",),
        ("sessions", "--all"),
        ("session", "agent:main:main"),
        ("transcript", PACKED),
        ("checkpoint", "--force"),
        ("rotate", "--dry-run"),
    ):
        assert stage.run(*arguments).code == 0, arguments
    return before, sorted(path.name for path in stage.sessions.rglob("*"))


@expects("c07.4", "deletes_or_renames", says="nothing in this folder")
def deletes_nothing(seen: tuple[list[str], list[str]], want: Json) -> None:
    assert seen[0] == seen[1]
