"""c65: letters whose stroke is no accent: ł, ø, đ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Json

Found = list[tuple["Json", list["Json"]]]


@action("c65.1", "search each of queries.json must_find")
def must_find(stage: Stage) -> Found:
    stage.run("reindex")
    queries = json.loads((stage.folder / "queries.json").read_text("utf-8"))["must_find"]
    answers = stage.each([("search", query["q"]) for query in queries])
    return [(query, answer.data["hits"]) for query, answer in zip(queries, answers, strict=True)]


def named(query: Json, hits: list[Json]) -> list[Json]:
    return [hit for hit in hits if hit["path"].endswith(query["file"])]


@expects("c65.1", "hit_in_file", says="as listed")
def finds_the_file(seen: Found, want: Json) -> None:
    assert [query["q"] for query, hits in seen if not named(query, hits)] == []


@expects("c65.1", "weak")
def is_sure(seen: Found, want: Json) -> None:
    first = [(query["q"], named(query, hits)[0]["weak"]) for query, hits in seen]
    assert [pair for pair in first if pair[1] is not want] == []
