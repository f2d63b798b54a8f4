"""The releases that the lane runs, and what each needs in its configuration.

Configurations as in the fixtures of the same releases: `docs/formats.md`, "Configuration".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.lanes.gateways.model_server import EMBEDDING_MODEL, MODEL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Json = Any
"""What foreign JSON holds."""

WINDOW = 200_000
TOKEN = "token-of-the-gateway-lane"
AGENTS = ("main", "work")

_IDLE_PLUGINS = (
    "browser", "canvas", "cua-computer", "github", "geolocation", "talk-voice", "linux-node",
    "ollama", "xai", "anthropic", "file-transfer",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Release:
    """One published version of the platform.

    Attributes:
        package: Name in the npm registry, and of its program.
        version: As the registry names it.
        state: Name of the state folder in the user's home.
        has_summaries: `sessions.compact` summarises; before 2026.7 it only cuts lines.
        keeps_session_id: A reset leaves the session id as it is.
        needs_device: The token alone lets nobody see anything; only a known device does.
        is_database: Sessions are in SQLite, and its configuration has the shape of 2026.9.
    """

    package: str
    version: str
    state: str
    has_summaries: bool = False
    keeps_session_id: bool = False
    needs_device: bool = False
    is_database: bool = False

    @property
    def name(self) -> str:
        """Package and version, as npm wants them."""
        return f"{self.package}@{self.version}"

    @property
    def config_name(self) -> str:
        """Name of the configuration file."""
        return f"{self.package}.json"


OPENCLAW_9 = Release(
    "openclaw",
    "2026.9.6",
    ".openclaw",
    has_summaries=True,
    keeps_session_id=True,
    is_database=True,
)
OPENCLAW_3 = Release("openclaw", "2026.3.13", ".openclaw", needs_device=True)
CLAWDBOT_1 = Release("clawdbot", "2026.1.24-3", ".clawdbot")
RELEASES = (OPENCLAW_9, OPENCLAW_3, CLAWDBOT_1)


def config(release: Release, home: Path, port: int, model_url: str) -> dict[str, Json]:
    """Return a configuration with two agents, the model server and nothing that goes out."""
    both: dict[str, Json] = {
        "gateway": {
            "mode": "local",
            "port": port,
            "bind": "loopback",
            "auth": {"mode": "token", "token": TOKEN},
            "controlUi": {"enabled": False},
        },
        "logging": {"file": str(home / "gateway.log"), "level": "info"},
        "models": {"mode": "replace", "providers": {"stub": _provider(model_url)}},
        "update": {"checkOnStart": False},
    }
    return overlaid(both, _new(model_url) if release.is_database else _old(model_url))


def overlaid(base: Mapping[str, Json], extra: Mapping[str, Json]) -> dict[str, Json]:
    """Return a configuration with another one over it, table by table."""
    found = dict(base)
    for name, value in extra.items():
        old = found.get(name)
        are_tables = isinstance(old, dict) and isinstance(value, dict)
        found[name] = overlaid(old or {}, value) if are_tables else value
    return found


def _provider(model_url: str) -> Json:
    model = {
        "id": MODEL,
        "name": "Stub Large",
        "reasoning": False,
        "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": WINDOW,
        "maxTokens": 8192,
        "compat": {"supportsStore": False, "supportsDeveloperRole": False},
    }
    return {
        "baseUrl": model_url,
        "apiKey": "fake-api-key",
        "api": "openai-completions",
        "models": [model],
    }


def _new(model_url: str) -> dict[str, Json]:
    return {
        "agents": {
            "ownership": "explicit",
            "defaults": {
                "model": {"primary": f"stub/{MODEL}"},
                "systemAgent": {"agentId": AGENTS[0]},
                "heartbeat": {"every": "0m"},
                "skipBootstrap": True,
                "compaction": {
                    "mode": "safeguard",
                    "keepRecentTokens": 300,
                    "recentTurnsPreserve": 1,
                },
            },
            "entries": {one: {"workspace": f"~/ws-{one}"} for one in AGENTS},
        },
        "memory": {
            "search": {
                "provider": "openai-compatible",
                "model": EMBEDDING_MODEL,
                "remote": {"baseUrl": f"{model_url}/", "apiKey": "fake-api-key"},
            }
        },
        "models": {"catalogRefresh": {"enabled": False}},
        "session": {"reset": {"mode": "none"}},
        "plugins": {"entries": {one: {"enabled": False} for one in _IDLE_PLUGINS}},
        "telemetry": {"enabled": False},
    }


def _old(model_url: str) -> dict[str, Json]:
    return {
        "agents": {
            "defaults": {
                "model": {"primary": f"stub/{MODEL}"},
                "skipBootstrap": True,
                "heartbeat": {"every": "0m"},
                "memorySearch": {
                    "enabled": True,
                    "provider": "openai",
                    "model": EMBEDDING_MODEL,
                    "remote": {
                        "baseUrl": model_url,
                        "apiKey": "fake-api-key",
                        "batch": {"enabled": False},
                    },
                },
            },
            "list": [{"id": one, "workspace": f"~/ws-{one}"} for one in AGENTS],
        },
        "discovery": {"wideArea": {"enabled": False}},
    }
