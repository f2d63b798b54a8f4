"""A report for strangers: what its words may say, and how it is written."""

from __future__ import annotations

import pytest

from memconsole.domain.report import (
    MAX_SECTION_CHARS,
    Discretion,
    Section,
    markdown,
    placeholders,
    table,
)

NAMES = {
    "Ada Lovelace": "[label-1]",
    "work": "agent-2",
    "agent:work:telegram:dm:+491701234567": "[session-1]",
    "/srv/ada/.openclaw": "[home]",
    "ada": "[user]",
    "memory/ada and grace.md": "[file-1]",
}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ada Lovelace is due", "[label-1] is due"),
        ("ADA wrote it, Adamant stays", "[user] wrote it, Adamant stays"),
        ("work/main is due: 151.2K of 150K", "agent-2/main is due: 151.2K of 150K"),
        ("agent:work:telegram:dm:+491701234567 waits", "[session-1] waits"),
        ("agent:other:dm:+4917 waits", "[session] waits"),
        ("the disk of /srv/ada/.openclaw is full", "the disk of [home] is full"),
        ("/srv/ada/.openclaw/agents/x/sessions/z.jsonl", "[home]/agents/…/sessions/….jsonl"),
        ("memory/ada and grace.md is large", "[file-1] is large"),
        ("memory/2026-04-12.md and MEMORY.md", "memory/2026-04-12.md and MEMORY.md"),
        ("notes-of-grace.md grew", "….md grew"),
        ('its summary is only "I love you"', 'its summary is only "…"'),
        ("it isn't there and 'so was he' said", 'it isn\'t there and "…" said'),
        ("mail grace@example.org or @grace_h", "mail [address] or [name]"),
        ("call +49 170 1234567 or 4917012345678", "call [number] or [number]"),
        ("session 5e551010-0000-4000-8000-000000000001", "session [id]"),
        ("ws://192.168.7.9:18789 and ws://127.0.0.1:18789", "…//… and …//…"),
        ("at 10.0.0.4, not at 127.0.0.1", "at [host], not at 127.0.0.1"),
        ("54321 tokens, 500 KB, 2026-01-26 14:20", "54321 tokens, 500 KB, 2026-01-26 14:20"),
    ],
)
def test_names_addresses_paths_and_quotations_go_and_our_words_stay(text: str, told: str) -> None:
    assert Discretion(NAMES)(text) == told


def test_secrets_are_masked_before_anything_else() -> None:
    said = Discretion({"ghp": "[x]"})("token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    assert "redacted" in said
    assert "a1B2" not in said


def test_placeholders_stay_the_same_and_leave_out_what_everybody_has() -> None:
    found = placeholders("file", ["b.md", None, "a.md", "b.md", "main"], keeps=("main",))
    assert found == {"b.md": "[file-1]", "a.md": "[file-2]"}


def test_no_cell_ends_a_row_or_begins_a_tag() -> None:
    text = table(("a", "b"), [("x|y\nz", "<img>")])
    assert text.splitlines()[2] == r"| x\|y z | &lt;img> |"


def test_a_section_is_bounded_and_says_so() -> None:
    long = Section("runs", "Runs", "line\n" * MAX_SECTION_CHARS)
    assert len(long.markdown) < MAX_SECTION_CHARS + 100
    assert "cut: " in long.markdown
    assert markdown("R", [long, Section("x", "X", "")]).endswith("## X\n\nNothing.\n")
