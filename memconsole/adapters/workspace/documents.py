"""Hands the files of a memory pool to the search index: which there are, and their masked text."""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import TYPE_CHECKING, Final

from memconsole.adapters.workspace.pool_files import (
    INDEX_FILE,
    NO_FILE,
    FoundFile,
    find_plain,
    reason_of,
    scan,
)
from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.domain.memory.files import MAX_READ_BYTES, is_text, is_utf8, shown_name
from memconsole.domain.search.indexing import Document, DocumentText, Source
from memconsole.errors import WorkspaceError
from memconsole.text.figures import size_words
from memconsole.text.outgoing import let_out, name_out
from memconsole.text.plain import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memconsole.adapters.workspace.pool_files import Scan

_ARCHIVES: Final = ("memory/archive/", "memory/observation-backups/")
_ODD_LINE_ENDS: Final = "[\x0b\x0c\x85\u2028\u2029]"
_MARKDOWN: Final = ".md"


class PoolDocuments:
    """Answers `ports.DocumentReader`; never writes, and keeps of its last look what it left out.

    Args:
        redact: Secrets are masked before anybody sees the text.
    """

    def __init__(self, *, redact: bool = True) -> None:
        self._redact = redact
        self._last: tuple[Path, tuple[Path, ...], tuple[Notice, ...]] | None = None

    def documents(self, workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Document, ...]:
        """Return what is to be indexed of a workspace, without reading any of it.

        Args:
            workspace: May be missing.
            extra: Further Markdown files, and folders of such; links are not followed.

        Returns:
            Also one `unread` document for each place that could not be looked into.
        """
        found = scan(workspace)
        unread = list(found.unread)
        files = (*_memory_files(found), *_extra_files(extra, unread))
        self._last = workspace, extra, _left_out(found, files)
        return (
            *(_document(file, file.path) for file in files if is_utf8(file.path)),
            *(_unlisted(path, reason) for path, reason in unread),
        )

    def left_out(self, workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Notice, ...]:
        """Return what `documents` leaves out: no answer could name it, or it is no file at all.

        Right behind `documents` it answers from the same look.
        """
        last, self._last = self._last, None
        if last is not None and last[:2] == (workspace, extra):
            return last[2]
        found = scan(workspace)
        return _left_out(found, (*_memory_files(found), *_extra_files(extra, [])))

    def require_file(self, workspace: Path, path: str) -> None:
        """Refuse what is there and is no file that is searched; what is not there passes."""
        name = one_line(path)
        for file in scan(workspace).files:
            if file.path == path and file.because is not None:
                raise WorkspaceError(f"{name} is not read: {file.because}")
        try:
            status = os.lstat(workspace / path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return
        except OSError as error:
            raise WorkspaceError(f"{name} cannot be read: {reason_of(error)}") from error
        if stat.S_ISDIR(status.st_mode):
            hint = "Name a file in it; `memconsole memory show` lists them."
            raise WorkspaceError(f"{name or 'the memory itself'} is a folder", hint=hint)
        if not stat.S_ISREG(status.st_mode):
            raise WorkspaceError(f"{name} is no regular file")

    def changed(self, workspace: Path, paths: Iterable[Path]) -> tuple[Document, ...] | None:
        """Return certain files as `documents` would; None when only a look at all of them can tell.

        Args:
            workspace: As `documents` is given it; what lies below it must be named through it.
            paths: Files that changed; a generated index is no document.
        """
        found = []
        for path in paths:
            file = find_plain(workspace, path)
            if file is None:
                return None
            if file.path != INDEX_FILE and is_utf8(file.path):
                found.append(_document(file, file.path))
        return tuple(found)

    def read(self, document: Document) -> DocumentText:
        """Return the text of a document, masked, every line with its number.

        Raises:
            FileNotFoundError: It is gone.
            WorkspaceError: It cannot be read.
        """
        # Most searches read nothing, and need none of this.
        from memconsole.adapters.workspace.pool_text import UNKNOWN, decode, read_bytes  # noqa: PLC0415

        if document.size_bytes > MAX_READ_BYTES:
            size = size_words(document.size_bytes)
            return DocumentText(
                notices=(_notice("oversized", document, f"has {size}: not indexed"),)
            )
        try:
            text, encoding = decode(read_bytes(str(document.place)))
        except FileNotFoundError:
            raise
        except OSError as error:
            sentence = one_line(f"{document.path} cannot be read: {reason_of(error)}")
            raise WorkspaceError(sentence) from error
        notices: tuple[Notice, ...] = ()
        if not is_text(text):
            return DocumentText(notices=(_notice("not-utf8", document, "is no text: not indexed"),))
        if encoding == UNKNOWN:
            sentence = "is not UTF-8; what cannot be read was replaced"
            notices = (_notice("not-utf8", document, sentence),)
        # Only real line ends count lines, here as in an editor.
        text = clean(re.sub(_ODD_LINE_ENDS, " ", text))
        shown = let_out(text, redacts=self._redact, keeps_lines=True)
        return DocumentText(shown, (), notices)


def _left_out(found: Scan, files: Iterable[FoundFile]) -> tuple[Notice, ...]:
    return (
        *(
            Notice("not-utf8", f"{shown_name(one.path)} has a name that is not UTF-8: not indexed")
            for one in files
            if not is_utf8(one.path)
        ),
        *(
            Notice(UNREADABLE, f"{shown_name(one.path)} is {NO_FILE}: not indexed", one.path)
            for one in found.files
            if one.because == NO_FILE
        ),
    )


def _memory_files(found: Scan) -> Iterator[FoundFile]:
    for file in found.files:
        if file.because is None and file.path != INDEX_FILE:
            yield file


def _document(file: FoundFile, path: str) -> Document:
    return Document(
        path=name_out(path),
        source=Source.MEMORY,
        place=file.real,
        size_bytes=file.status.st_size,
        stamp=f"{file.status.st_size}:{file.status.st_mtime_ns}:{file.status.st_ino}",
        modified_at=file.modified_at,
        is_archived=path.startswith(_ARCHIVES),
        unread="" if _is_readable(file) else os.strerror(errno.EACCES),
    )


def _unlisted(path: str, reason: str) -> Document:
    return Document(name_out(path), Source.MEMORY, None, 0, "", unread=reason)


def _is_readable(file: FoundFile) -> bool:
    """Whether we may open a file; its time and size do not change when its rights do."""
    status = file.status
    if status.st_uid == os.geteuid() and status.st_mode & stat.S_IRUSR:
        return True  # nearly always; the system need not be asked
    return os.access(file.real, os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def _extra_files(places: tuple[Path, ...], unread: list[tuple[str, str]]) -> Iterator[FoundFile]:
    """Yield the files of extra places, and note with its reason what cannot be listed."""

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            unread.append((str(error.filename), reason_of(error)))

    for place in places:
        if place.is_file() and not place.is_symlink():
            yield from _plain(str(place))
        for folder, folders, names in os.walk(place, onerror=note):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                yield from _plain(os.path.join(folder, name))  # noqa: PTH118


def _plain(path: str) -> Iterator[FoundFile]:
    if not path.lower().endswith(_MARKDOWN):
        return
    try:
        status = os.lstat(path)
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        yield FoundFile(path, path, status)


def _notice(code: str, document: Document, sentence: str) -> Notice:
    return Notice(code, f"{one_line(document.path)} {sentence}", document.path)
