"""The labelled sets of our own are what their READMEs say: no search is run here."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from benchmarks.operator_set import SET, WORKSHOP, read_rows
from memconsole.domain.search.chunking import chunks
from memconsole.domain.search.query import stem
from memconsole.domain.search.recall import questions
from memconsole.text.folding import STOP_WORDS, index_text, words
from memconsole.text.redaction import mask

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ROWS = read_rows()
WORKSHOP_ROWS = read_rows(WORKSHOP)
EVERY_ROW = [(SET, row) for row in ROWS] + [(WORKSHOP, row) for row in WORKSHOP_ROWS]
QUESTIONS = tuple(questions((SET / "queries.jsonl").read_text("utf-8").splitlines()))
FILES = sorted((SET / "operator").rglob("*.md"))
EVERY_FILE = [*FILES, *sorted((WORKSHOP / "workshop").rglob("*.md"))]
LANGUAGES = {"de": 8, "pt": 8, "zh": 7, "ja": 7}


def test_has_forty_files_and_a_hundred_and_fifty_questions() -> None:
    assert len(FILES) == 40
    assert len(QUESTIONS) == len(ROWS) == 150
    assert len({row["id"] for row in ROWS}) == len({row["query"] for row in ROWS}) == 150


def test_all_evidence_is_a_line_of_text() -> None:
    for place, row in EVERY_ROW:
        for path, line in _evidence(row):
            text = _lines(place, row, path)[line - 1].strip()
            assert text.strip("#|-> "), (row["query"], path, line)


def test_the_workshop_set_is_as_large_as_its_readme_says() -> None:
    kinds = Counter(row["category"] for row in WORKSHOP_ROWS)
    assert kinds == {"words": 10, "paraphrase": 33, "cross-language": 24}
    foreign = Counter(row["language"] for row in WORKSHOP_ROWS if row["language"] != "en")
    assert foreign == {"de": 6, "pt": 5, "zh": 5, "ja": 4, "fr": 2, "es": 2}


def test_every_file_answers_a_question_and_lies_in_a_chunk() -> None:
    named = {path for one in QUESTIONS for path, _ in one.evidence}
    assert named == {file.relative_to(SET / "operator").as_posix() for file in FILES}
    assert sum(len(list(chunks(file.read_text("utf-8")))) for file in FILES) == 192


def test_kinds_and_languages_are_as_many_as_the_readme_says() -> None:
    kinds = Counter(row["category"] for row in ROWS)
    assert kinds == {
        "words": 30,
        "identifier": 15,
        "paraphrase": 75,
        "same-language": 16,
        "cross-language": 14,
    }
    foreign = Counter(row["language"] for row in ROWS if row["language"] != "en")
    assert foreign == LANGUAGES
    assert {row["language"] for row in ROWS if "language" in str(row["category"])} == set(LANGUAGES)


def test_the_halves_are_even_in_each_kind_and_language() -> None:
    assert Counter(row["half"] for row in ROWS) == {"dev": 75, "test": 75}
    cells: dict[tuple[object, object], Counter[object]] = {}
    for row in ROWS:
        cell = cells.setdefault((row["category"], row["language"]), Counter())
        cell[row["half"]] += 1
    for name, halves in cells.items():
        assert abs(halves["dev"] - halves["test"]) <= 1, name


def test_paraphrases_share_no_content_word_with_their_evidence() -> None:
    for place, row in EVERY_ROW:
        if row["category"] != "paraphrase":
            continue
        for path, line in _evidence(row):
            lines = _lines(place, row, path)
            said = [lines[line - 1], *_headings(lines[:line])]
            assert not _shared(str(row["query"]), said), row


def test_questions_in_words_of_the_note_share_some() -> None:
    for place, row in EVERY_ROW:
        if row["category"] in {"words", "identifier"}:
            texts = [_lines(place, row, path)[line - 1] for path, line in _evidence(row)]
            assert _shared(str(row["query"]), texts), row


def test_shared_words_are_seen_in_other_forms() -> None:
    assert _shared("how are releases rolled back", ["Rolling back a release."]) == {
        "releases",
        "rolled",
        "back",
    }
    assert not _shared("how is it done", ["It is how we do this."])


@pytest.mark.parametrize("file", EVERY_FILE, ids=lambda file: file.name)
def test_nothing_looks_like_a_secret(file: Path) -> None:
    text = file.read_text("utf-8")
    assert mask(text) == text


def _lines(place: Path, row: dict[str, object], path: str) -> list[str]:
    return (place / str(row["agent"]) / path).read_text("utf-8").split("\n")


def _evidence(row: dict[str, object]) -> tuple[tuple[str, int], ...]:
    [question] = questions([json.dumps(row)])
    return question.evidence


def _headings(lines: Iterable[str]) -> list[str]:
    """Return the headings that stand above the last of these lines."""
    above: list[tuple[int, str]] = []
    for line in lines:
        if (level := len(line) - len(line.lstrip("#"))) > 0:
            above = [one for one in above if one[0] < level] + [(level, line)]
    return [line for _, line in above]


def _shared(query: str, texts: list[str]) -> set[str]:
    """Return the words of a query that a text has in any form: by FTS5's stemmer and by ours."""
    said = "\n".join(texts)
    stems = {stem(word) for word in words(said) if word not in STOP_WORDS}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter')")
        connection.execute("INSERT INTO said VALUES (?)", (index_text(said),))
        return {
            word
            for word in words(query)
            if word not in STOP_WORDS and (stem(word) in stems or _is_found(connection, word))
        }


def _is_found(connection: sqlite3.Connection, word: str) -> bool:
    sql = "SELECT 1 FROM said WHERE said MATCH ?"
    return connection.execute(sql, (f'"{word}"',)).fetchone() is not None
