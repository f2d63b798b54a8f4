"""What a session's count is made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.files import Limit
from memconsole.domain.sessions.composition import (
    Advice,
    LoadedFile,
    Part,
    PartKind,
    PromptReport,
    TokensByClass,
    advice,
    composition,
    files_of,
)

MESSAGES = TokensByClass(user=1_000, assistant=2_000, tool_result=4_000)
REPORT = PromptReport(
    prompt_chars=8_000,
    skills_chars=2_000,
    tools_chars=12_000,
    files=(LoadedFile("AGENTS.md", 4_000, 4_000), LoadedFile("MEMORY.md", 30_000, 20_000)),
)


def test_what_the_platform_noted_is_named_and_the_rest_is_what_is_left() -> None:
    parts = composition(20_000, MESSAGES, REPORT)
    named = {part.name: (part.tokens, part.source) for part in parts}
    assert named["system prompt"] == (2_000, "platform")
    assert named["tools"] == (3_000, "platform")
    assert named["MEMORY.md"] == (5_000, "platform")
    assert named["tool results"] == (4_000, "transcript")
    assert named["not in the transcript"] == (1_500, "rest")


def test_a_file_that_was_cut_says_so() -> None:
    [cut] = [part for part in composition(None, MESSAGES, REPORT) if part.note]
    assert (cut.name, cut.note) == ("MEMORY.md", "cut: 20K of 30K characters")
    assert cut.loaded == LoadedFile("MEMORY.md", 30_000, 20_000)


def test_a_session_that_never_ran_is_made_of_nothing() -> None:
    assert composition(0, TokensByClass(), None, (LoadedFile("MEMORY.md", 290, 290),)) == ()


def test_more_named_than_counted_is_said() -> None:
    rest = composition(8_000, MESSAGES, REPORT)[-1]
    assert rest.tokens < 0
    assert rest.note == "more is named than counted: some was dropped or folded since"


def test_without_a_note_the_files_are_taken_as_they_stand_now() -> None:
    files = files_of((Limit("MEMORY.md", 30_000, 20_000),))
    parts = composition(20_000, MESSAGES, None, files)
    assert (parts[0].name, parts[0].tokens, parts[0].source) == ("MEMORY.md", 5_000, "memory")
    assert (parts[-1].kind, parts[-1].tokens) == (PartKind.REST, 8_000)


def test_an_unknown_count_has_no_rest() -> None:
    assert PartKind.REST not in {part.kind for part in composition(None, MESSAGES, REPORT)}


@given(st.integers(0, 400_000), st.booleans())
def test_the_parts_add_up_to_the_number_that_is_shown(count: int, is_noted: bool) -> None:
    parts = composition(count, MESSAGES, REPORT if is_noted else None)
    assert sum(part.tokens for part in parts) == count


def test_what_takes_most_of_a_session_is_advised_on_with_its_command() -> None:
    parts = composition(20_000, MESSAGES, REPORT)
    found = _advice(parts, 61.2)

    assert [(one.text.split(":")[0], one.command) for one in found] == [
        ("it is at 61 % of its window", "memconsole compact agent:main:main --dry-run"),
        (
            "memory files take 6K of every request, MEMORY.md most",
            "memconsole memory edit MEMORY.md --agent main",
        ),
        ("tools take 3K of every request", "openclaw mcp configure NAME --disable"),
    ]


def test_a_small_session_is_left_in_peace() -> None:
    parts = composition(None, TokensByClass(user=9_000), None)
    assert _advice(parts, 20.0) == ()
    assert _advice(parts, 90.0, is_compacted=False) == ()


def test_a_release_without_tool_servers_of_its_own_has_no_command_for_them() -> None:
    [tools] = [
        one
        for one in _advice(composition(20_000, MESSAGES, REPORT), 20.0, has_servers=False)
        if one.text.startswith("tools")
    ]
    assert tools.command == ""


def test_a_trifle_is_worth_no_word() -> None:
    parts = composition(None, TokensByClass(), None, (LoadedFile("MEMORY.md", 290, 290),))
    assert _advice(parts, None) == ()


def _advice(
    parts: tuple[Part, ...],
    percent: float | None,
    *,
    is_compacted: bool = True,
    has_servers: bool = True,
) -> tuple[Advice, ...]:
    return advice(
        parts,
        "agent:main:main",
        agent_id="main",
        window_percent=percent,
        is_compacted=is_compacted,
        has_servers=has_servers,
    )
