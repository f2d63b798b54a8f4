"""What of a home is published as figures: the answers of our command line, one row a thing.

A row leaves without the moment of its reading, so that an unchanged reading is the same rows, and
without the names of the people who talk to agents: those are keyed digests, which say that two are
one and not who. The same rows make the answers again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.sessions.keys import SessionClass, parse_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memconsole.domain.fleet.shapes import Json, Row

PUBLISHED: Final = ("status", "agents", "sessions", "runs", "health")
"""Commands whose answers are published."""

OF_ONE_AGENT: Final = ("sessions", "agents")
"""Lists that can be asked for one agent, and that may be longer than what is published."""

_LISTS = {"agents": "agent", "sessions": "session", "runs": "run"}
_MOST_ROWS = {"session": 2000, "agent": 1000, "run": 200}
_MOST_TOLD = 1_000_000
_BEYOND = "unpublished"
"""In the row of the first screen: how many rows of a kind there are beyond those, by agent."""

_LEAST_NAME = 3
_CHANNELS = (
    "telegram discord slack whatsapp signal line imessage matrix msteams googlechat webchat email "
    "sms irc mattermost zalo feishu nostr twitch dashboard explicit"
)
_WORDS = "agent main direct dm group channel thread topic cron subagent hook heartbeat run new"
_STRUCTURE = frozenset(f"{_CHANNELS} {_WORDS}".split())
"""Words of keys that name nobody; channels that are not here are digests."""

_NAMELESS = frozenset({SessionClass.CRON, SessionClass.SUBAGENT, SessionClass.HEARTBEAT})
_KEY = r"agent:[^\s:`'\"]+:[^\s`'\",;)]+"


class Fact(NamedTuple):
    """One row that is published.

    Attributes:
        kind: `agent`, `session`, `run`, `status` or `health`.
        key: Tells it from others of its kind.
        place: Its place in the answer.
    """

    kind: str
    key: str
    place: int
    body: Row

    @property
    def hash(self) -> bytes:
        """What changes with it."""
        text = json.dumps([self.place, self.body], sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).digest()


class Veil:
    """Puts keyed digests in the place of names.

    Args:
        secret: Of this state folder; nobody else makes the same digests.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def digest(self, name: str) -> str:
        """Return what stands for a name."""
        return "#" + hmac.digest(self._secret, name.casefold().encode(), "sha256").hex()[:8]

    def key(self, text: str) -> str:
        """Return a session key without the peer, group or thread that it names."""
        found = parse_key(text, owner="")
        if found.kind in _NAMELESS:
            return text
        head, rest = text.removesuffix(found.rest), found.rest
        return head + ":".join(
            part if part.lower() in _STRUCTURE or not part else self.digest(part)
            for part in rest.split(":")
        )

    def text(self, text: str, names: frozenset[str]) -> str:
        """Return a text without keys and names."""
        text = re.sub(_KEY, lambda found: self.key(found[0]), text)
        if not names:
            return text
        return _pattern(names).sub(lambda found: self.digest(found[0]), text)


@lru_cache(maxsize=2)
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])", re.IGNORECASE)


