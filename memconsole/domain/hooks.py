"""What is put into the platform so that an agent is given its memory: hooks, and tools.

A hook returns early on other events, calls memconsole, catches everything and throws nothing. It is
CommonJS in a `.js` file: a `.ts` beside it would be taken first and fails on plain Node, and module
syntax depends on the Node that runs.

`mcp.servers` holds for every agent of a home. So the other agents are denied the tools of an entry
(`tools.deny`), where their own entries stand as objects; elsewhere a person has to.
"""

from __future__ import annotations

import hashlib
import json
import re
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import at, part
from memconsole.domain.config_check.finding import Change
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.config_check.finding import Settable


MARK: Final = "memconsole-hook"
"""Stands in each file of ours: what does not hold it is somebody else's."""

BOOTSTRAP_MS: Final = 3_000


class HookState(StrEnum):
    """What is in a hook's folder."""

    MISSING = "missing"
    INSTALLED = "installed"
    OUTDATED = "outdated"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class HookSpec:
    """One hook.

    Attributes:
        name: Of its folder; a prefix may stand before it.
        events: That it listens to.
    """

    name: str
    emoji: str
    about: str
    events: tuple[str, ...]
    body: str


@dataclass(frozen=True, slots=True)
class HookStatus:
    """One hook, or one entry for memory as tools, as it is on disk.

    Attributes:
        path: Its folder; of an entry the configuration.
        is_enabled: Whether the platform runs it; None when its configuration does not say.
        message: One sentence without a full stop.
        called_at: When the platform called it last; None when no call was seen.
        proof: What says that it runs: `platform`, which lists it as ready or just started it, or
            `call`, the last one that was seen; None when nothing does.
    """

    name: str
    path: str
    state: HookState
    is_enabled: bool | None
    message: str
    hint: str = ""
    called_at: datetime | None = None
    proof: str | None = None


_BOOTSTRAP = """\
  if (event.type !== "agent" || event.action !== "bootstrap") return;
  const words = ["--json", "bootstrap"];
  if (context.workspaceDir) words.push(`--workspace=${path.resolve(String(context.workspaceDir))}`);
  const key = context.sessionKey || event.sessionKey;
  if (key) words.push(`--session-key=${key}`);
  const answer = JSON.parse(await answerOf(words, LIMIT_MS));
  const files = answer.data.files.filter((file) => file && file.path && file.content);
  const given = files.map(({ name, path, content }) => ({ name, path, content, missing: false }));
  const known = Array.isArray(context.bootstrapFiles) ? context.bootstrapFiles : [];
  if (given.length > 0) context.bootstrapFiles = [...known, ...given];
"""

_SUMMARY = """\
  const isCommand = event.type === "command" && ["new", "reset"].includes(event.action);
  const isAuto = event.type === "session" && event.action === "auto-reset";
  if (!isCommand && !isAuto) return;
  const entry = context.previousSessionEntry || context.sessionEntry || {};
  const id = entry.sessionId || context.previousSessionId || context.sessionId;
  const key = event.sessionKey || context.sessionKey;
  if (!key) return;
  const reason = isCommand ? event.action : context.reason === "idle" ? "idle" : "daily";
  const words = ["summarize", "--reason", reason];
  if (id) words.push(`--session-id=${id}`);
  leave([...words, "--", String(key)]);
"""

_FLUSH = """\
  if (event.type !== "session" || event.action !== "compact:before") return;
  const key = event.sessionKey || context.sessionKey;
  if (key) leave(["observe", "--flush", `--session=${key}`]);
"""

HOOKS: Final = (
    HookSpec(
        "memory-index-inject",
        "🧠",
        "Gives a starting session its memory: index, active context, observations.",
        ("agent:bootstrap",),
        _BOOTSTRAP,
    ),
    HookSpec(
        "session-summary",
        "📝",
        "Writes the summary of a session that ends.",
        ("command:new", "command:reset", "session:auto-reset"),
        _SUMMARY,
    ),
    HookSpec(
        "memory-flush",
        "💾",
        "Saves what was said before a compaction.",
        ("session:compact:before",),
        _FLUSH,
    ),
)


