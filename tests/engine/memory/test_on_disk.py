"""Editing memory on a real disk: encodings, round trips, and nothing left behind."""

from __future__ import annotations

import codecs
import gzip
import json
import os
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.captures import StateCaptures
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateMemory
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.commands.cleanup import CleanedUp, Cleanup
from memconsole.domain.commands.memory import (
    Forgotten,
    Layer,
    MemoryAdd,
    MemoryForget,
    MemoryUndo,
    Remembered,
    Undone,
)
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.search.values import SearchRequest
from tests.doubles.platform import NOW
from tests.engine.memory_stage import STEPS, Place, killed_at, unpacked

if TYPE_CHECKING:
    from pathlib import Path


TEXT = "# Memory\r\n\r\n- Zoë likes “quotes”\r\n- last, without an end"
FACT = "The zebra code of the archive is purple"
LEGEND = 'zebra über \\ "alles"'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        b"",
        b"\n",
        None,
    ],
    ids=["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32", "empty", "blank", "none"],
)
@pytest.mark.parametrize("layer", Layer)
def test_a_round_trip_leaves_every_byte_as_it_was(
    place: Place, data: bytes | None, layer: Layer
) -> None:
    names = {Layer.LONG: "MEMORY.md", Layer.USER: "USER.md", Layer.DAILY: "memory/2026-01-26.md"}
    if data is not None:
        (place.workspace / names[layer]).write_bytes(data)
    before = place.files()
    added = place.run(MemoryAdd(place.ref, FACT, layer))
    assert isinstance(added, Remembered), added
    with_it = place.files()
    assert with_it[names[layer]].startswith((data or b"")[:2])
    forgotten = place.run(MemoryForget(place.ref, (str(added.details["id"]),)))
    assert isinstance(forgotten, Forgotten), forgotten
    assert FACT.encode() not in place.files()[names[layer]].replace(b"\0", b"")
    assert isinstance(place.run(MemoryUndo(place.ref)), Undone)
    assert place.files() == with_it
    assert isinstance(place.run(MemoryUndo(place.ref)), Undone)
    assert place.files() == before


def test_adding_searching_forgetting_and_undoing_leave_the_pool_as_it_was(place: Place) -> None:
    (place.workspace / "MEMORY.md").write_bytes(TEXT.encode())
    (place.workspace / "memory" / "topic.md").write_text("# Topic\n\nOther words.\n")
    before = place.files()

    def found() -> list[str]:
        result = place.engine.search.find(SearchRequest(text="zebra code", agent_id="main"))
        return [hit.path for hit in result.hits if "zebra" in hit.snippet]

    added = place.run(MemoryAdd(place.ref, FACT))
    assert isinstance(added, Remembered)
    assert found() == ["MEMORY.md"]
    place.run(MemoryForget(place.ref, (str(added.details["id"]),)))
    assert found() == ["memory/archive/forgotten-2026-01.md"]
    place.run(MemoryUndo(place.ref))
    assert found() == ["MEMORY.md"]
    place.run(MemoryUndo(place.ref))
    assert found() == []
    assert place.files() == before


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_while_forgetting_loses_nothing(place: Place, step: str) -> None:
    path = place.workspace / "MEMORY.md"
    path.write_text(f"- Something that stays\n- {FACT}\n")
    wanted = entries_of("MEMORY.md", path.read_text())[1].id
    killed_at(place, step, MemoryForget(place.ref, (wanted,)))
    assert place.holding(FACT.encode()) != []
    assert path.read_text().startswith("- Something that stays\n")
    place.run(MemoryForget(place.ref, (wanted,)))
    assert path.read_text() == "- Something that stays\n"
    assert FACT in "".join(one.read_text() for one in place.workspace.rglob("forgotten-*.md"))


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_while_undoing_undoes_nothing_twice(place: Place, step: str) -> None:
    path = place.workspace / "MEMORY.md"
    path.write_text(f"- Something that stays\n- {FACT}\n")
    before = place.files()
    wanted = entries_of("MEMORY.md", path.read_text())[1].id
    place.run(MemoryForget(place.ref, (wanted,)))
    killed_at(place, step, MemoryUndo(place.ref))
    place.run(MemoryUndo(place.ref))
    assert place.files() == before


def test_a_file_that_is_no_text_is_left_alone(place: Place) -> None:
    data = b"- caf\xe9 au lait\n- other\n"
    (place.workspace / "MEMORY.md").write_bytes(data)
    outcome = place.run(MemoryAdd(place.ref, FACT))
    assert isinstance(outcome, Failed)
    assert outcome.code == "workspace"
    assert (place.workspace / "MEMORY.md").read_bytes() == data


