"""A command for another host: what is signed, what a host admits, and whose key may ask for it.

A host believes no database: it checks the signature against the keys in its own settings, and takes
only words that it knows. A letter is for one home of one host and is carried out once.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.text.compiled import compiled
from memconsole.text.figures import span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEY_START: Final = "ed25519:"
MOST_WORDS: Final = 40
_MOST_CHARS = 1000
_MOST_WAIT = timedelta(days=1)
_MOST_SKEW = timedelta(days=1)
REMEMBERED: Final = 2 * _MOST_SKEW + 2 * _MOST_WAIT
"""By our clock a letter can be begun for less, whatever the server says of the time."""
_LINE = r"(?P<name>[a-z0-9][a-z0-9.-]{0,62}) (?P<key>ed25519:[A-Za-z0-9+/]{43}=) (?P<verbs>\S+)"

_COMMON = frozenset({"--agent", "-a", "--dry-run"})
_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "checkpoint": frozenset({"--session", "--force"}),
    "observe": frozenset({"--session", "--flush"}),
    "index-md": frozenset({"--force"}),
    "reindex": frozenset({"--full", "--sessions"}),
    "flush": frozenset(),
    "summarize": frozenset({"--reason"}),
    "recover": frozenset(),
    "reflect": frozenset({"--force", "--yes", "-y"}),
    "rotate": frozenset({"--force", "--yes", "-y"}),
    "compact": frozenset({"--yes", "-y"}),
}
"""What may be asked of another host, and with which options: none of them names a place."""

VERBS: Final = tuple(_OPTIONS)


class LetterState(StrEnum):
    """How far a letter is; the last five are its end."""

    SENT = "sent"
    BEGUN = "begun"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    REFUSED = "refused"


class Letter(NamedTuple):
    """One command for one home.

    Attributes:
        id: A random UUID in words.
        host: Name of the host.
        home: Identity of the home.
        words: The command with its options.
        deadline: Not begun after it; by the server's clock.
    """

    id: str
    host: str
    home: str
    words: tuple[str, ...]
    deadline: datetime

    @property
    def verb(self) -> str:
        """Name of the command."""
        return self.words[0]

    @property
    def signed(self) -> bytes:
        """What a signature covers: all of it."""
        parts = [1, self.id, self.host, self.home, list(self.words), self.deadline.isoformat()]
        return json.dumps(parts, separators=(",", ":"), ensure_ascii=True).encode()


class Received(NamedTuple):
    """A letter as it lies in the table, with what was found out about it.

    Attributes:
        id: Its number in the table.
        letter: None when what lies there is no letter of that number.
        key: Of whom it says it is.
        is_signed: Whether that key signed it.
        now: By the server's clock, when it was read.
    """

    id: str
    state: LetterState
    letter: Letter | None
    key: str
    is_signed: bool
    now: datetime


class Sent(NamedTuple):
    """One row of the audit.

    Attributes:
        by: Role that sent it.
        key: That signed it.
        message: What came of it, where it is one sentence.
    """

    id: str
    host: str
    home: str
    words: tuple[str, ...]
    state: LetterState
    by: str
    key: str
    sent_at: datetime
    deadline: datetime
    begun_at: datetime | None
    ended_at: datetime | None
    code: int | None
    message: str

    @property
    def agent(self) -> str:
        """The agent that is meant; empty where none is named."""
        for word, following in zip(self.words, (*self.words[1:], ""), strict=True):
            name, is_joined, said = word.partition("=")
            if name in ("--agent", "-a"):
                return said if is_joined else following
            if word.startswith("agent:"):  # the key of a session
                return word.split(":")[1]
        return ""

    def shifted(self, by: timedelta) -> Sent:
        """Return it with the times of another clock, which is so far ahead of the server's."""
        begun, ended = (at and at + by for at in (self.begun_at, self.ended_at))
        return self._replace(
            sent_at=self.sent_at + by, deadline=self.deadline + by, begun_at=begun, ended_at=ended
        )

    def told(self, now: datetime) -> str:
        """Return how far it is, with its age, as half a sentence."""
        match self.state:
            case LetterState.SENT:
                left = span(max(self.deadline - now, timedelta()))
                return f"waits {span(max(now - self.sent_at, timedelta()))}, gives up in {left}"
            case LetterState.BEGUN:
                since = max(now - (self.begun_at or self.sent_at), timedelta())
                return f"begun {span(since)} ago, not answered yet"
            case LetterState.EXPIRED:
                return "expired: it was not begun in time"
            case LetterState.CANCELLED:
                return "taken back before it was begun"
            case _:
                return self.message or self.state.value