def hook_md(spec: HookSpec, folder: str) -> str:
    """Return HOOK.md: front matter for both generations of the platform, and a few words."""
    # No `requires.bins`: the handler knows the path, and the Gateway's PATH may lack it.
    about = {"emoji": spec.emoji, "events": list(spec.events)}
    metadata = json.dumps({"openclaw": about, "clawdbot": about}, ensure_ascii=False)
    return (
        f'---\nname: {folder}\ndescription: "{spec.about}"\nmetadata: {metadata}\n---\n\n'
        f"# {folder}\n\n{spec.about} Installed by memconsole; `memconsole hooks remove` takes it "
        f"away.\n\n<!-- {MARK} -->\n"
    )


def handler_js(spec: HookSpec, program: str) -> str:
    """Return handler.js; what it starts stands in the root folder, and imports nothing from there.

    Args:
        spec: The hook.
        program: Path of memconsole; its name alone is tried when the path is gone.
    """
    return f"""\
// {MARK}: {spec.name}. Never throws, and disturbs nothing when memconsole is gone.
"use strict";
const {{ execFile, spawn }} = require("node:child_process");
const {{ existsSync }} = require("node:fs"), path = require("node:path");

const PROGRAM = {json.dumps(program)};
const HOME = path.resolve(__dirname, "..", "..");
const LIMIT_MS = {BOOTSTRAP_MS};
const MARKS = {{ PYTHONSAFEPATH: "1", MEMCONSOLE_HOOK: path.basename(__dirname) }};
const PLACE = {{ cwd: path.parse(HOME).root, env: {{ ...process.env, ...MARKS }} }};

const program = () => (existsSync(PROGRAM) ? PROGRAM : "memconsole");

const answerOf = (words, limit) => new Promise((resolve, reject) => {{
  const options = {{ ...PLACE, timeout: limit, killSignal: "SIGKILL", maxBuffer: 1 << 20 }};
  execFile(program(), ["--home", HOME, ...words], options, (error, stdout) =>
    stdout ? resolve(stdout) : reject(error || new Error("no answer")),
  );
}});

const leave = (words) => {{
  const options = {{ ...PLACE, detached: true, stdio: "ignore" }};
  const child = spawn(program(), ["--home", HOME, ...words], options);
  child.on("error", () => {{}});
  child.unref();
}};

const work = async (event, context) => {{
{spec.body}}};

const handler = async (event) => {{
  try {{
    await work(event || {{}}, (event && event.context) || {{}});
  }} catch {{
    // A session starts, ends and compacts as if this hook were not there.
  }}
}};

module.exports = handler;
module.exports.default = handler;
void answerOf, leave;
"""


SERVERS: Final = ("mcp", "servers")

PREFIX: Final = "memconsole-"

HOOK_VARIABLE: Final = "MEMCONSOLE_HOOK"
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
        for variable, value in {**(self.variables or {}), HOOK_VARIABLE: self.name}.items():
            yield ("env", variable), value
        # The SDK offers empty lists of prompts and resources; nobody needs tools for these.
        yield ("toolFilter", "include"), ("memory_*",)
        yield ("codex", "agents"), (self.agent,)

    def changes(self) -> tuple[Change, ...]:
        """Return what writes it."""
        return tuple(Change((*SERVERS, self.name, *keys), value) for keys, value in self.values())

    def is_in(self, root: Mapping[str, object]) -> bool:
        """Whether it stands there as it should."""
        return all(at(root, *one.keys) == _plain(one.value) for one in self.changes())


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
    for name in part(root, *SERVERS):
        words = at(root, *SERVERS, name, "args")
        if at(root, *SERVERS, name, "env", HOOK_VARIABLE) == name and isinstance(words, list):
            agent = dict(pairwise(words)).get("--agent")
            found[name] = agent if isinstance(agent, str) else ""
    return found


