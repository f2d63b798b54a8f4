"""What the Gateway says: verdicts with their next step, and sessions as it sees them."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path


class Verdict(StrEnum):
    """How the Gateway is.

    `late` is no judgement: it was asked, and did not answer within the wait of this call. `wedged`
    took a connection and stayed silent for a whole wait; `down` refused one, or was not reached.
    """

    UP = "up"
    DOWN = "down"
    STARTING = "starting"
    LATE = "late"
    WEDGED = "wedged"
    NOT_A_GATEWAY = "not-a-gateway"
    BAD_TOKEN = "bad-token"
    NOT_PAIRED = "not-paired"
    MISSING_SCOPE = "missing-scope"
    PROTOCOL_MISMATCH = "protocol-mismatch"
    OFF = "off"

    @property
    def can_heal(self) -> bool:
        """Whether trying again later may help without an operator."""
        return self in (Verdict.DOWN, Verdict.STARTING, Verdict.LATE, Verdict.WEDGED)


_NO_ANSWER = "no answer yet"

NEXT_STEPS = {
    Verdict.UP: "",
    Verdict.DOWN: "Start it with `openclaw gateway run`; sessions are read from disk until then.",
    Verdict.STARTING: "It is starting: ask again in a few seconds.",
    Verdict.LATE: "It may only be busy: `memconsole health` waits longer for its answer.",
    Verdict.WEDGED: "Look at its log; if it is still so in a minute, restart it.",
    Verdict.NOT_A_GATEWAY: "Something else listens there: check gateway.url and gateway.port.",
    Verdict.BAD_TOKEN: "Put the Gateway's token into MEMCONSOLE_GATEWAY__TOKEN.",
    Verdict.NOT_PAIRED: "Approve this device on the Gateway's host: `openclaw devices approve`.",
    Verdict.MISSING_SCOPE: "Give this device the scopes operator.read and operator.admin.",
    Verdict.PROTOCOL_MISMATCH: "It speaks another protocol than 3 or 4: update the older of both.",
    Verdict.OFF: "gateway.transport is none; set it to auto to reach the Gateway.",
}
"""What to do about each verdict."""


@dataclass(frozen=True, slots=True)
class GatewayPlace:
    """Where the Gateway is, and what opens it.

    Attributes:
        url: `ws://` or `wss://` in its normal form, without credentials.
        token: Shared token; a secret.
        problem: Why there is no token although the configuration speaks of one; empty otherwise.
        certificate: The Gateway's own certificate, to be trusted on loopback.
        is_explicit: The address was given to us, not found in the platform's configuration.
        whole_url: The address with the user or query that it was written with; empty: it has none.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    problem: str = ""
    certificate: Path | None = None
    is_explicit: bool = False
    whole_url: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A Gateway that cannot be used, and why.

    Attributes:
        message: One sentence of fact; no secret.
        hint: The next step.
        retry_after_s: Pause that the Gateway asked for; None when it named none.
        expected_protocol: The version it speaks, for a mismatch.
        wants_device: A signature of a device may open what the token alone does not.
        is_silence: Nothing was said there until the time was over.
    """

    verdict: Verdict
    message: str
    hint: str
    retry_after_s: float | None = None
    expected_protocol: int | None = None
    wants_device: bool = False
    is_silence: bool = False


@dataclass(frozen=True, slots=True)
class LiveSession:
    """One session as the Gateway sees it; what it does not say is None.

    Attributes:
        revision: `lifecycleRevision`; changes with every reset.
        started_at: `sessionStartedAt`; rows of lists mostly lack it.
        tokens: `totalTokens`; None also for the 0 with which old releases say "unknown".
        is_active: A run is going on; None when it does not say.
        forked_at: Session key and id of the message before which it was branched off.
        parent_key: Of the session that it was made of.
    """

    key: str
    agent_id: str | None = None
    session_id: str | None = None
    revision: str | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    last_interaction_at: datetime | None = None
    tokens: int | None = None
    tokens_fresh: bool | None = None
    window: int | None = None
    compactions: int | None = None
    status: str | None = None
    is_active: bool | None = None
    model: str | None = None
    model_provider: str | None = None
    chat_type: str | None = None
    label: str | None = None
    is_archived: bool = False
    forked_at: tuple[str, str] | None = None
    parent_key: str | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a reset would break off a run."""
        return self.status == "running" or self.is_active is True


