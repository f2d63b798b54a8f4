"""Ends of transcripts that are remembered between two processes."""

from __future__ import annotations

import socket
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.transcripts import usage_memory
from memconsole.adapters.transcripts.usage_memory import DiskUsages
from memconsole.domain.transcripts.records import (
    Compaction,
    Message,
    MessageKind,
    Tail,
    TranscriptCounts,
)

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.transcripts.records import UsageMark

AT = datetime(2026, 4, 12, 9, 0, 0, 123_456, tzinfo=UTC)
LONG_AGO_NS = 1_775_984_400_000_000_000
HOME = "/home/operator/.openclaw"
TAIL = Tail(
    counts=TranscriptCounts(damaged=1, off_path=2, unknown=3, unknown_newest=1, skewed=4),
    is_whole=True,
    has_gap=True,
    read_bytes=5,
    usage_tokens=152_000,
    usage_points=((AT, 151_000), (AT, 152_000)),
    spoke_at=AT,
)


def mark(name: str = "a", changed_ns: int = LONG_AGO_NS) -> UsageMark:
    return f"/x/{name}.jsonl", name, 1, (64, 4711, 900, LONG_AGO_NS, changed_ns)


def test_what_was_read_is_there_for_the_next_process(state: Path) -> None:
    DiskUsages(state).store(HOME, {mark(): TAIL, mark("b"): Tail()})

    assert DiskUsages(state).load(HOME) == {mark(): TAIL, mark("b"): Tail()}
    assert DiskUsages(state).load("/another/home") == {}
    [folder] = state.iterdir()
    [file] = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    made = tmp_path / "state"
    made.mkdir()
    return made


@pytest.mark.parametrize(
    "tail",
    [
        Tail(last_compaction=Compaction("what was said")),
        Tail(messages=(Message(MessageKind.MESSAGE, "words"),)),
        Tail(counts=TranscriptCounts(in_progress=1)),
        Tail(counts=TranscriptCounts(future=1)),
    ],
    ids=["summary", "words", "half a line", "time ahead"],
)
def test_words_and_what_the_moment_decides_are_not_kept(state: Path, tail: Tail) -> None:
    DiskUsages(state).store(HOME, {mark(): tail})

    assert DiskUsages(state).load(HOME) == {}


def test_a_file_that_was_just_written_may_change_again_unseen(state: Path) -> None:
    DiskUsages(state).store(HOME, {mark(changed_ns=time.time_ns()): TAIL})

    assert DiskUsages(state).load(HOME) == {}


@pytest.mark.parametrize("other", ["host", "release", "garbage", "link", "open to others"])
def test_nothing_is_taken_from_elsewhere(
    state: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    DiskUsages(state).store(HOME, {mark(): TAIL})
    [file] = (state / "usages").iterdir()
    if other == "host":
        monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    elif other == "release":
        monkeypatch.setattr(usage_memory, "__version__", "0.0.1")
    elif other == "garbage":
        file.write_bytes(b"\x93\x01\x02")
    elif other == "link":
        file.rename(state / "moved")
        file.symlink_to(state / "moved")
    else:
        file.chmod(0o666)

    assert DiskUsages(state).load(HOME) == {}


def test_it_makes_no_state_folder_and_obeys_read_only(state: Path) -> None:
    DiskUsages(state / "none").store(HOME, {mark(): TAIL})
    DiskUsages(state, is_read_only=True).store(HOME, {mark(): TAIL})

    assert list(state.iterdir()) == []
