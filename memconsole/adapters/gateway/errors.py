"""What can go wrong between us and the Gateway, inside this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.gateway import Refusal

_LONGEST_WORDS = 160


class RefusedError(Exception):
    """No connection can be had; the refusal says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class ConnectionLostError(Exception):
    """The connection broke, or no answer came in time; the request may have been carried out.

    Attributes:
        is_late: The connection is whole, as far as is known, and the time was over.
    """

    def __init__(self, message: str, *, is_late: bool = False) -> None:
        super().__init__(message)
        self.is_late = is_late


class AnswerError(Exception):
    """The Gateway answered a request with an error.

    Attributes:
        error: Its `error` object, as foreign JSON.
    """

    def __init__(self, error: Mapping[str, object]) -> None:
        super().__init__("the gateway answered with an error")
        self.error = error

    @property
    def words(self) -> str:
        """Its sentence, untrusted."""
        found = self.error.get("message")
        return found if isinstance(found, str) else ""

    def shown(self, token: str | None) -> str:
        """Return its sentence for people."""
        return shown(self.words, token) or "it gives no reason"

    @property
    def reason(self) -> str:
        """`details.reason`, else `details.code`; may be empty."""
        found = self.error.get("details")
        details = found if isinstance(found, dict) else {}
        value = details.get("reason") or details.get("code") or ""
        return value if isinstance(value, str) else ""


def shown(words: str, token: str | None) -> str:
    """Return words of the other side for people: one short line, and without our token in it."""
    words = one_line(words)
    if token:
        words = words.replace(token, "[redacted:token]")
    return cut(let_out(words), _LONGEST_WORDS)
