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
