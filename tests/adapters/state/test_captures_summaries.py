"""Session summaries in our own database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.captures import StateSummaries
from memconsole.adapters.state.database import StateDatabase
from memconsole.domain.agents import AgentRef
from memconsole.domain.memory.records import SummaryRecord
from memconsole.errors import StateError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from pathlib import Path

MAIN = AgentRef("/home/operator/.openclaw", "main")
FIRST = SummaryRecord(
    MAIN, "s-1", "agent:main:main", NOW, NOW - timedelta(hours=1), "memory/a.md", "new"
)


@pytest.fixture
def summaries(tmp_path: Path) -> StateSummaries:
    return StateSummaries(StateDatabase(tmp_path / "state", PrivateCopies()))


def test_the_newest_summary_of_a_session_is_found(summaries: StateSummaries) -> None:
    assert summaries.last(MAIN, "s-1") is None
    later = replace(FIRST, until=NOW, path="memory/b.md", session_key=None)
    summaries.add(FIRST)
    summaries.add(later)
    assert summaries.last(MAIN, "s-1") == later
    assert summaries.last(MAIN, "s-2") is None
    assert summaries.last(replace(MAIN, home="/elsewhere"), "s-1") is None


def test_what_cannot_be_stored_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    summaries = StateSummaries(StateDatabase(tmp_path / "state", PrivateCopies()))
    with pytest.raises(StateError):
        summaries.add(FIRST)
    assert summaries.last(MAIN, "s-1") is None
