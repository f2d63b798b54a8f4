"""Runs one command with one fault after the other, heals, runs it again, and looks at the home."""

from __future__ import annotations

import difflib
import errno
import json
import random
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.demo.gateway import LoopbackGateway
from tests.lanes.faults.process import HEALTHY, KILLED, Fault
from tests.lanes.faults.trees import broken_databases, holders, is_temporary, look
from tests.lanes.faults.world import World, gateway_row, make_world

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lanes.faults.commands import Trial
    from tests.lanes.faults.process import Result, Runs
    from tests.lanes.faults.trees import Tree

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
LATER = timedelta(minutes=11)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EMFILE)
_OF_SQLITE = (".db-wal", ".db-shm", ".db-journal", ".sqlite-journal")
"""Beside a database that was not closed; its next writer puts them away."""

_RMDIR = ("unlinkat ", "rmdir ")

_FAULTS_OF_PYTHON = ("Traceback (most recent call last)", "unexpected failure")


@dataclass
class Row:
    """What is told of one command.

    Attributes:
        calls: Write-like calls that a healthy run makes.
        kills: Runs that were ended before one of them.
        failing: Runs in which one of them failed.
        faults: What was wrong after them.
    """

    name: str
    calls: int = 0
    kills: int = 0
    failing: int = 0
    faults: list[str] = field(default_factory=list)


class Lane:
    """One command in a home of its own.

    Args:
        trial: The command.
        runs: Makes the processes.
        folder: For the home and what it is made from; must not exist.
    """

    def __init__(self, trial: Trial, runs: Runs, folder: Path) -> None:
        self.trial = trial
        self._runs = runs
        self._folder = folder
        self._home = folder / "home"
        self._made = folder / "prepared"
        folder.mkdir()

    def walk(self, sample: int | None, turn: int) -> Row:
        """Try every fault, or some of each kind; return what came of them."""
        with LoopbackGateway(lambda: [gateway_row()], now=lambda: NOW) as gateway:
            self._gateway = gateway
            self._prepare()
            row = Row(self.trial.name, len(self._healthy()))
            for fault in chosen(row.calls, sample, turn, row.name):
                row.kills += fault.error == 0
                row.failing += fault.error != 0
                row.faults += self._try(fault)
        return row

    def _prepare(self) -> None:
        make_world(self._home)
        world = World(self._home, self._run)
        for step in self.trial.prepare:
            words: object = step(world) if callable(step) else step
            if isinstance(words, tuple):
                done = self._run(*words)
                assert done.code == 0, f"{words}: {done}"
        self._words = self.trial.words(world)
        shutil.copytree(self._home, self._made, symlinks=True)
        self._before = look(self._home)

    def _healthy(self) -> tuple[str, ...]:
        """Run it without a fault, and once more: so it shall be after a fault, too."""
        self._reset()
        done = self._run("--json", *self._words)
        assert done.code == 0, done
        assert done.calls, f"{self.trial.name} had nothing to do"
        self._after = look(self._home)
        held = [] if self.trial.erases is None else holders(self._home, self.trial.erases)
        assert not held, f"the words are still in {held}"
        assert not self._after.temporary, self._after.temporary
        self._again = self._run("--json", *self._words, after=LATER)
        self._after_twice = look(self._home)
        if self.trial.is_undoable:
            self._run("--json", "memory", "undo", after=2 * LATER)
            self._after_undo = look(self._home)
        return done.calls

    def _reset(self) -> None:
        shutil.rmtree(self._home)
        shutil.copytree(self._made, self._home, symlinks=True)
        self._gateway.changed.clear()

    def _run(
        self, *arguments: str, fault: Fault = HEALTHY, after: timedelta = timedelta()
    ) -> Result:
        environment = {
            "HOME": str(self._home),
            "LANG": "C.UTF-8",
            "PATH": "/usr/bin:/bin",
            "TMPDIR": str(self._folder),
            "MEMCONSOLE_NOW": (NOW + after).isoformat(),
            "MEMCONSOLE_GATEWAY__URL": self._gateway.url,
            "MEMCONSOLE_GATEWAY__TOKEN": self._gateway.token,
        }
        return self._runs.run(arguments, environment, self._home, fault)

    def _try(self, fault: Fault) -> Iterator[str]:
        self._reset()
        self._is_partial = False
        is_json = fault.error == 0 or (fault.call + fault.error) % 2 == 0
        head = ("--json",) if is_json else ()
        done = self._run(*head, *self._words, fault=fault)
        call = done.calls[fault.call - 1] if fault.call <= len(done.calls) else "no such call"
        place = f"{fault} ({call})"
        # A folder that the system would not remove stays; nothing is in it.
        self._kept = f"{call.partition('/')[2]}/" if fault.error and call.startswith(_RMDIR) else ""
        first = self._killed(done) if fault.error == 0 else self._failed(done, is_json=is_json)
        yield from (f"{place}: {one}" for one in first)
        yield from (f"{place}, then again: {one}" for one in self._healed())
        yield from (f"{place}, then taken back: {one}" for one in self._undone())

    def _killed(self, done: Result) -> Iterator[str]:
        if done.code != KILLED:
            yield f"it was not killed: {done.code} {done.out} {done.err}"
        yield from self._whole(look(self._home))

    def _failed(self, done: Result, *, is_json: bool) -> Iterator[str]:
        yield from _said(done, is_json=is_json)
        if done.code not in (0, 1):
            yield f"exit code {done.code}"
        if done.code and not any(map(_is_sentence, done.err.splitlines())):
            yield f"no sentence on stderr: {done.err!r}, {done.out[:300]!r}"
        tree = look(self._home)
        self._is_partial = done.code == 0 and _has_warned(done)
        yield from self._whole(tree)
        if done.code == 0 and not self._is_partial and tree.texts != self._after.texts:
            yield f"it said that all went well, and it did not: {self._other(tree, self._after)}"

    def _healed(self) -> Iterator[str]:
        """Run it again without a fault."""
        done = self._run("--json", *self._words, after=LATER)
        yield from (f"{one}" for one in _said(done, is_json=True))
        tree = look(self._home)
        if done.code not in (0, self._again.code):
            yield f"it ended with {done.code}: {done.out.strip()[:400]}"
        elif self._is_partial:
            yield from self._whole(tree)
        elif tree.texts not in (self._after.texts, self._after_twice.texts):
            yield f"{self._other(tree, self._after)} ({done.out.strip()[:300]})"
        known = self._after.names | self._after_twice.names
        if self._is_partial:
            known |= set(self.trial.falls_back_on)
        if left := [one for one in sorted(tree.names - known) if not self._may_stay(one)]:
            yield f"left behind: {', '.join(left)}"
        if self.trial.erases is not None and (held := holders(self._home, self.trial.erases)):
            yield f"the words are still in {', '.join(held)}"
        yield from broken_databases(self._home)
        yield from self._untouched(tree)

    def _may_stay(self, name: str) -> bool:
        is_kept_folder = self._kept.startswith(f"{name}/") and (self._home / name).is_dir()
        return is_kept_folder or name.endswith(_OF_SQLITE)

    def _undone(self) -> Iterator[str]:
        """Take it back: what was done after a fault can be undone as what was done without."""
        if not self.trial.is_undoable:
            return
        done = self._run("--json", "memory", "undo", after=2 * LATER)
        tree = look(self._home)
        if done.code or tree.texts != self._after_undo.texts:
            yield f"undone, {self._other(tree, self._after_undo)} ({done.out.strip()[:300]})"

    def _whole(self, tree: Tree) -> Iterator[str]:
        """Yield the texts that are neither those before nor those after."""
        everything = frozenset().union(*tree.texts.values())
        for name in tree.texts.keys() | self._before.texts.keys():
            if name in tree.temporary:
                continue
            missing: frozenset[bytes] = frozenset()
            before = self._before.texts.get(name, missing)
            allowed = before.union(
                *(one.texts.get(name, missing) for one in (self._after, self._after_twice))
            )
            if self._is_partial and name in self.trial.falls_back_on:
                continue
            found = tree.texts.get(name, missing)
            if not found <= allowed:
                yield f"{name} is neither the old text nor the new one: {sorted(found)}"
            if name in self._after.texts and not found and not before <= everything:
                yield f"{name} is gone"
        yield from self._untouched(tree)

    def _untouched(self, tree: Tree) -> Iterator[str]:
        for name in tree.platform.keys() | self._before.platform.keys():
            # What a killed run was about to put in place; the next run has to remove it.
            if name.startswith(self.trial.may_change) or is_temporary(name):
                continue
            if tree.platform.get(name) != self._before.platform.get(name):
                yield f"{name} of the platform was changed"

    @staticmethod
    def _other(tree: Tree, wanted: Tree) -> str:
        names = tree.texts.keys() | wanted.texts.keys()
        other = (name for name in names if tree.texts.get(name) != wanted.texts.get(name))
        return "; ".join(f"{name}: {_changes(tree, wanted, name)}" for name in sorted(other))


