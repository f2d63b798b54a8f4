"""Entries of memory files, their ids, and edits that can be taken back."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.domain.memory.blocks import lines_of, shown_lines
from memconsole.domain.memory.edits import edit_of, inserted, is_exact, undone, without
from memconsole.domain.memory.entries import (
    bare,
    entries_of,
    entry_id,
    is_empty_note,
    is_old_note,
    matching,
)
from memconsole.domain.memory.observations import OBSERVATIONS, observation_id

TEXT = """---
title: not an entry
---
# Memory

Intro of two
lines.

## Notes

- 2026-01-02: [DECISION] use REST
  because of x

  and more
- plain item
lazy end
1. numbered
   - nested

```
code

more
```

<!-- hidden
- nothing
-->
---
- [ ] open box
"""

WORDS = ("", "- item", "  - deep", "## Notes", "## 13:20 - Note", "para", "```", "<!--", "-->")
OTHERS = ("***", "Date: 2026-01-02", "\ttab", "- 🔴 13:20 seen <!-- dc:type=fact -->")
LINES = st.lists(st.sampled_from((*WORDS, *OTHERS)), max_size=14)
TEXTS = st.one_of(
    st.builds(
        lambda lines, ends: "".join(f"{line}{end}" for line, end in zip(lines, ends, strict=False)),
        LINES,
        st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=14, max_size=14),
    ),
    st.text(max_size=80),
)
PATHS = st.sampled_from(["MEMORY.md", "memory/2026-01-26.md", OBSERVATIONS])


def test_blocks_are_what_a_person_would_call_notes() -> None:
    assert [(one.line, one.end_line, one.text) for one in entries_of("MEMORY.md", TEXT)] == [
        (6, 7, "Intro of two\nlines."),
        (11, 14, "2026-01-02: [DECISION] use REST\nbecause of x\n\nand more"),
        (15, 16, "plain item\nlazy end"),
        (17, 18, "numbered\n- nested"),
        (20, 24, "```\ncode\n\nmore\n```"),
        (30, 30, "open box"),
    ]


def test_tags_and_day_of_an_entry() -> None:
    [one] = entries_of("MEMORY.md", "- 2026-01-02: [TODO] do it, no \\[FACT]\n")
    assert (one.tags, one.date) == (("TODO",), "2026-01-02")
    assert bare(one.text) == "do it, no \\[FACT]"
    [one] = entries_of("memory/2026-01-03-talk.md", "words\n")
    assert (one.tags, one.date, one.id[:2]) == ((), "2026-01-03", "d-")
    [one] = entries_of("memory/topic.md", "words\n")
    assert (one.date, one.id[:2]) == (None, "m-")


def test_a_note_of_a_daily_log_takes_its_heading_along_when_it_is_alone() -> None:
    path = "memory/2026-01-26.md"
    text = "# d\n\n## 13:20 - Note\n\n- one\n\n## 13:30 - Note (main)\n\n- two\n\nnot ours\n"
    found = entries_of(path, text)
    assert [(one.line, one.end_line, one.text) for one in found] == [
        (3, 5, "one"),
        (9, 9, "two"),
        (11, 11, "not ours"),
    ]
    after, edit = without(path, text, found[:1])
    assert after == "# d\n\n## 13:30 - Note (main)\n\n- two\n\nnot ours\n"
    assert undone(edit, after) == text


def test_observations_keep_the_id_that_stands_in_them() -> None:
    text = (
        "# Observations Log\n\nMaintained by memconsole.\n\nDate: 2026-01-26\n"
        "- 🔴 14:05 Chose REST <!-- dc:type=decision mc:id=o-7f3a91c2 -->\n"
        "  - 🟡 14:06 a child\n- 🟢 no id\n- 🟢 copied <!-- mc:id=o-00000001 -->\n"
        "- 🟢 again <!-- mc:id=o-00000001 -->\n"
    )
    found = entries_of(OBSERVATIONS, text)
    assert [(one.line, one.end_line, one.text) for one in found] == [
        (6, 7, "Chose REST"),
        (7, 7, "a child"),
        (8, 8, "no id"),
        (9, 9, "copied"),
        (10, 10, "again"),
    ]
    ids = [one.id for one in found]
    assert ids[0] == "o-7f3a91c2"
    assert ids[2:] == [observation_id(one) for one in ("no id", "copied", "again")]
    assert {one.date for one in found} == {"2026-01-26"}


def test_what_says_nothing_is_no_entry() -> None:
    assert [one.text for one in entries_of("MEMORY.md", "---\n- \n- x\n*\n")] == ["x"]


@pytest.mark.parametrize("path", ["memory/ACTIVE_CONTEXT.md", "memory/INDEX.md"])
def test_files_made_of_others_have_no_entries(path: str) -> None:
    assert entries_of(path, "- one\n") == ()


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("- Größe und Länge\n".encode("latin-1").decode("utf-8", "replace"), 1),
        (bytes(range(256)).decode("utf-8", "replace"), 0),
        ("- \ufffd\ufffd\ufffd\n", 1),
        ("- " + "\ufffd" * 17, 0),
        ("- words\0\n", 0),
    ],
    ids=["another encoding", "a picture", "a few", "unreadable", "a zero"],
)
def test_what_is_no_text_has_no_entries(text: str, entries: int) -> None:
    assert len(entries_of("memory/picture.md", text)) == entries


def test_ids_are_found_by_their_beginning() -> None:
    entries = entries_of("MEMORY.md", "- a\n- b\n")
    one = entries[0]
    assert matching(entries, one.id) == (one,)
    assert matching(entries, one.id[2:]) == (one,)
    assert matching(entries, "m-") == entries
    assert matching(entries, "d-" + one.id[2:]) == ()


@given(PATHS, TEXTS)
def test_ids_stay_when_lines_move_and_words_stay(path: str, text: str) -> None:
    known = entries_of(path, text)
    moved = entries_of(path, "".join(f"\n{text}"))
    front_matter = text.lstrip("\ufeff").startswith("---")
    if not front_matter:
        assert [one.id for one in moved] == [one.id for one in known]
        assert [one.line - 1 for one in moved] == [one.line for one in known]
    assert {one.id for one in known} == {entry_id(path, f" {one.text}\t") for one in known}


@given(PATHS, TEXTS, st.data())
def test_what_is_taken_out_comes_back_to_the_byte(
    path: str, text: str, data: st.DataObject
) -> None:
    known = entries_of(path, text)
    if not known:
        return
    chosen = data.draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    after, edit = without(path, text, chosen)
    assert len(after) < len(text)
    assert is_exact(edit, after)
    assert undone(edit, after) == text


@given(st.one_of(st.none(), TEXTS))
@example("## Notes\n<!--")
@example("# Log\n\n## Notes\n\n- kept\n\n<!-- open\n## Other\n")
@example("kept\n```\ncode")
def test_what_is_put_in_goes_again_to_the_byte(text: str | None) -> None:
    line = "- 2026-01-26: something that stands nowhere"
    after = inserted(text, "Memory", "Notes", line)
    lines = lines_of(after)
    seen = zip(lines, shown_lines(lines), strict=True)
    assert [is_shown for one, is_shown in seen if one == line] == [True]
    assert undone(edit_of("MEMORY.md", text, after), after) == (text or "")


@given(TEXTS, TEXTS)
def test_undoing_in_a_text_of_others_loses_none_of_it(text: str, now: str) -> None:
    known = entries_of("MEMORY.md", text)
    if known:
        after, edit = without("MEMORY.md", text, known[:1])
        found = undone(edit, now)
        assert found is not None
        assert len(found) >= len(now)
        if now != after:
            assert edit.spans[0].removed in found


def test_an_addition_that_is_gone_cannot_be_undone() -> None:
    edit = edit_of("MEMORY.md", "a\n", "a\nb\n")
    assert undone(edit, "a\nc\n") is None
    assert undone(edit, "x\na\nb\n") == "x\na\n"


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
