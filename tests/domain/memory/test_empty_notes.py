"""Which daily notes are old, and which of them hold nothing."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memconsole.domain.memory.empty_notes import is_empty_note, is_old_note

TODAY = date(2026, 2, 1)
MONTH = timedelta(days=30)


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n", "# main — 2026-01-01\n\n", "\n## 10:00\r\n"])
def test_nothing_but_a_heading_is_empty(text: str) -> None:
    assert is_empty_note(text)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "# Day\n\n## Ship on Friday\n",
        "# Day\n- one\n",
        "<!-- kept -->",
        "#hashtag",
        "Day\n===\n",
    ],
)
def test_whatever_else_stands_there_is_kept(text: str) -> None:
    assert not is_empty_note(text)


@pytest.mark.parametrize(
    ("path", "is_old"),
    [
        ("memory/2026-01-01.md", True),
        ("memory/2026-01-02.md", False),
        ("memory/2026-01-01-port-8443.md", True),
        ("memory/2026-01-01.txt", False),
        ("memory/2026-13-01.md", False),
        ("memory/topic.md", False),
        ("memory/archive/2026-01-01.md", False),
        ("2026-01-01.md", False),
        ("memory/2026-03-01.md", False),
    ],
)
def test_a_note_is_as_old_as_the_day_in_its_name(path: str, is_old: bool) -> None:
    assert is_old_note(path, TODAY, MONTH) == is_old
