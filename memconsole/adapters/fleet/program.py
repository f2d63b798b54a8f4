"""Runs one call of our command line, here or through ssh, within limits of time and of length."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from memconsole.domain.fleet.wire import MOST_BYTES, Heard
from memconsole.errors import SourceAwayError
from memconsole.system.launch import FOLDER, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta


_MOST_SAID = 2000
_LOOK_S = 0.05
_AT_ONCE = threading.BoundedSemaphore(10)
"""Processes of a fleet of any size."""
_GOES_ON = "What was asked may still be going on there; `memconsole runs` there tells."


def run(
    argv: Sequence[str], timeout: timedelta, text: str = "", stop: Callable[[], bool] | None = None
) -> tuple[Heard, str]:
    """Return what a program said on standard output, and the last it said on standard error.

    It has no terminal and no input but the text, so it asks nothing. Its group is ended with it.

    Raises:
        SourceAwayError: It cannot be started, takes too long or says too much, or is not waited
            for any more.
    """
    with (
        _AT_ONCE,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as complaints,
        tempfile.TemporaryFile() as given,
    ):
        _require_waited_for(stop)
        given.write(text.encode("utf-8", "replace"))
        given.seek(0)
        try:
            process = subprocess.Popen(
                argv,
                stdin=given,
                stdout=out,
                stderr=complaints,
                cwd=FOLDER,
                env=environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise SourceAwayError(f"it cannot be asked: {error.strerror or error}") from None
        try:
            _wait(process, (out.fileno(), complaints.fileno()), timeout, stop)
        finally:
            _end(process)
        out.seek(0)
        length = os.fstat(complaints.fileno()).st_size
        complaints.seek(max(0, length - _MOST_SAID))
        said = complaints.read(_MOST_SAID).decode("utf-8", "replace").strip()
        return Heard(out.read(MOST_BYTES + 1), process.returncode), said


def _wait(
    process: subprocess.Popen[bytes],
    said: Sequence[int],
    timeout: timedelta,
    stop: Callable[[], bool] | None,
) -> None:
    left = timeout.total_seconds()
    while True:
        try:
            process.wait(min(_LOOK_S, left))
        except subprocess.TimeoutExpired:
            left -= _LOOK_S
        else:
            return
        _require_waited_for(stop)
        if left <= 0:
            raise SourceAwayError(
                f"no answer within {timeout.total_seconds():.0f} s",
                hint=_GOES_ON,
            )
        if any(os.fstat(one).st_size > MOST_BYTES for one in said):
            raise SourceAwayError(f"its answer is longer than {MOST_BYTES // 2**20} MiB")


def _require_waited_for(stop: Callable[[], bool] | None) -> None:
    if stop is not None and stop():
        raise SourceAwayError("nobody waits for its answer any more", hint=_GOES_ON)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is still running of it."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
