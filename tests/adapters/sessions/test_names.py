"""A file of a sessions folder is what its exact name says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.adapters.sessions.names import FileKind, FileName, read_import_name, read_name

ID = "22222222-3333-4444-8555-666666666666"
AT = datetime(2026, 11, 27, 21, 33, 23, 94_000, tzinfo=UTC)
STAMP = "2026-11-27T21-33-23.094Z"

SESSIONS = {
    f"{ID}.jsonl": FileName(FileKind.TRANSCRIPT, ID),
    "notes.jsonl": FileName(FileKind.TRANSCRIPT, "notes"),
    f"{ID}-topic-42.jsonl": FileName(FileKind.TRANSCRIPT, ID, topic="42"),
    f"{ID}-topic-a%3Ab.jsonl": FileName(FileKind.TRANSCRIPT, ID, topic="a:b"),
    "hot-topic-news.jsonl": FileName(FileKind.TRANSCRIPT, "hot-topic-news"),
    "my.checkpoint.old.jsonl": FileName(FileKind.TRANSCRIPT, "my.checkpoint.old"),
    f"{ID}.jsonl.reset.{STAMP}": FileName(FileKind.ARCHIVE, ID, reason="reset", archived_at=AT),
    f"{ID}.jsonl.deleted.2026-11-27T21-33-23Z": FileName(
        FileKind.ARCHIVE, ID, reason="deleted", archived_at=AT.replace(microsecond=0)
    ),
    f"{ID}.jsonl.reset.{STAMP}.zst": FileName(
        FileKind.ARCHIVE, ID, reason="reset", archived_at=AT, is_packed=True
    ),
    f"{ID}.jsonl.reset.{STAMP}.gz": FileName(
        FileKind.ARCHIVE, ID, reason="reset", archived_at=AT, is_packed=True
    ),
    f"{ID}-topic-4.jsonl.gz": FileName(FileKind.ARCHIVE, ID, topic="4", is_packed=True),
    f"{ID}.jsonl.deleted.{STAMP}.64ca846bc63d4f0aa74dc077219eecd0.zst": FileName(
        FileKind.ARCHIVE,
        ID,
        reason="deleted",
        archived_at=AT,
        is_packed=True,
        generation="64ca846bc63d4f0aa74dc077219eecd0",
    ),
    f"{ID}-topic-1700000000.000100.jsonl.deleted.{STAMP}": FileName(
        FileKind.ARCHIVE, ID, topic="1700000000.000100", reason="deleted", archived_at=AT
    ),
    f"{ID}.jsonl.reset.2026-13-45T99-00-00.000Z": FileName(FileKind.ARCHIVE, ID, reason="reset"),
}

NO_SESSIONS = {
    f"{ID}.jsonl.bak.{STAMP}.gz": FileName(FileKind.BACKUP, ID, archived_at=AT, is_packed=True),
    f"{ID}.jsonl.bak.{STAMP}": FileName(FileKind.BACKUP, ID, archived_at=AT),
    f"{ID}.checkpoint.{ID}.jsonl": FileName(FileKind.CHECKPOINT, ID),
    f"{ID}-topic-4.checkpoint.{ID}.jsonl": FileName(FileKind.CHECKPOINT, ID, topic="4"),
    f"{ID}.trajectory.jsonl": FileName(FileKind.TRAJECTORY),
    f"{ID}.trajectory-path.json": FileName(FileKind.TRAJECTORY),
    f"{ID}.jsonl.lock": FileName(FileKind.LOCK),
    "sessions.json": FileName(FileKind.STORE),
    "sessions.json.bak.1788000000000": FileName(FileKind.STORE),
    "sessions.json.4711.tmp": FileName(FileKind.TEMPORARY),
    ".usage-cost-cache.json": FileName(FileKind.CACHE),
    f"{'ab' * 32}.jsonl.zst": FileName(FileKind.COLD),
    ".jsonl": FileName(FileKind.OTHER),
    f"._{ID}.jsonl": FileName(FileKind.OTHER),
    ".DS_Store": FileName(FileKind.OTHER),
    f"{ID}.JSONL": FileName(FileKind.OTHER),
    f"{ID}.jsonl~": FileName(FileKind.OTHER),
    f"{ID}.jsonl.reset.yesterday": FileName(FileKind.OTHER),
    f"{ID}.jsonl.reset.{STAMP}.zst.gz": FileName(FileKind.OTHER),
    f"{ID}.trajectory.jsonl.gz": FileName(FileKind.OTHER),
    "sessions.json.gz": FileName(FileKind.OTHER),
    f"{ID}.jsonl.reset.٢٠٢٦-11-27T21-33-23Z": FileName(FileKind.OTHER),
}


@pytest.mark.parametrize(("name", "expected"), [*SESSIONS.items(), *NO_SESSIONS.items()])
def test_the_exact_suffix_decides(name: str, expected: FileName) -> None:
    assert read_name(name) == expected


IMPORTED_AT = datetime(2026, 8, 29, 10, 40, tzinfo=UTC)
IMPORTED = {
    f"archive-tier.{ID}.jsonl.imported-1788000000000": FileName(
        FileKind.ARCHIVE, ID, reason="imported", archived_at=IMPORTED_AT
    ),
    f"agent_main_v1.5_x.{ID}-topic-7.jsonl.imported-1788000000000.3": FileName(
        FileKind.ARCHIVE, ID, topic="7", reason="imported", archived_at=IMPORTED_AT
    ),
    "archive-tier.notes.jsonl.imported-1788000000000": FileName(
        FileKind.ARCHIVE, "notes", reason="imported", archived_at=IMPORTED_AT
    ),
    "agent_main_main.my.notes.jsonl.imported-1788000000000": FileName(
        FileKind.ARCHIVE, "my.notes", reason="imported", archived_at=IMPORTED_AT
    ),
    f"{ID}.jsonl.imported-1788000000000000": FileName(
        FileKind.ARCHIVE, ID, reason="imported", archived_at=IMPORTED_AT
    ),
    f"archive-tier.{ID}.jsonl.reset.{STAMP}.imported-1788000000000": FileName(
        FileKind.ARCHIVE, ID, reason="reset", archived_at=AT
    ),
    f"agent_main_main.{ID}.jsonl.bak.{STAMP}.imported-1788000000000": FileName(
        FileKind.BACKUP, ID, archived_at=AT
    ),
    f"agent_main_main.{ID}.trajectory.jsonl.imported-1788000000000": FileName(FileKind.TRAJECTORY),
    "sessions.json.imported-1788000000000": FileName(FileKind.STORE),
    f"{ID}.jsonl": FileName(FileKind.OTHER),
}


@pytest.mark.parametrize(("name", "expected"), IMPORTED.items())
def test_a_parked_name_loses_its_prefix(name: str, expected: FileName) -> None:
    assert read_import_name(name) == expected


def test_copies_of_a_transcripts_past_are_backups_and_checkpoints() -> None:
    assert {kind for kind in FileKind if kind.is_copy} == {FileKind.BACKUP, FileKind.CHECKPOINT}


@given(st.text())
@example("\n.jsonl")
@example("a\udcff.jsonl")
def test_no_name_fails_and_only_transcripts_and_copies_have_an_id(name: str) -> None:
    for read in (read_name, read_import_name):
        found = read(name)
        has_id = found.kind in (FileKind.TRANSCRIPT, FileKind.ARCHIVE) or found.kind.is_copy
        assert (found.session_id is not None) == has_id
        assert found.session_id != ""


@given(
    st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True), st.sampled_from([".", "é", "\n"])
)
def test_an_id_of_any_shape_comes_back(stem: str, odd: str) -> None:
    name = f"{stem}{odd}x.jsonl"

    found = read_name(name)

    assert found == FileName(FileKind.TRANSCRIPT, name.removesuffix(".jsonl"))
