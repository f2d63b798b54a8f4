"""c05: the last line alone is bigger than the tail window."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

MAIN = "agent:main:main"
NOTE = "a short note, e.g. [image/png, 717 KB]"


def longest_base64(text: str) -> int:
    return max((len(run) for run in re.findall(r"[A-Za-z0-9+/=]+", text)), default=0)


@action("c05.1", "checkpoint main")
def checkpoint(stage: Stage) -> str:
    assert stage.run("checkpoint", "--agent", "main").row(agent="main")["status"] == "done"
    return stage.read("ACTIVE_CONTEXT.md")


@expects("c05.1", "active_context_contains")
def contains(seen: str, want: Json) -> None:
    assert [text for text in want if text not in seen] == []


@expects("c05.1", "active_context_max_bytes")
def max_bytes(seen: str, want: Json) -> None:
    assert len(seen.encode()) <= want


@expects("c05.1", "no_run_of_base64_longer_than")
def no_base64(seen: str, want: Json) -> None:
    assert longest_base64(seen) <= want


@expects("c05.1", "mentions")
def mentions(seen: str, want: Json) -> None:
    assert want in seen


@action("c05.2", f"render {MAIN} last message")
def render(stage: Stage) -> tuple[Answer, Answer]:
    return stage.run("transcript", MAIN), stage.say("transcript", MAIN)


@expects("c05.2", "shows", says="what is wrong with this chart?")
def shows(seen: tuple[Answer, Answer], want: Json) -> None:
    answer, shown = seen
    assert want in shown.out
    assert [row for row in answer.rows(role="user") if row["text"] == want]


@expects("c05.2", "picture_shown_as", says=NOTE)
def picture_is_a_note(seen: tuple[Answer, Answer], want: Json) -> None:
    answer, shown = seen
    assert "image/png, 717 KB" in shown.out
    notes = [note for row in answer.data for note in row["attachments"]]
    assert "image/png, 717 KB" in notes


@expects("c05.2", "no_run_of_base64_longer_than")
def no_base64_shown(seen: tuple[Answer, Answer], want: Json) -> None:
    assert max(longest_base64(answer.out) for answer in seen) <= want


@action("c05.3", "search QUJDREVGR0hJ")
def search(stage: Stage) -> Answer:
    stage.run("reindex")
    return stage.run("search", "--sessions", "QUJDREVGR0hJ")


equals("c05.3", "hits", of=lambda seen: len(seen.data["hits"]))
