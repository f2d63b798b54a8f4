"""An embedding service over loopback: batches, retries, cost, and every way to fail."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.index.embedding.providers import RemoteEmbedder
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import Narrowing
from memconsole.domain.settings.sections import SearchSettings
from memconsole.errors import EmbeddingError
from tests.adapters.index.index_stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.program import Json


@dataclass
class Service:
    """What the service got, and how it answers next.

    Attributes:
        failures: Status codes to answer with first.
        body: Answered instead of vectors.
        dims: Length of the vectors.
    """

    requests: list[Json] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    body: bytes | None = None
    dims: int = 3
    url: str = ""

    def vector(self, text: str) -> list[float]:
        return [float(text.count(letter) + 1) for letter in "aeiou"[: self.dims]]

    def embedder(self, **options: object) -> RemoteEmbedder:
        return RemoteEmbedder(self.url, "tiny", key="k-1", pause=lambda _: None, **options)  # type: ignore[arg-type]


@contextmanager
def serving() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.requests.append(sent)
            service.headers.append(self.headers.get("Authorization", ""))
            code = service.failures.pop(0) if service.failures else 200
            rows = [
                {"index": at, "embedding": service.vector(text)}
                for at, text in enumerate(sent["input"])
            ]
            answer = {"data": rows[::-1], "usage": {"total_tokens": 7}}
            body = json.dumps(answer).encode() if service.body is None else service.body
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as found:
        yield found


def test_vectors_come_in_the_order_of_their_texts(service: Service) -> None:
    embedder = service.embedder()
    assert embedder.embed(["aaa", "eee"]) == [service.vector("aaa"), service.vector("eee")]
    assert service.headers == ["Bearer k-1"]
    assert embedder.cost_tokens == 7
    assert embedder.name == "openai-compatible:tiny"


def test_many_texts_are_sent_in_batches(service: Service) -> None:
    assert len(service.embedder(dimensions=3).embed(["text"] * 150)) == 150
    assert [len(one["input"]) for one in service.requests] == [64, 64, 22]
    assert service.requests[0]["dimensions"] == 3


def test_what_may_heal_is_tried_again(service: Service) -> None:
    service.failures = [429, 503]
    assert service.embedder().embed(["a"])
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("failures", "attempts"), [([401], 1), ([400], 1), ([500, 500, 500, 500], 4)]
)
def test_what_does_not_heal_is_told(service: Service, failures: list[int], attempts: int) -> None:
    service.failures = failures
    with pytest.raises(EmbeddingError, match=f"HTTP {failures[0]}") as caught:
        service.embedder().embed(["a"])
    assert len(service.requests) == attempts
    assert "k-1" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [NaN]}]}',
    ],
)
def test_nonsense_is_no_vector(service: Service, body: bytes) -> None:
    service.body = body
    with pytest.raises(EmbeddingError):
        service.embedder().embed(["a"])


def test_vectors_of_other_lengths_are_refused(service: Service) -> None:
    embedder = service.embedder()
    embedder.embed(["a"])
    service.dims = 2
    with pytest.raises(EmbeddingError, match="different lengths"):
        embedder.embed(["a"])


def test_a_service_that_is_not_there_is_told() -> None:
    embedder = RemoteEmbedder("http://127.0.0.1:9", "m", key=None, pause=lambda _: None)
    with pytest.raises(EmbeddingError, match="cannot be reached"):
        embedder.embed(["a"])


@pytest.fixture
def stage(tmp_path: Path, service: Service) -> Stage:
    found = Stage(
        tmp_path, SearchSettings(provider="openai-compatible", model="tiny", base_url=service.url)
    )
    found.write("one.md", "aaaa banana\n")
    found.write("two.md", "eeee tree\n")
    return found


def test_an_index_asks_for_each_text_once(stage: Stage, service: Service) -> None:
    report = stage.sync()
    assert (report.embedded, report.cost_tokens) == (2, 7)
    assert report.status.provider == "openai-compatible:tiny"
    stage.write("copy.md", "aaaa banana\n")
    assert stage.sync().embedded == 0
    stage.write("three.md", "iiii\n")
    assert stage.sync().embedded == 1
    assert stage.sync(is_full=True).embedded == 0
    assert len(service.requests) == 2


def test_its_cosines_are_kept_as_they_are(stage: Stage) -> None:
    stage.sync()
    with stage.open() as reader:
        legs = reader.legs(parse("aaaa"), Narrowing())
        assert reader.late(parse("aaaa"), [1, 2]) == {}
    assert legs.is_raw
    assert max(one.cosine or 0 for one in legs.candidates) > 0.9


def test_a_service_that_fails_leaves_the_words(stage: Stage, service: Service) -> None:
    service.failures = [401] * 2
    report = stage.sync()
    assert [one.code for one in report.notices] == ["embedding-failed"]
    assert stage.find("banana") == ["memory/one.md"]
    assert stage.pending().unembedded == 2
    service.failures = []
    assert stage.sync().embedded == 2
    assert stage.pending().unembedded == 0
    assert set(stage.cosines("aaaa")) == {"memory/one.md:1", "memory/two.md:1"}


def test_a_query_of_other_dimensions_finds_by_words(stage: Stage, service: Service) -> None:
    stage.sync()
    service.dims = 2
    with stage.open() as reader, pytest.raises(EmbeddingError, match="length"):
        reader.legs(parse("banana"), Narrowing())
    assert stage.find("banana") == ["memory/one.md"]


def test_a_service_that_changes_its_dimensions_leaves_the_words(
    stage: Stage, service: Service
) -> None:
    stage.sync()
    service.dims = 2
    stage.write("three.md", "iiii kiwi\n")
    [notice] = stage.sync().notices
    assert notice.code == "embedding-failed"
    assert "vectors of 2 numbers, and the index holds vectors of 3" in notice.message
    assert stage.find("kiwi") == ["memory/three.md"]
    assert stage.pending().unembedded == 1
    assert stage.sync(is_full=True).embedded == 3


def test_no_secret_is_sent(stage: Stage, service: Service) -> None:
    secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
    stage.write("keys.md", f"use {secret}\n")
    stage.sync()
    with stage.open() as reader:
        reader.legs(parse(f"who knows {secret}"), Narrowing())
    assert len(service.requests) == 2
    assert secret not in json.dumps(service.requests)
    assert "[redacted:" in json.dumps(service.requests)


def test_building_anew_never_mixes_dimensions(stage: Stage, service: Service) -> None:
    stage.sync()
    service.dims = 2
    stage.write("three.md", "iiii kiwi\n")
    [notice] = stage.sync(is_full=True).notices
    assert "vectors of 2 numbers" in notice.message
    report = stage.sync(is_full=True)
    assert (report.embedded, report.notices) == (3, ())
    assert len(stage.cosines("aaaa")) == 3
