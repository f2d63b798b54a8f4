"""One way to be told, as it is configured; a module of its own, since most calls need none."""

from __future__ import annotations

from dataclasses import field

from memconsole.values import dataclass


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """One `[[alerts.channel]]` (mission §10, A20).

    `${NAME}` in address, token and channel stands for a secret that is kept elsewhere.

    Attributes:
        type: `slack`, `webhook`, `command`, `desktop`, `log` or `apprise`.
        name: There is one channel of a name.
        url: Where to; a secret.
        channel: Of Slack, its id.
        token: Of a Slack bot; a secret.
        command: Program and arguments.
    """

    type: str
    name: str
    url: str = field(default="", repr=False)
    channel: str = ""
    token: str = field(default="", repr=False)
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what may be shown of it."""
        return self.name if self.name.startswith(self.type) else f"{self.type} {self.name}"
