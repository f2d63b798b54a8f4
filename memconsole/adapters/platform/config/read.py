"""Reads the platform's configuration: JSON5, only what memconsole uses, never a secret.

A file that cannot be read is one notice; agents and sessions then come from the disk alone. Format:
`docs/formats.md`, "Configuration". A configuration holds tokens and keys; they never leave this
module: the checks are given a copy that has only the keys that a check looks at, none of them a
secret.
"""

from __future__ import annotations

from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.adapters.platform.config.json5_file import (
    ConfigSyntaxError,
    integer,
    mapping,
    sequence,
    text,
)
from memconsole.adapters.platform.config.parts import ConfigPartError, dotted, read_whole
from memconsole.adapters.platform.home import CONFIG_NAMES
from memconsole.domain.agents import Notice, PlatformConfig
from memconsole.lazy_dataclass import dataclass
from memconsole.system.launch import absolute
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memconsole.adapters.platform.config.parts import Keys, WholeConfig
    from memconsole.adapters.platform.home import HomeChoice


_STORE = ("session", "store")
_DEFAULT_WORKSPACE = ("agents", "defaults", "workspace")
_USED = frozenset(
    {
        _STORE,
        _DEFAULT_WORKSPACE,
        ("session", "mainKey"),
        ("session", "scope"),
        ("agents", "defaults", "userTimezone"),
        ("agents", "defaults", "model"),
        ("agents", "defaults", "model", "primary"),
    }
)
_USED_OF_AGENTS = frozenset({("id",), ("name",), ("identity", "name"), ("agentDir",)})
_FILLED = ("name", "workspace", "agentDir")
_ROSTER = (("agents",), ("agents", "defaults"), ("agents", "entries"))
"""Objects that say where memory lies; of one that is none, every workspace would be a guess."""
_OTHERS = (("session",), ("gateway",), ("models",), ("models", "providers"))

CONFIG_VARIABLES = ("OPENCLAW_CONFIG_PATH", "MOLTBOT_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH")


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """One agent as the configuration names it.

    Attributes:
        id: As written.
        workspace: As written; None means the default.
        agent_dir: Folder of its database, as written; None means the usual place.
        unset: The variable that its workspace names and that is set nowhere.
    """

    id: str
    name: str | None = None
    workspace: str | None = None
    agent_dir: str | None = None
    is_default: bool = False
    unset: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigReading:
    """The configuration with what the roster needs.

    Attributes:
        is_readable: False when there is a file that cannot be read.
        agents: As named; empty means that there is no roster.
        default_workspace: `agents.defaults.workspace`, as written.
        store: `session.store`, as written.
        default_unset: The variable that `default_workspace` names and that is set nowhere.
    """

    config: PlatformConfig
    is_readable: bool = True
    agents: tuple[AgentEntry, ...] = ()
    default_workspace: str | None = None
    store: str | None = None
    default_unset: str | None = None
    notices: tuple[Notice, ...] = ()


def read_config(choice: HomeChoice, environ: Mapping[str, str]) -> ConfigReading:
    """Read the configuration of a home; no file is a reading too."""
    path, missing = _find(choice, environ)
    if path is None:
        return ConfigReading(PlatformConfig(), notices=missing)
    try:
        whole = read_whole(path, environ, choice.path, str(choice.tilde))
    except (ConfigSyntaxError, ConfigPartError) as error:
        return _unreadable(path, str(error), missing)
    except OSError as error:
        return _unreadable(path, error.strerror or "it cannot be opened", missing)
    if (odd := _odd_roster(whole.root)) is not None:
        return _unreadable(path, odd, missing)
    return _read(path, whole, missing)


def _odd_roster(root: Mapping[str, object]) -> str | None:
    """Return what is wrong with the first part of the roster that is not of its kind."""
    section = mapping(root.get("agents"))
    agents: list[Keys] = [("agents", "entries", key) for key in mapping(section.get("entries"))]
    for keys in (*_ROSTER, *agents):
        if _is_odd(root, keys):
            return f"{dotted(keys)} is no object"
    is_list = isinstance(section.get("list"), list | NoneType)
    return None if is_list else "agents.list is no list"


