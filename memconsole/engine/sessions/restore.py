"""Hands an earlier window of a session over to its next start: `restore`.

What was asked, decided and left open, and the last messages, stand in a file of the memory, and the
next start of the session is given it once. Needs neither the Gateway nor a language model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import class_of, label_of
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.commands.restore import HandedOver
from memconsole.domain.config_check.hooks import GIVES_STARTS, why_silent
from memconsole.domain.memory.edits import ActionKind, MemoryAction, edit_of
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.windows import BEFORE_RESET
from memconsole.domain.summarize.handover import Handover, handover_file, render_handover
from memconsole.domain.summarize.text import SummaryReason
from memconsole.engine.home.lookup import require_own_words
from memconsole.engine.sessions.windows import chosen, chosen_point, stored_windows, unattributed
from memconsole.engine.summarize import Occasion, gather
from memconsole.engine.transcripts.segment import read_segment
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.restore import Restore
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.summarize.text import SessionSummary
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.engine.sessions.branch import Branching
    from memconsole.engine.transcripts.segment import Segment
    from memconsole.ports.platform import SessionStore
    from memconsole.ports.platform_files import ConfigFile
    from memconsole.ports.search import SearchPorts
    from memconsole.ports.state import HandoverLog, MemoryLog, RecoveryLog

_WANTED = 60
_HINT_OF_OTHERS = (
    "Of some ended transcripts nobody knows the session: `memconsole session KEY --windows` lists "
    "them, and --window takes one."
)
_HINT_OF_COMPACTED = "With --branch the Gateway makes a new session of all that stood before it."


def restore(
    command: Restore,
    *,
    memory_turns: MemoryTurns,
    reader: Reader,
    sessions: SessionStore,
    recovery: RecoveryLog,
    search: Callable[[], SearchPorts],
    edits: MemoryLog,
    handovers: HandoverLog,
    branching: Branching,
    config_file: Callable[[], ConfigFile],
) -> Outcome:
    """Write the hand-over of a window, and remember whose next start is given it; or branch it off.

    Raises:
        UsageError: The session has no such window.
        StoreError: Its transcript cannot be read.
        WorkspaceError: The file cannot be written; nothing was done.
        StateError: It cannot be remembered; the file is taken back.
    """
    if command.is_branch:
        return branching.branch(command)
    hooks = config_file().hooks()

    def attempt(memory: AgentMemory) -> Outcome:
        listed = reader.listing(memory.agent).sessions
        known = recovery.keys(memory.agent.ref)
        found = stored_windows(listed, command.key, known)
        if command.window is not None:
            found += unattributed(listed, known)
        if command.window is not None and (point := chosen_point(found, command.window)):
            because = f"that window of {label_of(point[0])} was compacted, and its summary goes on"
            return Skipped(command, SkipReason.NOTHING_NEW, because, hint=_HINT_OF_COMPACTED)
        stored, is_before = chosen(found, command.window)
        if (refused := _refused(command, memory, stored, is_before=is_before)) is not None:
            return refused
        assert stored.transcript is not None  # refused otherwise
        segment = read_segment(sessions, stored.transcript, wanted=_WANTED, is_previous=is_before)
        if not segment.messages:
            others = command.window is None and bool(unattributed(listed, known))
            return _nothing_left(command, stored, _HINT_OF_OTHERS if others else "")
        summary = _summary(command, memory, stored, segment, search)
        window = f"{stored.session_id}{BEFORE_RESET if is_before else ''}"
        is_known = stored.key is not None or stored.session_id in known
        made = _Made(command, memory, summary, label_of(stored), window, is_known, hooks)
        return made.plan() if command.dry_run else made.write(edits, handovers)

    return memory_turns.edit(command, attempt)


def _refused(
    command: Restore, memory: AgentMemory, stored: StoredSession, *, is_before: bool
) -> Skipped | None:
    label = label_of(stored)
    kind = class_of(stored)
    if stored.key is None:
        kind = classify(key_of(memory.agent, command.key), stored.chat_type)
    if not kind.may_be_captured(groups=stored.captures_groups):
        because = f"{label} is {kind.phrase}, and those are never copied into memory"
        return Skipped(command, SkipReason.NOT_CAPTURED, because)
    require_own_words(stored)
    if stored.transcript is None:
        return Skipped(command, SkipReason.NO_SESSION, f"{label} has no transcript to read")
    if stored.state is SessionState.LIVE and not is_before:
        because = f"that window of {label} goes on: nothing of it has to be handed over"
        return Skipped(command, SkipReason.NOTHING_NEW, because)
    return None


def _nothing_left(command: Restore, stored: StoredSession, hint: str) -> Skipped:
    where = "that" if command.window is not None else "any earlier"
    said = f"nothing that people said is left in {where} window of {label_of(stored)}"
    return Skipped(command, SkipReason.NOTHING_NEW, said, hint=hint)


def _summary(
    command: Restore,
    memory: AgentMemory,
    stored: StoredSession,
    segment: Segment,
    search: Callable[[], SearchPorts],
) -> SessionSummary:
    occasion = Occasion(
        agent=memory.agent,
        stored=stored,
        key=command.key,
        reason=SummaryReason.MANUAL,
        zone=memory.zone,
        redacts=memory.settings.redact,
        most_per_tag=memory.settings.summary.max_per_tag,
    )
    return gather(segment, occasion, documents=search, now=memory.now)


@dataclass(frozen=True, slots=True)
class _Made:
    """A hand-over that is to be written."""

    command: Restore
    memory: AgentMemory
    summary: SessionSummary
    label: str
    window: str
    is_known: bool
    hooks: Mapping[str, frozenset[str]] | None

    @property
    def start(self) -> str:
        return "its next start" if self.is_known else f"the next start of {self.command.key}"

    @property
    def path(self) -> str:
        return handover_file(self.summary)

    @property
    def text(self) -> str:
        doubt = "" if self.is_known else " (nobody knows of which session)"
        return render_handover(self.summary, f"{self.label}{doubt}")

    @property
    def told(self) -> str:
        doubt = "" if self.is_known else ", whose session nobody knows,"
        return f"{plural(len(self.summary.said), 'message')} of {self.label}{doubt}"

    @property
    def unless(self) -> str:
        """What keeps it from being given, as the end of a sentence."""
        return why_silent(GIVES_STARTS, self.hooks, self.memory.home.config)

    @property
    def details(self) -> dict[str, Detail]:
        return {
            "window": self.window,
            "session_key": self.command.key,
            "messages": len(self.summary.said),
            "chars": len(self.text),
        }

    def plan(self) -> Planned:
        wrote = Written(self.path, len(self.text.encode()))
        said = f"would hand {self.told} over to {self.start}, in {self.path}{self.unless}"
        return Planned(self.command, said, (wrote,), {**self.details, "text": self.text})

    def write(self, edits: MemoryLog, handovers: HandoverLog) -> HandedOver:
        """Write the file, remember how it is taken away, then whose next start is given it.

        A file that stands there already is given once more, and its first writing can be undone.
        """
        memory, path, text = self.memory, self.path, self.text
        seen, stood, at = memory.read(path), memory.path_state(path), memory.now
        wrote: tuple[Written, ...] = ()
        if seen is None or seen.text != text:
            wrote = (memory.workspace.replace(memory.root, path, text, seen=seen),)
            edit = edit_of(path, None if seen is None else seen.text, text, stood)
            edits.add(MemoryAction(0, memory.real, ActionKind.RESTORE, at, (self.window,), (edit,)))
        handovers.add(Handover(memory.agent.ref, self.command.key, path, self.window, at))
        said = f"{self.told} stand in {path}; {self.start} is given them once{self.unless}"
        return HandedOver(self.command, said, wrote, self.details)
