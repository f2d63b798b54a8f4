"""Erasing out of files that are larger than memory should be: one record is held at a time."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from memconsole.adapters.sessions.files.archives import DiskOldTranscripts
from memconsole.domain.cleanup import OldKind
from memconsole.engine.cleanup import erase
from memconsole.engine.cleanup.erase import erase_from_old
from memconsole.errors import StateError
from tests.doubles.platform import fake_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import OldFile
    from memconsole.engine.cleanup.read import OldFiles

ID = "6f1c3c5e-0000-4000-8000-000000000001"
MIB = 1024 * 1024


@dataclass
class Taken:
    """Nothing was taken away."""

    def of(self, *_: object) -> tuple[()]:
        return ()


@dataclass
class Old:
    """Old files of one agent on a real disk."""

    files: DiskOldTranscripts
    taken: Taken = field(default_factory=Taken)

    def own(self, agent: Agent | None, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        return self.files.own(agent, is_whole=is_whole)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    workspace = tmp_path / "workspace"
    (workspace / "memory" / "archive").mkdir(parents=True)
    store = folder / "sessions.json"
    return fake_agent(
        sessions_dir=folder, folder=folder.parent, store_file=store, workspace=workspace
    )


def packed(path: Path, lines: Iterator[bytes]) -> Path:
    with gzip.open(path, "wb", 1) as target:
        target.writelines(lines)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def erased(agent: Agent, tmp_path: Path, clean: Callable[[str], str] = str) -> list[OldKind]:
    old = cast("OldFiles", Old(DiskOldTranscripts(tmp_path / "state")))
    found = erase_from_old([agent], old, holds=lambda line: "zebra" in line, clean=clean)
    return [one.kind for one in found]


def test_a_packed_transcript_is_erased_record_by_record(agent: Agent, tmp_path: Path) -> None:
    """The test file holds 96 MiB, its longest record 1 MiB: what is held follows the record."""
    path = agent.sessions_dir / f"{ID}.jsonl.gz"

    def lines() -> Iterator[bytes]:
        yield b'{"type":"session"}\n'
        for number in range(95):
            yield json.dumps({"type": "message", "n": number, "text": "x" * MIB}).encode() + b"\n"
        yield json.dumps({"type": "message", "text": "a zebra\nand y"}).encode() + b"\n"

    packed(path, lines())
    tracemalloc.start()
    try:
        assert erased(agent, tmp_path) == [OldKind.ORPHAN]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 * MIB
    with gzip.open(path, "rb") as source:
        rows = [json.loads(line) for line in source]
    assert [len(one.get("text", "")) for one in rows] == [0, *[MIB] * 95, len("and y")]
    assert erased(agent, tmp_path) == []


@pytest.mark.parametrize("is_ours", [False, True])
def test_a_line_or_a_file_without_end_is_refused_and_said(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_ours: bool
) -> None:
    """A few packed kilobytes may claim any length."""
    monkeypatch.setattr(erase, "_MOST_CHARS", 3 * MIB)
    monkeypatch.setattr(erase, "_MOST_OF_OURS", 3 * MIB)
    end = b"\n" if is_ours else b""
    path = agent.sessions_dir / f"{ID}.jsonl.gz"
    if is_ours:
        path = agent.workspace / "memory" / "archive" / "forgotten-2026-01.md.gz"
    packed(path, (b"zebra" + b"x" * MIB + end for _ in range(64)))
    data = path.read_bytes()
    tracemalloc.start()
    try:
        with pytest.raises(StateError, match=rf"{path.name} may still hold .* too l"):
            erased(agent, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 32 * MIB
    assert path.read_bytes() == data


@pytest.mark.parametrize("place", ["sessions", "archive", "backups"])
def test_a_folder_that_cannot_be_listed_is_no_empty_one(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """What is packed in it would stay, while the answer says that no copy of ours is left."""
    (tmp_path / "state" / "backups").mkdir(parents=True)
    assert erased(agent, tmp_path) == []
    real = os.scandir

    def refused(folder: int) -> object:
        if Path(f"/proc/self/fd/{folder}").readlink().name == place:
            raise PermissionError(13, "Permission denied", folder)
        return real(folder)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(
        StateError, match=rf"may still hold .*/{place} cannot be listed: permission"
    ):
        erased(agent, tmp_path)
