"""A secret in every place of a home, and every command: it leaves by no way."""

from __future__ import annotations

import json
import os
import random
import shlex
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.app import COMMANDS, PROGRAM
from memconsole.cli.commands import bootstrap
from memconsole.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)
SECRET = "ghp_" + "".join(random.Random(7).choices("abcdefghkmnpqrstuvwxyz23456789ABCDEF", k=36))
PIECES = tuple(SECRET[at : at + 12] for at in range(len(SECRET) - 11))
KEY = f"agent:main:telegram:dm:{SECRET}"
ID = "5e551010-0000-4000-8000-000000000001"
ENDED = "5e551010-0000-4000-8000-000000000002"

CALLS = (
    "status",
    "agents",
    "sessions",
    "sessions --all",
    f"session {KEY}",
    f"session nobody-{SECRET}",
    f"transcript {KEY}",
    f"transcript {KEY} --all",
    "memory pool",
    "markers",
    "reindex --agent main --full --sessions",
    "search deploy",
    f"search {SECRET}",
    "memory search deploy",
    "get MEMORY.md",
    f"get notes-{SECRET}.md",
    "memory get MEMORY.md",
    "memory show",
    f"checkpoint --session {KEY} --force --dry-run",
    f"checkpoint --agent main --session {KEY} --force",
    "checkpoint --agent main --force",
    "observe --agent main --flush --dry-run",
    "observe --agent main --flush",
    f"observe --agent main --session {KEY}",
    f"summarize {KEY} --reason manual --dry-run",
    f"summarize {KEY} --reason manual",
    f"flush {KEY}",
    "recover --agent main",
    f"restore {KEY} --dry-run",
    f"restore {KEY}",
    "index-md --agent main --force --dry-run",
    "index-md --agent main --force",
    "bootstrap --print --workspace WORKSPACE",
    f"bootstrap --print --workspace WORKSPACE --session-key {KEY}",
    f"memory add --agent main --force --section {SECRET} 'remember {SECRET} here'",
    f"memory add --agent main --daily 'the key \\n{SECRET} again'",
    f"memory forget --agent main {SECRET} --yes",
    "memory tidy --agent main --older-than 0d",
    "cleanup --older-than 1m",
    "cleanup --older-than 1m --uncaptured --yes",
    "cleanup --undo --yes",
    "cleanup --own --older-than 1m --yes",
    f"cleanup --agent {SECRET}",
    "memory undo --agent main",
    f"memory decline --agent main {SECRET}",
    "consolidate --agent main",
    "reflect --agent main --force",
    f"rotate {KEY} --dry-run --force",
    f"rotate {KEY} --force --yes",
    f"compact {KEY} --yes --instructions 'use {SECRET}'",
    f"prune-preview {KEY}",
    "secrets --transcripts",
    "memory forget --agent main MEMORY.md:1 --dry-run",
    "jobs",
    "health",
    "alerts list",
    "alerts test",
    f"alerts mute {SECRET}",
    "runs",
    "report",
    "hooks status",
    "config check",
    "config show",
    f"once {SECRET}",
    *(f"once {job}" for job in ("recovery", "observer", "checkpoint", "index_md", "index_sync")),
    *(f"once {job}" for job in ("health", "config_check", "flush_watch", "freshness_capture")),
    f"checkpoint --agent {SECRET}",
    f"sessions --agent {SECRET}",
)
"""Every command that reads or acts, with a secret wherever it takes a word of somebody."""

