"""Packing and deleting old transcripts on a real disk: whole, or not at all."""

from __future__ import annotations

import gzip
import os
import shutil
import stat
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.files import archives
from memconsole.adapters.sessions.files.archives import DiskOldTranscripts
from memconsole.domain.upkeep import OldFile
from tests.doubles.platform import fake_agent

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.agents import Agent

ID = "6f1c3c5e-0000-4000-8000-000000000001"
WORDS = b'{"type":"session"}\n' + b'{"type":"message","text":"said again and again"}\n' * 400
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
DISK = DiskOldTranscripts()


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    return fake_agent(sessions_dir=folder)


def written(agent: Agent, name: str = f"{ID}.jsonl", data: bytes = WORDS) -> OldFile:
    path = agent.sessions_dir / name
    path.write_bytes(data)
    os.utime(path, (AT.timestamp(), AT.timestamp()))
    return OldFile(path, ID, len(data), AT)


def names(agent: Agent) -> list[str]:
    return sorted(path.name for path in agent.sessions_dir.iterdir())


def test_a_packed_transcript_is_read_with_its_lines(agent: Agent) -> None:
    DISK.compress(agent, written(agent))
    [packed] = DISK.packed(agent)
    assert "".join(text for _, text in DISK.texts(agent, packed)) == WORDS.decode()
    packed.path.write_bytes(packed.path.read_bytes()[:-9] + b"x" * 9)
    with pytest.raises(OSError, match=r"unpacked|CRC"):
        list(DISK.texts(agent, packed))


def test_a_transcript_is_packed_in_its_place_and_keeps_its_age(agent: Agent) -> None:
    file = written(agent)
    freed = DISK.compress(agent, file)
    assert names(agent) == [f"{ID}.jsonl.gz"]
    path = agent.sessions_dir / f"{ID}.jsonl.gz"
    assert gzip.decompress(path.read_bytes()) == WORDS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_mtime == AT.timestamp()
    assert freed == len(WORDS) - path.stat().st_size > 0
    [packed] = DISK.packed(agent)
    assert packed == OldFile(path, ID, path.stat().st_size, AT, is_packed=True)


def test_what_is_packed_is_found_by_its_name_alone(agent: Agent) -> None:
    for name in (f"{ID}.jsonl.gz", "notes.gz", "sessions.json.gz", f"{ID}.trajectory.jsonl.gz"):
        written(agent, name)
    (agent.sessions_dir / "a.jsonl.gz").symlink_to(agent.sessions_dir / "notes.gz")
    (agent.sessions_dir / "b.jsonl.gz").mkdir()
    assert [one.path.name for one in DISK.packed(agent)] == [f"{ID}.jsonl.gz"]
    assert DISK.packed(fake_agent(sessions_dir=agent.sessions_dir / "none")) == ()


def test_an_archive_of_a_reset_is_packed_and_found_again(agent: Agent) -> None:
    name = f"{ID}.jsonl.reset.2026-01-02T03-04-05.000Z"
    DISK.compress(agent, written(agent, name))
    [packed] = DISK.packed(agent)
    assert (packed.session_id, packed.path.name) == (ID, f"{name}.gz")


def test_a_packed_one_is_deleted(agent: Agent) -> None:
    DISK.compress(agent, written(agent))
    [packed] = DISK.packed(agent)
    assert DISK.delete(agent, packed) == packed.size_bytes
    assert names(agent) == []


def hold(agent: Agent, file: OldFile) -> OldFile:
    (agent.sessions_dir / f"{file.path.name}.lock").write_text("{}")
    return file


def link(agent: Agent, file: OldFile) -> OldFile:
    file.path.rename(agent.sessions_dir / "real")
    file.path.symlink_to(agent.sessions_dir / "real")
    return file


def name_twice(agent: Agent, file: OldFile) -> OldFile:
    os.link(file.path, agent.sessions_dir / "twin")
    return file


def grow(agent: Agent, file: OldFile) -> OldFile:
    return replace(file, size_bytes=file.size_bytes - 1)


def elsewhere(agent: Agent, file: OldFile) -> OldFile:
    return replace(file, path=agent.sessions_dir / ".." / file.path.name)


@pytest.mark.parametrize("spoil", [hold, link, name_twice, grow, elsewhere])
def test_what_is_not_what_was_looked_at_stays(agent: Agent, spoil: object) -> None:
    file = spoil(agent, written(agent))  # type: ignore[operator]
    before = names(agent)
    for deed in (DISK.compress, DISK.delete):
        with pytest.raises(OSError, match=r".+"):
            deed(agent, file)
    assert names(agent) == before


def test_one_that_is_packed_already_is_not_packed_over(agent: Agent) -> None:
    written(agent, f"{ID}.jsonl.gz", b"older")
    with pytest.raises(FileExistsError):
        DISK.compress(agent, written(agent))
    assert (agent.sessions_dir / f"{ID}.jsonl.gz").read_bytes() == b"older"


def test_one_that_a_killed_run_had_packed_goes(agent: Agent) -> None:
    DISK.compress(agent, written(agent))
    assert DISK.compress(agent, written(agent)) > 0
    assert names(agent) == [f"{ID}.jsonl.gz"]
    assert gzip.decompress((agent.sessions_dir / f"{ID}.jsonl.gz").read_bytes()) == WORDS


def test_one_that_somebody_writes_meanwhile_is_left_whole(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(agent)
    pack = archives._pack

    def pack_and_write(*parts: object) -> None:
        pack(*parts)  # type: ignore[arg-type]
        with file.path.open("ab") as more:
            more.write(b"more\n")

    monkeypatch.setattr(archives, "_pack", pack_and_write)
    with pytest.raises(OSError, match="changed meanwhile"):
        DISK.compress(agent, file)
    assert names(agent) == [f"{ID}.jsonl"]
    assert file.path.read_bytes() == WORDS + b"more\n"


def test_what_a_killed_run_left_is_in_nobodys_way(agent: Agent) -> None:
    (agent.sessions_dir / f".{ID}.jsonl.gz.memconsole").write_text("half")
    DISK.compress(agent, written(agent))
    assert names(agent) == [f"{ID}.jsonl.gz"]


def test_a_full_disk_leaves_it_as_it_was(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(agent)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="No space left"):
        DISK.compress(agent, file)
    assert names(agent) == [f"{ID}.jsonl"]
    assert file.path.read_bytes() == WORDS
