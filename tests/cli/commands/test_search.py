"""`search`, `get` and `reindex`, over fakes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Notice
from memconsole.domain.platform_search.index import IndexedChunk, IndexFacts
from memconsole.domain.platform_search.profile import FADING
from memconsole.domain.search.agent_view import AgentHit
from memconsole.errors import GatewayCallError, IndexUnavailableError
from tests.cli.contract import check_data, check_envelope
from tests.doubles.platform import fake_agent
from tests.doubles.search import FakePlatformIndex

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

DAILY = "memory/2026-01-20.md"


@pytest.fixture
def world(world: World) -> World:
    texts = world.documents.texts
    texts[fake_agent("main").workspace] = {
        DAILY: "- the [red]staging[/] database is \x1b[31morion\n\n- " + "word " * 60,
        "memory/garden.md": "- tomatoes want water\n- and sun\n",
    }
    texts[fake_agent("work").workspace] = {"MEMORY.md": "the work database"}
    return world


def test_hits_have_the_fields_of_the_contract(call: Caller) -> None:
    answer = call.json("search", "staging", "database")
    check_data(answer.data, "memory search")
    assert answer.code == 0
    [hit] = answer.data["hits"]
    assert (hit["path"], hit["agent"], hit["source"]) == (DAILY, "main", "memory")
    assert answer.data["index"]["state"] == "fresh"
    assert "agent_rank" not in hit


def test_explained_hits_say_how_the_agent_would_have_them(call: Caller) -> None:
    answer = call.json("search", "--explain", "database")
    [hit] = answer.data["hits"]
    told = {name: value for name, value in hit.items() if name.startswith("agent_")}
    assert told["agent_because"] == "the agent has no index of its memory"
    assert (told["agent_rank"], told["agent_score"]) == (None, None)
    assert told["agent_reason"] == "no-index"
    assert "memory index --agent main" in told["agent_help"]
    assert set(told["agent_facts"].values()) == {None}
    [search] = answer.data["agent_searches"]
    assert (search["agent"], search["vectors"]) == ("main", "unknown")
    assert answer.data["ranking"] == {
        "vector": 0.0,
        "text": 1.0,
        "late": 0.0,
        "dates": [],
        "date_bonus": 0.0,
        "agents": 0.0,
        "quality": 0.0,
    }


def test_explained_people_read_every_weight(call: Caller) -> None:
    shown = call("search", "--explain", "database", "in", "January").out
    assert "Ranked by 0.00 meaning; 1.00 words; up to 0.35 for the date (January)." in shown
    assert "date 1.00" in shown


def test_people_are_told_what_their_agent_searches_by(call: Caller, world: World) -> None:
    shown = call("search", "--explain", "database").out
    assert "the agent's own search: not found, the agent has no index of its memory" in shown
    assert "main's own search: the agent has no index of its memory." in shown
    chunk = IndexedChunk("c", DAILY, 1, 9, "m", "the staging database", has_vector=True)
    facts = IndexFacts(Path("/db"), FADING, "openai", "m", dims=2)
    index = FakePlatformIndex(facts, {DAILY: "the staging database"}, (chunk,), {"c": 0.5})
    world.platform_index.indexes["main"] = index
    shown = call("search", "--explain", "database").out
    assert "the agent's own search: not known, its words count 0." in shown
    assert (
        "main's own search: rules of 2026.9, 6 results from 0.35 on, openai m; "
        "memconsole is not set up to ask for vectors of openai m."
    ) in shown


class TestAskingTheGateway:
    """`--ask-gateway`: the platform's own search beside ours."""

    def test_rank_and_score_stand_beside_each_hit(self, call: Caller, world: World) -> None:
        world.gateway.hold()
        world.gateway.memory = (
            AgentHit("MEMORY.md", 1, 9, 0.7),
            AgentHit(DAILY, 3, 20, 0.41234),
            AgentHit("memory/garden.md", 7, 9, 0.4),
        )
        answer = call.json("search", "--ask-gateway", "staging", "tomatoes")
        told = {hit["path"]: (hit["agent_rank"], hit["agent_score"]) for hit in answer.data["hits"]}
        assert told == {DAILY: (2, 0.4123), "memory/garden.md": (None, None)}
        assert world.gateway.searches == [("main", "staging tomatoes")]
        shown = call("search", "--ask-gateway", "staging", "tomatoes")
        assert "the agent's own search: rank 2, it finds it" in shown.out
        assert "not found, it is not among its first 3 results" in shown.out

    def test_each_agent_is_asked_once(self, call: Caller, world: World) -> None:
        world.gateway.hold()
        call("search", "--all-agents", "--ask-gateway", "database")
        assert sorted(world.gateway.searches) == [("main", "database"), ("work", "database")]

    def test_no_gateway_is_exit_3(self, call: Caller, world: World) -> None:
        world.gateway.verdict = "down"
        answer = call.json("search", "--ask-gateway", "staging")
        assert (answer.code, answer.envelope["error"]["code"]) == (3, "down")

    def test_a_release_without_it_is_a_failure(self, call: Caller, world: World) -> None:
        world.gateway.hold()
        world.gateway.refusal = GatewayCallError("the question", "it does not know memory.search")
        answer = call.json("search", "--ask-gateway", "staging")
        assert (answer.code, answer.envelope["error"]["code"]) == (1, "gateway-refused")

    def test_nothing_found_asks_nobody(self, call: Caller, world: World) -> None:
        answer = call.json("search", "--ask-gateway", "unheard-of")
        assert (answer.code, answer.data["hits"]) == (0, [])
        assert world.gateway.searches == []


