"""The panel of hosts: from six hosts on, the worst first; into one of them and out again."""

from __future__ import annotations

import re
from dataclasses import replace

from memconsole.domain.agents import Notice
from memconsole.domain.commands.outcomes import RUNNING, Step
from memconsole.domain.snapshot.homes import ServerReading
from memconsole.ui.screens.overview.hosts import hosts_listing, label_of
from tests.ui import sample
from tests.ui.driving import COMPACT, at_work, words
from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_fleet import UP, fleet
from tests.ui.screens.test_rows import NOW


def rows(count: int = 12, group: str = "") -> dict[str, list[str]]:
    listing = hosts_listing(fleet(count), NOW, group=group)
    return {label_of(row.key) or "": [one.text for one in row.cells] for row in listing.rows}


def test_each_host_says_how_it_is_the_worst_first() -> None:
    listed = rows()
    assert list(listed)[:2] == ["alpha", "delta"]
    assert listed["alpha"][1:5] == ["● live", "3", "1", ""]
    assert listed["alpha"][6].startswith("! main / main is due: 151.2K of 150K")
    assert (listed["alpha"][7], listed["gamma"][7]) == ("41.2K", "?")
    assert listed["gamma"][1] == "◐ late 1 min"
    assert listed["gamma"][-2:] == ["1m", "1.3.2"]
    assert listed["beta"][1] == "● live · clock +2 min"
    # What was of a host that is away is of then, and nothing of it is told as of now.
    assert listed["delta"][1:6] == ["○ away 14 min", "2", "?", "as of 14:06", "152.0K"]
    assert listed["delta"][6] == "! 1 was due then"
    assert listed["omega"][1:7] == ["○ away", "?", "?", "", "?", "no route to host"]


def test_a_label_leaves_the_others_out_and_a_line_tells_of_each_from_a_hundred_hosts_on() -> None:
    assert set(rows(group="edge")) == {"gamma", "n001", "n002", "n004", "n005"}
    assert not hosts_listing(fleet(12), NOW).fixed
    [line] = hosts_listing(fleet(200), NOW).fixed
    said = "".join(span.text for span in line)
    assert said.startswith("  edge 130 ● 1 ◐")
    assert "prod 2 ● 1 ○" in said


def test_while_the_server_is_away_the_list_is_grey() -> None:
    assert not hosts_listing(fleet(12, UP), NOW).is_stale
    down = ServerReading(False, sample.ago(minutes=4), sample.ago(minutes=4), 3.2, "refused")
    assert hosts_listing(fleet(12, down), NOW).is_stale


async def test_enter_shows_the_agents_of_a_host_and_escape_comes_back() -> None:
    engine = FakeEngine(fleet(12))
    async with at_work(engine) as desk:
        assert "1 Hosts · 12, 9 live, 1 late, 2 away" in desk.text("agents")
        assert desk.cursor("agents") == "home:alpha"
        assert "memconsole  on alpha" in desk.bar("title")
        assert "c checkpoint 3 of alpha" in desk.bar("keys")  # every agent of the host
        assert "R rotate alpha/main / main" in desk.bar("keys")  # what is due there, and no other
        await desk.press("j", "j")
        assert "memconsole  on omega" not in desk.bar("title")  # nothing of it is known
        await desk.press("g", "enter")
        assert "1 Agents · 3" in desk.text("agents")
        assert desk.cursor("agents") == "alpha/main"
        assert "2 Sessions · alpha/main · 1 live" in desk.text("sessions")
        engine.reading = replace(fleet(12), taken_at=sample.NOW)
        await desk.press("j", "r")
        assert desk.cursor("agents") == "alpha/work"
        await desk.press("escape")
        assert desk.cursor("agents") == "home:alpha"
        await desk.press("space", "space", "c")
        assert {one.agent.id for one in engine.commands} == {
            "alpha/main",
            "alpha/work",
            "alpha/research",
            "delta/main",
            "delta/work",
        }


async def test_the_palette_switches_and_what_is_open_in_front_stays() -> None:
    async with at_work(FakeEngine(fleet(12))) as desk:
        await desk.press("exclamation_mark", "space")
        assert desk.bar("title").startswith(" memconsole ▸ findings  on 2 hosts ")
        await desk.press("colon", *"host gamma", "enter")
        assert desk.screen == "findings"
        assert "on 2 hosts" in desk.bar("title")
        assert "the first screen shows gamma alone" in desk.bar("keys")
        await desk.press("escape", "escape")
        assert desk.cursor("agents") == "gamma/main"
        assert "on gamma" in desk.bar("title")
        await desk.press("0")
        assert desk.cursor("agents") == "home:gamma"
        await desk.press("colon", *"label edge", "enter")
        assert "label:edge" in desk.text("agents")
        await desk.press("colon", *"fleet", "enter")
        assert "label:edge" not in desk.text("agents")


