"""Reads a line of the palette as the command line would: a command, its target, its options.

The first words decide. A line that is not understood whole runs nothing: a word too many, an agent
or a session that is not there, or one that could be two, is a problem and not a guess.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Final, Protocol

from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.rotate import ROTATE
from memconsole.domain.sessions.stored import SessionState
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import read_span, read_tokens
from memconsole.ui.actions.targets import for_agents, for_session, for_us
from memconsole.ui.drawing.literal import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView
    from memconsole.ui.actions.targets import Target

AGENT, SESSION, OWN, DRY_RUN = "--agent", "--session", "--own", "--dry-run"

WHAT_IF, THRESHOLD, SINCE = "--what-if", "--threshold", "--since"

_MOST_ENDINGS: Final = 50
"""Of ten thousand sessions nobody scrolls through all: another letter narrows them."""

_SHORT: Final = {"-a": AGENT, "-f": "--force", "-n": DRY_RUN}


@dataclass(frozen=True, slots=True)
class Meant:
    """What a line asks for.

    Attributes:
        spec: The command, with what `--force` sets; None while no whole name was typed.
        targets: What it would be run for.
        is_dry_run: Only its plan is wanted.
        problem: Why the line cannot be run; empty when it can.
        endings: What may stand in place of its last word, whole lines.
        action: What the line does instead, where it only shows something.
    """

    spec: CommandSpec | None = None
    targets: tuple[Target, ...] = ()
    is_dry_run: bool = False
    problem: str = ""
    endings: tuple[str, ...] = ()
    action: str = ""


class Selects(Protocol):
    """The screen that the palette was opened on."""

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return what is marked or selected there."""

    def aimed(self, spec: CommandSpec) -> tuple[Target, ...]:
        """Return what the key of a command acts on there."""


def verb_of(line: str) -> tuple[CommandSpec | None, str]:
    """Return the command whose whole name begins the line, and the rest of it."""
    words = line.split()
    for spec in sorted(CATALOGUE, key=lambda one: -len(one.name.split())):
        name = spec.name.split()
        if words[: len(name)] == name:
            return spec, line.split(maxsplit=len(name))[len(name)] if words[len(name) :] else ""
    return None, line


def read_line(line: str, snapshot: ConsoleSnapshot | None, selected: Selects) -> Meant:
    """Return what a line asks for.

    Args:
        line: What was typed.
        snapshot: The reading: it knows the agents and sessions.
        selected: What a command acts on where the palette was opened, for a line without a target.
    """
    spec, rest = verb_of(line)
    if spec is None or snapshot is None:
        return Meant()
    words, problem = _words(rest)
    if spec is ROTATE and WHAT_IF in words and not problem:
        return _what_if(words, snapshot)
    found = _Line(spec, snapshot, words)
    if problem or found.problem:
        return Meant(spec, problem=problem or found.problem, endings=found.endings(line))
    targets = found.targets(selected)
    if not found.problem and not targets:
        found.problem = f"{spec.name}: there is no {spec.subject.value} to act on here"
    if found.given:
        spec = replace(spec, given={**spec.given, **found.given})
    return Meant(spec, targets, found.is_dry_run, found.problem, found.endings(line))


def _what_if(words: list[str], snapshot: ConsoleSnapshot) -> Meant:
    """Return which rotations are wanted to be seen; nothing is rotated."""
    given = {THRESHOLD: "", SINCE: "7d", AGENT: ""}
    rest = [one for word in words for one in word.split("=", 1) if one != WHAT_IF]
    for option, value in zip_longest(rest[::2], rest[1::2], fillvalue=""):
        name = _SHORT.get(option, option)
        if name not in given or not value:
            takes = f"rotate {WHAT_IF} takes {', '.join(given)}, each with a value"
            return Meant(ROTATE, problem=takes)
        given[name] = value
    agent = given[AGENT].casefold() or None
    if agent is not None and all(one.ref.id != agent for one in snapshot.agents):
        return Meant(ROTATE, problem=f"there is no agent {literal(given[AGENT])!r}")
    if not read_span(given[SINCE]):
        return Meant(ROTATE, problem=f"{SINCE} takes such as 6h or 7d here")
    try:
        threshold = read_tokens(given[THRESHOLD]) if given[THRESHOLD] else None
    except (ValueError, OverflowError):
        threshold = 0
    if threshold is not None and threshold < 1:
        return Meant(ROTATE, problem=f"{THRESHOLD} takes a number of tokens, such as 120k")
    return Meant(ROTATE, action=f"what_if({agent!r}, {threshold!r}, {given[SINCE]!r})")


def _words(rest: str) -> tuple[list[str], str]:
    try:
        return shlex.split(rest), ""
    except ValueError:
        return rest.split(), "a quotation mark is still open"


