"""What one request to bring an index up to date consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.adapters.index.writer import Stop
    from memconsole.domain.search.indexing import Document, DocumentText, IndexScope
    from memconsole.domain.settings import SearchSettings


class Run(NamedTuple):
    """What a sync is about; see `DiskIndex.sync`."""

    scope: IndexScope
    documents: Sequence[Document]
    read: Callable[[Document], DocumentText]
    settings: SearchSettings
    cancel: Stop | None
    progress: Callable[[int, int], None] | None
