"""Gathers a report of this installation for a bug report; nothing is changed, not even our state.

What is wrong is why such a report is written: a section that cannot be made says why, and the
others are made all the same.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import shutil
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.adapters.sqlite.choice import library
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.sqlite.read_only import read_platform
from memconsole.compose.engine import build_engine
from memconsole.compose.jobs import build_jobs
from memconsole.compose.process import user_home
from memconsole.config.show import DEFAULT, describe
from memconsole.domain.jobs.runs import repeated
from memconsole.domain.report import Discretion, Section, placeholders, table
from memconsole.errors import MemconsoleError
from memconsole.text import figures
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from memconsole.domain.agents import Era, Origin
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ports.platform import Clock

_RUNS = 100
_LIBRARIES = ("textual", "rich", "typer", "msgspec", "numpy", "sqlite-vec", "watchfiles", "mcp")
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL", "NO_COLOR")
_PUBLIC = """
    main direct dm group channel thread topic account cron run subagent hook heartbeat
    incognito acp openai openresponses dashboard explicit unknown telegram whatsapp slack
    discord signal imessage matrix webchat teams irc google googlechat line zalo global
    agent
""".split()  # noqa: SIM905 - one word a place
"""Words of session keys and labels that name nobody."""


class ReportMaker:
    """Makes the sections of one report.

    Args:
        settings: Of this call.
        origin: Who asks.
        clock: The clock of the process.
    """

    def __init__(self, settings: Settings, origin: Origin, clock: Clock) -> None:
        self._given = settings
        self._settings = replace(settings, ui=replace(settings.ui, read_only=True))
        self._clock = clock
        self._engine = build_engine(self._settings, origin, clock=clock)

    def sections(self) -> Iterator[Section]:
        """Yield the sections in their order, each as it is made."""
        parts: dict[str, tuple[str, Callable[[], str]]] = {
            "versions": ("Versions", self._versions),
            "home": ("The home", self._home),
            "configuration": ("Configuration of memconsole", self._configuration),
            "findings": ("Findings", self._findings),
            "health": ("Health", self._health),
            "config-check": ("Configuration of the platform", self._config_check),
            "warnings": ("Warnings of this reading", self._warnings),
            "jobs": ("Jobs", self._jobs),
            "runs": (f"Last runs, at most {_RUNS}", self._runs),
            "schema": ("Schema of the stores", self._schema),
        }
        made: list[Section] = []
        for name, (title, make) in parts.items():
            made.append(self._section(name, title, make))
            yield made[-1]
        rows = [(one.id, f"{one.took_ms} ms", one.problem or "") for one in made]
        yield Section(
            "timings", "Timings of this report", table(("section", "took", "problem"), rows)
        )

    def places(self) -> tuple[Path, ...]:
        """Return the folders that are the agents' own, as far as they can be known."""
        try:
            home = self._engine.home.read()
        except MemconsoleError:
            return () if self._settings.home is None else (self._settings.home,)
        return (home.path, *(one.workspace for one in home.agents))

    def _section(self, name: str, title: str, make: Callable[[], str]) -> Section:
        began_s = time.monotonic()
        problem = None
        try:
            text = make()
        except MemconsoleError as error:
            problem = error.code
            text = f"It cannot be told: {self._say(str(error))} ({error.code})"
        except Exception as error:  # an isolation edge: what fails here is worth a report
            problem = type(error).__name__
            text = f"It met a fault of memconsole:\n\n{_trace(error)}"
        return Section(name, title, text, problem, round((time.monotonic() - began_s) * 1000))

    # ---- what is read once ---------------------------------------------------------------

    @cached_property
    def _snapshot(self) -> ConsoleSnapshot:
        return self._engine.snapshot()

    @cached_property
    def _say(self) -> Discretion:
        return Discretion(self._names)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """Return the placeholders; without a home only this host's own names are known."""
        names = {os.uname().nodename: "[host]", str(user_home()): "~"}
        with suppress(OSError, KeyError):
            names[getpass.getuser()] = "[user]"
        names |= dict.fromkeys(_words([user_home().name]), "[user]")
        names[str(self._settings.state_dir)] = "[state]"
        if self._settings.home is not None:
            names[str(self._settings.home)] = "[home]"
        try:
            return {**_names_of(self._snapshot), **names}
        except MemconsoleError:
            return names

    def _agent(self, agent: str | None) -> str:
        """Return the placeholder of an agent; one that is gone has none."""
        if agent is None or agent == "main":
            return agent or ""
        return self._names.get(agent, "agent-?")

    # ---- sections ------------------------------------------------------------------------

    def _versions(self) -> str:
        sqlite = library()
        size = shutil.get_terminal_size()
        flags = [
            name for name in ("TMUX", "STY", "SSH_CONNECTION", "WT_SESSION") if name in os.environ
        ]
        encoding = getattr(sys.stdout, "encoding", None) or "?"
        rows = [
            ("memconsole", __version__),
            ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
            ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
            ("distribution", _distribution()),
            ("C library", " ".join(platform.libc_ver())),
            ("SQLite", f"{sqlite.version}, {sqlite.name} ({sqlite.reason})"),
            ("SQLite loads extensions", figures_of(sqlite.can_load_extensions)),
            *((name, _version(name)) for name in _LIBRARIES),
            *((name, let_out(os.environ.get(name, "not set"))) for name in _TERMINAL),
            (
                "terminal",
                f"{size.columns}x{size.lines}, {encoding}, under {', '.join(flags) or 'none'}",
            ),
        ]
        return table(("what", "version"), rows)

    def _home(self) -> str:
        found = self._snapshot
        gateway, scheduler = found.gateway, found.scheduler
        facts = [
            ("era", _era(found.era)),
            ("release, by the configuration", self._say(found.home.config.last_version or "?")),
            ("release, by the Gateway", self._say(gateway.version or "?")),
            ("Gateway", self._say(f"{gateway.verdict} {gateway.reason or ''}")),
            ("scheduler", f"{scheduler.state}, since {_time(scheduler.since)}"),
            ("configuration can be read", figures_of(found.home.config.is_readable)),
            ("sessions", figures_of(len(found.sessions))),
            *((f"left out: {name}", str(count)) for name, count in found.left_out.items()),
        ]
        rows = [
            (
                self._agent(one.ref.id),
                _era(one.agent.era),
                one.store.value,
                figures_of(one.sessions),
                str(one.due),
                figures_of(one.tokens_max),
                figures_of(None if one.pool is None else one.pool.files),
                figures_of(None if one.pool is None else one.pool.size_bytes),
                figures_of(one.agent.workspace_exists),
                ", ".join(dict.fromkeys(it.code for it in one.problems)),
            )
            for one in found.agents
        ]
        columns = (
            "agent",
            "era",
            "store",
            "sessions",
            "due",
            "fullest",
            "files",
            "bytes",
            "workspace",
        )
        return f"{table(('what', 'value'), facts)}\n\n{table((*columns, 'problems'), rows)}"

    def _configuration(self) -> str:
        """Return what differs from the defaults: those are the same for this version everywhere."""
        found = describe(self._given)
        rows = [
            (self._key(row.key), _value(row.value), _origin(row.source))
            for row in found
            if row.source != DEFAULT
        ]
        rest = f"{len(found) - len(rows)} of {len(found)} settings are the defaults."
        return f"{table(('key', 'value', 'from'), rows)}\n\n{rest}" if rows else rest

    def _key(self, key: str) -> str:
        """Return the name of a setting; that of one agent's begins with the agent."""
        head, *rest = key.split(".")
        if head != "agents":
            return key
        return ".".join((head, self._agent(".".join(rest[:-2])), *rest[-2:]))

    def _findings(self) -> str:
        rows = [
            (one.severity.value, one.code, self._agent(one.agent), self._say(one.message))
            for one in self._snapshot.attention
        ]
        return table(("severity", "code", "agent", "what"), rows) if rows else "Nothing was found."

    def _health(self) -> str:
        rows = [
            (one.status.value, one.id, _value(one.value), _value(one.limit), self._say(one.message))
            for one in self._engine.health.look(self._snapshot).report.checks
        ]
        return table(("status", "check", "value", "limit", "what"), rows)

    def _config_check(self) -> str:
        found = self._engine.config.check(self._snapshot)
        rows = [
            (one.severity.value, one.id, self._agent(one.agent), self._say(one.why))
            for one in found.findings
        ]
        return table(("severity", "finding", "agent", "why"), rows)

    def _warnings(self) -> str:
        by_code: dict[str, list[str]] = {}
        for one in self._snapshot.notices:
            by_code.setdefault(one.code, []).append(one.message)
        rows = [(code, str(len(said)), self._say(said[0])) for code, said in by_code.items()]
        return table(("code", "times", "the first"), rows) if rows else "None."

    def _jobs(self) -> str:
        jobs = build_jobs(self._settings, self._engine, clock=self._clock)
        rows = [
            (
                one.id,
                one.trigger,
                one.state,
                one.record.status or "",
                one.record.reason or "",
                _time(one.record.started_at),
                figures.took(one.record.duration_ms),
                str(one.record.missed),
                str(one.record.failures),
            )
            for one in jobs.jobs()
        ]
        columns = ("job", "when", "state", "last", "reason", "began", "took", "missed", "failures")
        return table(columns, [tuple(map(self._say, row)) for row in rows])

    def _runs(self) -> str:
        """Return what was run: a message may repeat what somebody said, and is left out."""
        rows = [
            (
                _time(line.run.started_at),
                line.run.origin.value,
                line.run.job or "",
                line.run.command,
                self._agent(line.run.agent),
                line.run.status,
                line.run.reason or "",
                figures.took(line.run.duration_ms),
                str(line.count),
            )
            for line in repeated(self._engine.runs.newest(limit=_RUNS))
        ]
        columns = ("began", "by", "job", "command", "agent", "status", "reason", "took", "times")
        return table(columns, rows) if rows else "None."

    def _schema(self) -> str:
        """Return tables and columns of every database, once for those that are alike."""
        alike: dict[str, list[str]] = {}
        for name, path in self._databases():
            alike.setdefault(_schema_of(path), []).append(f"{name} ({_size(path)})")
        return "\n\n".join(f"### {', '.join(names)}\n\n{text}" for text, names in alike.items())

    def _databases(self) -> Iterator[tuple[str, Path]]:
        yield "state.db of memconsole", self._settings.state_dir / "state.db"
        for path in sorted((self._settings.state_dir / "index").glob("**/*.sqlite")):
            yield "a search index of memconsole", path
        home = self._engine.home.read()
        yield "openclaw.sqlite of the platform", home.path / "state" / "openclaw.sqlite"
        for agent in home.agents:
            name = self._agent(agent.id)
            yield f"sessions of {name}", agent.database
            yield f"the platform's index of {name}", home.path / "memory" / f"{agent.id}.sqlite"


