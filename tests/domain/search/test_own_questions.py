"""Text that only asks, told apart from text that says something."""

from __future__ import annotations

import re

import pytest

from memconsole.domain.search.indexing import Source
from memconsole.domain.search.own_questions import only_asks
from memconsole.domain.search.values import SearchHit


def asks(text: str, words: str = "port|staging") -> bool:
    marks = tuple(match.span() for match in re.finditer(words, text))
    hit = SearchHit("main", Source.SESSIONS, "sessions/1", 1, 2, 1, 1, 1, False, text, marks)
    return only_asks(hit, text)


@pytest.mark.parametrize(
    "text",
    [
        "user: Which port does staging use?",
        "- **Ada**: Which port does staging use? \n",
        "user: Which port does staging use?\nuser: Is anybody there?",
        "assistant: Done.\nuser: Which port does staging use? (asking again)",
        "- Open: which port does staging use?\n- Open: who has the key?",
        "user: Which port does staging use?\n\n## 14:20",
        "user: staging はどのport ですか？",
    ],
)
def test_a_question_without_an_answer_only_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "user: Which port does staging use?\nassistant: 8443.",
        "- Q: which port does staging use?\n- A: 8443",
        "user: Which port does staging use? The port is 8443 I think.",
        "staging uses port 8443. Fine?",
        "the port of staging",
    ],
)
def test_what_answers_or_says_something_does_not(text: str) -> None:
    assert not asks(text)


def test_without_a_matched_word_nothing_is_asked() -> None:
    assert not asks("Who has the key?")