def _is_odd(root: Mapping[str, object], keys: Keys) -> bool:
    value: object = root
    for key in keys:
        value = mapping(value).get(str(key))
    return value is not None and not isinstance(value, dict)


def _odd_notices(root: Mapping[str, object], path: Path) -> Iterator[Notice]:
    for keys in _OTHERS:
        if _is_odd(root, keys):
            message = f"{dotted(keys)} of {one_line(str(path))} is no object and counts as missing"
            yield Notice("config-unreadable", message, path=str(path))


def _read(path: Path, whole: WholeConfig, notices: tuple[Notice, ...]) -> ConfigReading:
    root, unset = whole.root, whole.unset
    agents, odd = _agents(root, unset, path)
    store = None if _STORE in unset else text(mapping(root.get("session")).get("store"))
    return ConfigReading(
        config=_platform_config(path, root),
        agents=agents,
        default_workspace=text(_defaults(root).get("workspace")),
        store=store,
        default_unset=unset.get(_DEFAULT_WORKSPACE),
        notices=(*notices, *odd, *_odd_notices(root, path), *_unset_notices(unset, path)),
    )


def _unset_notices(unset: Mapping[Keys, str], path: Path) -> Iterator[Notice]:
    """Name each variable that is missing where it matters; a key of a model's does not here."""
    for keys, name in unset.items():
        is_of_agent = keys[:2] in (("agents", "list"), ("agents", "entries"))
        is_ours = keys in _USED or (is_of_agent and keys[3:] in _USED_OF_AGENTS)
        if is_ours:
            message = f"{name} is not set: {dotted(keys)} of {one_line(str(path))} names it"
            yield Notice("config-unreadable", message, path=str(path))


def find_config(choice: HomeChoice, environ: Mapping[str, str]) -> Path | None:
    """Return the configuration file of a home; None when there is none."""
    return _find(choice, environ)[0]


def _find(choice: HomeChoice, environ: Mapping[str, str]) -> tuple[Path | None, tuple[Notice, ...]]:
    """Return the file and a notice for a variable that names none.

    A variable wins, but not over the file of a home that was named by an option: it belongs to
    another home then.
    """
    own = next((path for path in _own(choice.path) if _exists(path)), None)
    named = next((environ[name].strip() for name in CONFIG_VARIABLES if environ.get(name)), "")
    if not named or (choice.is_option and own is not None):
        return own, ()
    is_tilde = named.startswith("~/")
    path = choice.user_home / named[2:] if is_tilde else absolute(Path(named))
    if _exists(path):
        return path, ()
    read = "none" if own is None else one_line(str(own))
    message = f"the configuration {one_line(str(path))} does not exist; {read} is read"
    return own, (Notice("config-unreadable", message, path=str(path)),)


def _own(home: Path) -> Iterator[Path]:
    return (home / name for name in CONFIG_NAMES)


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True


def _unreadable(path: Path, reason: str, notices: tuple[Notice, ...]) -> ConfigReading:
    message = f"the platform configuration {one_line(str(path))} cannot be read: {reason}"
    notice = Notice("config-unreadable", message, path=str(path))
    config = PlatformConfig(path=path, is_readable=False)
    return ConfigReading(config, is_readable=False, notices=(*notices, notice))


def _defaults(root: Mapping[str, object]) -> Mapping[str, object]:
    return mapping(mapping(root.get("agents")).get("defaults"))