def test_people_see_scores_as_bars_and_the_words_around(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = call("search", "staging database")
    lines = shown.out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert DAILY in lines[0]
    assert "█████" in lines[0]
    assert "[red]staging[/] database" in shown.out
    assert "\x1b" not in shown.out
    assert "1 hit." in lines[-1]
    assert "Index fresh" in lines[-1]


def test_matched_words_are_marked_in_colour(call: Caller) -> None:
    shown = call("--color", "always", "search", "tomatoes")
    assert "\x1b[1;4mtomatoes\x1b[0m" in shown.out


def test_without_unicode_the_bars_are_ascii(call: Caller) -> None:
    assert call("--ascii", "search", "tomatoes").out.isascii()


def test_nothing_found_is_an_answer(call: Caller) -> None:
    answer = call.json("search", "zzzznotthere")
    assert (answer.code, answer.data["hits"]) == (0, [])
    assert "Nothing was found." in call("search", "zzzznotthere").out


def test_nobody_looked_is_a_failure(call: Caller, world: World) -> None:
    world.index.broken["main"] = IndexUnavailableError("it is damaged")
    answer = call.json("search", "database")
    assert (answer.code, answer.data["hits"]) == (1, [])
    assert answer.data["index"]["state"] == "unavailable"
    assert [warning["code"] for warning in answer.envelope["warnings"]] == ["index-stale"]
    shown = call("search", "database")
    assert "Could not look" in shown.out
    assert "Nothing was found" not in shown.out


@pytest.mark.parametrize("words", [(), ("",), ("   ",)])
def test_an_empty_query_is_a_warning(call: Caller, words: tuple[str, ...]) -> None:
    answer = call.json("search", *words)
    assert (answer.code, answer.data["hits"]) == (0, [])
    assert [warning["code"] for warning in answer.envelope["warnings"]] == ["empty-query"]


def test_which_agents_are_searched(call: Caller) -> None:
    assert [hit["agent"] for hit in call.json("search", "database").data["hits"]] == ["main"]
    work = call.json("search", "--agent", "WORK", "database")
    assert [hit["agent"] for hit in work.data["hits"]] == ["work"]
    both = call.json("search", "--all-agents", "database").data["hits"]
    assert {hit["agent"] for hit in both} == {"main", "work"}


@pytest.mark.parametrize(
    "options",
    [
        ("--agent", "nobody"),
        ("--agent", "main", "--all-agents"),
        ("--max-results", "0"),
        ("--min-score", "2"),
        ("--type", "NONSENSE"),
        ("--since", "yesterday-ish"),
    ],
)
def test_a_wrong_call_is_refused(call: Caller, options: tuple[str, ...]) -> None:
    answer = call.json("search", *options, "--", "database")
    assert answer.code == 2
    assert answer.error["hint"]


def test_memory_search_is_the_same(call: Caller) -> None:
    assert call.json("memory", "search", "tomatoes", "-n", "1").data["hits"]


def test_get_prints_lines(call: Caller) -> None:
    answer = call.json("get", "memory/garden.md", "--from", "2", "--lines", "5")
    check_envelope(answer.envelope)
    assert answer.data["text"] == "- and sun"
    assert (answer.data["from"], answer.data["lines"], answer.data["total_lines"]) == (2, 1, 2)
    assert call("memory", "get", "memory/garden.md").out.splitlines()[0] == "- tomatoes want water"


def test_a_missing_file_is_empty_and_a_way_out_is_refused(call: Caller) -> None:
    missing = call.json("get", "memory/none.md")
    assert (missing.code, missing.data["text"], missing.data["total_lines"]) == (0, "", 0)
    [warning] = missing.envelope["warnings"]
    sentence = "there is no memory/none.md in what is searched of main"
    assert (warning["code"], warning["message"]) == ("nothing-there", sentence)
    assert sentence in call("memory", "get", "memory/none.md").err
    behind = call.json("get", "memory/garden.md", "--from", "9")
    assert [one["message"] for one in behind.envelope["warnings"]] == [
        "memory/garden.md ends with line 2: there is no line 9"
    ]
    assert call.json("get", "../../etc/passwd").code == 2


def test_reindex_answers_for_every_agent(call: Caller, world: World) -> None:
    world.documents.notices[DAILY] = Notice("not-utf8", "it is not UTF-8", DAILY)
    answer = call.json("reindex")
    check_envelope(answer.envelope)
    assert [(row["agent"], row["status"]) for row in answer.data] == [
        ("main", "done"),
        ("work", "done"),
    ]
    assert [warning["path"] for warning in answer.envelope["warnings"]] == [DAILY]
    assert "2 chunks" in call("reindex", "--agent", "main", "--full").out
    assert call.json("reindex", "--dry-run", "--agent", "work").data[0]["status"] == "planned"


def test_reindex_exits_with_its_worst_outcome(call: Caller, world: World) -> None:
    world.index.unwritable["work"] = IndexUnavailableError("the disk is full")
    answer = call.json("reindex")
    assert answer.code == 1
    assert [row["status"] for row in answer.data] == ["done", "failed"]
    assert call.json("--read-only", "reindex").code == 1
