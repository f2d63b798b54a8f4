"""The Gateway through the platform's own program: `openclaw gateway call METHOD --params JSON`.

Slow (over a second a call) and without a version, but it finds a token that we may not read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from memconsole.domain.gateway import Verdict, refusal
from memconsole.gateway import frames
from memconsole.gateway.link import Hello
from memconsole.gateway.problem import AnswerError, LinkLostError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memconsole.domain.gateway import Refusal

PROGRAMS = ("openclaw", "moltbot", "clawdbot")
CODE = "PROGRAM"
"""Stands in an error object for what the program does not tell."""

_UNREACHED = ("econnrefused", "gateway closed", "gateway timeout")
_START_S = 5.0
"""What the program itself needs, beside the call."""
_MOST_BYTES = 32 * 1024 * 1024


def find_program(environ: Mapping[str, str]) -> str | None:
    """Return the platform's program on the PATH, if it is there."""
    found = (shutil.which(name, path=environ.get("PATH")) for name in PROGRAMS)
    return next((one for one in found if one is not None), None)


class ProgramLink:
    """Answers like a link; every request is a process of its own.

    Args:
        program: Path of the platform's program.
        home: The state folder whose Gateway is meant.
        environ: Environment of the process.
    """

    def __init__(self, program: str, home: Path, environ: Mapping[str, str]) -> None:
        self.hello = Hello()
        self._program = program
        self._environ = {
            **environ,
            "OPENCLAW_STATE_DIR": os.fspath(home),
            "CLAWDBOT_STATE_DIR": os.fspath(home),
            "NO_COLOR": "1",
        }

    def request(
        self, method: str, params: Mapping[str, object], *, timeout_s: float
    ) -> Mapping[str, object]:
        """Run one call and return the payload it prints.

        Raises:
            AnswerError: The Gateway refused it.
            LinkLostError: The program did not end in time, or printed no answer.
        """
        command = [self._program, "gateway", "call", method, "--params", frames.encode(params)]
        command += ["--json", "--timeout", str(round(timeout_s * 1000))]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                timeout=timeout_s + _START_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LinkLostError("the platform's program did not answer") from error
        payload = _payload(done.stdout)
        if done.returncode == 0 and payload is not None:
            return payload
        words = (done.stderr or done.stdout)[:4096].decode("utf-8", "replace")
        raise AnswerError({"code": CODE, "message": words})

    def close(self) -> None:
        """Do nothing: no process outlives its call."""


def judge_program(error: AnswerError) -> Refusal | None:
    """Return the verdict in the program's words, when it could not reach the Gateway."""
    words = error.words.lower()
    if error.error.get("code") != CODE or not any(one in words for one in _UNREACHED):
        return None
    return refusal(Verdict.DOWN, "the platform's program cannot reach the gateway")


def _payload(out: bytes) -> Mapping[str, object] | None:
    """Return the printed object; the program may print lines of its own before it."""
    if len(out) > _MOST_BYTES:
        return None
    start = out.find(b"{")
    return None if start < 0 else frames.decode(out[start:].strip())