def test_hard_leaves_no_bytes_in_files_index_and_database(place: Place) -> None:
    path = place.workspace / "MEMORY.md"
    path.write_text("# Memory\n\n- Something that stays\n")
    added = place.run(MemoryAdd(place.ref, FACT))
    assert isinstance(added, Remembered)
    wanted = (str(added.details["id"]),)
    place.run(Reindex(place.ref))
    place.run(MemoryForget(place.ref, wanted))
    assert place.holding(b"zebra") != []
    place.run(MemoryUndo(place.ref))
    plan = place.run(MemoryForget(place.ref, wanted, is_hard=True, dry_run=True))
    assert isinstance(plan, Planned)
    outcome = place.run(MemoryForget(place.ref, wanted, is_hard=True))
    assert isinstance(outcome, Forgotten), outcome
    assert outcome.details["index"] == "rebuilt"
    assert place.holding(b"zebra") == []
    assert b"Something that stays" in path.read_bytes()
    assert not isinstance(place.run(MemoryUndo(place.ref)), Undone)


def fill(place: Place, days: int) -> None:
    """Write what forgetting has to find, as old as it must be to be packed, and none to spare."""
    said = json.dumps({"type": "message", "message": {"role": "user", "content": FACT.upper()}})
    copy = "# Observations\n\n- Something that stays\n- 🔴 " + FACT + "\n"
    for path, text in (
        (place.home / f"agents/main/sessions/00000000-0000-4000-8000-{days:012}.jsonl", said),
        (place.workspace / f"memory/archive/observations/2025-01-{days:02}.md", copy),
        (
            place.workspace / f"memory/observation-backups/observations-202501{days:02}-030405.md",
            copy,
        ),
        (place.state / f"backups/config-202501{days:02}-030405.json", f'{{\n "a": ["{FACT}"]\n}}'),
        (place.state / f"logs/serve.log.{days}", f"kept\nit said: {FACT}\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))


@pytest.mark.parametrize("is_killed", [False, True])
def test_hard_leaves_nothing_in_what_cleanup_packed_and_took(
    place: Place, *, is_killed: bool
) -> None:
    (place.workspace / "MEMORY.md").write_text(f"- Something that stays\n- {FACT}\n")
    place.state.mkdir(mode=0o700)
    ours = AgentRef(place.ref.home, "")
    for days in (33, 32):  # taken away
        fill(place, days)
    for _ in range(2):
        for ref in (place.ref, ours):
            outcome = place.run(Cleanup(ref, timedelta(days=1), takes_uncaptured=True))
            assert isinstance(outcome, CleanedUp), outcome
        place.clock.advance(timedelta(days=8))
        fill(place, 9)  # packed, by the second cleanup
    fill(place, 2)
    held = place.holding(b"zebra")
    assert len([one for one in (place.state / "taken").iterdir() if one.name in held]) == 6
    assert sum(name.endswith(".gz") for name in held) == 4
    wanted = (entries_of("MEMORY.md", (place.workspace / "MEMORY.md").read_text())[1].id,)
    if is_killed:
        killed_at(place, "synced", MemoryForget(place.ref, wanted, is_hard=True))
        place.run(MemoryAdd(place.ref, "Another fact of that day"))
    else:
        outcome = place.run(MemoryForget(place.ref, wanted, is_hard=True))
        assert isinstance(outcome, Forgotten)
        assert "old files held it, in what cleanup packed or took or in our" in outcome.message
    assert (place.holding(b"zebra"), place.holding(b"ZEBRA")) == ([], [])
    talks = sorted((place.home / "agents/main/sessions").glob("*.jsonl.gz"))
    assert talks != []
    assert [one for one in talks if b"ZEBRA" in unpacked(one)] == []
    kept = [one for one in place.holding(b"Something that stays") if "observations" in one]
    assert len(kept) == 5
    assert "kept" in unpacked(next((place.state / "logs").glob("*.gz"))).decode()


def test_hard_takes_a_text_out_of_a_transcript_that_we_packed_and_leaves_the_rest(
    place: Place,
) -> None:
    (place.workspace / "MEMORY.md").write_text(
        f"- Something that stays\n- {FACT}\n  {LEGEND}\n", encoding="utf-8"
    )
    place.state.mkdir(mode=0o700)
    path = place.home / "agents/main/sessions/00000000-0000-4000-8000-000000000009.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [[{"type": "text", "text": FACT}], f"first\n\n{FACT.upper()}!\nlast"]
    said = [
        '{"type": "session",  "id": "00000000-0000-4000-8000-000000000009"}',
        *(
            json.dumps({"type": "message", "id": one, "message": {"role": "user", "content": text}})
            for one, text in zip("ab", texts, strict=True)
        ),
        json.dumps({"id": "e", "said": f"{FACT}\nof a smile \ud83d\nit kept a half"}),
        json.dumps({"id": "f", "result": json.dumps([{"text": f"Zoë “{LEGEND}”\nkept"}, 7])}),
        f'{{"id": "c", "message": "{FACT}',
        '{"type":"custom","id":"d","data":"caf\\u00e9\u2028 as it was"}',
    ]
    path.write_text("\n".join(said) + "\n", encoding="utf-8")
    path.chmod(0o644)
    at = (NOW - timedelta(days=9)).timestamp()
    os.utime(path, (at, at))
    place.run(Cleanup(place.ref, timedelta(days=1), takes_uncaptured=True))
    place.run(Reindex(place.ref, with_sessions=True))
    packed = path.with_name(f"{path.name}.gz")
    wanted = (entries_of("MEMORY.md", (place.workspace / "MEMORY.md").read_text())[1].id,)

    plan = place.run(MemoryForget(place.ref, wanted, is_hard=True, dry_run=True))
    assert plan.details["old_files"] == [str(packed)]
    assert "and no copy is kept, nor in 1 old file; the platform's own" in plan.message
    assert b"zebra" in unpacked(packed)
    assert sum(one.endswith(".sqlite") for one in place.holding(b"zebra")) == 2

    outcome = place.run(MemoryForget(place.ref, wanted, is_hard=True))
    assert outcome.details["old_files"] == [str(packed)]
    header, first, second, half, result, last, end = unpacked(packed).decode().split("\n")
    assert (header, last, end) == (said[0], said[-1], "")
    assert json.loads(half)["said"] == "of a smile \ud83d\nit kept a half"
    assert json.loads(json.loads(result)["result"]) == [{"text": "kept"}, 7]
    assert json.loads(first)["message"]["content"] == [{"type": "text", "text": ""}]
    assert json.loads(second)["message"]["content"] == "first\n\nlast"
    assert [json.loads(one)["id"] for one in (first, second)] == ["a", "b"]
    assert packed.stat().st_mode & 0o777 == 0o600
    assert (place.holding(b"zebra"), place.holding(b"ZEBRA")) == ([], [])
    place.run(Cleanup(place.ref, is_undo=True))
    assert not path.exists()


def test_hard_takes_lines_out_of_logs_that_say_it_in_escapes_or_beside_bytes_that_are_no_text(
    place: Place,
) -> None:
    (place.workspace / "MEMORY.md").write_text(
        f"- Something that stays\n- {LEGEND}\n- A \ufffd of it\n"
    )
    log = place.state / "logs" / "serve.log.9"
    log.parent.mkdir(parents=True)
    said = [
        b"kept",
        json.dumps({"message": f"said {LEGEND}"}).encode(),
        b"a \xeb of it",
        b"kept too",
    ]
    log.write_bytes(b"\n".join(said) + b"\n")
    for one in entries_of("MEMORY.md", (place.workspace / "MEMORY.md").read_text())[1:]:
        outcome = place.run(MemoryForget(place.ref, (one.id,), is_hard=True))
        assert isinstance(outcome, Forgotten), outcome
        assert outcome.details["old_files"] == [str(log)]
    assert log.read_bytes() == b"kept\nkept too\n"


def test_hard_leaves_other_bytes_that_are_no_text_and_forget_without_it_refuses(
    place: Place,
) -> None:
    files = [place.workspace / name for name in ("MEMORY.md", "memory/archive/old.md")]
    files[1].parent.mkdir()
    for file in files:
        file.write_bytes(f"- {FACT}\n".encode() + b"- zebra caf\xe9\n- caf\xff\n")
    fact, cafe, _ = entries_of("MEMORY.md", files[0].read_bytes().decode("utf-8", "replace"))
    refused = place.run(MemoryForget(place.ref, (cafe.id,)))
    assert isinstance(refused, Failed)
    assert "bytes that are no text" in refused.message
    assert FACT.encode() in files[0].read_bytes()
    for one in (fact, cafe):
        outcome = place.run(MemoryForget(place.ref, (one.id,), is_hard=True))
        assert isinstance(outcome, Forgotten), outcome
    assert place.holding(b"zebra") == []
    assert [file.read_bytes() for file in files] == [b"- caf\xff\n"] * 2


def test_hard_leaves_what_every_record_says_of_itself(place: Place) -> None:
    """A day, a role and a field of the platform are lines of an entry, and of all records."""
    (place.workspace / "MEMORY.md").write_text(
        "- Something that stays\n- Roles of a session\n  assistant\n  timestamp\n  2026-01-26\n"
    )
    folder = place.workspace / "memory/archive"
    folder.mkdir()
    archive = folder / "forgotten-2026-01.md"
    archive.write_text("# Forgotten\n\n<!-- mc:forgotten=2026-01-26T10:00:00 -->\n- A fact\n")
    packed = place.home / "agents/main/sessions/00000000-0000-4000-8000-000000000009.jsonl.gz"
    at = "2026-01-26T08:55:00.000Z"
    content = [{"type": "text", "text": "a fact\n2026-01-26"}, {"type": "text", "text": "kept"}]
    record = {"type": "message", "timestamp": at, "message": {"role": "assistant"}}
    said = [
        json.dumps(record),
        json.dumps({**record, "message": {"role": "assistant", "content": content}}),
        json.dumps({**record, "phone": 491712345678, "message": {"role": "user"}}),
    ]
    packed.write_bytes(gzip.compress("\n".join(said).encode()))
    wanted = entries_of("MEMORY.md", (place.workspace / "MEMORY.md").read_text())[1].id

    outcome = place.run(MemoryForget(place.ref, (wanted,), is_hard=True))

    assert isinstance(outcome, Forgotten), outcome
    first, second, third = unpacked(packed).decode().split("\n")
    assert (first, third) == (said[0], said[2])
    content[0]["text"] = "a fact\n"
    made = {**record, "message": {"role": "assistant", "content": content}}
    assert json.loads(second) == made
    assert "mc:forgotten=2026-01-26T10:00:00" in archive.read_text()
    (place.workspace / "MEMORY.md").write_text("- 491712345678\n")
    place.run(
        MemoryForget(place.ref, (entries_of("MEMORY.md", "- 491712345678\n")[0].id,), is_hard=True)
    )
    assert json.loads(unpacked(packed).decode().split("\n")[2])["phone"] is None

    (place.workspace / "MEMORY.md").write_text("- 491712345678\n")
    wanted = entries_of("MEMORY.md", "- 491712345678\n")[0].id
    place.run(MemoryForget(place.ref, (wanted,), is_hard=True))
    assert json.loads(unpacked(packed).decode().split("\n")[2])["phone"] is None


def test_hard_looks_into_a_packed_file_with_a_second_name_and_stops_where_it_would_change_it(
    place: Place,
) -> None:
    (place.workspace / "MEMORY.md").write_text(f"- Something that stays\n- {FACT}\n")
    packed = place.home / "agents/main/sessions/00000000-0000-4000-8000-000000000009.jsonl.gz"
    packed.parent.mkdir(parents=True, exist_ok=True)
    kept, gone = entries_of("MEMORY.md", (place.workspace / "MEMORY.md").read_text())
    packed.write_bytes(gzip.compress(json.dumps({"said": FACT}).encode()))
    os.link(packed, place.home / "backup.gz")

    outcome = place.run(MemoryForget(place.ref, (gone.id,), is_hard=True))
    assert isinstance(outcome, Failed)
    assert f"{packed.name} may still hold what was forgotten: it has a second name" in (
        outcome.message
    )
    assert place.holding(b"zebra") != []
    outcome = place.run(MemoryForget(place.ref, (kept.id,), is_hard=True))
    assert isinstance(outcome, Forgotten), outcome
    (place.home / "backup.gz").unlink()
    place.run(MemoryAdd(place.ref, "Another fact of that day"))
    assert b"zebra" not in unpacked(packed)
    assert place.holding(b"zebra") == []


def test_files_become_private_and_keep_what_is_stricter(place: Place) -> None:
    path = place.workspace / "MEMORY.md"
    path.write_text("- Something that stays\n")
    path.chmod(0o644)
    place.run(MemoryAdd(place.ref, FACT))
    assert path.stat().st_mode & 0o777 == 0o600


def test_entries_in_a_link_are_not_followed(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- Something outside\n")
    (place.workspace / "MEMORY.md").symlink_to(outside)
    [one] = entries_of("MEMORY.md", outside.read_text())
    outcome = place.run(MemoryForget(place.ref, (one.id,)))
    assert isinstance(outcome, Failed)
    assert outside.read_text() == "- Something outside\n"


def test_what_checkpoints_saved_loses_lines_and_their_bytes(tmp_path: Path) -> None:
    database = StateDatabase(tmp_path / "state", PrivateCopies())
    ref = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
    block = "# A\nzebra\nkept\n"
    StateCaptures(database).add(
        Capture(ref, "s", "k", NOW, "h", block, is_logged=False, day_file=None, workspace="/ws")
    )
    memory = StateMemory(database)
    memory.erase([], ["/elsewhere", ref.home.path], lambda text: text.replace("zebra\n", ""))
    assert (memory.blocks("/ws"), memory.places()) == ((block,), frozenset({"/ws"}))
    memory.erase([], ["/ws"], lambda text: text.replace("zebra\n", ""))
    found = StateCaptures(database).last(ref)
    assert found is not None
    assert found.block == "# A\nkept\n"
    assert b"zebra" not in database.path.read_bytes()