def _names_of(found: ConsoleSnapshot) -> dict[str, str]:
    """Return the placeholders of everything that a home names."""
    ids = [one.ref.id for one in found.agents]
    titles = [one.agent.name for one in found.agents]
    labels = [text for one in found.sessions for text in (one.label, one.name)]
    keys = [one.key_text for one in found.sessions]
    peers = [part for key in keys for part in (key or "").replace("@", ":").split(":")]
    files = [item.path for one in found.agents if one.pool for item in one.pool.items]
    files += [name for path in files if not _is_usual(name := path.rpartition("/")[2])]
    paths = [str(one.agent.workspace) for one in found.agents]
    paths += [one.agent.workspace_shown for one in found.agents]
    return {
        **placeholders("name", _words([*labels, *titles]), keeps=_PUBLIC),
        **placeholders("peer", peers, keeps=(*_PUBLIC, *ids)),
        **placeholders("file", (one for one in files if not _is_usual(one))),
        **placeholders("session", keys),
        **placeholders("label", labels, keeps=_PUBLIC),
        **placeholders("id", (one.session_id for one in found.sessions)),
        **placeholders("name", titles, keeps=("main",)),
        **placeholders("workspace", paths),
        **{name: f"agent-{number}" for number, name in enumerate(ids, 1) if name != "main"},
        str(found.home.path): "[home]",
        str(found.home.path.parent): "[above-home]",
    }


