"""Packing and deleting old files on a real disk: long because each kind of file has its dangers."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sessions.files import archives
from memconsole.adapters.sessions.files.archives import DiskOldTranscripts
from memconsole.adapters.transcripts.packing import zstd
from memconsole.domain.cleanup import OldFile, OldKind, Step, TakenFile
from tests.doubles.platform import fake_agent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent

ID = "6f1c3c5e-0000-4000-8000-000000000001"
WORDS = b'{"type":"session"}\n' + b'{"type":"message","text":"said again and again"}\n' * 400
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    store = folder / "sessions.json"
    return fake_agent(sessions_dir=folder, folder=folder.parent, store_file=store)


@pytest.fixture
def disk(tmp_path: Path) -> DiskOldTranscripts:
    return DiskOldTranscripts(tmp_path / "state")


def written(agent: Agent, name: str = f"{ID}.jsonl", data: bytes = WORDS) -> OldFile:
    path = agent.sessions_dir / name
    path.write_bytes(data)
    os.utime(path, (AT.timestamp(), AT.timestamp()))
    return looked_at(path)


def looked_at(path: Path, session_id: str = ID) -> OldFile:
    status = path.lstat()
    at = datetime.fromtimestamp(status.st_mtime, UTC)
    mode, is_packed = stat.S_IMODE(status.st_mode), path.suffix == ".gz"
    made = OldFile(path, session_id, status.st_size, at, is_packed, OldKind.ORPHAN, mode)
    return replace(made, file_ns=status.st_mtime_ns)


def taken(agent: Agent, file: OldFile, step: Step, kept: str = "") -> TakenFile:
    done = (0, agent.ref, AT, file.path, file.kind, step, kept)
    return TakenFile(*done, file.size_bytes, file.mode, file.file_ns, is_done=True)


def names(agent: Agent) -> list[str]:
    return sorted(path.name for path in agent.sessions_dir.iterdir())


def test_a_packed_transcript_is_read_with_its_lines(agent: Agent, disk: DiskOldTranscripts) -> None:
    disk.compress(agent, written(agent))
    [packed] = disk.found(agent)
    assert "".join(text for _, text in disk.texts(agent, packed)) == WORDS.decode()
    packed.path.write_bytes(packed.path.read_bytes()[:-9] + b"x" * 9)
    with pytest.raises(OSError, match=r"unpacked|CRC"):
        list(disk.texts(agent, looked_at(packed.path)))


def test_a_file_is_packed_in_its_place_as_old_as_its_newest_message(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    spoke_at = AT - timedelta(days=9)
    size = disk.compress(agent, replace(written(agent), modified_at=spoke_at))
    assert names(agent) == [f"{ID}.jsonl.gz"]
    path = agent.sessions_dir / f"{ID}.jsonl.gz"
    assert gzip.decompress(path.read_bytes()) == WORDS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert size == path.stat().st_size < len(WORDS)
    [packed] = disk.found(agent)
    assert packed == looked_at(path)
    assert packed.modified_at == spoke_at


def test_what_is_left_of_sessions_is_found_by_its_name_alone(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    end = "2026-01-02T03-04-05.000Z"
    park = agent.folder / "session-sqlite-import-archive"
    park.mkdir()
    kinds = {
        f"{ID}.jsonl": (OldKind.ORPHAN, False),
        f"{ID}.jsonl.gz": (OldKind.ORPHAN, True),
        f"{ID}.jsonl.bak.{end}": (OldKind.BACKUP, False),
        f"{ID}.jsonl.deleted.{end}": (OldKind.DELETED, False),
        f"{ID}.jsonl.reset.{end}": (OldKind.RESET, False),
        f"{ID}.jsonl.reset.{end}.gz": (OldKind.RESET, True),
        f"{ID}.jsonl.reset.{end}.zst": (OldKind.RESET, True),
        f"{ID}.checkpoint.{ID}.jsonl": (OldKind.CHECKPOINT, False),
    }
    nothing = ("notes.gz", "sessions.json", "sessions.json.gz", "sessions.json.bak.17")
    for name in (*kinds, *nothing, f"{ID}.trajectory.jsonl.gz", f"{ID}.trajectory.jsonl"):
        written(agent, name)
    (agent.sessions_dir / "a.jsonl.gz").symlink_to(agent.sessions_dir / "notes.gz")
    (agent.sessions_dir / "b.jsonl.gz").mkdir()
    (park / f"{ID}.jsonl.imported-1767322800000").write_bytes(WORDS)
    found = {one.path.name: (one.kind, one.is_packed) for one in disk.found(agent)}
    parked = found.pop(f"{ID}.jsonl.imported-1767322800000")
    assert (found, parked) == (kinds, (OldKind.PARKED, False))
    assert disk.found(replace(agent, sessions_dir=agent.sessions_dir / "none"))[0].kind is (
        OldKind.PARKED
    )


def test_a_lock_of_the_platform_holds_a_session_and_its_copies(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    written(agent)
    written(agent, f"{ID}.jsonl.bak.2026-01-02T03-04-05.000Z")
    written(agent, "other.jsonl")
    (agent.sessions_dir / f"{ID}.jsonl.lock").write_text("{}")
    held = "a lock of the platform names it, or its session"
    assert [one.refusal for one in disk.found(agent)] == [held, held, ""]
    os.link(agent.sessions_dir / "other.jsonl", agent.folder / "twin")
    assert disk.found(agent)[-1].refusal == "it has a second name"


def test_what_was_packed_comes_back_to_the_byte_with_its_mode_and_time(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    file = written(agent, "caf\udce9.jsonl")
    file.path.chmod(0o640)
    before = looked_at(file.path)
    disk.compress(agent, replace(before, modified_at=AT - timedelta(days=9)))
    done = taken(agent, before, Step.COMPRESS)
    assert disk.is_done(agent, done)
    disk.bring_back(agent, done)
    assert names(agent) == ["caf\udce9.jsonl"]
    assert (file.path.read_bytes(), looked_at(file.path)) == (WORDS, before)


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_what_was_taken_away_is_ours_alone_and_is_put_back(
    agent: Agent, disk: DiskOldTranscripts, monkeypatch: pytest.MonkeyPatch, *, is_elsewhere: bool
) -> None:
    file = written(agent)
    rename = os.rename

    def other_disk(old: str, new: str, **folders: int) -> None:
        if old == file.path.name:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        rename(old, new, **folders)

    if is_elsewhere:
        monkeypatch.setattr(os, "rename", other_disk)
    disk.take(agent, file, "kept")
    kept = disk._state_dir / "taken" / "kept"
    assert names(agent) == []
    assert [stat.S_IMODE(one.stat().st_mode) for one in (kept, kept.parent)] == [0o600, 0o700]
    done = taken(agent, file, Step.DELETE, "kept")
    assert disk.is_done(agent, done)
    disk.bring_back(agent, done)
    assert looked_at(file.path) == file
    assert not kept.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_roots_own_file_in_the_folder_of_another_user_comes_back_as_roots(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    file = written(agent)
    os.chown(agent.sessions_dir, 1234, 2345)
    disk.compress(agent, file)
    disk.bring_back(agent, taken(agent, file, Step.COMPRESS))
    assert (looked_at(file.path), file.path.stat().st_uid) == (file, 0)


def test_nothing_is_written_over_when_a_file_comes_back(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    file = written(agent)
    disk.take(agent, file, "kept")
    written(agent, data=b"somebody else's\n")
    done = taken(agent, file, Step.DELETE, "kept")
    with pytest.raises(FileExistsError, match="something else has its name now"):
        disk.bring_back(agent, done)
    assert file.path.read_bytes() == b"somebody else's\n"
    assert (disk._state_dir / "taken" / "kept").read_bytes() == WORDS


def test_one_that_came_back_before_a_kill_comes_back_once(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    file = written(agent)
    disk.take(agent, file, "kept")
    written(agent)
    for _ in range(2):
        disk.bring_back(agent, taken(agent, file, Step.DELETE, "kept"))
    disk.compress(agent, file)
    for _ in range(2):
        disk.bring_back(agent, taken(agent, file, Step.COMPRESS))
    assert names(agent) == [f"{ID}.jsonl"]
    assert list((disk._state_dir / "taken").iterdir()) == []


def test_what_was_taken_away_is_deleted_once_it_is_over(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    disk.take(agent, written(agent), "kept")
    disk.purge("kept")
    disk.purge("kept")
    assert list((disk._state_dir / "taken").iterdir()) == []


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
def test_what_is_not_what_was_looked_at_stays(
    agent: Agent, disk: DiskOldTranscripts, spoil: object
) -> None:
    file = spoil(agent, written(agent))  # type: ignore[operator]
    before = names(agent)
    with pytest.raises(OSError, match=r".+"):
        disk.compress(agent, file)
    with pytest.raises(OSError, match=r".+"):
        disk.take(agent, file, "kept")
    assert names(agent) == before


def test_a_folder_of_another_agent_behind_a_link_is_not_looked_into(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    file = written(agent)
    other = agent.folder.parent / "other"
    other.mkdir()
    (other / "sessions").symlink_to(agent.sessions_dir)
    stranger = replace(agent, folder=other, sessions_dir=other / "sessions")
    assert disk.found(replace(stranger, store_file=other / "sessions" / "sessions.json")) == ()
    with pytest.raises(OSError, match="not in the sessions folder"):
        disk.take(stranger, replace(file, path=other / "sessions" / file.path.name), "kept")


def test_what_others_parked_beside_a_shared_store_is_not_looked_into(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    park = agent.folder / "session-sqlite-import-archive"
    park.mkdir()
    (park / f"{ID}.jsonl.imported-1790000000000").write_bytes(WORDS)
    shared = replace(agent, store_agents=("main", "work"))
    folder = agent.folder.parent / "work"
    other = replace(shared, folder=folder, sessions_dir=folder / "sessions")
    assert len(disk.found(shared)) == 1
    assert disk.found(other) == ()


def test_one_that_is_packed_already_is_not_packed_over(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    written(agent, f"{ID}.jsonl.gz", b"older")
    with pytest.raises(FileExistsError):
        disk.compress(agent, written(agent))
    assert (agent.sessions_dir / f"{ID}.jsonl.gz").read_bytes() == b"older"


def test_one_that_a_killed_run_had_packed_goes(agent: Agent, disk: DiskOldTranscripts) -> None:
    disk.compress(agent, written(agent))
    assert disk.compress(agent, written(agent)) > 0
    assert names(agent) == [f"{ID}.jsonl.gz"]
    assert gzip.decompress((agent.sessions_dir / f"{ID}.jsonl.gz").read_bytes()) == WORDS


def test_one_that_somebody_writes_meanwhile_is_left_whole(
    agent: Agent, disk: DiskOldTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(agent)
    pack = archives._pack

    def pack_and_write(*parts: object) -> None:
        pack(*parts)  # type: ignore[arg-type]
        with file.path.open("ab") as more:
            more.write(b"more\n")

    monkeypatch.setattr(archives, "_pack", pack_and_write)
    with pytest.raises(OSError, match="changed meanwhile"):
        disk.compress(agent, file)
    assert names(agent) == [f"{ID}.jsonl"]
    assert file.path.read_bytes() == WORDS + b"more\n"


def test_what_a_killed_run_left_is_in_nobodys_way(agent: Agent, disk: DiskOldTranscripts) -> None:
    (agent.sessions_dir / ".memconsole-999999999-0123456789ab.tmp").write_text("half")
    disk.compress(agent, written(agent))
    assert names(agent) == [f"{ID}.jsonl.gz"]


def test_a_full_disk_leaves_it_as_it_was(
    agent: Agent, disk: DiskOldTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(agent)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="No space left"):
        disk.compress(agent, file)
    assert names(agent) == [f"{ID}.jsonl"]
    assert file.path.read_bytes() == WORDS


@pytest.mark.parametrize("step", list(Step))
def test_what_is_kept_goes_only_when_the_file_is_safe_on_the_disk(
    step: Step, agent: Agent, disk: DiskOldTranscripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(agent)
    if step is Step.COMPRESS:
        disk.compress(agent, file)
    else:
        disk.take(agent, file, "kept")

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(archives, "sync_folder", fail)
        with pytest.raises(OSError, match="Input/output"):
            disk.bring_back(agent, taken(agent, file, step, "kept"))
    file.path.unlink()
    disk.bring_back(agent, taken(agent, file, step, "kept"))
    assert file.path.read_bytes() == WORDS


def test_a_copy_on_another_disk_is_safe_there_before_the_file_goes(
    agent: Agent, disk: DiskOldTranscripts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = written(agent)

    def other_disk(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "rename", other_disk)
    monkeypatch.setattr(archives, "sync_folder", fail)
    with pytest.raises(OSError, match="Input/output"):
        disk.take(agent, file, "kept")
    assert file.path.read_bytes() == WORDS
    assert list((tmp_path / "state" / archives.FOLDER).iterdir()) == []


# ---- ours ---------------------------------------------------------------------------------------


@pytest.fixture
def writer(agent: Agent, tmp_path: Path) -> Agent:
    """Return the agent with a workspace that holds archives and copies of ours, and other files."""
    root = tmp_path / "workspace"
    for name in (
        "archive/forgotten-2026-01.md",
        "archive/observations/2026-01-02.md.gz",
        "archive/notes.md",
        "observation-backups/observations-20260102-030405.md",
        "observation-backups/mine.md",
        "2026-01-02.md",
    ):
        path = root / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"# Forgotten\n\nwe chose SQLite \xff\n"
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        os.utime(path, (AT.timestamp(), AT.timestamp()))
    (root / "memory" / "archive" / "forgotten-2025-12.md").symlink_to(root / "memory" / "x.md")
    return replace(agent, workspace=root)


def kinds(files: tuple[OldFile, ...]) -> list[tuple[str, str, bool]]:
    return [(one.path.name, one.kind.value, one.is_packed) for one in files]


def test_of_a_workspace_only_what_we_name_is_ours(writer: Agent, disk: DiskOldTranscripts) -> None:
    assert kinds(disk.own(writer)) == [
        ("forgotten-2026-01.md", "archive", False),
        ("2026-01-02.md.gz", "archive", True),
        ("observations-20260102-030405.md", "observations", False),
    ]


def test_of_our_state_copies_and_parts_of_logs_are_ours(tmp_path: Path) -> None:
    state, log = tmp_path / "state", tmp_path / "var" / "mc.txt"
    disk = DiskOldTranscripts(state, logs=(log,))
    for path in (
        *(state / "backups" / one for one in ("config-20260102-030405.json", "mine.json")),
        *(state / "logs" / one for one in ("serve.log", "serve.log.1", "serve.txt.1")),
        state / "health" / "alerts.log.20260102-030405.gz",
        *(log.with_name(one) for one in ("mc.txt", "mc.txt.2", "other.txt.2")),
        state / "state.db",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"a line\n")
        os.utime(path, (AT.timestamp(), AT.timestamp()))
    state.chmod(0o700)
    found = disk.own(None)
    assert kinds(found) == [
        ("config-20260102-030405.json", "config", False),
        ("alerts.log.20260102-030405.gz", "log", True),
        ("serve.log.1", "log", False),
        ("mc.txt.2", "log", False),
    ]
    part = found[2]
    disk.compress(None, part)
    assert sorted(one.name for one in (state / "logs").iterdir()) == [
        "serve.log",
        "serve.log.20260102-030405.gz",
        "serve.txt.1",
    ]
    done = TakenFile(
        0, fake_agent().ref, AT, part.plain_path, part.kind, Step.COMPRESS, "", 7, 1, 2
    )
    disk.bring_back(None, done)
    assert part.plain_path.read_bytes() == b"a line\n"


@pytest.mark.parametrize("number", [0, 1])
def test_ours_are_packed_taken_away_and_put_back_to_the_byte(
    number: int, writer: Agent, disk: DiskOldTranscripts
) -> None:
    file = disk.own(writer)[number]
    before, step = file.path.read_bytes(), Step.DELETE if file.is_packed else Step.COMPRESS
    if file.is_packed:
        disk.take(writer, file, "kept")
        assert "SQLite" in "".join(text for _, text in disk.kept_texts("kept"))
    else:
        disk.compress(writer, file)
    done = taken(writer, file, step, "kept" if file.is_packed else "")
    assert disk.is_done(writer, done)
    disk.bring_back(writer, done)
    assert file.path.read_bytes() == before
    assert list(disk.kept_texts("kept")) == []


@pytest.mark.parametrize("number", [0, 1])
def test_a_file_of_ours_gets_another_text_and_stays_as_old(
    number: int, writer: Agent, disk: DiskOldTranscripts
) -> None:
    file = disk.own(writer)[number]
    pieces = disk.texts(writer, file, is_exact=True)
    text = "".join(piece for _, piece in pieces).replace("SQLite", "it")
    disk.rewrite(writer, file, (text[:3], text[3:]))
    data = file.path.read_bytes()
    assert (gzip.decompress(data) if file.is_packed else data).endswith(b"chose it \xff\n")
    now = file.path.stat()
    assert (now.st_mtime_ns, stat.S_IMODE(now.st_mode)) == (file.file_ns, file.mode)
    with pytest.raises(OSError, match="changed since"):
        disk.rewrite(writer, file, ())
    disk.rewrite(writer, disk.own(writer)[number], None)
    assert not file.path.exists()


def test_a_file_that_fails_or_changes_while_it_is_rewritten_is_as_it_was(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    disk.compress(agent, written(agent))
    path = agent.sessions_dir / f"{ID}.jsonl.gz"

    def failing() -> Iterator[str]:
        yield "half"
        raise OSError(errno.EIO, "it cannot be unpacked")

    def growing() -> Iterator[str]:
        yield "half"
        path.write_bytes(data + b"more")

    data = path.read_bytes()
    with pytest.raises(OSError, match="cannot be unpacked"):
        disk.rewrite(agent, looked_at(path), failing())
    assert path.read_bytes() == data
    with pytest.raises(OSError, match="changed meanwhile"):
        disk.rewrite(agent, looked_at(path), growing())
    assert (path.read_bytes(), names(agent)) == (data + b"more", [path.name])


def test_nothing_of_a_workspace_is_reached_through_a_link(
    writer: Agent, disk: DiskOldTranscripts, tmp_path: Path
) -> None:
    [first, *_] = disk.own(writer)
    memory = writer.workspace / "memory"
    memory.rename(tmp_path / "elsewhere")
    memory.symlink_to(tmp_path / "elsewhere")
    assert disk.own(writer) == ()
    with pytest.raises(OSError, match="link"):
        disk.compress(writer, first)
    with pytest.raises(OSError, match="not in the sessions folder"):
        disk.compress(writer, replace(first, path=writer.workspace / "2026-01-02.md"))


def test_what_the_platform_packed_is_read_when_it_was_taken_away(
    agent: Agent, disk: DiskOldTranscripts
) -> None:
    name = f"{ID}.jsonl.reset.2026-01-02T03-04-05.000Z.zst"
    written(agent, name, zstd.compress(WORDS))
    [file] = disk.found(agent)
    assert "".join(text for _, text in disk.texts(agent, file)).encode() == WORDS
    disk.take(agent, file, "kept")
    assert "".join(text for _, text in disk.kept_texts("kept")).encode() == WORDS
