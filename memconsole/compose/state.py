"""Brings our database to this version, before anybody else opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.migrations import KNOWN_VERSION

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings


def is_state_old(settings: Settings) -> bool:
    """Tell whether our database is still to be made, or made anew for this version."""
    state = StateDatabase(settings.state_dir, PrivateCopies())
    return state.read(lambda one: one.user_version, 0) < KNOWN_VERSION


def renew_state(settings: Settings) -> None:
    """Make our database, or make it anew for this version.

    Raises:
        StateError: The state folder cannot be written.
    """
    StateDatabase(settings.state_dir, PrivateCopies()).write(lambda _: None)
