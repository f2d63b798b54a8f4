"""Tells which of many literals a text holds, several times as fast as asking for each of them.

Those that share a letter which few words hold are looked for together, at that letter.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

_RARE = "jqzxkvJQZXYWUVBKHGFD8579346w20y1bPOMNLRCASEITgp%&=:/-_.fmhuc"
"""What few places of texts and code hold, the rarest first."""

SHORT = 500
"""Characters of a text that is not worth compiling anything for."""

_Together: TypeAlias = "list[tuple[str | None, re.Pattern[str], list[str]]]"
"""What has to be there first, a pattern, and the literals of which it finds one."""


class Literals:
    """Many literals, always the same ones, that texts are asked for."""

    def __init__(self, literals: Iterable[str], often: tuple[str, ...] = ()) -> None:
        """Keep them.

        Args:
            literals: Each holds something.
            often: Those of them that many texts hold: they are asked for alone, and others that
                hold one of them after it. All are literals as well.
        """
        self._literals = tuple(dict.fromkeys(literals))
        self._often = often

    def of(self, text: str) -> list[str]:
        """Return those that the text holds."""
        if len(text) < SHORT:
            return [one for one in self._literals if one in text]
        alone, together, foreign = self._sorted
        found = [one for one in alone if one in text]
        for inner, pattern, literals in together:
            if (inner is None or inner in found) and pattern.search(text) is not None:
                found += [one for one in literals if one in text]
        if foreign and not text.isascii() and _any_letter(foreign).search(text) is not None:
            found += [one for one in foreign if one in text]
        return found

    def among(self, words: Iterable[str], texts: Iterable[str]) -> Literals:
        """Return those that short texts may hold.

        Args:
            words: All that stands between their blanks.
            texts: The texts themselves, for what has a blank in it.
        """
        parts, whole = "\n".join(words), "\n".join(texts)
        return Literals(
            one for one in self._literals if one in parts or (" " in one and one in whole)
        )

    @cached_property
    def _sorted(self) -> tuple[list[str], _Together, tuple[str, ...]]:
        """Those that are asked for alone, those with a pattern for several, and the foreign."""
        foreign = tuple(one for one in self._literals if not one.isascii())
        rest = [one for one in self._literals if one.isascii()]
        together: _Together = []
        for often in self._often:
            if group := [one for one in rest if often in one and one != often]:
                together.append((often, _around(often, group), group))
            rest = [one for one in rest if often not in one]
        for letter in _RARE:
            group = [one for one in rest if letter in one[:-1]]
            if len(group) > 1:
                together.append((None, _around(letter, group), group))
                rest = [one for one in rest if one not in group]
        return [*self._often, *rest], together, foreign


@cache
def _any_letter(literals: tuple[str, ...]) -> re.Pattern[str]:
    letters = {next(letter for letter in one if not letter.isascii()) for one in literals}
    return re.compile(f"[{''.join(sorted(letters))}]")


def _around(letter: str, literals: list[str]) -> re.Pattern[str]:
    """Return what matches at a letter where one of the literals stands around it."""
    ways = []
    for one in literals:
        before, _, behind = one.partition(letter)
        ways.append(re.escape(behind) + (f"(?<={re.escape(one)})" if before else ""))
    return re.compile(f"{re.escape(letter)}(?:{'|'.join(sorted(ways))})")
