"""A host that lies about its chunks does that on its own rows, and to nobody who searches."""

from __future__ import annotations

import uuid
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from memconsole.adapters.index.embedding.static import static_model
from memconsole.domain.agents import HomeRef
from tests.lanes.postgres.memories import Memories
from tests.lanes.postgres.test_publishing import copy_of
from tests.lanes.postgres.test_search import Sea

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lanes.postgres.fleet import Fleet

pytestmark = pytest.mark.postgres

REFUSED = ("23514", "54000", "22003", "22000", "22008")
"""A check, a limit, a number or a time that is out of range."""

LIES = {
    "a time that no reader has": "UPDATE fleet.documents SET modified_at = 'infinity'",
    "a time before the first year": "UPDATE fleet.chunks SET at = '4000-01-01 BC'",
    "a time of the year 20000": "UPDATE fleet.chunks SET at = '20000-01-01'",
    "agents within agents": "UPDATE fleet.indexes SET agents = '{{a,b},{c,d}}'",
    "an agent that is nothing": "UPDATE fleet.indexes SET agents = '{NULL}'",
    "no agents": "UPDATE fleet.indexes SET agents = '{}'",
    "long names of agents": "UPDATE fleet.indexes SET agents = ARRAY[repeat('x', 100000000)]",
    "marks within marks": "UPDATE fleet.chunks SET tags = '{{a,b},{c,d}}'",
    "a mark that is nothing": "UPDATE fleet.chunks SET tags = '{NULL}'",
    "long marks": "UPDATE fleet.chunks SET tags = ARRAY[repeat('x', 100000000)]",
    "lines below the first": "UPDATE fleet.chunks SET start_line = -5, end_line = -9",
    "the last line of all": "UPDATE fleet.chunks SET start_line = 2147483646,"
    " end_line = 2147483647",
    "longer chunks than there are": "UPDATE fleet.chunks SET words = 2147483647",
    "tokens of another kind": "UPDATE fleet.chunks SET tokens = '\\xffffff'",
    "tokens of another length": "UPDATE fleet.chunks SET tokens = '\\xffff'",
    "counts over everything": "UPDATE fleet.indexes SET epoch_chunks = 2147483647,"
    " df_unit = 2147483647, df = decode(repeat('ff', 131072), 'hex')",
    "counts below nothing": "UPDATE fleet.indexes SET epoch_chunks = -5, df_unit = -7,"
    " df = decode(repeat('ff', 131072), 'hex')",
    "a vector of nothing": "UPDATE fleet.vectors SET vector ="
    " array_fill(0, ARRAY[256])::vector::halfvec",
    "a document that is nowhere": "UPDATE fleet.chunks SET document = 999999",
    "a path of control": "UPDATE fleet.documents SET path = E'a\\x1b]0;x\\x07\\u202e\\nb' || id",
    "another model": "UPDATE fleet.indexes SET model = E'\\x1b[31m'",
}


class Harbour(Sea):
    """Two honest hosts, one that lies, and ann."""

    def __init__(self, fleet: Fleet) -> None:
        super().__init__(fleet)
        self.liar = Memories(fleet.join("mallory"), uuid.uuid4())
        self.liar.write("MEMORY.md", "The ferry of mallory leaves never.\n")
        self.shelves = self.liar.shelves()
        self.is_clean = False
        self.clean()
        self.honest = self.seen()

    def seen(self) -> list[tuple[str, float]]:
        """Return what ann finds on the honest hosts."""
        found = self.find("When does the ferry leave?", "alpha", "beta", "mallory").result.hits
        return [
            (f"{hit.agent} {hit.path}:{hit.start_line}", round(hit.score, 2))
            for hit in found
            if "mallory" not in hit.agent
        ]

    def clean(self) -> None:
        """Publish what is true, unless that is there."""
        if not self.is_clean:
            with closing(self.fleet.role(self.liar.host)) as thief:
                thief.execute("DELETE FROM fleet.indexes")
            with closing(copy_of(self.liar.host, self.liar.identity)) as copy:
                copy.publish((), self.shelves)
        self.is_clean = True

    def lie(self, query: str) -> None:
        """Do it, as who stole the login; refusing is as good as bearing it."""
        self.clean()
        with closing(self.fleet.role(self.liar.host)) as thief:
            try:
                thief.execute(query)
                self.is_clean = False
            except psycopg.Error as error:
                assert error.sqlstate in REFUSED, error  # noqa: PT017


@pytest.fixture(scope="module")
def harbour(fleet: Fleet) -> Iterator[Harbour]:
    made = Harbour(fleet)
    with closing(made.copy):
        yield made


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_of_one_host_is_found_on_no_other(harbour: Harbour, lie: str) -> None:
    before = harbour.honest
    assert before[0][0] == "alpha/main MEMORY.md:1"
    harbour.lie(LIES[lie])
    now = harbour.seen()
    assert [name for name, _ in now] == [name for name, _ in before]
    assert [score for _, score in now] == pytest.approx([score for _, score in before], abs=0.15)
    home = HomeRef("/home/op/.openclaw", "mallory")
    lines = harbour.copy.lines(home, "main", "MEMORY.md")
    assert lines is None or 0 < max(lines) < 10_000_000
    assert min(lines or [1]) >= 0


