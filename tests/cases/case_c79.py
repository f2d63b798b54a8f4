"""c79: started in a folder that no longer exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

SAYS = "No such file or directory"
ANYWHERE = "as anywhere else (0 or 1 by findings)"
CALLS = (
    "status", "sessions", "agents", "checkpoint", "search word", "health", "jobs", "config show",
    "bootstrap",
)  # fmt: skip


@action(
    "c79.1",
    "in a deleted folder: status, sessions, agents, checkpoint, search, health, jobs, config show, "
    "bootstrap",
)
def everything(stage: Stage) -> dict[str, tuple[Answer, Answer]]:
    """Each command in its usual place, and in a folder that is gone."""
    return {
        call: (stage.say(*call.split()), stage.say_from_nowhere(*call.split())) for call in CALLS
    }


@expects("c79.1", "exit", says=ANYWHERE)
def same_code(seen: dict[str, tuple[Answer, Answer]], _want: Json) -> None:
    codes = {call: (there.code, nowhere.code) for call, (there, nowhere) in seen.items()}
    assert {call: pair for call, pair in codes.items() if pair[0] != pair[1]} == {}
    assert {there for there, _ in codes.values()} <= {0, 1}


@expects("c79.1", "not", says=SAYS)
def no_bare_error(seen: dict[str, tuple[Answer, Answer]], want: Json) -> None:
    for _, nowhere in seen.values():
        assert want not in nowhere.out + nowhere.err


@action("c79.2", "in a deleted folder: --home some/relative/folder sessions")
def relative_home(stage: Stage) -> Answer:
    return stage.say_from_nowhere("--home", "some/relative/folder", "sessions")


@expects("c79.2", "exit", says="2 or 3")
def refused(seen: Answer, _want: Json) -> None:
    assert seen.code in (2, 3)


@expects("c79.2", "says", says="the folder or the path, by name")
def names_the_path(seen: Answer, _want: Json) -> None:
    assert "some/relative/folder" in seen.err
    assert "current folder does not exist any more" in seen.err
