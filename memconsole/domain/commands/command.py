"""What every command is: a value, and one row that says all that faces need to know of it.

A command is declared in one place: the value, what comes of it, and its row. The table of all rows
is `catalogue.py`; a command finds its own row without it, so that a call which runs one command
loads few declarations.
"""

from __future__ import annotations

import shlex
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.agents import AgentRef


@dataclass(frozen=True, slots=True)
class Command:
    """Base of what a face may ask the engine to do.

    Attributes:
        agent: Whose it is. Of what is about no agent the id is empty, and the home counts.
        dry_run: Say what would be done; write, send and remember nothing.
    """

    spec: ClassVar[CommandSpec]

    agent: AgentRef
    dry_run: bool = field(default=False, kw_only=True)

    @property
    def is_undoable(self) -> bool:
        """Whether `memory undo` takes it back."""
        return self.spec.is_undoable

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same, for the activity log."""
        return ["--agent", self.agent.id]


class Subject(StrEnum):
    """What a command acts on, and so what must be selected or named."""

    AGENT = "agent"
    SESSION = "session"
    ENTRY = "entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """The row of a command: everything that the engine and the faces ask about it.

    The first row that is made of a class is the class's own; a face may derive others from it.

    Attributes:
        kind: The class of its values.
        name: Name on the command line, in the palette and in the run log.
        runner: What does it: `module:function` below `memconsole.engine`. The function takes the
            command, and by name what it uses (`engine/dispatch.py` lists the names).
        title: Imperative verb for buttons and dialogs; empty for what no menu offers.
        help: One sentence, without a full stop, for `--help`, the palette and the key list.
        key: Key of the console; empty for what only the palette offers.
        does: What the key does, in a few words behind the name.
        subject: What it acts on.
        about: Field that takes what it is about: a session key, a text, or ids of entries.
        force: Field that passes over what would make it skip.
        span: Field that takes a span of time.
        given: Fields that are set beforehand.
        is_destructive: It asks first, and without a terminal needs `--yes`.
        is_reviewed: The console asks first as well, although it can be undone.
        is_undoable: `memory undo` takes it back.
        needs_gateway: Only the Gateway can do it; a dry run never needs it.
        takes_text: What it writes down is asked for first.
        is_also_ours: Of no agent it is about what memconsole itself keeps (`--own`).
        takes_newest: Of no certain session it takes the agent's newest, which faces name.
        undo: What can be done about it afterwards; empty when there is nothing to say.
        stages: Its steps when all goes well, in order; empty for a command of one step.
    """

    kind: type[Command]
    name: str
    runner: str
    title: str = ""
    help: str = ""
    key: str = ""
    does: str = ""
    subject: Subject = Subject.AGENT
    about: str = ""
    force: str = ""
    span: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    is_destructive: bool = False
    is_reviewed: bool = False
    is_undoable: bool = False
    needs_gateway: bool = False
    takes_text: bool = False
    is_also_ours: bool = False
    takes_newest: bool = False
    undo: str = ""
    stages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if "spec" not in self.kind.__dict__:
            self.kind.spec = self

    @property
    def force_option(self) -> str:
        """How the palette sets `force`: what it takes as well, else plainly."""
        _, takes, what = self.force.partition("takes_")
        return f"--{what}" if takes else "--force"

    @property
    def span_option(self) -> str:
        """How the palette sets `span`."""
        return f"--{self.span.replace('_', '-')}"

    @property
    def may_name_session(self) -> bool:
        """Whether a command on an agent can be about one of its sessions alone."""
        return self.subject is Subject.AGENT and bool(self.about) and not self.takes_text

    @property
    def asks(self) -> bool:
        """Whether the console shows the plan and waits for a yes."""
        return self.is_destructive or self.is_reviewed

    def build(
        self,
        agent: AgentRef,
        about: str | None = None,
        *,
        dry_run: bool = False,
        is_forced: bool = False,
    ) -> Command:
        """Make the command.

        Args:
            agent: Whose it is.
            about: A session key, ids of entries with blanks between them, or the text to write
                down; ignored by what is about an agent as a whole.
            dry_run: Only say what would be done.
            is_forced: Pass over what would make it skip.

        Raises:
            ValueError: It has to be told what it is about.
        """
        fields = dict(self.given)
        if self.about:
            if about is None and (self.takes_text or self.subject is not Subject.AGENT):
                raise ValueError(f"{self.name} has to be told what it is about")
            is_ids = self.subject is Subject.ENTRY and about is not None
            fields[self.about] = tuple(about.split()) if is_ids and about is not None else about
        if self.force:
            fields[self.force] = is_forced or bool(self.given.get(self.force))
        make: Callable[..., Command] = self.kind
        return make(agent, dry_run=dry_run, **fields)


def name_of(command: Command) -> str:
    """Return the command's name on the command line."""
    return command.spec.name


def key_of(command: Command) -> str | None:
    """Return the session key that a command names."""
    spec = command.spec
    if not spec.about or spec.takes_text or spec.subject is Subject.ENTRY:
        return None
    key: str | None = getattr(command, spec.about)
    return key


def command_line(command: Command) -> str:
    """Return the equivalent call, quoted for a POSIX shell."""
    words = ["memconsole", *name_of(command).split(), *command.words()]
    if command.dry_run:
        words.append("--dry-run")
    return shlex.join(words)


def span_word(span: timedelta) -> str:
    """Return a duration as an option takes it, in its largest whole unit."""
    minutes = span // timedelta(minutes=1)
    for unit, size in (("d", 1440), ("h", 60)):
        if not minutes % size:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"


def flags(**given: bool) -> list[str]:
    """Return the names of the flags that are set, as a command line has them."""
    return [f"--{name.replace('_', '-')}" for name, is_set in given.items() if is_set]
