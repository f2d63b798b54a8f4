"""What a search says about daily notes."""

from __future__ import annotations

import pytest

from memconsole.domain.consolidate.note_hits import counts, notes_found, query_hash
from memconsole.domain.memory.entries import entry_id
from memconsole.domain.search.indexing import Source
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import SearchHit

PATH = "memory/2026-01-20.md"
TEXT = (
    "# main — 2026-01-20\n\n- Port 8443 is the gateway\n- Ada prefers tea\n"
    "- The gateway stands in two racks\n\n## 10:00 - Note\n\n- Lunch\n"
)


def hit(start: int = 1, end: int = 9, path: str = PATH, **changes: object) -> SearchHit:
    values: dict[str, object] = {"is_weak": False, "is_archived": False, **changes}
    source = values.pop("source", Source.MEMORY)
    return SearchHit(
        agent="main",
        source=source,  # type: ignore[arg-type]
        path=path,
        start_line=start,
        end_line=end,
        score=0.9,
        vector_score=None,
        text_score=0.9,
        snippet="",
        **values,  # type: ignore[arg-type]
    )


def found(query: str, start: int = 1, end: int = 9) -> list[str]:
    return [one.text for one in notes_found(hit(start, end), TEXT, parse(query))]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (hit(), True),
        (hit(path="memory/2026-01-20-api-design.md"), True),
        (hit(is_weak=True), False),
        (hit(is_archived=True), False),
        (hit(source=Source.SESSIONS), False),
        (hit(path="MEMORY.md"), False),
        (hit(path="memory/garden.md"), False),
    ],
)
def test_only_good_hits_in_daily_notes_count(one: SearchHit, expected: bool) -> None:
    assert counts(one) is expected


def test_the_note_with_most_words_of_the_question_was_meant() -> None:
    assert found("gateway port") == ["Port 8443 is the gateway"]
    assert found("gateway") == ["Port 8443 is the gateway", "The gateway stands in two racks"]
    assert found("Ada's tea") == ["Ada prefers tea"]


def test_a_hit_by_meaning_counts_where_one_note_stands_alone() -> None:
    assert found("beverage") == []
    assert found("beverage", 4, 4) == ["Ada prefers tea"]
    assert found("beverage", 1, 2) == []


def test_a_question_is_known_by_its_words_and_they_cannot_be_read() -> None:
    assert query_hash(parse("Gateway PORT")) == query_hash(parse("port of the gateway"))
    assert query_hash(parse("gateway")) != query_hash(parse("port"))
    assert query_hash(parse("gateway")).isalnum()
    assert "gateway" not in query_hash(parse("gateway"))


def test_the_id_is_that_of_the_entry() -> None:
    [note] = notes_found(hit(), TEXT, parse("tea"))
    assert note.id == entry_id(PATH, "Ada prefers tea")
