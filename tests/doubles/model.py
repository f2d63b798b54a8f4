"""A double of the optional language model and of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.model import Completion, ModelUse, Prompt
from memconsole.errors import ModelError

if TYPE_CHECKING:
    from datetime import datetime


class FakeModel:
    """A language model that says what it was told to; without anything to say it fails."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.asked: list[Prompt] = []
        self.uses: list[ModelUse] = []

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        self.asked.append(prompt)
        if not self.answers:
            raise ModelError("the model cannot be reached")
        return Completion(self.answers.pop(0), "small", 100)

    def tokens_since(self, at: datetime) -> int:
        return sum(one.tokens for one in self.uses if one.at >= at)

    def add(self, use: ModelUse) -> None:
        self.uses.append(use)
