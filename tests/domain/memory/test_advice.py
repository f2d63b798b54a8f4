"""What wants a look in curated memory: said twice, said otherwise since, open for long."""

from __future__ import annotations

from datetime import date

import pytest

from memconsole.domain.memory.advice import AdviceKind, advice_on
from memconsole.domain.memory.entries import entries_of

TODAY = date(2026, 3, 1)


def said(text: str, path: str = "MEMORY.md", *, today: date = TODAY) -> list[tuple[str, int]]:
    """Return kind and line of each advice on a file."""
    return [(one.kind.value, one.entry.line) for one in advice_on(entries_of(path, text), today)]


def test_what_is_said_twice_names_the_later_one_and_what_stays() -> None:
    text = (
        "- 2026-01-05: Backups run on kaveri every night\n"
        "- 2026-02-01: backups run on kaveri, every night\n"
    )
    [advice] = advice_on(entries_of("MEMORY.md", text), TODAY)
    assert advice.kind is AdviceKind.TWICE
    assert advice.entry.line == 2
    assert advice.other is not None
    assert advice.other.line == 1


def test_what_every_session_loads_stays_when_another_file_repeats_it() -> None:
    line = "- Backups run on kaveri every night\n"
    notes = entries_of("memory/hosts.md", f"- 2025-01-01: {line[2:]}")
    [advice] = advice_on((*notes, *entries_of("MEMORY.md", line)), TODAY)
    assert (advice.entry.path, advice.other and advice.other.path) == (
        "memory/hosts.md",
        "MEMORY.md",
    )


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("The digest goes out at 06:00", "The digest goes out at 07:00", ["outdated"]),
        (
            "Show prices of the cache on every page",
            "Never show prices of the cache on every page",
            ["outdated"],
        ),
        ("Mira owns the digest job now", "Jonas owns the digest job now", []),
        ("Rule 8 is for service 8 alone", "Rule 16 is for service 16 alone", []),
        ("The digest goes out at 06:00", "Invoices are checked by hand", []),
    ],
)
def test_a_newer_entry_that_says_otherwise_makes_the_older_one_outdated(
    older: str, newer: str, expected: list[str]
) -> None:
    text = f"- 2026-02-20: {newer}\n- 2026-01-05: {older}\n"
    assert said(text) == [(kind, 2) for kind in expected]


def test_without_days_nobody_knows_which_of_two_is_outdated() -> None:
    assert said("- The digest goes out at 06:00\n- The digest goes out at 07:00\n") == []


@pytest.mark.parametrize(("day", "is_old"), [("2026-01-29", True), ("2026-01-30", False)])
def test_a_todo_is_open_for_long_after_thirty_days(day: str, is_old: bool) -> None:
    assert said(f"- {day}: [TODO] order a larger disk\n") == ([("open", 1)] if is_old else [])


def test_a_day_that_does_not_exist_is_no_age() -> None:
    assert said("- 2026-02-31: [TODO] order a larger disk\n") == []


def test_of_three_that_say_the_same_two_may_go() -> None:
    line = "Backups run on kaveri every night\n"
    assert said(f"- {line}- {line.upper()}- {line}") == [("twice", 2), ("twice", 3)]


def test_what_is_alike_but_not_the_same_is_no_advice() -> None:
    one = "Backups of the inventory run on kaveri every single night"
    other = "Backups of the inventory ran on kaveri each single night"
    assert said(f"- {one}\n- {other}\n") == []
