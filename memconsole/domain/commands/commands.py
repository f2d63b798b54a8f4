"""Commands as values: what a face may ask the engine to do."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import AgentRef


@dataclass(frozen=True, slots=True)
class Consolidate:
    """Archive observations whose importance has decayed.

    Attributes:
        shown: Digest of the file that the operator was shown; another one is left alone. None takes
            it as it is.
        is_high_included: Also lines with 🔴.
        dry_run: Say what would go; write nothing.
    """

    agent: AgentRef
    shown: str | None = None
    is_high_included: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Promote:
    """Write daily notes into MEMORY.md, each of which the operator names.

    Attributes:
        ids: Of the notes, or beginnings of them.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    ids: tuple[str, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Decline:
    """Propose daily notes for MEMORY.md no more.

    Attributes:
        ids: Of the notes, or beginnings of them.
        dry_run: Say which; remember nothing.
    """

    agent: AgentRef
    ids: tuple[str, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Propose:
    """Write into DREAMS.md what consolidation would do; nothing else is changed.

    Attributes:
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    dry_run: bool = False


ConsolidationCommand: TypeAlias = Consolidate | Promote | Decline | Propose


class Layer(StrEnum):
    """Where something is written down: the daily log only grows, the others are curated."""

    LONG = "long"
    USER = "user"
    DAILY = "daily"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Save an agent's current work to ACTIVE_CONTEXT.md and the daily log.

    Attributes:
        session_key: A certain session instead of the newest eligible one.
        is_forced: Ignore `stale_after` and the dedup window, and write what is written already.
        is_urgent: What comes next ends the talk or cuts it: ignore `stale_after` and the dedup
            window, but write nothing twice.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    session_key: str | None = None
    is_forced: bool = False
    is_urgent: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Rotate:
    """Start a session anew before the platform compacts it.

    Attributes:
        key: Session key; must name exactly one live session.
        threshold_tokens: Another limit than the configured one, for this run.
        is_forced: Pass threshold, interval and breaker.
        is_active_forced: Break off a run that is going on.
        dry_run: The plan from disk; needs no Gateway.
    """

    agent: AgentRef
    key: str
    threshold_tokens: int | None = None
    is_forced: bool = False
    is_active_forced: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Reindex:
    """Bring an agent's search index up to date.

    Attributes:
        is_full: Build it anew, whatever has changed.
        with_sessions: Its talks as well; None as configured.
        dry_run: Say what has changed; write nothing.
    """

    agent: AgentRef
    is_full: bool = False
    with_sessions: bool | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Compact:
    """Ask for the compaction of one session.

    Attributes:
        key: Session key; must name exactly one live session.
        instructions: What the summary should heed; refused where the release takes none.
        is_truncation_forced: Also where the release only cuts lines off.
        dry_run: Say what would be done; needs no Gateway.
    """

    agent: AgentRef
    key: str
    instructions: str | None = None
    is_truncation_forced: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Summarize:
    """Write the summary of one session into memory, once.

    Attributes:
        key: Session key, live or not any more; None when only the id is known.
        session_id: A certain session of the key; None means its present one.
        reason: One of `SummaryReason`.
        is_previous: The talk before the last reset in place instead of the present one.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    key: str | None
    session_id: str | None = None
    reason: str = "manual"
    is_previous: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Observe:
    """Add what is worth remembering in an agent's talks to observations.md.

    Attributes:
        session_key: This session only.
        is_flush: Look further back, also at what was looked at: the talk is about to be cut.
        recover_id: Id of a session that has ended; its last hours.
        is_previous: Of that session, the talk before its last reset in place.
        dry_run: Say what would be added; write nothing.
    """

    agent: AgentRef
    session_key: str | None = None
    is_flush: bool = False
    recover_id: str | None = None
    is_previous: bool = False
    dry_run: bool = False


class FlushBefore(StrEnum):
    """What a talk is saved before; an operator saves it when they like."""

    NOTHING = ""
    COMPACTION = "compaction"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Flush:
    """Save one talk now.

    Attributes:
        key: Session key; must name exactly one live session.
        before: What is about to happen to the talk.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    key: str
    before: FlushBefore = FlushBefore.NOTHING
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Recover:
    """Capture talks that ended before everything in them was captured.

    Attributes:
        dry_run: Say which; write nothing.
    """

    agent: AgentRef
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ConfigFix:
    """Set what `config check` found wrong in the platform's configuration.

    Attributes:
        agent: Names the home; its id is empty, because it is about no agent.
        dry_run: Show what would be set; write nothing.
    """

    agent: AgentRef
    dry_run: bool = False


Detail: TypeAlias = "str | int | float | bool | list[Detail] | dict[str, Detail] | None"
"""A value that JSON can carry."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a plan would put in the place of `observations.md`.

    Attributes:
        text: The new file.
        shown: Digest of the file that it was made of; another file is left alone.
        is_own: The built-in consolidation made it; otherwise a model or a person did.
        notes: What is said of the model.
    """

    text: str
    shown: str
    is_own: bool
    notes: Mapping[str, Detail] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reflect:
    """Consolidate an agent's `observations.md`.

    Attributes:
        is_forced: Also when it is not due, and a candidate of less than a tenth.
        candidate: A text from elsewhere that shall take its place, if the gate lets it pass.
        candidate_name: Where that text came from, for the command line.
        is_undo: Put the newest backup back instead.
        draft: What a plan showed, and nothing else, shall take its place.
        asks_model: Whether a model that is set up is asked; None asks it unless this is a dry run.
        dry_run: Say what would change; write nothing.
    """

    agent: AgentRef
    is_forced: bool = False
    candidate: str | None = None
    candidate_name: str = ""
    is_undo: bool = False
    draft: Draft | None = None
    asks_model: bool | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class IndexMd:
    """Write INDEX.md of an agent's workspace.

    Attributes:
        is_forced: Also of a small memory.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    is_forced: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class MemoryAdd:
    """Write one thing down, where the operator says.

    Attributes:
        text: As it was given; becomes one line.
        layer: `long` for MEMORY.md, `user` for USER.md, `daily` for the log of today.
        tag: One of the eight markers; None for none.
        section: Of MEMORY.md or USER.md.
        is_forced: Also what stands there already.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    text: str
    layer: Layer = Layer.LONG
    tag: str | None = None
    section: str = "Notes"
    is_forced: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class MemoryForget:
    """Take entries out of memory.

    Attributes:
        ids: Ids, or beginnings of them.
        is_hard: Leave no copy in anything that is ours.
        dry_run: Say what would go; write nothing.
    """

    agent: AgentRef
    ids: tuple[str, ...]
    is_hard: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class MemoryUndo:
    """Take back the last add, forget or reflect that was not taken back yet.

    Attributes:
        dry_run: Say what would be taken back; write nothing.
    """

    agent: AgentRef
    dry_run: bool = False


MemoryCommand: TypeAlias = MemoryAdd | MemoryForget | MemoryUndo
"""What operators do to memory by hand."""

AskedCommand: TypeAlias = Reflect | MemoryForget | Consolidate
"""What asks before it works on an agent's memory."""

CaptureCommand: TypeAlias = Observe | Summarize | Flush | Recover | Reflect | IndexMd
"""What writes into memory beside the checkpoint; a new one is added here."""

Command: TypeAlias = (
    Checkpoint
    | Rotate
    | Reindex
    | Compact
    | CaptureCommand
    | MemoryCommand
    | ConsolidationCommand
    | ConfigFix
)