def _changes(tree: Tree, wanted: Tree, name: str) -> str:
    """Return the lines of a file that are too many (+) and those that are missing (-)."""
    before, after = (
        b"".join(sorted(one.texts.get(name, ()))).decode(errors="replace").splitlines()
        for one in (wanted, tree)
    )
    changed = difflib.unified_diff(before, after, n=0, lineterm="")
    return " | ".join(line for line in changed if not line.startswith(("---", "+++", "@@")))


def _said(done: Result, *, is_json: bool) -> Iterator[str]:
    """Yield what is wrong with the words of a run."""
    said = done.out + done.err
    if any(one in said for one in _FAULTS_OF_PYTHON):
        yield f"no sentence for an operator: {said[-600:]}"
    if is_json:
        try:
            is_object = isinstance(json.loads(done.out), dict)
        except ValueError:
            is_object = False
        if not is_object or done.out.count("\n") != 1:
            yield f"no one JSON object: {done.out!r} {done.err!r}"


def _is_sentence(line: str) -> bool:
    """Whether a line says what failed; a line of the log is none."""
    return line.startswith("memconsole: ") and not line.startswith("memconsole: warning: ")


def _has_warned(done: Result) -> bool:
    """Whether a run that went on past a failed step has said so."""
    return "capture-failed" in done.out + done.err


def chosen(calls: int, sample: int | None, turn: int, name: str) -> list[Fault]:
    """Return the faults to try: all, or as many kills as failing calls up to a number.

    Args:
        calls: Write-like calls of the command.
        sample: How many faults; None for all.
        turn: Whose faults, from 0; turns behind one another come to every fault.
        name: The command; each has an order of its own.
    """
    numbers = range(1, calls + 1)
    kills = [Fault(number) for number in numbers]
    failing = [Fault(number, error) for number in numbers for error in ERRORS]
    failing += [Fault(number, errno.ENOSPC, lasts=True) for number in numbers]
    if sample is None:
        return kills + failing
    half = (sample + 1) // 2
    return _window(kills, half, turn, name) + _window(failing, sample - half, turn, name)


def _window(faults: list[Fault], size: int, turn: int, name: str) -> list[Fault]:
    """Return the next faults of an order that never changes; after the last comes the first."""
    random.Random(name).shuffle(faults)
    start = turn * size % max(1, len(faults))
    return (faults[start:] + faults[:start])[:size]
