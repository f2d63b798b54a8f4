"""What one command is, as every face offers it; the table of all is `catalogue.py`."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from memconsole.values import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Command


class Subject(StrEnum):
    """What a command acts on, and so what must be selected or named."""

    AGENT = "agent"
    SESSION = "session"
    ENTRY = "entry"


class CommandBuilder(Protocol):
    """Makes the command for one subject."""

    def __call__(
        self,
        agent: AgentRef,
        key: str | None = None,
        *,
        dry_run: bool = False,
        is_forced: bool = False,
    ) -> Command:
        """Return the command.

        Args:
            agent: Whose it is.
            key: What it is about: a session key, ids of entries with blanks between them, or the
                text to write down.
            dry_run: Only say what would be done.
            is_forced: Pass over what would make it skip.
        """
        ...


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command as every face offers it.

    Attributes:
        name: Name on the command line and in the palette.
        title: Imperative verb for buttons and dialogs.
        help: One sentence, without a full stop, for `--help`, the palette and the key list.
        key: Key of the console; empty for what only the palette offers.
        subject: What it acts on; `build` of anything but an agent's command needs a key.
        is_destructive: It asks first, and without a terminal needs `--yes`.
        needs_gateway: Only the Gateway can do it; a dry run never needs it.
        build: Makes the command.
        undo: What can be done about it afterwards; empty when there is nothing to say.
        takes_text: What it writes down is asked for first: it is the key.
        is_reviewed: The console asks first as well, although it can be undone.
    """

    name: str
    title: str
    help: str
    key: str
    subject: Subject
    is_destructive: bool
    needs_gateway: bool
    build: CommandBuilder
    undo: str = ""
    takes_text: bool = False
    is_reviewed: bool = False

    @property
    def asks(self) -> bool:
        """Whether the console shows the plan and waits for a yes."""
        return self.is_destructive or self.is_reviewed
