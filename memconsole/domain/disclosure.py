"""Decides what of a memory one session may be handed at its start.

Planted instructions are handed to nobody. A session of one person among several (`…:direct:<peer>`)
is given what was observed in its own messages, and lines of other hands, which are nobody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.memory.observation_log import parse
from memconsole.domain.observe.rules import BY, MARK
from memconsole.domain.planted import is_planted, is_quoted
from memconsole.domain.reflect.working_copy import WorkingCopy
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from memconsole.domain.memory.observations import Observation


@dataclass(frozen=True, slots=True)
class Disclosed:
    """A text, and what was taken out of it.

    Attributes:
        planted: Lines with planted instructions.
        foreign: Lines of other sessions.
    """

    text: str
    planted: int
    foreign: int

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is said of the lines that were taken out."""
        found = []
        if self.planted:
            found.append(f"{_lines(self.planted)} with planted instructions")
        if self.foreign:
            found.append(f"{_lines(self.foreign)} of other sessions")
        return tuple(found)


def disclosed(text: str, own: Collection[str] | None = None) -> Disclosed:
    """Return the observations that a session is handed.

    Args:
        text: The whole file.
        own: Beginnings of the sources that are the session's own, such as `main/ab12cd34`; None
            for a session that everything is meant for.
    """
    log = parse(text)
    copy = WorkingCopy(list(log.lines))
    planted = foreign = 0
    for number, one in list(copy.items()):
        if _is_planted(one):
            planted += 1
        elif own is not None and not _is_common(one) and _source(one) not in own:
            foreign += 1
        else:
            continue
        copy.lines[number] = None
    shown = copy.log().text if planted or foreign else text
    return Disclosed(shown, planted, foreign)


def _is_planted(one: Observation) -> bool:
    return one.note(MARK) is not None or is_quoted(one.text) or is_planted(one.text)


def _is_common(one: Observation) -> bool:
    """Whether somebody wrote the line by hand: captures name a source, folds and hooks a note."""
    return one.source is None and one.id is None and not one.extra and one.note(BY) is None


def _source(one: Observation) -> str:
    return "" if one.source is None else one.source.rpartition("#")[0]


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"
