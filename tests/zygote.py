"""A process that has loaded memconsole and forks one child a call: `python -m tests.zygote`.

Most of what a call costs is the start of Python and the loading of modules. A fork leaves that
out; all else is as in a process of its own: environment, folder, descriptors, time zone, exit.
What one call loaded and compiled beyond that is loaded for the next ones, unless it is heavy.
Reads one job a line (JSON), answers `[exit code, stdout, stderr]` of each of its calls on one line.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import json
import os
import pickle
import pkgutil
import re
import signal
import sys
import tempfile
import time
from contextlib import suppress
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import memconsole
from memconsole.__main__ import main
from memconsole.adapters import clock
from memconsole.cli.main import main as run_by_typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LAYERS = ("cli", "compose", "config", "domain", "engine", "errors", "ports", "system", "text")
ADAPTERS = ("platform", "sessions", "sqlite", "state", "transcripts", "workspace")
HEAVY = {"numpy", "sqlite_utils", "textual", "tokenizers", "watchfiles", "websockets"}
"""What makes each fork dearer than loading it now and then, or has threads."""

DEADLINE_S = 100
_CAPABILITY_VERSION_3 = 0x20080522
_SEES_EVERYTHING = ~((1 << 1) | (1 << 2))
"""All but CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


def load() -> None:
    """Import what plain commands may need."""
    for module in _modules(memconsole.__path__, "memconsole."):
        importlib.import_module(module)


def _modules(path: list[str], prefix: str) -> Iterator[str]:
    for found in pkgutil.iter_modules(path, prefix):
        layer, _, subject = found.name.removeprefix("memconsole.").partition(".")
        is_adapter = layer == "adapters" and subject.partition(".")[0] in ("", *ADAPTERS)
        if layer not in LAYERS and not is_adapter:
            continue
        yield found.name
        if found.ispkg:
            yield from _modules(
                list(importlib.import_module(found.name).__path__), f"{found.name}."
            )


def serve() -> None:
    """Answer jobs until the input ends."""
    load()
    for line in sys.stdin:
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            tempfile.TemporaryFile() as wanted,
        ):
            child = os.fork()
            if child == 0:
                run(json.loads(line), out, err, wanted)
            _, status = os.waitpid(child, 0)
            ends = learn(wanted)
            codes = [code for code, _, _ in ends[:-1]] + [os.waitstatus_to_exitcode(status)]
            outputs = (
                _parts(out, [end for _, end, _ in ends]),
                _parts(err, [end for *_, end in ends]),
            )
            answers = list(zip(codes, *outputs, strict=True))
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


def learn(wanted: BinaryIO) -> list[tuple[int, int, int]]:
    """Load and compile what calls did, if they came to their end; return where each of them did."""
    wanted.seek(0)
    if not (told := wanted.read()):
        return []
    modules, patterns, ends = pickle.loads(told)
    _load(modules, patterns)
    return list(ends)


def _load(modules: Iterable[str], patterns: Iterable[tuple[str | bytes, int]]) -> None:
    if not HEAVY.isdisjoint(name.partition(".")[0] for name in modules):
        return
    for name in modules:
        with suppress(ImportError):  # some libraries make modules of no file
            importlib.import_module(name)
    for pattern, flags in patterns:
        re.compile(pattern, flags)


def run(
    job: dict[str, Any], out: BinaryIO, err: BinaryIO, wanted: BinaryIO | None = None
) -> NoReturn:
    """Become memconsole for one call, or a few in turn; one that hangs is ended by its alarm.

    Args:
        job: What to call, and where; `calls` has the words of each call.
        out: Standard output.
        err: Standard error.
        wanted: Gets what the call loaded and compiled.
    """
    signal.alarm(DEADLINE_S)
    modules, patterns = set(sys.modules), _compiled()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.environ.setdefault("PYTHONMALLOC", "default")  # `--serve` would begin again, as this program
    time.tzset()
    tempfile.tempdir = None  # TMPDIR may name another place than ours
    os.chdir(job["environment"]["HOME"])
    if job["is_folder_gone"]:
        gone = tempfile.mkdtemp()
        os.chdir(gone)
        os.rmdir(gone)  # noqa: PTH106 - by the name it has just got
    if job["is_plain_user"]:
        obey_file_modes()
    if job.get("is_time_still"):
        vars(clock)["time"] = SimpleNamespace(monotonic=float)
    ends = [_called(words, job) for words in job["calls"]]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    if wanted is not None:
        pickle.dump((sys.modules.keys() - modules, _compiled() - patterns, ends), wanted)
        wanted.flush()
    os._exit(ends[-1][0])


def _called(words: list[str], job: dict[str, Any]) -> tuple[int, int, int]:
    """Make one call; return its exit code, and where its outputs end."""
    sys.argv = ["memconsole", *words]
    try:
        code: object = (run_by_typer if job.get("is_usual") else main)()
    except SystemExit as stop:
        code = stop.code
    sys.stdout.flush()
    sys.stderr.flush()
    places = os.lseek(1, 0, os.SEEK_CUR), os.lseek(2, 0, os.SEEK_CUR)
    return (code if isinstance(code, int) else 1, *places)


def _compiled() -> set[tuple[str | bytes, int]]:
    """Return what `re` keeps compiled: patterns with their flags."""
    return {(pattern, flags) for _, pattern, flags in re._cache}  # type: ignore[attr-defined]


def obey_file_modes() -> None:
    """Take from root what lets it read everything (`capset`)."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()
    if libc.capget(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    for word in (0, 1):  # effective and permitted, of the first 32 capabilities
        data[word] &= _SEES_EVERYTHING & 0xFFFFFFFF
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _parts(file: BinaryIO, ends: list[int]) -> list[str]:
    """Cut an output where calls ended; what came after the last of them is of that one, too."""
    file.seek(0)
    content = file.read()
    places = [0, *ends[:-1], len(content)]
    return [content[a:b].decode("utf-8", errors="replace") for a, b in pairwise(places)]


if __name__ == "__main__":
    serve()
