"""Runs a program for a delivery: bounded in time, ended with all it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memconsole.errors import DeliveryError
from memconsole.system import launch

if TYPE_CHECKING:
    from collections.abc import Sequence


_LOOK_S = 0.25


class Stop(Protocol):
    """Tells whether to end early (`ports.StopSignal`)."""

    def is_set(self) -> bool:
        """Whether it was asked for."""


class Ended(NamedTuple):
    """How a program ended, and what it wrote when that was asked for."""

    code: int
    out: bytes


def run(
    words: Sequence[str],
    data: bytes,
    *,
    timeout_s: float,
    cancel: Stop | None,
    reads: bool = False,
) -> Ended:
    """Run a program, without a shell, and wait for its end.

    Args:
        words: Program and arguments; no secret is among them.
        data: What it reads from standard input.
        timeout_s: How long it may take.
        cancel: Ends it within half a second.
        reads: Keep what it writes to standard output.

    Raises:
        DeliveryError: It cannot be started, took too long, or was cancelled.
    """
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if reads else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=launch.environment(),
            cwd=launch.FOLDER,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be started"
        raise DeliveryError(f"{words[0]}: {reason.lower()}", is_final=True) from error
    with process:
        end_s = time.monotonic() + timeout_s
        first: bytes | None = data
        while True:
            try:
                out, _ = process.communicate(first, timeout=_LOOK_S)
            except subprocess.TimeoutExpired:
                first = None  # it was taken the first time
                if time.monotonic() < end_s and not (cancel is not None and cancel.is_set()):
                    continue
                _end(process)
                raise DeliveryError(_why(timeout_s, cancel)) from None
            return Ended(process.returncode, out or b"")


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _why(timeout_s: float, cancel: Stop | None) -> str:
    if cancel is not None and cancel.is_set():
        return "told to end before it was delivered"
    return f"no answer within {timeout_s:g} s"