@dataclass(frozen=True, slots=True)
class GatewayStatus:
    """What is known about the Gateway.

    Attributes:
        verdict: One of the words of the contract; `off` when it was not asked.
        reason: Why, as a sentence without a full stop: the scope that is missing, the protocol that
            is spoken, what answered instead; None when there is nothing to say.
        took_ms: How long its last answer took; None when nobody measured.
    """

    verdict: str = "off"
    url: str | None = None
    version: str | None = None
    scopes: tuple[str, ...] = ()
    reason: str | None = None
    hint: str | None = None
    checked_at: datetime | None = None
    took_ms: int | None = None

    @property
    def word(self) -> str:
        """The verdict as people read it."""
        return _NO_ANSWER if self.verdict == Verdict.LATE else self.verdict

    @property
    def words(self) -> str:
        """The verdict with its reason, wherever it is shown."""
        return f"{self.word}: {self.reason}" if self.reason else self.word

    @property
    def does(self) -> str:
        """The same as the end of a sentence that begins with the Gateway."""
        return f"gives {self.words}" if self.verdict == Verdict.LATE else f"is {self.words}"


@dataclass(frozen=True, slots=True)
class LiveReading:
    """What one question to the Gateway brought.

    Attributes:
        sessions: By key; empty unless the verdict is `up`.
        read_at: When it answered; None when it never did.
        is_late: No answer came within the time that was given.
        strangers: How many sessions it listed, of which none is in this home: it looks at another
            one, and `sessions` is empty.
        cut_at: How many sessions came, and how many it says there are, when its list ended early.
    """

    status: GatewayStatus = field(default_factory=GatewayStatus)
    sessions: Mapping[str, LiveSession] = field(default_factory=dict)
    read_at: datetime | None = None
    is_late: bool = False
    cut_at: tuple[int, int] | None = None
    strangers: int = 0


@dataclass(frozen=True, slots=True)
class ResetAnswer:
    """The answer to `sessions.reset`.

    Attributes:
        entry: The session as it is now, when the answer holds it.
        is_lost: No answer came: whether anything happened is only known by looking.
    """

    entry: LiveSession | None = None
    is_lost: bool = False


UNKNOWN_METHOD: Final = "unknown-method"
"""Reason of a refusal: the release does not know what it was asked for."""


@dataclass(frozen=True, slots=True)
class BranchAnswer:
    """The answer to `sessions.fork`, and to `sessions.compaction.branch`.

    Attributes:
        key: Of the new session; None when the answer does not name it, or never came.
        is_lost: No answer came: whether anything happened is only known by looking.
    """

    key: str | None = None
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class CompactAnswer:
    """The answer to `sessions.compact`; the outer `ok` proves nothing.

    Attributes:
        is_compacted: The inner word.
        reason: Why not.
        summary: The new summary; None when the transcript was only cut.
        kept_lines: Lines that are left after a cut.
        archived: Where the Gateway keeps what was there before the cut, in its own world.
    """

    is_compacted: bool = False
    reason: str = ""
    summary: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    kept_lines: int | None = None
    archived: str | None = None
    is_lost: bool = False


_BAD_TOKEN = frozenset(
    {
        "AUTH_TOKEN_MISMATCH",
        "AUTH_TOKEN_MISSING",
        "AUTH_TOKEN_NOT_CONFIGURED",
        "AUTH_PASSWORD_MISMATCH",
        "AUTH_PASSWORD_MISSING",
        "AUTH_DEVICE_TOKEN_MISMATCH",
        "AUTH_UNAUTHORIZED",
    }
)
_NOT_PAIRED = frozenset(
    {
        "NOT_PAIRED",
        "PAIRING_REQUIRED",
        "DEVICE_IDENTITY_REQUIRED",
        "CONTROL_UI_DEVICE_IDENTITY_REQUIRED",
    }
)


