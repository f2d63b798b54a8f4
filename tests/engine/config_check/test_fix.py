"""`config fix`: what would be set, what is set, and everything that stops it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef, PlatformConfig
from memconsole.domain.commands.command import command_line, key_of, name_of
from memconsole.domain.commands.config_fix import ConfigFix, ConfigFixed
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import UiSettings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, fake_agent
from tests.doubles.platform_files import PATH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.config_check.finding import Change

PLAN = ConfigFix(AgentRef(HomeRef(str(HOME)), ""), dry_run=True)
APPLY = ConfigFix(AgentRef(HomeRef(str(HOME)), ""))
BEFORE: Mapping[str, object] = {
    "gateway": {"auth": {"token": "secret-token-of-the-gateway"}},
    "agents": {"defaults": {"compaction": {"mode": "safeguard"}}},
}
TEXT = json.dumps(BEFORE)
AFTER = TEXT.replace('"safeguard"', '"default"')


def world(text: str | None = TEXT, **config: object) -> World:
    values = {
        "path": PATH,
        "checked": {"agents": BEFORE["agents"]},
        "last_version": "2026.1.24-3",
        **config,
    }
    made = World(fake_agent(), config=PlatformConfig(**values))  # type: ignore[arg-type]  # by name
    made.config_file.text = text
    return made


def run(
    made: World,
    command: ConfigFix = APPLY,
    *,
    read_only: bool = False,
    uses_program: bool = False,
) -> Outcome:
    ui = UiSettings(read_only=read_only)
    settings = Settings(state_dir=Path("/state"), ui=ui, uses_program=uses_program)
    return Engine(made.ports, settings).run(command)


def test_a_plan_shows_the_change_alone_and_writes_nothing() -> None:
    made = world()
    outcome = run(made, PLAN)
    assert isinstance(outcome, Planned)
    assert outcome.message.startswith('would set agents.defaults.compaction.mode = "default" in')
    assert outcome.details["patch"] == (
        '@@ line 1: agents.defaults.compaction.mode @@\n-"safeguard"\n+"default"'
    )
    assert "secret-token" not in str(outcome)
    assert [(one.path, one.mode) for one in outcome.wrote] == [(str(PATH), "0600")]
    assert (made.config_file.text, made.config_file.calls, made.runs.stored) == (TEXT, [], [])


def test_it_is_copied_set_and_read_again() -> None:
    made = world()
    outcome = run(made)
    assert isinstance(outcome, ConfigFixed)
    assert made.config_file.text == AFTER
    assert made.config_file.calls == ["back_up", "replace"]
    assert made.config_file.backups == [TEXT]
    backup = outcome.details["backup"]
    assert str(backup) in outcome.message
    assert [one.path for one in outcome.wrote] == [backup, str(PATH)]
    [noted] = made.runs.stored
    assert (noted.command, noted.agent, noted.home) == ("config fix", None, str(HOME))
    assert noted.command_line == "memconsole config fix --apply"
    assert "secret-token" not in str(noted)


def test_what_is_right_already_is_left_alone() -> None:
    made = world(AFTER)
    outcome = run(made)
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.NOTHING_TO_FIX
    assert made.config_file.calls == []


def test_without_a_copy_nothing_is_changed() -> None:
    made = world()
    made.config_file.is_unwritable = True
    outcome = run(made)
    assert isinstance(outcome, Failed)
    assert (outcome.code, made.config_file.text) == ("platform-config", TEXT)


def test_a_change_by_somebody_else_is_kept() -> None:
    made = world()
    made.config_file.edits = ['{"theirs": 1}']
    outcome = run(made)
    assert isinstance(outcome, Failed)
    assert (outcome.code, made.config_file.text) == ("concurrent-edit", '{"theirs": 1}')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no configuration file"),
        ("{", "cannot be read"),
        ('{"agents": "all"}', "agents is no object"),
    ],
)
def test_what_cannot_be_changed_is_said(text: str | None, words: str) -> None:
    made = world(text)
    outcome = run(made)
    assert isinstance(outcome, Failed)
    assert words in outcome.message
    assert (made.config_file.calls, made.config_file.text) == ([], text)


def test_read_only_it_is_refused_and_the_plan_is_not() -> None:
    made = world()
    outcome = run(made, read_only=True)
    assert isinstance(outcome, Failed)
    assert (outcome.code, made.config_file.calls) == ("read-only", [])
    assert isinstance(run(made, PLAN, read_only=True), Planned)


def program(made: World, text: str, *, is_done: bool = True) -> None:
    """Let the platform's program leave this text."""

    def act(changes: Sequence[Change]) -> bool:
        assert [one.key for one in changes] == ["agents.defaults.compaction.mode"]
        made.config_file.text = text
        return is_done

    made.config_file.is_plain = True
    made.config_file.program = act


