"""What an explanation says, whatever stands in a note and in an index."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.platform_search.candidates import Rules
from memconsole.domain.platform_search.explanation import Searched, as_placed, evidence, explain
from memconsole.domain.platform_search.index import (
    Contents,
    IndexedChunk,
    IndexedFile,
    IndexFacts,
    text_hash,
)
from memconsole.domain.platform_search.profile import PROFILES, Profile, limits_of
from memconsole.domain.search.agent_view import Reason
from memconsole.domain.search.indexing import Source
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import SearchHit
from tests.doubles.platform import NOW

PATHS = st.sampled_from(["MEMORY.md", "memory/2024-01-01.md", "memory/a.md", "notes/b.md", ""])


@given(
    profile=st.sampled_from(PROFILES),
    path=PATHS,
    other=PATHS,
    note=st.text(),
    indexed=st.text(),
    asked=st.text(),
    model=st.sampled_from(["m", "older", "fts-only"]),
    has_vector=st.booleans(),
    answers=st.sampled_from([None, 0, 50]),
)
def test_every_note_gets_one_sentence(
    *,
    profile: Profile,
    path: str,
    other: str,
    note: str,
    indexed: str,
    asked: str,
    model: str,
    has_vector: bool,
    answers: int | None,
) -> None:
    facts = IndexFacts(Path("/db"), profile, "p", "m", dims=2)
    query, now = parse(asked), NOW.timestamp()
    limits = limits_of(profile, {}, "main")
    search = Searched("main", facts, limits, query, now, answers=answers)
    chunk = IndexedChunk("c", other, 1, 3, model, indexed, has_vector)
    contents = Contents(facts, (IndexedFile(other, text_hash(indexed.encode())),), (chunk,))
    hit = SearchHit("main", Source.MEMORY, path, 2, 2, 1.0, None, None, False, note)
    computed = as_placed((), contents, Rules(profile, limits, query.text, now), ())
    view = explain(
        evidence(hit, contents, computed, {path: text_hash(note.encode())}, search), search
    )
    assert view.because.strip()
    assert not view.because.endswith(".")
    assert (view.rank is None) or view.reason in (Reason.FOUND, Reason.FAR_DOWN, Reason.STALE)
