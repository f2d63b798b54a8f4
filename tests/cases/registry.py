"""What the fault cases demand, and which assertion answers for each demand.

Every key of every `expect.json` needs an assertion, and every sentence needs one that quotes it:
a demand that nobody answers for, or that changed its words, is a failure.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tests.program import Json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cases.stage import Stage

Scene: TypeAlias = Json
"""What the actions of a check left behind, as its case module likes it."""

Play: TypeAlias = Callable[["Stage"], Scene]
Assertion: TypeAlias = Callable[[Scene, Json], None]


@dataclass(frozen=True, slots=True)
class Demand:
    """One leaf below `expect` of one check.

    Attributes:
        case: Folder name of the case.
        check: Such as `c01.1`.
        path: Keys from `expect` down to the value.
        want: The value: a number, a word, a list, or a sentence.
    """

    case: str
    check: str
    action: str
    path: tuple[str, ...]
    want: Json

    @property
    def name(self) -> str:
        """`c01.1 agent:main:main > tokens`."""
        return " > ".join(self.path)

    @property
    def is_sentence(self) -> bool:
        """Whether it is a text for people, which an assertion has to quote."""
        return isinstance(self.want, str) and " " in self.want


@dataclass(frozen=True, slots=True)
class Registered:
    """One assertion.

    Attributes:
        says: The sentence it stands for.
        part: Which half of a demand it answers for, when there are several.
        needs: The capability without which it must fail today.
    """

    function: Assertion
    says: str | None
    part: str
    needs: str | None


PLAYS: dict[str, tuple[str, Play]] = {}
ASSERTIONS: defaultdict[tuple[str, str], list[Registered]] = defaultdict(list)


def action(check: str, sentence: str) -> Callable[[Play], Play]:
    """Register what a check does; the sentence is the `action` of the check."""

    def register(play: Play) -> Play:
        assert check not in PLAYS, f"{check} has an action"
        PLAYS[check] = (sentence, play)
        return play

    return register


def expects(
    check: str, *names: str, says: str | None = None, part: str = "", needs: str | None = None
) -> Callable[[Assertion], Assertion]:
    """Register the assertion of one or several demands of a check."""

    def register(assertion: Assertion) -> Assertion:
        for name in names:
            ASSERTIONS[check, name].append(Registered(assertion, says, part, needs))
        return assertion

    return register


def equals(
    check: str,
    *names: str,
    of: Callable[[Scene], object],
    says: str | None = None,
    part: str = "",
) -> None:
    """Register that a check leaves behind what is demanded; `of` finds it in the scene."""

    def assertion(seen: Scene, want: Json) -> None:
        assert of(seen) == want

    expects(check, *names, says=says, part=part)(assertion)


def demands(cases: Path) -> Iterator[Demand]:
    """Yield every demand of every case below a folder, in a fixed order."""
    for path in sorted(cases.glob("*/expect.json")):
        for check in json.loads(path.read_text("utf-8"))["checks"]:
            for keys, want in _leaves(check["expect"], ()):
                yield Demand(path.parent.name, check["id"], check["action"], keys, want)


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield every value that is not an object; keys that begin with `better` are advice."""
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        if not key.startswith("better"):
            yield from _leaves(inner, (*path, key))


def complaint(demand: Demand) -> str | None:
    """Say why a demand has no valid assertion; None when it has."""
    if demand.check not in PLAYS:
        return f"{demand.check} has no action for {demand.action!r}"
    if PLAYS[demand.check][0] != demand.action:
        return f"{demand.check} does something else than {demand.action!r}"
    registered = ASSERTIONS.get((demand.check, demand.name), [])
    if not registered:
        return f"{demand.check} has no assertion for {demand.name!r}: {demand.want!r}"
    quoted = {one.says for one in registered}
    if demand.is_sentence and quoted != {demand.want}:
        return f"{demand.check} {demand.name!r} now says {demand.want!r}"
    return None
