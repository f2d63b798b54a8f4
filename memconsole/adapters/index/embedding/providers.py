"""What makes vectors, as `search.provider` says; one that fails is named, never replaced.

A service speaks `/embeddings` as OpenAI does; it is asked in batches, and again when it is busy.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from memconsole.adapters.index.embedding.static import static_model
from memconsole.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.domain.settings.sections import SearchSettings


class Embedder(Protocol):
    """Answers `ports.Embedder`: texts in, vectors out."""

    @property
    def name(self) -> str:
        """Provider and model; vectors of different names are never compared."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, all of one length."""

    @property
    def cost_tokens(self) -> int | None:
        """Tokens that the provider counted so far; None when it counts none."""


def static_of(settings: SearchSettings) -> StaticModel | None:
    """Return the static model when the settings ask for it, alone or beside the better one.

    Raises:
        IndexUnavailableError: It is not installed.
    """
    return static_model() if settings.provider in {"static", "quality"} else None


def remote_of(settings: SearchSettings, *, is_patient: bool) -> Embedder | None:
    """Return the remote provider when the settings ask for one.

    Args:
        settings: Of the agent.
        is_patient: It indexes; a search does not wait as long.
    """
    if settings.provider != "openai-compatible":
        return None

    return RemoteEmbedder(
        settings.base_url,
        settings.model,
        key=os.environ.get(settings.api_key_env),
        dimensions=settings.dimensions or None,
        is_patient=is_patient,
    )


def model_name(settings: SearchSettings) -> str:
    """Return provider and model as the index status shows them."""
    if settings.provider == "openai-compatible":
        size = f"@{settings.dimensions}" if settings.dimensions else ""
        return f"openai-compatible:{settings.model}{size}"
    return settings.provider


_BATCH_TEXTS: Final = 64

_BATCH_CHARS: Final = 200_000

_MOST_CHARS: Final = 24_000

_ATTEMPTS: Final = 4

_TIMEOUT_S: Final = 60.0

_HEALS: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class RemoteEmbedder:
    """Asks a service; texts arrive there masked, as they are in the index.

    Args:
        base_url: Without `/embeddings`.
        model: Its name at the service.
        key: Bearer token; None for a service without.
        dimensions: Asked for when the service can choose.
        is_patient: Nobody waits for the answer: try long.
        pause: Waits between attempts, given seconds.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None,
        dimensions: int | None = None,
        is_patient: bool = True,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._model = model
        self._key = key
        self._dimensions = dimensions
        self._attempts, self._timeout_s = (_ATTEMPTS, _TIMEOUT_S) if is_patient else (2, 5.0)
        self._pause = pause
        self._tokens: int | None = None
        self._size: int | None = None

    @property
    def name(self) -> str:
        """Provider and model."""
        size = f"@{self._dimensions}" if self._dimensions else ""
        return f"openai-compatible:{self._model}{size}"

    @property
    def cost_tokens(self) -> int | None:
        """Tokens that the service counted so far."""
        return self._tokens

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text.

        Raises:
            EmbeddingError: The service cannot be reached, refuses, or answers nonsense.
        """
        import httpx  # noqa: PLC0415  # heavy, and only for who asked for a service

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        vectors: list[list[float]] = []
        with httpx.Client(
            timeout=self._timeout_s, headers=headers, follow_redirects=False
        ) as client:
            for batch in _batches(texts):
                vectors += self._batch(client, batch)
        return vectors

    def _batch(self, client: httpx.Client, texts: list[str]) -> list[list[float]]:
        body: dict[str, object] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._dimensions:
            body["dimensions"] = self._dimensions
        answer = self._ask(client, body)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(one) for one in row["embedding"]] for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise self._failed("its answer holds no vectors") from error
        self._check(vectors, len(texts))
        usage = answer.get("usage")
        counted = usage.get("total_tokens") if isinstance(usage, dict) else None
        if isinstance(counted, int):
            self._tokens = (self._tokens or 0) + counted
        return vectors

    def _check(self, vectors: list[list[float]], wanted: int) -> None:
        if len(vectors) != wanted:
            raise self._failed(f"it answered {len(vectors)} vectors for {wanted} texts")
        sizes = {len(vector) for vector in vectors} | ({self._size} if self._size else set())
        if len(sizes) != 1 or 0 in sizes:
            raise self._failed(f"its vectors have different lengths: {sorted(sizes)}")
        [self._size] = sizes
        if any(one != one or abs(one) == float("inf") for vector in vectors for one in vector):  # noqa: PLR0124
            raise self._failed("its vectors hold numbers that are none")

    def _ask(self, client: httpx.Client, body: dict[str, object]) -> dict[str, Any]:
        """Send one request, again after growing pauses as long as that can help."""
        import httpx  # noqa: PLC0415

        reason = "no reason is known"
        for attempt in range(self._attempts):
            if attempt:
                self._pause(0.25 * 2**attempt)
            try:
                answer = client.post(self._url, json=body)
            except httpx.HTTPError as error:
                reason = f"it cannot be reached ({type(error).__name__})"
                continue
            if answer.status_code in _HEALS:
                reason = f"it answers HTTP {answer.status_code}"
                continue
            if answer.status_code != httpx.codes.OK:
                raise self._failed(f"it answers HTTP {answer.status_code}")
            return self._decoded(answer)
        raise self._failed(reason)

    def _decoded(self, answer: httpx.Response) -> dict[str, Any]:
        try:
            found = answer.json()
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise self._failed("its answer is no JSON object")
        return found

    def _failed(self, reason: str) -> EmbeddingError:
        return EmbeddingError(
            f"the embedding service at {self._url} failed: {reason}",
            hint="Check search.base_url, search.model and the key; words are searched meanwhile.",
        )


def _batches(texts: Sequence[str]) -> list[list[str]]:
    """Return the texts in requests that services accept; an empty text is a blank."""
    batches: list[list[str]] = []
    chars = 0
    for text in texts:
        sent = text[:_MOST_CHARS] or " "
        if not batches or len(batches[-1]) >= _BATCH_TEXTS or chars + len(sent) > _BATCH_CHARS:
            batches.append([])
            chars = 0
        batches[-1].append(sent)
        chars += len(sent)
    return batches
