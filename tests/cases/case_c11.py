"""c11: hand-written config, colliding agent ids, folders nobody configured."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects
from tests.program import tree

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action("c11.1", "list-agents")
def list_agents(stage: Stage) -> Answer:
    return stage.run("agents")


equals("c11.1", "agents", of=lambda seen: [row["id"] for row in seen.rows(configured=True)])


@expects("c11.1", "on_disk_but_not_configured")
def not_configured(seen: Answer, want: Json) -> None:
    assert {row["id"] for row in seen.rows(configured=False)} == set(want)


@expects("c11.1", "shown_as_such", says="in the same list or as a warning, each once")
def each_once(seen: Answer, want: Json) -> None:
    ids = [row["id"] for row in seen.data]
    assert len(ids) == len(set(ids))
    strangers = [row for row in seen.data if not row["configured"]]
    for row in strangers:
        assert [problem["code"] for problem in row["problems"]].count("agent-unconfigured") == 1


@expects("c11.1", "warnings")
def collision(seen: Answer, want: Json) -> None:
    assert want == ["Ops and ops are the same id"]
    [warning] = [row for row in seen.warnings if row["code"] == "agent-collision"]
    assert "Ops" in warning["message"]
    assert "ops" in warning["message"]


@expects("c11.1", "never_listed")
def never_listed(seen: Answer, want: Json) -> None:
    ids = {row["id"] for row in seen.data}
    assert ids & {name.lower() for name in want} == set()


@expects("c11.1", "Research", says="an empty twin folder of research: no second research")
def one_research(seen: Answer, want: Json) -> None:
    assert [row["id"].lower() for row in seen.data].count("research") == 1


@action("c11.2", "list-agents with openclaw.entries.json5 in the place of openclaw.json")
def list_entries(stage: Stage) -> tuple[Json, Json]:
    before = stage.run("agents").data
    shutil.copyfile(stage.folder / "openclaw.entries.json5", stage.state / "openclaw.json")
    return before, stage.run("agents").data


@expects("c11.2", "same_as", says="the check before")
def same_as_before(seen: tuple[Json, Json], want: Json) -> None:
    before, after = seen
    assert before == after


@action("c11.3", "checkpoint ops")
def checkpoint_ops(stage: Stage) -> Stage:
    assert stage.run("checkpoint", "--agent", "ops").row(agent="ops")["status"] == "done"
    return stage


@expects("c11.3", "writes_under")
def writes_under(seen: Stage, want: Json) -> None:
    assert (seen.home / want / "memory" / "ACTIVE_CONTEXT.md").is_file()


@expects("c11.3", "never_under")
def never_under(seen: Stage, want: Json) -> None:
    assert list((seen.home / want).rglob("*")) == []


@action("c11.4", "checkpoint агент")
def checkpoint_unknown(stage: Stage) -> tuple[Answer, list[str]]:
    before = tree(stage.workspace)
    answer = stage.run("checkpoint", "--agent", "агент")
    after = tree(stage.workspace)
    return answer, [name for name in {*before, *after} if before.get(name) != after.get(name)]


@expects("c11.4", "result", says="refused as unknown, or done for that agent only")
def for_that_agent_only(seen: tuple[Answer, list[str]], want: Json) -> None:
    answer = seen[0]
    if answer.code == 2:
        assert answer.error["code"] == "unknown-agent"
    else:
        assert [row["agent"] for row in answer.data] == ["агент"]


@expects("c11.4", "never_touches")
def never_touches(seen: tuple[Answer, list[str]], want: Json) -> None:
    assert want == ".openclaw/workspace/memory"
    assert seen[1] == []


@action("c11.5", "list-agents output")
def output(stage: Stage) -> str:
    answers = [stage.run("agents"), stage.say("agents"), stage.say("--verbose", "agents")]
    return "".join(answer.out + answer.err for answer in answers)


@expects("c11.5", "excludes")
def shows_no_token(seen: str, want: Json) -> None:
    assert "research" in seen
    assert [text for text in want if text in seen] == []
