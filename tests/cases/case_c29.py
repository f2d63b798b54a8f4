"""c29: BOM, UTF-16, CRLF, bad bytes, twin names, nested folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

Pool = tuple["Stage", "Answer"]


def pool(seen: Pool) -> Json:
    [row] = seen[1].data
    return row


def item(seen: Pool, name: str) -> Json:
    wanted = name if name in ("MEMORY.md", "memory.md") else f"memory/{name}"
    [found] = [one for one in pool(seen)["items"] if one["path"] == wanted]
    return found


@action("c29.1", "memory-pool main")
def memory_pool(stage: Stage) -> Pool:
    return stage, stage.run("memory", "pool", "--agent", "main")


@expects("c29.1", "files_counted")
def files_counted(seen: Pool, want: Json) -> None:
    assert [name for name in want if not item(seen, name)["counted"]] == []
    counted = [one for one in pool(seen)["items"] if one["counted"]]
    assert len(counted) == pool(seen)["files"]


@expects("c29.1", "UPPER.MD", says="counted or not, the same everywhere and documented")
def upper_case_name_counts(seen: Pool, want: Json) -> None:
    assert item(seen, "UPPER.MD")["counted"]


@expects("c29.1", "generated")
def generated(seen: Pool, want: Json) -> None:
    for name in want:
        assert item(seen, name)["generated"]
        assert not item(seen, name)["counted"]


@expects("c29.1", "not_counted")
def not_counted(seen: Pool, want: Json) -> None:
    counted = [one["path"] for one in pool(seen)["items"] if one["counted"]]
    assert [path for path in counted for name in want if name in path.split("/")] == []


@expects("c29.1", "node_modules", says="left out, or can be left out by a setting")
def node_modules(seen: Pool, want: Json) -> None:
    counted = [one["path"] for one in pool(seen)["items"] if one["counted"]]
    assert [path for path in counted if "node_modules" in path] == []


@expects("c29.1", "same-as-crlf.md", says="counted with crlf.md, once")
def linked_file_counts_once(seen: Pool, want: Json) -> None:
    twins = ("memory/crlf.md", "memory/same-as-crlf.md")
    counted = [one["path"] for one in pool(seen)["items"] if one["counted"]]
    assert [path for path in counted if path in twins] == ["memory/crlf.md"]


@expects(
    "c29.1",
    "twin",
    says="memory.md reported next to MEMORY.md (two real files on a case-sensitive disk: warn; "
    "one file: count once)",
)
def twin(seen: Pool, want: Json) -> None:
    assert item(seen, "MEMORY.md")["counted"]
    names = {path.name for path in seen[0].workspace.iterdir()}
    if {"MEMORY.md", "memory.md"} <= names:
        [warning] = [one for one in seen[1].warnings if one["code"] == "twin-memory"]
        assert "memory.md" in warning["message"]


@expects("c29.1", "sizes", says="bytes on disk")
def sizes(seen: Pool, want: Json) -> None:
    items = [one for one in pool(seen)["items"] if one["counted"]]
    for one in items:
        assert one["bytes"] == (seen[0].workspace / one["path"]).stat().st_size, one
    assert pool(seen)["bytes"] == sum(one["bytes"] for one in items)


@action("c29.2", "memory-pool main markers")
def pool_markers(stage: Stage) -> Json:
    [row] = stage.run("memory", "pool", "--agent", "main").data
    return row["markers"]


def count_of(tag: str) -> None:
    @expects("c29.2", tag)
    def check(seen: Json, want: Json) -> None:
        assert seen[tag] == want


for _tag in ("FACT", "GOTCHA", "TODO", "PATTERN", "DECISION"):
    count_of(_tag)


@expects("c29.2", "SOLUTION", says="1 when UPPER.MD counts, else 0")
def solution(seen: Json, want: Json) -> None:
    assert seen["SOLUTION"] == 1


@expects("c29.2", "PREFERENCE", says="1 (2 with the twin)")
def preference(seen: Json, want: Json) -> None:
    assert seen["PREFERENCE"] in (1, 2)


@action("c29.3", "search")
def search(stage: Stage) -> dict[str, Answer]:
    stage.run("reindex")
    words = ("orion-db-7", "Kaffeemaschine", "fegen", "coffee")
    return {word: stage.run("search", word) for word in words}


def hit_paths(answer: Answer) -> list[str]:
    return [hit["path"] for hit in answer.data["hits"]]


@expects("c29.3", "orion-db-7")
def utf16_is_found(seen: dict[str, Answer], want: Json) -> None:
    assert f"memory/{want}" in hit_paths(seen["orion-db-7"])


@expects("c29.3", "Kaffeemaschine", says="bom.md, as its title")
def title_after_a_bom_is_found(seen: dict[str, Answer], want: Json) -> None:
    assert "memory/bom.md" in hit_paths(seen["Kaffeemaschine"])


@expects("c29.3", "fegen", says="latin1.md (with a warning that the file is not UTF-8)")
def other_encoding_is_found(seen: dict[str, Answer], want: Json) -> None:
    assert "memory/latin1.md" in hit_paths(seen["fegen"])
    assert "not-utf8" in seen["fegen"].warning_codes()


@expects("c29.3", "coffee", says="at most once")
def twin_is_found_once(seen: dict[str, Answer], want: Json) -> None:
    assert len(hit_paths(seen["coffee"])) <= 1


@action("c29.4", "reindex")
def reindex(stage: Stage) -> Answer:
    return stage.run("reindex")


equals("c29.4", "crash", of=lambda seen: seen.code != 0)


@expects("c29.4", "warns_about")
def warns_about(seen: Answer, want: Json) -> None:
    paths = [warning["path"] for warning in seen.warnings]
    assert [name for name in want if not any(str(path).endswith(name) for path in paths)] == []