def person_of(role: str) -> str:
    """Return whom a role is, as `fleet invite` makes roles; a name holds no `_`."""
    return role.rpartition("_")[2]


class Operator(NamedTuple):
    """Somebody whose key this host knows.

    Attributes:
        key: `ed25519:` and the public key in base64.
        verbs: That the key may ask for; `*` is all that the host admits.
    """

    name: str
    key: str
    verbs: frozenset[str]


def operator_of(text: str) -> Operator:
    """Return an operator from a line of the settings.

    Raises:
        ValueError: It is none.
    """
    found = compiled(_LINE).fullmatch(text.strip())
    if found is None:
        raise ValueError(
            "must look like 'ann ed25519:<key> checkpoint,reindex', or * for all verbs"
        )
    verbs = frozenset(found["verbs"].split(","))
    if strangers := sorted(verbs - {"*", *VERBS}):
        raise ValueError(f"names {strangers[0]!r}; known: *, {', '.join(VERBS)}")
    return Operator(found["name"], found["key"], verbs)


def wrong_words(words: Sequence[str]) -> str:
    """Return why nobody may be asked this from afar, as half a sentence; empty when he may."""
    if not words or words[0] not in _OPTIONS:
        return f"{' '.join(words[:1])!r} is not asked of other hosts"
    if len(words) > MOST_WORDS or any(len(one) > _MOST_CHARS for one in words):
        return "it is too long"
    allowed = _OPTIONS[words[0]] | _COMMON
    for word in words[1:]:
        if word.startswith("-") and word.partition("=")[0] not in allowed:
            return f"{words[0]} takes no {word.partition('=')[0]} from other hosts"
        if not word.isprintable():
            return "it holds control characters"
    return ""


def refusal(
    letter: Letter,
    key: str,
    *,
    host: str,
    homes: Sequence[str],
    operators: Sequence[Operator],
    allow: Sequence[str],
    is_signed: bool,
    now: datetime,
    ours: datetime,
) -> str:
    """Return why this host does not do it; empty when it does.

    Args:
        letter: What is asked.
        key: Of whom it says it is.
        host: Our name. A server that was taken over says which home is whose, and who signs
            believes it; so a letter for another host may name a home of ours.
        homes: Identities of our homes.
        operators: That our settings know.
        allow: Verbs that our settings admit.
        is_signed: Whether that key signed it.
        now: By the server's clock.
        ours: By ours: a server that was taken over tells any time.
    """
    known = [one for one in operators if one.key == key]
    name = known[0].name if known else ""
    words, may = letter.words, any({"*", letter.verb} & one.verbs for one in known)
    doors = (
        (not known, "nobody in fleet.operators of this host has that key"),
        (not is_signed, "its signature is not of that key"),
        (letter.host != host, "it is for another host than that of the role in fleet.url"),
        (letter.home not in homes, "it is for another home"),
        (wrong := wrong_words(words), wrong),
        (letter.verb not in allow, f"fleet.allow of this host does not admit {letter.verb}"),
        (not may, f"fleet.operators of this host lets {name} not ask for {letter.verb}"),
        (abs(now - ours) > _MOST_SKEW, "the clocks of this host and of the fleet are a day apart"),
        (letter.deadline - now > _MOST_WAIT, "it waits for longer than a day"),
        (now > letter.deadline, "its time is over"),
    )
    return next((why for is_shut, why in doors if is_shut), "")


def letter_of(row: Mapping[str, object]) -> Letter:
    """Return a letter as it stands in the table.

    Raises:
        ValueError: It is none.
    """
    words, deadline = row.get("words"), row.get("deadline")
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words) or not words:
        raise ValueError("it holds no command")
    at = datetime.fromisoformat(str(deadline))
    if at.tzinfo is None or at.utcoffset() != timedelta():
        raise ValueError("it has no deadline")
    return Letter(str(row.get("id")), str(row.get("host")), str(row.get("home")), tuple(words), at)
