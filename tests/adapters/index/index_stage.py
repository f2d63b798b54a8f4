"""A workspace and its index for tests of `memconsole.adapters.index`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.adapters.index.index import DiskIndex
from memconsole.adapters.workspace.documents import PoolDocuments
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.search.indexing import Document, IndexScope, Source
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import Narrowing
from memconsole.domain.settings.sections import SearchSettings
from memconsole.errors import LockedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.search.indexing import DocumentText, Pending, SyncReport
    from memconsole.ports.search import IndexReader

AT = datetime(2026, 4, 12, 9, 0, tzinfo=UTC)
WORDS_ONLY = SearchSettings(provider="none")
STATIC = SearchSettings()


@dataclass
class Stage:
    """One workspace, one index.

    Attributes:
        held: Somebody else writes the index.
        read: Paths that were read, in order.
    """

    folder: Path
    settings: SearchSettings = WORDS_ONLY
    is_long_running: bool = False
    held: bool = False
    read: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.workspace = self.folder / "ws"
        (self.workspace / "memory").mkdir(parents=True, exist_ok=True)
        self.index = DiskIndex(
            self.folder / "state" / "index",
            self.lock,
            now=lambda: AT,
            is_long_running=self.is_long_running,
        )
        ref = AgentRef(HomeRef(str(self.folder)), "main")
        self.scope = IndexScope(ref, Source.MEMORY, self.workspace)
        self.reader = PoolDocuments()

    @contextmanager
    def lock(self, name: str, what: str) -> Iterator[None]:
        if self.held:
            raise LockedError(what, "process 7")
        yield

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.workspace / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    @property
    def path(self) -> Path:
        return self.index.path(self.scope)

    @property
    def documents(self) -> tuple[Document, ...]:
        return self.reader.documents(self.workspace)

    def pending(self) -> Pending:
        return self.index.pending(self.scope, self.documents, self.settings)

    def sync(self, *, is_full: bool = False) -> SyncReport:
        return self.index.sync(
            self.scope, self.documents, self._read, self.settings, is_full=is_full
        )

    def _read(self, document: Document) -> DocumentText:
        self.read.append(document.path)
        return self.reader.read(document)

    @contextmanager
    def open(self) -> Iterator[IndexReader]:
        with self.index.open(self.scope, self.settings) as reader:
            yield reader

    def find(self, text: str, narrowing: Narrowing | None = None) -> list[str]:
        """Return the paths that hold words of a query, best first."""
        with self.open() as reader:
            legs = reader.legs(parse(text), narrowing or Narrowing(), text_only=True)
            ranked = sorted(legs.candidates, key=lambda one: -(one.text or 0))
            rows = reader.rows([one.id for one in ranked])
            return [rows[one.id].path for one in ranked]

    def cosines(self, text: str) -> dict[str, float]:
        """Return cosines by path."""
        with self.open() as reader:
            legs = reader.legs(parse(text), Narrowing())
            rows = reader.rows([one.id for one in legs.candidates])
            return {
                f"{rows[one.id].path}:{rows[one.id].start_line}": one.cosine
                for one in legs.candidates
                if one.cosine is not None
            }
