"""What reading and changing the platform's configuration and hooks folder need, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.commands.outcomes import Written
    from memconsole.domain.config_check.finding import Change, ConfigText, ConfigWhole
    from memconsole.domain.hooks import HookStatus


class ConfigFile(Protocol):
    """The platform's configuration file, the one file of its home that is ever written."""

    def read(self) -> ConfigText | None:
        """Read it whole, with the version it had; None when there is none.

        Raises:
            PlatformConfigError: It cannot be read, or is no JSON5 object.
        """

    def whole(self, seen: ConfigText) -> ConfigWhole:
        """Return what it says with the parts that it names by `$include`; variables stay names.

        Raises:
            PlatformConfigError: A part cannot be read.
        """

    def decode(self, text: str) -> Mapping[str, object]:
        """Decode a text that may be written.

        Raises:
            PlatformConfigError: It is no JSON5 object.
        """

    def back_up(self, seen: ConfigText) -> Written:
        """Copy what was read into our own state folder, 0600, and forget the oldest copies.

        Raises:
            PlatformConfigError: It cannot be written; nothing may be changed then.
        """

    def replace(self, text: str, *, seen: ConfigText) -> Written:
        """Replace it whole: the old bytes or the new ones, never half; mode and owner stay.

        Raises:
            ConcurrentEditError: The file is not the one that was seen; it was left alone.
            PlatformConfigError: Refused or failed; the old file is whole.
        """

    def sweep(self) -> tuple[Path, ...]:
        """Remove temporary files of ours beside it whose runs were killed; returns their paths.

        They hold what the configuration holds, secrets included.
        """

    def set_by_program(self, changes: Sequence[Change]) -> bool:
        """Let the platform's own program set values; False when it is not there or refused."""

    def hooks(self) -> Mapping[str, frozenset[str]] | None:
        """Return the files of each hook folder by name; None when they cannot be listed."""


class HookFolder(Protocol):
    """The hooks of memconsole in `<home>/hooks`, and what the platform says of what it starts."""

    @property
    def program(self) -> str:
        """Path of memconsole, as the platform starts it."""

    def called_at(self, name: str) -> datetime | None:
        """Return when the platform called something of ours last; None when no call was seen."""

    def obstacle_of_server(self, name: str) -> str | None:
        """Let the platform's own program start an MCP server of its configuration: takes seconds.

        Returns what keeps the server from answering, "" for nothing, and None when nobody could
        be asked.
        """

    def status(self, prefix: str, *, asks: bool = False) -> tuple[HookStatus, ...]:
        """Return every hook as it is now.

        Args:
            prefix: What stands before the names of the hooks.
            asks: Ask the platform's own program too, which takes seconds.
        """

    def install(self, prefix: str, *, dry_run: bool) -> tuple[Written, ...]:
        """Write all hooks, or say what would be written.

        Raises:
            PlatformConfigError: A folder of that name is somebody else's, or cannot be written.
        """

    def linked(self, prefix: str) -> tuple[str, ...]:
        """Return the folders of our hooks that stand behind links: those are left alone."""

    def remove(self, prefix: str, *, dry_run: bool) -> tuple[str, ...]:
        """Remove our hooks, and nothing that is not ours; return the folders.

        Raises:
            PlatformConfigError: One cannot be removed.
        """
