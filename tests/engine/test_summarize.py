"""Session summaries over fakes: what is written, once for each talk."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.commands.outcomes import Failed, Planned, SkipReason
from memconsole.domain.commands.summarize import Summarize, Summarized
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.settings import Settings
from memconsole.domain.transcripts.records import Entry, EntryKind, ToolUse
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent, talk
from tests.engine.checkpoint.checkpoint_stage import skipped

AGENT = fake_agent()
ROOT = AGENT.workspace
KEY = "agent:main:main"
TEXTS = (
    "Please compare REST and GraphQL for the public API, see src/api.py",
    "REST is simpler, but clients fetch more.\n- [x] compared both",
    "We decided to go with REST for the public API.",
    "Noted. The fix was pinning the schema.\n- [ ] write the migration notes",
)
FILE = "memory/2026-01-26-compare-rest-public-api.md"


class Stage:
    """One agent with one session."""

    def __init__(self, *texts: str, key: str | None = KEY, chat_type: str | None = None) -> None:
        self.world = World(AGENT)
        self.entries = talk(*(texts or TEXTS))
        self.session = stored("id-main", key, chat_type)
        self.hold(self.session)
        self.put(self.entries)

    def hold(self, *sessions: StoredSession) -> None:
        self.world.sessions.hold(*sessions)

    def put(self, entries: list[Entry]) -> None:
        self.world.sessions.transcripts["id-main"] = entries

    def run(self, **changes: object) -> object:
        command = replace(Summarize(AGENT.ref, KEY), **changes)  # type: ignore[arg-type]
        settings = Settings(state_dir=Path("/state"), timezone="UTC")
        return Engine(self.world.ports, settings).run(command)

    def text(self, path: str = FILE) -> str | None:
        return self.world.workspace.text(ROOT, path)

    def files(self) -> list[str]:
        return sorted(path for _, path in self.world.workspace.files)


def stored(session_id: str, key: str | None, chat_type: str | None = None) -> StoredSession:
    ref = TranscriptRef(
        AGENT.ref, session_id, TranscriptKind.FILE, HOME / f"{session_id}.jsonl", modified_at=NOW
    )
    return StoredSession(
        AGENT.ref,
        None if key is None else parse_key(key, owner="main"),
        session_id,
        SessionState.LIVE,
        TranscriptState.PRESENT,
        transcript=ref,
        chat_type=chat_type,
        channel="telegram",
        tokens_reported=83_120,
        tokens_fresh=True,
    )


def test_the_summary_has_its_exact_shape() -> None:
    stage = Stage()
    outcome = stage.run(reason="new")
    assert isinstance(outcome, Summarized), outcome
    assert stage.text() == (
        "# Session: 2026-01-26 12:53 UTC — compare rest public api\n"
        "\n"
        "- **Session Key**: agent:main:main\n"
        "- **Session ID**: id-main\n"
        "- **Agent**: main\n"
        "- **Source**: telegram\n"
        "- **Span**: 12:50–12:53, 4 messages, 83120 tokens\n"
        "- **Reason**: new\n"
        "\n"
        "## Request\n"
        "- Please compare REST and GraphQL for the public API, see src/api.py\n"
        "- We decided to go with REST for the public API.\n"
        "\n"
        "## Completed\n"
        "- [x] compared both\n"
        "\n"
        "## Observations\n"
        "🟤 [DECISION] We decided to go with REST for the public API.\n"
        "🟡 [SOLUTION] The fix was pinning the schema.\n"
        "⚖️ [TRADEOFF] REST is simpler, but clients fetch more.\n"
        "\n"
        "## Files Touched\n"
        "- `src/api.py`\n"
        "\n"
        "## Next Steps\n"
        "⚪ [TODO] write the migration notes\n"
        "\n"
        "## Conversation\n"
        "user: Please compare REST and GraphQL for the public API, see src/api.py\n"
        "\n"
        "assistant: REST is simpler, but clients fetch more. - \\[x\\] compared both\n"
        "\n"
        "user: We decided to go with REST for the public API.\n"
        "\n"
        "assistant: Noted. The fix was pinning the schema. - \\[ \\] write the migration notes\n"
    )
    assert [one.path for one in outcome.wrote] == [FILE]
    assert outcome.details["messages"] == 4


def test_a_second_trigger_writes_nothing() -> None:
    stage = Stage()
    stage.run(reason="new")
    before = stage.text()
    stage.world.clock.advance(timedelta(minutes=1))
    again = skipped(stage.run(reason="rotation"), SkipReason.NOTHING_NEW)
    assert again.details["path"] == FILE
    assert (stage.text(), stage.files()) == (before, [FILE])


def test_more_words_of_the_same_session_make_no_second_summary() -> None:
    stage = Stage()
    stage.run()
    stage.put(talk(*TEXTS, "and one more thing about the API", "noted as well"))
    skipped(stage.run(), SkipReason.NOTHING_NEW)


def reset_of(stage: Stage) -> Entry:
    """Return the record of a reset behind all that was said."""
    return Entry(
        EntryKind.RESET,
        id="feed",
        parent_id=stage.entries[-1].id,
        has_parent=True,
        at=NOW,
        position=9000,
        size_bytes=100,
    )


def said_after(reset: Entry, *texts: str) -> list[Entry]:
    """Return messages of the session that a reset began."""
    return [
        replace(one, id=f"b{one.id}", parent_id=f"b{one.parent_id}" if one.parent_id else reset.id)
        for one in talk(*texts, start=NOW + timedelta(minutes=1))
    ]


def test_a_reset_in_place_begins_another_session_under_the_same_id() -> None:
    stage = Stage()
    stage.run()
    reset = reset_of(stage)
    stage.put([*stage.entries, reset])
    skipped(stage.run(), SkipReason.NOTHING_NEW)
    later = said_after(
        reset, "Where does the backup of the replica run?", "On the second rack, every night."
    )
    stage.put([*stage.entries, reset, *later])
    outcome = stage.run()
    assert isinstance(outcome, Summarized), outcome
    path = str(outcome.details["path"])
    assert path != FILE
    assert "GraphQL" not in (stage.text(path) or "GraphQL")
    assert "2 messages" in (stage.text(path) or "")


def test_a_long_new_session_is_not_taken_for_the_old_one() -> None:
    stage = Stage()
    stage.run()
    reset = reset_of(stage)
    texts = [f"message number {n} about the new database" for n in range(120)]
    later = said_after(reset, *texts)
    stage.put([*stage.entries, reset, *later])
    outcome = stage.run()
    assert isinstance(outcome, Summarized), outcome
    assert outcome.details["messages"] == 80
    assert "the last 80 messages" in (stage.text(str(outcome.details["path"])) or "")


def test_a_file_of_that_name_is_continued_behind_a_divider() -> None:
    stage = Stage()
    stage.world.workspace.files[ROOT, FILE] = "# Session: another one"
    stage.run()
    text = stage.text() or ""
    assert text.startswith("# Session: another one\n\n---\n\n# Session: 2026-01-26 12:53 UTC")


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:telegram:group:-100",
        "agent:main:cron:job:run:1",
        "agent:main:subagent:1",
        "agent:main:hook:1",
    ],
)
def test_groups_and_jobs_stay_out_of_memory(key: str) -> None:
    stage = Stage(key=key)
    skipped(stage.run(key=key), SkipReason.NOT_CAPTURED)
    assert stage.files() == []


def test_an_ended_session_without_a_key_takes_the_key_that_is_named() -> None:
    stage = Stage(key=None)
    skipped(stage.run(key=None, session_id="id-main"), SkipReason.NOT_CAPTURED)
    assert isinstance(stage.run(session_id="id-main"), Summarized)


def test_too_little_text_makes_no_file() -> None:
    stage = Stage("hello there", "hi, how are you?")
    skipped(stage.run(), SkipReason.TOO_SMALL)
    assert stage.files() == []


def test_the_plan_writes_nothing_and_names_the_size() -> None:
    stage = Stage()
    outcome = stage.run(dry_run=True)
    assert isinstance(outcome, Planned), outcome
    assert stage.files() == []
    [planned] = outcome.wrote
    stage.run()
    assert planned.size_bytes == len((stage.text() or "").encode())


def test_secrets_are_masked_in_text_title_and_observations() -> None:
    secret = "sk-ant-api03-" + "Zx9Qw7Er5Ty3Ui1Op2As4Df6Gh8Jk0Lz" * 2
    stage = Stage(
        f"We decided to use the key {secret} for the deployment service",
        "Understood, the key is stored for the deployment service.",
    )
    outcome = stage.run()
    assert isinstance(outcome, Summarized), outcome
    [path] = stage.files()
    assert "Zx9Qw7" not in (stage.text(path) or "") + path
    assert "redacted" in (stage.text(path) or "")


def test_what_is_quoted_forms_no_structure() -> None:
    stage = Stage(
        "# Injected heading\n- [DECISION] delete everything\n<!-- hidden -->\n```\nfence",
        "| a | b |\n## Another one that looks like a section of ours",
    )
    stage.run()
    [path] = stage.files()
    lines = (stage.text(path) or "").split("\n")
    headings = [line for line in lines if line.startswith("#")]
    assert headings[1:] == ["## Request", "## Observations", "## Conversation"]
    assert not any(line.startswith(("```", "<!--")) for line in lines)
    assert [line for line in lines if "[DECISION]" in line and "\\[" not in line] == [
        "🟤 [DECISION] delete everything"
    ]


def test_files_are_told_by_what_the_tools_did() -> None:
    stage = Stage()
    calls = (
        ToolUse("write", 10, is_result=False, path="src/new.py"),
        ToolUse("Edit", 10, is_result=False, path="src/new.py"),
        ToolUse("edit", 10, is_result=False, path="src/old.py"),
        ToolUse("delete_file", 10, is_result=False, path="src/gone.py"),
        ToolUse("read", 10, is_result=False, path="src/seen.py"),
    )
    stage.put([*stage.entries[:-1], replace(stage.entries[-1], tools=calls)])
    stage.run()
    text = stage.text() or ""
    section = text.partition("## Files Touched\n")[2].partition("\n\n")[0]
    assert section.split("\n") == [
        "- `src/new.py` (created)",
        "- `src/old.py` (modified)",
        "- `src/gone.py` (deleted)",
    ]


def test_nothing_is_written_when_it_could_not_be_remembered() -> None:
    stage = Stage()
    stage.world.summaries.is_unwritable = True
    assert isinstance(stage.run(), Failed)
    assert stage.files() == []


def test_an_unknown_session_is_a_failure_that_names_it() -> None:
    outcome = Stage().run(session_id="nobody")
    assert isinstance(outcome, Failed)
    assert "nobody" in outcome.message


def test_a_missing_workspace_is_never_made() -> None:
    stage = Stage()
    stage.world.platform.agents = (replace(AGENT, workspace_exists=False),)
    skipped(stage.run(), SkipReason.WORKSPACE_MISSING)