def names_in(sessions: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """Return the names of people and groups in keys and labels of sessions."""
    found: set[str] = set()
    for key, label in sessions:
        parsed = parse_key(key, owner="")
        if parsed.kind not in _NAMELESS:
            found.update(part for part in parsed.rest.split(":") if part.lower() not in _STRUCTURE)
        if label and label.lower() not in _STRUCTURE:
            found.add(label)
    return frozenset(one for one in found if len(one) >= _LEAST_NAME)


def facts_of(
    answers: Mapping[str, Json], veil: Veil, names: frozenset[str], exclude: frozenset[str]
) -> tuple[Fact, ...]:
    """Return the rows of the answers of a home.

    Args:
        answers: Data of each command of `PUBLISHED`, as JSON, masked.
        veil: Hides names.
        names: That nobody else shall read.
        exclude: Agents of which nothing is published.
    """

    def hide(value: Json) -> Json:
        return hidden(value, veil, names)

    made: list[Fact] = []
    beyond: dict[str, dict[str, int]] = {}
    for command, kind in _LISTS.items():
        rows = [one for one in _rows(answers.get(command)) if _agent(command, one) not in exclude]
        shape, most = _SHAPES[kind], _MOST_ROWS[kind]
        for place, one in enumerate(rows[:most]):
            body = shape(one, veil, hide)
            made.append(Fact(kind, _name(kind, body), place, body))
        if len(rows) > most and command in OF_ONE_AGENT:
            beyond[kind] = dict(Counter(str(_agent(command, one)) for one in rows[most:]))
    for command in ("status", "health"):
        if isinstance(found := answers.get(command), Mapping):
            body = _timeless(_table(hide(_without_agents(found, exclude, veil))))
            is_short = command == "status" and beyond
            made.append(Fact(command, "", 0, {**body, _BEYOND: beyond} if is_short else body))
    return tuple({(one.kind, one.key): one for one in made}.values())


def hidden(value: Json, veil: Veil, names: frozenset[str]) -> Json:
    """Return JSON with digests in the place of keys and names."""
    return _mapped(value, lambda text: veil.text(text, names))


def outcomes_of(answer: Json, veil: Veil, names: frozenset[str]) -> Json:
    """Return what came of a command, as it may leave the host: no names and nothing remembered.

    The details of some commands hold lines of a memory, so only their counts and flags go.
    """
    found = hidden(answer, veil, names)
    if not isinstance(found, Mapping) or not isinstance(found.get("data"), list):
        return found
    rows = [{**one, "details": _counts(one.get("details"))} for one in _rows(found["data"])]
    return {**found, "data": rows}


def _counts(value: Json) -> Row:
    return {
        key: _counts(one) if isinstance(one, Mapping) else one
        for key, one in _table(value).items()
        if isinstance(one, Mapping | int | float) or one is None
    }


def answer_of(command: str, facts: Iterable[Fact], agent: str | None = None) -> Json:
    """Return the data of an answer, made of the rows that were published; None for no rows.

    Args:
        command: One of `PUBLISHED`.
        facts: Of one home.
        agent: Only what is of it, where rows name one.
    """
    ranked = sorted(facts, key=lambda one: one.place)
    by_kind: dict[str, list[Row]] = {}
    for one in ranked:
        by_kind.setdefault(one.kind, []).append(one.body)
    if kind := _LISTS.get(command):
        rows = by_kind.get(kind, [])
        return [one for one in rows if agent is None or _agent(command, one) == agent]
    single = by_kind.get(command)
    if not single:
        return None
    if command != "status":
        return single[0]
    plain = {name: one for name, one in single[0].items() if name != _BEYOND}
    return {**plain, "agents": by_kind.get("agent", [])}


def unpublished(command: str, facts: Iterable[Fact], agent: str | None = None) -> int:
    """Return how many rows of an answer were too many to be published.

    Args:
        command: One of `PUBLISHED`.
        facts: Of one home.
        agent: Only what is of it.
    """
    kind = "agent" if command == "status" else _LISTS.get(command, "")
    counts = next((_table(one.body.get(_BEYOND)) for one in facts if one.kind == "status"), {})
    return sum(
        number
        for name, number in _table(counts.get(kind)).items()
        if type(number) is int and 0 < number <= _MOST_TOLD and agent in (None, name)
    )


def kinds_of(command: str) -> tuple[str, ...]:
    """Return the kinds of rows that an answer is made of, and that of how many are missing."""
    if command in OF_ONE_AGENT:
        return (_LISTS[command], "status")
    return ("status", "agent") if command == "status" else (_LISTS.get(command, command),)


def _session(row: Row, veil: Veil, hide: Callable[[Json], Json]) -> Row:
    label = row.get("label")
    key = row.get("key")
    activity = row.get("activity")
    return {
        **row,
        "key": veil.key(key) if isinstance(key, str) else None,
        "label": veil.digest(label) if isinstance(label, str) and label else None,
        "not_due_because": hide(row.get("not_due_because")),
        "activity": {**activity, "heard_at": None} if isinstance(activity, Mapping) else None,
    }


def _run(row: Row, _veil: Veil, _hide: Callable[[Json], Json]) -> Row:
    """Return a run without its words: they name sessions that exist no more."""
    steps = [{**one, "message": ""} for one in _rows(row.get("steps"))]
    proof = row.get("proof")
    return {
        **row,
        "steps": steps if row.get("steps") is not None else None,
        "proof": {**proof, "text": ""} if isinstance(proof, Mapping) else None,
    }


def _plain(row: Row, _veil: Veil, hide: Callable[[Json], Json]) -> Row:
    return _table(hide(row))


_SHAPES: dict[str, Callable[[Row, Veil, Callable[[Json], Json]], Row]] = {
    "agent": _plain,
    "session": _session,
    "run": _run,
}


def _timeless(body: Row) -> Row:
    """Return the first screen or the checks without what is of the moment of reading only."""
    made = dict(body)
    made.pop("agents", None)
    if isinstance(gateway := made.get("gateway"), Mapping):
        made["gateway"] = {**gateway, "checked_at": None}
    if isinstance(quiet := made.get("quiet"), Mapping):
        made["quiet"] = {**quiet, "evidence": []}
    for name in ("attention", "alerts"):
        if name in made:
            made[name] = [{**one, "seen_at": None} for one in _rows(made[name])]
    if "checks" in made:
        made["checks"] = [{**one, "details": []} for one in _rows(made["checks"])]
    return made


def _without_agents(body: Row, exclude: frozenset[str], veil: Veil) -> Row:
    """Return it without what is of some agents, and without their names in what is of several."""
    if not exclude:
        return body

    def told(row: Row) -> Row:
        said = {name: row.get(name) for name in ("message", "hint")}
        veiled = {
            name: veil.text(text, exclude) for name, text in said.items() if isinstance(text, str)
        }
        return {**row, **veiled}

    found = {
        name: [told(one) for one in _rows(body.get(name)) if one.get("agent") not in exclude]
        for name in ("attention", "alerts", "checks")
        if name in body
    }
    return {**body, **found}


def _agent(command: str, row: Row) -> Json:
    return row.get("id" if command == "agents" else "agent")


def _name(kind: str, row: Row) -> str:
    if kind == "session":
        return f"{row.get('key')} {row.get('session_id')} {row.get('state')}"[:1000]
    return str(row.get("id"))[:1000]


def _mapped(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(one, change) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_mapped(one, change) for one in value]
    return value


def _rows(value: Json) -> list[Row]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _table(value: Json) -> Row:
    return value if isinstance(value, Mapping) else {}
