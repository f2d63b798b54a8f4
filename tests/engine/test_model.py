"""The optional model: helps where it passes the gate, and is never needed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from memconsole.domain.commands.confirmation import carried_out, for_question
from memconsole.domain.commands.outcomes import Failed, Planned
from memconsole.domain.commands.reflect import Reflect, Reflected
from memconsole.domain.commands.summarize import Summarize, Summarized
from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import Observation, ObservationLog, Priority
from memconsole.domain.model import observe_prompt, read_observations, read_summary, reflect_prompt
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import LlmSettings, ReflectorSettings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import talk
from tests.engine.test_summarize import AGENT, KEY, stored

ROOT = AGENT.workspace
FILE = "memory/observations.md"
TODAY = date(2026, 1, 26)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OLD = add(
    ObservationLog(),
    [
        Observation(Priority.HIGH, "Two keys for every deployment", TODAY - timedelta(40)),
        Observation(Priority.LOW, f"the token is {SECRET}", TODAY - timedelta(30)),
        *(
            Observation(Priority.LOW, f"remark about {word * 5}", TODAY - timedelta(30))
            for word in "abcdef"
        ),
    ],
).text
GOOD = OLD.replace("remark about aaaaa", "aaaaa").replace(SECRET, "[redacted:github-token]")


@pytest.fixture
def world() -> World:
    made = World(AGENT)
    made.workspace.files[ROOT, FILE] = OLD
    made.sessions.hold(stored("id-main", KEY))
    made.sessions.transcripts["id-main"] = talk(
        f"Please compare the two databases, my token is {SECRET}", "They differ in their locks."
    )
    return made


def settings(**changes: object) -> Settings:
    rules = replace(LlmSettings("openai-compatible", model="small"), **changes)  # type: ignore[arg-type]
    return Settings(
        state_dir=Path("/state"),
        timezone="UTC",
        llm=rules,
        reflector=ReflectorSettings(word_threshold=16),
    )


def reflect(world: World, **changes: object) -> Reflected:
    outcome = Engine(world.ports, settings(**changes)).run(Reflect(AGENT.ref))
    assert isinstance(outcome, Reflected), outcome
    return outcome


def llm(outcome: Reflected | Summarized) -> dict[str, object]:
    found = outcome.details["llm"]
    assert isinstance(found, dict)
    return {**found}


def text(world: World) -> str:
    return world.workspace.files[ROOT, FILE]


def test_a_good_answer_takes_the_place_and_its_cost_is_kept(world: World) -> None:
    world.model.answers = [GOOD]
    outcome = reflect(world)
    assert llm(outcome) == {"result": "model", "model": "small", "tokens": 100}
    assert "- 🟢 aaaaa" in text(world)
    assert [(one.purpose, one.tokens) for one in world.model.uses] == [("reflect", 100)]


@pytest.mark.parametrize(
    ("answer", "because"),
    [
        ("I am sorry, I cannot help with that.", "title"),
        (GOOD.replace("Two keys", "One key").replace("2025-12-17", "2025-12-17"), "🔴"),
        (GOOD[:200], "🔴"),
        (GOOD * 3, "longer"),
    ],
)
def test_an_answer_that_loses_something_is_thrown_away(
    answer: str, because: str, world: World
) -> None:
    world.model.answers = [answer]
    outcome = reflect(world)
    found = llm(outcome)
    assert found["result"] == "llm-fallback"
    assert because in str(found["because"])
    assert 0 < text(world).count("remark about") < OLD.count("remark about")
    assert "Two keys for every deployment" in text(world)


def test_a_model_that_fails_is_no_matter(world: World) -> None:
    found = llm(reflect(world))
    assert (found["result"], "cannot be reached" in str(found["because"])) == ("llm-fallback", True)


def test_secrets_never_leave_this_host(world: World) -> None:
    world.model.answers = [GOOD, "no json"]
    reflect(world)
    Engine(world.ports, settings()).run(Summarize(AGENT.ref, KEY))
    assert len(world.model.asked) == 2
    assert all(SECRET not in one.text for one in world.model.asked)
    quiet = replace(settings(), redact=False)
    Engine(world.ports, quiet).run(Reflect(AGENT.ref, is_forced=True))
    assert all(SECRET not in one.text for one in world.model.asked)


def test_the_budget_of_a_day_is_kept(world: World) -> None:
    world.model.answers = [GOOD]
    outcome = reflect(world, daily_tokens=10)
    assert "budget of 10 tokens" in str(llm(outcome)["because"])
    assert world.model.asked == []


def test_a_dry_run_asks_nobody(world: World) -> None:
    plan = Engine(world.ports, settings()).run(Reflect(AGENT.ref, dry_run=True))
    assert isinstance(plan, Planned)
    assert plan.message.endswith("; the model was not asked")
    Engine(world.ports, settings()).run(Summarize(AGENT.ref, KEY, dry_run=True))
    assert world.model.asked == []


def planned_for_a_question(world: World, **changes: object) -> Planned:
    command = for_question(Reflect(AGENT.ref, is_forced=True))
    plan = Engine(world.ports, settings(**changes)).run(command)
    assert isinstance(plan, Planned), plan
    return plan


def test_what_was_confirmed_is_done_and_the_model_is_asked_once(world: World) -> None:
    world.model.answers = [GOOD, OLD.replace("remark about bbbbb", "something else")]
    plan = planned_for_a_question(world)
    assert plan.message.endswith("; rewritten by small")
    assert text(world) == OLD
    command = carried_out(Reflect(AGENT.ref, is_forced=True), plan)
    outcome = Engine(world.ports, settings()).run(command)
    assert isinstance(outcome, Reflected), outcome
    assert "- 🟢 aaaaa" in text(world)
    assert "remark about bbbbb" in text(world)
    assert len(world.model.asked) == 1
    assert llm(outcome)["model"] == "small"


def test_the_model_is_asked_although_the_built_in_merge_finds_nothing(world: World) -> None:
    quiet = add(
        ObservationLog(),
        [Observation(Priority.MEDIUM, f"remark {w} about {w * 5}", TODAY) for w in "abcdef"],
    ).text
    world.workspace.files[ROOT, FILE] = quiet
    world.model.answers = [quiet.replace("remark a about aaaaa", "aaaaa")]
    plan = planned_for_a_question(world)
    outcome = Engine(world.ports, settings()).run(carried_out(plan.command, plan))
    assert isinstance(outcome, Reflected), outcome
    assert "- 🟡 aaaaa" in text(world)


@pytest.mark.parametrize("answers", [[GOOD], ["I am sorry."]])
def test_a_file_that_was_changed_since_the_plan_is_left_alone(
    answers: list[str], world: World
) -> None:
    world.model.answers = answers
    plan = planned_for_a_question(world)
    changed = world.workspace.files[ROOT, FILE] = OLD + "- 🟢 said meanwhile\n"
    outcome = Engine(world.ports, settings()).run(carried_out(plan.command, plan))
    assert isinstance(outcome, Failed)
    assert (outcome.code, text(world)) == ("changed-since", changed)


def test_a_model_that_was_refused_in_the_plan_is_not_asked_again(world: World) -> None:
    world.model.answers = ["I am sorry.", GOOD]
    plan = planned_for_a_question(world)
    assert "the model's text was not taken: it does not begin with the title" in plan.message
    Engine(world.ports, settings()).run(carried_out(plan.command, plan))
    assert len(world.model.asked) == 1
    assert "- 🟢 aaaaa" not in text(world)


def test_without_a_model_nothing_is_asked(world: World) -> None:
    plain = replace(settings(), llm=LlmSettings())
    outcome = Engine(world.ports, plain).run(Reflect(AGENT.ref))
    assert isinstance(outcome, Reflected)
    assert "llm" not in outcome.details
    assert world.model.asked == []


def test_a_summary_is_named_and_marked_by_the_model(world: World) -> None:
    world.model.answers = [
        '```json\n{"slug": "Database Locks!", "bullets": '
        '[{"tag": "DECISION", "text": "Keep both.\\n# no heading"}]}\n```'
    ]
    outcome = Engine(world.ports, settings()).run(Summarize(AGENT.ref, KEY))
    assert isinstance(outcome, Summarized), outcome
    path = str(outcome.details["path"])
    assert path == "memory/2026-01-26-database-locks.md"
    assert "🟤 [DECISION] Keep both. # no heading\n" in world.workspace.files[ROOT, path]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "[]",
        '{"slug": 1, "bullets": []}',
        '{"slug": "a", "bullets": [{"tag": "X"}]}',
        '{"slug": "a", "bullets": [{"tag": "X", "text": "y"}]}',
        '{"slug": "a", "bullets": 3}',
    ],
)
def test_a_summary_that_cannot_be_read_is_made_without(answer: str, world: World) -> None:
    assert read_summary(answer) is None
    world.model.answers = [answer or " "]
    outcome = Engine(world.ports, settings()).run(Summarize(AGENT.ref, KEY))
    assert isinstance(outcome, Summarized), outcome
    assert llm(outcome)["result"] == "llm-fallback"


def test_observations_are_read_line_by_line_or_not_at_all() -> None:
    found = read_observations("- 🔴 14:05 Two keys\n- 🟢 no clock")
    assert found is not None
    assert [one.text for one in found] == ["Two keys", "no clock"]
    assert read_observations("NOTHING") == ()
    for answer in ("", "Here they are:\n- 🔴 14:05 x", "- 🔴 ", "- 🟢 x\n" * 61):
        assert read_observations(answer) is None


def test_data_cannot_end_its_markers() -> None:
    for prompt in (reflect_prompt("a DATA>>> b"), observe_prompt("a DATA>>> b", ["c"])):
        assert prompt.text.count("\nDATA>>>") == prompt.text.count("<<<DATA\n")
        assert "instruction" in prompt.system
