"""The platform's entry for memory as tools of an agent: what it says, and who is denied it.

`mcp.servers` holds for every agent of a home. So the other agents are denied the tools of an entry
(`tools.deny`), where their own entries stand as objects; elsewhere a person has to.
"""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from memconsole.domain.config_check.finding import Change, part
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.config_check.finding import Settable

SERVERS: Final = ("mcp", "servers")
PREFIX: Final = "memconsole-"
MARK: Final = "MEMCONSOLE_HOOK"
"""Variable of an entry of ours, with the entry's own name; calls are noted under it."""

_MOST_CHARS: Final = 30
"""Of a server's name that the platform keeps in the names of tools."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class McpEntry:
    """One entry as it should be.

    Attributes:
        agent: Whose memory.
        program: Path of memconsole.
        home: The platform's state folder.
        are_notes_allowed: It may append notes.
        variables: Of the process, beside the mark: where our own files lie.
    """

    agent: str
    program: str
    home: str
    are_notes_allowed: bool = False
    variables: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """Its name among the servers."""
        return server_name(self.agent)

    def values(self) -> Iterator[tuple[tuple[str, ...], Settable]]:
        """Yield its keys, from the entry on, with their values."""
        words = ["--home", self.home, "mcp", "--agent", self.agent]
        yield ("command",), self.program
        yield ("args",), (*words, *(["--allow-notes"] if self.are_notes_allowed else []))
        for variable, value in {**(self.variables or {}), MARK: self.name}.items():
            yield ("env", variable), value
        # The SDK offers empty lists of prompts and resources; nobody needs tools for these.
        yield ("toolFilter", "include"), ("memory_*",)
        yield ("codex", "agents"), (self.agent,)

    def changes(self) -> tuple[Change, ...]:
        """Return what writes it."""
        return tuple(Change((*SERVERS, self.name, *keys), value) for keys, value in self.values())

    def is_in(self, root: Mapping[str, object]) -> bool:
        """Whether it stands there as it should."""
        return all(_at(root, one.keys) == _plain(one.value) for one in self.changes())


def server_name(agent: str) -> str:
    """Return the name of an agent's entry; a long or unusual id gets a digest of it."""
    name = PREFIX + agent
    if _PLAIN.fullmatch(agent) and len(name) <= _MOST_CHARS:
        return name
    digest = hashlib.sha256(agent.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    short = "".join(_PLAIN.findall(agent))[: _MOST_CHARS - len(PREFIX) - len(digest) - 1]
    return f"{PREFIX}{short}-{digest}"


def entries(root: Mapping[str, object]) -> dict[str, str]:
    """Return our entries: the agent by name of the server."""
    found = {}
    for name, value in part(part(root, "mcp"), "servers").items():
        words = part({"": value}, "").get("args")
        if _at(root, (*SERVERS, name, "env", MARK)) == name and isinstance(words, list):
            agent = dict(pairwise(words)).get("--agent")
            found[name] = agent if isinstance(agent, str) else ""
    return found


def is_taken(root: Mapping[str, object], name: str) -> bool:
    """Whether an entry of that name is somebody else's."""
    return name in part(part(root, "mcp"), "servers") and name not in entries(root)


def is_enabled(root: Mapping[str, object], name: str) -> bool:
    """Whether the platform offers an entry's tools; it does unless the entry says otherwise."""
    return _at(root, (*SERVERS, name, "enabled")) is not False


def open_to(root: Mapping[str, object], agent: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the other agents that could use an agent's entry."""
    pattern = _pattern(server_name(agent))
    return tuple(one for one in others if pattern not in _denied(root, one))


def denials(
    root: Mapping[str, object], agent: str, others: Sequence[str]
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Return what denies an entry to the other agents, and the agents that a person has to deny."""
    made, by_hand = [], []
    for other in open_to(root, agent, others):
        keys = _deny_keys(root, other)
        if keys is None:
            by_hand.append(other)
        else:
            patterns = (*_denied(root, other), _pattern(server_name(agent)))
            made.append(Change(keys, patterns))
    return tuple(made), tuple(by_hand)


def removals(root: Mapping[str, object], names: Sequence[str]) -> tuple[Change, ...]:
    """Return what takes entries away, with what is empty then, and lifts their denials."""
    servers = part(part(root, "mcp"), "servers")
    if servers.keys() <= set(names):
        is_alone = part(root, "mcp").keys() <= {"servers"}
        made = [Change(("mcp",) if is_alone else SERVERS, None)]
    else:
        made = [Change((*SERVERS, name), None) for name in names]
    patterns = {_pattern(name) for name in names}
    for agent in part(part(root, "agents"), "entries"):
        denied = _denied(root, agent)
        left = tuple(one for one in denied if one not in patterns)
        keys = _deny_keys(root, agent)
        if keys is None or left == denied:
            continue
        has_more = left or len(part(_entry(root, agent), "tools")) > 1
        made.append(Change(keys if has_more else keys[:-1], left or None))
    return tuple(made)


def _pattern(name: str) -> str:
    return f"{name}__*"


def _entry(root: Mapping[str, object], agent: str) -> Mapping[str, object]:
    """Return what the configuration says of an agent, in either of its two shapes."""
    agents = part(root, "agents")
    listed = agents.get("list")
    rows = listed if isinstance(listed, list) else []
    own = part(agents, "entries")
    known = {str(one.get("id")): one for one in rows if isinstance(one, dict)}
    found = {key.lower(): one for key, one in {**known, **own}.items() if isinstance(one, dict)}
    return found.get(agent.lower(), {})


def _denied(root: Mapping[str, object], agent: str) -> tuple[str, ...]:
    denied = part(_entry(root, agent), "tools").get("deny")
    return tuple(map(str, denied)) if isinstance(denied, list) else ()


def _deny_keys(root: Mapping[str, object], agent: str) -> tuple[str, ...] | None:
    """Return where an agent's denials are set; None where its entry is no object of this file."""
    own = part(part(root, "agents"), "entries")
    key = next((one for one in own if one.lower() == agent.lower()), None)
    return None if key is None else ("agents", "entries", key, "tools", "deny")


def _at(root: Mapping[str, object], keys: tuple[str, ...]) -> object:
    found: Mapping[str, object] = root
    for key in keys[:-1]:
        found = part(found, key)
    return found.get(keys[-1])


def _plain(value: Settable) -> object:
    return list(value) if isinstance(value, tuple) else value
