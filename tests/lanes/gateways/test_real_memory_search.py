"""The agent's own search as it really is, and as memconsole explains it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memconsole.adapters.platform_index import PlatformIndexFiles
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.platform_search.candidates import Placed, Rules
from memconsole.domain.platform_search.profile import limits_of
from memconsole.engine.platform_search.explain import placed
from tests.adapters.test_platform_index_of_homes import agent_of, home_at
from tests.lanes.gateways.gateway import START_S, wait_until
from tests.lanes.gateways.model_server import EMBEDDING_MODEL, embedding
from tests.lanes.gateways.releases import OPENCLAW_9

if TYPE_CHECKING:
    from memconsole.ports.search import OpenPlatformIndex
    from tests.lanes.gateways.conftest import Lane

Json = Any
"""What foreign JSON holds."""

pytestmark = [
    pytest.mark.gateway_real,
    pytest.mark.parametrize("gateway", [OPENCLAW_9], indirect=True, ids=[OPENCLAW_9.name]),
]

TODAY = datetime.now(UTC).date()
OLD, LATE = TODAY - timedelta(days=90), TODAY - timedelta(days=12)
NOTES = {
    "MEMORY.md": "# Memory\n\n- The boiler is in the cellar.\n- Bread is baked on Fridays.\n"
    "- The plumber for the boiler is Marta. <!-- her number is 5511 -->\n",
    f"memory/{OLD}.md": f"# {OLD}\n\n- The boiler broke, and the plumber came at noon.\n",
    f"memory/{LATE}.md": f"# {LATE}\n\n- The plumber sent an invoice for the boiler valve.\n",
    f"memory/{TODAY}.md": f"# {TODAY}\n\n- 在庫サービスの移行は来週です。\n- Tea ran out.\n",
    "memory/boiler.md": "# Heating\n\nPressure is 1.5 bar; the valve was new in May.\n",
    "memory/bread.md": "# Bread\n\nFlour, water, salt, and time.\n",
}
QUERIES = (
    "boiler plumber",
    "boiler",
    "when did the boiler break",
    "flour water salt",
    "invoice valve Marta",
    "nothing of this stands anywhere",
    "在庫サービスの移行",
)


@pytest.fixture
def written(lane: Lane) -> Lane:
    """Write the notes, and wait until the agent's search has them."""
    folder = lane.gateway.home / "ws-main"
    for path, text in NOTES.items():
        (folder / path).write_text(text, "utf-8")
    wait_until(lambda: indexed(lane) == len(NOTES), lambda: "the notes are never indexed", START_S)
    return lane


def indexed(lane: Lane) -> int:
    """Search, so that the platform looks, and return how many notes are in its index."""
    lane.gateway.call("memory.search", query="boiler", agentId="main")
    home = home_at(Path(lane.gateway.state))
    index = PlatformIndexFiles(PrivateCopies())
    contents = index.read(agent_of(home, "main"), home, lambda one: one.contents())
    return 0 if contents is None else len(contents.files)


def computed(lane: Lane, query: str) -> list[Placed]:
    """Return every candidate as memconsole ranks it, from the index as it lies on disk."""
    home = home_at(Path(lane.gateway.state))

    def reading(index: OpenPlatformIndex) -> tuple[Placed, ...]:
        facts = index.facts
        limits = limits_of(facts.profile, home.config.checked, "main")
        rules = Rules(facts.profile, limits, query, time.time(), facts.is_text_only)
        return placed(index, rules, embedding(query))

    found = PlatformIndexFiles(PrivateCopies()).read(agent_of(home, "main"), home, reading)
    assert found is not None
    return list(found)


def test_every_rank_and_score_is_the_platforms(written: Lane) -> None:
    for query in QUERIES:
        answer = written.gateway.call(
            "memory.search", query=query, agentId="main", maxResults=50, minScore=0
        )
        told = [(one["path"], one["startLine"], one["endLine"]) for one in answer["results"]]
        found = [one for one in computed(written, query) if (one.score or 0) >= 0]
        places = [(one.chunk.path, one.chunk.start_line, one.chunk.end_line) for one in found]
        assert places == told, query
        assert [one.score for one in found] == pytest.approx(
            [one["score"] for one in answer["results"]], abs=5e-4
        ), query
        assert [one.text for one in found] == pytest.approx(
            [one["textScore"] for one in answer["results"]], abs=5e-4
        ), query


def test_what_an_agent_is_shown_is_what_we_say_it_is_shown(written: Lane) -> None:
    for query in QUERIES:
        answer = written.gateway.call("memory.search", query=query, agentId="main", maxResults=6)
        shown = [one for one in computed(written, query) if one.rank is not None]
        shown = sorted(shown, key=lambda one: one.rank or 0)[:6]
        assert [(one.chunk.path, one.chunk.start_line) for one in shown] == [
            (one["path"], one["startLine"]) for one in answer["results"]
        ], query


def test_explained_and_asked_say_the_same(written: Lane) -> None:
    settings = {
        "MEMCONSOLE_SEARCH__PROVIDER": "openai-compatible",
        "MEMCONSOLE_SEARCH__MODEL": EMBEDDING_MODEL,
        "MEMCONSOLE_SEARCH__BASE_URL": written.gateway.model.url,
    }
    reasons: dict[str, set[str]] = {}
    for query in QUERIES:
        ways = [
            written.memconsole("search", way, "--agent", "main", query, settings=settings)
            for way in ("--explain", "--ask-gateway")
        ]
        explained, asked = ({one["path"]: one for one in way.data["hits"]} for way in ways)
        assert explained.keys() == asked.keys()
        for path, hit in explained.items():
            assert (hit["agent_rank"], hit["agent_reason"]) == (
                asked[path]["agent_rank"],
                asked[path]["agent_reason"],
            ), (query, path)
            if asked[path]["agent_score"] is not None:
                score = asked[path]["agent_score"]
                assert hit["agent_score"] == pytest.approx(score, abs=5e-4)
            reasons.setdefault(hit["agent_reason"], set()).add(path)
    assert f"memory/{OLD}.md" in reasons["too-old"]
    assert "found" in reasons
