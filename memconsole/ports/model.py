"""What the engine asks of a language model, as protocols; without one it does without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.model import Completion, ModelUse, Prompt


class LanguageModel(Protocol):
    """A model behind a service."""

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        """Ask once, and once more the second model when the first one fails.

        Raises:
            ModelError: No answer that can be used.
        """


class ModelLog(Protocol):
    """What the model was used for, and what it cost (`state.db`)."""

    def tokens_since(self, at: datetime) -> int:
        """Return the tokens used since then."""

    def add(self, use: ModelUse) -> None:
        """Store one use."""