def is_taken(root: Mapping[str, object], name: str) -> bool:
    """Whether an entry of that name is somebody else's."""
    return name in part(root, *SERVERS) and name not in entries(root)


def is_enabled(root: Mapping[str, object], name: str) -> bool:
    """Whether the platform offers an entry's tools; it does unless the entry says otherwise."""
    return at(root, *SERVERS, name, "enabled") is not False


def open_to(root: Mapping[str, object], agent: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the other agents that could use an agent's entry."""
    pattern = _pattern(server_name(agent))
    return tuple(one for one in others if pattern not in _denied(root, one))


def denials(
    root: Mapping[str, object],
    agent: str,
    others: Sequence[str],
    *,
    whole: Mapping[str, object] | None = None,
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Return what denies an entry to the other agents, and the agents that a person has to deny.

    Args:
        root: What the file says that is changed.
        agent: Whose entry it is.
        others: The other agents.
        whole: With its parts, which may deny it as well; None for none.
    """
    made, by_hand = [], []
    for other in open_to(root if whole is None else whole, agent, others):
        keys = _deny_keys(root, other)
        if keys is None:
            by_hand.append(other)
        else:
            patterns = (*_denied(root, other), _pattern(server_name(agent)))
            made.append(Change(keys, patterns))
    return tuple(made), tuple(by_hand)


def removals(root: Mapping[str, object], names: Sequence[str]) -> tuple[Change, ...]:
    """Return what takes entries away, with what is empty then, and lifts their denials."""
    servers = part(root, *SERVERS)
    if servers.keys() <= set(names):
        is_alone = part(root, "mcp").keys() <= {"servers"}
        made = [Change(("mcp",) if is_alone else SERVERS, None)]
    else:
        made = [Change((*SERVERS, name), None) for name in names]
    patterns = {_pattern(name) for name in names}
    for agent in part(root, "agents", "entries"):
        denied = _denied(root, agent)
        left = tuple(one for one in denied if one not in patterns)
        keys = _deny_keys(root, agent)
        if keys is None or left == denied:
            continue
        has_more = left or len(part(_entry(root, agent), "tools")) > 1
        made.append(Change(keys if has_more else keys[:-1], left or None))
    return tuple(made)


def left_in(
    root: Mapping[str, object], names: Sequence[str], hooks: Sequence[str]
) -> tuple[str, ...]:
    """Return the keys of a file by which it still has entries, denials of them, or hooks on."""
    patterns = {_pattern(name) for name in names}
    found: list[tuple[str, ...]] = [(*SERVERS, it) for it in names if it in entries(root)]
    for agent in part(root, "agents", "entries"):
        keys = _deny_keys(root, agent)
        if keys is not None and patterns & {*_denied(root, agent)}:
            found.append(keys)
    on = part(root, "hooks", "internal", "entries")
    found += [("hooks", "internal", "entries", name) for name in hooks if name in on]
    return tuple(Change(keys, None).key for keys in found)


def switched_on(root: Mapping[str, object], names: Sequence[str]) -> tuple[Change, ...]:
    """Return what takes away entries that only switch these hooks on; what says more stays."""
    place = ("hooks", "internal", "entries")
    found = part(root, *place)
    plain = [name for name in names if found.get(name) == {"enabled": True}]
    if plain and found.keys() == set(plain):
        return (Change(place, None),)
    return tuple(Change((*place, name), None) for name in plain)


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
    own = part(root, "agents", "entries")
    key = next((one for one in own if one.lower() == agent.lower()), None)
    return None if key is None else ("agents", "entries", key, "tools", "deny")


def _plain(value: Settable) -> object:
    return list(value) if isinstance(value, tuple) else value
