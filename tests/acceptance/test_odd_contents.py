"""Homes whose files hold anything: every reading command ends well, and nothing steers."""

from __future__ import annotations

import json
import shutil
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.adapters.sqlite.own import open_own, transaction
from tests.acceptance.bad_homes import MAIN, SESSION, messages, sound_home
from tests.acceptance.sound_answers import live_at_rest, read_everything
from tests.homes import SqliteHome
from tests.lengths import costly

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = count()
TALKS = (
    ("status",),
    ("sessions", "--all"),
    ("session", MAIN),
    ("transcript", MAIN, "--all"),
    ("checkpoint", "--dry-run"),
    ("observe", "--dry-run"),
    ("prune-preview", MAIN),
    ("secrets", "--transcripts"),
    ("rotate", "--dry-run"),
    ("recover",),
    ("health",),
)
MEMORY = (
    ("memory", "pool"),
    ("memory", "show"),
    ("markers",),
    ("secrets",),
    ("reindex",),
    ("search", "boat"),
    ("get", "MEMORY.md"),
    ("bootstrap",),
    ("index-md", "--print"),
    ("consolidate", "--report"),
    ("reflect", "--dry-run", "--force"),
    ("health",),
)
SETTINGS = (("status",), ("config", "check"), ("memory", "pool"), ("health",))
OURS = (("status",), ("config", "show"), ("jobs",), ("search", "boat"))

NUMBERS_OF_TIME = (
    *(0, -1, 1, 1777716000, 1777716000000, 10**11, 10**14, 10**30, -(10**30), 2**63, 2**64),
    *(1.5, 1e308, float("nan"), float("inf")),
)
WORDS_OF_TIME = (
    *("NaN", "1777716000", "2026-05-02", "2026-05-02T10:00:00Z", "9999-12-31T23:59:59Z", "0001"),
    *("", "2026-05-02T10:00:00+25:00", "0001-01-01T00:00:00+14:00", "\ud800"),
)
TIMES: st.SearchStrategy[object] = (
    st.sampled_from(NUMBERS_OF_TIME) | st.sampled_from(WORDS_OF_TIME) | st.none() | st.booleans()
)
SIZES = st.sampled_from([0, -1, 1, 10**6, 10**18, 2**63, 10**40, 0.5, -0.0, 1e300, "5", None, True])
TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "\x1b[31mred",
        "\x9b31m",
        "\u202eevil",
        "[/bad]",
        "a\nb",
        "\r",
        "\ud83d",
        "\x00",
        MAIN,
        SESSION,
    ]
)
LEAVES = st.none() | st.booleans() | SIZES | TIMES | TEXTS
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "sessionId": st.just(SESSION) | JSON,
        **dict.fromkeys(
            ("updatedAt", "sessionStartedAt", "lastInteractionAt", "archivedAt", "compactionCount"),
            TIMES,
        ),
        **dict.fromkeys(("totalTokens", "contextTokens", "memoryFlushCompactionCount"), SIZES),
        **dict.fromkeys(("label", "model", "status", "chatType", "origin", "sessionFile"), JSON),
        "totalTokensFresh": JSON,
        "compactionCheckpoints": st.lists(JSON, max_size=2) | JSON,
    },
)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "toolCall", "image", "odd"])},
    optional={"text": TEXTS, "thinking": JSON, "name": JSON, "arguments": JSON, "data": JSON},
)
RECORD = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "compaction", "reset", "leaf", "session", "custom"])},
    optional={
        "id": TEXTS,
        "parentId": TEXTS | st.none(),
        "timestamp": TIMES,
        "summary": JSON,
        "tokensBefore": SIZES,
        "message": JSON
        | st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "toolResult", "system"]) | JSON},
            optional={
                "content": TEXTS | st.lists(BLOCK, max_size=3) | JSON,
                "timestamp": TIMES,
                "usage": st.dictionaries(st.sampled_from(["input", "totalTokens"]), SIZES) | JSON,
                "model": JSON,
            },
        ),
    },
)
HEADER = json.dumps({"type": "session", "version": 3, "id": SESSION}).encode()
LINE = RECORD.map(lambda record: json.dumps(record).encode()) | st.binary(max_size=30)
TRANSCRIPT = st.lists(LINE, max_size=5).map(lambda lines: b"\n".join([HEADER, *lines, b""]))
MARKS = (
    *("# ", "## Boat", "- [FACT] a boat", "- [", "```", "<!-- ", "---", "| a |", "[DECISION]"),
    *("- 🔴 (09:00) a boat", "## 2026-04-11", "## 9999-99-99", "Date: 2026-04-11", "\t- x"),
)
MARKDOWN = (
    st.lists(TEXTS | st.sampled_from(MARKS), max_size=12).map(
        lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass")
    )
    | st.binary(max_size=60)
    | st.text(max_size=20).map(lambda text: text.encode("utf-16", "surrogatepass"))
)
KEYS = st.sampled_from(
    """agents list entries defaults id name workspace memorySearch extraPaths compaction mode
    memoryFlush enabled softThresholdTokens reserveTokensFloor model primary models providers
    contextWindow gateway port auth token session store scope reset idleMinutes hooks internal
    maintenance pruneAfter contextPruning ttl bootstrapMaxChars""".split()  # noqa: SIM905 - as long
)
CONFIG = st.dictionaries(
    KEYS,
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
        max_leaves=12,
    ),
    max_size=4,
)


