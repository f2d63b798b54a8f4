"""When observations have grown too long: a look at one file, with nothing of the work loaded."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Skipped, SkipReason
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.errors import WorkspaceError
from memconsole.text.estimate import exceeds, tokens_for, tokens_in, words_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import ReflectorSettings
    from memconsole.ports.platform import Workspace
    from memconsole.ports.state import ReflectionLog


def not_due(
    command: Reflect,
    text: str,
    agent: Agent,
    *,
    reflections: ReflectionLog,
    rules: ReflectorSettings,
    now: datetime,
) -> Skipped | None:
    """Return why a file of observations is not consolidated now; None when it is due.

    Due is more than the words of the settings, or than the tokens that those make, and enough time
    since the last consolidation.
    """
    words, limit = words_in(text), rules.word_threshold
    details: dict[str, Detail] = {
        "words_before": words,
        "threshold": limit,
        "tokens_before": tokens_in(text),
        "token_threshold": tokens_for(limit),
    }
    if not exceeds(text, limit):
        return Skipped(
            command,
            SkipReason.NOT_DUE,
            f"{OBSERVATIONS} of {agent.id} has {words} of {limit} words",
            hint="`--force` consolidates it anyway.",
            details=details,
        )
    last = reflections.last(str(agent.workspace.resolve()))
    # A clock that was set back holds nothing up.
    if last is not None and timedelta() <= now - last.at < rules.min_interval:
        return Skipped(
            command,
            SkipReason.TOO_SOON,
            f"{OBSERVATIONS} of {agent.id} is over its budget with {words} words, and was "
            f"consolidated less than {rules.min_interval} ago",
            hint="`--force` consolidates it anyway.",
            details=details,
        )
    return None


def reflections_due(
    home: Home,
    *,
    workspace: Workspace,
    reflections: ReflectionLog,
    settings: Settings,
    now: datetime,
) -> Iterator[Reflect]:
    """Yield a reflection for each agent whose observations are due.

    One whose file cannot be read is due as well: its run says what is wrong.
    """
    for agent in home.agents:
        command = Reflect(agent.ref)
        try:
            seen = workspace.read(agent.workspace, OBSERVATIONS)
        except WorkspaceError:
            yield command
            continue
        rules = settings.for_agent(agent.id).reflector
        if (
            seen is not None
            and not_due(command, seen.text, agent, reflections=reflections, rules=rules, now=now)
            is None
        ):
            yield command
