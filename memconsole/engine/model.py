"""Asks the optional model, within its budget; whatever fails has a result without it."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.model import FALLBACK, ModelUse, estimated_tokens
from memconsole.errors import ModelError, StateError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.model import Completion, Prompt
    from memconsole.domain.settings import Settings
    from memconsole.ports.bundle import ModelPorts
    from memconsole.ports.platform import Clock

logger = logging.getLogger(__name__)

REFLECT_TIMEOUT: Final = 2
"""A consolidation may take so many times the usual timeout."""

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking.

    Attributes:
        completion: None when there is none, for the reason in `because`.
        because: Empty when there is one.
        tokens: What it cost.
    """

    completion: Completion | None
    because: str = ""
    tokens: int = 0

    def details(self, *, because: str = "") -> dict[str, Detail]:
        """Return `llm` of an outcome: the model that helped, or that none did and why.

        Args:
            because: Why the answer was not used after all.
        """
        why = because or self.because
        if self.completion is None or why:
            return {"llm": {"result": FALLBACK, "because": why, "tokens": self.tokens}}
        model = self.completion.model
        return {"llm": {"result": "model", "model": model, "tokens": self.tokens}}


def is_on(settings: Settings) -> bool:
    """Whether a model was asked for."""
    return settings.llm.provider != "none"


@dataclass(frozen=True, slots=True)
class BudgetedModel:
    """The optional model, within its budget.

    Attributes:
        llm: Gives the model, and remembers what it cost.
        settings: `[llm]` of them.
    """

    llm: Callable[[], ModelPorts]
    settings: Settings
    clock: Clock

    @property
    def is_on(self) -> bool:
        """Whether a model was asked for."""
        return is_on(self.settings)

    def ask(self, prompt: Prompt, *, patience: int = 1) -> Answer:
        """Ask the model, unless the day's budget is used up; raises nothing.

        Args:
            prompt: What to ask, masked.
            patience: Times the usual timeout.
        """
        rules, model = self.settings.llm, self.llm()
        now = self.clock.now()
        used = model.log.tokens_since(now - _DAY)
        wanted = estimated_tokens(prompt, "")
        if used + wanted > rules.daily_tokens:
            return Answer(
                None, f"the budget of {short_kilo(rules.daily_tokens)} tokens a day is used up"
            )
        timeout_s = rules.timeout.total_seconds() * patience
        try:
            found = model.model.complete(prompt, timeout_s=timeout_s)
        except ModelError as error:
            logger.warning("%s: %s", prompt.purpose, error)
            _remember(model, ModelUse(now, prompt.purpose, rules.model, wanted))
            return Answer(None, str(error), wanted)
        tokens = estimated_tokens(prompt, found.text) if found.tokens is None else found.tokens
        _remember(model, ModelUse(now, prompt.purpose, found.model, tokens))
        return Answer(found, "", tokens)


def _remember(model: ModelPorts, use: ModelUse) -> None:
    try:
        model.log.add(use)
    except StateError as error:
        logger.warning("the cost of the model is not remembered: %s", error)
