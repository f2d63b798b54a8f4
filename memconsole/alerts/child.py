"""`python -P -m memconsole.alerts.child`: one delivery in a process of its own (A20).

What a delivery loads goes with the process, and a receiver that never ends cannot hold us. The
question, secrets included, comes by standard input; the answer says how it went, without them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from memconsole.errors import DeliveryError

if TYPE_CHECKING:
    from types import FrameType


def main() -> int:
    """Deliver what standard input asks for; write `{"error": …, "is_final": …}`."""
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)  # whatever a library prints is no answer
        question = json.loads(sys.stdin.buffer.read())
        answer.write(json.dumps(_delivered(question)).encode())
    return 0


def _delivered(question: dict[str, object]) -> dict[str, object]:
    from memconsole.alerts.post import prepare, send  # noqa: PLC0415

    prepare(str(question["kind"]))
    timeout_s = float(str(question["timeout_s"]))

    def late(_number: int, _frame: FrameType | None) -> NoReturn:
        raise DeliveryError(f"no answer within {timeout_s:g} s")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, timeout_s)
    try:
        send(question)
    except DeliveryError as error:
        return {"error": str(error), "is_final": error.is_final}
    except Exception as error:  # the edge of the process: a library's own failures
        return {"error": f"it failed with {type(error).__name__}", "is_final": False}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {"error": None, "is_final": False}


if __name__ == "__main__":
    sys.exit(main())
