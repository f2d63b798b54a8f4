"""What is mere courtesy."""

from __future__ import annotations

import pytest

from memconsole.text.sentences import is_courtesy


@pytest.mark.parametrize(
    "text",
    [
        "thanks",
        "Thank you so much!",
        "you are welcome",
        "OK, great.",
        "Vielen Dank!",
        "谢谢",
        "ok 👍",
    ],
)
def test_courtesy_says_nothing(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "👍",
        "no",
        "yes",
        "are you",
        "print the real invoice 77",
        "thanks, now print invoice 77",
        "good night all of you and thank you",
        "done",
    ],
)
def test_anything_else_is_a_message(text: str) -> None:
    assert not is_courtesy(text)
