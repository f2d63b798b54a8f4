"""One search over what the hosts of a fleet published, ranked as a host ranks its own."""

from __future__ import annotations

import uuid
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
import pytest

from memconsole.adapters.clock import SystemClock
from memconsole.adapters.fleet.postgres import search
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.search import SearchableCopy
from memconsole.adapters.index.embedding.static import static_model
from memconsole.adapters.index.reader import QueryModel
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.search.values import Narrowing, SearchRequest
from memconsole.engine.search.copied import CopySearch
from memconsole.engine.several.homes import SeveralHomes
from memconsole.engine.several.members import LocalMember
from memconsole.errors import SourceAwayError
from tests.lanes.postgres.memories import Memories
from tests.lanes.postgres.test_watch import watch_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.search.values import SearchHit
    from memconsole.engine.search.copied import Found
    from tests.lanes.postgres.fleet import Fleet, Somebody
    from tests.lanes.postgres.server import Server

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
        clock, settings = SystemClock(), self.hosts["alpha"].settings()
        homes = self.homes(*hosts)
        own = CopySearch(self.copy, clock, settings)
        request = SearchRequest(text, **changes)  # type: ignore[arg-type]
        return own.find(request, {one: one.host for one in homes})


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
    'o\'clock "ferry" AND (boat* OR -x) %s \\ ; DROP TABLE',
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


def test_the_command_line_searches_all_hosts_as_one(sea: Sea) -> None:
    with sea.fleet.admin() as connection:
        connection.execute("UPDATE fleet.homes SET looked_at = now()")
        connection.execute(
            "UPDATE fleet.homes SET looked_at = now() - interval '14 min' WHERE host ="
            " (SELECT id FROM fleet.hosts WHERE name = 'beta')"
        )
    answer = sea.ann("search", "ferry", "--fleet")
    assert answer.code == 0, answer
    [found] = answer.data
    assert [(hit["name"], hit["host"], hit["agent"]) for hit in found["hits"]] == [
        ("alpha/main", "alpha", "main"),
        ("beta/main", "beta", "main"),
    ]
    assert [hit["freshness"] for hit in found["hits"]] == ["live", "away"]
    assert found["hits"][0]["home"] == "/home/op/.openclaw"
    searched = found["searched"]
    assert (searched["hosts"], searched["of"]) == (2, 3)
    assert searched["lacking"] == ["gamma"]
    assert [one["host"] for one in searched["behind"]] == ["beta"]
    assert searched["line"].startswith("searched 2 of 3 hosts · beta as of ")
    text = sea.ann.program()("search", "ferry", "--fleet").out
    assert "searched 2 of 3 hosts · beta as of " in text
    assert "alpha/main MEMORY.md:1" in text
    one = sea.ann("search", "ferry", "--agent", "beta/main", "--max-results", "1").data[0]
    assert [hit["name"] for hit in one["hits"]] == ["beta/main"]
    nothing = sea.ann("search", "ferry", "--host", "gamma")
    assert nothing.data[0]["hits"] == []
    assert nothing.code == 1  # nobody looked
    assert sea.ann("search", "ferry", "--fleet", "--explain").code == 2
    assert sea.ann("search", "", "--fleet").data[0]["hits"] == []


def test_lines_of_another_host_come_from_the_copy(sea: Sea) -> None:
    answer = sea.ann("get", "MEMORY.md", "--agent", "alpha/main")
    assert answer.code == 0, answer
    assert (
        answer.data[0]["text"]
        == "The ferry to Korčula leaves at seven.\n\n# Boat\n\nThe boat is Petra."
    )
    assert answer.data[0]["host"] == "alpha"
    assert sea.ann("get", "MEMORY.md", "--agent", "alpha/main", "--from", "5").data[0]["lines"] == 1
    refused = sea.ann("get", "memory/never.md", "--agent", "alpha/main")
    assert refused.code == 1
    assert refused.data[0]["error"] == "not published"


