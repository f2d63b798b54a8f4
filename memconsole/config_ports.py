"""What reading and changing the platform's configuration needs, as a protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.config_finding import Change
    from memconsole.domain.config_text import ConfigText
    from memconsole.domain.outcomes import Written


class ConfigFile(Protocol):
    """The platform's configuration file, the one file of its home that is ever written (§7)."""

    def read(self) -> ConfigText | None:
        """Read it whole, with the version it had; None when there is none.

        Raises:
            PlatformConfigError: It cannot be read, or is no JSON5 object.
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
