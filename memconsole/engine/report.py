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
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.domain.jobs.runs import repeated
from memconsole.domain.report import Discretion, Section, figure, placeholders, table
from memconsole.errors import MemconsoleError
from memconsole.text import figures
from memconsole.text.outgoing import let_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Era
    from memconsole.domain.report import Schema
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.engine import Engine
    from memconsole.ports.jobs import JobControl

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
        engine: Under settings by which nothing is changed.
        jobs: Makes the table of jobs.
        given: Returns key, value and source of every setting; no source means the default.
        sqlite: Returns what is known of the SQLite library.
        schema: Reads the schema of a database.
        user_home: The operator's home folder.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        jobs: Callable[[], JobControl],
        given: Callable[[], Sequence[tuple[str, object, str]]],
        sqlite: Callable[[], Sequence[tuple[str, str]]],
        schema: Callable[[Path], Schema],
        user_home: Path,
    ) -> None:
        self._engine = engine
        self._settings = engine.settings
        self._jobs_of_all = jobs
        self._given = given
        self._sqlite = sqlite
        self._schema_of = schema
        self._user_home = user_home

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
        names = {os.uname().nodename: "[host]", str(self._user_home): "~"}
        with suppress(OSError, KeyError):
            names[getpass.getuser()] = "[user]"
        names |= dict.fromkeys(_words([self._user_home.name]), "[user]")
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
            *self._sqlite(),
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
            ("configuration can be read", figure(found.home.config.is_readable)),
            ("sessions", figure(len(found.sessions))),
            *((f"left out: {name}", str(count)) for name, count in found.left_out.items()),
        ]
        rows = [
            (
                self._agent(one.ref.id),
                _era(one.agent.era),
                one.store.value,
                figure(one.sessions),
                str(one.due),
                figure(one.tokens_max),
                figure(None if one.pool is None else one.pool.files),
                figure(None if one.pool is None else one.pool.size_bytes),
                figure(one.agent.workspace_exists),
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
        found = self._given()
        rows = [
            (self._key(key), _value(value), _origin(source))
            for key, value, source in found
            if source
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
            for one in self._jobs_of_all().jobs()
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
            alike.setdefault(self._told(path), []).append(f"{name} ({_size(path)})")
        return "\n\n".join(f"### {', '.join(names)}\n\n{text}" for text, names in alike.items())

    def _told(self, path: Path) -> str:
        if not path.exists():
            return "There is none."
        try:
            found = self._schema_of(path)
        except MemconsoleError as error:
            return f"It cannot be read ({error.code})."
        rows = [
            (
                _named(one.name),
                one.kind,
                ", ".join(f"{_named(name)} {_named(kind)}".strip() for name, kind in one.columns),
            )
            for one in found.tables
        ]
        version = f"user_version {found.user_version}"
        return f"{version}\n\n{table(('name', 'kind', 'columns'), rows)}"

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
            return figure(value)
        case str(text) if text.isalpha() and text.islower() and len(text) < 12:
            return text
        case str(text) if text[:1].isdigit() and len(text) < 12:
            return text
        case list() | tuple() | dict():
            return f"({len(value)} given)"
        case _:
            return "(set)"


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
