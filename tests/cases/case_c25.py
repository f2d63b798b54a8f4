"""c25: everyday queries that break FTS5, and scripts without spaces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

Searches = list[tuple["Json", "Answer"]]


def search_each(stage: Stage, group: str) -> Searches:
    stage.run("reindex")
    queries = json.loads((stage.folder / "queries.json").read_text("utf-8"))[group]
    answers = stage.each([("search", "--", query["q"]) for query in queries])
    return list(zip(queries, answers, strict=True))


@action("c25.1", "search each of queries.json must_find")
def must_find(stage: Stage) -> Searches:
    return search_each(stage, "must_find")


@expects("c25.1", "hit_contains_line", says="as listed (file:line)")
def finds_the_line(seen: Searches, want: Json) -> None:
    for query, answer in seen:
        for place in query["at_least"]:
            name, _, line = place.partition(":")
            found = [
                hit
                for hit in answer.data["hits"]
                if hit["path"].endswith(name) and hit["start_line"] <= int(line) <= hit["end_line"]
            ]
            assert found, f"{query['q']!r} does not find {place}"


@expects("c25.1", "error")
@expects("c25.2", "error")
def is_no_error(seen: Searches, want: Json) -> None:
    assert [query for query, answer in seen if (answer.code != 0) is not want] == []
    assert [query for query, answer in seen if "error" in answer.envelope] == []


@action("c25.2", "search each of queries.json must_not_fail")
def must_not_fail(stage: Stage) -> Searches:
    return search_each(stage, "must_not_fail")


@expects(
    "c25.2",
    "answer",
    says="hits or an explicit 'no results' / 'empty query'",
)
def answers(seen: Searches, want: Json) -> None:
    for query, answer in seen:
        if not query["q"].strip():
            assert "empty-query" in answer.warning_codes()
        assert isinstance(answer.data["hits"], list)


@action("c25.3", "search 静默 vs zzzznotthere when the index was never built")
def never_built(stage: Stage) -> dict[str, tuple[Answer, Answer]]:
    words = ("静默", "zzzznotthere")
    return {word: (stage.run("search", word), stage.say("search", word)) for word in words}


@expects("c25.3", "says", says="not indexed yet (or builds it)")
def says_so(seen: dict[str, tuple[Answer, Answer]], want: Json) -> None:
    answer, _ = seen["静默"]
    assert answer.data["hits"] or answer.data["index"]["state"] in ("missing", "building")


@expects("c25.3", "not", says="no results")
def is_not_no_results(seen: dict[str, tuple[Answer, Answer]], want: Json) -> None:
    answer, shown = seen["静默"]
    assert "hits" in answer.data
    assert want not in shown.out.lower()
