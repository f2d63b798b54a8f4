"""A query has the same vector in a console as in a command."""

from __future__ import annotations

import hashlib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.index.embedding.pooling import query_vector, query_vector_by_numpy
from memconsole.adapters.index.embedding.static import static_model

TOKENIZER = Path(__file__).with_name("l2_supercat_tokenizer_config.json")
PUBLISHED = "7bb8042b2d7863678d92d982d68297123555e097e178da25c703182b91d9c652"
"""Of the tokenizer and the vectors, as WordLlama 0.4.0 brings them."""


@given(
    st.lists(st.tuples(st.integers(0, 31_999), st.floats(0, 20, allow_nan=False)), max_size=12),
    st.integers(1, 3),
)
def test_both_ways_give_the_same_bytes(tokens: list[tuple[int, float]], times: int) -> None:
    ids, weight = [token for token, _ in tokens] * times, dict(tokens)
    model = static_model()
    expected = query_vector(model, ids, weight)
    assert query_vector_by_numpy(model, ids, weight) == expected
    assert len(expected) == model.dims


def test_no_token_is_no_direction() -> None:
    assert not any(query_vector_by_numpy(static_model(), (), {}))


def test_the_model_is_the_one_that_indexes_name() -> None:
    """Another file under this name would compare vectors of two models in every index there is."""
    model = static_model()
    found = hashlib.sha256(TOKENIZER.read_bytes())
    found.update(model.table.tobytes())
    assert (model.name, found.hexdigest()) == ("wordllama-l2-256", PUBLISHED)
