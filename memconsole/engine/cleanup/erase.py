"""Removes a forgotten text from what cleanup packed or took away, and from copies in our state.

Archives and copies of memory lose the lines and stay. What an ended session said is deleted whole,
like a copy of the configuration: neither can lose a line and still be what it was.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.domain.cleanup import OldKind, Step
from memconsole.engine.cleanup.read import OURS
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import OldFile, TakenFile
    from memconsole.engine.cleanup.read import OldFiles


def erase_from_old(
    agents: Iterable[Agent],
    old: OldFiles,
    *,
    holds: Callable[[str], bool],
    clean: Callable[[str], str],
) -> int:
    """Leave no copy of a text in old files of some agents and of ours; return how many held it.

    Args:
        agents: Those of one workspace. Plain files in it are not looked into.
        old: The files.
        holds: Tells whether a line says what was forgotten.
        clean: Returns a text without it.

    Raises:
        StateError: A file cannot be looked into or changed.
    """
    found = 0
    for agent in (*agents, None):
        for taken in old.taken.of(OURS if agent is None else agent.ref):
            found += _erased_taken(agent, taken, old, holds)
        for file in old.own(agent):
            if agent is None or file.is_packed:
                found += _erased_own(agent, file, old, holds=holds, clean=clean)
    return found


def _erased_taken(
    agent: Agent | None, taken: TakenFile, old: OldFiles, holds: Callable[[str], bool]
) -> bool:
    """Put an archive or copy of memory back, to be cleaned there, and delete any other."""
    if taken.step is not Step.DELETE:
        return False
    try:
        if not any(map(holds, _said(old.files.kept_texts(taken.kept), taken.kind))):
            return False
        is_memory = taken.kind in (OldKind.ARCHIVE, OldKind.OBSERVATIONS)
        if not (is_memory and _is_back(agent, taken, old)):
            old.files.purge(taken.kept)
    except OSError as error:
        raise _not_erased(taken.kept, error) from error
    old.taken.drop(taken)
    return True


def _is_back(agent: Agent | None, taken: TakenFile, old: OldFiles) -> bool:
    try:
        old.files.bring_back(agent, taken)
    except FileExistsError:
        return False
    return True


def _erased_own(
    agent: Agent | None,
    file: OldFile,
    old: OldFiles,
    *,
    holds: Callable[[str], bool],
    clean: Callable[[str], str],
) -> bool:
    try:
        if not any(map(holds, _said(old.files.texts(agent, file), file.kind))):
            return False
        text = None
        if file.kind is not OldKind.CONFIG:
            text = clean("".join(it for _, it in old.files.texts(agent, file, is_exact=True)))
        old.files.rewrite(agent, file, text)
    except OSError as error:
        raise _not_erased(file.path.name, error) from error
    for one in old.taken.of(OURS if agent is None else agent.ref):
        if one.step is Step.COMPRESS and f"{one.path}.gz" == str(file.path):
            old.taken.drop(one)  # it would not be unpacked to what it was
    return True


def _not_erased(name: str, error: OSError) -> StateError:
    why = (error.strerror or "no reason given").lower()
    return StateError(
        f"{name} may still hold what was forgotten: {why}", hint="Delete it, or mend that."
    )


def _said(pieces: Iterable[tuple[int, str]], kind: OldKind) -> Iterator[str]:
    """Yield each line of a text, and each of every text in a line of JSON."""
    for line in (
        ("".join(text for _, text in pieces),) if kind is OldKind.CONFIG else _lines(pieces)
    ):
        yield from line.splitlines()
        if line.lstrip().startswith(("{", "[")):
            yield from _strings(line)


def _lines(pieces: Iterable[tuple[int, str]]) -> Iterator[str]:
    rest = ""
    for _, text in pieces:
        *lines, rest = f"{rest}{text}".split("\n")
        yield from lines
    yield rest


def _strings(line: str) -> Iterator[str]:
    try:
        waiting = [json.loads(line)]
    except (ValueError, RecursionError):
        return
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield from found.splitlines()
        elif isinstance(found, dict):
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
