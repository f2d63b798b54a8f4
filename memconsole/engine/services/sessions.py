"""Answers questions about resets: ours, the platform's, and the Gateway's news."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.services.memory import MemoryDoor
from memconsole.errors import ReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.bootstrap import Bootstrap
    from memconsole.domain.commands.flush import Flush
    from memconsole.domain.commands.outcomes import Written
    from memconsole.domain.commands.reflect import Reflect
    from memconsole.domain.hooks import HookStatus
    from memconsole.engine.config_check.watch import ConfigWatch
    from memconsole.engine.freshness import Precapture
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.recover.watch import EndedWatch
    from memconsole.engine.rotation.plan import RotationPlan
    from memconsole.ports.platform import StopSignal


class GatewayDoor(MemoryDoor):
    """Plans and news; `Engine` has these methods too."""

    _reader: Reader

    def rotation_plan(
        self,
        *,
        agent_id: str | None = None,
        keys: tuple[str, ...] = (),
        threshold_tokens: int | None = None,
        is_forced: bool = False,
        is_active_forced: bool = False,
    ) -> RotationPlan:
        """Say which sessions rotation would take now, from disk alone.

        Raises:
            SessionNotFoundError: A key names no live session.
        """
        from memconsole.engine.rotation.plan import plan_rotation  # noqa: PLC0415

        return plan_rotation(
            self._ports.rotations,
            self._ports.clock,
            self._reader,
            self.settings,
            agent_id=agent_id,
            keys=keys,
            threshold_tokens=threshold_tokens,
            is_forced=is_forced,
            is_active_forced=is_active_forced,
        )

    def bootstrap(
        self,
        *,
        workspace: Path | None = None,
        session_key: str | None = None,
        is_startup: bool = False,
    ) -> Bootstrap:
        """Return what a starting session is given of its memory.

        Args:
            workspace: Whose memory; None takes the agent of the key, else the first agent.
            session_key: Its class decides; None means a main session.
            is_startup: What to read where no hook gives it.

        Raises:
            UnknownAgentError: The key names an agent that is not there.
            UsageError: The workspace is nobody's.
        """
        from memconsole.engine.bootstrap import bootstrap, startup  # noqa: PLC0415

        made = startup if is_startup else bootstrap
        return made(
            self._ports,
            self._reader,
            self.settings,
            workspace=workspace,
            session_key=session_key,
        )

    def bootstraps(self, agent_id: str) -> tuple[Bootstrap, ...]:
        """Return what the sessions of one agent are given, for each class of them.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        from memconsole.engine.bootstrap import by_class  # noqa: PLC0415

        return by_class(self._ports, self._reader, self.settings, agent_id)

    def hooks(self, prefix: str = "", *, asks: bool = False) -> tuple[HookStatus, ...]:
        """Return the hooks of memconsole as they are in the platform home.

        Args:
            prefix: What stands before the names of the hooks.
            asks: Ask the platform's own program whether it runs them, which takes seconds.
        """
        return self._ports.hooks().status(prefix, asks=asks)

    def install_hooks(self, prefix: str = "", *, dry_run: bool = False) -> tuple[Written, ...]:
        """Write the hooks into the platform home, or say what would be written.

        Raises:
            ReadOnlyError: Nothing may be changed.
            PlatformConfigError: A folder of that name is somebody else's, or cannot be written.
        """
        self._require_writing("hooks install", dry_run=dry_run)
        return self._ports.hooks().install(prefix, dry_run=dry_run)

    def remove_hooks(self, prefix: str = "", *, dry_run: bool = False) -> tuple[str, ...]:
        """Take our hooks out of the platform home; return the folders.

        Raises:
            ReadOnlyError: Nothing may be changed.
            PlatformConfigError: One cannot be removed.
        """
        self._require_writing("hooks remove", dry_run=dry_run)
        return self._ports.hooks().remove(prefix, dry_run=dry_run)

    def _require_writing(self, action: str, *, dry_run: bool) -> None:
        if self.settings.ui.read_only and not dry_run:
            raise ReadOnlyError(action)

    def flushes_due(self) -> tuple[Flush, ...]:
        """Return a flush for each talk that came nearer to its compaction."""
        from memconsole.engine.flush.run import flushes_due  # noqa: PLC0415
        from memconsole.engine.snapshot.snapshot import read_sessions  # noqa: PLC0415

        home, views = read_sessions(self._reader)
        return tuple(flushes_due(views, home, flushes=self._ports.flushes, settings=self.settings))

    def reflections_due(self) -> tuple[Reflect, ...]:
        """Return a reflection for each agent whose observations have grown long."""
        from memconsole.engine.reflect.due import reflections_due  # noqa: PLC0415

        home = self._reader.home()
        ports = self._ports
        return tuple(
            reflections_due(
                home,
                workspace=ports.workspace,
                reflections=ports.reflections,
                settings=self.settings,
                now=ports.clock.now(),
            )
        )

    def precaptures(self, at: datetime | None = None) -> tuple[Precapture, ...]:
        """Return the talks that must be saved before the platform starts them anew.

        Args:
            at: The moment that is asked about; None is now.
        """
        from memconsole.engine.freshness import precaptures  # noqa: PLC0415
        from memconsole.engine.snapshot.snapshot import read_sessions  # noqa: PLC0415

        home, views = read_sessions(self._reader)
        at = at or self._ports.clock.now()
        return precaptures(views, home, ports=self._ports, settings=self.settings, at=at)

    def config_watch(self) -> ConfigWatch:
        """Return a watch that has the platform's configuration checked when it changed."""
        from memconsole.engine.config_check.watch import ConfigWatch  # noqa: PLC0415

        return ConfigWatch(self._ports.clock, self.home)

    def ended_watch(self) -> EndedWatch:
        """Return a watch that has talks recovered when their session changes."""
        from memconsole.engine.recover.watch import EndedWatch  # noqa: PLC0415

        return EndedWatch(self._ports.clock, self.home, self._reader.listing)

    def require_gateway(self) -> None:
        """Connect to the Gateway, or raise `GatewayUnavailableError` with its verdict."""
        self.settings.require("gateway")
        self._ports.gateway.require()

    def gateway_news(self, stop: StopSignal) -> Iterator[None]:
        """Yield whenever the Gateway has news, until `stop` is set; for long-running faces."""
        return self._ports.gateway.listen(stop)
