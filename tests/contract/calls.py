"""One call of every command over the demo home, in an order in which each has something to say."""

from __future__ import annotations

from memconsole.cli.app import COMMANDS, PROGRAM

KEY = "agent:work:main"

CALLS: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "agents": ("agents",),
    "sessions": ("sessions", "--all"),
    "session": ("session", KEY, "--windows"),
    "transcript": ("transcript", "agent:research:main", "--all"),
    "runs": ("runs",),
    "report": ("report",),
    "jobs": ("jobs",),
    "once": ("once", "health"),
    "alerts list": ("alerts", "list"),
    "alerts test": ("alerts", "test"),
    "alerts mute": ("alerts", "mute", "outputs-freshness"),
    "alerts unmute": ("alerts", "unmute", "outputs-freshness"),
    "config check": ("config", "check", "--recommend"),
    "config fix": ("config", "fix"),
    "config show": ("config", "show"),
    "config path": ("config", "path"),
    "config init": ("config", "init", "--dry-run"),
    "hooks status": ("hooks", "status"),
    "hooks install": ("hooks", "install", "--dry-run"),
    "hooks remove": ("hooks", "remove", "--dry-run"),
    "service status": ("service", "status", "--kind", "systemd"),
    "service install": ("service", "install", "--kind", "systemd", "--dry-run"),
    "service remove": ("service", "remove", "--kind", "systemd", "--dry-run"),
    "logs rotate": ("logs", "rotate"),
    "secrets": ("secrets", "--transcripts"),
    "prune-preview": ("prune-preview", "agent:homelab:main", "--mode", "aggressive", "--ttl", "1m"),
    "memory pool": ("memory", "pool"),
    "memory show": ("memory", "show", "MEMORY.md", "--agent", "main"),
    "memory add": ("memory", "add", "The lease ends in May.", "--agent", "main"),
    "memory forget": ("memory", "forget", "{id}", "--agent", "main", "--yes"),
    "memory undo": ("memory", "undo", "--agent", "main"),
    "memory edit": ("memory", "edit", "MEMORY.md", "--agent", "main", "--dry-run"),
    "markers": ("markers",),
    "reindex": ("reindex", "--agent", "main"),
    "search": ("search", "database", "--agent", "main", "--explain"),
    "memory search": ("memory", "search", "database", "--agent", "main"),
    "get": ("get", "MEMORY.md", "--agent", "main", "--lines", "3"),
    "memory get": ("memory", "get", "MEMORY.md", "--agent", "main", "--lines", "3"),
    "health": ("health",),
    "index-md": ("index-md", "--agent", "main", "--force"),
    "bootstrap": ("bootstrap", "--print", "--explain"),
    "flush": ("flush", "agent:research:main"),
    "observe": ("observe", "--agent", "work", "--flush"),
    "checkpoint": ("checkpoint", "--agent", "work", "--force"),
    "summarize": ("summarize", KEY),
    "recover": ("recover", "--agent", "work"),
    "restore": ("restore", KEY),
    "reflect": ("reflect", "--agent", "finance", "--force", "--yes"),
    "consolidate": ("consolidate", "--agent", "homelab"),
    "memory promote": ("memory", "promote", "{note}", "--agent", "homelab"),
    "memory decline": ("memory", "decline", "{other}", "--agent", "homelab"),
    "rotate": ("rotate", KEY, "--yes"),
    "compact": ("compact", "agent:research:main", "--yes"),
    "bench recall": ("bench", "recall", "{folder}"),
    "cleanup": ("cleanup", "--agent", "main", "--older-than", "1h", "--uncaptured", "--yes"),
    "memory tidy": ("memory", "tidy", "--agent", "main"),
}
"""Words of the call by command; `{…}` is filled in when it is called."""

NO_ANSWER = {
    "serve": "runs until it is ended, and logs",
    "mcp": "speaks the Model Context Protocol",
    **dict.fromkeys(
        [f"fleet {one}" for one in COMMANDS["fleet"]],
        "needs a PostgreSQL: `make test-postgres` calls them",
    ),
}
"""Commands that give no JSON, and why."""


def every_command() -> list[str]:
    """Return the commands of the command table that give an answer, groups resolved."""
    found = []
    for name in COMMANDS[PROGRAM]:
        inner = COMMANDS.get(name)
        found += [name] if inner is None else [f"{name} {one}" for one in inner]
    return [name for name in found if name not in NO_ANSWER]