def test_plain_json_is_given_to_the_platforms_program_where_that_is_wanted() -> None:
    made = world()
    added = {"meta": {"lastTouchedVersion": "2026.9.6"}, "commands": {"native": "auto"}}
    program(made, json.dumps({**added, **json.loads(AFTER)}))
    outcome = run(made, uses_program=True)
    assert isinstance(outcome, ConfigFixed)
    assert outcome.details["by"] == "program"
    assert made.config_file.calls == ["back_up", "program"]


def test_a_program_that_does_nothing_leaves_it_to_us() -> None:
    for is_done in (True, False):
        made = world()
        program(made, TEXT, is_done=is_done)
        outcome = run(made, uses_program=True)
        assert isinstance(outcome, ConfigFixed)
        assert (outcome.details["by"], made.config_file.text) == ("memconsole", AFTER)


@pytest.mark.parametrize(
    "text",
    ['{"agents": {}}', AFTER.replace("secret-token-of-the-gateway", "other"), TEXT + " "],
)
def test_a_program_that_does_something_else_is_told_with_the_copy(text: str) -> None:
    made = world()
    program(made, text)
    outcome = run(made, uses_program=True)
    assert isinstance(outcome, Failed)
    assert "otherwise than it should" in outcome.message
    assert str(outcome.details["backup"]) in outcome.hint


def test_json5_is_never_given_to_the_program_and_nothing_is_unasked() -> None:
    for is_plain, uses_program in ((False, True), (True, False)):
        made = world()
        program(made, AFTER)
        made.config_file.is_plain = is_plain
        run(made, uses_program=uses_program)
        assert made.config_file.calls == ["back_up", "replace"]


def test_a_change_that_would_touch_more_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = world()
    monkeypatch.setattr(made.config_file, "decode", lambda _text: dict(BEFORE))
    outcome = run(made)
    assert isinstance(outcome, Failed)
    assert "more than it should" in outcome.message
    assert made.config_file.calls == []


def test_what_is_not_there_afterwards_is_told_with_the_copy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = world()
    monkeypatch.setattr(
        made.config_file, "replace", lambda text, **_seen: Written(str(PATH), len(text))
    )
    outcome = run(made)
    assert isinstance(outcome, Failed)
    assert str(outcome.details["backup"]) in outcome.hint


def test_lists_are_compared_as_well() -> None:
    text = json.dumps({**BEFORE, "list": [{"id": "main"}]})
    made = world(text)
    program(made, text.replace("safeguard", "default").replace('"main"', '"other"'))
    assert isinstance(run(made, uses_program=True), Failed)
    again = world(text)
    program(again, text.replace("safeguard", "default"))
    assert isinstance(run(again, uses_program=True), ConfigFixed)


def test_its_words_on_the_command_line() -> None:
    assert (name_of(APPLY), key_of(APPLY)) == ("config fix", None)
    assert command_line(PLAN) == "memconsole config fix --dry-run"


def test_the_report_looks_at_sessions_hooks_and_release() -> None:
    made = world(checked={}, last_version=None)
    made.gateway.verdict = "up"
    made.config_file.folders = None
    report = Engine(made.ports, Settings(state_dir=Path("/state"))).config.check()
    by_id = {one.id: one for one in report.findings}
    assert report.release == "2026.9.6"
    assert by_id["compaction-mode"].severity == "info"
    assert "nobody could look" in by_id["hooks"].why
    assert report.changes == ()


@pytest.mark.parametrize("read_only", [False, True])
def test_what_a_killed_change_left_goes_with_the_next_look(read_only: bool) -> None:
    """It is a copy of the configuration, the token of the Gateway included."""
    left = PATH.with_name(".memconsole-1-0123456789ab.tmp")
    settings = Settings(state_dir=Path("/state"), ui=UiSettings(read_only=read_only))
    looks: tuple[Callable[[Engine], object], ...] = (
        lambda made: made.config.check(),
        lambda made: made.health.report(),
        lambda made: made.run(APPLY),
    )
    for look in looks:
        made = world(AFTER)
        made.config_file.leftovers = (left,)
        look(Engine(made.ports, settings))
        assert made.config_file.leftovers == ((left,) if read_only else ())


def test_a_plan_leaves_even_that() -> None:
    made = world()
    made.config_file.leftovers = (PATH,)
    run(made, PLAN)
    assert made.config_file.leftovers == (PATH,)
