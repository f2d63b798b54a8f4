"""Hand-made variants of files, each placed into a home of its release."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.fixtures import program_for
from tests.conftest import ROOT
from tests.program import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FixtureHome

pytestmark = pytest.mark.shared

SESSION = "33333333-4444-4555-8666-777777777777"
KEY = "agent:main:variant"


@dataclass(frozen=True, slots=True)
class Variant:
    """One transcript of `variants/`, and what a reader makes of it.

    Attributes:
        messages: Messages on the active path.
        damaged: Lines that cannot be read.
        in_progress: 1 when the last line is still being written.
        says: A part of the last message.
    """

    file: str
    messages: int
    damaged: int
    in_progress: int
    says: str


VARIANTS = (
    Variant("truncated-last-line.jsonl", 10, 0, 1, "Please take your time"),
    Variant("no-final-newline.jsonl", 10, 0, 1, "Please take your time"),
    Variant("corrupt-middle-line.jsonl", 11, 1, 0, "Understood: [slow] Please take your time"),
    Variant("simplified-format.jsonl", 4, 0, 0, "Archive rotated."),
    Variant("v1-header-no-ids.jsonl", 2, 0, 0, "Hello."),
    Variant("all-entry-kinds.jsonl", 4, 0, 0, "Plain string content"),
)
TOPIC = "22222222-3333-4444-8555-666666666666-topic-42.jsonl"
LOCK = "sessions.json.lock"
PACKED = "c2f72fca-3f07-40ec-91f8-a21205178a4e.jsonl.reset.2026-11-27T21-37-48.997Z.zst"


def with_session(state: Path, source: Path, name: str | None = None) -> Path:
    """Put a transcript into `main` and name it in the store, by the id of its own header."""
    header = json.loads(source.read_text("utf-8").partition("\n")[0])
    session = header.get("id", SESSION)
    sessions = state / "agents" / "main" / "sessions"
    store = json.loads((sessions / "sessions.json").read_text("utf-8"))
    store[KEY] = {"sessionId": session, "updatedAt": 1795815000000}
    (sessions / "sessions.json").write_text(json.dumps(store))
    return shutil.copyfile(source, sessions / (name or f"{session}.jsonl"))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.file)
def test_a_variant_is_read(shared: Path, fixture_home: FixtureHome, variant: Variant) -> None:
    state = fixture_home("clawdbot-2026.1")
    folder = shared / "fixtures" / "clawdbot-2026.1" / "variants"
    with_session(state, folder / variant.file)
    before = tree(state)
    answer = program_for(state).json("transcript", KEY)
    assert answer.code == 0
    assert answer.envelope["left_out"]["damaged"] == variant.damaged
    assert answer.envelope["left_out"]["in_progress"] == variant.in_progress
    spoken = answer.rows(kind="message")
    assert len(spoken) == variant.messages
    assert variant.says in spoken[-1]["text"]
    assert tree(state) == before


def test_every_variant_is_placed_here() -> None:
    """A file that is added to a `variants/` folder needs a test."""
    placed = {variant.file for variant in VARIANTS}
    placed |= {TOPIC, LOCK, PACKED}
    found = {path.name for path in (ROOT.parent / "shared").glob("fixtures/*/variants/*")}
    assert found - placed == set()


def test_a_topic_file_is_one_session(shared: Path, fixture_home: FixtureHome) -> None:
    state = fixture_home("clawdbot-2026.1")
    source = shared / "fixtures" / "clawdbot-2026.1" / "variants" / TOPIC
    shutil.copyfile(source, state / "agents" / "main" / "sessions" / TOPIC)
    row = program_for(state).json("sessions", "--all").row(session_id=TOPIC[:36])
    assert (row["state"], row["transcript"]) == ("orphan", "present")


def test_a_store_lock_is_neither_a_session_nor_waited_for(
    shared: Path, fixture_home: FixtureHome
) -> None:
    state = fixture_home("clawdbot-2026.1")
    sessions = state / "agents" / "main" / "sessions"
    without = [row["session_id"] for row in program_for(state).json("sessions", "--all").data]
    shutil.copyfile(shared / "fixtures" / "clawdbot-2026.1" / "variants" / LOCK, sessions / LOCK)
    before = tree(state)
    listed = program_for(state).json("sessions", "--all").data
    assert [row["session_id"] for row in listed] == without
    assert tree(state) == before


def test_a_packed_archive_reads_like_the_plain_one(shared: Path, fixture_home: FixtureHome) -> None:
    state = fixture_home("openclaw-2026.7")
    sessions = state / "agents" / "main" / "sessions"
    program = program_for(state)
    plain = program.json("transcript", PACKED[:36], "--all").data
    (sessions / PACKED.removesuffix(".zst")).unlink()
    shutil.copyfile(
        shared / "fixtures" / "openclaw-2026.7" / "variants" / PACKED, sessions / PACKED
    )
    assert program.json("sessions", "--all").row(session_id=PACKED[:36])["state"] == "archived"
    assert program.json("transcript", PACKED[:36], "--all").data == plain
    assert len(plain) > 0
