"""c59: a copied, synced or restored transcript has a new file time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@dataclass(frozen=True, slots=True)
class Saved:
    """What a checkpoint said, and what it wrote by the file's name."""

    answer: Answer
    written: dict[str, str]


def checkpoint(stage: Stage, agent: str) -> Saved:
    name = "workspace" if agent == "main" else f"workspace-{agent}"
    answer = stage.run("checkpoint", "--agent", agent)
    files = (stage.state / name / "memory").glob("*")
    return Saved(answer, {path.name: path.read_text("utf-8") for path in files})


@action("c59.1", "checkpoint main")
def main(stage: Stage) -> Saved:
    return checkpoint(stage, "main")


@expects("c59.1", "source", says="agent:main:main, the talk with the newest words")
def of_the_newest_words(seen: Saved, want: Json) -> None:
    assert seen.answer.row(command="checkpoint")["details"]["key"] == "agent:main:main"


@expects("c59.1", "ACTIVE_CONTEXT_contains")
@expects("c59.3", "ACTIVE_CONTEXT_contains")
def contains(seen: Saved, want: Json) -> None:
    assert [text for text in want if text not in seen.written["ACTIVE_CONTEXT.md"]] == []


@expects("c59.1", "no_written_file_contains")
def excludes(seen: Saved, want: Json) -> None:
    assert seen.written
    assert [text for text in want for file in seen.written.values() if text in file] == []


@action(
    "c59.2", "checkpoint ops (its only talk ended in February, its file was restored a minute ago)"
)
def ops(stage: Stage) -> Saved:
    return checkpoint(stage, "ops")


@expects("c59.2", "status")
@expects("c59.3", "status")
def status(seen: Saved, want: Json) -> None:
    assert seen.answer.row(command="checkpoint")["status"] == want


equals("c59.2", "reason", of=lambda seen: seen.answer.row(command="checkpoint")["reason"])


@expects("c59.2", "written")
def nothing_is_written(seen: Saved, want: Json) -> None:
    assert want == "nothing"
    assert seen.written == {}


@action("c59.3", "checkpoint lab (its talk is 55 minutes old, its file says 1970)")
def lab(stage: Stage) -> Saved:
    return checkpoint(stage, "lab")


@action("c59.4", "checkpoint main, then bootstrap for agent:main:main")
def next_start(stage: Stage) -> Answer:
    checkpoint(stage, "main")
    return stage.run("bootstrap", "--session-key", "agent:main:main")


@expects("c59.4", "excludes")
def is_not_given(seen: Answer, want: Json) -> None:
    given = "".join(one["content"] for one in seen.data["files"])
    assert "spring release notes" in given
    assert [text for text in want if text in given] == []
