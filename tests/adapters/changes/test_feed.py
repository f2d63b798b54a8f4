"""What is said when files change, by events, by polling, and by several sources at once."""

from __future__ import annotations

import os
import queue
import resource
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import watchfiles

from memconsole.adapters.changes.feed import FileChangeFeed, NewsFeed, SeveralFeeds
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.adapters.changes.feed import StopSignal
    from memconsole.ports import platform


PATIENCE_S = 30.0


@pytest.fixture(params=["events", "polling"])
def feed(request: pytest.FixtureRequest) -> FileChangeFeed:
    is_polling = request.param == "polling"
    return FileChangeFeed(is_polling=is_polling, recheck_s=0.1, poll_s=0.05, debounce_s=0.05)


class Listener:
    """Collects the sets of a feed that runs in a thread."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.sets: queue.Queue[frozenset[Path]] = queue.Queue()

    def hears(self, *paths: Path) -> None:
        """Wait until all these paths were named."""
        wanted = set(paths)
        while wanted:
            wanted -= self.sets.get(timeout=PATIENCE_S)

    def hears_nothing_but(self, last: Path, act: Callable[[], object]) -> None:
        """Act, and check that nothing is named before `last`."""
        act()
        assert self.sets.get(timeout=PATIENCE_S) == {last}


@contextmanager
def listening(feed: platform.ChangeFeed, *roots: Path) -> Iterator[Listener]:
    """Run a feed until the block ends; begins when the watch stands."""
    listener = Listener()

    def run() -> None:
        for changed in feed.changes(roots, listener.stop):
            listener.sets.put(changed)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert listener.sets.get(timeout=PATIENCE_S) == set(roots)
        yield listener
    finally:
        listener.stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_writing_appending_renaming_and_deleting(home: Path, feed: FileChangeFeed) -> None:
    sessions = home / "agents/main/sessions"
    with listening(feed, home) as listener:
        (sessions / "a.jsonl").write_text("1\n")
        listener.hears(sessions / "a.jsonl")
        with (sessions / "a.jsonl").open("a") as file:
            file.write("2\n")
        listener.hears(sessions / "a.jsonl")
        (sessions / "a.jsonl").rename(sessions / "a.jsonl.reset.1")
        listener.hears(sessions / "a.jsonl", sessions / "a.jsonl.reset.1")
        (sessions / "sessions.json.1.tmp").write_text("{}")
        (sessions / "sessions.json.1.tmp").replace(sessions / "sessions.json")
        listener.hears(sessions / "sessions.json")
        (sessions / "a.jsonl.reset.1").unlink()
        listener.hears(sessions / "a.jsonl.reset.1")


def test_two_writes_within_one_second_are_two_changes(home: Path, feed: FileChangeFeed) -> None:
    path = home / "workspace/memory/a.md"
    with listening(feed, home / "workspace") as listener:
        for text in ("a", "bb", "ccc", "dddd"):
            path.write_text(text)
            listener.hears(path)


def test_what_does_not_matter_is_not_named(home: Path, feed: FileChangeFeed) -> None:
    memory = home / "workspace/memory"

    def act() -> None:
        (home / "workspace/.git").mkdir()
        (home / "workspace/.git/index.md").write_text("x")
        (memory / "notes.txt").write_text("x")
        (home / "agents/main/sessions/a.jsonl.lock").write_text("x")
        (home / "workspace/src").mkdir()
        (home / "workspace/src/readme.md").write_text("x")
        (memory / "last.md").write_text("x")

    with listening(feed, home, home / "workspace") as listener:
        listener.hears_nothing_but(memory / "last.md", act)


def test_new_folders_are_watched_as_soon_as_they_are_there(
    home: Path, feed: FileChangeFeed
) -> None:
    with listening(feed, home) as listener:
        new = home / "agents/work/sessions"
        new.mkdir(parents=True)
        (new / "early.jsonl").write_text("x")
        listener.hears(home)  # everything is looked at anew
        (new / "later.jsonl").write_text("x")
        hears_sooner_or_later(listener, new / "later.jsonl", home)


def hears_sooner_or_later(listener: Listener, path: Path, root: Path) -> None:
    """Either the path is named, or the watch was set up behind it and the root is."""
    while not {path, root} & listener.sets.get(timeout=PATIENCE_S):
        pass


def test_a_root_that_is_missing_and_comes_later(tmp_path: Path, feed: FileChangeFeed) -> None:
    root = tmp_path / "not/yet/there"
    with listening(feed, root) as listener:
        root.mkdir(parents=True)
        listener.hears(root)
        (root / "a.jsonl").write_text("x")
        listener.hears(root / "a.jsonl")


def test_a_root_that_is_replaced(home: Path, feed: FileChangeFeed) -> None:
    root = home / "workspace"
    with listening(feed, root) as listener:
        shutil.rmtree(root)
        listener.hears(root)
        (root / "memory").mkdir(parents=True)
        listener.hears(root)
        while True:  # the memory folder may have come behind the first look
            (root / "memory/a.md").write_text(os.urandom(4).hex())
            if root / "memory/a.md" in listener.sets.get(timeout=PATIENCE_S):
                break


def test_a_single_file_survives_being_replaced(tmp_path: Path, feed: FileChangeFeed) -> None:
    file = tmp_path / "config.toml"
    file.write_text("1")
    with listening(feed, file) as listener:
        for text in ("a", "bb"):
            (tmp_path / "new").write_text(text)
            (tmp_path / "new").replace(file)
            listener.hears(file)
        (tmp_path / "other.md").write_text("x")
        file.unlink()
        assert listener.sets.get(timeout=PATIENCE_S) == {file}
        file.write_text("again")
        listener.hears(file)


def test_folders_with_names_of_any_bytes_end_nothing(home: Path, feed: FileChangeFeed) -> None:
    memory = home / "workspace/memory"
    (memory / os.fsdecode(b"bad-\xff")).mkdir()
    (memory / os.fsdecode(b"bad-\xff.md")).write_text("x")
    with listening(feed, home / "workspace") as listener:
        (memory / os.fsdecode(b"bad-\xff") / "a.md").write_text("x")
        (memory / "good.md").write_text("x")
        listener.hears(memory / "good.md")


def test_a_folder_that_may_not_be_read_ends_nothing(feed: FileChangeFeed) -> None:
    with reachable_folder() as root:
        (root / "memory/shut").mkdir(parents=True)
        (root / "memory").chmod(0o777)
        (root / "memory/shut").chmod(0o000)
        with powerless(), listening(feed, root) as listener:
            (root / "memory/a.md").write_text("x")
            listener.hears(root / "memory/a.md")
    assert feed.polling_because in (None, "it was told to")


def test_stopping_before_the_start_and_while_nothing_happens(
    home: Path, feed: FileChangeFeed
) -> None:
    stopped = threading.Event()
    stopped.set()
    assert list(feed.changes((home,), stopped)) == []
    with listening(feed, home):
        pass
    with listening(feed, home / "gone"):
        pass


def test_a_feed_can_be_left_in_the_middle(home: Path, feed: FileChangeFeed) -> None:
    changes = feed.changes((home,), threading.Event())
    assert next(changes) == {home}
    del changes


def test_it_polls_when_no_more_files_can_be_opened(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert watchfiles.__version__  # loaded while files can be opened
    feed = FileChangeFeed(recheck_s=0.1, poll_s=0.05)
    changes = feed.changes((home,), threading.Event())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        assert next(changes) == {home}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert feed.polling_because is not None
    path = home / "agents/main/sessions/a.jsonl"
    path.write_text("x")
    while path not in next(changes):
        path.write_text(os.urandom(4).hex())
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "looking every 0.05 s instead" in caplog.text


EXHAUSTED = """
import logging, sys, threading
from pathlib import Path
from memconsole.adapters.changes.feed import FileChangeFeed

