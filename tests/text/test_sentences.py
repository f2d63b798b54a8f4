"""Messages are cut into sentences where people would cut them, and what is mere courtesy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.text.sentences import is_courtesy, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It works. Ship it!", ["It works.", "Ship it!"]),
        ("Use e.g. v1.2 of it. Then go.", ["Use e.g. v1.2 of it.", "Then go."]),
        ("Ask Dr. Smith, i.e. her.", ["Ask Dr. Smith, i.e. her."]),
        ("See src/app.py. It fails... maybe.", ["See src/app.py.", "It fails... maybe."]),
        ('She said "yes." Then left.', ['She said "yes."', "Then left."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("- [ ] one\n2. two\n> three", ["one", "two", "three"]),
        ("before\n```\ncode. Here.\n```\nafter", ["before", "after"]),
        ("我们用它。好的！", ["我们用它。", "好的！"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert [one.text for one in sentences(text)] == parts


def test_a_bracket_at_the_end_of_a_line_is_a_note() -> None:
    one, note = sentences("Look at this. [shared image: a dog]")

    assert (one.is_note, note.is_note, note.text) == (False, True, "[shared image: a dog]")


@given(st.text(max_size=80))
def test_letters_are_neither_lost_nor_moved(text: str) -> None:
    said = "".join(one.text for one in sentences(f"x{text}" if "`" not in text else "x"))

    letters = [letter for letter in said if letter.isalpha()]
    rest = iter(f"x{text}")
    assert all(letter in rest for letter in letters)


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
