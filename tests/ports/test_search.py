"""An index and its documents: what is told before anything is built, and what a change costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.search.indexing import IndexScope, IndexState, Source
from memconsole.domain.settings.sections import SearchSettings
from tests.adapters.index.index_stage import Stage
from tests.doubles.search import FakeDocuments, FakeIndex

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.search.indexing import Document, Pending, SyncReport
    from memconsole.ports.search import DocumentReader, SearchIndex

WORDS_ONLY = SearchSettings(provider="none")


@dataclass(frozen=True)
class Searched:
    """A workspace with two notes, and its index."""

    workspace: Path
    index: SearchIndex
    reader: DocumentReader

    @property
    def scope(self) -> IndexScope:
        return IndexScope(AgentRef(HomeRef("/home"), "main"), Source.MEMORY, self.workspace)

    @property
    def documents(self) -> tuple[Document, ...]:
        return self.reader.documents(self.workspace)

    def write(self, path: str, text: str | None) -> None:
        """Write a note, or remove it."""
        if isinstance(self.reader, FakeDocuments):
            held = self.reader.texts.setdefault(self.workspace, {})
            held.pop(path, None)
            if text is not None:
                held[path] = text
        elif text is None:
            (self.workspace / path).unlink()
        else:
            (self.workspace / path).write_text(text)

    def pending(self) -> Pending:
        return self.index.pending(self.scope, self.documents, WORDS_ONLY)

    def sync(self) -> SyncReport:
        return self.index.sync(self.scope, self.documents, self.reader.read, WORDS_ONLY)


@pytest.fixture(params=["disk", "doubles"])
def searched(request: pytest.FixtureRequest, tmp_path: Path) -> Searched:
    stage = Stage(tmp_path)
    made = (
        Searched(stage.workspace, stage.index, stage.reader)
        if request.param == "disk"
        else Searched(stage.workspace, FakeIndex(), FakeDocuments())
    )
    made.write("memory/a.md", "zebra\n")
    made.write("memory/b.md", "lion\n")
    return made


def test_a_missing_index_says_so_and_wants_everything(searched: Searched) -> None:
    index, documents = searched.index, searched.documents
    assert index.status(searched.scope, WORDS_ONLY).state is IndexState.MISSING
    assert searched.pending().must_build
    assert [one.path for one in searched.pending().changed] == ["memory/a.md", "memory/b.md"]
    assert index.take_in(searched.scope, documents, searched.reader.read, WORDS_ONLY) is None
    with pytest.raises(FileNotFoundError), index.open(searched.scope, WORDS_ONLY):
        pytest.fail("there is none")


def test_what_was_built_is_fresh(searched: Searched) -> None:
    report = searched.sync()
    assert (report.files_changed, report.files_removed, report.is_rebuilt) == (2, 0, True)
    found = searched.index.status(searched.scope, WORDS_ONLY)
    assert (found.state, found.files) == (IndexState.FRESH, 2)
    pending = searched.pending()
    assert (pending.changed, pending.removed, pending.must_build) == ((), (), False)


def test_only_what_changed_or_went_is_pending(searched: Searched) -> None:
    searched.sync()
    searched.write("memory/a.md", "zebra and okapi\n")
    searched.write("memory/b.md", None)
    pending = searched.pending()
    assert [one.path for one in pending.changed] == ["memory/a.md"]
    assert (pending.removed, pending.must_build) == (("memory/b.md",), False)
    report = searched.sync()
    assert (report.files_changed, report.files_removed, report.is_rebuilt) == (1, 1, False)
    assert not searched.pending().changed


def test_a_document_that_is_gone_cannot_be_read(searched: Searched) -> None:
    [document, _] = searched.documents
    assert searched.reader.read(document).text == "zebra\n"
    searched.write("memory/a.md", None)
    with pytest.raises(FileNotFoundError):
        searched.reader.read(document)
