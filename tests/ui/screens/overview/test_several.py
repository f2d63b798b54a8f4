"""Both lists of the first screen over several homes: whose, how old, and grey when away."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.snapshot.homes import HomeReading
from memconsole.ui.drawing.spans import Cell, Role
from memconsole.ui.screens.overview.agents import agents_listing
from memconsole.ui.screens.overview.sessions import sessions_listing
from memconsole.ui.widgets.title import title_line
from tests.ui import sample
from tests.ui.screens.test_rows import LATER, NOW

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot

AWAY = HomeReading(
    HomeRef("", "alpha"), "alpha", "away", LATER.now - timedelta(minutes=14), "no route"
)


def several(home: HomeReading = AWAY) -> ConsoleSnapshot:
    """Return a reading whose agents are all of one other host, beside one that never answered."""
    usual = sample.usual()

    def full(ref: AgentRef) -> AgentRef:
        return AgentRef(home.ref, f"alpha/{ref.id}")

    return replace(
        usual,
        agents=tuple(
            replace(one, agent=replace(one.agent, ref=full(one.ref))) for one in usual.agents
        ),
        sessions=tuple(
            replace(one, stored=replace(one.stored, agent=full(one.agent)))
            for one in usual.sessions
        ),
        homes=(home, HomeReading(HomeRef("", "delta"), "delta", "away", None, "refused")),
    )


def test_an_agent_of_a_home_that_is_away_is_grey_with_the_age_of_its_figures() -> None:
    listing = agents_listing(several(), LATER)
    row = next(one for one in listing.rows if one.key == "alpha/main")
    texts = [cell.text for cell in row.cells if isinstance(cell, Cell)]
    assert texts[:2] == ["alpha", "main"]
    assert "away 14m" in texts
    others = [cell for cell in row.cells if isinstance(cell, Cell) and "away" not in cell.text]
    assert {cell.role for cell in others} == {Role.MUTED}


def test_a_home_that_never_answered_has_a_row_of_question_marks_that_no_cursor_enters() -> None:
    row = next(one for one in agents_listing(several(), LATER).rows if one.key == "home:delta")
    assert [cell.text for cell in row.cells][:5] == ["delta", "?", "?", "?", "away"]
    assert row.is_heading
    assert row.reason == "refused"


def test_sessions_of_a_home_that_is_away_are_grey_and_say_when_they_were_read() -> None:
    listing = sessions_listing(several(), LATER, agent_id="alpha/main")
    assert (listing.source, listing.age) == ("alpha", "14 min ago")
    texts = [cell for row in listing.rows for cell in row.cells if isinstance(cell, Cell)]
    assert {cell.role for cell in texts} == {Role.MUTED}


def test_a_live_home_looks_as_any_other_and_the_title_counts_the_homes() -> None:
    live = replace(AWAY, freshness="live", failure="", as_of=NOW.now)
    listing = agents_listing(several(live), NOW)
    assert "away" not in " ".join(cell.text for cell in listing.rows[0].cells)
    title = "".join(span.text for span in title_line(several(live), NOW, 120))
    assert "2 homes, 1 away, 1 live" in title


def test_with_one_home_no_column_is_added() -> None:
    usual = agents_listing(sample.usual(), NOW)
    assert [column.title for column in usual.columns][:2] == ["agent", "live"]