def refusal(verdict: Verdict, message: str, hint: str = "") -> Refusal:
    """Return a refusal with the usual next step of its verdict."""
    return Refusal(verdict, message, hint or NEXT_STEPS[verdict])


def judge_error(error: Mapping[str, object]) -> Refusal | None:
    """Return what an `error` of the wire means; None when it is about the call, not about us.

    Branches on `code`, `details.code` and `details.reason`; old releases say some of it only in
    words.
    """
    found = error.get("details")
    details: Mapping[str, object] = found if isinstance(found, dict) else {}
    code, detail = str(error.get("code", "")), str(details.get("code", ""))
    words = str(error.get("message", "")).lower()
    expected = details.get("expectedProtocol")
    if "missing scope" in words or detail == "MISSING_SCOPE":
        scope = str(details.get("missingScope") or words.rpartition("missing scope:")[2]).strip()
        return Refusal(
            Verdict.MISSING_SCOPE,
            f"the gateway lets us in, but without the scope {_word(scope) or 'it needs'}",
            NEXT_STEPS[Verdict.MISSING_SCOPE],
            wants_device=True,
        )
    if detail == "PROTOCOL_MISMATCH" or expected is not None or "protocol mismatch" in words:
        version = expected if isinstance(expected, int) else None
        return Refusal(
            Verdict.PROTOCOL_MISMATCH,
            f"the gateway speaks protocol {'another one' if version is None else version}, "
            "and we speak 3 and 4",
            NEXT_STEPS[Verdict.PROTOCOL_MISMATCH],
            expected_protocol=version,
        )
    return _judge_access(code, detail, words, details) or _judge_state(error, code, details)


def _judge_access(
    code: str, detail: str, words: str, details: Mapping[str, object]
) -> Refusal | None:
    if {code, detail} & _NOT_PAIRED:
        request = details.get("requestId")
        named = f" {_word(request)}" if isinstance(request, str) and _word(request) else ""
        return Refusal(
            Verdict.NOT_PAIRED,
            "the gateway does not know this device"
            + (", or not with these scopes" if details.get("reason") == "scope-upgrade" else ""),
            f"Approve it on the Gateway's host: `openclaw devices approve{named}`, and check that "
            "MEMCONSOLE_GATEWAY__TOKEN holds its token.",
            wants_device="IDENTITY_REQUIRED" in detail or "identity required" in words,
        )
    if detail in _BAD_TOKEN or "unauthorized" in words:
        is_missing = detail.endswith("MISSING")
        return Refusal(
            Verdict.BAD_TOKEN,
            f"the gateway {'wants a token' if is_missing else 'refuses our token'}",
            NEXT_STEPS[Verdict.BAD_TOKEN],
        )
    if detail == "DEVICE_AUTH_SIGNATURE_INVALID" or detail.startswith("DEVICE_AUTH_"):
        return Refusal(
            Verdict.NOT_PAIRED,
            "the gateway refuses the signature of this device",
            "Check that the clocks of both hosts agree; the signature holds for two minutes.",
        )
    return None


def _judge_state(
    error: Mapping[str, object], code: str, details: Mapping[str, object]
) -> Refusal | None:
    if code != "UNAVAILABLE":
        return None
    pause = error.get("retryAfterMs")
    return Refusal(
        Verdict.STARTING,
        "the gateway is starting"
        if str(details.get("reason", "startup")).startswith("startup")
        else "the gateway is busy with itself",
        NEXT_STEPS[Verdict.STARTING],
        retry_after_s=pause / 1000 if isinstance(pause, int | float) and pause >= 0 else None,
    )


def _word(value: object) -> str:
    """Return a word of theirs when it is a plain one, such as a scope; else nothing."""
    text = str(value)
    is_plain = len(text) <= 80 and all(one.isalnum() or one in "._:-" for one in text)
    return text if is_plain else ""