@pytest.fixture(autouse=True)
def at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    live_at_rest(monkeypatch)


def made(tmp_path: Path) -> Path:
    return sound_home(tmp_path / f"{next(NUMBERS)}" / ".openclaw")


@given(ENTRY, TRANSCRIPT)
@costly(2)
def test_any_session_and_transcript(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    entry: dict[str, object],
    transcript: bytes,
) -> None:
    state = made(tmp_path)
    folder = state / "agents" / "main" / "sessions"
    (folder / "sessions.json").write_text(json.dumps({MAIN: {"sessionId": SESSION, **entry}}))
    (folder / f"{SESSION}.jsonl").write_bytes(transcript)
    read_everything(state, TALKS, capfdbinary)
    shutil.rmtree(state)


@given(ENTRY, st.lists(RECORD, max_size=4), st.integers(-(2**63), 2**63 - 1))
@costly(1)
def test_any_rows_of_a_database(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    entry: dict[str, object],
    records: list[object],
    number: int,
) -> None:
    state = made(tmp_path)
    shutil.rmtree(state / "agents" / "main")
    builder = SqliteHome(state)
    lines = [HEADER, *(json.dumps(record).encode() for record in [*messages(), *records])]
    builder.live(MAIN, SESSION, lines, **{**entry, "sessionId": SESSION})
    with open_own(builder.store) as connection, transaction(connection):
        connection.execute("UPDATE session_nodes SET updated_at = ?", (number,))
        connection.execute("UPDATE session_windows SET created_at = ?", (number,))
        connection.execute("UPDATE transcript_events SET created_at = ?", (number,))
    read_everything(state, TALKS, capfdbinary)
    shutil.rmtree(state)


@given(MARKDOWN, MARKDOWN, MARKDOWN)
@costly(2)
def test_any_memory_files(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    memory: bytes,
    observations: bytes,
    active: bytes,
) -> None:
    state = made(tmp_path)
    workspace = state / "workspace"
    for path, content in {
        "MEMORY.md": memory,
        "INDEX.md": memory,
        "memory/observations.md": observations,
        "memory/2026-04-11.md": observations,
        "memory/ACTIVE_CONTEXT.md": active,
        "memory/.dreams/short-term-recall.json": active,
    }.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_bytes(content)
    read_everything(state, MEMORY, capfdbinary)
    shutil.rmtree(state)


@given(CONFIG.map(json.dumps).map(str.encode) | st.binary(max_size=60))
@costly(4)
def test_any_configuration_of_the_platform(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], config: bytes
) -> None:
    state = made(tmp_path)
    (state / "openclaw.json").write_bytes(config)
    read_everything(state, SETTINGS, capfdbinary)
    shutil.rmtree(state)


OUR_LINES = (
    *("[search]", "[jobs.checkpoint]", "[alerts]", "[[alerts.channel]]", "[ui]", "[x", "a.b = 1"),
    *("limit = -1", "limit = 99999999999999999999", "timezone = 'Mars/Base'", "every = '0s'"),
    *("every = '5 fortnights'", "color = 7", "t = 1979-05-27T07:32:00Z", "f = nan", "= 3"),
    *("enabled = 'yes'", "x = '\x1b[31m'", 'x = "\\u202e"', "threshold = 1e400"),
)


@given(st.lists(st.sampled_from(OUR_LINES) | TEXTS, max_size=5))
@costly(3)
@example(["[search]", "limit = 99999999999999999999"])
def test_any_configuration_of_ours(
    tmp_path: Path,
    user_home: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    lines: list[str],
) -> None:
    state = made(tmp_path)
    folder = user_home / ".config" / "memconsole"
    folder.mkdir(parents=True, exist_ok=True)
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    (folder / "config.toml").write_bytes(content)
    read_everything(state, OURS, capfdbinary)
    shutil.rmtree(state)