def _agents(
    root: Mapping[str, object], unset: Mapping[Keys, str], path: Path
) -> tuple[tuple[AgentEntry, ...], tuple[Notice, ...]]:
    """Read both forms of the roster: the map of now and the list of before."""
    section = mapping(root.get("agents"))
    system = mapping(mapping(section.get("defaults")).get("systemAgent"))
    default_id = text(system.get("agentId"))
    rows: list[tuple[str | None, Mapping[str, object], Keys]] = [
        (text(key), mapping(row), ("agents", "entries", key))
        for key, row in mapping(section.get("entries")).items()
    ]
    rows += [
        (text(mapping(row).get("id")), mapping(row), ("agents", "list", place))
        for place, row in enumerate(sequence(section.get("list")))
    ]
    agents = [
        _agent(agent_id, row, default_id, {key: unset.get((*keys, key)) for key in _FILLED})
        for agent_id, row, keys in rows
        if agent_id is not None
    ]
    nameless = len(rows) - len(agents)
    if not nameless:
        return tuple(agents), ()
    shown = one_line(str(path))
    message = f"{nameless} of the agents in {shown} have no id and are left out"
    return tuple(agents), (Notice("config-unreadable", message, path=str(path)),)


def _agent(
    agent_id: str,
    row: Mapping[str, object],
    default_id: str | None,
    unset: Mapping[str, str | None],
) -> AgentEntry:
    name = text(row.get("name")) if unset["name"] is None else None
    return AgentEntry(
        id=agent_id.strip(),
        name=name or text(mapping(row.get("identity")).get("name")),
        workspace=text(row.get("workspace")),
        agent_dir=text(row.get("agentDir")) if unset["agentDir"] is None else None,
        is_default=row.get("default") is True or agent_id == default_id,
        unset=unset["workspace"],
    )


def _platform_config(path: Path, root: Mapping[str, object]) -> PlatformConfig:
    defaults = _defaults(root)
    model = defaults.get("model")
    usual = PlatformConfig()
    session = mapping(root.get("session"))
    return PlatformConfig(
        path=path,
        user_timezone=text(defaults.get("userTimezone")),
        windows=_windows(mapping(mapping(root.get("models")).get("providers"))),
        default_model=text(mapping(model).get("primary")) or text(model),
        window_cap=integer(defaults.get("contextTokens")),
        main_key=(text(session.get("mainKey")) or usual.main_key).strip().lower(),
        session_scope=(text(session.get("scope")) or usual.session_scope).strip().lower(),
        reserve_tokens=_reserve(mapping(defaults.get("compaction")), usual.reserve_tokens),
        bootstrap_max_chars=integer(defaults.get("bootstrapMaxChars")) or usual.bootstrap_max_chars,
        bootstrap_total_max_chars=integer(defaults.get("bootstrapTotalMaxChars"))
        or usual.bootstrap_total_max_chars,
        gateway_port=_port(mapping(root.get("gateway")).get("port")) or usual.gateway_port,
        last_version=text(mapping(root.get("meta")).get("lastTouchedVersion")),
        checked=checked_part(root),
    )


def _port(value: object) -> int | None:
    port = integer(value)
    return port if port is not None and port < 1 << 16 else None


def _reserve(compaction: Mapping[str, object], floor: int) -> int:
    """max(reserveTokens, reserveTokensFloor), as the platform reckons."""
    configured = integer(compaction.get("reserveTokensFloor"), least=0)
    asked = integer(compaction.get("reserveTokens"), least=0) or 0
    return max(asked, floor if configured is None else configured)


def _windows(providers: Mapping[str, object]) -> dict[str, int]:
    """Windows by `provider/model`, and by model id where all providers agree."""
    exact: dict[str, int] = {}
    by_id: dict[str, set[int]] = {}
    for provider, settings in providers.items():
        for row in sequence(mapping(settings).get("models")):
            model, window = text(mapping(row).get("id")), mapping(row).get("contextWindow")
            tokens = integer(window)
            if model and tokens:
                exact[f"{provider}/{model}"] = tokens
                by_id.setdefault(model, set()).add(tokens)
    agreed = {model: found.pop() for model, found in by_id.items() if len(found) == 1}
    return {**agreed, **exact}


Mask: TypeAlias = "bool | dict[str, Mask] | list[Mask]"
"""True keeps a value, an object keeps its named keys (`*` is any), a list keeps its items."""

