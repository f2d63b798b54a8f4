"""Packs old files, takes them away much later, and brings them back: `cleanup`.

For no agent it looks at our state folder and our logs. An agent whose stores cannot be read whole
is left alone. What is about to be done to a file is recorded before, and settled by the next run
where one was killed.
"""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager, nullcontext
from dataclasses import field, replace
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.cleanup import Captured, Cleaning, Step, TakenFile
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.recover import SILENT
from memconsole.engine.cleanup.outcome import (
    STATUS,
    as_it_was,
    outcome_of,
    stamp,
    stays,
    undone_of,
    whose,
)
from memconsole.engine.cleanup.read import OURS, refused_by
from memconsole.engine.home.lookup import find_agent
from memconsole.errors import LockedError, StateError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef
    from memconsole.domain.cleanup import OldFile
    from memconsole.domain.commands.cleanup import Cleanup
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.engine.cleanup.read import DueFile, OldFiles
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Locks, StopSignal

logger = logging.getLogger(__name__)


def clean_up(
    command: Cleanup,
    *,
    reader: Reader,
    old_files: OldFiles,
    locks: Locks,
    step: Callable[[Command], Outcome],
    progress: Callable[[int, int], None] | None = None,
    cancel: StopSignal | None = None,
) -> Outcome:
    """Do what is due for the old files of an agent, or for ours, or bring back what was done last.

    Raises:
        UnknownAgentError: There is no such agent.
        LockedError: Another cleanup works in the same folder.
        StateError: It cannot be recorded; no file was touched without a record.
    """
    agent = find_agent(reader.home(), command.agent.id) if command.agent.id else None
    run = CleanupRun(
        command, agent, reader, old_files, locks, old_files.now, step, progress, cancel
    )
    if command.dry_run:
        return run.go()
    with locks.workspace(run.place), old_files.taken.durable():
        return run.go()