def _words(texts: Sequence[str | None]) -> Iterator[str]:
    """Yield the words of names that are no everyday words of ours."""
    for text in texts:
        for word in (text or "").replace("_", " ").split():
            if len(word) > 2 and not word.islower():
                yield word.strip(".,:;()[]{}!?\"'")


def _is_usual(name: str) -> bool:
    """Whether a file bears a name that the platform, we or the calendar chose."""
    stem = name.removeprefix("memory/").removesuffix(".md")
    return stem.isupper() or stem.replace("-", "").isdigit() or stem in ("observations",)


def _origin(source: str) -> str:
    """Return where a setting was given; the names of variables and files may name somebody."""
    word = source.partition(" ")[0]
    return word if word in ("option", "environment") else "file"


def _value(value: object) -> str:
    """Return a value that says nothing of a person: a text is only known to be there."""
    match value:
        case None:
            return "unset"
        case bool() | int() | float():
            return figures_of(value)
        case str(text) if text.isalpha() and text.islower() and len(text) < 12:
            return text
        case str(text) if text[:1].isdigit() and len(text) < 12:
            return text
        case list() | tuple() | dict():
            return f"({len(value)} given)"
        case _:
            return "(set)"


def figures_of(value: bool | float | None) -> str:
    """Return a figure; unknown is `?`."""
    if value is None:
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def _time(at: datetime | None) -> str:
    return "?" if at is None else at.isoformat(timespec="seconds")


