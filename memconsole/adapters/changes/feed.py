"""Tells which files changed, by events of the host or by looking again and again.

Several sources count as one: the first carries it, the others only add to it. Looking is our own:
watchfiles compares whole seconds and so misses the second of two writes.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import closing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from memconsole.adapters.changes.folders import (
    ADDED,
    DELETED,
    MODIFIED,
    RawEvent,
    find_folders,
    is_interesting,
    marks_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from memconsole.adapters.changes.folders import Folders


logger = logging.getLogger(__name__)

_PAUSE_S = 0.1


class FileChangeFeed:
    """Answers `ChangeFeed` with watchfiles; polls where the host cannot watch.

    Attributes:
        polling_because: Why it polls; None while it uses the host's events.
    """

    def __init__(
        self,
        *,
        is_polling: bool = False,
        recheck_s: float = 1.0,
        poll_s: float = 2.0,
        debounce_s: float = 0.3,
    ) -> None:
        """Set the pace.

        Args:
            is_polling: Poll from the start, such as on a network file system.
            recheck_s: How often missing and replaced roots are looked for.
            poll_s: Time between two looks when it polls.
            debounce_s: How long a burst of events is collected at most.
        """
        self.polling_because = "it was told to" if is_polling else None
        self._recheck_ms = round(recheck_s * 1000)
        self._poll_s = poll_s
        self._debounce_ms = round(debounce_s * 1000)
        self._step_ms = min(200, self._debounce_ms)

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield sets of changed paths until `stop` is set, which takes at most a second to see.

        The first set holds all roots, once the watch stands: what happened before is not known. The
        same happens when folders came or went and the watch had to be set up anew.

        Args:
            roots: Folders, of which `adapters.changes.folders` says what matters, and single files.
                They may be missing and come later, and may be replaced.
            stop: Ends the iteration.
        """
        while not stop.is_set():
            yield from self._one_watch(roots, stop)

    def _one_watch(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Watch until the folders to watch are others."""
        folders = find_folders(roots)
        changed = set(roots)
        with closing(self._events(folders, stop)) as batches:
            for events in batches:
                changed |= folders.changed(events)
                if changed:
                    yield frozenset(changed)
                    changed = set()
                if _is_outdated(folders, events, roots):
                    return

    def _events(self, folders: Folders, stop: StopSignal) -> Generator[set[RawEvent], None, None]:
        """Yield batches of events, an empty one when nothing happened for a while."""
        paths = [path for path in folders.watched if _can_be_watched(path)]
        if self.polling_because is None and paths:
            try:
                yield from self._host_events(paths, stop)
            except FileNotFoundError:  # a folder went while the watch was set up
                rest(_PAUSE_S, stop)
                return
            except (OSError, RuntimeError) as error:
                self._fall_back(error)
            else:
                return
        yield from poll(folders, stop, interval_s=self._interval_s)

    def _host_events(self, paths: list[str], stop: StopSignal) -> Iterator[set[RawEvent]]:
        from watchfiles import watch  # noqa: PLC0415  # 70 ms, only for those who watch

        batches = watch(
            *paths,
            watch_filter=None,
            debounce=self._debounce_ms,
            step=self._step_ms,
            stop_event=stop,
            rust_timeout=self._recheck_ms,
            yield_on_timeout=True,
            recursive=False,
            force_polling=False,
            ignore_permission_denied=False,  # True hides an exhausted host as well
        )
        with closing(batches):
            for batch in batches:
                yield {(int(kind), path) for kind, path in batch}

    @property
    def _interval_s(self) -> float:
        """Pace of polling; missing roots are looked for more often."""
        return self._recheck_ms / 1000 if self.polling_because is None else self._poll_s

    def _fall_back(self, error: Exception) -> None:
        """Poll from now on, and say so once."""
        self.polling_because = str(error)
        logger.warning(
            "the host cannot watch more files: looking every %g s instead (%s)",
            self._poll_s,
            error,
        )


def _is_outdated(folders: Folders, events: set[RawEvent], roots: tuple[Path, ...]) -> bool:
    """Whether other folders must be watched from now on."""
    if folders.is_broken_by(events) or folders.marks != marks_of(roots):
        return True
    return folders.may_grow_by(events) and find_folders(roots) != folders


def _can_be_watched(path: str) -> bool:
    """Whether we may read the folder, and its name is text that the library can take."""
    try:
        os.fsencode(path).decode()
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except (UnicodeDecodeError, PermissionError):
        return False
    except OSError:
        return True  # gone, or no more files can be opened: the watch will say so
    return True


_Item: TypeAlias = "frozenset[Path] | Exception | None"


class Feed(Protocol):
    """One source, such as `FileChangeFeed`."""

    @property
    def polling_because(self) -> str | None:
        """Why it looks again and again; None while it is told of changes."""

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield sets of changed paths until `stop` is set."""


class NewsFeed:
    """News as changes of no file: look again, the disk is as it was.

    Args:
        listen: Yields whenever there is news, until its signal is set.
    """

    polling_because: str | None = None

    def __init__(self, listen: Callable[[StopSignal], Iterator[None]]) -> None:
        self._listen = listen

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield empty sets until `stop` is set."""
        del roots
        for _ in self._listen(stop):
            yield frozenset()


class SeveralFeeds:
    """Answers `ChangeFeed`; every source runs in a thread that ends with `stop`.

    Args:
        first: When it ends or fails, so does the whole.
        others: When one of them ends or fails, the rest goes on.
    """

    def __init__(self, first: Feed, *others: Feed) -> None:
        self._first = first
        self._others = others

    @property
    def polling_because(self) -> str | None:
        """Why the first source polls; None while it does not."""
        return self._first.polling_because

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield what any of them yields; an empty set says that only the Gateway has news."""
        queue: SimpleQueue[_Item] = SimpleQueue()
        either = _Either(stop)
        for feed in (self._first, *self._others):
            threading.Thread(
                target=_run,
                args=(feed, roots, either, queue, feed is self._first),
                name="changes",
                daemon=True,
            ).start()
        try:
            while (item := queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            either.is_over = True


class _Either:
    """Set when the whole is over, for whichever reason."""

    def __init__(self, stop: StopSignal) -> None:
        self.is_over = False
        self._stop = stop

    def is_set(self) -> bool:
        """Return True once the work should end."""
        return self.is_over or self._stop.is_set()


def _run(
    feed: Feed,
    roots: tuple[Path, ...],
    stop: StopSignal,
    queue: SimpleQueue[_Item],
    is_first: bool,
) -> None:
    """Carry one source into the queue; its end is an item for the first one only."""
    end: Exception | None = None
    try:
        for paths in feed.changes(roots, stop):
            queue.put(paths)
    except Exception as error:
        if not is_first:
            logger.exception("one source of changes ended")
        end = error
    if is_first:
        queue.put(end)


_Seen: TypeAlias = dict[str, tuple[int, ...]]

_NAP_S: Final = 0.1
_REST: Final = 40
"""A look rests for this many times what it cost: at most 2.5 % of a core."""


class StopSignal(Protocol):
    """Something that can be asked whether to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should end."""


def poll(folders: Folders, stop: StopSignal, *, interval_s: float) -> Iterator[set[RawEvent]]:
    """Yield what changed at every look, also when it is nothing, until `stop` is set."""
    seen = _look(folders)
    cost_s = 0.0
    while rest(max(interval_s, cost_s * _REST), stop):
        start = time.thread_time()
        now = _look(folders)
        cost_s = time.thread_time() - start
        yield _differences(seen, now)
        seen = now


def rest(duration_s: float, stop: StopSignal) -> bool:
    """Wait in short naps; False as soon as `stop` is set."""
    end = time.monotonic() + duration_s
    while not stop.is_set():
        left = end - time.monotonic()
        if left <= 0:
            return True
        time.sleep(min(left, _NAP_S))
    return False


def _differences(before: _Seen, now: _Seen) -> set[RawEvent]:
    events = {(ADDED, path) for path in now.keys() - before.keys()}
    events |= {(DELETED, path) for path in before.keys() - now.keys()}
    return events | {
        (MODIFIED, path) for path in now.keys() & before.keys() if now[path] != before[path]
    }


def _look(folders: Folders) -> _Seen:
    seen: _Seen = {}
    for path in folders.files:
        _note(seen, path)
    for folder in folders.folders:
        _note(seen, folder, is_folder=True)
        try:
            with os.scandir(folder) as entries:
                inside = list(entries)
        except OSError:
            continue
        for entry in inside:
            if is_interesting(entry.name):
                _note(seen, entry.path)
            elif entry.is_dir():
                _note(seen, entry.path, is_folder=True)
    return seen


def _note(seen: _Seen, path: str, *, is_folder: bool = False) -> None:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return
    identity = (status.st_dev, status.st_ino)
    seen[path] = identity if is_folder else (*identity, status.st_mtime_ns, status.st_size)
