"""Which old files beside the memory are packed, taken away and put back.

Of the files of sessions only one is looked at that no store needs any more, and only one that was
captured to its end may go; its age counts from its newest message. Ours are archives of memory,
copies and parts of logs. A file is packed first, and taken away much later. What was packed is
unpacked, and what was taken away is put back, until the grace time is over.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.sessions.stored import SessionState
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.settings.sections import CleanupSettings


_LONGEST_NUMBER = 3
"""Digits of the number of a part of a log."""


class Step(StrEnum):
    """What is done about one file."""

    COMPRESS = "pack"
    DELETE = "delete"


class OldKind(StrEnum):
    """What a file of an ended session is, by its name."""

    RESET = "reset"
    DELETED = "deleted"
    BACKUP = "bak"
    CHECKPOINT = "checkpoint"
    PARKED = "parked"
    ORPHAN = "orphan"
    ARCHIVE = "archive"
    """What was let go of a memory, which search still finds."""

    OBSERVATIONS = "observations"
    """A copy of an agent's observations, from before they were consolidated."""

    CONFIG = "config"
    """A copy of the platform's configuration, from before we changed it."""

    LOG = "log"
    """An older part of a log in our state folder."""

    @property
    def is_copy(self) -> bool:
        """Whether it is the past of a session that may go on."""
        return self in (OldKind.BACKUP, OldKind.CHECKPOINT)

    @property
    def is_of_agents(self) -> bool:
        """Whether it lies in an agent's folders, and not in our state folder."""
        return self not in (OldKind.CONFIG, OldKind.LOG)

    @property
    def is_ours(self) -> bool:
        """Whether we wrote it."""
        return self in OUR_NAMES


OUR_NAMES: Mapping[OldKind, str] = {
    OldKind.ARCHIVE: r"(?:forgotten-\d{4}-\d\d|\d{4}-\d\d-\d\d)\.md",
    OldKind.OBSERVATIONS: r"observations-\d{8}-\d{6}(?:-\d+)?\.md",
    OldKind.CONFIG: r"config-\d{8}-\d{6}(?:-\d{2})?\.json",
    OldKind.LOG: r".+\.(?:\d{1,3}|\d{8}-\d{6})",
}
"""Patterns of the names that we give such files, before they are packed."""


@dataclass(frozen=True, slots=True)
class OldFile:
    """One file beside the live transcripts of an agent, or of ours.

    Attributes:
        session_id: By its name; empty of ours.
        modified_at: Of its newest message where somebody looked, else of the file; a file that we
            packed keeps it.
        is_packed: gzip by us, or zstd by the platform.
        mode: Permission bits.
        file_ns: File time.
        refusal: Why it stays whatever its session is; empty when it may go.
    """

    path: Path
    session_id: str
    size_bytes: int
    modified_at: datetime
    is_packed: bool = False
    kind: OldKind = OldKind.ORPHAN
    mode: int = 0o600
    file_ns: int = 0
    refusal: str = ""

    @property
    def is_packed_by_us(self) -> bool:
        """Whether it is `<name>.gz`, as we leave it."""
        return self.path.suffix == ".gz"

    @property
    def plain_path(self) -> Path:
        """Where it is unpacked to.

        The next rotation gives the number of a part of a log to another part: it gets its time.
        """
        stem, _, number = self.path.name.rpartition(".")
        if self.kind is not OldKind.LOG or len(number) > _LONGEST_NUMBER:
            return self.path
        return self.path.with_name(f"{stem}.{self.modified_at:%Y%m%d-%H%M%S}")


