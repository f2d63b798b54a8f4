"""Consolidation over fakes, one long story: preview, archive, accept, decline, report, undo."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.commands.consolidate import Consolidate, Consolidated, Propose, Proposed
from memconsole.domain.commands.memory import (
    Decline,
    Declined,
    Forgotten,
    MemoryForget,
    MemoryUndo,
    Promote,
    Promoted,
    Undone,
)
from memconsole.domain.commands.outcomes import Outcome, Planned, Skipped, SkipReason
from memconsole.domain.consolidate.decay import HOOK
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.memory.files import PoolItem
from memconsole.domain.memory.observation_log import add, parse
from memconsole.domain.memory.observations import (
    OBSERVATIONS,
    Kind,
    Observation,
    ObservationLog,
    Priority,
)
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import ConsolidateSettings
from memconsole.engine.engine import Engine
from memconsole.errors import WorkspaceError
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent
from tests.engine.checkpoint.checkpoint_stage import failed, skipped

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.domain.memory.files import WorkspaceText


AGENT = fake_agent()

ROOT = AGENT.workspace

TODAY = date(2026, 1, 26)

ARCHIVE = "memory/archive/observations/2026-01-26.md"

BACKUP = "memory/observation-backups/observations-20260126-132000.md"

NOTES = "memory/2026-01-20.md"

LONG = "# Memory\r\n\r\n## Notes\r\n\r\n- The build needs ninja\r\n"


def line(text: str, ago: int, importance: float, **changes: object) -> Observation:
    base = Observation(
        Priority.of_score(importance),
        text,
        TODAY - timedelta(days=ago),
        "14:05",
        Kind.FACT,
        importance,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


OLD = add(
    ObservationLog(),
    [
        line("Two keys for every deployment", 40, 8.0),
        line("The rack stands on the second floor", 10, 5.0),
        line("Lunch was at noon", 0, 1.0),
        line("Ada prefers tea", 1, 5.5, kind=Kind.PREFERENCE),
    ],
).text

DAILY = (
    "# main — 2026-01-20\n\n## 09:00 - Note\n\n- [DECISION] Port 8443 is the gateway\n\n"
    "### Checkpoint 09:20 (auto)\n\n- Last request: where does the port stand?\n\n"
    "## Later\n\n- Ada | Bob [link](http://x) <!-- hidden --> # no heading\n"
)


class Stage:
    """One agent with observations, a daily log and a long-term memory."""

    def __init__(self, **rules: object) -> None:
        self.world = World(AGENT)
        self.files = self.world.workspace.files
        self.files[ROOT, OBSERVATIONS] = OLD
        self.files[ROOT, NOTES] = DAILY
        self.files[ROOT, "MEMORY.md"] = LONG
        given = ConsolidateSettings(**{"search_log": True, "token_target": 1, **rules})  # type: ignore[arg-type]
        self.settings = Settings(state_dir=Path("/state"), timezone="UTC", consolidate=given)

    @property
    def engine(self) -> Engine:
        return Engine(self.world.ports, self.settings)

    def run(self, command: Command) -> Outcome:
        return self.engine.run(command)

    def apply(self, **changes: object) -> Outcome:
        return self.run(replace(Consolidate(AGENT.ref), **changes))  # type: ignore[arg-type]

    def preview(self) -> ConsolidationPreview:
        return self.engine.consolidation.preview("main")

    def text(self, path: str = OBSERVATIONS) -> str | None:
        return self.world.workspace.text(ROOT, path)

    def id_of(self, words: str) -> str:
        found = entries_of(NOTES, self.text(NOTES) or "")
        return next(one.id for one in found if words in one.text)

    def find(self, words: str, times: int = 8) -> str:
        """Have a note found by several questions on several days; return its id."""
        id_ = self.id_of(words)
        at = [NOW - timedelta(days=number % 4) for number in range(times)]
        hits = [
            NoteHit(id_, NOTES, f"{number:016x}", when.date(), 0.9, when)
            for number, when in enumerate(at)
        ]
        self.world.consolidation.add(str(ROOT), hits, keep_since=NOW - timedelta(days=60))
        return id_


def test_the_preview_says_what_would_go_and_writes_nothing() -> None:
    stage = Stage()
    before = dict(stage.files)
    found = stage.preview()
    assert [(one.text, one.score, one.age_days) for one in found.archived] == [
        ("The rack stands on the second floor", 4.0, 10),
        ("Lunch was at noon", 1.0, 0),
    ]
    assert [one.text for one in found.high] == ["Two keys for every deployment"]
    assert (
        found.archived[0].line
        == OLD.splitlines().index(next(one for one in OLD.splitlines() if "rack" in one)) + 1
    )
    assert found.hook.startswith("Archived 2 lines about ")
    assert found.tokens_before > found.tokens_after - 30
    assert stage.files == before
    assert stage.world.runs.stored == []


def test_what_has_decayed_is_archived_behind_a_backup_and_a_hook_stays() -> None:
    stage = Stage()
    outcome = stage.apply()
    assert isinstance(outcome, Consolidated), outcome
    kept = [one.text for one in parse(stage.text() or "").observations]
    assert kept[:2] == ["Two keys for every deployment", "Ada prefers tea"]
    assert kept[2].startswith("Archived 2 lines about ")
    assert kept[2].endswith(f": see {ARCHIVE}")
    archived = stage.text(ARCHIVE) or ""
    assert "The rack stands on the second floor" in archived
    assert "mc:because=decayed-to:4.0" in archived
    assert stage.text(BACKUP) == OLD
    assert stage.world.workspace.writes == [BACKUP, ARCHIVE, OBSERVATIONS]
    assert outcome.details["tokens_after"] == stage.preview().tokens_before


def test_a_second_time_there_is_nothing() -> None:
    stage = Stage()
    stage.apply()
    before = dict(stage.files)
    message = skipped(stage.apply(), SkipReason.NOTHING_NEW).message
    assert "1 with 🔴 go with --apply-high only" in message
    assert stage.files == before


def test_red_lines_go_only_when_the_operator_says_so() -> None:
    stage = Stage()
    assert isinstance(stage.apply(is_high_included=True), Consolidated)
    assert "Two keys" not in (stage.text() or "")
    assert "Two keys" in (stage.text(ARCHIVE) or "")


def test_taking_it_back_leaves_every_file_as_it_was() -> None:
    stage = Stage()
    before = dict(stage.files)
    stage.apply()
    outcome = stage.run(MemoryUndo(AGENT.ref))
    assert isinstance(outcome, Undone), outcome
    assert outcome.details["undid"] == "consolidate"
    assert outcome.details["exact"] is True
    assert stage.files == before


def test_an_edit_since_the_preview_is_left_alone() -> None:
    stage = Stage()
    shown = stage.preview().shown
    stage.files[ROOT, OBSERVATIONS] = OLD.replace("second floor", "third floor")
    before = dict(stage.files)
    outcome = failed(stage.apply(shown=shown), "changed-since")
    assert "was changed since it was shown; nothing was done" in outcome.message
    assert stage.files == before
    assert isinstance(stage.apply(shown=stage.preview().shown), Consolidated)


def test_an_edit_in_the_very_moment_leaves_no_copy_behind() -> None:
    stage = Stage()
    edited = OLD + "- 🟡 13:19 Something that was said just now\n"
    stage.world.workspace.edits[OBSERVATIONS] = [edited]
    failed(stage.apply(), "concurrent-edit")
    assert stage.text() == edited
    assert stage.text(ARCHIVE) is None
    assert stage.text(BACKUP) is None
    assert stage.world.edits.stored == []


@pytest.mark.parametrize("failing", [BACKUP, ARCHIVE, OBSERVATIONS])
def test_without_backup_or_archive_nothing_goes(failing: str) -> None:
    stage = Stage()
    before = dict(stage.files)
    stage.world.workspace.refused[failing] = "the disk is full"
    assert "the disk is full" in failed(stage.apply(), "workspace").message
    assert stage.files == before


def test_nothing_is_done_that_could_not_be_taken_back() -> None:
    stage = Stage()
    before = dict(stage.files)
    stage.world.edits.is_unwritable = True
    failed(stage.apply(), "state")
    assert stage.files == before


def test_a_note_that_was_found_again_is_proposed_with_what_speaks_for_it() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    stage.find("Ada |", times=2)
    [one] = stage.preview().proposals
    assert one.id == id_
    assert (one.path, one.line, one.day) == (NOTES, 3, "2026-01-20")
    assert one.text == "- 2026-01-20: [DECISION] Port 8443 is the gateway"
    assert (one.hits, one.queries, one.days) == (8, 8, 4)
    assert one.parts.relevance == pytest.approx(0.9)
    assert one.score == one.parts.score >= 0.75


def test_nothing_goes_into_memory_but_what_the_operator_names() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    other = stage.find("Ada |")
    assert {one.id for one in stage.preview().proposals} == {id_, other}
    outcome = stage.run(Promote(AGENT.ref, (id_,)))
    assert isinstance(outcome, Promoted), outcome
    added = "\r\n## Promoted\r\n\r\n- 2026-01-20: [DECISION] Port 8443 is the gateway\r\n"
    assert stage.text("MEMORY.md") == LONG + added
    assert stage.text(NOTES) == DAILY
    assert [one.id for one in stage.preview().proposals] == [other]
    [new] = [one for one in entries_of("MEMORY.md", LONG + added) if "8443" in one.text]
    assert outcome.details["ids"] == [new.id]
    assert "8443" not in stage.world.runs.stored[-1].command_line + outcome.message


def test_accepting_can_be_taken_back_and_is_done_once() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    before = dict(stage.files)
    stage.run(Promote(AGENT.ref, (id_,)))
    skipped(stage.run(Promote(AGENT.ref, (id_,))), SkipReason.DUPLICATE)
    assert isinstance(stage.run(MemoryUndo(AGENT.ref)), Undone)
    assert stage.files == before
    assert [one.id for one in stage.preview().proposals] == [id_]


def test_a_note_becomes_nothing_but_text() -> None:
    stage = Stage()
    id_ = stage.find("Ada |")
    stage.run(Promote(AGENT.ref, (id_,)))
    last = (stage.text("MEMORY.md") or "").splitlines()[-1]
    assert last == ("- 2026-01-20: Ada \\| Bob [link]\\(http://x) \\<\\!-- hidden --> # no heading")


def test_a_note_that_was_edited_since_is_refused() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    stage.files[ROOT, NOTES] = DAILY.replace("8443", "8444")
    outcome = failed(stage.run(Promote(AGENT.ref, (id_,))), "entry-id")
    assert "the note was changed, taken out, or never found" in outcome.message
    assert stage.text("MEMORY.md") == LONG


def test_an_edit_of_memory_in_the_very_moment_is_taken_in() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    stage.world.workspace.edits["MEMORY.md"] = [LONG + "- by hand\r\n"]
    assert isinstance(stage.run(Promote(AGENT.ref, (id_,))), Promoted)
    assert "- by hand\r\n" in (stage.text("MEMORY.md") or "")
    stage.world.workspace.edits["MEMORY.md"] = ["one\n", "two\n"]
    failed(stage.run(Promote(AGENT.ref, (stage.find("Ada |"),))), "concurrent-edit")
    assert stage.text("MEMORY.md") == "two\n"


def test_a_line_is_put_above_a_fence_that_nobody_closed() -> None:
    stage = Stage()
    stage.files[ROOT, "MEMORY.md"] = "# Memory\n\n## Promoted\n\n```\nopen to the end\n"
    stage.run(Promote(AGENT.ref, (stage.find("8443"),)))
    above, _, behind = (stage.text("MEMORY.md") or "").partition("```")
    assert "8443" in above
    assert behind == "\nopen to the end\n"


@pytest.mark.parametrize("id_", ["", "d-", "d-00000000", "m-1a2b3c4d", "; rm -rf /"])
def test_ids_that_name_no_proposal_are_refused(id_: str) -> None:
    stage = Stage()
    stage.find("8443")
    stage.find("Ada |")
    for command in (Promote(AGENT.ref, (id_,)), Decline(AGENT.ref, (id_,))):
        failed(stage.run(command), "entry-id")
    assert stage.text("MEMORY.md") == LONG


def test_what_was_declined_is_proposed_no_more_and_can_still_be_accepted() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    assert isinstance(stage.run(Decline(AGENT.ref, (id_,), dry_run=True)), Planned)
    assert stage.preview().proposals
    assert isinstance(stage.run(Decline(AGENT.ref, (id_[:6],))), Declined)
    assert stage.preview().proposals == ()
    skipped(stage.run(Decline(AGENT.ref, (id_,))), SkipReason.NOTHING_NEW)
    assert isinstance(stage.run(Promote(AGENT.ref, (id_,))), Promoted)


def test_a_memory_in_small_letters_is_gone_on_with() -> None:
    stage = Stage()
    stage.files[ROOT, "memory.md"] = stage.files.pop((ROOT, "MEMORY.md"))
    stage.run(Promote(AGENT.ref, (stage.find("8443"),)))
    assert stage.text("MEMORY.md") is None
    assert "8443" in (stage.text("memory.md") or "")


def test_the_report_stands_between_its_marks_and_nothing_else_is_touched() -> None:
    stage = Stage()
    stage.find("8443")
    stage.find("Ada |")
    stage.files[ROOT, "DREAMS.md"] = "# Diary\n\nI dreamt of sheep.\n"
    before = dict(stage.files)
    outcome = stage.run(Propose(AGENT.ref))
    assert isinstance(outcome, Proposed), outcome
    text = stage.files.pop((ROOT, "DREAMS.md"))
    assert text.startswith("# Diary\n\nI dreamt of sheep.\n\n<!-- memconsole:consolidation begin")
    assert "| The rack stands on the second floor |" in text
    assert "Port 8443 is the gateway |" in text
    assert "Ada \\| Bob" in text
    del before[ROOT, "DREAMS.md"]
    assert stage.files == before


def test_it_reports_once_a_day_and_only_what_is_new() -> None:
    stage = Stage()
    stage.run(Propose(AGENT.ref))
    first = stage.text("DREAMS.md") or ""
    skipped(stage.run(Propose(AGENT.ref)), SkipReason.TOO_SOON)
    stage.files[ROOT, OBSERVATIONS] = OLD.replace("Ada prefers tea", "Ada prefers coffee")
    stage.world.clock.advance(timedelta(days=1))
    outcome = stage.run(Propose(AGENT.ref))
    assert isinstance(outcome, Proposed), outcome
    second = stage.text("DREAMS.md") or ""
    assert second.count("consolidation begin") == second.count("consolidation end") == 1
    assert "Ada prefers coffee" in second
    assert second != first
    stage.world.clock.advance(timedelta(days=1))
    skipped(stage.run(Propose(AGENT.ref)), SkipReason.NOTHING_NEW)
    assert stage.text("DREAMS.md") == second


def test_a_memory_without_anything_to_say_gets_no_report() -> None:
    stage = Stage()
    del stage.files[ROOT, OBSERVATIONS]
    skipped(stage.run(Propose(AGENT.ref)), SkipReason.NOTHING_NEW)
    skipped(stage.apply(), SkipReason.NOTHING_NEW)
    assert stage.preview().is_empty


def test_what_is_forgotten_for_good_leaves_the_report_too() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    diary = "# Diary\n\nI dreamt of Port 8443 is the gateway.\n"
    stage.files[ROOT, "DREAMS.md"] = diary
    stage.run(Propose(AGENT.ref))
    assert (stage.text("DREAMS.md") or "").count("Port 8443") == 2
    items = [PoolItem(NOTES, 1, 1, False, True)]
    pool = stage.world.memory.pool(ROOT, ("main",), config=PlatformConfig(), now=NOW)
    stage.world.memory.pools[ROOT] = replace(pool, items=tuple(items))
    outcome = stage.run(MemoryForget(AGENT.ref, (id_,), is_hard=True))
    assert isinstance(outcome, Forgotten), outcome
    text = stage.text("DREAMS.md") or ""
    assert text.startswith(diary)
    assert text.count("Port 8443") == 1
    assert "The rack stands" in text


def test_damaged_marks_are_not_guessed_at() -> None:
    stage = Stage()
    broken = "# Diary\n<!-- memconsole:consolidation begin -->\nmine\n"
    stage.files[ROOT, "DREAMS.md"] = broken
    assert "marks" in failed(stage.run(Propose(AGENT.ref)), "workspace").message
    assert stage.text("DREAMS.md") == broken
    assert stage.world.consolidation.last(str(ROOT)) is None


def test_it_leaves_a_platform_alone_that_consolidates_by_itself() -> None:
    stage = Stage()
    id_ = stage.find("8443")
    dreaming: dict[str, object] = {"enabled": True}
    for key in ("dreaming", "config", "memory-core", "entries", "plugins"):
        dreaming = {key: dreaming}
    stage.world.platform.config = PlatformConfig(checked=dreaming)
    for command in (Consolidate(AGENT.ref), Propose(AGENT.ref), Promote(AGENT.ref, (id_,))):
        skipped(stage.run(command), SkipReason.PLATFORM_CONSOLIDATES)
    assert any("dreaming" in note for note in stage.preview().notes)
    rules = replace(stage.settings.consolidate, with_platform=True)
    stage.settings = replace(stage.settings, consolidate=rules)
    assert isinstance(stage.run(Promote(AGENT.ref, (id_,))), Promoted)


def test_observations_that_cannot_be_read_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage()
    id_ = stage.find("8443")
    read = stage.world.workspace.read

    def refused(root: Path, relative: str) -> WorkspaceText | None:
        if relative == OBSERVATIONS:
            raise WorkspaceError("it is a named pipe")
        return read(root, relative)

    monkeypatch.setattr(stage.world.workspace, "read", refused)
    found = stage.preview()
    assert (found.notes, found.archived) == (("it is a named pipe",), ())
    assert [one.id for one in found.proposals] == [id_]
    failed(stage.apply(shown=found.shown), "workspace")


def test_a_missing_workspace_is_said() -> None:
    stage = Stage()
    stage.world.platform.agents = (replace(AGENT, workspace_exists=False),)
    assert "does not exist" in stage.preview().notes[0]
    skipped(stage.apply(), SkipReason.WORKSPACE_MISSING)


def test_a_file_within_its_target_is_left_alone() -> None:
    stage = Stage(token_target=5_000)
    before = stage.text()
    outcome = stage.run(Consolidate(AGENT.ref))
    assert isinstance(outcome, Skipped), outcome
    assert "of 5K tokens: nothing has to go" in outcome.message
    assert stage.text() == before


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30)

LINES = st.one_of(
    st.builds(
        "{}- {} 09:00 {} <!-- dc:type={} dc:importance={} -->".format,
        st.sampled_from(["", "  "]),
        st.sampled_from("🔴🟡🟢"),
        WORDS,
        st.sampled_from(["fact", "event", "rule", "preference", "nonsense"]),
        st.floats(0, 10).map(lambda value: f"{value:.1f}"),
    ),
    st.dates().map(lambda day: f"Date: {day}"),
    st.sampled_from(["Date: 2026-01-20", "Date: 2026-01-26", "```", "<!--", "-->", "# A", ""]),
    WORDS,
)

FILES = st.tuples(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]), WORDS).map(
    lambda parts: parts[1].join([*parts[0], parts[2]])
)


@given(FILES, st.booleans())
def test_nothing_is_lost_without_a_copy_and_undoing_leaves_every_byte(
    text: str, with_high: bool
) -> None:
    world = World(AGENT)
    files = world.workspace.files
    files[ROOT, OBSERVATIONS] = text
    before = dict(files)
    rules = Settings(
        state_dir=Path("/state"), timezone="UTC", consolidate=ConsolidateSettings(token_target=1)
    )
    engine = Engine(world.ports, rules)
    outcome = engine.run(Consolidate(AGENT.ref, is_high_included=with_high))
    if isinstance(outcome, Skipped):
        assert outcome.reason is SkipReason.NOTHING_NEW
        assert files == before
        return
    assert isinstance(outcome, Consolidated), outcome
    kept = parse(files[ROOT, OBSERVATIONS]).observations
    archived = parse(files[ROOT, ARCHIVE]).observations
    texts = [one.text for one in (*kept, *archived) if one.note(HOOK) is None]
    assert sorted(texts) == sorted(one.text for one in parse(text).observations)
    again = engine.run(Consolidate(AGENT.ref, is_high_included=with_high))
    assert isinstance(again, Skipped), again
    assert isinstance(engine.run(MemoryUndo(AGENT.ref)), Undone)
    assert files == before
