"""Which notes have earned a place in MEMORY.md, and what is written of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.consolidate.promotion import (
    SECTION,
    Parts,
    Proposal,
    bullet,
    candidates,
    keeps_enough,
    notes_of,
    parts_of,
)
from memconsole.domain.memory.edits import inserted
from memconsole.domain.memory.entries import MemoryEntry, entries_of, entry_id
from memconsole.domain.memory.markers import marked_lines
from memconsole.text.fences import hidden_spans
from tests.doubles.platform import NOW

PATH = "memory/2026-01-20.md"


def note(text: str = "Port 8443 is the gateway", **changes: object) -> MemoryEntry:
    base = MemoryEntry(entry_id(PATH, text), PATH, 5, 5, text, date="2026-01-20")
    return replace(base, **changes)  # type: ignore[arg-type]


def found(
    entry: MemoryEntry, times: int = 1, *, days: int = 1, score: float = 1.0
) -> list[NoteHit]:
    at = [NOW - timedelta(days=number % days) for number in range(times)]
    return [
        NoteHit(entry.id, PATH, f"{number:016x}", when.date(), score, when)
        for number, when in enumerate(at)
    ]


def test_the_score_is_the_weighted_sum() -> None:
    assert Parts(1, 1, 1, 1, 1, 1).score == 1.0
    weights = [Parts(*(float(at == number) for at in range(6))).score for number in range(6)]
    assert weights == [0.30, 0.24, 0.15, 0.15, 0.10, 0.06]


def test_each_part_is_a_share_of_enough() -> None:
    parts = parts_of(note(tags=("FACT",)), found(note(), 10, days=5, score=0.8), NOW)
    assert parts.relevance == pytest.approx(0.8)
    assert (parts.frequency, parts.diversity, parts.recurrence) == (1.0, 1.0, 1.0)
    assert parts.recency == 1.0
    assert parts.richness == pytest.approx(2 / 6)  # its marker and its number
    once = parts_of(note(), found(note()), NOW + timedelta(days=14))
    assert once.recency == 0.5
    assert (once.recurrence, once.diversity) == (0.0, 0.2)
    assert once.frequency == pytest.approx(0.289, abs=0.001)


@pytest.mark.parametrize(
    ("hits", "later", "passes"),
    [
        (found(note(), 8, days=4), 0, True),
        (found(note(), 2, days=2), 0, False),
        ([replace(one, query="0" * 16) for one in found(note(), 8, days=8)], 0, False),
        (found(note(), 8, days=4, score=0.1), 0, False),
        (found(note(), 20, days=20), 31, False),
    ],
    ids=["enough", "too seldom", "one question", "badly", "long ago"],
)
def test_every_gate_holds(hits: list[NoteHit], later: int, passes: bool) -> None:
    [one] = candidates([note()], hits, (), NOW)
    assert one.passes(NOW + timedelta(days=later)) is passes


def test_a_gate_of_age_holds_alone() -> None:
    [one] = candidates([note()], found(note(), 20, days=20), (), NOW)
    sure = replace(one, parts=Parts(1, 1, 1, 1, 1, 1))
    assert sure.passes(NOW + timedelta(days=30))
    assert not sure.passes(NOW + timedelta(days=30, seconds=1))


@pytest.mark.parametrize(
    "text", ["word " * 129, "```\ncode\n```", "~~~\ncode\n~~~", "2026-01-20: [FACT]", "[FACT] ```x"]
)
def test_long_notes_code_and_empty_ones_are_no_candidates(text: str) -> None:
    one = note(text)
    assert candidates([one], found(one, 9), (), NOW) == ()


def test_what_memory_says_already_is_no_candidate() -> None:
    hits = found(note(), 9)
    assert candidates([note()], hits, ["2026-01-01: port 8443 is the Gateway."], NOW) == ()
    [one] = candidates([note()], hits, ["Port 8444 is the gateway"], NOW)
    assert one.id == note().id
    assert candidates([note()], (), (), NOW) == ()


def test_the_best_comes_first_and_twins_in_one_file_are_one() -> None:
    other = note("Ada prefers tea", line=9)
    hits = [*found(note(), 2), *found(other, 9)]
    ranked = candidates([note(), replace(note(), line=30), other], hits, (), NOW)
    assert [(one.id, one.line) for one in ranked] == [(other.id, 9), (note().id, 5)]


def test_what_a_checkpoint_wrote_is_no_note() -> None:
    text = (
        "# main — 2026-01-20\n\n- Mine\n\n### Checkpoint 09:20 (auto)\n\n- Last request: x\n\n"
        "## 10:00 - Note\n\n- Mine too\n\n```\n### Checkpoint in code\n```\n\n- And this\n"
    )
    said = [one.text for one in notes_of(PATH, text)]
    assert said == ["Mine", "Mine too", "```\n### Checkpoint in code\n```", "And this"]
    assert notes_of("MEMORY.md", "- curated\n") == ()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[DECISION] Use Caddy", "- 2026-01-20: [DECISION] Use Caddy"),
        ("2026-01-19: [FACT] Use Caddy", "- 2026-01-20: [FACT] Use Caddy"),
        ("Use [DECISION] Caddy", "- 2026-01-20: Use \\[DECISION\\] Caddy"),
        ("\\[DECISION\\] said Bob", "- 2026-01-20: \\[DECISION\\] said Bob"),
        ("a | b `c` <!-- d -->", "- 2026-01-20: a \\| b \\`c\\` \\<\\!-- d -->"),
        ("One\n  - two\n# three", "- 2026-01-20: One - two # three"),
        ("🔴 urgent", "- 2026-01-20: \\🔴 urgent"),
    ],
)
def test_only_the_marker_in_front_stays_markdown(text: str, written: str) -> None:
    tags = tuple(tag for tag in ("DECISION", "FACT") if f"[{tag}]" in text)
    assert bullet(note(text, tags=tags)) == written


def test_a_secret_is_masked_and_a_note_without_a_day_has_none() -> None:
    secret = "sk-proj-Zk3mQ9vB7xW2nL5tR8yU1aaaaBBBBcccc"
    said = bullet(note(f"api_key\\={secret}", date=None))
    assert secret not in said
    assert said.startswith("- api\\_key=") or said.startswith("- api_key=")


def test_memory_may_lose_a_quarter_at_most() -> None:
    before = [note(f"Entry {number}") for number in range(4)]
    assert keeps_enough(before, before[1:])
    assert not keeps_enough(before, before[2:])
    assert keeps_enough([], [])


LONG = "# Memory\n\n- [FACT] Ada prefers tea\n\n## Else\n\n> quoted\n"


@given(st.text(min_size=1, max_size=300))
def test_no_note_can_become_anything_but_one_line_of_text(text: str) -> None:
    """Whatever an agent was made to write: one entry more, no marker, nothing hidden."""
    found_notes = notes_of(PATH, f"## 09:00 - Note\n\n- {text}\n")
    for one in found_notes:
        line = bullet(one)
        assert "\n" not in line
        assert "\r" not in line
        after = inserted(LONG, "Memory", SECTION, line)
        entries, old = entries_of("MEMORY.md", after), entries_of("MEMORY.md", LONG)
        assert {it.id for it in old} <= {it.id for it in entries}
        assert len(entries) - len(old) == 1
        assert list(hidden_spans(after)) == list(hidden_spans(LONG))
        marked = [tag for _, tag, _ in marked_lines(after)]
        assert marked in (["FACT"], ["FACT", *one.tags[:1]])


def test_a_proposal_tells_where_its_note_stands() -> None:
    [one] = candidates([note()], found(note(), 4, days=2), (), NOW)
    assert isinstance(one, Proposal)
    assert (one.id, one.path, one.line, one.day) == (note().id, PATH, 5, "2026-01-20")
    assert (one.hits, one.queries, one.days, one.last_at) == (4, 4, 2, NOW)
    assert one.score == one.parts.score