def _era(era: Era) -> str:
    return f"sessions {era.sessions.value}, index {era.memory_index.value}, cron {era.cron.value}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "?")
    except OSError:
        return "?"


def _trace(error: BaseException) -> str:
    """Return where a fault of ours arose; its message may hold anything, and stays here."""
    root = Path(__file__).parents[1]
    frames = traceback.extract_tb(error.__traceback__)
    ours = (one for one in frames if Path(one.filename).is_relative_to(root))
    lines = [f"- memconsole/{Path(one.filename).relative_to(root)}:{one.lineno}" for one in ours]
    return "\n".join([f"`{type(error).__name__}`", "", *lines])


def _size(path: Path) -> str:
    try:
        return figures.size(path.stat().st_size)
    except OSError:
        return "missing"


def _named(name: object) -> str:
    """Return the name of a table, a column or a type; what no program names so may be anything."""
    said = str(name)
    return (
        let_out(said)
        if re.fullmatch(r"(?:[a-z_]\w{0,63}(?:\(\d+\))?)?", said, re.A | re.I)
        else "…"
    )


def _schema_of(path: Path) -> str:
    if not path.exists():
        return "There is none."

    def columns(database: ReadOnlyDatabase, table_: str, sql: str) -> str:
        """Return the columns of one table; those of a virtual one are its module's own business."""
        if sql.upper().startswith(("CREATE VIRTUAL", "CREATE VIEW")):
            return ""
        found = database.rows("SELECT name, lower(type) FROM pragma_table_info(?)", (table_,))
        return ", ".join(f"{_named(name)} {_named(kind)}".strip() for name, kind in found)

    def read(database: ReadOnlyDatabase) -> str:
        rows = [
            (_named(name), str(kind), columns(database, str(name), str(sql)))
            for name, kind, sql in database.rows(
                "SELECT name, type, sql FROM sqlite_master "
                "WHERE type IN ('table', 'view') ORDER BY name"
            )
        ]
        version = f"user_version {database.user_version}"
        return f"{version}\n\n{table(('name', 'kind', 'columns'), rows)}"

    try:
        return read_platform(path, read, PrivateCopies())
    except MemconsoleError as error:
        return f"It cannot be read ({error.code})."
