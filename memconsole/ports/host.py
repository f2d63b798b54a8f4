"""What health asks of the host and of the platform's own records, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.cleanup import OldFile, TakenFile
    from memconsole.domain.health import CronErrors, HeldLock
    from memconsole.domain.logs import LogFile, LogRotation
    from memconsole.domain.metrics import Family


class HostProbe(Protocol):
    """Disks, sizes, processes and locks of this host; nothing is changed by a look."""

    def disk_percent(self, path: Path) -> float | None:
        """Return how full the disk of a folder is, 0 to 100; None when it cannot be said."""

    def tree_bytes(self, folders: Iterable[Path]) -> int | None:
        """Return the bytes of all files below some folders; None when none can be read."""

    def command_lines(self) -> Mapping[int, str] | None:
        """Return the command lines of all processes by pid; None where they cannot be listed."""

    def serves(self, pid: int, home: Path) -> bool | None:
        """Tell whether a process of the platform serves a home; None when that cannot be seen."""


class LogFiles(Protocol):
    """Logs of ours and of others."""

    def found(self, home: Path | None) -> tuple[LogFile, ...]:
        """Return every log there is; links and what is no file are left out."""

    def rotate(self, file: LogFile, keep: int) -> LogRotation:
        """Rotate one log; what fails leaves the live one as it was."""


class OldTranscripts(Protocol):
    """Files of ended sessions, the one thing of the platform's that we may take away, and ours.

    None in the place of an agent means our state folder and our logs.
    """

    def found(self, agent: Agent, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        """Return every transcript, archive and copy in an agent's own folders, live ones too.

        Raises:
            OSError: A folder cannot be listed, with `is_whole`; else what is in it is left out.
        """

    def own(self, agent: Agent | None, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        """Return archives, copies and older parts of logs that we wrote; `is_whole` as above."""

    def texts(
        self, agent: Agent | None, file: OldFile, *, is_exact: bool = False
    ) -> Iterator[tuple[int, str]]:
        """Yield the text of a file, unpacked, each piece with the line in which it begins.

        Args:
            agent: Whose it is.
            file: As it was found.
            is_exact: Bytes that are no text are kept as surrogates, for `rewrite`.

        Raises:
            OSError: It cannot be read or unpacked, or is not what was looked at.
        """

    def kept_texts(self, kept: str) -> Iterator[tuple[int, str]]:
        """Yield the text of what was taken away, in the same way; of what is gone, nothing.

        Raises:
            OSError: It cannot be read or unpacked.
        """

    def rewrite(self, agent: Agent | None, file: OldFile, text: Iterable[str] | None) -> None:
        """Give a file that we wrote or packed another text, packed as it was; None deletes it.

        The text is taken piece by piece: it may be made of the file itself, and is not held whole.

        Raises:
            OSError: It cannot be written, or is not what was looked at; it is as it was.
        """

    def compress(self, agent: Agent | None, file: OldFile) -> int:
        """Put `<name>.gz` in the place of a file, as old as its newest message; return its size.

        Raises:
            OSError: It cannot be done, or the file is not what was looked at; it is as it was.
        """

    def take(self, agent: Agent | None, file: OldFile, kept: str) -> None:
        """Move a file into our own folder, under another name.

        Raises:
            OSError: It cannot be done, or the file is not what was looked at; it is as it was.
        """

    def bring_back(self, agent: Agent | None, taken: TakenFile) -> None:
        """Unpack what was packed, or put back what was taken away, with mode and time as it was.

        Raises:
            OSError: It cannot be done, or something else has its name; nothing was changed.
        """

    def is_done(self, agent: Agent | None, taken: TakenFile) -> bool:
        """Tell whether a step was done to its end that nobody wrote down.

        Raises:
            OSError: That cannot be seen.
        """

    def purge(self, kept: str) -> None:
        """Delete what was taken away; it may be gone already.

        Raises:
            OSError: It cannot be deleted.
        """


class MetricsSink(Protocol):
    """Where monitoring finds our figures."""

    @property
    def is_wanted(self) -> bool:
        """Whether the settings switch it on."""

    def publish(self, families: Sequence[Family]) -> None:
        """Make these the figures that monitoring sees.

        Raises:
            StateError: File or port cannot be had.
        """


class LockList(Protocol):
    """The locks of ours."""

    def held(self) -> tuple[HeldLock, ...]:
        """Return those that are held, the scheduler's and its jobs' left out."""


class CronRuns(Protocol):
    """The platform's record of its scheduled runs, whatever era; never written."""

    def errors(self, home: Home, since: datetime) -> CronErrors | None:
        """Return the runs that ended in an error since then; None when no record is readable."""
