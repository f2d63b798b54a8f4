"""The table of commands: keys, palette, help, run log and dispatch are made from its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.checkpoint import CHECKPOINT
from memconsole.domain.commands.cleanup import CLEANUP
from memconsole.domain.commands.compact import COMPACT
from memconsole.domain.commands.config_fix import CONFIG_FIX
from memconsole.domain.commands.consolidate import CONSOLIDATE, PROPOSE
from memconsole.domain.commands.flush import FLUSH
from memconsole.domain.commands.index_md import INDEX_MD
from memconsole.domain.commands.memory import (
    DECLINE,
    MEMORY_ADD,
    MEMORY_FORGET,
    MEMORY_TIDY,
    MEMORY_UNDO,
    PROMOTE,
)
from memconsole.domain.commands.observe import OBSERVE
from memconsole.domain.commands.recover import RECOVER
from memconsole.domain.commands.reflect import REFLECT
from memconsole.domain.commands.reindex import REINDEX
from memconsole.domain.commands.restore import RESTORE
from memconsole.domain.commands.rotate import ROTATE
from memconsole.domain.commands.summarize import SUMMARIZE

if TYPE_CHECKING:
    from memconsole.domain.commands.command import CommandSpec

COMMANDS: tuple[CommandSpec, ...] = (
    CHECKPOINT,
    OBSERVE,
    ROTATE,
    COMPACT,
    REINDEX,
    REFLECT,
    SUMMARIZE,
    FLUSH,
    RECOVER,
    RESTORE,
    INDEX_MD,
    MEMORY_ADD,
    MEMORY_FORGET,
    MEMORY_TIDY,
    MEMORY_UNDO,
    CONSOLIDATE,
    PROMOTE,
    DECLINE,
    PROPOSE,
    CLEANUP,
    CONFIG_FIX,
)
"""Every command that acts, in the order it is shown."""

CATALOGUE: tuple[CommandSpec, ...] = tuple(spec for spec in COMMANDS if spec.title)
"""What menus offer."""


def spec_of(name: str) -> CommandSpec:
    """Return the command of that name.

    Raises:
        KeyError: There is none; names come from code, not from people.
    """
    for spec in CATALOGUE:
        if spec.name == name:
            return spec
    raise KeyError(name)
