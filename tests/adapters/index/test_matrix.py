"""Vectors of the better model in memory: what they say, and how often they are read."""

from __future__ import annotations

import math
import sqlite3
from typing import TYPE_CHECKING, cast

import pytest

from memconsole.adapters.index.matrix import Matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.adapters.sqlite.choice import Connection

QUERY = (3, 4, 0)
VECTORS = {
    7: [(3, 4, 0), (0, 0, 9), (4, 3, 0)],  # the chunk itself, then its lines
    9: [(0, 5, 0)],
    12: [(0, 0, 1), (6, 8, 0)],
}


class Index:
    """The tables that are read, and how often."""

    def __init__(self) -> None:
        self.rows = sqlite3.connect(":memory:")
        self.connection = cast("Connection", self.rows)
        self.rows.executescript(
            "CREATE TABLE chunks(id INTEGER PRIMARY KEY);"
            "CREATE TABLE chunks_vec(id INTEGER PRIMARY KEY, embedding BLOB);"
            "CREATE TABLE removed(id INTEGER, generation INTEGER);"
            "CREATE TABLE quality(chunk INTEGER, line INTEGER, vector BLOB,"
            " PRIMARY KEY(chunk, line)) WITHOUT ROWID;"
        )
        self.asked: list[str] = []
        self.rows.set_trace_callback(self.asked.append)
        for chunk, vectors in VECTORS.items():
            self.add(chunk, vectors)

    def add(self, chunk: int, vectors: Sequence[tuple[int, ...]]) -> None:
        self.rows.execute("INSERT INTO chunks VALUES (?)", (chunk,))
        rows = [(chunk, line, bytes(one)) for line, one in enumerate(vectors)]
        self.rows.executemany("INSERT INTO quality VALUES (?, ?, ?)", rows)

    @property
    def readings(self) -> int:
        return sum("FROM quality" in one for one in self.asked)


@pytest.fixture
def index() -> Index:
    return Index()


def cosine(one: Sequence[int], other: Sequence[int]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / math.hypot(*one) / math.hypot(*other)


def test_a_chunk_and_the_best_of_its_lines(index: Index) -> None:
    near = Matrix(3).nearness(index.connection, bytes(QUERY))
    assert near == {
        chunk: pytest.approx(
            (cosine(vectors[0], QUERY), max(cosine(one, QUERY) for one in vectors[1:] or vectors))
        )
        for chunk, vectors in VECTORS.items()
    }


def test_vectors_of_gone_chunks_are_left_out_and_none_is_no_error(index: Index) -> None:
    index.rows.execute("DELETE FROM chunks WHERE id = 9")
    assert set(Matrix(3).nearness(index.connection, bytes(QUERY))) == {7, 12}
    index.rows.execute("DELETE FROM chunks")
    assert Matrix(3).nearness(index.connection, bytes(QUERY)) == {}


def test_vectors_are_read_once_for_each_state_of_an_index(index: Index) -> None:
    matrix = Matrix(3)
    matrix.refresh(index.connection, {"generation": "1"}, ("file",))
    for _ in range(3):
        matrix.nearness(index.connection, bytes(QUERY))
    assert index.readings == 1
    index.add(14, [(3, 4, 0)])
    matrix.refresh(index.connection, {"generation": "2"}, ("file",))
    assert 14 in matrix.nearness(index.connection, bytes(QUERY))
    assert index.readings == 2
