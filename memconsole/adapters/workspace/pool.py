"""Reads memory pools from disk; never writes.

Which files belong to a pool is decided in `pool_files`; this is what is counted of them:

- size in bytes on disk, tokens estimated by script, markers by tag, the category of the name;
- `memory/INDEX.md` is listed as generated and counts in no total; ACTIVE_CONTEXT.md is generated
  too and counts, since a session is given it;
- a file over 16 MB counts by its size alone;
- text is decoded by its byte order mark, else as UTF-8, else with replaced bytes and a notice;
- of the files that the platform loads at the start of a session the characters are
  held against what the platform's configuration lets through.
"""

from __future__ import annotations

import stat
import time
from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING, Final

from memconsole.adapters.workspace.pool_files import (
    INDEX_FILE,
    LINK_NOWHERE,
    LINK_OUT,
    NO_FILE,
    scan,
)
from memconsole.adapters.workspace.pool_text import UNKNOWN, FactsCache, text_pieces
from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.domain.memory.categories import CATEGORIES, by_category
from memconsole.domain.memory.files import (
    MARKER_TAGS,
    MAX_READ_BYTES,
    Limit,
    Marker,
    MemoryText,
    Pool,
    PoolItem,
    is_conflict_copy,
    is_utf8,
    shown_name,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in_bytes
from memconsole.text.figures import short_kilo, size_words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from memconsole.adapters.workspace.pool_files import FoundFile, Scan
    from memconsole.adapters.workspace.pool_text import TextFacts
    from memconsole.domain.agents import PlatformConfig
    from memconsole.domain.settings.headings import CategoryRule

ACTIVE_CONTEXT_FILE: Final = "memory/ACTIVE_CONTEXT.md"
BOOTSTRAP_FILES: Final = (
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "MEMORY.md",
)
"""What the platform loads at the start of a session, in its order."""

_GENERATED: Final = frozenset({INDEX_FILE, ACTIVE_CONTEXT_FILE})
_SCAN_GOOD_FOR_S: Final = 1.0


class DiskMemory:
    """Answers `MemoryReader` from a workspace's files; safe from any thread.

    Args:
        rules: Categories of files, in order of preference.
        tags: Markers that count beside the eight.
    """

    def __init__(
        self, rules: tuple[CategoryRule, ...] = CATEGORIES, tags: tuple[str, ...] = ()
    ) -> None:
        self._cache = FactsCache(tags=tags)
        self._rules = rules
        self._scans: dict[Path, tuple[float, Scan]] = {}
        self._lock = Lock()

    def fingerprint(self, workspace: Path) -> object:
        """Return a value that changes when a new pool reading may differ; reads no file.

        A `pool` right behind it shows the same moment: it takes the scan that was made here.
        """
        found = scan(workspace, BOOTSTRAP_FILES)
        with self._lock:
            self._scans[workspace] = (time.monotonic(), found)
        return found.mark

    def pool(
        self, workspace: Path, agents: tuple[str, ...], *, config: PlatformConfig, now: datetime
    ) -> Pool:
        """Read one workspace's pool; only files that changed are read again.

        Args:
            workspace: Folder with MEMORY.md and `memory/`; may be missing.
            agents: Ids of the agents that use it.
            config: Says how much of a file the platform loads at the start of a session.
            now: When it is, for `read_at`.
        """
        found = self._scan_of(workspace)
        agents = tuple(sorted(agents))
        reading = _Reading(self._cache, agents[0] if len(agents) == 1 else None)
        if found.exists:
            reading.read(found)
            reading.hold_against(config, found)
        elif found.unread:
            reading.read(found)
        else:
            reading.warn("workspace-missing", str(workspace), "the workspace {} does not exist")
        return reading.pool(found, agents, now, self._rules)

    def markers(self, workspace: Path) -> tuple[Marker, ...]:
        """Return every marked line of the counted files, by path and line."""
        reading = _Reading(self._cache, None)
        reading.read(scan(workspace))
        return tuple(
            Marker(tag, item.path, line, text)
            for item in reading.counted
            if item.path in reading.facts
            for line, tag, text in reading.facts[item.path].markers
        )

    def texts(self, workspace: Path) -> Iterator[MemoryText]:
        """Yield every memory file of a workspace, however long; INDEX.md is made of the others."""
        found = scan(workspace)
        for path, reason in found.unread:
            yield MemoryText(path, unread=reason)
        for file in found.files:
            if file.because is None and file.path != INDEX_FILE:
                size = file.status.st_size
                yield MemoryText(file.path, size, file.modified_at, text_pieces(file.real))
            elif file.because in (NO_FILE, LINK_OUT, LINK_NOWHERE):
                yield MemoryText(file.path, unread=file.because)

    def _scan_of(self, workspace: Path) -> Scan:
        """Take the scan of a fingerprint that was made just now, once; else scan anew."""
        with self._lock:
            made_at, found = self._scans.pop(workspace, (0.0, None))
        if found is not None and time.monotonic() - made_at <= _SCAN_GOOD_FOR_S:
            return found
        return scan(workspace, BOOTSTRAP_FILES)


@dataclass(slots=True)
class _Reading:
    """Collects the parts of one pool."""

    cache: FactsCache
    agent: str | None
    items: list[PoolItem] = field(default_factory=list)
    facts: dict[str, TextFacts] = field(default_factory=dict)
    limits: list[Limit] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def warn(self, code: str, path: str, sentence: str) -> None:
        """Add a notice; `{}` in the sentence is where the cleaned path goes."""
        message = sentence.replace("{}", shown_name(path))
        self.notices.append(Notice(code, message, path=path, agent=self.agent))

    def read(self, found: Scan) -> None:
        """Read the files of the pool itself."""
        for path, reason in found.unread:
            self.warn(UNREADABLE, path, f"{{}} cannot be read: {reason}")
        for file in found.files:
            if file.because == NO_FILE:
                self.warn(UNREADABLE, file.path, f"{{}} is {NO_FILE}")
            try:
                self._read_file(file)
            except FileNotFoundError:
                continue  # gone since the scan
        if {"MEMORY.md", "memory.md"} <= {item.path for item in self.counted}:
            sentence = "MEMORY.md and {} are two files; the agent may load either of them"
            self.warn("twin-memory", "memory.md", sentence)
        for path in (item.path for item in self.counted if is_conflict_copy(item.path)):
            sentence = "{} is a sync tool's second version of a file: keep one of the two"
            self.warn("twin-memory", path, sentence)
        for path in (item.path for item in self.items if not is_utf8(item.path)):
            self.warn("not-utf8", path, "{} has a name that is not UTF-8: it is not indexed")

    def _read_file(self, file: FoundFile) -> None:
        because = "generated" if file.path == INDEX_FILE else file.because
        is_counted = because is None
        facts = None
        if is_counted:
            because, facts = self._facts(file)
        size_bytes = file.status.st_size
        self.items.append(
            PoolItem(
                path=file.path,
                size_bytes=size_bytes,
                tokens=tokens_in_bytes(size_bytes) if facts is None else facts.tokens,
                is_generated=file.path in _GENERATED,
                is_counted=is_counted,
                because=because,
                markers=_counts(facts),
                modified_at=file.modified_at,
                encoding=facts.encoding if facts else UNKNOWN,
                title=facts.title if facts else None,
            )
        )

    def _facts(self, file: FoundFile) -> tuple[str | None, TextFacts | None]:
        """Return (what is odd about the text, facts); None for a text that is not read.

        Raises:
            FileNotFoundError: It is gone.
        """
        if file.status.st_size > MAX_READ_BYTES:
            size = size_words(file.status.st_size)
            self.warn("oversized", file.path, f"{{}} has {size}: only its size is counted")
            return "too large", None
        try:
            facts = self.cache.read(file)
        except FileNotFoundError:
            raise
        except OSError as error:
            because = f"cannot be read: {error.strerror or type(error).__name__}"
            self.warn(UNREADABLE, file.path, f"{{}} {because}")
            return because, None
        self.facts[file.path] = facts
        if facts.encoding != UNKNOWN:
            return None, facts
        self.warn("not-utf8", file.path, "{} is not UTF-8; what cannot be read was replaced")
        return "not UTF-8", facts

    def hold_against(self, config: PlatformConfig, found: Scan) -> None:
        """Compare the platform's bootstrap files with what reaches the prompt."""
        files = {file.path: file for file in (*found.files, *found.beside)}
        left = config.bootstrap_total_max_chars
        for name in BOOTSTRAP_FILES:
            facts = self.facts.get(name) or self._bootstrap_facts(files.get(name))
            if facts is None:
                continue
            limit = Limit(name, facts.chars, max(0, min(config.bootstrap_max_chars, left)))
            left -= min(limit.chars, limit.limit)
            self.limits.append(limit)
            if limit.is_over:
                chars, most = short_kilo(limit.chars), short_kilo(limit.limit)
                cut = short_kilo(limit.chars - limit.limit)
                sentence = f"{{}} has {chars} characters; a session is given {most}, {cut} are cut"
                self.warn("oversized", name, sentence)

    def _bootstrap_facts(self, file: FoundFile | None) -> TextFacts | None:
        """Read a bootstrap file that is not a counted file of the pool."""
        is_read = file is not None and any(item.path == file.path for item in self.counted)
        if file is None or is_read or not stat.S_ISREG(file.status.st_mode):
            return None
        try:
            return self._facts(file)[1]
        except FileNotFoundError:
            return None

    @property
    def counted(self) -> list[PoolItem]:
        """The items that count in the totals."""
        return [item for item in self.items if item.is_counted]

    def pool(
        self,
        found: Scan,
        agents: tuple[str, ...],
        now: datetime,
        rules: tuple[CategoryRule, ...],
    ) -> Pool:
        """Add everything up."""
        counted = self.counted
        markers = dict.fromkeys((*MARKER_TAGS, *self.cache.tags), 0)
        for item in counted:
            for tag, count in item.markers.items():
                markers[tag] += count
        generated = (item for item in self.items if item.path == ACTIVE_CONTEXT_FILE)
        return Pool(
            agents=agents,
            root=found.root,
            exists=found.exists,
            files=len(counted),
            size_bytes=sum(item.size_bytes for item in counted),
            tokens=sum(item.tokens for item in counted),
            markers=markers,
            items=tuple(self.items),
            by_category=by_category(((item.path, item.size_bytes) for item in counted), rules),
            limits=tuple(self.limits),
            notices=tuple(self.notices),
            active_context_at=next((item.modified_at for item in generated), None),
            read_at=now,
        )


def _counts(facts: TextFacts | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    for _, tag, _ in facts.markers if facts else ():
        counts[tag] = counts.get(tag, 0) + 1
    return counts
