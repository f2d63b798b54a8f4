"""Lets the optional model consolidate observations, under the gate of every text (mission §24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.llm import reflect_prompt
from memconsole.domain.observations_text import parse
from memconsole.domain.outgoing import let_out
from memconsole.domain.reflection_gate import judge
from memconsole.domain.reflection_words import lost
from memconsole.engine.assist import REFLECT_TIMEOUT, ask
from memconsole.values import dataclass

if TYPE_CHECKING:
    from datetime import date

    from memconsole.domain.observations import ObservationLog
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.reflection import Removed
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What the model made of a file.

    Attributes:
        log: None when its text was rejected, or there is none.
        removed: What it left out.
        details: What an outcome says of it.
    """

    log: ObservationLog | None
    removed: tuple[Removed, ...]
    details: dict[str, Detail]


def rewrite(log: ObservationLog, today: date, *, ports: Ports, settings: Settings) -> Rewritten:
    """Ask for a consolidated text, and judge it like one from anywhere else."""
    # Whatever the settings say of files: nothing leaves this host before it is masked. The answer
    # can only keep what it was shown.
    log = parse(let_out(log.text, keeps_lines=True))
    answer = ask(
        reflect_prompt(log.text),
        ports=ports,
        settings=settings,
        patience=REFLECT_TIMEOUT,
    )
    if answer.completion is None:
        return Rewritten(None, (), answer.details())
    text = answer.completion.text.strip() + "\n"
    verdict = judge(log, text, today)
    if verdict.log is None:
        return Rewritten(None, (), answer.details(because=verdict.because))
    return Rewritten(verdict.log, lost(log, verdict.log), answer.details())
