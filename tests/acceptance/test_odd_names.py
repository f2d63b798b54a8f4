"""Files and folders of any name: every reading command ends well and shows nothing that steers."""

from __future__ import annotations

import json
import os
import shutil
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.acceptance.bad_homes import MAIN, SESSION, sound_home
from tests.acceptance.sound_answers import live_at_rest, read_everything
from tests.conftest import live_in
from tests.lengths import costly

if TYPE_CHECKING:
    from pathlib import Path

STAMP = b"2026-04-11T21-33-23.094Z"
PIECES = (
    *(b"notes", b"caf\xe9", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[31m", b"\x1b]0;x\x07", b"\n"),
    *(b"\r", b"\t", b"\x7f", b"\x9b31m", b"[/bad]", b" ", b".", b"..", b"-", b"%00", b"\\", b"#"),
    *(b"'", b'"', b"2026-04-12", b"x" * 90),
    *(one.encode() for one in ("\x9bA", "\u202e", "\u200f", "\u2066", "\u2028", "\ufeff", "日本")),
)
NAMES = st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), min_size=1, max_size=4).map(
    lambda pieces: b"".join(pieces).replace(b"/", b"").replace(b"\0", b"")[:150].strip(b".") or b"n"
)
READING = (
    ("status",),
    ("agents",),
    ("sessions", "--all"),
    ("session", MAIN),
    ("transcript", MAIN),
    ("memory", "pool"),
    ("memory", "show"),
    ("markers",),
    ("reindex", "--sessions"),
    ("search", "boat"),
    ("memory", "search", "boat"),
    ("checkpoint", "--dry-run"),
    ("observe", "--dry-run"),
    ("summarize", MAIN, "--dry-run"),
    ("recover",),
    ("index-md", "--dry-run"),
    ("index-md", "--print"),
    ("consolidate", "--report"),
    ("reflect", "--dry-run", "--force"),
    ("rotate", "--dry-run"),
    ("bootstrap",),
    ("prune-preview", MAIN),
    ("logs", "rotate", "--dry-run"),
    ("health",),
    ("config", "check"),
    ("hooks", "status"),
    ("alerts", "list"),
    ("jobs",),
    ("runs",),
)
"""What reads the home; `reindex` and `recover` write beside it."""

NUMBERS = count()


def odd_home(state: Path, name: bytes) -> Path:
    """Make a sound home in which each kind of file and folder has this name once."""
    sound_home(state)
    at = os.fsencode(state)
    sessions = at + b"/agents/main/sessions/"
    record = (state / "agents" / "main" / "sessions" / f"{SESSION}.jsonl").read_bytes()
    for path, content in (
        (at + b"/workspace/memory/" + name + b".md", b"# A boat\n\n- [FACT] The boat is blue.\n"),
        (at + b"/workspace/memory/" + name + b"/in.md", b"- [DECISION] A boat inside.\n"),
        (at + b"/workspace/" + name + b".md", b"A boat at the root.\n"),
        (at + b"/workspace/memory/.dreams/" + name, b"{}"),
        (at + b"/extra/" + name + b".md", b"- [TODO] paint the boat\n"),
        (sessions + name + b".jsonl", record),
        (sessions + SESSION.encode() + b"-topic-" + name + b".jsonl", record),
        (sessions + name + b".jsonl.reset." + STAMP, record),
        (sessions + name + b".trajectory.jsonl", b"{}\n"),
        (at + b"/agents/" + name + b"/sessions/" + name + b".jsonl", record),
    ):
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - bytes
        with open(path, "wb") as file:  # noqa: PTH123 - bytes
            file.write(content)
    config = {
        "agents": {
            "list": [
                {"id": "main", "memorySearch": {"extraPaths": [str(state / "extra")]}},
                {"id": "other"},
            ]
        },
        "gateway": {"port": 1},
    }
    (state / "openclaw.json").write_text(json.dumps(config))
    return state


@given(NAMES)
@costly(1)
@example(b"caf\xe9 \x1b[31m\n\xe2\x80\xae")
def test_every_reading_command_survives_any_name(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], name: bytes
) -> None:
    shown = os.fsdecode(name)
    home = tmp_path / f"{next(NUMBERS)}" / shown
    state = odd_home(home / ".openclaw", name)
    by_name = (("get", f"memory/{shown}.md"), ("session", shown), ("sessions", "--agent", shown))
    with pytest.MonkeyPatch.context() as world:
        live_in(home, world)
        live_at_rest(world)
        read_everything(state, (*READING, *by_name), capfdbinary)
    shutil.rmtree(home.parent)
