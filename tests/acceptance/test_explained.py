"""`search --explain` on the recorded home of 2026.9: what its own search misses, and why.

The agent's vectors came from a service on loopback whose rule is known (`stub_vector`); where the
tests let memconsole ask the same service, every rank is the platform's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.adapters.gateway.scripted import TOKEN, let_in, ok, scripted
from tests.adapters.test_platform_index_of_homes import stub_vector
from tests.program import ROOT, Program, tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import FixtureHome

pytestmark = pytest.mark.shared

RECORDED = "2026-11-27T22:10:00+00:00"
IN_SPRING = "2027-03-01T09:00:00+00:00"
"""Three months after the notes were written."""

OFTEN = datetime(2026, 11, 27, 21, 0, tzinfo=UTC).timestamp()


class _Embeddings(BaseHTTPRequestHandler):
    """Answers `POST /v1/embeddings` as the recorded service did."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [
            {"index": place, "embedding": stub_vector(text)}
            for place, text in enumerate(body["input"])
        ]
        answer = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def embeddings() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with embeddings() as url:
        yield url


@pytest.fixture
def state(fixture_home: FixtureHome) -> Path:
    found = fixture_home("openclaw-2026.9")
    for note in found.parent.glob("ws-*/**/*.md"):
        os.utime(note, (OFTEN, OFTEN))
    return found


def asked(state: Path, query: str, *, at: str = RECORDED, **settings: str) -> dict[str, Any]:
    """Return the hits of one explained search by path; nothing of the home may change."""
    before = tree(state)
    environment = {"HOME": str(state.parent), "TZ": "UTC", "MEMCONSOLE_NOW": at, **settings}
    answer = Program(environment).json("search", "--explain", "--agent", "main", query)
    assert answer.code == 0, answer.err
    assert tree(state) == before
    return {hit["path"]: hit for hit in answer.data["hits"]}


def with_vectors(url: str) -> dict[str, str]:
    return {
        "MEMCONSOLE_SEARCH__PROVIDER": "openai-compatible",
        "MEMCONSOLE_SEARCH__MODEL": "stub-embed",
        "MEMCONSOLE_SEARCH__BASE_URL": url,
    }


class TestWithTheAgentsVectors:
    """The service of the agent is ours to ask: ranks are computed whole."""

    def test_a_note_that_it_finds_has_the_recorded_score(self, state: Path, service: str) -> None:
        found = asked(
            state, "backup drill", at="2026-11-27T21:53:35+00:00", **with_vectors(service)
        )
        hit = found["MEMORY.md"]
        assert (hit["agent_rank"], hit["agent_reason"]) == (1, "found")
        assert hit["agent_score"] == pytest.approx(0.7118438512, abs=5e-4)
        assert hit["agent_facts"]["vector_score"] == pytest.approx(0.5883483588, abs=5e-4)

    def test_a_note_that_is_too_old(self, state: Path, service: str) -> None:
        query = "postgres replica on the old host"
        hit = asked(state, query, at=IN_SPRING, **with_vectors(service))["memory/2026-11-25.md"]
        assert (hit["agent_rank"], hit["agent_reason"]) == (None, "too-old")
        assert hit["agent_because"].startswith("too old: 96 days leave 11% of its score")
        assert hit["agent_facts"]["fade"] == pytest.approx(0.5 ** (96.375 / 30), abs=1e-4)
        # the same note, on the day after it was written
        young = asked(state, query, at="2026-11-26T00:00:00+00:00", **with_vectors(service))
        assert young["memory/2026-11-25.md"]["agent_rank"] is not None

    def test_a_note_whose_words_it_does_not_hear(self, state: Path, service: str) -> None:
        hit = asked(state, "在庫サービスの移行", **with_vectors(service))["memory/2026-11-26.md"]
        assert (hit["agent_rank"], hit["agent_reason"]) == (None, "words")
        assert hit["agent_because"] == "none of the words stands in it as its search reads them"
        assert hit["agent_facts"]["text_score"] == 0

    def test_a_note_that_stands_in_a_comment(self, state: Path, service: str) -> None:
        hit = asked(state, "importance 0.8", **with_vectors(service))["MEMORY.md"]
        assert (hit["agent_rank"], hit["agent_reason"]) == (None, "in-comment")

    def test_a_note_that_has_another_form_of_the_word(self, state: Path, service: str) -> None:
        hit = asked(state, "operator migrating", **with_vectors(service))["memory/2026-11-25.md"]
        assert (hit["agent_rank"], hit["agent_reason"]) == (None, "words")