def test_what_another_host_did_not_mask_is_masked_here(harbour: Harbour) -> None:
    secret = "sk-ant-api03-" + "Zq7xW2vB9nM4kL8pR3tY6uH1jF5dS0aG" * 2
    harbour.lie(
        f"WITH x AS (UPDATE fleet.documents SET path = '{secret}.md') UPDATE fleet.chunks"
        f" SET text = 'ferry {secret}', heading = 'of {secret}'"
    )
    said = repr(harbour.find("ferry", "mallory").result)
    assert "ferry" in said
    assert secret[:24] not in said
    harbour.lie(f"UPDATE fleet.chunks SET text = 'ferry {secret}'")
    known = harbour.copy.lines(HomeRef("/home/op/.openclaw", "mallory"), "main", "MEMORY.md")
    assert "ferry" in str(known)
    assert secret[:24] not in str(known)


def test_nobody_says_how_much_he_has(harbour: Harbour) -> None:
    harbour.lie("UPDATE fleet.indexes SET epoch_chunks = 2000000000")
    harbour.lie("UPDATE fleet.chunks SET bytes = -2000000000")
    with harbour.copy.open(["mallory"], lambda _: True, str) as (reader, _):
        assert reader.status.chunks == 1
    query = (
        "SELECT index_id, chunks, words FROM fleet.searchable() WHERE index_id IS NOT NULL"
        " ORDER BY index_id"
    )
    counted = (
        "SELECT c.index_id, count(*)::int, sum(c.words) FROM fleet.chunks c GROUP BY 1 ORDER BY 1"
    )
    with closing(harbour.fleet.role(harbour.ann)) as ann, closing(harbour.fleet.admin()) as admin:
        assert ann.execute(query).fetchall() == admin.execute(counted).fetchall()
        assert admin.execute("SELECT min(bytes) > 0 FROM fleet.sizes").fetchall() == [(True,)]


@pytest.mark.parametrize("said", ["ff", "00"])
def test_one_host_bends_how_common_a_word_is_for_nobody(harbour: Harbour, said: str) -> None:
    """What is believed lies between what the two others say, however much it publishes."""
    harbour.lie("SELECT 1")
    tokens = static_model().query_tokens("When does the ferry to Korčula leave the boat?")
    query = (
        "SELECT token, df::float8 / chunks FROM fleet.frequencies((SELECT array_agg(index_id) FROM"
        " fleet.searchable(%s) WHERE index_id IS NOT NULL), %s::int[], 64)"
    )
    with closing(harbour.fleet.role(harbour.ann)) as ann:
        honest: list[dict[int, float]] = [
            dict(ann.execute(query, ([name], list(tokens))).fetchall())
            for name in ("alpha", "beta")
        ]
        harbour.lie(
            "WITH x AS (INSERT INTO fleet.chunks SELECT index_id, n, document, hash, start_line,"
            " end_line, at, words, on_path, tags, heading, lex, text, tokens FROM fleet.chunks,"
            " generate_series(100, 400) n) UPDATE fleet.indexes SET epoch_chunks = 302,"
            f" df_unit = 302, df = decode(repeat('{said}', 131072), 'hex')"
        )
        every: dict[int, float] = dict(ann.execute(query, (None, list(tokens))).fetchall())
    assert every.keys() == honest[0].keys() == set(tokens)
    assert any(0 < share < 1 for share in every.values())
    for token, share in every.items():
        low, high = sorted(known[token] for known in honest)
        assert low - 0.002 <= share <= high + 0.002  # it is told in whole chunks


@pytest.mark.parametrize(
    ("column", "most"), [("chunks", 2_000_000), ("documents", 500_000), ("bytes", 8 << 30)]
)
def test_who_has_too_much_adds_nothing(harbour: Harbour, column: str, most: int) -> None:
    harbour.lie("SELECT 1")
    full = (
        f"UPDATE fleet.sizes SET {column} = {most} WHERE index_id = (SELECT i.id FROM fleet.indexes"
        " i JOIN fleet.homes o ON o.id = i.home JOIN fleet.hosts h ON h.id = o.host"
        " WHERE h.name = 'mallory')"
    )
    with closing(harbour.fleet.admin()) as admin:
        admin.execute(full)
    more = (
        "INSERT INTO fleet.documents SELECT index_id, 7000, path, NULL, false FROM fleet.documents",
        "INSERT INTO fleet.chunks SELECT index_id, 7000, document, hash, start_line, end_line, at,"
        " words, on_path, tags, heading, lex, text, tokens FROM fleet.chunks",
    )
    with closing(harbour.fleet.role(harbour.liar.host)) as thief:
        with pytest.raises(psycopg.Error, match="at most"):
            thief.execute(more[column in ("chunks", "bytes")])
        thief.execute("DELETE FROM fleet.indexes")
    with closing(copy_of(harbour.liar.host, harbour.liar.identity)) as copy:
        assert copy.publish((), harbour.shelves).rows == 1