def test_who_was_not_granted_it_finds_nothing(sea: Sea) -> None:
    bob = sea.fleet.join("bob", "--operator")
    assert sea.fleet.owner("fleet", "grant", "bob", "read").code == 0
    with closing(sea.copy_of(bob)) as copy, sea.fleet.role(bob) as connection:
        with copy.open(("alpha", "beta"), lambda _: True, str) as (reader, searched):
            assert reader.status.chunks == 0
            assert dict(searched.hosts) == {}
        with sea.fleet.admin() as admin:
            [(number,)] = admin.execute("SELECT min(id) FROM fleet.indexes").fetchall()
        vector = str([1] * 256)
        for query in (
            f"SELECT * FROM fleet.rows('{{{number}}}', '{{1}}', true)",
            f"SELECT * FROM fleet.tokens('{{{number}}}', '{{1}}')",
            f"SELECT * FROM fleet.lines({number}, 'MEMORY.md')",
            f"SELECT * FROM fleet.frequencies('{{{number}}}', '{{1}}', 9)",
            f"SELECT * FROM fleet.near('{{{number}}}', '{vector}', NULL, NULL, 9, true)",
            f"SELECT * FROM fleet.near('{{{number}}}', '{vector}', NULL, NULL, 9, false)",
            f"SELECT * FROM fleet.cosines('{{{number}}}', '{{1}}', '{vector}')",
            f"SELECT * FROM fleet.with_words('{{{number}}}', '{{ferry}}', '{{f}}', '{{1}}', 1,"
            " false, 9, NULL, NULL, 9)",
        ):
            assert connection.execute(query).fetchall() == [], query
        assert connection.execute(
            f"SELECT fleet.counts('{{{number}}}', '{{ferry}}', '{{f}}', 0)"
        ).fetchone() == ([0],)  # nor what the statistics of all hosts say
        for table in ("chunks", "documents", "indexes", "vectors"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT 1 FROM fleet.{table}")
    assert sea.fleet.owner("fleet", "grant", "bob", "search", "--on", "edge").code == 0
    with (
        closing(sea.copy_of(bob)) as copy,
        copy.open(("alpha", "beta"), lambda _: True, str) as (reader, _),
    ):
        assert reader.status.chunks == 0


HOSTILE = ["'; DROP TABLE fleet.chunks; --", "%L %s %1$s {}", "\\", "a'b:*&|!()<->", "\0\x1b[31m"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_words(sea: Sea, text: str) -> None:
    sea.find(text)
    for is_beginning in (False, True):
        with sea.fleet.role(sea.ann) as connection:
            every = "SELECT array_agg(index_id) FROM fleet.searchable() WHERE index_id IS NOT NULL"
            plain = text.replace("\0", "")
            rows = connection.execute(
                f"SELECT fleet.with_words(({every}), %s::text[], %s, '{{1}}', 1, false, 9, NULL,"
                " %s, 9)",
                ([plain], [is_beginning], plain),
            )
            assert rows.fetchall() == []
    assert names(sea.find("ferry"))


def test_what_a_host_wrote_is_foreign_text(sea: Sea) -> None:
    beta = sea.fleet.role(sea.hosts["beta"].host)
    with closing(beta), beta.transaction():
        beta.execute(
            "UPDATE fleet.chunks SET heading = E'\\x1b[1m',"
            " text = E'ferry \\x1b]0;x\\x07\\u202e red'"
        )
        beta.execute("UPDATE fleet.documents SET path = E'a\\nb\\x1b[0m' WHERE path = 'MEMORY.md'")
    found = sea.find("ferry", "beta")
    said = "".join(f"{hit.snippet}{hit.path}{hit.heading}" for hit in found.result.hits)
    assert "ferry" in said
    assert not [sign for sign in ("\x1b", "\x07", "\u202e", "\n") if sign in said]
    sea.hosts["beta"].write("MEMORY.md", NOTES["beta"]["MEMORY.md"] + "\n")
    beta = sea.fleet.role(sea.hosts["beta"].host)
    with closing(beta):
        beta.execute("DELETE FROM fleet.indexes")
    sea.hosts["beta"].publish()


def test_without_pgvector_words_alone_are_searched(sea: Sea) -> None:
    with sea.fleet.admin() as connection:
        connection.execute("ALTER TABLE fleet.vectors RENAME TO away")
        try:
            found = sea.find("ferry")
        finally:
            connection.execute("ALTER TABLE fleet.away RENAME TO vectors")
    assert names(found) == ["alpha/main MEMORY.md:1", "beta/main MEMORY.md:1"]
    assert found.result.index.because == "text only: no pgvector"
    assert found.result.hits[0].vector_score is None


def test_a_word_that_is_being_typed_is_found(sea: Sea) -> None:
    assert names(sea.find("the green", is_typing=True))[:1] == ["beta/main MEMORY.md:1"]


def test_a_narrowed_search_finds_only_what_is_new_or_marked(sea: Sea) -> None:
    since = datetime(2026, 2, 1, tzinfo=UTC)
    found = sea.find("pump tomatoes deposit", narrowing=Narrowing(since=since))
    paths = {hit.path for hit in found.result.hits}
    assert "memory/2026-02-02.md" in paths
    assert "memory/2026-01-20.md" not in paths


def test_a_server_that_was_started_again_is_asked_anew(sea: Sea, server: Server) -> None:
    sea.find("ferry")
    server.stop()
    with pytest.raises(SourceAwayError):
        sea.find("ferry")
    server.start()
    assert names(sea.find("ferry"))


def test_the_console_searches_the_hosts_of_a_server_as_one(sea: Sea) -> None:
    clock, own = SystemClock(), sea.hosts["alpha"]
    local = LocalMember("here", HomeRef(str(own.host.home)), own.engine())
    several = SeveralHomes(local.engine, [local], clock)
    with closing(watch_of(sea.ann)) as watch:
        copy = CopySearch(sea.copy, clock, own.settings())
        watching = several.watch(watch, lambda host, _: host in ("alpha", "beta"), copy)
        watching.round()
        assert len(several._members) == 3
        found = several.search.find(SearchRequest("ferry", with_sessions=False))
        agents = [hit.agent for hit in found.hits]
        assert {"here/main", "alpha/main", "beta/main"} == set(agents)
        assert agents.index("alpha/main") < agents.index("beta/main")
        assert any(one.message.startswith("searched 2 of 2 hosts") for one in found.notices)
        one = several.search.find(SearchRequest("ferry", agent_id="beta/main"))
        assert {hit.agent for hit in one.hits} == {"beta/main"}
        typed = several.search.find(SearchRequest("ferry", is_typing=True))
        assert {hit.agent for hit in typed.hits} == {"here/main"}


@pytest.mark.parametrize("text", ["When does the ferry leave?", "deposit", "the pump", "火车站"])
def test_many_chunks_are_searched_by_the_indexes_of_the_server(
    sea: Sea, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    few = [(hit.agent, hit.path, hit.score) for hit in sea.find(text).result.hits]
    monkeypatch.setattr(search, "FEW", 0)
    many = [(hit.agent, hit.path, hit.score) for hit in sea.find(text).result.hits]
    assert many == few
    since = Narrowing(since=datetime(2026, 2, 1, tzinfo=UTC))
    paths = {hit.path for hit in sea.find(text, narrowing=since).result.hits}
    assert "memory/2026-01-20.md" not in paths


def test_a_small_part_of_a_fleet_is_searched_as_if_it_were_alone(sea: Sea) -> None:
    """Its chunks are read one by one then, and none of the others."""
    texts = ("When does the ferry leave?", "deposit", "the pump", "gree", "火车站")
    alone = [sea.find(text, is_typing=True).result.hits for text in texts]
    with sea.fleet.admin() as admin, admin.transaction():
        ids = "SELECT array_agg(index_id) FROM fleet.sizes WHERE chunks < 1000"
        assert admin.execute(f"SELECT fleet.is_small(({ids}))").fetchone() == (False,)
        admin.execute(
            "INSERT INTO fleet.indexes (home, agent, is_talk, agents) SELECT o.id, 'x', false,"
            " '{x}' FROM fleet.homes o JOIN fleet.hosts h ON h.id = o.host WHERE h.name = 'gamma'"
        )
        admin.execute("UPDATE fleet.sizes SET chunks = 1000000 WHERE chunks = 0")
        assert admin.execute(f"SELECT fleet.is_small(({ids}))").fetchone() == (True,)
    assert [sea.find(text, is_typing=True).result.hits for text in texts] == alone
    assert any(alone)
    with sea.fleet.admin() as admin:
        admin.execute("DELETE FROM fleet.indexes WHERE agent = 'x'")


@pytest.mark.parametrize(
    "query",
    [
        "fleet.rows(%(indexes)s, %(ids)s, true)",
        "fleet.tokens(%(indexes)s, %(ids)s)",
        "fleet.cosines(%(indexes)s, %(ids)s, to_json(array_fill(1, '{256}'))::text)",
        "fleet.frequencies(%(indexes)s, '{1,2,3}', 64)",
        "fleet.searchable()",
    ],
)
def test_who_may_look_where_is_asked_once_a_statement(sea: Sea, query: str) -> None:
    with sea.fleet.admin() as admin:
        admin.execute(f"ALTER DATABASE {sea.fleet.database} SET track_functions = 'all'")
        chunks = admin.execute("SELECT index_id, id FROM fleet.chunks").fetchall()
    assert len({index for index, _ in chunks}) > 1
    asked = {"indexes": [index for index, _ in chunks], "ids": [at for _, at in chunks]}
    ann = sea.fleet.role(sea.ann)
    with closing(ann), ann.transaction():
        assert len(ann.execute("SELECT * FROM " + query, asked).fetchall()) > 1
        calls = "SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'hosts_for'"
        assert ann.execute(calls).fetchall() == [(1,)]


def test_the_rarest_words_decide_what_is_scored() -> None:
    assert search.deciding_words([3, 40, 900, 90_000], 1_000) == (3, False)
    assert search.deciding_words([3, 4_000, 90_000], 1_000) == (2, False)  # else too few
    assert search.deciding_words([300, 4_000, 90_000], 1_000) == (1, False)
    assert search.deciding_words([4_000, 90_000], 1_000) == (2, True)
    assert search.deciding_words([90_000], 1_000) == (1, False)
