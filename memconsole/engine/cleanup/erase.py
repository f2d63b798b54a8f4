"""Removes a forgotten text from what cleanup packed or took away, and from copies in our state.

Archives and copies of memory lose the lines and stay, and so do transcripts that we packed: each
record keeps its place and its other words. A copy of the configuration, and a transcript that was
taken away, cannot lose a line and still be what it was: they are deleted whole.
"""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Final

from memconsole.domain.cleanup import OldFile, OldKind, Step
from memconsole.engine.cleanup.read import OURS
from memconsole.errors import StateError
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import TakenFile
    from memconsole.engine.cleanup.read import OldFiles

_MOST_CHARS: Final = 64 * 1024 * 1024
"""Of one line. Nobody writes a longer one; a few packed kilobytes may claim it."""

_MOST_OF_OURS: Final = 256 * 1024 * 1024
"""Characters of a file that is looked at whole: an archive, a log, a copy."""


def erase_from_old(
    agents: Iterable[Agent],
    old: OldFiles,
    *,
    holds: Callable[[str], bool],
    clean: Callable[[str], str] | None,
) -> tuple[OldFile | TakenFile, ...]:
    """Leave no copy of a text in old files of some agents and of ours.

    Args:
        agents: Those of one workspace. Plain files in it are not looked into, nor what the platform
            keeps of sessions.
        old: The files.
        holds: Tells whether a line says what was forgotten.
        clean: Returns a text without it; None only looks.

    Returns:
        Those that held it.

    Raises:
        StateError: A file cannot be looked into or changed.
    """
    found: list[OldFile | TakenFile] = []
    for agent in (*agents, None):
        for taken in old.taken.of(OURS if agent is None else agent.ref):
            if _says_taken(taken, old, holds):
                found.append(taken)
                if clean is not None:
                    _erase_taken(agent, taken, old)
        for file in _files(agent, old):
            if _says(agent, file, old, holds):
                found.append(file)
                if clean is not None:
                    _erase_in(agent, file, old, holds=holds, clean=clean)
    return tuple(found)


def _files(agent: Agent | None, old: OldFiles) -> list[OldFile]:
    """Return what is ours, and packed by us; plain files of an agent are memory like any other."""
    try:
        own = old.own(agent, is_whole=True)
        theirs = () if agent is None else old.files.found(agent, is_whole=True)
    except OSError as error:
        place = "our state" if agent is None else f"old files of {agent.id}"
        raise StateError(
            one_line(
                f"{place} may still hold what was forgotten: {error.filename or 'a folder'}"
                f" cannot be listed: {(error.strerror or 'no reason given').lower()}"
            ),
            hint="Make that folder one that can be listed; a link in a workspace is not followed.",
        ) from error
    packed = [one for one in own if agent is None or one.is_packed]
    return [*packed, *(one for one in theirs if one.is_packed_by_us)]


def _says_taken(taken: TakenFile, old: OldFiles, holds: Callable[[str], bool]) -> bool:
    if taken.step is not Step.DELETE:
        return False
    try:
        return any(map(holds, _said(old.files.kept_texts(taken.kept), taken.kind)))
    except OSError as error:
        raise _not_erased(taken.kept, error) from error


def _erase_taken(agent: Agent | None, taken: TakenFile, old: OldFiles) -> None:
    """Put an archive or copy of memory back, to be cleaned there, and delete any other."""
    try:
        is_memory = taken.kind in (OldKind.ARCHIVE, OldKind.OBSERVATIONS)
        if not (is_memory and _is_back(agent, taken, old)):
            old.files.purge(taken.kept)
    except OSError as error:
        raise _not_erased(taken.kept, error) from error
    old.taken.drop(taken)


def _is_back(agent: Agent | None, taken: TakenFile, old: OldFiles) -> bool:
    try:
        old.files.bring_back(agent, taken)
    except FileExistsError:
        return False
    return True


def _says(agent: Agent | None, file: OldFile, old: OldFiles, holds: Callable[[str], bool]) -> bool:
    try:
        return any(map(holds, _said(old.files.texts(agent, file), file.kind)))
    except OSError as error:
        raise _not_erased(file.path.name, error) from error


def _erase_in(
    agent: Agent | None,
    file: OldFile,
    old: OldFiles,
    *,
    holds: Callable[[str], bool],
    clean: Callable[[str], str],
) -> None:
    try:
        text: Iterable[str] | None = None
        if file.kind is not OldKind.CONFIG:
            pieces = old.files.texts(agent, file, is_exact=True)
            if file.kind.is_ours:
                text = (_lines_without(clean(_whole(pieces)), holds),)
            else:
                text = _records_without(pieces, holds)
        old.files.rewrite(agent, file, text)
    except OSError as error:
        raise _not_erased(file.path.name, error) from error
    for one in old.taken.of(OURS if agent is None else agent.ref):
        if one.step is Step.COMPRESS and f"{one.path}.gz" == str(file.path):
            old.taken.drop(one)  # it would not be unpacked to what it was


def _not_erased(name: str, error: OSError) -> StateError:
    why = (error.strerror or "no reason given").lower()
    return StateError(
        f"{name} may still hold what was forgotten: {why}", hint="Delete it, or mend that."
    )


