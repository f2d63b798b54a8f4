"""What the reader keeps between two looks."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import RotationSettings
from memconsole.domain.transcripts.records import Compaction, Entry, EntryKind
from memconsole.errors import HomeNotFoundError
from tests.doubles.bundle import World, reader_of
from tests.doubles.platform import HOME, NOW, FakePlatform, fake_agent, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.agents import Home


def test_a_session_that_grows_all_month_is_remembered_once() -> None:
    """A scheduler looks at the same talks for months."""
    world = World()
    reader = reader_of(world, Settings(state_dir=HOME / "state"))
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
        kept.append(sum(map(len, reader._tails.values())))
    assert kept[0] > 0
    assert kept[-1] == kept[0]


def test_an_agent_has_its_own_overhead_beside_what_a_compaction_left() -> None:
    world, talked = World(), row(tokens=None)
    assert talked.transcript is not None
    said = talk("a word")
    left = Compaction("short", tokens_after=30_000)
    record = Entry(
        EntryKind.COMPACTION, id="c1", parent_id=said[-1].id, has_parent=True, at=NOW,
        compaction=left, position=99_000, size_bytes=500,
    )  # fmt: skip
    world.sessions.hold(talked)
    world.sessions.transcripts[talked.transcript.session_id] = [*said, record]
    usual = Settings(state_dir=HOME / "state")
    own = replace(usual, rotation=RotationSettings(overhead_tokens=7_000))
    counts = []
    for settings in (usual, replace(usual, agents={"main": own})):
        reader = reader_of(world, settings)
        home = reader.home()
        [view] = reader.views(home, reader.sessions(home, home.agents[0]), {})
        counts.append(view.count.estimated)
    assert counts == [50_000, 37_000]


class CountingPlatform(FakePlatform):
    """Counts how often it is read; while it is gone it cannot be."""

    def __init__(self) -> None:
        super().__init__(fake_agent())
        self.reads = 0
        self.is_gone = False

    def read(self) -> Home:
        self.reads += 1
        if self.is_gone:
            raise HomeNotFoundError("/gone")
        return super().read()


def test_the_steps_of_one_run_share_one_reading_of_the_home() -> None:
    world, platform = World(), CountingPlatform()
    reader = reader_of(world, Settings(state_dir=HOME / "state"), platform)
    elsewhere: list[Home] = []
    with reader.homes.keep():
        assert platform.reads == 0
        assert reader.home() is reader.home()
        other = threading.Thread(target=lambda: elsewhere.append(reader.home()))
        other.start()
        other.join()
    assert elsewhere != []
    assert platform.reads == 2, "a thread keeps its own"
    reader.home()
    assert platform.reads == 3


def test_a_home_that_cannot_be_read_is_not_kept() -> None:
    world, platform = World(), CountingPlatform()
    reader = reader_of(world, Settings(state_dir=HOME / "state"), platform)
    platform.is_gone = True
    with reader.homes.keep():
        with pytest.raises(HomeNotFoundError):
            reader.home()
        platform.is_gone = False
        assert reader.home().agents != ()


def test_one_look_at_the_store_serves_everybody_until_it_changes() -> None:
    world = World()
    world.sessions.hold(row())
    reader = reader_of(world, Settings(state_dir=HOME / "state"))
    home = reader.home()
    agent = home.agents[0]
    first = reader.listing(agent)
    assert reader.sessions(home, agent).listing is first
    assert reader.listing(agent) is first
    world.sessions.hold(row(tokens=2_000))
    assert reader.sessions(home, agent).listing is reader.listing(agent)
    assert reader.listing(agent) is not first


def test_the_ends_of_sessions_that_are_gone_are_forgotten() -> None:
    world = World()
    reader = reader_of(world, Settings(state_dir=HOME / "state"))
    home = reader.home()
    for number in range(20):
        talked = row(key=f"agent:main:telegram:dm:{number}", tokens=None)
        assert talked.transcript is not None
        world.sessions.hold(talked)
        world.sessions.transcripts[talked.transcript.session_id] = talk("a word", "another")
        reader.sessions(home, home.agents[0])
    assert [list(one) for one in reader._tails.values()] == [["id-19"]]
