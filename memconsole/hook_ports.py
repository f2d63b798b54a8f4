"""The hooks folder of the platform home, as a protocol: looked into and, when told, written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memconsole.domain.hooks import HookStatus
    from memconsole.domain.outcomes import Written


class HookFolder(Protocol):
    """The hooks of memconsole in `<home>/hooks`."""

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

    def remove(self, prefix: str, *, dry_run: bool) -> tuple[str, ...]:
        """Remove our hooks, and nothing that is not ours; return the folders.

        Raises:
            PlatformConfigError: One cannot be removed.
        """
