"""The hooks that memconsole puts into the platform, and their texts.

A hook returns early on other events, calls memconsole, catches everything and throws nothing. It is
CommonJS in a `.js` file: a `.ts` beside it would be taken first and fails on plain Node, and module
syntax depends on the Node that runs.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

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