async def test_a_finding_is_gone_to_on_its_own_host() -> None:
    async with at_work(FakeEngine(fleet(12)), COMPACT) as desk:
        assert "1 Hosts" in desk.text("agents")
        await desk.press("G", "full_stop")
        assert desk.cursor("sessions") is not None
        assert "alpha" in desk.text("sessions")
        assert "on alpha" in desk.bar("title")


async def test_what_is_wrong_with_a_home_itself_is_gone_to_where_it_says_why() -> None:
    async with at_work(FakeEngine(fleet(12)), COMPACT) as desk:
        told = []
        for _ in desk.app.snapshot.attention:  # type: ignore[union-attr]  # it was read
            await desk.press("full_stop")
            if desk.app.screen.where == "findings":  # type: ignore[attr-defined]  # one of ours
                told.append(words(desk.text("one")))
        assert len(told) == 3
        assert "delta: away 14 min" in told[0]
        assert "no route to host" in told[1]
        assert "its clock is 2 min ahead" in told[2]
        await desk.press("enter")
        assert desk.app.screen.where == "findings"  # type: ignore[attr-defined]  # no health here


async def test_five_hosts_are_a_list_of_their_agents_and_one_home_has_no_key_for_a_fleet() -> None:
    async with at_work(FakeEngine(fleet(5))) as desk:
        assert "1 Agents · 7" in desk.text("agents")
        assert "on alpha" in desk.bar("title")
    async with at_work(FakeEngine()) as desk:
        await desk.press("0")
        assert "0: no such key here" in desk.bar("keys")


async def test_an_action_over_hosts_has_a_line_for_each_and_one_that_is_away_is_asked_about() -> (
    None
):
    engine = FakeEngine(fleet(12))
    async with at_work(engine) as desk:
        await desk.press("space", "space", "c")  # alpha, and delta, which is away
        dialog = desk.text("dialog")
        assert "Checkpoint 5 targets on 2 hosts" in dialog
        assert (
            "[ y checkpoint ]" in dialog
        )  # one that is live alone would not have been asked about
        engine.run_gate.clear()
        await desk.pilot.press("y")
        dialog = ""
        action = desk.app.screen.action  # type: ignore[attr-defined]  # of the dialog
        for _ in range(500):  # both homes are begun by threads of their own
            desk.app.screen.show()  # type: ignore[attr-defined]  # as its clock does
            dialog = words(desk.text("dialog"))
            if set(action.waits) < set(action.courses) and "▶" in dialog:
                break
            await desk.pilot.pause()
        assert re.search(r"○ delta/main waits away 14 min · gives up in (10:00|9:5\d)", dialog)
        assert "▶ alpha/main" in dialog
        assert "n take back what waits" in dialog
        for place in action.waits:  # its host is back, and begins it
            action.courses[place].moved(Step("begun", RUNNING, message="not answered yet"))
        desk.app.screen.show()  # type: ignore[attr-defined]  # as its clock does
        await desk.pilot.pause()
        dialog = words(desk.text("dialog"))
        assert "▶ delta/main ▶ begun not answered yet" in dialog
        assert "gives up in" not in dialog
        assert "n take back what waits" not in dialog
        engine.run_gate.set()
        await desk.settle()
        assert "5 done in" in desk.text("dialog")


async def test_what_no_host_admits_is_dimmed_with_the_door_that_is_shut() -> None:
    async with at_work(FakeEngine(fleet(12))) as desk:
        await desk.press("R")
        assert "rotate on alpha: that host does not admit it (fleet.allow there)" in desk.picture()


async def test_the_search_has_a_facet_for_hosts_and_says_which_were_searched() -> None:
    engine = FakeEngine(fleet(12))
    engine.notices = (Notice("home-away", "searched 11 of 12 hosts · delta as of 14:06"),)
    async with at_work(engine) as desk:
        await desk.press("a", "o", *"database", "enter", "escape")
        assert "searched 11 of 12 hosts · delta as of 14:06" in desk.text("results")
        facets = desk.text("facets")
        assert "● all hosts" in facets
        await desk.press("a", "h")
        assert "○ all hosts" in desk.text("facets")
        assert "alpha/main" in desk.text("facets")
        assert "beta/main" not in desk.text("facets")  # agents are those of the host
        assert engine.requests[-1].home == "alpha"
