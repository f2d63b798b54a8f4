"""With what an index is searched in this process, and what stands in for what."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memconsole.adapters.index.database import load_vectors
from memconsole.adapters.index.embedding.providers import model_name, remote_of, static_of
from memconsole.adapters.index.embedding.quality import require_quality
from memconsole.adapters.index.keyword_leg import WordCounts
from memconsole.adapters.index.quality import progress_of
from memconsole.adapters.sqlite.choice import library
from memconsole.domain.search.indexing import Vectors
from memconsole.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memconsole.adapters.index.embedding.providers import Embedder
    from memconsole.adapters.index.embedding.static import StaticModel
    from memconsole.adapters.index.matrix import Matrices
    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.domain.settings.sections import SearchSettings


class Nearest(Protocol):
    """Compares vectors in memory."""

    def cosines(
        self, query: bytes, among: set[int] | None, also: Iterable[int] = ()
    ) -> dict[int, float]:
        """Return the cosines of the best candidates, and of certain chunks."""

    def nearness(self, connection: Connection, query: bytes) -> dict[int, tuple[float, float]]:
        """Return by chunk its cosine by the better model, and the best of its lines."""


class SearchBackend(NamedTuple):
    """With what an index is searched.

    Attributes:
        static: Tokenizer and vectors; None with another provider.
        counts: In how many chunks words are, as far as that is known; to be added to.
        remote: The service; None with another provider.
        memory: Vectors in memory; None: SQLite compares them.
        lacking: Chunks that wait for those vectors.
        has_quality: Every chunk has the vectors of the better model, and it is installed.
    """

    way: Vectors
    counts: dict[str, int]
    static: StaticModel | None = None
    remote: Embedder | None = None
    memory: Nearest | None = None
    has_quality: bool = False
    lacking: int = 0

    def tokens(self, text: str) -> Sequence[int]:
        """Return the token ids of a text; none without the static model."""
        return () if self.static is None else self.static.query_tokens(text)


class BackendChooser:
    """Chooses for one process.

    Args:
        is_long_running: Keep vectors in memory: the process will search again.
    """

    def __init__(self, *, is_long_running: bool) -> None:
        self.is_long_running = is_long_running
        self._matrices: Matrices | None = None
        self._words: dict[Path, WordCounts] = {}

    @contextmanager
    def means(
        self,
        connection: Connection,
        meta: Mapping[str, str],
        path: Path,
        settings: SearchSettings,
    ) -> Iterator[tuple[SearchBackend, str]]:
        """Choose what compares the vectors; the sentence names what stands in for what."""
        chosen, because = self.outlook(connection, meta, settings)
        mark = (path.stat().st_ino, meta.get("epoch"), meta.get("built_at"))
        words = self._words.setdefault(path, WordCounts())
        chosen = chosen._replace(counts=words.at((*mark, meta.get("generation"))))
        if chosen.way is not Vectors.NUMPY:
            yield chosen, because
            return
        from memconsole.adapters.index.matrix import Matrices  # noqa: PLC0415  # loads NumPy

        self._matrices = self._matrices or Matrices()
        lock, matrix = self._matrices.of(path, int(meta["dims"]))
        with lock:
            matrix.refresh(connection, meta, mark)
            yield chosen._replace(memory=matrix), because

    def outlook(
        self, connection: Connection, meta: Mapping[str, str], settings: SearchSettings
    ) -> tuple[SearchBackend, str]:
        """Choose as `means` does, and load no vectors: enough to say what an index is worth."""
        chosen, because = self._built_in(connection, meta, settings)
        if settings.provider == "quality" and chosen.way is not Vectors.NONE:
            return _with_quality(connection, meta, chosen, because)
        return chosen, because

    def _built_in(
        self, connection: Connection, meta: Mapping[str, str], settings: SearchSettings
    ) -> tuple[SearchBackend, str]:
        has_vectors = int(meta.get("dims", 0)) > 0
        try:
            static = static_of(settings)
            remote = remote_of(settings, is_patient=False)
        except IndexUnavailableError as error:
            return SearchBackend(Vectors.NONE, {}), str(error)
        if not has_vectors or meta.get("model") != model_of(settings, static):
            because = "its vectors are of another provider" if has_vectors else ""
            return SearchBackend(Vectors.NONE, {}), because
        if not self.is_long_running and load_vectors(connection):
            return SearchBackend(Vectors.EXTENSION, {}, static, remote), ""
        because = "" if self.is_long_running else _no_extension()
        return SearchBackend(Vectors.NUMPY, {}, static, remote), because


def _with_quality(
    connection: Connection, meta: Mapping[str, str], chosen: SearchBackend, because: str
) -> tuple[SearchBackend, str]:
    """Add the better model, or the reason why the built-in vectors answer without it."""
    try:
        require_quality()
    except IndexUnavailableError as error:
        return chosen, f"{error}; the built-in vectors answer"
    chunks, made = int(meta.get("chunks", 0)), progress_of(connection)
    if made >= chunks:
        return chosen._replace(has_quality=True), because
    return chosen._replace(lacking=chunks - made), (
        f"quality vectors of {made} of {chunks} chunks are made; the built-in ones answer until "
        "`memconsole reindex` or the scheduler has made the others"
    )


def model_of(settings: SearchSettings, static: StaticModel | None) -> str:
    """Return the name of what makes the vectors."""
    return model_name(settings) if static is None else static.name


def _no_extension() -> str:
    return (
        f"{library().name} {library().version} cannot load sqlite-vec; NumPy compares the vectors"
    )