_COMPACTION: Final[Mask] = {
    "enabled": True,
    "mode": True,
    "reserveTokens": True,
    "reserveTokensFloor": True,
    "keepRecentTokens": True,
    "memoryFlush": {"enabled": True, "softThresholdTokens": True, "prompt": True},
}
_PRUNING: Final[Mask] = {
    "mode": True,
    "ttl": True,
    "keepLastAssistants": True,
    "softTrimRatio": True,
    "hardClearRatio": True,
    "minPrunableToolChars": True,
    "softTrim": {"maxChars": True, "headChars": True, "tailChars": True},
    "hardClear": {"enabled": True, "placeholder": True},
    "tools": {"allow": True, "deny": True},
}
_SEARCH: Final[Mask] = {
    "enabled": True,
    "model": True,
    "sources": True,
    "query": {
        "maxResults": True,
        "minScore": True,
        "hybrid": {
            "vectorWeight": True,
            "textWeight": True,
            "candidateMultiplier": True,
            "mmr": {"enabled": True, "lambda": True},
            "temporalDecay": {"enabled": True, "halfLifeDays": True},
        },
    },
}
_AGENT: Final[Mask] = {
    "id": True,
    "subagents": {"allowAgents": True},
    "memorySearch": _SEARCH,
    "memory": {"search": _SEARCH},
}
_RESET: Final[Mask] = {"mode": True, "atHour": True, "idleMinutes": True}

_HISTORY: Final[dict[str, Mask]] = {"dmHistoryLimit": True, "dms": {"*": {"historyLimit": True}}}

_KEPT: Final[Mask] = {
    "agents": {
        "defaults": {
            "compaction": _COMPACTION,
            "contextPruning": _PRUNING,
            "subagents": {"allowAgents": True},
            "memorySearch": _SEARCH,
        },
        "list": [_AGENT],
        "entries": {"*": _AGENT},
    },
    "compaction": _COMPACTION,
    "memory": {"search": _SEARCH},
    "session": {
        "dmScope": True,
        "groupScope": True,
        "idleMinutes": True,
        "reset": _RESET,
        "resetByType": {"*": _RESET},
        "resetByChannel": {"*": _RESET},
    },
    "hooks": {"internal": {"enabled": True, "entries": {"*": {"enabled": True}}}},
    "bindings": [
        {
            "agentId": True,
            "match": {
                "channel": True,
                "accountId": True,
                "guildId": True,
                "teamId": True,
                "peer": {"kind": True, "id": True},
            },
        }
    ],
    "plugins": {
        "entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}},
        "slots": {"memory": True},
    },
    "channels": {"*": {**_HISTORY, "accounts": {"*": _HISTORY}}},
    "meta": {"lastTouchedVersion": True},
}


def checked_part(root: Mapping[str, object]) -> Mapping[str, object]:
    """Return a copy of what is checked; what has another shape than it should is left out."""
    kept = _kept(_with_pruning_mode(root), _KEPT)
    return kept if isinstance(kept, dict) else {}


def _with_pruning_mode(root: Mapping[str, object]) -> Mapping[str, object]:
    """Return the configuration with `contextPruning = "adaptive"` as the mode that it means."""
    defaults = mapping(mapping(root.get("agents")).get("defaults"))
    mode = defaults.get("contextPruning")
    if not isinstance(mode, str):
        return root
    agents = {
        **mapping(root.get("agents")),
        "defaults": {**defaults, "contextPruning": {"mode": mode}},
    }
    return {**root, "agents": agents}


def _kept(value: object, mask: Mask) -> object:
    """Return the masked copy; empty where the shape is another one."""
    if isinstance(mask, bool):
        return value
    if isinstance(mask, list):
        rows = value if isinstance(value, list) else ()
        return [_kept(row, mask[0]) if isinstance(row, dict) else {} for row in rows]
    if not isinstance(value, dict):
        return {}
    found = {}
    for key, part in value.items():
        wanted = mask.get(key, mask.get("*"))
        if wanted is not None and (isinstance(wanted, bool) or isinstance(part, dict | list)):
            found[key] = _kept(part, wanted)
    return found
