"""Puts the optional language model together."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.model import RemoteModel
from memconsole.adapters.state.models import StateModels
from memconsole.ports.bundle import ModelPorts

if TYPE_CHECKING:
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.settings import Settings


def model_ports(settings: Settings, state: StateDatabase) -> ModelPorts:
    """Return the model of the settings, and what remembers its calls."""
    rules = settings.llm
    key = os.environ.get(rules.api_key_env) or None
    model = RemoteModel(rules.base_url, (rules.model, rules.fallback_model), key=key)
    return ModelPorts(model, StateModels(state))
