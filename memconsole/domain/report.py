"""A report about one installation that may be shown to strangers: its sections, and what leaves.

A bug report is read by people who must not learn who uses the agents or what was said. Counts,
codes, times and our own words stay; every name that this home holds becomes a placeholder that
stays the same through the whole report, and what only looks like a name, an address, a path or a
quotation goes as well. Secrets are masked before all that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_SECTION_CHARS = 60_000
_LEAST_NAME_CHARS = 2


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report.

    Attributes:
        id: Stable word, also the name of its file in a ZIP.
        text: Markdown below its heading.
        problem: Why it could not be made; None when it was.
        took_ms: How long making it took.
    """

    id: str
    title: str
    text: str
    problem: str | None = None
    took_ms: int = 0

    @property
    def markdown(self) -> str:
        """The section with its heading, bounded."""
        body = self.text.strip()
        if len(body) > MAX_SECTION_CHARS:
            kept = body[:MAX_SECTION_CHARS].rpartition("\n")[0]
            body = f"{kept}\n\n(cut: {len(body):,} characters in all)"
        return f"## {self.title}\n\n{body or 'Nothing.'}\n"

    @property
    def size_bytes(self) -> int:
        """Its size as it is written."""
        return len(self.markdown.encode())


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table or view of a database; the columns of a virtual one are its module's business.

    Attributes:
        columns: Name and type of each.
    """

    name: str
    kind: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """What a database is made of."""

    user_version: int
    tables: tuple[TableSchema, ...]


def figure(value: bool | float | None) -> str:
    """Return a figure; unknown is `?`."""
    if value is None:
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def markdown(title: str, sections: Sequence[Section]) -> str:
    """Return the whole report."""
    return "\n".join((f"# {title}\n", *(one.markdown for one in sections)))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; texts are one line each, and no sign of theirs ends a cell."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in lines)


def _cell(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


_QUOTATION = r"""["“”«»][^"“”«»\n]*["“”«»]|(?<!\w)'[^'\n]*'(?!\w)|‘[^’\n]*’"""
_KEY = r"\b(?:agent|cron|hook|subagent|acp):[^\s,;`'\")]+"
_MAIL = r"[^\s@<>()\"',;]+@[^\s@<>()\"',;]+"
_HANDLE = r"(?<![\w@])@\w[\w.-]*"
_NUMBER = r"\+\d[\d ()./-]{5,}\d|(?<![\w.])\d{9,}(?![\w.])"
_ID = r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{12,}\b"
_HOST = r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b\w[\w-]*(?:\.\w[\w-]*)*\.(?:local|lan|internal|home)\b"
_PATH = (
    r"[^\s`\"',;()|=]*/[^\s`\"',;()|]*|[^\s`\"',;()|/=]+\.(?:md|jsonl?|sqlite|db|toml|log|lock)\b"
)
_PLACES: tuple[tuple[str, str], ...] = (
    (_QUOTATION, '"…"'),
    (_KEY, "[session]"),
    (_MAIL, "[address]"),
    (_HANDLE, "[name]"),
    (_ID, "[id]"),
    (_NUMBER, "[number]"),
)
"""What is no name that we know and may still be one, in the order in which it goes."""

_SAFE_HOSTS = frozenset({"127.0.0.1", "0.0.0.0"})
_SAFE_PARTS = frozenset(
    """
    .openclaw .clawdbot .moltbot .config .local agents sessions sessions.json memory archive state
    index locks logs exports cron jobs.json workspace openclaw.json moltbot.json clawdbot.json
    openclaw.sqlite openclaw-agent.sqlite memconsole.toml memconsole config.toml state.db
    scheduler.lock MEMORY.md AGENTS.md SOUL.md USER.md TOOLS.md IDENTITY.md HEARTBEAT.md
    BOOTSTRAP.md INDEX.md DREAMS.md ACTIVE_CONTEXT.md observations.md main tmp usr etc var lib bin
    share proc dev run srv
    """.split()  # noqa: SIM905 - one word a place, as they are on disk
)
"""Names of files and folders that the platform or we ourselves choose."""

_SAFE_PART = r"[\w-]*\[[\w-]+\][\w.-]*|agent-\d+|\d{4}-\d\d-\d\d(?:\.md)?|[\d.]+|\.{0,2}|~"


class Discretion:
    """Lets a text into a report: without secrets, names, addresses, paths and quotations.

    Args:
        names: Placeholder by name, of everybody and everything that this home names.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        known = {
            name.casefold(): told
            for name, told in names.items()
            if len(name) >= _LEAST_NAME_CHARS and name != told
        }
        self._known = known
        words = sorted(map(re.escape, known), key=len, reverse=True)
        self._names = (
            re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])", re.I) if words else None
        )
        self._places = tuple((re.compile(one, re.I), told) for one, told in _PLACES)
        self._paths = re.compile(_PATH)
        self._hosts = re.compile(_HOST)

    def __call__(self, text: str) -> str:
        """Return one line of a text of ours as strangers may read it."""
        said = let_out(one_line(text))
        said = self._places[0][0].sub(self._places[0][1], said)
        if self._names is not None:
            said = self._names.sub(lambda found: self._known[found[0].casefold()], said)
        for pattern, told in self._places[1:]:
            said = pattern.sub(told, said)
        said = self._hosts.sub(lambda one: one[0] if one[0] in _SAFE_HOSTS else "[host]", said)
        return self._paths.sub(lambda found: _path(found[0]), said)


def _path(path: str) -> str:
    """Return a path with the parts that somebody chose left out; their endings say enough."""
    return "/".join(_part(one) for one in path.split("/"))


def _part(part: str) -> str:
    bare = part.rstrip(".:")
    if bare in _SAFE_PARTS or re.fullmatch(_SAFE_PART, bare):
        return part
    head, dot, end = bare.rpartition(".")
    return f"….{end}" if head and dot and end.isalpha() and len(end) <= 6 else "…"


def placeholders(
    kind: str, names: Iterable[str | None], *, keeps: Sequence[str] = ()
) -> dict[str, str]:
    """Return a placeholder for each name in its order, such as `[file-2]`.

    Args:
        kind: What is named.
        names: May repeat themselves.
        keeps: Names that everybody's home has.
    """
    told = dict.fromkeys(name for name in names if name and name not in keeps)
    return {name: f"[{kind}-{number}]" for number, name in enumerate(told, 1)}