@dataclass(frozen=True, slots=True)
class CleanupRun:
    """One cleanup of one agent, and what it works with.

    Attributes:
        agent: None for our state folder and our logs.
        names: Those in our folder, once one is needed.
        began_at: By which what it does is taken back together, though the clock runs on.
    """

    command: Cleanup
    agent: Agent | None
    reader: Reader
    old: OldFiles
    locks: Locks
    began_at: datetime
    step: Callable[[Command], Outcome]
    progress: Callable[[int, int], None] | None
    cancel: StopSignal | None
    names: set[str] = field(default_factory=set)

    @property
    def ref(self) -> AgentRef:
        """Whose files they are; our state folder may serve several homes."""
        return OURS if self.agent is None else self.agent.ref

    @property
    def place(self) -> Path:
        """Where no other cleanup works meanwhile."""
        return self.old.settings.state_dir if self.agent is None else self.agent.sessions_dir

    def go(self) -> Outcome:
        """Do all of it."""
        over = self.settle()
        return self.undo() if self.command.is_undo else self.clean(over)

    # ---- what was begun, and what is over --------------------------------------------------

    def settle(self) -> list[TakenFile]:
        """Bring to an end what a killed run began, and delete what nobody can bring back.

        Returns:
            What was taken away, and is deleted now for good.
        """
        gone, waiting = [], []
        for one in self.old.taken.of(self.ref):
            if one.is_done and not self.old.is_over(one):
                waiting.append(self.old.looked(one))
                continue
            try:
                if not self.command.dry_run:
                    self._settle(one)
            except OSError as error:
                logger.warning("%s is not settled: %s", one.path.name, error.strerror)
                continue
            if one.is_done and one.step is Step.DELETE:
                gone.append(one)
        if waiting and not self.command.dry_run:
            self.old.taken.looked(waiting)
        return gone

    def _settle(self, one: TakenFile) -> None:
        if not one.is_done and self.old.files.is_done(self.agent, one):
            self.old.taken.done(one)
            return
        if one.step is Step.DELETE:
            self.old.files.purge(one.kept)
        self.old.taken.drop(one)

    # ---- bringing back ---------------------------------------------------------------------

    def undo(self) -> Outcome:
        """Bring back what the last cleanup did, as long as its grace time lasts."""
        found = [one for one in self.old.taken.of(self.ref) if one.is_done]
        found = [one for one in found if not self.old.is_over(one)]
        last = [one for one in found if one.at == found[0].at]
        if not last:
            message = f"nothing that cleanup did to files of {whose(self.command)} can be brought "
            return Skipped(self.command, SkipReason.NOTHING_NEW, f"{message}back")
        with self._workspace(is_needed=any(one.kind.is_ours for one in last)):
            return undone_of(self.command, last, [self._back(one) for one in last])

    def _back(self, one: TakenFile) -> Cleaning:
        file = as_it_was(one)
        verb = "unpack" if one.step is Step.COMPRESS else "put back"
        if self.command.dry_run:
            return Cleaning(file, None, one.step, "planned", f"would {verb} it")
        try:
            self.old.files.bring_back(self.agent, one)
        except OSError as error:
            return Cleaning(file, None, one.step, "failed", stays(error))
        self.old.taken.drop(one)
        done = "unpacked" if one.step is Step.COMPRESS else "put back"
        return Cleaning(file, None, one.step, "done", done, after_bytes=one.size_bytes)

    # ---- packing and taking away -----------------------------------------------------------

    def clean(self, over: Sequence[TakenFile]) -> Outcome:
        """Do what is due, the largest file first; one that fails stops no other.

        Args:
            over: What was deleted for good before, or would be.
        """
        listed: Sequence[StoredSession] = ()
        files: list[OldFile] = []
        due: list[DueFile] = []
        if self.agent is not None:
            listing = self.reader.listing(self.agent)
            if not is_readable(listing):
                why = f"the stores of {self.agent.id} cannot be read whole: any file may be in use"
                return Skipped(self.command, SkipReason.UNREADABLE, why)
            listed = listing.sessions
            files, stored = self.old.aged(self.agent, listed)
            due = self._unnamed(list(self.old.due(self.command, self.agent, files, stored, listed)))
        own = self._own()
        own_due = list(self.old.own_due(self.command, self.agent, own))
        done = list(self._all_cleaned(due, own_due))
        totals = self._totals([*files, *own], done, listed)
        return outcome_of(
            self.command, done, {**totals, "bytes_deleted": sum(it.size_bytes for it in over)}
        )

    def _own(self) -> tuple[OldFile, ...]:
        """Return ours; of several agents in one workspace, they are the first one's."""
        if self.agent is not None:
            real = self.agent.workspace.resolve()
            agents = self.reader.home().agents
            first = next(one for one in agents if one.workspace.resolve() == real)
            if first.id != self.agent.id:
                return ()
        return self.old.own(self.agent)

    def _all_cleaned(self, due: Sequence[DueFile], own: Sequence[DueFile]) -> Iterator[Cleaning]:
        """Do what is due: files of sessions first, then ours while nobody writes beside them."""
        yield from self._each_cleaned(due, 0, len(due) + len(own))
        if not own:
            return
        try:
            with self._workspace():
                yield from self._each_cleaned(own, len(due), len(due) + len(own))
        except LockedError as error:
            for one in own:
                yield Cleaning(one.file, None, one.step, "skipped", str(error))

    def _each_cleaned(self, due: Sequence[DueFile], before: int, total: int) -> Iterator[Cleaning]:
        for number, one in enumerate(due, start=before + 1):
            if self.cancel is not None and self.cancel.is_set():
                return
            yield self._cleaned(one)
            if self.progress is not None:
                self.progress(number, total)

    def _workspace(self, *, is_needed: bool = True) -> AbstractContextManager[None]:
        """Keep the agent's workspace to ourselves, for what lies in it."""
        if self.agent is None or self.command.dry_run or not is_needed:
            return nullcontext()
        return self.locks.workspace(self.agent.workspace)

    def _unnamed(self, due: list[DueFile]) -> list[DueFile]:
        """Keep what an entry of any agent names, though we refuse to read it."""
        if all(one.why_not is not None for one in due):
            return due
        agents = self.reader.home().agents
        refused = {path for one in agents for path in refused_by(self.reader.listing(one))}
        why = "an entry of a store names it, although it is not its own"
        return [
            replace(one, why_not=why) if one.why_not is None and one.file.path in refused else one
            for one in due
        ]

    def _cleaned(self, due: DueFile) -> Cleaning:
        """Do a step, unless there is a reason not to."""
        file, step = due.file, due.step
        made = Cleaning(file, due.key, step, "skipped", due.why_not or "", due.captured)
        if due.why_not is not None:
            return replace(made, after_bytes=file.size_bytes)
        only = "; only a summary tells what it says" if due.captured is Captured.SUMMARY else ""
        if self.command.dry_run:
            first = "capture it and " if due.captured is Captured.ON_THE_WAY else ""
            verb = "pack it" if step is Step.COMPRESS else "take it away"
            return replace(made, status="planned", message=f"would {first}{verb}{only}")
        if due.captured is Captured.ON_THE_WAY:
            made = replace(made, after_bytes=file.size_bytes)
            if (why := self._capture(due)) is not None:
                return replace(made, message=why, captured=Captured.NOT)
            assert self.agent is not None  # ours are not captured
            # A capture takes its time, and the store may name the session by now.
            if (why := self.old.why_in_use(file, self.reader.listing(self.agent))) is not None:
                return replace(made, message=why)
        try:
            left = self._packed(file) if step is Step.COMPRESS else self._taken(file)
        except OSError as error:
            # An archive that was added to after it was packed waits for the packed one to go.
            waits = file.kind.is_ours and isinstance(error, FileExistsError)
            made = replace(made, message=stays(error), after_bytes=file.size_bytes)
            return made if waits else replace(made, status="failed")
        message = f"packed to {size_words(left)}" if step is Step.COMPRESS else "taken away"
        return replace(made, status="done", message=f"{message}{only}", after_bytes=left)

    def _packed(self, file: OldFile) -> int:
        with self._recorded(file, Step.COMPRESS, ""):
            return self.old.files.compress(self.agent, file)

    def _taken(self, file: OldFile) -> int:
        kept = self._free_name(file)
        with self._recorded(file, Step.DELETE, kept):
            self.old.files.take(self.agent, file, kept)
        return 0

    def _free_name(self, file: OldFile) -> str:
        """Return a name for our folder, which says nothing of what the file is called."""
        if not self.names:
            self.names.update(one.kept for one in self.old.taken.of(self.ref))
        name = sha256(os.fsencode(file.path)).hexdigest()[:32]
        free = next(it for n in count() if (it := f"{name}-{n}") not in self.names)
        self.names.add(free)
        return free

    @contextmanager
    def _recorded(self, file: OldFile, step: Step, kept: str) -> Iterator[None]:
        """Record what is done in the block: before it, and that it was done behind it."""
        path = file.plain_path if step is Step.COMPRESS else file.path
        made = (0, self.ref, self.began_at, path, file.kind, step, kept)
        one = TakenFile(*made, file.size_bytes, file.mode, file.file_ns)
        one = self.old.taken.add(self.old.looked(one))
        try:
            yield
        except OSError:
            if not self.old.files.is_done(self.agent, one):
                self.old.taken.drop(one)
                raise
        self.old.taken.done(one)

    def _capture(self, due: DueFile) -> str | None:
        """Capture a transcript to its end, and remember that behind it; return why it was not."""
        assert self.agent is not None  # ours are not captured
        ref = None if due.stored is None else due.stored.transcript
        assert ref is not None  # it has a file
        try:
            print_ = self.old.fingerprints.end(ref)
            if print_ != SILENT:
                if not self._is_observed(ref):
                    return "it could not be captured"
                if (why := self.old.why_partial(self.agent, ref)) is not None:
                    return why
            self.old.fingerprints.remember(self.ref, ref.session_id, print_, is_whole=True)
        except (StoreError, StateError) as error:
            return str(error)
        return None

    def _is_observed(self, ref: TranscriptRef) -> bool:
        outcome = self.step(Observe(self.ref, recover_id=ref.session_id))
        if isinstance(outcome, Skipped):
            return outcome.reason in (SkipReason.NOTHING_NEW, SkipReason.TOO_SMALL)
        return not isinstance(outcome, Failed)

    def _totals(
        self, files: Sequence[OldFile], done: Sequence[Cleaning], listed: Sequence[StoredSession]
    ) -> dict[str, Detail]:
        """Return the sizes of all old files, before and after; what is left is looked up anew."""
        took = [one for one in done if one.step is Step.DELETE and one.status == "done"]
        after = None
        if not self.command.dry_run:
            left = [*self._own()]
            left += [] if self.agent is None else self.old.found(self.agent, listed)
            after = sum(one.size_bytes for one in left)
        return {
            "files": len(files),
            "bytes_before": sum(one.size_bytes for one in files),
            "bytes_after": after,
            "bytes_kept": sum(one.file.size_bytes for one in took),
            "kept_until": stamp(self.began_at + self.old.settings.cleanup.grace) if took else None,
            **{word: sum(one.status == word for one in done) for word in STATUS},
        }
