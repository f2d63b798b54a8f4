"""Serves our static vectors as an embedding service on the loopback, for peers to search with.

The model `static:<agent>` weights tokens by the document frequencies of that agent's index, so that
a peer compares the very vectors that we do.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from memconsole.adapters.index.database import reading
from memconsole.adapters.index.embedding.pooling import Pool, idf_table, pack_tokens
from memconsole.adapters.index.embedding.static import static_model
from memconsole.adapters.index.matrix import np
from memconsole.adapters.index.schema import read_meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@contextmanager
def static_service(indexes: Mapping[str, Path]) -> Iterator[str]:
    """Serve for the block; yields the base address.

    Args:
        indexes: File of each agent's index.
    """
    pools = {agent: _pool(path) for agent, path in indexes.items()}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            pool = pools[body["model"].partition(":")[2]]
            answer = json.dumps(_answer(pool, texts, body["model"])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _pool(path: Path) -> Pool:
    with reading(path) as connection:
        chunks = int(read_meta(connection)["epoch_chunks"])
        found = connection.execute("SELECT id, epoch_df FROM tokens").fetchall()
    frequencies = {int(token or 0): int(df or 0) for token, df in found}
    model = static_model()
    return Pool(model, idf_table(frequencies, chunks, model.count), 1)


def _answer(pool: Pool, texts: list[str], model: str) -> dict[str, Any]:
    rows = []
    for at, tokens in enumerate(static_model().tokens_of(texts)):
        vector = np.frombuffer(pool.vector(pack_tokens(tokens)), np.int8).astype(np.float32)
        vector /= max(float(np.linalg.norm(vector)), 1e-9)
        rows.append({"object": "embedding", "index": at, "embedding": vector.tolist()})
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "data": rows, "model": model, "usage": usage}
