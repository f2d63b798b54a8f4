"""The Gateway through the platform's own program: `openclaw gateway call METHOD --params JSON`.

Slow (over a second a call) and without a version, but it finds a token that we may not read. From
2026.9 on it prints an error as JSON, older ones say it in words on standard error; both were seen
on the real programs, against a Gateway of every verdict.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.connection import Hello
from memconsole.adapters.gateway.errors import AnswerError, ConnectionLostError
from memconsole.domain.gateway import Verdict, judge_error, refusal
from memconsole.system import launch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.gateway import GatewayPlace, Refusal

PROGRAMS = ("openclaw", "moltbot", "clawdbot")
_TRANSPORT = "gateway_transport_error"
_WORDS = (
    (Verdict.NOT_PAIRED, ("pairing required", "device identity required", "pending approval")),
    (Verdict.STARTING, ("gateway starting",)),
    (Verdict.NOT_A_GATEWAY, ("rejected websocket upgrade", "unexpected server response")),
)
_LATER_WORDS = (
    (Verdict.DOWN, ("econnrefused", "not reachable", "gateway closed", "enotfound", "enetunreach")),
    (Verdict.LATE, ("gateway timeout",)),
)
"""Said beside the cause where there is one, so they are looked for last."""

_MESSAGES = {
    Verdict.NOT_PAIRED: "the gateway does not know this device",
    Verdict.STARTING: "the gateway is starting",
    Verdict.NOT_A_GATEWAY: "what answers there is no WebSocket",
    Verdict.DOWN: "the platform's program cannot reach the gateway",
    Verdict.LATE: "the platform's program got no answer from the gateway in time",
}
_START_S = 30.0
"""What the program itself needs to start on a busy machine; the call has its own time."""
_MOST_BYTES = 32 * 1024 * 1024


class ProgramAnswerError(AnswerError):
    """What the program said instead of an answer."""


def find_program(environ: Mapping[str, str]) -> str | None:
    """Return the platform's program on the PATH, if it is there."""
    found = (launch.find_program(name, environ) for name in PROGRAMS)
    return next((one for one in found if one is not None), None)


class ProgramConnection:
    """Answers like a connection; every request is a process of its own.

    Args:
        program: Path of the platform's program.
        home: The state folder whose Gateway is meant.
        environ: Environment of the process.
        place: Address and token go into that environment when they are ours; a command line can be
            read by everybody.
    """

    def __init__(
        self, program: str, home: Path, environ: Mapping[str, str], place: GatewayPlace
    ) -> None:
        self.hello = Hello()
        self._program = program
        self._environ = {
            **launch.environment(environ),
            "OPENCLAW_STATE_DIR": os.fspath(home),
            "CLAWDBOT_STATE_DIR": os.fspath(home),
            "NO_COLOR": "1",
            **_named(place),
        }

    def request(
        self, method: str, params: Mapping[str, object], *, timeout_s: float
    ) -> Mapping[str, object]:
        """Run one call and return the payload it prints.

        Raises:
            AnswerError: The Gateway refused it.
            ConnectionLostError: The program did not end in time, or printed no answer.
        """
        command = [self._program, "gateway", "call", method, "--params", frames.encode(params)]
        command += ["--json", "--timeout", str(round(timeout_s * 1000))]
        import subprocess  # noqa: PLC0415 - nearly all ask over the wire

        try:
            done = subprocess.run(
                command,
                capture_output=True,
                env=self._environ,
                cwd=launch.FOLDER,
                stdin=subprocess.DEVNULL,
                timeout=timeout_s + _START_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ConnectionLostError(
                "the platform's program did not answer", is_late=True
            ) from error
        except OSError as error:
            raise ProgramAnswerError(
                {"message": f"it cannot be started: {error.strerror or 'no reason given'}"}
            ) from error
        payload = _payload(done.stdout)
        if payload is not None and (found := _error_in(payload)) is not None:
            raise ProgramAnswerError(found)
        if done.returncode == 0 and payload is not None:
            return payload
        words = (done.stderr or done.stdout)[:4096].decode("utf-8", "replace")
        raise ProgramAnswerError({"message": words, "exit": done.returncode})

    def close(self) -> None:
        """Do nothing: no process outlives its call."""


def judge_program(error: AnswerError) -> Refusal | None:
    """Return the verdict in what the program says; None when another judge is to look at it.

    A sentence about access or protocol has the Gateway's own words in it: `judge_error` knows them.
    """
    if not isinstance(error, ProgramAnswerError):
        return None
    cause = _cause(error)
    if cause is not None:
        return cause
    words = error.words.lower()
    return _said(words, _LATER_WORDS) or _own_failure(error, words)


def is_unclear(error: AnswerError) -> bool:
    """Tell whether the Gateway may have done what the program was to ask for.

    A connection that ended without a cause may have ended behind the request.
    """
    if not isinstance(error, ProgramAnswerError) or _cause(error) is not None:
        return False
    code = error.error.get("exit")
    was_cut_off = isinstance(code, int) and code <= 0  # no answer, or ended by a signal
    words = error.words.lower()
    return was_cut_off or "gateway timeout" in words or "gateway closed" in words


def _cause(error: ProgramAnswerError) -> Refusal | None:
    """Return the verdict that stands before any request."""
    found = _said(error.words.lower(), _WORDS)
    if found is not None or error.error.get("type") == _TRANSPORT:
        return found
    return judge_error(error.error)


def _said(words: str, table: Iterable[tuple[Verdict, Sequence[str]]]) -> Refusal | None:
    for verdict, signs in table:
        if any(sign in words for sign in signs):
            return refusal(verdict, _MESSAGES[verdict])
    return None


def _own_failure(error: AnswerError, words: str) -> Refusal | None:
    """Return what keeps the program itself from asking."""
    said = error.shown(None)
    if "unknown command" in words or "unknown option" in words:
        return refusal(
            Verdict.PROTOCOL_MISMATCH,
            "the platform's program does not know `gateway call`",
            "Update it, or set gateway.transport to ws.",
        )
    is_unstarted = "exit" not in error.error and "type" not in error.error
    if is_unstarted or error.error.get("exit") in (126, 127) or "requires node" in words:
        return refusal(
            Verdict.DOWN,
            f"the platform's program does not run: {said}",
            "Mend it, or set gateway.transport to ws.",
        )
    return None


def _named(place: GatewayPlace) -> dict[str, str]:
    """Return variables for an address and a token that our own settings give."""
    found = {}
    if place.is_explicit:
        found["OPENCLAW_GATEWAY_URL"] = place.url
    if place.token is not None:
        found |= dict.fromkeys(("OPENCLAW_GATEWAY_TOKEN", "CLAWDBOT_GATEWAY_TOKEN"), place.token)
    return found


def _error_in(payload: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the error of an answer that says it failed; an inner `ok: false` has none."""
    found = payload.get("error")
    if payload.get("ok") is not False or not isinstance(found, dict):
        return None
    return found


def _payload(out: bytes) -> Mapping[str, object] | None:
    """Return the printed object; the program may print lines of its own before it."""
    if len(out) > _MOST_BYTES:
        return None
    start = out.find(b"{")
    return None if start < 0 else frames.decode(out[start:].strip())
