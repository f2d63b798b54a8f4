"""Runs one command in a process of its own: `python -P -m memconsole.cli.call.child`.

What a job loads, such as NumPy and the weights of a model, goes with that process.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from memconsole.cli.output.logging import start_logging
from memconsole.compose import engine as wiring
from memconsole.compose import process as own
from memconsole.compose.state import is_state_old, renew_state
from memconsole.domain.agents import Origin
from memconsole.domain.commands.outcomes import Failed
from memconsole.domain.jobs.runs import CHILD_DIED
from memconsole.system import launch

if TYPE_CHECKING:
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock, StopSignal

logger = logging.getLogger(__name__)

_NOW = "MEMCONSOLE_NOW"
_LOOK_S = 0.5
_GRACE_S = 2.0
_NICENESS = 5
_PROGRAM = launch.own_module("memconsole.cli.call.child")


class ChildProcesses:
    """Answers the port `ChildRunner` with a new process a command.

    Args:
        settings: The child's as well.
        clock: Ours; the child's wall clock begins where it is.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def __call__(self, command: Command, job: str, cancel: StopSignal) -> Outcome:
        """Run one command; a child that dies is a failed outcome."""
        environment = launch.environment()
        if environment.get(_NOW):
            environment[_NOW] = self._clock.now().isoformat()
        question = pickle.dumps((self._settings, command, job))
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answer:
            asked.write(question)
            asked.seek(0)
            with subprocess.Popen(
                _PROGRAM, stdin=asked, stdout=answer, env=environment, cwd=launch.FOLDER
            ) as process:
                code = _wait(process, cancel)
            return _answer(answer, code, command)

    def renew_state(self) -> None:
        """Bring our database to this version; what that loads would stay with us.

        A child that fails is no failure: the next write says what is wrong.
        """
        if is_state_old(self._settings):
            question = pickle.dumps((self._settings, None, ""))
            subprocess.run(
                _PROGRAM,
                input=question,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=launch.environment(),
                cwd=launch.FOLDER,
                check=False,
            )


def _wait(process: subprocess.Popen[bytes], cancel: StopSignal) -> int:
    """Wait for the end; one that was told to end and does not is killed."""
    while not cancel.is_set():
        with suppress(subprocess.TimeoutExpired):
            return process.wait(_LOOK_S)
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        return process.wait(_GRACE_S)
    process.kill()
    return process.wait()


def _answer(answer: BinaryIO, code: int, command: Command) -> Outcome:
    answer.seek(0)
    written = answer.read()
    if code != 0 or not written:
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        return Failed(command, CHILD_DIED, f"its process ended {how}, without an answer")
    outcome: Outcome = pickle.loads(written)
    return outcome


def main() -> int:
    """Read settings, command and job from standard input; write the outcome to standard output.

    Without a command our database is brought to this version.
    """
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)  # whatever a library prints is no answer
        with suppress(OSError):
            os.nice(_NICENESS)
        settings, command, job = pickle.load(sys.stdin.buffer)
        clock = own.build_clock()
        start_logging(settings, clock.now)
        if command is None:
            renew_state(settings)
            return 0
        engine = wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)
        pickle.dump(engine.run(command, job=job), answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