class _Line:
    """The words behind a command, one after the other."""

    def __init__(self, spec: CommandSpec, snapshot: ConsoleSnapshot, words: list[str]) -> None:
        self.spec, self._snapshot = spec, snapshot
        self.problem = ""
        self.is_dry_run = self._is_ours = False
        self.given: dict[str, object] = {}
        self._agent: str | None = None
        self._session: str | None = None
        self._about: list[str] = []
        self._read(words)
        self._check()

    def _read(self, words: list[str]) -> None:
        waiting = iter(words)
        for word in waiting:
            name, _, value = word.partition("=")
            name = _SHORT.get(name, name)
            if not word.startswith("-"):
                self._about.append(word)
            elif name not in self._options():
                options = ", ".join(self._options())
                self.problem = f"{self.spec.name} takes {options} here, not {literal(word)}"
            elif name in (AGENT, SESSION, self.spec.span_option):
                self._take(name, value or next(waiting, ""))
            elif name == DRY_RUN:
                self.is_dry_run = True
            elif name == OWN:
                self._is_ours = True
            else:
                self.given[self.spec.force] = True

    def _take(self, name: str, value: str) -> None:
        if name == AGENT:
            self._agent = value
        elif name == SESSION:
            self._session = value
        elif span := read_span(value):
            self.given[self.spec.span] = span
        else:
            self.problem = f"{name} takes such as 6h or 7d here"

    def _check(self) -> None:
        if self._agent is not None and not self._is_agent(self._agent):
            self.problem = f"there is no agent {literal(self._agent)!r}"
        if self._is_ours and self._agent is not None:
            self.problem = f"{OWN} is about no agent"
        elif self._is_ours and self._snapshot.homes:
            self.problem = f"{OWN} is for a console of one home"
        takes_words = self.spec.subject is not Subject.AGENT or self.spec.takes_text
        if self._about and not takes_words and not self.problem:
            self.problem = f"{self.spec.name} takes no {literal(self._about[0])!r}"

    def _options(self) -> list[str]:
        session = [SESSION] if self.spec.about == "session_key" else []
        force = [self.spec.force_option] if self.spec.force else []
        ours = [OWN] if self.spec.is_also_ours else []
        span = [self.spec.span_option] if self.spec.span else []
        return [AGENT, *session, *ours, *span, *force, DRY_RUN]

    def _is_agent(self, name: str) -> bool:
        return any(one.ref.id == name.casefold() for one in self._snapshot.agents)

    def targets(self, selected: Selects) -> tuple[Target, ...]:
        """Return what the command would be run for; the problem says why there is nothing."""
        spec, about = self.spec, " ".join(self._about)
        if self._is_ours:
            return (for_us(self._snapshot),)
        if self._session is not None or (spec.subject is Subject.SESSION and about):
            return self._sessions(about if self._session is None else self._session)
        if self._agent is not None:
            targets = for_agents(self._snapshot, (self._agent.casefold(),), _plain(spec.subject))
        elif about and spec.subject is Subject.ENTRY:
            targets = selected.targets(Subject.AGENT)
        else:
            targets = selected.aimed(spec)
        if about and spec.subject is not Subject.SESSION:
            return tuple(replace(one, key=about) for one in targets)
        if spec.subject is Subject.ENTRY and not about and self._agent is not None:
            self.problem = f"{spec.name}: say which entries, by their ids"
        return targets

    def _sessions(self, name: str) -> tuple[Target, ...]:
        found = list(self._named(name))
        if len(found) == 1:
            return (for_session(found[0]),)
        if not found:
            self.problem = f"there is no live session {literal(name)!r}"
        else:
            keys = ", ".join(literal(one.key_text or "?") for one in found[:3])
            self.problem = f"{literal(name)!r} could be {keys}: write the key"
        return ()

    def _named(self, name: str) -> Iterator[SessionView]:
        """Yield the live sessions of that key, id, label or agent/name."""
        wanted = name.casefold()
        for view in self._snapshot.sessions:
            if view.state is not SessionState.LIVE or view.key is None:
                continue
            if self._agent is not None and view.agent.id != self._agent.casefold():
                continue
            names = (view.key_text, view.session_id, view.label, for_session(view).name)
            if wanted in {one.casefold() for one in names if one}:
                yield view

    def endings(self, line: str) -> tuple[str, ...]:
        """Return the line with each word that may come next, or end the last one."""
        before, _, last = line.rpartition(" ")
        is_whole = verb_of(line)[1] == "" and not line.endswith(" ")
        stem, begun = (line, "") if is_whole or last in (AGENT, SESSION) else (before, last)
        wanted = begun.casefold()
        found = (one for one in self._next(stem) if one.casefold().startswith(wanted))
        offered = islice((one for one in found if one != begun), _MOST_ENDINGS)
        return tuple(f"{stem} {one}" for one in offered)

    def _next(self, stem: str) -> Iterator[str]:
        """Yield what may stand behind the words before."""
        if stem.endswith(AGENT):
            yield from (one.ref.id for one in self._snapshot.agents)
            return
        is_session = stem.endswith(SESSION)
        if is_session or (self.spec.subject is Subject.SESSION and len(self._about) < 2):
            live = (one for one in self._snapshot.sessions if one.state is SessionState.LIVE)
            yield from (one.key_text for one in live if one.key_text)
        if not is_session:
            if self.spec is ROTATE and not self._about:
                yield WHAT_IF
            yield from (one for one in self._options() if one not in stem.split())


def _plain(subject: Subject) -> Subject:
    """Return whose the entries are: a text or ids belong to an agent."""
    return Subject.AGENT if subject is Subject.ENTRY else subject