ELSEWHERE = {
    *(
        "serve",
        "mcp",
        "service",
        "bench",
        "fleet",
        "config fix",
        "config init",
        "config path",
        "hooks install",
    ),
    *("hooks remove", "logs", "memory edit", "memory promote", "alerts unmute"),
}
"""They wait, change the host or the platform, open an editor, or print no text of others."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / ".openclaw"
    workspace = place / "workspace"
    sessions = place / "agents" / "main" / "sessions"
    (workspace / "memory").mkdir(parents=True)
    sessions.mkdir(parents=True)
    config = {
        "gateway": {"port": 1, "auth": {"token": SECRET}},
        "agents": {
            "list": [{"id": "main", "name": f"it is {SECRET}", "workspace": str(workspace)}]
        },
        "messages": {"note": SECRET},
    }
    (place / "openclaw.json").write_text(json.dumps(config))
    _sessions(sessions)
    _memory(workspace)
    for name in list(os.environ):
        if name.startswith(("MEMCONSOLE_", "OPENCLAW_", "CLAWDBOT_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMCONSOLE_HOME", str(place))
    monkeypatch.setenv("MEMCONSOLE_NOW", NOW.isoformat())
    monkeypatch.setenv("COLUMNS", "60")
    ours = tmp_path / ".config" / "memconsole"
    ours.mkdir(parents=True, mode=0o700)
    (ours / "config.toml").write_text(
        f'[metrics]\ntextfile = "{tmp_path}/figures.prom"\n[log]\nlevel = "debug"\n'
    )
    return place


def _sessions(folder: Path) -> None:
    at = int((NOW - timedelta(minutes=20)).timestamp() * 1000)
    entry = {
        "sessionId": ID,
        "updatedAt": at,
        "channel": f"telegram {SECRET}",
        "lastChannel": SECRET,
        "label": SECRET,
        "displayName": f"talk \\n{SECRET}",
        "subject": SECRET,
        "origin": {"label": SECRET, "provider": SECRET},
        "model": f"model-{SECRET}",
        "totalTokens": 120_000,
        "contextTokens": 200_000,
    }
    (folder / "sessions.json").write_text(json.dumps({KEY: entry}))
    for name in (f"{ID}.jsonl", f"{ENDED}.jsonl", f"{ENDED}.jsonl.reset.2026-05-01T10-00-00.000Z"):
        session = ID if ID in name else ENDED
        (folder / name).write_text("".join(json.dumps(one) + "\n" for one in _records(session)))


def _records(session: str) -> Iterator[dict[str, object]]:
    start = NOW - timedelta(minutes=60)
    yield {"type": "session", "version": 3, "id": session, "timestamp": start.isoformat()}
    said = (
        f"We decided to deploy with {SECRET} on Friday, remember that always.",
        f'{{"log": "started\\n{SECRET}\\nended"}}',
        f"Please fix the bug in /srv/{SECRET}/app.py and never push to main.",
        f"[ ] rotate {SECRET}\n[x] deploy with value=3D{SECRET}",
        f"\\u001b[32m{SECRET}\\u001b[0m is what it printed; the root cause was the cache.",
    )
    for number, text in enumerate(said * 3):
        at = (start + timedelta(minutes=number)).isoformat()
        user = [
            {"type": "text", "text": text},
            {"type": "image", "mimeType": f"image/{SECRET}", "data": "aGVsbG8="},
        ]
        answer = [
            {"type": "text", "text": f"Done: {text}"},
            {
                "type": "toolCall",
                "id": f"call-{SECRET}",
                "name": f"write_{SECRET}",
                "arguments": {"path": f"notes/{SECRET}.md", "content": SECRET},
            },
        ]
        for role, content in (("user", user), ("assistant", answer)):
            yield {
                "type": "message",
                "id": f"{role}{number}",
                "timestamp": at,
                "message": {"role": role, "content": content, "model": f"m-{SECRET}"},
            }


def _memory(workspace: Path) -> None:
    lines = f"# Key {SECRET}\n\n## Part {SECRET}\n\n- [GOTCHA] deploy with {SECRET} only\n"
    (workspace / "MEMORY.md").write_text(lines)
    (workspace / "memory" / f"notes-{SECRET}.md").write_text(lines)
    (workspace / "memory" / "2026-05-01.md").write_text(f"# main — 2026-05-01\n\n{lines}")
    (workspace / "memory" / f"folder-{SECRET}").mkdir()
    (workspace / "memory" / f"folder-{SECRET}" / "deep.md").write_text(lines)
    (workspace / "memory" / f"bad-{SECRET}.bin.md").write_bytes(b"\xff\xfe\x00\x01" * 20)


def test_every_command_is_tried_or_said_to_be_elsewhere() -> None:
    known = {
        f"{group} {name}".removeprefix(f"{PROGRAM} ")
        for group, names in COMMANDS.items()
        for name in names
        if name not in COMMANDS
    }
    tried = {name for name in known if any(f" {call} ".find(f" {name} ") >= 0 for call in CALLS)}
    left_out = {name for name in known if name in ELSEWHERE or name.split()[0] in ELSEWHERE}
    assert known - tried - left_out == set()


def test_no_way_out_lets_a_secret_through(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "_recover", lambda *_: None)  # a process of its own
    before = _files(tmp_path)
    own = {line for data in before.values() for line in data.splitlines()}
    log = tmp_path / "memconsole.log"
    leaks: list[str] = []
    for call in CALLS:
        for options in ((), ("--json",)):
            words = shlex.split(call.replace("WORKSPACE", str(home / "workspace")))
            main([*options, "--log-file", str(log), *words])
            out, err = capfd.readouterr()
            assert "--help`." not in err, call
            leaks += [f"{call} {options}: {line}" for line in _leaking(out + err)]
    for path, data in _files(tmp_path).items():
        lines = [line for line in data.splitlines() if line not in own]
        leaks += [f"{path}: {line}" for line in _leaking(b"\n".join(lines).decode("latin-1"))]
        if path not in before and _leaking(path):
            leaks.append(f"name of {path}")
    assert leaks == []


def _leaking(text: str) -> list[str]:
    """Return the lines with a piece of it; what the operator wrote down is moved as it stands."""
    return [line[:300] for line in text.splitlines() if any(piece in line for piece in PIECES)]


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
