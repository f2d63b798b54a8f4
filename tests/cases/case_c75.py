"""c75: a home that was copied from Windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects
from tests.program import tree

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action("c75.1", "list-agents; checkpoint main")
def list_and_checkpoint(stage: Stage) -> tuple[Stage, Answer, Answer]:
    return stage, stage.run("agents"), stage.run("checkpoint", "--agent", "main")


@expects("c75.1", "workspace", says="home/.openclaw/workspace, path-mapped")
def workspace(seen: tuple[Stage, Answer, Answer], want: Json) -> None:
    row = seen[1].row(id="main")
    assert row["workspace"] == str(seen[0].workspace)
    [problem] = row["problems"]
    assert problem["code"] == "path-mapped"
    assert "C:\\Users\\operator\\.openclaw\\workspace does not exist here" in problem["message"]


@expects("c75.1", "checkpoint")
def checkpoint(seen: tuple[Stage, Answer, Answer], want: Json) -> None:
    assert seen[2].row(agent="main")["status"] == want
    assert (seen[0].workspace / "memory" / "ACTIVE_CONTEXT.md").is_file()


@expects("c75.1", "created", says="nothing with a backslash in its name")
def created(seen: tuple[Stage, Answer, Answer], want: Json) -> None:
    assert [name for name in tree(seen[0].folder) if "\\" in name] == []
