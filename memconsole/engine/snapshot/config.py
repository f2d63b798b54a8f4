"""Which findings about the configuration are grave and certain; opens no file.

A snapshot has read the configuration and the ends of some transcripts anyway: only they are judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.config_check.compaction import urgent
from memconsole.domain.config_check.finding import ConfigFacts, WindowUse
from memconsole.domain.sessions.judgement import threshold_of
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.domain.agents import Home
    from memconsole.domain.config_check.finding import Finding
    from memconsole.domain.gateway import GatewayStatus
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.home.reader import Reader


def urgent_findings(
    home: Home, sessions: Iterable[SessionView], gateway: GatewayStatus, *, reader: Reader
) -> tuple[Finding, ...]:
    """Return what is grave and certain in the platform's configuration."""
    windows = tuple(windows_in_use(home, sessions, reader))
    return urgent(ConfigFacts(home.config, release_now(home, gateway), windows, home.era))


def release_now(home: Home, gateway: GatewayStatus) -> str | None:
    """Return the version that runs, else the one that last wrote the configuration."""
    is_up = gateway.verdict == "up"
    return (gateway.version if is_up else None) or home.config.last_version


def windows_in_use(
    home: Home, sessions: Iterable[SessionView], reader: Reader
) -> Iterator[WindowUse]:
    """Yield the windows of live sessions; without any, that of the configured model."""
    is_any = False
    for view in sessions:
        if view.state is SessionState.LIVE and view.session_class.is_rotated and view.window:
            is_any = True
            yield WindowUse(view.window, view.key_text or "?", view.threshold, view.agent.id)
    if is_any:
        return
    config = home.config
    named = config.windows.get(config.default_model or "")
    tokens = named or DEFAULT_WINDOW
    rules = reader.rotation("")
    threshold = threshold_of(rules, tokens)
    name = config.default_model or "the usual model"
    yield WindowUse(tokens, name, threshold, is_assumed=named is None)
