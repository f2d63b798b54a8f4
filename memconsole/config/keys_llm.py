"""Keys of the optional language model."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Choice, Kind, Url, Whole
from memconsole.config.span import Span

LLM_KEYS: Final = (
    Key(
        "llm.provider",
        Choice("none", "openai-compatible"),
        "A language model that may help; nothing needs it",
    ),
    Key("llm.base_url", Url("http", "https"), "Address of its service"),
    Key("llm.api_key_env", Kind(), "Environment variable that holds the key of its service"),
    Key("llm.model", Kind(), "Model of the service", example='"small-model"'),
    Key(
        "llm.fallback_model",
        Kind(),
        "Model that is asked when the first one fails",
        example='"other-model"',
    ),
    Key("llm.timeout", Span(timedelta(seconds=1)), "How long one answer may take"),
    Key("llm.daily_tokens", Whole(), "Tokens that it may use within a day"),
)
