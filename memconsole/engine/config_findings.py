"""Gathers what the checks of the platform's configuration look at, and makes them (mission §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.config_check import check_config, urgent
from memconsole.domain.config_finding import ConfigFacts, WindowUse
from memconsole.domain.gateway import Verdict
from memconsole.domain.sessions import SessionState
from memconsole.domain.tokens import DEFAULT_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memconsole.domain.agents import Home
    from memconsole.domain.compaction_evidence import CompactionEvidence
    from memconsole.domain.config_finding import ConfigReport, Finding
    from memconsole.domain.memory import Pool
    from memconsole.domain.snapshot import ConsoleSnapshot, GatewayStatus, SessionView
    from memconsole.engine.reader import Reader


def config_report(
    snapshot: ConsoleSnapshot,
    evidence: CompactionEvidence | None,
    *,
    reader: Reader,
    hooks: Mapping[str, frozenset[str]] | None,
    recommends: bool,
) -> ConfigReport:
    """Make every check over one reading of everything.

    Args:
        snapshot: With sessions, and with pools for the bootstrap budget.
        evidence: What the transcripts say; None when nobody could look.
        reader: For the rotation policy of each agent.
        hooks: Files of each hook folder; None when nobody could look.
        recommends: Also optional advice.
    """
    pools: dict[object, Pool] = {
        view.pool.root: view.pool for view in snapshot.agents if view.pool is not None
    }
    facts = ConfigFacts(
        config=snapshot.home.config,
        release=_release(snapshot.home, snapshot.gateway),
        windows=tuple(_windows(snapshot.home, snapshot.sessions, reader)),
        evidence=evidence,
        pools=tuple(pools.values()),
        hooks=hooks,
    )
    return check_config(facts, recommends=recommends)


def home_report(
    home: Home,
    *,
    reader: Reader,
    hooks: Mapping[str, frozenset[str]] | None,
    recommends: bool,
) -> ConfigReport:
    """Check the configuration of a home whose sessions nobody can read."""
    windows = tuple(_windows(home, (), reader))
    facts = ConfigFacts(home.config, home.config.last_version, windows, hooks=hooks)
    return check_config(facts, recommends=recommends)


def urgent_findings(
    home: Home, sessions: Iterable[SessionView], gateway: GatewayStatus, *, reader: Reader
) -> tuple[Finding, ...]:
    """Return what the attention line says of the configuration; opens no file."""
    windows = tuple(_windows(home, sessions, reader))
    return urgent(ConfigFacts(home.config, _release(home, gateway), windows))


def _release(home: Home, gateway: GatewayStatus) -> str | None:
    """Return the version that runs, else the one that last wrote the configuration."""
    is_up = gateway.verdict == Verdict.UP
    return (gateway.version if is_up else None) or home.config.last_version


def _windows(home: Home, sessions: Iterable[SessionView], reader: Reader) -> Iterator[WindowUse]:
    """Yield the windows of live talks; without any, that of the configured model."""
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
    policy = reader.policy("")
    threshold = min(policy.threshold_tokens, int(policy.window_ratio * tokens))
    name = config.default_model or "the usual model"
    yield WindowUse(tokens, name, threshold, is_assumed=named is None)
