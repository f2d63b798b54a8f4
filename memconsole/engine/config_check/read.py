"""Gathers what the checks of the platform's configuration look at, and makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.calendar import UNKNOWN_ZONE
from memconsole.domain.config_check.checks import check_config
from memconsole.domain.config_check.finding import ConfigFacts
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.engine.snapshot.attention import release_now, windows_in_use

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import Home, Notice
    from memconsole.domain.compaction import CompactionEvidence
    from memconsole.domain.config_check.finding import ConfigReport
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.home.reader import Reader


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
        release=release_now(snapshot.home, snapshot.gateway),
        windows=tuple(windows_in_use(snapshot.home, snapshot.sessions, reader)),
        era=snapshot.home.era,
        evidence=evidence,
        pools=tuple(pools.values()),
        hooks=hooks,
        unreadable_because=_because(snapshot.home),
        wrong_settings=_wrong_settings(snapshot.home),
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
    windows = tuple(windows_in_use(home, (), reader))
    facts = ConfigFacts(
        home.config,
        home.config.last_version,
        windows,
        era=home.era,
        hooks=hooks,
        unreadable_because=_because(home),
        wrong_settings=_wrong_settings(home),
    )
    return check_config(facts, recommends=recommends)


def _wrong_settings(home: Home) -> tuple[Notice, ...]:
    return tuple(one for one in home.notices if one.code in (WRONG_SETTINGS, UNKNOWN_ZONE))


def _because(home: Home) -> str:
    """Return why the configuration cannot be read, as the reader of the home told it."""
    told = (one.message for one in home.notices if one.code == "config-unreadable")
    return next(told, "")
