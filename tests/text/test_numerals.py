"""Sizes in words: a KB is 1,024 bytes and nothing is rounded up."""

from __future__ import annotations

import pytest

from memconsole.text.numerals import at_least, size_column, size_words


@pytest.mark.parametrize(
    ("size_bytes", "words", "column"),
    [
        (-1, "0 B", "0B"),
        (0, "0 B", "0B"),
        (1023, "1023 B", "1023B"),
        (1024, "1 KB", "1KB"),
        (2150, "2 KB", "2KB"),
        (2151, "2.1 KB", "2KB"),
        (10_239, "9.9 KB", "9KB"),
        (735_011, "717 KB", "717KB"),
        (1024 * 1024 - 1, "1023 KB", "1023KB"),
        (1024 * 1024, "1 MB", "1MB"),
        (3 * 1024**3 // 2, "1.5 GB", "1GB"),
        (5 * 1024**5, "5120 TB", "5120TB"),
    ],
)
def test_sizes(size_bytes: int, words: str, column: str) -> None:
    assert size_words(size_bytes) == words
    assert size_column(size_bytes) == column


@pytest.mark.parametrize(
    ("count", "is_all", "words"),
    [(0, True, "0"), (1234, True, "1,234"), (0, False, "?"), (1234, False, "1,234+?")],
)
def test_a_count_that_may_lack_some_never_claims_to_be_all(
    count: int, is_all: bool, words: str
) -> None:
    assert at_least(count, is_all=is_all) == words