class TestWithoutThem:
    """The vectors are another provider's: what can be said is said."""

    def test_rank_is_null_with_that_reason(self, state: Path) -> None:
        hit = asked(state, "barcode scanner firmware")["memory/2026-11-27.md"]
        assert (hit["agent_rank"], hit["agent_score"]) == (None, None)
        assert hit["agent_reason"] == "vector-unknown"
        assert "vectors of openai-compatible stub-embed" in hit["agent_because"]
        facts = hit["agent_facts"]
        assert (facts["text_rank"], facts["vector_score"], facts["age_days"]) == (1, None, 0.9)

    def test_what_was_written_since_is_not_indexed_or_stale(self, state: Path) -> None:
        memory = state.parent / "ws-main" / "memory"
        (memory / "plumbing.md").write_text("- The boiler is a Vaillant.\n", "utf-8")
        with (memory / "2026-11-27.md").open("a", encoding="utf-8") as note:
            note.write("- The courier rings at noon.\n")
        new = asked(state, "boiler Vaillant")["memory/plumbing.md"]
        assert (new["agent_rank"], new["agent_reason"]) == (None, "not-indexed")
        assert new["agent_help"] == "`openclaw memory index --agent main` takes it in."
        changed = asked(state, "courier noon")["memory/2026-11-27.md"]
        assert (changed["agent_rank"], changed["agent_reason"]) == (None, "stale")


def test_a_plain_search_loads_nothing_of_it(state: Path) -> None:
    own = ("engine.platform_search", "domain.platform_search", "adapters.platform_index")
    program = Program({"HOME": str(state.parent), "TZ": "UTC", "MEMCONSOLE_NOW": RECORDED})
    assert program("search", "barcode").code == 0  # builds the index

    def loaded(*words: str) -> set[str]:
        command = [sys.executable, "-X", "importtime", "-m", "memconsole", "search", *words]
        environment = {**os.environ, **program.environment, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, env=environment, cwd=state.parent, capture_output=True, text=True, check=True
        )
        names = (line.rpartition("|")[2].strip() for line in done.stderr.splitlines())
        ours = {name.removeprefix("memconsole.") for name in names}
        return {name for name in ours if name.startswith(own)}

    assert loaded("barcode") == set()
    assert loaded("barcode", "--explain") >= {
        "engine.platform_search.explain",
        "domain.platform_search.ranking",
    }


def test_a_gateway_that_is_asked_gives_its_own_rank(state: Path, shared: Path) -> None:
    """The recorded answer of 2026.9.6 to the same question, over a loopback Gateway."""
    frames = shared / "fixtures" / "openclaw-2026.9" / "frames" / "rpc-read.jsonl"
    recorded = json.loads(frames.read_text("utf-8").splitlines()[50])["frame"]["payload"]
    answer = [{"on": "memory.search", "reply": ok(recorded)}]
    with scripted([*let_in("memory.search"), *answer]) as script:
        environment = {
            "HOME": str(state.parent),
            "TZ": "UTC",
            "MEMCONSOLE_NOW": RECORDED,
            "MEMCONSOLE_GATEWAY__URL": script.url,
            "MEMCONSOLE_GATEWAY__TOKEN": TOKEN,
        }
        found = Program(environment).json(
            "search", "--ask-gateway", "--agent", "main", "backup drill"
        )
    assert found.code == 0, found.err
    [question] = script.params("memory.search")
    assert (question["query"], question["agentId"]) == ("backup drill", "main")
    hits = {hit["path"]: hit for hit in found.data["hits"]}
    best = hits["MEMORY.md"]
    assert (best["agent_rank"], best["agent_score"]) == (1, 0.7118)
    assert best["agent_facts"]["vector_score"] == 0.5883
    other = hits["memory/2026-11-25.md"]
    assert (other["agent_rank"], other["agent_reason"]) == (None, "below-minimum")
    [search] = found.data["agent_searches"]
    assert (search["vectors"], search["release"]) == ("asked", "2026.9")


def test_without_a_gateway_asking_it_is_exit_3(state: Path) -> None:
    environment = {"HOME": str(state.parent), "TZ": "UTC", "MEMCONSOLE_NOW": RECORDED}
    answer = Program(environment).json("search", "--ask-gateway", "barcode scanner")
    assert answer.code == 3
    assert answer.error["code"] == "down"
    assert answer.error["message"].startswith("the Gateway cannot be asked for the agent's own")
    assert answer.error["hint"]


def test_health_looks_into_the_agents_indexes(state: Path) -> None:
    environment = {"HOME": str(state.parent), "TZ": "UTC", "MEMCONSOLE_NOW": RECORDED}
    before = tree(state)

    def check() -> dict[str, Any]:
        found = Program(environment).json("health").data["checks"]
        [one] = [one for one in found if one["id"] == "platform-index"]
        return dict(one)

    assert check()["message"] == "the agents' own 2 indexes are whole, 17 chunks"
    assert tree(state) == before
    note = state.parent / "ws-work" / "MEMORY.md"
    note.write_text("# Work memory\n", "utf-8")
    os.utime(note, (OFTEN, OFTEN))
    one = check()
    assert (one["status"], one["message"]) == ("warning", "work: 1 memory file changed since")
    assert one["details"][0]["stale"] == ["MEMORY.md"]
