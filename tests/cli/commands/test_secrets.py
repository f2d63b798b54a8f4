"""`secrets`: which lines hold one, what could not be read, and what health remembers of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.cleanup import OldFile, OldKind
from memconsole.domain.memory.files import MemoryText, PoolItem
from memconsole.domain.memory.secrets import counts_of
from tests.cli.caller import stored
from tests.cli.contract import check_envelope
from tests.doubles.platform import NOW, talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

TOKEN = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
TEXT = f"# Memory\n\n- The CI token is {TOKEN}\n- The build needs ninja\n"


def broken() -> Iterator[tuple[int, str]]:
    yield 1, f"the token {TOKEN}\n"
    raise PermissionError(13, "Permission denied")


def put(world: World, *texts: MemoryText) -> None:
    """Let the memory of the agent be these files."""
    root = world.platform.agents[0].workspace
    world.memory.held[root] = texts
    empty = world.memory.pool(root, ("main",), config=PlatformConfig(), now=NOW)
    items = tuple(
        PoolItem(one.path, one.size_bytes, 1, False, True, modified_at=one.modified_at)
        for one in texts
    )
    world.memory.pools[root] = replace(empty, items=items)


@pytest.fixture
def memory(world: World) -> None:
    """A memory with one secret, and a talk with another one."""
    root = world.platform.agents[0].workspace
    world.workspace.files[root, "MEMORY.md"] = TEXT
    put(world, MemoryText("MEMORY.md", len(TEXT), NOW, ((1, TEXT),)))
    session = stored(world.platform.agents[0].ref, "agent:main:main", 1_000)
    world.sessions.hold(session)
    world.sessions.transcripts[session.session_id or ""] = talk("hello", f"it is {TOKEN}")


@pytest.mark.usefixtures("memory")
def test_a_line_of_memory_is_named_and_never_its_secret(call: Caller) -> None:
    found = call.json("secrets")
    check_envelope(found.envelope)
    assert found.code == 1
    [item] = found.data["items"]
    assert (item["agent"], item["path"], item["line"]) == ("main", "MEMORY.md", 3)
    assert item["masked"] == f"- The CI token is [redacted:{item['kind']}]"
    assert item["modified_at"].startswith("2026-01-26T13:20:00")
    assert (item["session_id"], found.data["transcripts"]) == (None, None)
    told = call("secrets")
    assert "MEMORY.md:3" in told.out
    assert "1 secret in 1 memory file" in told.out
    assert TOKEN not in told.out


@pytest.mark.usefixtures("memory")
def test_what_was_said_is_looked_into_when_it_is_asked_for(call: Caller, world: World) -> None:
    path = world.platform.agents[0].sessions_dir / "old.jsonl.bak.2026-01-01T00-00-00Z"
    world.old_transcripts.there = [OldFile(path, "old", 9, NOW, kind=OldKind.BACKUP)]
    world.old_transcripts.said = {"old": f"one\ntwo {TOKEN}\n"}
    found = call.json("secrets", "--transcripts", "--agent", "main").data
    assert [(one["session_id"], one["line"]) for one in found["items"]][1:] == [
        (found["items"][1]["session_id"], 2),
        ("old", 2),
    ]
    assert (found["files"], found["transcripts"]) == (1, 2)


@pytest.mark.usefixtures("memory")
def test_every_old_file_is_looked_into_whoever_packed_it(call: Caller, world: World) -> None:
    agent = world.platform.agents[0]
    second = "s.jsonl.reset.2026-01-02T03-04-05.000Z.zst"
    names = {
        second: OldKind.RESET,
        "s.jsonl.bak-1": OldKind.BACKUP,
        "s.checkpoint.u.jsonl": OldKind.CHECKPOINT,
    }
    world.old_transcripts.there = [
        OldFile(agent.sessions_dir / name, name, 9, NOW, kind=kind) for name, kind in names.items()
    ]
    copy = agent.workspace / "memory/observation-backups/observations-20260102-030405.md.gz"
    kept = OldFile(copy, "", 9, NOW, is_packed=True, kind=OldKind.OBSERVATIONS)
    world.old_transcripts.ours = [kept, replace(kept, path=copy.with_suffix(""), is_packed=False)]
    world.old_transcripts.said = dict.fromkeys((*names, copy.name), f"one {TOKEN}\n")
    found = {one["path"] for one in call.json("secrets", "--transcripts").data["items"]}
    assert {str(agent.sessions_dir / name) for name in names} | {str(copy)} <= found
    assert str(copy) in {one["path"] for one in call.json("secrets").data["items"]}


def test_none_is_said_only_of_what_was_read(call: Caller, world: World) -> None:
    put(world, MemoryText("MEMORY.md", 3, NOW, ((1, "tea\n"),)))
    assert (call("secrets").code, call("secrets").out.strip()) == (0, "no secret in 1 memory file")
    texts = (
        MemoryText("MEMORY.md", 3, NOW, ((1, "tea\n"),)),
        MemoryText("memory/a.md", unread="it is a pipe"),
        MemoryText("memory/b.md", 9, NOW, broken()),
    )
    put(world, *texts)
    found = call.json("secrets")
    assert found.code == 1
    assert [one["path"] for one in found.envelope["warnings"]] == ["memory/a.md", "memory/b.md"]
    assert (found.data["files"], found.data["unread"]) == (1, 2)


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    ("change", "told", "health"),
    [
        ({"workspace_exists": False}, "of main does not exist", "nobody has looked"),
        ({"workspace_doubt": "no one reads it"}, "not known: no one reads it", "could not look"),
    ],
)
def test_none_is_said_of_no_workspace_that_is_not_there_or_only_guessed(
    call: Caller, world: World, change: dict[str, Any], told: str, health: str
) -> None:
    agent = replace(world.platform.agents[0], **change)
    world.platform.agents = (agent,)
    found = call.json("secrets")
    [warning] = found.envelope["warnings"]
    assert (found.code, found.data["items"], found.data["files"]) == (1, [], 0)
    assert (warning["code"], told in warning["message"]) == ("workspace-missing", True)
    world.platform.agents = (replace(agent, is_configured=False),)
    assert call("secrets").code == 0
    checks = call.json("health").data["checks"]
    [check] = [one for one in checks if one["id"] == "secrets"]
    assert (check["status"], health in check["message"]) == ("unknown", True)


@pytest.mark.usefixtures("memory")
def test_health_counts_what_was_found_and_says_when_nobody_looked(
    call: Caller, world: World
) -> None:
    def check() -> tuple[str, str]:
        checks = call.json("health").data["checks"]
        return next((one["status"], one["message"]) for one in checks if one["id"] == "secrets")

    assert check() == ("unknown", "nobody has looked for secrets yet")
    call("--read-only", "secrets")
    assert world.secret_counts.text is None
    call("secrets")
    assert check() == ("warning", "1 secret stands in memory: main/MEMORY.md")
    put(world, MemoryText("MEMORY.md", 9, NOW, ((1, "tea\n"),)))
    assert "1 file changed since it was looked" in check()[1]
    call("secrets")
    assert check() == ("ok", "no secret was found in 1 memory file")
    put(world, MemoryText("MEMORY.md", 8, NOW, ((1, "te\n"),)))
    assert check() == ("unknown", "1 of 1 memory file changed since it was looked for secrets")
    world.secret_counts.is_full = True
    assert call("secrets").code == 0


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("hard", [(), ("--hard",)])
def test_the_line_that_is_named_can_be_forgotten(
    hard: tuple[str, ...], call: Caller, world: World
) -> None:
    root = world.platform.agents[0].workspace
    plan = call.json("memory", "forget", "MEMORY.md:3", "--dry-run", *hard).data[0]
    assert [one["line"] for one in plan["details"]["entries"]] == [3]
    assert world.workspace.text(root, "MEMORY.md") == TEXT
    assert call("memory", "forget", "MEMORY.md:3", "--yes", *hard).code == 0
    assert TOKEN not in (world.workspace.text(root, "MEMORY.md") or "")
    assert "ninja" in (world.workspace.text(root, "MEMORY.md") or "")
    if not hard:
        call("memory", "undo")
        assert world.workspace.text(root, "MEMORY.md") == TEXT
    for wrong in ("MEMORY.md:2", "MEMORY.md:99", "none.md:1"):
        refused = call.json("memory", "forget", wrong, "--yes")
        assert refused.code == 2
        assert wrong.partition(":")[0] in refused.error["message"]


def test_a_secret_in_a_files_name_is_told_and_its_lines_can_be_forgotten(
    call: Caller, world: World
) -> None:
    path = f"memory/{TOKEN}.md"
    root = world.platform.agents[0].workspace
    world.workspace.files[root, path] = TEXT
    put(world, MemoryText(path, len(TEXT), NOW, ((1, TEXT),)))
    named, inside = call.json("secrets").data["items"]
    assert (named["line"], named["kind"]) == (None, inside["kind"])
    assert f"{named['path']}:name" in call("secrets").out
    assert TOKEN not in str(named)
    assert call("memory", "forget", f"{inside['path']}:3", "--yes").code == 0
    assert TOKEN not in (world.workspace.text(root, path) or "")


def test_counts_of_other_homes_stay(call: Caller, world: World) -> None:
    put(world, MemoryText("MEMORY.md", 3, NOW, ((1, "tea\n"),)))
    world.secret_counts.text = (
        '{"schema": 1, "workspaces": {"/other": {"at": "2026-01-01T00:00:00+00:00", "files": {}}}}'
    )
    call("secrets")
    mine = {str(one.workspace) for one in world.platform.agents}
    assert set(counts_of(world.secret_counts.text)) == {"/other", *mine}
