"""What operators do to memory by hand: add, forget and undo, in one long file for one stage."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.commands.memory import (
    Forgotten,
    Layer,
    MemoryAdd,
    MemoryForget,
    MemoryUndo,
    Remembered,
    Undone,
)
from memconsole.domain.commands.outcomes import Outcome, Planned, Skipped, SkipReason
from memconsole.domain.commands.reflect import Reflected
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.memory.edits import ReflectionRecord
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.memory.files import PoolItem
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.settings import Settings
from memconsole.domain.transcripts.records import Tail
from memconsole.engine.engine import Engine
from memconsole.engine.reflect.files import digest
from memconsole.errors import LockedError
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent
from tests.engine.checkpoint.checkpoint_stage import failed

AGENT = fake_agent()
ROOT = AGENT.workspace
TODAY = "memory/2026-01-26.md"
ARCHIVE = "memory/archive/forgotten-2026-01.md"
LONG = (
    "# Memory\r\n\r\n## Notes\r\n\r\n- The build needs ninja\r\n- Ada prefers tea\r\n"
    "\r\n## Else\r\n\r\nWords.\r\n"
)


class Stage:
    """One agent with a memory of long standing."""

    def __init__(self) -> None:
        self.world = World(AGENT)
        self.hold("MEMORY.md", LONG)
        self.settings = Settings(state_dir=Path("/state"), timezone="UTC")

    def hold(self, path: str, text: str) -> None:
        """Put a file into the workspace, and into its pool."""
        self.world.workspace.files[ROOT, path] = text
        pool = self.world.memory.pool(ROOT, ("main",), config=PlatformConfig(), now=NOW)
        items = tuple(
            PoolItem(name, len(held), len(held) // 4, False, True, modified_at=NOW)
            for (_, name), held in self.world.workspace.files.items()
        )
        self.world.memory.pools[ROOT] = replace(pool, items=items)

    def save(self, workspace: str, block: str) -> None:
        """Let a checkpoint have saved this block."""
        self.world.captures.add(
            Capture(AGENT.ref, "s", None, NOW, block, block, True, None, workspace)
        )

    def run(self, command: MemoryAdd | MemoryForget | MemoryUndo) -> Outcome:
        return Engine(self.world.ports, self.settings).run(command)

    def run_reindex(self) -> None:
        """Build an index, so that there is one to bring up to date."""
        Engine(self.world.ports, self.settings).run(Reindex(AGENT.ref, with_sessions=False))

    def add(self, text: str, **changes: object) -> Outcome:
        return self.run(replace(MemoryAdd(AGENT.ref, text), **changes))  # type: ignore[arg-type]

    def forget(self, *ids: str, **changes: object) -> Outcome:
        return self.run(replace(MemoryForget(AGENT.ref, ids), **changes))  # type: ignore[arg-type]

    def undo(self, *, dry_run: bool = False) -> Outcome:
        return self.run(MemoryUndo(AGENT.ref, dry_run=dry_run))

    def text(self, path: str = "MEMORY.md") -> str | None:
        return self.world.workspace.text(ROOT, path)

    def files(self) -> dict[str, str]:
        return {path: text for (_, path), text in self.world.workspace.files.items()}

    def unfinished(self) -> str:
        """Return what health says of erasures."""
        report = Engine(self.world.ports, self.settings).health.report()
        found = next(one for one in report.checks if one.id == "locks")
        if not found.status.is_bad:
            return ""
        assert (found.since, found.details) == (NOW, (f"main: {ROOT}",))
        assert found.hint.endswith("tries again, `memconsole checkpoint --agent main` at once.")
        return found.message

    def id_of(self, words: str, path: str = "MEMORY.md") -> str:
        return next(one.id for one in entries_of(path, self.text(path) or "") if words in one.text)


def test_a_fact_goes_to_the_end_of_its_section_in_the_line_end_of_the_file() -> None:
    stage = Stage()
    outcome = stage.add("Port 8443 is the gateway", tag="FACT")
    assert isinstance(outcome, Remembered), outcome
    line = "- 2026-01-26: [FACT] Port 8443 is the gateway\r\n"
    assert stage.text() == LONG.replace("tea\r\n", f"tea\r\n{line}")
    assert outcome.details["line"] == 7
    assert outcome.details["id"] == stage.id_of("8443")
    assert "8443" not in stage.world.runs.stored[-1].command_line + outcome.message


def test_a_file_a_section_and_a_daily_log_are_made() -> None:
    stage = Stage()
    stage.add("Ada likes short answers", layer=Layer.USER, section="Style")
    assert stage.text("USER.md") == (
        "# User\n\n## Style\n\n- 2026-01-26: Ada likes short answers\n"
    )
    stage.add("# no heading", layer=Layer.DAILY)
    stage.add("Deployed it", layer=Layer.DAILY, tag="TODO")
    assert stage.text(TODAY) == (
        "# main — 2026-01-26\n\n## 13:20 - Note\n\n- \\# no heading\n"
        "\n## 13:20 - Note\n\n- [TODO] Deployed it\n"
    )


def test_a_second_file_beside_memory_md_in_small_letters_is_not_made() -> None:
    stage = Stage()
    del stage.world.workspace.files[ROOT, "MEMORY.md"]
    stage.hold("memory.md", "# Mine\n")
    stage.add("One more thing to keep")
    assert stage.text() is None
    assert "One more thing" in (stage.text("memory.md") or "")


@pytest.mark.parametrize("text", ["Ada prefers tea", "ada prefers  TEA.", "- Ada prefers tea"])
def test_what_stands_there_already_is_refused_with_its_id(text: str) -> None:
    stage = Stage()
    outcome = stage.add(text)
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.DUPLICATE
    assert outcome.details["id"] == stage.id_of("tea")
    assert stage.text() == LONG
    assert isinstance(stage.add(text, is_forced=True), Remembered)


@pytest.mark.parametrize(
    "text", ["Ada does not prefer tea", "Bob prefers tea", "The build needs 2"]
)
def test_what_only_looks_alike_is_added(text: str) -> None:
    assert isinstance(Stage().add(text), Remembered)


def test_secrets_are_masked_before_they_are_written() -> None:
    stage = Stage()
    stage.add("The token is ghp_" + "a1B2" * 9)
    assert "ghp_" not in (stage.text() or "")
    assert "[redacted:" in (stage.text() or "")


@pytest.mark.parametrize("text", ["", " \x00\n", "x" * 4_001])
def test_nothing_and_far_too_much_are_refused(text: str) -> None:
    stage = Stage()
    failed(stage.add(text), "usage")
    assert stage.text() == LONG


def test_a_forgotten_entry_is_in_the_archive_and_nowhere_else() -> None:
    stage = Stage()
    wanted = stage.id_of("ninja")
    outcome = stage.forget(wanted)
    assert isinstance(outcome, Forgotten), outcome
    assert stage.text() == LONG.replace("- The build needs ninja\r\n", "")
    assert stage.text(ARCHIVE) == (
        "# Forgotten — 2026-01\n\n"
        f"<!-- mc:forgotten=2026-01-26T13:20:00+00:00 mc:id={wanted} "
        "mc:path=MEMORY.md mc:line=5 -->\n"
        "- The build needs ninja\n\n"
    )
    assert stage.world.workspace.writes == [ARCHIVE, "MEMORY.md"]
    assert "ninja" not in outcome.message


def test_a_round_trip_leaves_the_pool_as_it_was() -> None:
    stage = Stage()
    before = stage.files()
    added = stage.add("Port 8443 is the gateway")
    with_it = stage.files()
    assert isinstance(added, Remembered)
    stage.forget(str(added.details["id"]))
    assert stage.files() == before | {ARCHIVE: stage.text(ARCHIVE)}
    outcome = stage.undo()
    assert isinstance(outcome, Undone), outcome
    assert outcome.details["undid"] == "forget"
    assert outcome.details["exact"] is True
    assert stage.files() == with_it
    assert isinstance(stage.undo(), Undone)
    assert stage.files() == before
    last = stage.undo()
    assert isinstance(last, Skipped)
    assert last.reason is SkipReason.NOTHING_NEW


def test_files_that_an_action_made_go_with_it() -> None:
    stage = Stage()
    before = stage.files()
    stage.add("Deployed it", layer=Layer.DAILY)
    stage.add("Ada likes short answers", layer=Layer.USER)
    stage.undo()
    stage.undo()
    assert stage.files() == before


def test_undoing_keeps_what_others_wrote_since() -> None:
    stage = Stage()
    stage.forget(stage.id_of("ninja"))
    stage.hold("MEMORY.md", "Above.\r\n\r\n" + (stage.text() or "") + "- Mine\r\n")
    outcome = stage.undo()
    assert isinstance(outcome, Undone)
    assert outcome.details["exact"] is False
    assert stage.text() == f"Above.\r\n\r\n{LONG}- Mine\r\n"

    stage = Stage()
    stage.add("Port 8443 is the gateway")
    stage.hold("MEMORY.md", "Above.\r\n\r\n" + (stage.text() or ""))
    stage.undo()
    assert stage.text() == f"Above.\r\n\r\n{LONG}"


def test_what_was_added_and_changed_by_others_is_left_alone() -> None:
    stage = Stage()
    stage.add("Port 8443 is the gateway")
    stage.hold("MEMORY.md", (stage.text() or "").replace("8443", "9443"))
    failed(stage.undo(), "changed-since")
    assert "9443" in (stage.text() or "")


def test_a_reflection_is_undone_in_its_turn() -> None:
    stage = Stage()
    stage.hold(OBSERVATIONS, "new\n")
    stage.hold("memory/observation-backups/observations-20260126-132000.md", "old\n")
    stage.add("Port 8443 is the gateway")
    stage.world.reflections.add(
        ReflectionRecord(
            0,
            str(ROOT.resolve()),
            NOW + timedelta(minutes=1),
            9,
            5,
            "memory/observation-backups/observations-20260126-132000.md",
            4,
            digest("new\n"),
        )
    )
    outcome = stage.undo()
    assert isinstance(outcome, Reflected), outcome
    assert isinstance(outcome.command, MemoryUndo)
    assert stage.text(OBSERVATIONS) == "old\n"
    assert "8443" in (stage.text() or "")
    assert isinstance(stage.undo(), Undone)
    assert stage.text() == LONG


def test_an_edit_of_somebody_else_meanwhile_is_taken_in() -> None:
    stage = Stage()
    wanted = stage.id_of("ninja")
    stage.world.workspace.edits["MEMORY.md"] = [LONG + "- Theirs\r\n"]
    assert isinstance(stage.forget(wanted), Forgotten)
    assert stage.text() == LONG.replace("- The build needs ninja\r\n", "") + "- Theirs\r\n"


@pytest.mark.parametrize(
    "edits", [[LONG + "1\r\n", LONG + "2\r\n"], [LONG.replace("ninja", "make")]]
)
def test_a_second_edit_and_an_entry_that_went_meanwhile_fail_clearly(edits: list[str]) -> None:
    stage = Stage()
    wanted = stage.id_of("ninja")
    stage.world.workspace.edits["MEMORY.md"] = list(edits)
    failed(stage.forget(wanted), "concurrent-edit")
    assert stage.text() == edits[-1]
    assert stage.text(ARCHIVE) is None
    assert stage.world.edits.stored == []


def test_ids_that_are_unknown_or_begin_several_name_what_there_is() -> None:
    stage = Stage()
    assert "no entry" in failed(stage.forget("m-00000000"), "entry-id").message
    assert "is no id" in failed(stage.forget("MEMORY.md:5"), "entry-id").message
    assert "is no id" in failed(stage.forget("m-"), "entry-id").message
    stage.hold("MEMORY.md", "".join(f"- Entry number {n}\n" for n in range(40)))
    ambiguous = next(
        letter
        for letter in "0123456789abcdef"
        if sum(one.id[2] == letter for one in entries_of("MEMORY.md", stage.text() or "")) > 1
    )
    outcome = failed(stage.forget(f"m-{ambiguous}"), "entry-id")
    assert "begins the ids of" in outcome.message
    assert "MEMORY.md:" in outcome.hint


def test_entries_with_the_same_words_go_together() -> None:
    stage = Stage()
    stage.hold("MEMORY.md", "- Twice\n- Once\n- twice\n")
    before = stage.files()
    stage.forget(stage.id_of("Twice"))
    assert stage.text() == "- Once\n"
    stage.undo()
    assert stage.files() == before


def test_the_only_entry_of_a_file_can_be_forgotten() -> None:
    stage = Stage()
    stage.hold(TODAY, "- One line\n")
    stage.forget(stage.id_of("One", TODAY))
    assert stage.text(TODAY) == ""
    stage.undo()
    assert stage.text(TODAY) == "- One line\n"


def test_a_run_that_ended_before_it_was_remembered_undoes_nothing_twice() -> None:
    stage = Stage()
    stage.hold(TODAY, "- One line\n- Two\n")
    before = stage.files()
    stage.forget(stage.id_of("One", TODAY), stage.id_of("ninja"))
    [action] = stage.world.edits.stored
    stage.undo()
    assert stage.files() == before
    stage.world.edits.add(action)  # as if the run had been killed before this was taken away
    outcome = stage.undo()
    assert isinstance(outcome, Undone)
    assert stage.files() == before
    assert outcome.wrote == ()


def test_an_archive_of_others_stays_when_forgetting_fails() -> None:
    stage = Stage()
    stage.hold(ARCHIVE, "# Mine\n")
    stage.world.workspace.refused["MEMORY.md"] = "the disk is full"
    failed(stage.forget(stage.id_of("ninja")), "workspace")
    assert stage.text(ARCHIVE) == "# Mine\n"
    assert stage.text() == LONG


SECRET = "The door code of the archive room is blue"


def test_hard_leaves_no_copy_in_anything_that_is_ours() -> None:
    stage = Stage()
    stage.hold("memory/observation-backups/observations-20260101-000000.md", f"- 🔴 {SECRET}\nx\n")
    stage.hold("memory/archive/observations/2026-01-01.md", f"- 🟢 {SECRET} <!-- a -->\n")
    stage.hold("memory/ACTIVE_CONTEXT.md", f"# A\n- {SECRET}\n")
    added = stage.add(SECRET)
    assert isinstance(added, Remembered)
    wanted = str(added.details["id"])
    stage.forget(wanted)
    stage.undo()
    stage.add("Something else entirely")
    stage.save(str(ROOT), f"# A\n- **[13:20]** {SECRET}\n- Other\n")
    stage.world.read_before.store("home", {("path", "id", 1, (1,)): Tail()}, {})
    outcome = stage.forget(wanted, is_hard=True)
    assert outcome.message.endswith(
        "no copy of ours is left of this workspace; the platform's own transcripts and index stay "
        "as they are, and so do your exports and reports"
    )
    assert isinstance(outcome, Forgotten), outcome
    assert [path for path, text in stage.files().items() if "door code" in text] == []
    assert [path for path, text in stage.files().items() if wanted in text] == []
    assert "door code" not in repr(stage.world.edits.stored)
    assert "door code" not in repr(stage.world.runs.stored)
    assert len(stage.world.edits.stored) == 1
    assert stage.world.read_before.kept == {}
    assert stage.world.edits.blocks(str(ROOT)) == ("# A\n- Other\n",)
    assert stage.text("memory/observation-backups/observations-20260101-000000.md") == "x\n"


def test_hard_reaches_what_was_remembered_where_the_home_stood_before(tmp_path: Path) -> None:
    stage = Stage()
    before, other = str(tmp_path / "moved"), str(tmp_path)
    wanted = stage.id_of("ninja")
    line = next(one for one in LONG.splitlines() if "ninja" in one)
    stage.add("Something else entirely")
    [action] = stage.world.edits.stored
    for place in (before, other):
        stage.world.edits.stored.append(replace(action, id=7 + len(place), workspace=place))
        stage.world.edits.stored.append(
            replace(action, id=9 + len(place), workspace=place, entries=(wanted,))
        )
        stage.save(place, f"# A\n{line}\n- Other\n")
    outcome = stage.forget(wanted, is_hard=True)
    assert isinstance(outcome, Forgotten), outcome
    assert stage.world.edits.blocks(before) == ("# A\n- Other\n",)
    assert stage.world.edits.blocks(other) == (f"# A\n{line}\n- Other\n",)
    held = [one.workspace for one in stage.world.edits.stored if wanted in one.entries]
    assert held == [other]
    assert f"nor of {before}, where nothing stands any more" in outcome.message
    assert f"still remembered of {other}, another memory: forget it there" in outcome.message
    assert stage.world.index.drops == 1


@pytest.mark.parametrize("is_hard", [False, True])
def test_an_index_in_use_is_told_and_hard_does_not_claim_what_it_did_not_do(is_hard: bool) -> None:
    stage = Stage()
    stage.run_reindex()
    stage.world.index.unwritable["main"] = LockedError("the index", "pid 7")
    outcome = stage.forget(stage.id_of("ninja"), is_hard=is_hard)
    assert outcome.details["index"] == "stale"
    assert "ninja" not in (stage.text() or "")
    if is_hard:
        assert "still holds" in failed(outcome, "index-not-rebuilt").message
    else:
        assert isinstance(outcome, Forgotten)
        assert [one.code for one in outcome.notices] == ["index-stale"]


def test_what_an_erasure_could_not_do_is_done_by_the_next_run() -> None:
    stage = Stage()
    stage.run_reindex()
    stage.world.index.unwritable["main"] = LockedError("the index", "pid 7")
    failed(stage.forget(stage.id_of("ninja"), is_hard=True), "index-not-rebuilt")
    stage.add("While the index is in use")
    assert stage.world.journal.promised != []
    assert "pid 7" in (told := stage.unfinished())
    assert "ninja" not in told
    stage.world.index.unwritable.clear()
    stage.add("When it is free again")
    assert stage.world.index.synced[-1] == ("main", True)
    assert stage.world.journal.promised == []
    assert stage.unfinished() == ""


def test_an_erasure_that_the_disk_refuses_says_that_it_goes_on() -> None:
    stage = Stage()
    wanted = stage.id_of("ninja")
    stage.world.workspace.refused["MEMORY.md"] = "no space left on device"
    assert "erased by the next run" in failed(stage.forget(wanted, is_hard=True), "workspace").hint
    assert stage.unfinished().endswith("13:20 UTC: MEMORY.md: no space left on device")
    stage.world.workspace.refused["MEMORY.md"] = "'The build NEEDS ninja' is no name"
    stage.add("And another try", layer=Layer.USER)
    assert stage.unfinished().endswith("13:20 UTC: the reason itself says what shall be gone")
    stage.world.workspace.refused.clear()
    stage.add("Anything else")
    assert "ninja" not in (stage.text() or "")


def test_an_erasure_begins_once_no_cleanup_moves_the_files_it_looks_into() -> None:
    stage = Stage()
    wanted = stage.id_of("ninja")
    place = AGENT.sessions_dir.resolve()
    stage.world.locks.held_by[place] = "a cleanup"
    assert "in use by a cleanup" in failed(stage.forget(wanted, is_hard=True), "locked").message
    assert stage.world.journal.promised == []
    del stage.world.locks.held_by[place]
    stage.world.workspace.refused["MEMORY.md"] = "no space left on device"
    failed(stage.forget(wanted, is_hard=True), "workspace")
    stage.world.workspace.refused.clear()
    stage.world.locks.held_by[place] = "a cleanup"
    stage.add("Anything else", layer=Layer.USER)
    assert "in use by a cleanup" in stage.unfinished()
    del stage.world.locks.held_by[place]
    stage.add("When it has ended", layer=Layer.USER)
    assert (stage.unfinished(), stage.world.journal.promised) == ("", [])


def test_a_bug_in_an_erasure_keeps_no_later_run_from_saving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    wanted = stage.id_of("ninja")

    def broken(*_: object, **__: object) -> NoReturn:
        raise ValueError("half a character")

    with monkeypatch.context() as patch:
        patch.setattr(stage.world.old_transcripts, "own", broken)
        with pytest.raises(ValueError, match="half"):
            stage.forget(wanted, is_hard=True)
        stage.add("Anything else")
        assert "Anything else" in (stage.text() or "")
        assert stage.world.journal.promised != []
        assert "ValueError inside memconsole: the log tells more" in stage.unfinished()
    stage.add("And when it is mended")
    assert "ninja" not in (stage.text() or "")
    assert stage.world.journal.promised == []


def test_the_index_is_brought_up_to_date_and_by_hard_built_anew() -> None:
    stage = Stage()
    assert stage.forget(stage.id_of("ninja")).details["index"] == "none"
    stage.run_reindex()
    assert stage.undo().details["index"] == "updated"
    assert stage.forget(stage.id_of("tea"), is_hard=True).details["index"] == "rebuilt"
    assert stage.world.index.synced[-1] == ("main", True)


def test_without_a_workspace_nothing_is_made() -> None:
    world = World(fake_agent(workspace_exists=False))
    outcome = Engine(world.ports, Settings(state_dir=Path("/state"))).run(
        MemoryAdd(AGENT.ref, "Port 8443 is the gateway")
    )
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.WORKSPACE_MISSING
    assert world.workspace.writes == []


def test_agents_that_share_a_workspace_name_themselves_in_its_log() -> None:
    world = World(AGENT, fake_agent("work", workspace=ROOT))
    Engine(world.ports, Settings(state_dir=Path("/state"), timezone="UTC")).run(
        MemoryAdd(AGENT.ref, "Port 8443 is the gateway", Layer.DAILY)
    )
    assert "## 13:20 - Note (main)\n" in (world.workspace.text(ROOT, TODAY) or "")


def test_a_forgotten_secret_is_masked_in_the_archive_and_comes_back_as_it_was() -> None:
    stage = Stage()
    token = "ghp_" + "a1B2" * 9
    stage.hold("MEMORY.md", f"- The token is {token}\n")
    outcome = stage.forget(stage.id_of("token"))
    assert isinstance(outcome, Forgotten)
    assert [one.code for one in outcome.notices] == ["secrets-masked"]
    assert token not in (stage.text(ARCHIVE) or token)
    stage.undo()
    assert stage.text() == f"- The token is {token}\n"


def test_a_dry_run_writes_nothing_and_says_what_would_be() -> None:
    stage = Stage()
    before = stage.files()
    planned = stage.add("Port 8443 is the gateway", dry_run=True)
    assert isinstance(planned, Planned)
    entry = stage.forget(stage.id_of("tea"), dry_run=True)
    assert isinstance(entry, Planned)
    assert "Ada prefers tea" in entry.message
    assert isinstance(stage.undo(dry_run=True), Skipped)
    assert stage.files() == before
    stage.add("Port 8443 is the gateway")
    assert planned.details["id"] == stage.id_of("8443")
    assert isinstance(stage.undo(dry_run=True), Planned)
    assert "8443" in (stage.text() or "")


def test_nothing_is_written_when_it_could_not_be_remembered() -> None:
    stage = Stage()
    before = dict(stage.world.workspace.files)
    stage.world.edits.is_unwritable = True
    failed(stage.add("Port 8443 is the gateway"), "state")
    failed(stage.forget(stage.id_of("tea")), "state")
    assert stage.world.workspace.files == before


def test_advice_compares_what_is_kept_by_hand_and_says_how_much_of_it() -> None:
    stage = Stage()
    line = "- The build needs ninja\n"
    stage.hold("memory/tools.md", line)
    stage.hold(TODAY, line)
    stage.hold(OBSERVATIONS, line)
    stage.hold("memory/archive/old.md", line)
    found = Engine(stage.world.ports, stage.settings).memory.advice("main")
    assert (found.looked_at, found.of) == (2, 2)
    assert [(one.kind.value, one.entry.path) for one in found.found] == [
        ("twice", "memory/tools.md")
    ]


def test_advice_looks_at_the_newest_files_and_at_what_every_session_loads() -> None:
    stage = Stage()
    for number in range(60):
        stage.hold(f"memory/n{number}.md", f"- Note {number} of many\n")
    found = Engine(stage.world.ports, stage.settings).memory.advice("main")
    assert (found.looked_at, found.of) == (40, 61)


def test_an_edit_waits_for_a_held_workspace_and_then_fails_as_nobody_repeats_it() -> None:
    stage = Stage()
    stage.world.locks.held_by[ROOT] = "pid 812"

    for outcome in (
        stage.add("Port 8443 is the gateway"),
        stage.forget(stage.id_of("Ada")),
        stage.undo(),
    ):
        assert "pid 812" in failed(outcome, "locked").message
    assert stage.text() == LONG
    assert stage.world.locks.patience > 1
