"""c63: paths of the configuration that name a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects
from tests.program import tree

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


def environment(stage: Stage) -> dict[str, str]:
    """Return the variable that the case sets."""
    return {"NOTES_ROOT": stage.environment["NOTES_ROOT"]}


@action("c63.1", "list-agents; checkpoint main (the variable is in the environment)")
def of_the_environment(stage: Stage) -> tuple[Stage, Answer, Answer]:
    more = environment(stage)
    done = stage.run("checkpoint", "--agent", "main", more=more)
    return stage, stage.run("agents", more=more), done


@expects("c63.1", "workspace")
def main_is_there(seen: tuple[Stage, Answer, Answer], want: Json) -> None:
    row = seen[1].row(id="main")
    assert row["workspace"] == str(seen[0].folder / want)
    assert row["workspace_exists"] is True


@expects("c63.1", "checkpoint", says="done, in home/data/ws/memory")
def checkpoint_is_done(seen: tuple[Stage, Answer, Answer], want: Json) -> None:
    assert seen[2].row(agent="main")["status"] == "done"
    assert (seen[0].home / "data" / "ws" / "memory" / "ACTIVE_CONTEXT.md").is_file()


@action("c63.2", "list-agents (the variable is in env.vars of the configuration)")
def of_the_configuration(stage: Stage) -> tuple[Stage, Answer]:
    return stage, stage.run("agents", more=environment(stage))


@expects("c63.2", "scribe")
def scribe_is_there(seen: tuple[Stage, Answer], want: Json) -> None:
    row = seen[1].row(id="scribe")
    assert row["workspace"] == str(seen[0].folder / want)
    assert row["workspace_exists"] is True


@action("c63.3", "list-agents; checkpoint ledger (the variable is set nowhere)")
def of_nowhere(stage: Stage) -> tuple[Answer, Answer, bool]:
    more, before = environment(stage), sorted(tree(stage.home))
    agents = stage.run("agents", more=more)
    done = stage.run("checkpoint", "--agent", "ledger", more=more)
    ours = ".local"
    after = [name for name in sorted(tree(stage.home)) if not name.startswith(ours)]
    return agents, done, after == before


@expects("c63.3", "says", says="NOWHERE_ROOT is not set")
def names_the_variable(seen: tuple[Answer, Answer, bool], want: Json) -> None:
    [problem] = seen[0].row(id="ledger")["problems"]
    assert problem["code"] == "workspace-missing"
    assert want in problem["message"]
    assert want in seen[1].row(agent="ledger")["message"]


@expects("c63.3", "created")
def created_nothing(seen: tuple[Answer, Answer, bool], want: Json) -> None:
    assert want == "nothing"
    assert seen[1].row(agent="ledger")["status"] == "skipped"
    assert seen[2]
