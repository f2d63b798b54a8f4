"""c27: text in square brackets shown in a Textual and Rich screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action(
    "c27.4",
    "headless: list-sessions, search [/dim], checkpoint, errors naming the file '[/bad] notes.md'",
)
def headless(stage: Stage) -> dict[str, Answer]:
    (stage.workspace / "memory" / "[" / "bad] notes.md").chmod(0)
    return {
        "sessions": stage.say("sessions", "--all"),
        "checkpoint": stage.say("checkpoint", "--agent", "main"),
        "transcript": stage.say("transcript", "agent:main:main"),
        "pool": stage.say("memory", "pool"),
        "no such session": stage.say("session", "[/bad] notes.md"),
        "no such agent": stage.say("checkpoint", "--agent", "[/bad] notes.md"),
        "search": stage.say("search", "[/dim]"),
    }


@expects("c27.4", "crash", part="without search")
def no_crash(seen: dict[str, Answer], want: Json) -> None:
    codes = {name: answer.code for name, answer in seen.items() if name != "search"}
    wanted = dict.fromkeys(codes, 0) | {"no such session": 2, "no such agent": 2}
    assert (codes != wanted) is want, codes
    for name in ("no such session", "no such agent"):
        assert "[/bad] notes.md" in seen[name].err


@expects("c27.4", "crash", part="search", needs="search")
def search_does_not_crash(seen: dict[str, Answer], want: Json) -> None:
    assert (seen["search"].code != 0) is want


@expects("c27.4", "output_contains")
def output_contains(seen: dict[str, Answer], want: Json) -> None:
    assert f"3 conditions{want}" in seen["transcript"].out
    assert "[/INST] label" in seen["sessions"].out
