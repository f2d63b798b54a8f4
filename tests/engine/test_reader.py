"""What the reader keeps between two looks."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memconsole.domain.settings import Settings
from memconsole.engine.reader import Reader
from tests.engine.rows import row
from tests.fakes import HOME, NOW, World, talk


def test_a_talk_that_grows_all_month_is_remembered_once() -> None:
    """A scheduler looks at the same talks for months."""
    world = World()
    reader = Reader(world.ports, Settings(state_dir=HOME / "state"))
    home = reader.home()
    kept = []
    for number in range(1, 50):
        at = NOW + timedelta(minutes=number)
        session = row(tokens=None, updated_at=at)
        assert session.transcript is not None
        grown = replace(session.transcript, size_bytes=4_000 * number, modified_at=at)
        world.sessions.hold(replace(session, transcript=grown))
        world.sessions.transcripts[grown.session_id] = talk(*["a word"] * number)
        reader.sessions(home, home.agents[0])
        kept.append(len(reader._tails))
    assert kept[0] > 0
    assert kept[-1] == kept[0]
