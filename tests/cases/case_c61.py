"""c61: the roster is in an included file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects
from tests.program import tree

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action("c61.1", "list-agents")
def list_agents(stage: Stage) -> tuple[Stage, Answer]:
    return stage, stage.run("agents")


@expects("c61.1", "main > configured", "scribe > configured")
def is_configured(seen: tuple[Stage, Answer], want: Json) -> None:
    assert {row["configured"] for row in seen[1].data} == {want}


@expects("c61.1", "main > workspace")
def workspace_of_main(seen: tuple[Stage, Answer], want: Json) -> None:
    assert seen[1].row(id="main")["workspace"] == str(seen[0].folder / want)


@expects("c61.1", "scribe > workspace")
def workspace_of_scribe(seen: tuple[Stage, Answer], want: Json) -> None:
    assert seen[1].row(id="scribe")["workspace"] == str(seen[0].folder / want)


@expects("c61.1", "or", says="config-unreadable, naming agents.json5 or $include")
def no_complaint_is_needed(seen: tuple[Stage, Answer], want: Json) -> None:
    """The parts are followed, which is the first of the two ways."""
    assert seen[1].warnings == []


@action("c61.2", "checkpoint main")
def checkpoint(stage: Stage) -> tuple[Stage, Answer, bool]:
    before = tree(stage.workspace)
    answer = stage.run("checkpoint", "--agent", "main")
    return stage, answer, tree(stage.workspace) == before


@expects("c61.2", "home/.openclaw/workspace")
def last_year_is_left_alone(seen: tuple[Stage, Answer, bool], want: Json) -> None:
    assert want == "unchanged"
    assert seen[2]


@expects("c61.2", "ACTIVE_CONTEXT", says="in home/notes/memory, or nothing written and said why")
def written_into_the_notes(seen: tuple[Stage, Answer, bool], want: Json) -> None:
    assert seen[1].row(agent="main")["status"] == "done"
    assert (seen[0].home / "notes" / "memory" / "ACTIVE_CONTEXT.md").is_file()


@action("c61.3", "list-agents in gone/home (the included file does not exist)")
def list_gone(stage: Stage) -> tuple[Answer, Answer, bool]:
    gone = stage.variant("gone", {})
    before = tree(gone.workspace)
    answers = gone.run("agents"), gone.run("checkpoint", "--agent", "main")
    return *answers, tree(gone.workspace) == before


@expects("c61.3", "says", says="gone.json5 cannot be read")
def names_the_part(seen: tuple[Answer, Answer, bool], want: Json) -> None:
    agents, checkpoint, is_unchanged = seen
    [warning] = [row for row in agents.warnings if row["code"] == "config-unreadable"]
    assert want in warning["message"]
    assert [row["id"] for row in agents.data] == ["main"]
    assert checkpoint.row(agent="main")["reason"] == "workspace-missing"
    assert is_unchanged
