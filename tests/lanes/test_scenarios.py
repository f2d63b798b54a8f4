"""What an operator comes for at night, by keys alone, each with the keys that it may take.

Every walk begins on the screen that the console opens with, or on one far from it, over the
generated home with its loopback Gateway, in a real tmux at both sizes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.lanes.walk import DUE, LOST

if TYPE_CHECKING:
    from tests.lanes.walk import Walk

pytestmark = pytest.mark.tmux


def test_who_is_in_danger(walk: Walk) -> None:
    picture = walk.sees("LOST?")
    assert picture.split("\n")[1].startswith(f" ! LOST? {LOST} / main")
    assert "saves it" in picture.split("\n")[1]
    assert walk.keys == 0


def test_what_happened_last_whoever_did_it(walk: Walk) -> None:
    picture = walk.sees("5 Journal")
    journal = picture[picture.index("5 Journal") :]
    assert " job " in journal  # who, what, whose, and what came of it
    assert "checkpoint" in journal
    assert "✓" in journal
    assert walk.keys == 0


def test_save_the_endangered_agent_from_anywhere(walk: Walk) -> None:
    walk.goes_far()
    walk.next_finding()
    walk.press("c")
    picture = walk.sees(f"✓ {LOST} / main")
    assert f"Checkpoint {LOST}" in picture
    assert "ACTIVE_CONTEXT.md " in picture
    assert walk.keys <= 2


def test_save_the_session_that_is_selected_and_no_newer_one(walk: Walk) -> None:
    walk.press("2", "k")
    keys = re.search(r" c checkpoint (.+?)  R rotate (.+?)  ", walk.sees(" c checkpoint "))
    assert keys is not None
    assert keys[1] == keys[2]  # both act on the row under the cursor
    begin, _, end = keys[1].partition("…")
    assert not f"{begin}{end}".startswith(f"{LOST} / main")
    walk.press("c")
    heading = next(line for line in walk.sees("[ Close ]").split("\n") if "Checkpoint " in line)
    assert f"Checkpoint {begin}" in heading
    assert end in heading
    assert walk.keys == 3


def test_rotate_what_the_attention_line_names_and_read_the_proof(walk: Walk) -> None:
    walk.goes_far()
    walk.next_finding()
    while "is due" not in walk.finding():
        walk.keys = 0  # a worse finding; the count begins where the line names the session
        walk.next_finding()
    walk.press("R")
    walk.says_yes("rotate")
    assert f"Rotate {DUE}" in walk.sees("PROVEN")
    assert walk.keys <= 4


def test_why_is_this_number_suspect(walk: Walk) -> None:
    if "231.5K suspect" not in walk.picture():  # where each agent has a list of its own
        walk.press("k")
    picture = walk.sees("231.5K suspect")
    assert "231.5K reported > 200K window; transcript says 58.5K" in picture
    assert walk.keys <= 2


def test_find_what_was_decided_open_it_and_copy_its_path(walk: Walk) -> None:
    walk.press("4", "/")
    walk.write("what did we decide about the pouch cell studies")
    walk.sees("pouch-cell")
    walk.press("Enter")
    walk.sees("▸     7 - [DECISION] The two pouch-cell")
    walk.tap("y")
    walk.sees("copied memory/2026-01-09.md:7")
    assert walk.keys <= 4


def test_add_a_memory_entry_and_take_it_back(walk: Walk) -> None:
    walk.press(":")
    walk.write(f"memory add 'The deploy key moved to the vault' --agent {DUE}")
    walk.press("Enter")
    walk.says_yes("add")
    walk.sees("undo: ")
    walk.press("Escape", "u")
    walk.says_yes("undo")
    walk.sees("done")
    assert walk.keys <= 7


def test_running_the_jobs_here_asks_and_shows_what_would_be_reset(walk: Walk) -> None:
    walk.press("S")
    picture = walk.sees("[ y run them ]")
    assert "rotation would reset" in picture
    assert "after its first interval: rotation" in " ".join(picture.replace("│", " ").split())
    walk.says_yes("run them")
    walk.sees("until it quits")
    walk.press("Escape", "q")
    assert "without it nobody saves" in walk.sees("[ y quit ]")
    walk.press("Enter")
    walk.sees("2 Sessions")
    assert walk.keys <= 5
