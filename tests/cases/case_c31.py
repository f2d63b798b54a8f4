"""c31: what may replace observations.md."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cases.stage import Stage
    from tests.program import Answer, Json

Judged = dict[str, tuple["Answer", bytes, bytes]]


def home_with_observations(stage: Stage) -> Path:
    """The case brings the file alone: make the smallest home around it."""
    (stage.state / "agents" / "main" / "sessions").mkdir(parents=True, exist_ok=True)
    memory = stage.workspace / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    return shutil.copyfile(stage.folder / "observations.md", memory / "observations.md")


@action("c31.1", "reflect-gate observations.md with each candidates/*.md")
def judge(stage: Stage) -> Judged:
    path = home_with_observations(stage)
    judged = {}
    for candidate in sorted((stage.folder / "candidates").glob("*.md")):
        home_with_observations(stage)
        before = path.read_bytes()
        call = ("reflect", "--agent", "main", "--yes", "--candidate", str(candidate))
        judged[candidate.name] = (stage.run(*call), before, path.read_bytes())
    return judged


@expects("c31.1", "accept", "accept_after_unwrapping")
def accepts(seen: Judged, want: Json) -> None:
    for name in want:
        answer, before, after = seen[name]
        assert answer.code == 0
        assert answer.row(agent="main")["status"] == "done"
        assert before != after


@expects("c31.1", "reject")
def rejects(seen: Judged, want: Json) -> None:
    assert [name for name in want if seen[name][0].row(agent="main")["status"] != "failed"] == []


@expects(
    "c31.1",
    "size_floor",
    says="a tenth of the original, unless the operator forces it",
)
def size_floor(seen: Judged, want: Json) -> None:
    answer, before, after = seen["tiny.md"]
    assert answer.row(agent="main")["status"] == "failed"
    assert before == after


@expects(
    "c31.1",
    "on_reject",
    says="observations.md byte for byte as before, a line in the log naming the reason, exit code "
    "not 0",
)
def on_reject(seen: Judged, want: Json) -> None:
    for answer, before, after in seen.values():
        if answer.row(agent="main")["status"] == "failed":
            assert answer.code == 1
            assert before == after
            assert answer.row(agent="main")["reason"]


@action("c31.2", "reflect with good.md")
def reflect(stage: Stage) -> tuple[Answer, bytes, Path]:
    path = home_with_observations(stage)
    before = path.read_bytes()
    good = str(stage.folder / "candidates" / "good.md")
    call = ("reflect", "--agent", "main", "--yes", "--candidate", good)
    return stage.run(*call), before, path


@expects("c31.2", "backup", says="the original, whole, beside it, owner-only")
def backup(seen: tuple[Answer, bytes, Path], want: Json) -> None:
    _, before, path = seen
    [copy] = (path.parent / "observation-backups").glob("observations-*.md")
    assert copy.read_bytes() == before
    assert copy.stat().st_mode & 0o7777 == 0o600


@expects("c31.2", "replaced")
def replaced(seen: tuple[Answer, bytes, Path], want: Json) -> None:
    answer, before, path = seen
    assert want == "atomically"
    assert answer.row(agent="main")["status"] == "done"
    assert path.read_bytes() != before
    assert [one.name for one in path.parent.iterdir() if "tmp" in one.name] == []
