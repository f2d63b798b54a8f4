"""Doubles of the host: what probes say, rotated logs, old transcripts that are packed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.cleanup import Step
from memconsole.domain.health import CronErrors, HeldLock
from memconsole.domain.logs import LogFile, LogRotation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.cleanup import OldFile, TakenFile
    from memconsole.domain.metrics import Family


@dataclass
class FakeLogs:
    """Logs by size; those in `refused` fail."""

    files: list[LogFile] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    rotated: list[tuple[str, int]] = field(default_factory=list)

    def found(self, home: Path | None) -> tuple[LogFile, ...]:
        return tuple(self.files)

    def rotate(self, file: LogFile, keep: int) -> LogRotation:
        if file.path.name in self.refused:
            return LogRotation(
                file, "failed", "it was left alone: permission denied", "not-written"
            )
        self.rotated.append((file.path.name, keep))
        return LogRotation(file, "done", "moved", moved_bytes=file.size_bytes)


@dataclass
class FakeMetrics:
    """The figures that were published last."""

    is_wanted: bool = True
    families: Sequence[Family] = ()

    def publish(self, families: Sequence[Family]) -> None:
        self.families = families


class FakeHost:
    """A host with half a disk, no processes and no locks, unless told otherwise."""

    def __init__(self) -> None:
        self.percents: dict[Path, float | None] = {}
        self.bytes: int | None = 0
        self.lines: tuple[str, ...] | None = ()
        self.served: dict[int, bool | None] = {}

    def disk_percent(self, path: Path) -> float | None:
        return self.percents.get(path, 50.0)

    def tree_bytes(self, folders: Iterable[Path]) -> int | None:
        return self.bytes

    def command_lines(self) -> Mapping[int, str] | None:
        return None if self.lines is None else dict(enumerate(self.lines))

    def serves(self, pid: int, home: Path) -> bool | None:
        return self.served.get(pid, True)


class FakeLockList:
    """Locks that somebody holds."""

    def __init__(self) -> None:
        self.current: list[HeldLock] = []

    def held(self) -> tuple[HeldLock, ...]:
        return tuple(self.current)


class FakeCron:
    """The platform's record of its runs; None where there is none."""

    def __init__(self) -> None:
        self.current: CronErrors | None = CronErrors(0, ())
        self.since: datetime | None = None

    def errors(self, home: Home, since: datetime) -> CronErrors | None:
        self.since = since
        return self.current


@dataclass
class FakeOldTranscripts:
    """Packs to a tenth; `refused` fails.

    Attributes:
        done: (what, session id), in order.
        said: Text of packed ones, by session id.
        kept: What was taken away, by its name in our folder.
    """

    there: list[OldFile] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    done: list[tuple[str, str]] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    kept: dict[str, OldFile] = field(default_factory=dict)
    was: dict[Path, OldFile] = field(default_factory=dict)
    ours: list[OldFile] = field(default_factory=list)
    """Of the first agent's workspace; those of our state folder have no `memory` in their path."""

    def own(self, agent: Agent | None, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        return tuple(it for it in self.ours if ("memory" in it.path.parts) is (agent is not None))

    def kept_texts(self, kept: str) -> Iterator[tuple[int, str]]:
        if kept in self.kept:
            yield 1, self.said.get(self.kept[kept].path.name, "")

    def rewrite(self, agent: Agent | None, file: OldFile, text: Iterable[str] | None) -> None:
        self._do("rewrite", file)
        if text is None:
            self._swap(file.path)
        else:
            self.said[file.path.name] = "".join(text)

    def found(self, agent: Agent, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        return tuple(self.there)

    def texts(
        self, agent: Agent | None, file: OldFile, *, is_exact: bool = False
    ) -> Iterator[tuple[int, str]]:
        if file.session_id in self.refused:
            raise PermissionError(13, "Permission denied")
        yield 1, self.said.get(file.session_id or file.path.name, "")

    def compress(self, agent: Agent | None, file: OldFile) -> int:
        path = Path(f"{file.plain_path}.gz")
        if path in {one.path for one in (*self.there, *self.ours)}:
            raise FileExistsError(17, "something else has the name of the packed file")
        self._do("compress", file)
        size = file.size_bytes // 10
        self._swap(file.path, replace(file, path=path, size_bytes=size, is_packed=True))
        self.was[file.plain_path] = replace(file, path=file.plain_path)
        return size

    def take(self, agent: Agent | None, file: OldFile, kept: str) -> None:
        self._do("take", file)
        self._swap(file.path)
        self.kept[kept] = file

    def bring_back(self, agent: Agent | None, taken: TakenFile) -> None:
        if taken.step is Step.COMPRESS:
            file = self.was[taken.path]
            self._do("unpack", file)
            self._swap(Path(f"{taken.path}.gz"), file)
        else:
            self._do("put back", self.kept[taken.kept])
            self._swap(taken.path, self.kept.pop(taken.kept))

    def is_done(self, agent: Agent | None, taken: TakenFile) -> bool:
        paths = {one.path for one in (*self.there, *self.ours)}
        is_packed = Path(f"{taken.path}.gz") in paths
        there = is_packed if taken.step is Step.COMPRESS else taken.kept in self.kept
        return taken.path not in paths and there

    def purge(self, kept: str) -> None:
        self.kept.pop(kept, None)

    def _swap(self, path: Path, *new: OldFile) -> None:
        self.there = [one for one in self.there if one.path != path]
        self.ours = [one for one in self.ours if one.path != path]
        for one in new:
            (self.ours if one.kind.is_ours else self.there).append(one)

    def _do(self, what: str, file: OldFile) -> None:
        if file.session_id in self.refused:
            raise PermissionError(13, "Permission denied")
        self.done.append((what, file.session_id or file.path.name))
