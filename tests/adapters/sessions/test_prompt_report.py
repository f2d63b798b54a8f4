"""What the platform noted about a session's prompt, read from an entry of any kind."""

from __future__ import annotations

import json

import pytest

from memconsole.adapters.sessions.prompt_report import decode_report
from memconsole.domain.sessions.composition import LoadedFile

NOTED = {
    "source": "run",
    "generatedAt": 1_769_433_000_000,
    "systemPrompt": {
        "chars": 30_000,
        "projectContextChars": 18_500,
        "nonProjectContextChars": 12_000,
    },
    "injectedWorkspaceFiles": [
        {"name": "AGENTS.md", "rawChars": 4_000, "injectedChars": 4_000, "truncated": False},
        {"name": "MEMORY.md", "rawChars": 30_000, "injectedChars": 14_000, "truncated": True},
        {"name": "HEARTBEAT.md", "missing": True, "rawChars": 0, "injectedChars": 40},
    ],
    "skills": {"promptChars": 2_000, "entries": [{"name": "x", "blockChars": 2_000}]},
    "tools": {"listChars": 1_000, "schemaChars": 9_000, "entries": []},
}


def test_every_part_of_the_prompt_is_counted_once() -> None:
    found = decode_report(json.dumps({"sessionId": "a", "systemPromptReport": NOTED}).encode())
    assert found is not None
    assert (found.prompt_chars, found.skills_chars, found.tools_chars) == (9_500, 2_000, 10_000)
    assert found.files == (
        LoadedFile("AGENTS.md", 4_000, 4_000),
        LoadedFile("MEMORY.md", 30_000, 14_000),
    )
    assert found.at is not None
    assert found.at.isoformat() == "2026-01-26T13:10:00+00:00"


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"[]",
        b"{}",
        b'{"systemPromptReport": null}',
        b'{"systemPromptReport": []}',
        b"{" * 9_000,
    ],
)
def test_what_cannot_be_read_is_no_report(entry: bytes) -> None:
    assert decode_report(entry) is None


def test_numbers_that_can_be_none_count_as_nought() -> None:
    odd = {**NOTED, "systemPrompt": {"nonProjectContextChars": -5}, "tools": {"schemaChars": 1e300}}
    found = decode_report(json.dumps({"systemPromptReport": odd}).encode())
    assert found is not None
    assert (found.prompt_chars, found.tools_chars) == (0, 0)
