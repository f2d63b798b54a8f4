"""Lets the optional model find the observations of a batch; the cues do where it does not (§24)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.llm import observe_prompt, read_observations
from memconsole.domain.observations import render
from memconsole.domain.observing_model import said, taken
from memconsole.domain.outgoing import let_out
from memconsole.engine.assist import ask, is_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.observations import ObservationLog
    from memconsole.domain.observing import Extracted, Observer, Part
    from memconsole.domain.outcomes import Detail
    from memconsole.engine.observe_gather import Scene


def extract(
    scene: Scene, observer: Observer, batch: Sequence[Part], log: ObservationLog
) -> tuple[Extracted, dict[str, Detail]]:
    """Return what is worth adding, and `llm` of the outcome, empty when no model was wanted.

    A dry run asks no model: it costs something.
    """
    own = observer.extract(batch, log)
    if not is_on(scene.settings) or scene.command.dry_run:
        return own, {}
    known = [render(one).partition(" <!--")[0] for one in log.observations]
    # What leaves this host is masked, whatever the settings.
    masked = replace(observer, mask=let_out)
    prompt = observe_prompt(said(masked, batch), [let_out(line) for line in known])
    answer = ask(prompt, ports=scene.ports, settings=scene.settings)
    if answer.completion is None:
        return own, answer.details()
    found = read_observations(answer.completion.text)
    if found is None:
        return own, answer.details(because="its answer is not in the form that was asked for")
    new = observer.new_ones(taken(masked, batch, found), log, own.masked)
    return replace(new, planted=own.planted), answer.details()