class Captured(StrEnum):
    """How it is known that nothing of a file would be lost."""

    TO_ITS_END = "observations"
    SUMMARY = "summary"
    """Only a summary reaches to its end: it goes, and that is said wherever it is told."""

    ON_THE_WAY = "now"
    """It is captured before it is packed."""

    NOT = "not"


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What became of one file, or would.

    Attributes:
        file: As it was before.
        key: Session key, where it is known.
        step: What is due.
        status: `done`, `planned`, `skipped` or `failed`.
        message: What was done, or why it stays.
        captured: None where nobody had to look.
        after_bytes: What is left of it in its place; None while it is only planned.
    """

    file: OldFile
    key: str | None
    step: Step
    status: str
    message: str
    captured: Captured | None = None
    after_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TakenFile:
    """What we did to one file, as our own database keeps it until the grace time is over.

    Attributes:
        id: Number in the database; 0 before it is stored.
        at: When the cleanup began that it belongs to.
        path: Where it was, before it was packed too.
        kept: Its name in our folder, of one that was taken away.
        size_bytes: As it was.
        mode: Permission bits.
        modified_ns: File time.
        is_done: False from before the step until behind it.
        waited_s: Seconds that it surely waited, up to `looked_at`.
        looked_at: When a cleanup looked at it last.
        passed_s: The stopwatch of the host at that moment; it begins anew with the host.
    """

    id: int
    agent: AgentRef
    at: datetime
    path: Path
    kind: OldKind
    step: Step
    kept: str
    size_bytes: int
    mode: int
    modified_ns: int
    is_done: bool = False
    waited_s: float = 0
    looked_at: datetime | None = None
    passed_s: float | None = None

    def waiting(self, now: datetime, passed_s: float) -> TakenFile:
        """Return it with the time that it waited since somebody looked, as far as that is sure.

        A wall clock may jump by years. So only that much counts as both clocks say, and of a host
        that was started since only the time since then.

        Args:
            now: The wall clock.
            passed_s: Seconds of a clock that never goes back while the host runs.
        """
        seen = replace(self, looked_at=now, passed_s=passed_s)
        if self.looked_at is None or self.passed_s is None:
            return seen
        ran_s = passed_s if passed_s < self.passed_s else passed_s - self.passed_s
        since_s = min((now - self.looked_at).total_seconds(), ran_s)
        return replace(seen, waited_s=self.waited_s + max(0.0, since_s))


class OldFigures(NamedTuple):
    """What monitoring is told of the old files of an agent, or of ours.

    Attributes:
        found: Of each kind, how many there are and their bytes; None where that is not known.
        kept: The same of what was taken away and may come back.
        cleaned_at: When a cleanup ran that did not fail.
    """

    found: Mapping[OldKind, tuple[int, int]] | None
    kept: tuple[int, int]
    cleaned_at: datetime | None


def counted(files: Iterable[OldFile]) -> Mapping[OldKind, tuple[int, int]]:
    """Return how many files there are of each kind, and their bytes."""
    found: dict[OldKind, tuple[int, int]] = {}
    for one in files:
        number, size = found.get(one.kind, (0, 0))
        found[one.kind] = number + 1, size + one.size_bytes
    return found


def steps_due(
    files: Sequence[OldFile],
    now: datetime,
    rules: CleanupSettings,
    older_than: timedelta | None = None,
) -> dict[OldFile, Step]:
    """Return what is due for which file, the largest first.

    One that is young, or from the future, is left out. Where all of them take more than
    `max_bytes`, packed ones go before their time, the oldest first.

    Args:
        files: Of one agent.
        now: The time.
        rules: `[cleanup]`.
        older_than: Instead of the days until one is packed; nothing younger is taken away either.
    """
    packs_at = timedelta(days=rules.compress_days) if older_than is None else older_than
    takes_at = max(packs_at, timedelta(days=rules.delete_days))
    due: dict[OldFile, Step] = {}
    old = sorted((one for one in files if now - one.modified_at >= packs_at), key=_by_age)
    excess = sum(one.size_bytes for one in files) - rules.max_bytes if rules.max_bytes else 0
    for one in old:
        if not one.is_packed:
            due[one] = Step.COMPRESS
        elif now - one.modified_at >= takes_at or excess > 0:
            due[one] = Step.DELETE
            excess -= one.size_bytes
    return dict(sorted(due.items(), key=lambda pair: (-pair[0].size_bytes, pair[0].path)))


def _by_age(file: OldFile) -> datetime:
    return file.modified_at


def own_steps_due(
    files: Sequence[OldFile],
    now: datetime,
    rules: CleanupSettings,
    older_than: timedelta | None = None,
) -> dict[OldFile, Step]:
    """Return what is due for which file of ours, the largest first.

    The newest copy of its kind stays, and archives of memory have an age of their own, which no
    size and no `older_than` makes shorter: what is packed is not searched any more.

    Args:
        files: Of one agent, or those of our state folder.
        now: The time.
        rules: `[cleanup]`.
        older_than: As for `steps_due`.
    """
    newest = [
        max((it for it in files if it.kind is kind), key=lambda it: it.path.name, default=None)
        for kind in (OldKind.OBSERVATIONS, OldKind.CONFIG)
    ]
    rest = [one for one in files if one.kind is not OldKind.ARCHIVE and one not in newest]
    due = steps_due(rest, now, rules, older_than)
    if rules.archive_days:
        days = rules.archive_days
        slow = replace(rules, compress_days=days, delete_days=days + rules.delete_days, max_bytes=0)
        due |= steps_due([one for one in files if one.kind is OldKind.ARCHIVE], now, slow)
    return dict(sorted(due.items(), key=lambda pair: (-pair[0].size_bytes, pair[0].path)))


def why_in_use(file: OldFile, known: Sequence[StoredSession]) -> str | None:
    """Return why a file is not ours to touch; None when no store needs it.

    Args:
        file: By its name; no session of a store is read from it.
        known: What the stores hold of sessions of its id.
    """
    if file.refusal:
        return file.refusal
    if file.kind.is_copy:
        return None
    rows = [one for one in known if not one.is_loose]
    if any(one.state is SessionState.LIVE for one in rows):
        return "its session goes on"
    if rows and file.kind is not OldKind.PARKED:
        return "the store names its session"
    return None if known or file.is_packed_by_us else "no store lists its session"
