"""Carries out what people ask of this host from afar: each letter once, by the rules of this host.

A letter is written down here before it is begun, and is never begun again. What became of one that
was begun when a process ended is looked for: of a rotation in its journal; everything else is told
as interrupted, with where to look.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.fleet.letters import REMEMBERED, VERBS, LetterState, refusal
from memconsole.domain.fleet.publishing import pause_after
from memconsole.domain.rotation import RotationState
from memconsole.errors import FleetError, MemconsoleError, SourceAwayError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from memconsole.domain.fleet.letters import Letter, Operator, Received
    from memconsole.domain.fleet.shapes import Json
    from memconsole.domain.rotation import Rotation
    from memconsole.engine.rotation.service import RotationService
    from memconsole.engine.runs import RunService
    from memconsole.ports.alerts import StatusFile
    from memconsole.ports.fleet import LetterBox
    from memconsole.ports.platform import Clock

logger = logging.getLogger(__name__)

_WAIT_S = 5.0
_SEE = "`memconsole runs` on that host tells what was done."
_AGAIN = "`memconsole runs` on that host tells what was done; it is not begun again"

_RUNS = 20
"""Newest runs that are told of where a letter has no journal."""


class Door(NamedTuple):
    """What this host admits.

    Attributes:
        host: Its name.
        homes: Identities of its homes.
    """

    host: str
    homes: Sequence[str]
    operators: Sequence[Operator]
    allow: Sequence[str]


class LetterWorker:
    """Carries out the letters of one home.

    Args:
        box: Where they come from.
        door: Who may what.
        do: Runs one call of our command line for the home; its answer, with names hidden.
        begun: Remembers what was begun, whatever becomes of the server.
        clock: Ours; how long it is remembered is nothing that the server says.
        look: Finds out what became of a letter that was begun then: its exit code and answer, where
            to look for it, or None while it may still go on.
        ended: Counts how letters ended, by `verb state`.
    """

    def __init__(
        self,
        box: LetterBox,
        door: Door,
        do: Callable[[Sequence[str]], tuple[int, Json]],
        begun: StatusFile,
        clock: Clock,
        *,
        look: Callable[[Letter, datetime], tuple[int, Json] | str | None] = lambda *_: "",
        ended: Counter[str] | None = None,
    ) -> None:
        self._box = box
        self._door = door
        self._do = do
        self._begun = begun
        self._look = look
        self._ended = Counter[str]() if ended is None else ended
        self._clock = clock
        self._owed: dict[str, tuple[int, Json]] = {}
        self._failures = 0

    def run(self, stop: Event) -> None:
        """Go on until it is stopped."""
        try:
            while not stop.is_set():
                try:
                    is_left = self.round(_WAIT_S)
                    self._failures = 0
                    if is_left:
                        stop.wait(_WAIT_S)
                except MemconsoleError as error:
                    self._failures += 1
                    level = logging.DEBUG if isinstance(error, SourceAwayError) else logging.WARNING
                    logger.log(level, "%s", error)
                    stop.wait(pause_after(self._failures, 1.0).total_seconds())
        finally:
            self._box.close()

    def round(self, wait_s: float = 0.0) -> bool:
        """Take what waits; waits that long for the first. Tells whether something is left begun.

        Raises:
            SourceAwayError: The server is away.
            FleetError: The server refuses.
            StateError: Nothing can be remembered, so nothing is begun.
        """
        is_left = False
        for one in self._box.open(wait_s):
            if one.id in self._owed:
                self._tell(one.id)
            elif one.state is LetterState.BEGUN:
                is_left |= not self._found(one)
            elif why := self._why_not(one):
                self._end(one, LetterState.REFUSED, why)
            elif one.letter is not None:
                self._carry_out(one.letter)
        return is_left

    def _found(self, one: Received) -> bool:
        """Tell what became of a letter that was begun when a process ended; False when not yet."""
        at = self._remembered().get(one.id)
        found: tuple[int, Json] | str | None = ""
        if one.letter is not None and one.is_signed and at is not None:
            found = self._look(one.letter, datetime.fromisoformat(at))
        if found is None:
            return False
        if isinstance(found, str):
            self._end(one, LetterState.INTERRUPTED, f"its process ended; {found or _AGAIN}")
        else:
            self._owed[one.id] = found
            self._tell(one.id)
        return True

    def _why_not(self, one: Received) -> str:
        if one.letter is None:
            return "it is none of memconsole's"
        if one.id in self._remembered():
            return f"it was begun before, and its process ended; {_AGAIN}"
        return refusal(
            one.letter,
            one.key,
            host=self._door.host,
            homes=self._door.homes,
            operators=self._door.operators,
            allow=self._door.allow,
            is_signed=one.is_signed,
            now=one.now,
            ours=self._clock.now(),
        )

    def _carry_out(self, letter: Letter) -> None:
        kept = {**self._remembered(), letter.id: self._clock.now().isoformat()}
        self._begun.write(json.dumps(kept) + "\n")
        if not self._box.begin(letter.id):
            return
        logger.info("fleet: %s", " ".join(letter.words))
        self._owed[letter.id] = self._do(letter.words)
        self._tell(letter.id)

    def _tell(self, letter_id: str) -> None:
        """Tell what came of a letter; what the server does not take is told later."""
        code, outcome = self._owed[letter_id]
        try:
            self._box.finish(letter_id, LetterState.ANSWERED, code, outcome)
        except FleetError as why:  # it would be refused for ever, and all letters behind it wait
            error = {"code": "refused", "message": f"done; {why}", "hint": _SEE}
            self._box.finish(letter_id, LetterState.ANSWERED, code, {"schema": 1, "error": error})
        del self._owed[letter_id]
        verb = outcome.get("command") if isinstance(outcome, Mapping) else None
        self._count(verb, LetterState.ANSWERED)

    def _count(self, verb: object, state: LetterState) -> None:
        """Count an end; a word that somebody else made up is no verb."""
        self._ended[f"{verb if verb in VERBS else 'other'} {state}"] += 1

    def _remembered(self) -> dict[str, str]:
        """Return what was begun here, newer than any letter can be old.

        Raises:
            StateError: It cannot be told what was begun.
        """
        now = self._clock.now()
        try:
            known = json.loads(self._begun.read() or "{}")
            return {
                name: at
                for name, at in known.items()
                if now - datetime.fromisoformat(at) < REMEMBERED
            }
        except (ValueError, TypeError, AttributeError):
            raise StateError(
                "it cannot be read which commands of the fleet were begun here; none is begun",
                hint="When none waits, delete `fleet/begun-*.json` in the state folder.",
            ) from None

    def _end(self, one: Received, state: LetterState, why: str) -> None:
        logger.warning("fleet: a command is %s: %s", state, why)
        error = {"code": state.value, "message": f"{state}: {why}", "hint": ""}
        self._box.finish(one.id, state, 1, {"schema": 1, "error": error})
        self._count(one.letter.verb if one.letter is not None else None, state)


def what_became_of(
    letter: Letter, since: datetime, rotation: RotationService, runs: RunService
) -> tuple[int, Json] | str | None:
    """Find out what became of a letter that was begun then and whose process ended.

    Args:
        letter: What was asked.
        since: When it was begun, by our clock.
        rotation: Knows the journal of resets, and looks without sending.
        runs: Knows what was begun here.

    Returns:
        The exit code and the answer of a rotation, a sentence that says where to look, or None
        while it may still be going on.
    """
    if letter.verb == "rotate":
        found = rotation.settled(since)
        if found is None:
            return None
        if found:
            rows = [_row_of(one) for one in found]
            is_done = all(one["status"] == "done" for one in rows)
            at = max(one.ended_at or one.started_at for one in found).isoformat()
            answer: dict[str, Json] = {"schema": 1, "command": "rotate", "at": at, "data": rows}
            return int(not is_done), answer
    told = [
        f"run {one.id} there is {one.status}"
        for one in runs.newest(limit=_RUNS, since=since)
        if one.command == letter.verb
    ]
    return "; ".join([*told, _AGAIN])


def _row_of(one: Rotation) -> dict[str, Json]:
    """Return a reset as the outcome that its process would have told."""
    is_done = one.state is RotationState.PROVEN
    words = {
        RotationState.PROVEN: "it was reset",
        RotationState.REFUSED: "the gateway refused the reset",
    }
    said = words.get(one.state, "a reset was sent, and nothing came of it")
    return {
        "command": "rotate",
        "agent": one.agent.id,
        "key": one.key,
        "status": "done" if is_done else "failed",
        "reason": None if is_done else f"reset-{one.state}",
        "message": f"{one.key}: {said}, as its journal and the disk tell; its process ended",
        "hint": None,
        "duration_ms": None,
        "wrote": [],
        "details": {"proven": is_done},
    }