logging.basicConfig(level="WARNING", stream=sys.stdout, format="%(message)s")
root = Path(sys.argv[1])
stop = threading.Event()
feed = FileChangeFeed(recheck_s=0.1, poll_s=0.05)
for number, changed in enumerate(feed.changes((root,), stop)):
    print(number, sorted(path.name for path in changed), feed.polling_because is not None)
    if number == 0:
        (root / "memory/new").mkdir()
        (root / "memory/a.md").write_text("x")
    if root / "memory/a.md" in changed:
        stop.set()
"""


@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_it_polls_when_the_host_cannot_watch_more_files(home: Path, limit: str) -> None:
    """Limits are lowered in a user namespace of the test's own."""
    program = f'echo 1 > /proc/sys/user/{limit} && exec "$@"'
    if limit == "max_inotify_instances":
        program = program.replace("echo 1", "echo 0")
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", program, "sh"]
    if not can_run([*command, "true"]):
        pytest.skip("this host gives no user namespace")
    command += [sys.executable, "-c", EXHAUSTED, str(home / "workspace")]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("the host cannot watch more files: looking every 0.05 s instead")
    assert lines[1] == "0 ['workspace'] True"
    assert "a.md" in lines[-1]
    assert sum("cannot watch" in line for line in lines) == 1


def can_run(command: list[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


ONE = frozenset({Path("one")})
NONE: frozenset[Path] = frozenset()


class Feed:
    """Yields what it was given, then does what it was told."""

    polling_because: str | None = None

    def __init__(self, *sets: frozenset[Path], end: Callable[[StopSignal], None]) -> None:
        self.sets = sets
        self.end = end
        self.roots: tuple[Path, ...] = ()

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        self.roots = roots
        yield from self.sets
        self.end(stop)


def until_stopped(stop: StopSignal) -> None:
    while not stop.is_set():
        threading.Event().wait(0.01)


def fail(_: StopSignal) -> None:
    raise OSError("a source broke")


def names() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name == "changes"]


def settled() -> bool:
    for _ in range(500):
        if not names():
            return True
        threading.Event().wait(0.01)
    return False


def test_all_of_them_are_heard_until_the_end() -> None:
    stop = threading.Event()
    first = Feed(ONE, end=until_stopped)
    feed = SeveralFeeds(first, NewsFeed(lambda _: iter([None])))
    seen = []
    for paths in feed.changes((Path("root"),), stop):
        seen.append(paths)
        if len(seen) == 2:
            stop.set()
    assert sorted(seen, key=len) == [NONE, ONE]
    assert first.roots == (Path("root"),)
    assert settled()


def test_the_first_ends_the_whole() -> None:
    other = Feed(end=until_stopped)
    with pytest.raises(OSError, match="a source broke"):
        list(SeveralFeeds(Feed(ONE, end=fail), other).changes((), threading.Event()))
    assert settled()


def test_another_one_that_fails_is_logged_and_missed(caplog: pytest.LogCaptureFixture) -> None:
    stop = threading.Event()
    other = Feed(ONE, end=fail)

    def end(_: StopSignal) -> None:
        while not caplog.records:
            threading.Event().wait(0.01)

    assert list(SeveralFeeds(Feed(end=end), other).changes((), stop)) == [ONE]
    assert settled()


def test_who_stops_listening_leaves_no_thread() -> None:
    feed = SeveralFeeds(Feed(ONE, end=until_stopped), Feed(end=until_stopped))
    changes = feed.changes((), threading.Event())
    assert next(iter(changes)) == ONE
    changes.close()  # type: ignore[attr-defined]  # a generator, as every feed
    assert settled()
