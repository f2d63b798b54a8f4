"""What can be asked about the platform's configuration and its compactions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.calendar import UNKNOWN_ZONE
from memconsole.domain.config_check.checks import check_config
from memconsole.domain.config_check.finding import ConfigFacts
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.engine.compaction.evidence import EvidenceReader
from memconsole.engine.freshness import assumed_reset
from memconsole.engine.home.live import LiveView
from memconsole.engine.snapshot.config import release_now, windows_in_use
from memconsole.errors import HomeUnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.agents import Home, Notice, Origin
    from memconsole.domain.commands.config_fix import ConfigFix
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.compaction import CompactionEvidence
    from memconsole.domain.config_check.finding import Change, ConfigReport
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.snapshot.snapshot import Snapshots
    from memconsole.ports.platform import Gateway, SessionStore
    from memconsole.ports.platform_files import ConfigFile


logger = logging.getLogger(__name__)


class ConfigService:
    """Remembers transcripts that did not change; safe from any thread."""

    def __init__(
        self,
        *,
        snapshots: Snapshots,
        gateway: Gateway,
        origin: Origin,
        sessions: SessionStore,
        config_file: Callable[[], ConfigFile],
        reader: Reader,
        settings: Settings,
    ) -> None:
        self._snapshots = snapshots
        self._gateway = gateway
        self._origin = origin
        self._config_file = config_file
        self._reader = reader
        self._is_read_only = settings.ui.read_only
        self._settings = settings
        self._evidence = EvidenceReader(sessions, min_duration_ms=settings.min_compaction_ms)

    def evidence(self, snapshot: ConsoleSnapshot | None = None) -> CompactionEvidence:
        """Return what the transcripts say about their compactions.

        Args:
            snapshot: A reading that is at hand; None takes one from disk.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
        """
        if snapshot is None:
            snapshot = self._snapshots.take(with_pools=False)
        return self._evidence.read(snapshot.sessions)

    def sweep(self) -> None:
        """Remove what a killed `config fix` left in the home: it holds the Gateway's token."""
        if self._is_read_only:
            return
        for path in self._config_file().sweep():
            logger.warning(
                "%s was removed: a run of memconsole that was killed had left a copy of the "
                "configuration there",
                path,
            )

    def check(
        self, snapshot: ConsoleSnapshot | None = None, *, recommends: bool = False
    ) -> ConfigReport:
        """Make every check; what nobody could look at is a finding too.

        Reads transcripts whole, within limits: not for the first screen.

        Args:
            snapshot: A reading with pools that is at hand; None takes one, the Gateway included.
            recommends: Also optional advice.

        Raises:
            HomeNotFoundError: The platform home does not exist.
        """
        self.sweep()
        return self._report(snapshot, recommends=recommends)

    def _report(
        self, snapshot: ConsoleSnapshot | None = None, *, recommends: bool = False
    ) -> ConfigReport:
        hooks = self._config_file().hooks()
        try:
            if snapshot is None:
                snapshot = self._snapshots.take(LiveView(self._gateway, self._origin))
        except HomeUnreadableError:
            home = self._reader.home()
            return home_report(home, reader=self._reader, hooks=hooks, recommends=recommends)
        return config_report(
            snapshot,
            self._evidence.read(snapshot.sessions),
            reader=self._reader,
            hooks=hooks,
            recommends=recommends,
        )

    def fix(self, command: ConfigFix) -> Outcome:
        """Set what the checks found wrong and memconsole may set.

        A plan is made from disk alone. What is set is what the plan shows, but for what the running
        Gateway's release does not want.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            ConcurrentEditError: Someone changed the configuration meanwhile; it was left alone.
            PlatformConfigError: It cannot be read, copied or written; the old file is whole.
            ConfigError: Our own section `[config]` is wrong.
        """
        from memconsole.engine.config_check.fix import fix_config  # noqa: PLC0415 - looking sets nothing

        self._settings.require("config")
        if not command.dry_run:
            self.sweep()
        file, changes = self._config_file(), self._planned()
        if changes and not command.dry_run:
            wanted = self._report().changes
            changes = tuple(one for one in changes if one in wanted)
        return fix_config(command, changes, file, uses_program=self._settings.uses_program)

    def _planned(self) -> tuple[Change, ...]:
        """Return what a fix would set, from disk alone."""
        try:
            snapshot = self._snapshots.take()
        except HomeUnreadableError:
            return self._report().changes
        return self._report(snapshot).changes


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
        assume=assumed_reset(reader.settings, ""),
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
        assume=assumed_reset(reader.settings, ""),
    )
    return check_config(facts, recommends=recommends)


def _wrong_settings(home: Home) -> tuple[Notice, ...]:
    return tuple(one for one in home.notices if one.code in (WRONG_SETTINGS, UNKNOWN_ZONE))


def _because(home: Home) -> str:
    """Return why the configuration cannot be read, as the reader of the home told it."""
    told = (one.message for one in home.notices if one.code == "config-unreadable")
    return next(told, "")


def fix(command: ConfigFix, *, config: ConfigService) -> Outcome:
    """Set what was found wrong; see `ConfigService.fix`."""
    return config.fix(command)
