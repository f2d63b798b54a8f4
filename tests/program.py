"""memconsole as its users run it: a program with an environment, an exit code and two outputs."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = Any
"""What foreign JSON holds."""

TIMEOUT_S = 120
_PLAIN = {"LANG": "C.UTF-8", "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}

_OBEY_FILE_MODES = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Takes from root what makes it read everything, then becomes another program."""


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
    """

    environment: dict[str, str]
    is_plain_user: bool = False

    def __call__(self, *arguments: str) -> Answer:
        """Run one command."""
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=TIMEOUT_S)
        return _sound(Answer(arguments, process.returncode, out, err))

    def batch(self, *calls: tuple[str, ...]) -> list[Answer]:
        """Run several commands, one after the other, in one process (`tests.batch`)."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as plan:
            json.dump(calls, plan)
            plan.flush()
            with self._start(["tests.batch", plan.name]) as process:
                out, err = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0, err
        answers = zip(calls, json.loads(out), strict=True)
        return [_sound(Answer(words, *answer)) for words, answer in answers]

    def json(self, *arguments: str) -> Answer:
        """Run one command with `--json`."""
        return self("--json", *arguments)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one command and return at once."""
        return self._start(["memconsole", *arguments])

    def _start(self, module: list[str]) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", *module]
        if self.is_plain_user and sys.platform == "linux" and os.geteuid() == 0:
            command = [sys.executable, "-c", _OBEY_FILE_MODES, *command]
        return subprocess.Popen(
            command,
            env={**_PLAIN, "PATH": os.environ["PATH"], **self.environment},
            cwd=Path(self.environment["HOME"]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )


def _sound(answer: Answer) -> Answer:
    """A traceback or an unexpected failure is never an answer."""
    assert "Traceback (most recent call last)" not in answer.out + answer.err, f"{answer!r}"
    assert "unexpected failure" not in answer.out + answer.err, f"{answer!r}"
    return answer


def tree(folder: Path, *, without: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return everything below a folder, with what would change if anything touched it.

    The content of an `-shm` file is its readers' (A4); that it is there is not.
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
