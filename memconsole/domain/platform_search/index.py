"""The platform's own index of an agent's memory: what it says of itself, and whether it is whole.

An index that is not whole is why an agent does not know what stands in its files. Tables:
`docs/formats.md`, "The platform's memory index".
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.platform_search.profile import FIRST
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.platform_search.profile import Profile

_TEXT_ONLY_MODEL: Final = "fts-only"
"""What chunks carry as their model where no embedding provider is configured."""

_CANARY_WORDS: Final = 3
_WORD: Final = re.compile(r"[A-Za-z0-9_]{4,}")


class IndexFacts(NamedTuple):
    """What an index says of itself.

    Attributes:
        path: Its database.
        profile: The rules it is searched by.
        provider: Of its vectors; `none` for words alone, None when it does not say.
        model: Of its vectors.
        dims: Numbers in a vector; None when there are none or it does not say.
        tokenizer: Of its words; empty is the usual one.
        leftovers: Files beside it that a rebuild left behind.
        is_rebuilding: Its vectors were being made anew when it was last written.
    """

    path: Path
    profile: Profile
    provider: str | None = None
    model: str | None = None
    dims: int | None = None
    tokenizer: str = ""
    leftovers: tuple[str, ...] = ()
    is_rebuilding: bool = False

    @property
    def is_text_only(self) -> bool:
        """Whether it was made without an embedding provider."""
        return self.provider == "none" or self.model == _TEXT_ONLY_MODEL

    def is_of(self, model: str) -> bool:
        """Whether the index is of a configured model; empty is any.

        Names come with a provider before them or a tag behind them, or without.
        """
        if not model or self.model is None:
            return True
        one, other = (name.rpartition("/")[2] for name in (model, self.model))
        return one in other or other in one

    @property
    def program(self) -> str:
        """The platform's program, which can index anew."""
        return "clawdbot" if self.profile == FIRST else "openclaw"

    @property
    def source(self) -> str:
        """Provider and model, in words."""
        return " ".join(one for one in (self.provider, self.model) if one) or "an unknown provider"


class IndexedFile(NamedTuple):
    """One document of an index.

    Attributes:
        hash: SHA-256 of its text, in hexadecimal, when it was indexed.
        size_bytes: Of the file then; None when the index does not say, as with `modified_ms`.
        modified_ms: Its time in milliseconds since 1970.
    """

    path: str
    hash: str
    size_bytes: int | None = None
    modified_ms: float | None = None


class IndexedChunk(NamedTuple):
    """One chunk of a memory file, without its vector.

    Attributes:
        has_vector: It can be found by meaning.
    """

    id: str
    path: str
    start_line: int
    end_line: int
    model: str
    text: str
    has_vector: bool


class Contents(NamedTuple):
    """The memory part of one index, in one state."""

    facts: IndexFacts
    files: tuple[IndexedFile, ...]
    chunks: tuple[IndexedChunk, ...]


@dataclass(frozen=True, slots=True)
class PlatformIndexHealth:
    """Whether an agent can find what stands in its memory.

    Attributes:
        facts: None when there is no index, or none that can be read.
        files: Memory files in it.
        chunks: Of them.
        missing: Memory files on disk that are not in it.
        extra: Files in it that are gone.
        stale: Files that changed since they were indexed.
        recent: Files that changed or came so lately that it need not have them yet.
        wanted_model: That is configured, where it is another one than the index is of: then a
            search finds nothing.
        other_model: Chunks of another model than the index has now: never found by meaning.
        without_vector: Chunks without a vector in an index that has them.
        canary: Words of one of its own notes that were looked for; empty when it has no words.
        is_canary_found: Looking for them found that note.
        because: Why there is nothing to say; a sentence without a full stop, or empty.
        is_absent: There is no index at all.
    """

    agent: str
    facts: IndexFacts | None = None
    files: int = 0
    chunks: int = 0
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    wanted_model: str = ""
    other_model: int = 0
    without_vector: int = 0
    canary: str = ""
    is_canary_found: bool = True
    because: str = ""
    is_absent: bool = False

    @property
    def is_deaf(self) -> bool:
        """Whether searching it finds nothing although there is something."""
        is_empty = self.facts is not None and not self.files and bool(self.missing)
        return is_empty or not self.is_canary_found or bool(self.wanted_model)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong, the gravest first, each in a few words."""
        facts = self.facts
        if facts is None:
            return ()
        found = [
            f"it is of {facts.model}, not of {self.wanted_model}" if self.wanted_model else "",
            ("" if self.is_canary_found else f"its own words “{self.canary}” are not found"),
            _count(len(self.missing), "memory file", "not in it"),
            _count(len(self.stale), "memory file", "changed since"),
            _count(len(self.extra), "file", "gone from disk"),
            _count(self.other_model, "chunk", "of another model"),
            _count(self.without_vector, "chunk", "without a vector"),
            "its vectors are incomplete" if facts.is_rebuilding else "",
            _count(len(facts.leftovers), "file", "left by a rebuild"),
        ]
        return tuple(one for one in found if one)


def _count(number: int, what: str, how: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'} {how}" if number else ""


def is_memory_file(path: str, profile: Profile) -> bool:
    """Whether the platform indexes a file of a workspace."""
    if not path.endswith(".md"):
        return False
    if path == "USER.md":
        return profile.reads_user
    return path in ("MEMORY.md", "memory.md") or path.startswith("memory/")


def text_hash(data: bytes) -> str:
    """Return the hash that the platform keeps of a file: of its text as UTF-8."""
    return hashlib.sha256(data.decode("utf-8", "replace").encode()).hexdigest()


def judged(
    agent: str,
    contents: Contents,
    on_disk: Iterable[str],
    hashes: Mapping[str, str],
    recent: Collection[str] = (),
) -> PlatformIndexHealth:
    """Compare an index with the files it is of.

    Args:
        agent: Its id.
        contents: The index.
        on_disk: Paths of the memory files as memconsole lists them.
        hashes: Of every file that is there and can be read, those of the index included.
        recent: Files that changed so lately that an index need not have them yet.
    """
    facts, chunks = contents.facts, contents.chunks
    known = {one.path: one.hash for one in contents.files if _is_ours(one.path, facts)}
    missing = {one for one in on_disk if _is_ours(one, facts)} - known.keys()
    stale = {path for path, hash_ in known.items() if hashes.get(path, hash_) != hash_}
    bare = sum(not one.has_vector and one.model == facts.model for one in chunks)
    return PlatformIndexHealth(
        agent=agent,
        facts=facts,
        files=len(known),
        chunks=len(chunks),
        missing=tuple(sorted(missing.difference(recent))),
        extra=tuple(sorted(path for path in known if path not in hashes)),
        stale=tuple(sorted(stale.difference(recent))),
        recent=tuple(sorted((missing | stale).intersection(recent))),
        other_model=sum(one.model != facts.model for one in chunks) if facts.model else 0,
        without_vector=0 if facts.is_text_only else bare,
    )


def _is_ours(path: str, facts: IndexFacts) -> bool:
    return is_memory_file(path, facts.profile)


def canary_of(chunks: Sequence[IndexedChunk]) -> tuple[str, IndexedChunk] | None:
    """Return words of one of the notes, with its chunk: looking for them must find it.

    The words are the longest plain ones of the last chunk that has any.
    """
    for one in reversed(chunks):
        found = sorted(dict.fromkeys(_WORD.findall(one.text)), key=len, reverse=True)
        if found:
            return " ".join(found[:_CANARY_WORDS]), one
    return None
