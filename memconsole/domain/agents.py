"""Values for a platform home and its agents, and notices of what could not be read about them.

Every process loads this module, so the small words that all of them say (which face asks, how grave
something is) stand here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path, PurePath


class Storage(StrEnum):
    """Where one feature of the platform keeps its data."""

    FILES = "files"
    SQLITE = "sqlite"
    NONE = "none"
    UNREADABLE = "unreadable"
    MIXED = "mixed"
    GATEWAY = "gateway"


@dataclass(frozen=True, slots=True)
class Era:
    """Storage of each feature; detected per feature, never by version."""

    sessions: Storage = Storage.NONE
    memory_index: Storage = Storage.NONE
    cron: Storage = Storage.NONE


WARNING_CODES = (
    "agent-collision",
    "agent-unconfigured",
    "capture-failed",
    "clock-skew",
    "config-unreadable",
    "embedding-failed",
    "empty-query",
    "future-timestamp",
    "gateway-late",
    "gateway-list-cut",
    "gateway-other-home",
    "gateway-refused",
    "home-away",
    "home-failed",
    "index-stale",
    "memory-unreadable",
    "missing-transcript",
    "never-looked",
    "not-utf8",
    "nothing-there",
    "orphan-transcript",
    "other-home-found",
    "other-language",
    "oversized",
    "path-mapped",
    "planted-instructions",
    "quality-off",
    "secrets-masked",
    "session-id-mismatch",
    "settings-wrong",
    "state-newer",
    "state-unwritable",
    "store-newer",
    "store-unreadable",
    "time-zone-unknown",
    "transcript-damaged",
    "transcript-in-progress",
    "transcript-outside",
    "twin-memory",
    "unknown-records",
    "version-differs",
    "workspace-missing",
    "workspace-shared",
)
"""Every code of a notice; another word is none (`warnings[]`, `problems[]`)."""

UNREADABLE = "memory-unreadable"
"""Code of a file or folder of a memory that cannot be looked at."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the operator should know; a `warnings[]` or `problems[]` row of the contract.

    Attributes:
        code: One of `WARNING_CODES`.
        message: One plain sentence, already clean for a terminal.
        path: The file it is about, as on disk.
        agent: Agent id, when it is about one agent.
    """

    code: str
    message: str
    path: str | None = None
    agent: str | None = None


_MOST_TOLD = 3


def few(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return the first notices of each kind, and how many more there are: a store may hold much."""
    found: list[Notice] = []
    by_code: dict[str, list[Notice]] = {}
    for one in notices:
        same = by_code.setdefault(one.code, [])
        same.append(one)
        if len(same) <= _MOST_TOLD:
            found.append(one)
    for same in by_code.values():
        if len(same) > _MOST_TOLD:
            said = f"{len(same) - _MOST_TOLD} more, such as: {same[-1].message}"
            found.append(replace(same[-1], message=said))
    return tuple(found)


@dataclass(frozen=True, slots=True, order=True)
class HomeRef:
    """Names one home of one host.

    Attributes:
        path: Absolute path of the platform's state folder, on its host.
        host: Name of the host; empty for the one that this process runs on.
    """

    path: str
    host: str = ""

    def __str__(self) -> str:
        """Return the path, behind the host's name when it is another one; no path is its usual."""
        return f"{self.host}:{self.path}" if self.host and self.path else self.host or self.path


@dataclass(frozen=True, slots=True, order=True)
class AgentRef:
    """Names one agent of one home.

    Attributes:
        home: The home it belongs to.
        id: Agent id, lower-cased.
    """

    home: HomeRef
    id: str


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: configured, found on disk, or both.

    Attributes:
        name: Display name from the configuration.
        workspace: Folder that holds MEMORY.md and `memory/`; may not exist.
        workspace_doubt: Why `workspace` is a guess, which nobody writes into; "" when it is none.
        folder: `<home>/agents/<folder>` as spelled on disk; may not exist.
        sessions_dir: Folder of the file-era store.
        store_file: `sessions.json` of this agent (`session.store` may move it).
        database: `openclaw-agent.sqlite` of this agent; may not exist.
        is_configured: Named by the platform configuration (or the implied `main`); None where that
            cannot be read.
        store_agents: Ids of all agents that keep their sessions in `store_file`, the one that
            owns what names nobody first; empty when the store is this agent's alone.
        main_key: `session.mainKey`, the word for the main session in keys.
        session_scope: `session.scope`, `per-sender` unless set.
    """

    ref: AgentRef
    name: str | None
    workspace: Path
    workspace_exists: bool
    folder: Path
    sessions_dir: Path
    store_file: Path
    database: Path
    is_configured: bool | None
    era: Era = field(default_factory=Era)
    problems: tuple[Notice, ...] = ()
    store_agents: tuple[str, ...] = ()
    main_key: str = "main"
    session_scope: str = "per-sender"
    workspace_doubt: str = ""

    @property
    def id(self) -> str:
        """The agent's id, lower-cased."""
        return self.ref.id

    @property
    def workspace_shown(self) -> str:
        """The workspace as it is written: a path of Windows has no slash before its drive."""
        return as_written(self.workspace)

    @property
    def workspace_trouble(self) -> str:
        """Why its workspace is not there; a guessed place, which nobody named, is not told."""
        if self.workspace_doubt:
            return f"the workspace of {self.id} is not known: {self.workspace_doubt}"
        return f"the workspace {self.workspace_shown} of {self.id} does not exist"


