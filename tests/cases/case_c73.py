"""c73: a network drive's bin and a sync tool's second copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action("c73.1", "memory-pool main")
@action("c73.3", "memory-pool main")
def memory_pool(stage: Stage) -> Answer:
    return stage.run("memory", "pool", "--agent", "main")


@expects("c73.1", "not_listed_as_counted")
def bins_do_not_count(seen: Answer, want: Json) -> None:
    [pool] = seen.data
    counted = [one["path"] for one in pool["items"] if one["counted"]]
    assert counted
    assert [path for path in counted for name in want if name in path] == []


@expects("c73.1", "markers_FACT")
def nothing_is_counted_of_them(seen: Answer, want: Json) -> None:
    [pool] = seen.data
    assert pool["markers"]["FACT"] == want


@action("c73.2", "reindex; search BINNED offer vendor")
def search(stage: Stage) -> list[Json]:
    stage.run("reindex")
    hits: list[Json] = stage.run("search", "BINNED offer vendor").data["hits"]
    return hits


@expects("c73.2", "hits_below", says="neither #recycle nor @eaDir")
def finds_nothing_deleted(seen: list[Json], want: Json) -> None:
    assert [
        hit["path"] for hit in seen if "#recycle" in hit["path"] or "@eaDir" in hit["path"]
    ] == []
    assert [hit for hit in seen if "BINNED" in hit["snippet"]] == []


@expects("c73.3", "warns_naming")
def copies_are_named(seen: Answer, want: Json) -> None:
    [pool] = seen.data
    said = [one["message"] for one in [*seen.warnings, *pool["warnings"]]]
    assert [name for name in want if not any(name in sentence for sentence in said)] == []
