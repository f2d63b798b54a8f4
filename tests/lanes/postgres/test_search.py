"""One search over what the hosts of a fleet published, ranked as a host ranks its own."""

from __future__ import annotations

import uuid
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.search import SearchableCopy
from memconsole.adapters.index.embedding.static import static_model
from memconsole.adapters.index.query_side import QueryModel
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.search.values import SearchRequest
from memconsole.engine.search.copied import CopySearch
from tests.lanes.postgres.memories import Memories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.search.values import SearchHit
    from memconsole.engine.search.copied import Found
    from tests.lanes.postgres.fleet import Fleet, Somebody

pytestmark = pytest.mark.postgres

NOTES = {
    "alpha": {
        "MEMORY.md": "The ferry to Korčula leaves at seven.\n\n# Boat\n\nThe boat is Petra.\n",
        "memory/2026-01-20.md": "# Trip\n\nLena paid the deposit of 40 euros for the cabin.\n",
        "memory/zh.md": "我们明天去北京的火车站接龙。\n",
    },
    "beta": {
        "MEMORY.md": "The greenhouse needs new glass. Ask Marko about the ferry times.\n",
        "memory/2026-02-02.md": "# Garden\n\nTomatoes were sown, the pump was mended.\n",
    },
}


class Sea:
    """Two hosts that remember something, a third that publishes figures, and ann, who searches."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.hosts: dict[str, Memories] = {}
        for name, notes in NOTES.items():
            self.hosts[name] = Memories(fleet.join(name, "--labels", "prod"), uuid.uuid4())
            for path, text in notes.items():
                self.hosts[name].write(path, text)
            self.hosts[name].publish()
        gamma = Memories(fleet.join("gamma"), uuid.uuid4())
        gamma.publish(publish="figures")
        self.ann = fleet.join("ann", "--operator")
        assert fleet.owner("fleet", "grant", "ann", "read", "search").code == 0
        self.ann.reads(self.ann.url)
        self.copy = self.copy_of(self.ann)

    def copy_of(self, person: Somebody) -> SearchableCopy:
        """Return what a person may search."""
        return SearchableCopy(
            parse_server(person.url),
            passwords_of(person.state),
            lambda: QueryModel(static_model()),
        )

    def homes(self, *hosts: str) -> tuple[HomeRef, ...]:
        return tuple(HomeRef("/home/op/.openclaw", host) for host in hosts or ("alpha", "beta"))

    def find(self, text: str, *hosts: str, **changes: object) -> Found:
        """Search as ann."""
        ports, settings = self.hosts["alpha"].engine()._ports, self.hosts["alpha"].settings()
        homes = self.homes(*hosts)
        search = CopySearch(self.copy, ports, settings, {one: one.host for one in homes})
        return search.find(SearchRequest(text, **changes), homes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sea(fleet: Fleet) -> Iterator[Sea]:
    made = Sea(fleet)
    with closing(made.copy):
        yield made


def names(found: Found) -> list[str]:
    return [f"{hit.agent} {hit.path}:{hit.start_line}" for hit in found.result.hits]


def test_hosts_are_searched_as_one(sea: Sea) -> None:
    found = sea.find("When does the ferry leave?")
    assert names(found)[:2] == ["alpha/main MEMORY.md:1", "beta/main MEMORY.md:1"]
    assert found.owners["alpha/main"].home.host == "alpha"
    assert set(found.searched.hosts) == {"alpha", "beta"}
    assert found.result.coverage == 1.0


def local(memories: Memories, text: str, **changes: object) -> tuple[SearchHit, ...]:
    request = SearchRequest(text, agent_id="main", with_sessions=False, **changes)  # type: ignore[arg-type]
    return memories.engine().search.find(request).hits


QUESTIONS = [
    "When does the ferry leave?",
    "deposit",
    "what did Lena pay on 2026-01-20",
    "火车站",
    "北京",
    "how is the boat called",
    "the of and",
    "o'clock \"ferry\" AND (boat* OR -x) %s \\ ; DROP TABLE",
    "nothing of this is anywhere: quetzal xylophone",
]


@pytest.mark.parametrize("text", QUESTIONS)
def test_one_agent_is_ranked_as_its_own_host_ranks_it(sea: Sea, text: str) -> None:
    here = local(sea.hosts["alpha"], text)
    there = sea.find(text, "alpha").result.hits
    assert [(one.path, one.start_line, one.is_weak) for one in there] == [
        (one.path, one.start_line, one.is_weak) for one in here
    ]
    assert [one.score for one in there] == pytest.approx([one.score for one in here], abs=2e-3)
