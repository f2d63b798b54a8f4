"""What makes vectors, as `search.provider` says; one that fails is named, never replaced."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from memconsole.adapters.index.embedding.static import static_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.domain.settings import SearchSettings


class Embedder(Protocol):
    """Answers `ports.Embedder`: texts in, vectors out."""

    @property
    def name(self) -> str:
        """Provider and model; vectors of different names are never compared."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, all of one length.

        Raises:
            EmbeddingError: The provider failed.
        """

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
    from memconsole.adapters.index.embedding.remote import RemoteEmbedder  # noqa: PLC0415  # loads httpx

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