def _lines_without(text: str, holds: Callable[[str], bool]) -> str:
    """Return a text of ours without lines that say it in another way: escaped, or in JSON."""
    return "".join(
        line for line in text.splitlines(keepends=True) if not _is_said(line, holds, OldKind.LOG)
    )


def _records_without(
    pieces: Iterable[tuple[int, str]], holds: Callable[[str], bool]
) -> Iterator[str]:
    """Yield a transcript in which no text of a record says it; a record that hides it goes.

    A packed transcript may be larger than memory: one record of it is held at a time.
    """
    end = ""
    for line in _lines(pieces):
        if (kept := _record_without(line, holds)) is not None:
            yield f"{end}{kept}"
            end = "\n"


def _record_without(line: str, holds: Callable[[str], bool]) -> str | None:
    if not _is_said(line, holds):
        return line
    try:
        made = _as_json(_without(json.loads(line, object_pairs_hook=_object), holds))
    except (ValueError, RecursionError):
        return None
    return None if _is_said(made, holds) else made


def _as_json(value: object) -> str:
    """Return a value in one line; half a character, as a cut leaves it, is escaped as it was."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _is_said(line: str, holds: Callable[[str], bool], kind: OldKind = OldKind.ORPHAN) -> bool:
    if not line.isascii():  # it was looked at without the bytes in it that are no text
        line = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return any(map(holds, _said(((1, line),), kind)))


def _without(value: object, holds: Callable[[str], bool]) -> object:
    if isinstance(value, str):
        return _text_without(value, holds)
    if isinstance(value, dict):
        return {name: _without(one, holds) for name, one in value.items()}
    if isinstance(value, list):
        return [_without(one, holds) for one in value]
    return None if _is_number(value) and holds(str(value)) else value


def _text_without(text: str, holds: Callable[[str], bool]) -> str:
    """Return the other lines of a text; of JSON, as tools answer it, the other lines of texts."""
    if compiled(_OF_RECORDS).fullmatch(text):
        return text
    inner = _parsed(text)
    if (made := _without(inner, holds)) != inner:
        text = _as_json(made)
    lines = text.splitlines(keepends=True)
    return "".join(one for one in lines if not holds(one)) if any(map(holds, lines)) else text


def _said(pieces: Iterable[tuple[int, str]], kind: OldKind) -> Iterator[str]:
    """Yield each line of a text, and each of every text in a line of JSON.

    Of a record of a transcript only its texts: its fields stand in every other one.
    """
    for line in (_whole(pieces),) if kind is OldKind.CONFIG else _lines(pieces):
        found = _parsed(line)
        if found is None or kind.is_ours:
            yield from line.splitlines()
        yield from _strings(found)


def _lines(pieces: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield the lines of a text.

    Raises:
        OSError: One is too long to be held.
    """
    parts: list[str] = []
    size = 0
    for _, text in pieces:
        *ended, rest = text.split("\n")
        for line in ended:
            yield "".join((*parts, line))
            parts, size = [], 0
        parts.append(rest)
        size += len(rest)
        if size > _MOST_CHARS:
            raise OSError(errno.EFBIG, "one line in it is too long to be looked into")
    yield "".join(parts)


def _whole(pieces: Iterable[tuple[int, str]]) -> str:
    """Return a text of ours, which is small.

    Raises:
        OSError: It is not.
    """
    parts: list[str] = []
    size = 0
    for _, text in pieces:
        parts.append(text)
        size += len(text)
        if size > _MOST_OF_OURS:
            raise OSError(errno.EFBIG, "it is too large to be looked into")
    return "".join(parts)


def _strings(value: object) -> Iterator[str]:
    """Yield each line of every text in JSON, and in JSON within a text."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str) and not compiled(_OF_RECORDS).fullmatch(found):
            yield from found.splitlines()
            waiting.append(_parsed(found))
        elif isinstance(found, dict):
            waiting += [*found, *found.values()]
        elif isinstance(found, list):
            waiting += found
        elif _is_number(found):
            yield str(found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _parsed(text: str) -> object:
    """Return the object or list that a text is; None when it is neither."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object whose fields have names of their own.

    Raises:
        ValueError: One of them hides another.
    """
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a field stands there twice")
    return made


_OF_RECORDS: Final = (
    r"aborted|api|arguments|assistant|cacheRead|cacheWrite|compaction|content|cost|custom|"
    r"customType|custom_message|cwd|data|details|error|firstKeptEntryId|fromHook|id|"
    r"idempotencyKey|image|input|isError|message|model|modelId|model_change|name|openclaw|"
    r"output|parentId|path|provider|reason|reset|role|session|stop|stopReason|summary|"
    r"system|text|textSignature|thinking|thinkingLevel|thinkingSignature|"
    r"thinking_level_change|timestamp|tokensAfter|tokensBefore|tool|toolCall|toolCallId|"
    r"toolName|toolResult|toolUse|total|totalTokens|type|usage|user|version"
)
"""Words of the platform's own: with them alone nobody said anything."""
