"""Two checkpoints beside each other: every line of both is there, and what counts is counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.checkpoint.diff import Side, compare

OLDER = """# Active Context — main
> Updated: 2026-01-26T14:00:00+01:00 by memconsole checkpoint
> Messages: 2 (1 user, 1 assistant) | Tokens: 1000 | Compactions: 0

## Recent Requests
- **[13:50]** migrate the shop
"""
NEWER = """# Active Context — main
> Updated: 2026-01-26T14:30:00+01:00 by memconsole checkpoint
> Messages: 4 (2 user, 2 assistant) | Tokens: 1400 | Compactions: 0

## Recent Requests
- **[14:20]** and the docs

## Open Items
- [ ] tell Ada
"""

lines = st.lists(st.sampled_from(["", "- a", "- b", "> head", "## Part"]), max_size=12)


def test_what_was_saved_counts_and_when_does_not() -> None:
    diff = compare(OLDER, NEWER)

    assert (diff.added, diff.removed) == (2, 1)
    assert [line.text for line in diff.lines if line.side is Side.BOTH] == [
        "# Active Context — main",
        "",
        "## Recent Requests",
    ]
    assert [line.text for line in diff.lines if line.counts] == [
        "- **[13:50]** migrate the shop",
        "- **[14:20]** and the docs",
        "- [ ] tell Ada",
    ]


def test_the_same_work_at_another_time_is_no_change() -> None:
    later = OLDER.replace("14:00:00", "14:30:00")
    diff = compare(OLDER, later)

    assert (diff.added, diff.removed) == (0, 0)
    assert sum(line.side is not Side.BOTH for line in diff.lines) == 2


@given(lines, lines)
def test_both_texts_can_be_read_out_of_it(older: list[str], newer: list[str]) -> None:
    found = compare("\n".join(older), "\n".join(newer)).lines

    for side, text in ((Side.OLDER, older), (Side.NEWER, newer)):
        kept = [line.text for line in found if line.side in (Side.BOTH, side)]
        assert kept == "\n".join(text).splitlines()
