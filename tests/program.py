"""memconsole as its users run it: a program with an environment, an exit code and two outputs."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = Any
"""What foreign JSON holds."""

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call printed, and how it ended."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def envelope(self) -> Json:
        """The one JSON object on stdout."""
        assert self.out.endswith("\n"), f"no line feed at the end of {self!r}"
        assert self.out.count("\n") == 1, f"more than one line: {self!r}"
        return json.loads(self.out)

    @property
    def data(self) -> Json:
        """The `data` of a call that worked."""
        envelope = self.envelope
        assert "data" in envelope, f"no data in {self!r}"
        return envelope["data"]

    @property
    def error(self) -> Json:
        """The `error` of a call that failed."""
        return self.envelope["error"]

    @property
    def warnings(self) -> list[Json]:
        """The rows of `warnings`."""
        rows: list[Json] = self.envelope["warnings"]
        return rows

    def warning_codes(self) -> set[str]:
        """The codes of all warnings."""
        return {row["code"] for row in self.warnings}

    def row(self, **wanted: object) -> Json:
        """The one row of `data` whose fields are as wanted."""
        rows = self.rows(**wanted)
        assert len(rows) == 1, f"{len(rows)} rows with {wanted} in {self!r}"
        return rows[0]

    def rows(self, **wanted: object) -> list[Json]:
        """The rows of `data` whose fields are as wanted."""
        return [row for row in self.data if all(row[name] == want for name, want in wanted.items())]


@dataclass(frozen=True, slots=True)
class Program:
    """Runs `memconsole` in processes of its own under one environment.

    Attributes:
        environment: All that the process sees, beside PATH and a UTF-8 locale.
        is_plain_user: File modes hold, even when root runs the tests.
        is_folder_gone: The current folder was deleted; else it is HOME.
        is_time_still: It is MEMCONSOLE_NOW all the time, however long the machine takes.
    """

    environment: dict[str, str]
    is_plain_user: bool = False
    is_folder_gone: bool = False
    is_time_still: bool = False

    def __call__(self, *arguments: str) -> Answer:
        """Run one command to its end; a traceback or an unexpected failure is no answer."""
        [answer] = self.each([arguments])
        return answer

    def each(self, commands: Sequence[tuple[str, ...]]) -> list[Answer]:
        """Run commands in turn, all in one process: most of what a small one costs is a process.

        For many that look at the same thing; what writes deserves a process of its own.
        """
        job = {
            "calls": commands,
            "environment": self._everything(),
            "is_plain_user": self.is_plain_user,
            "is_folder_gone": self.is_folder_gone,
            "is_time_still": self.is_time_still,
        }
        told = ask_zygote(job)
        answers = [Answer(words, *one) for words, one in zip(commands, told, strict=False)]
        for answer in answers:
            for complaint in ("Traceback (most recent call last)", "unexpected failure"):
                assert complaint not in answer.out + answer.err, f"{answer!r}"
        assert len(answers) == len(commands), f"ended in the midst of {commands}: {answers!r}"
        return answers

    def json(self, *arguments: str) -> Answer:
        """Run one command with `--json`."""
        return self("--json", *arguments)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one command from nothing and return at once; it listens to Ctrl+C.

        Where the tests run in the background of a shell, that is ignored, and children inherit it.
        """
        return subprocess.Popen(
            [sys.executable, "-m", "memconsole", *arguments],
            env=self._everything(),
            cwd=Path(self.environment["HOME"]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # takes no lock
        )

    def _everything(self) -> dict[str, str]:
        locale = {"LANG": "C.UTF-8", "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        return {**locale, **self.environment}


def ask_zygote(job: Json) -> list[tuple[int, str, str]]:
    """Have calls run by a fork of a process that has loaded memconsole."""
    process = zygote()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(job) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, "the zygote died"
    return [(code, out, err) for code, out, err in json.loads(line)]


@cache
def zygote() -> subprocess.Popen[str]:
    """Start the process that calls are forked from, once for all tests of this one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.zygote"],
        env={"LANG": "C.UTF-8", "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )

    def end() -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait()
        process.stdout.close()

    atexit.register(end)
    return process


def tree(folder: Path, *, without: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return everything below a folder, with what would change if anything touched it.

    The content of an `-shm` file is its readers'; that it is there is not.
    """
    if not os.path.lexists(folder):
        return {}
    return {
        str(path.relative_to(folder)): _signature(path)
        for path in [folder, *sorted(folder.rglob("*"))]
        if not any(path.is_relative_to(left_out) for left_out in without)
    }


def _signature(path: Path) -> str:
    found = path.lstat()
    kind = f"{stat.filemode(found.st_mode)} {found.st_mtime_ns}"
    if path.is_symlink():
        return f"{kind} -> {path.readlink()}"
    if not path.is_file():
        return kind
    if path.name.endswith("-shm"):
        return stat.filemode(found.st_mode)
    try:
        content = path.read_bytes()
    except PermissionError:
        content = b""
    return f"{kind} {found.st_size} {hashlib.sha256(content).hexdigest()}"