def as_written(path: PurePath) -> str:
    """Return a folder's path; of one of Windows, which is no place here, without our slash."""
    text = str(path)
    is_foreign = text[2:4] in (":\\", ":/") or text[1:3] in ("\\\\", "~\\")
    return text[1:] if is_foreign else text


@dataclass(frozen=True, slots=True)
class PlatformConfig:
    """The part of the platform's configuration that memconsole uses.

    Attributes:
        path: The configuration file, None when there is none.
        user_timezone: IANA zone of the user (`agents.defaults.userTimezone`).
        windows: Context window in tokens by model id and by `provider/model`.
        window_cap: `agents.defaults.contextTokens`, the most that is used of any window.
        default_model: `agents.defaults.model.primary`.
        main_key: `session.mainKey`, `main` unless set.
        session_scope: `session.scope`, `per-sender` unless set.
        reserve_tokens: What the platform keeps free before it compacts.
        bootstrap_max_chars: Characters of one bootstrap file that reach the prompt.
        bootstrap_total_max_chars: The same for all bootstrap files together.
        gateway_port: `gateway.port`.
        last_version: `meta.lastTouchedVersion`.
        is_readable: False when there is a file that cannot be read; all else is a default then.
        checked: The keys that `config check` looks at, as written; holds no secret.
    """

    path: Path | None = None
    user_timezone: str | None = None
    windows: Mapping[str, int] = field(default_factory=dict)
    default_model: str | None = None
    window_cap: int | None = None
    main_key: str = "main"
    session_scope: str = "per-sender"
    reserve_tokens: int = 20_000
    bootstrap_max_chars: int = 20_000
    bootstrap_total_max_chars: int = 60_000
    gateway_port: int = 18_789
    last_version: str | None = None
    is_readable: bool = True
    checked: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


_MOST_NUMBER: Final = 1e12
"""No setting is as large; JSON has integers that no number of ours can hold."""


def at(config: Mapping[str, object], *keys: str) -> object:
    """Return what stands at a path of keys; None where nothing does."""
    found: object = config
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def part(config: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """Return the object at a path of keys; anything else there is an empty one."""
    found = at(config, *keys)
    return found if isinstance(found, Mapping) else {}


def number(config: Mapping[str, object], name: str, usual: float) -> float:
    """Return a number; anything else there, such as Infinity, is the usual one."""
    found = config.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return usual
    return float(found) if abs(found) < _MOST_NUMBER else usual


@dataclass(frozen=True, slots=True)
class Home:
    """One reading of the platform home.

    Attributes:
        path: Absolute path of the state folder.
        agents: Configured agents first, in their order, then the others by id.
        notices: Findings about the home itself (collisions, other homes, broken config).
        read_at: When it was read, aware UTC.
    """

    path: Path
    config: PlatformConfig
    agents: tuple[Agent, ...]
    era: Era
    notices: tuple[Notice, ...]
    read_at: datetime


_DEEPEST = 32
"""Longer tails are not tried: no real path has them, and a hostile one has thousands."""


def moved_places(path: PurePath, home: Path) -> Iterator[Path]:
    """Yield places for an absolute path of another machine, the likeliest first.

    Args:
        path: As the configuration or a store names it.
        home: The state folder that is read.

    Yields:
        Each tail of the path, longest first, inside the home and then inside its parent.
    """
    parts = path.parts[1:][-_DEEPEST:]
    for start in range(len(parts)):
        for base in (home, home.parent):
            yield base.joinpath(*parts[start:])


class Origin(StrEnum):
    """Which face asked for a run."""

    SCHEDULER = "scheduler"
    CONSOLE = "console"
    CLI = "cli"
    HOOK = "hook"
    AGENT = "agent"


class Severity(StrEnum):
    """How bad a finding is, worst last."""

    INFO = "info"
    WARNING = "warning"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info up to 3 for critical."""
        return list(Severity).index(self)
