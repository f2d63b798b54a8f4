"""Whatever an agent wrote: nothing is lost without a copy, and undoing leaves every byte."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memconsole.domain.commands.consolidate import Consolidate, Consolidated
from memconsole.domain.commands.memory import MemoryUndo, Undone
from memconsole.domain.commands.outcomes import Skipped, SkipReason
from memconsole.domain.consolidate.decay import HOOK
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import ConsolidateSettings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import fake_agent

AGENT = fake_agent()
ROOT = AGENT.workspace
ARCHIVE = "memory/archive/observations/2026-01-26.md"

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


@settings(max_examples=60, deadline=None)
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
