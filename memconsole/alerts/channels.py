"""The channels of the settings (port `AlertChannel`); what they load is loaded by a child."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from memconsole.alerts.log import LogChannel
from memconsole.alerts.process import run
from memconsole.alerts.secrets import Secrets
from memconsole.errors import DeliveryError
from memconsole.launch import find_program, own_module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memconsole.alerts.process import Stop
    from memconsole.domain.channel_settings import ChannelSettings
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.settings_service import AlertSettings

TIMEOUT_S = 10.0
"""How long a delivery may take (mission §10)."""

_START_S = 10.0
"""How long the child may take to begin on a busy host."""

_CHILD = own_module("memconsole.alerts.child")


class ChildChannel:
    """Slack, a webhook, or an address for Apprise: delivered by a process of its own.

    Args:
        settings: With `${NAME}` for secrets.
        secrets: Fills them in when a message is sent.
        timeout_s: How long a delivery may take.
    """

    def __init__(
        self, settings: ChannelSettings, secrets: Secrets, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._timeout_s = timeout_s
        self.name = settings.name
        self.kind = settings.type

    def check(self) -> None:
        """See whether every secret is there.

        Raises:
            DeliveryError: One is missing.
        """
        self._filled()

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Deliver one message.

        Raises:
            DeliveryError: It was not delivered; names no secret.
        """
        found = self._filled()
        question = {
            "kind": found.type,
            "url": found.url,
            "token": found.token,
            "channel": found.channel,
            "message": message,
            "timeout_s": self._timeout_s,
        }
        data = json.dumps(question).encode()
        limit_s = self._timeout_s + _START_S
        ended = run(_CHILD, data, timeout_s=limit_s, cancel=cancel, reads=True)
        try:
            answer = json.loads(ended.out)
        except ValueError:
            raise DeliveryError(f"its process ended with code {ended.code}") from None
        if answer["error"] is not None:
            raise DeliveryError(str(answer["error"]), is_final=bool(answer["is_final"]))

    def _filled(self) -> ChannelSettings:
        fill = self._secrets.fill
        found = self._settings
        return replace(
            found, url=fill(found.url), token=fill(found.token), channel=fill(found.channel)
        )


class CommandChannel:
    """A program of the operator's: the message is JSON on its standard input.

    Args:
        settings: With the program, by a name on PATH or its whole path, and its arguments.
        timeout_s: How long it may take.
    """

    def __init__(self, settings: ChannelSettings, timeout_s: float = TIMEOUT_S) -> None:
        self._words = settings.command
        self._timeout_s = timeout_s
        self.name = settings.name
        self.kind = settings.type

    def check(self) -> None:
        """See whether the program is there.

        Raises:
            DeliveryError: It is not.
        """
        self._program()

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Run the program.

        Raises:
            DeliveryError: It could not run, took too long, or did not end with 0.
        """
        data = json.dumps(message).encode() + b"\n"
        words = (self._program(), *self._words[1:])
        ended = run(words, data, timeout_s=self._timeout_s, cancel=cancel)
        if ended.code != 0:
            how = f"by signal {-ended.code}" if ended.code < 0 else f"with code {ended.code}"
            raise DeliveryError(f"{self._words[0]} ended {how}")

    def _program(self) -> str:
        found = find_program(self._words[0])
        if found is None:
            hint = "Name a program on PATH, or its whole path: what is relative is not run."
            raise DeliveryError(f"there is no program {self._words[0]}", hint, is_final=True)
        return found


Channel: TypeAlias = LogChannel | ChildChannel | CommandChannel


def build_channels(
    settings: AlertSettings, state_dir: Path, environ: Mapping[str, str]
) -> tuple[Channel, ...]:
    """Return the channels of the settings, the log first."""
    secrets = Secrets(environ, settings.secrets_file)
    found: list[Channel] = [LogChannel(state_dir / "health" / "alerts.log")]
    for one in settings.all_channels():
        if one.type == "command":
            found.append(CommandChannel(one))
        else:
            found.append(ChildChannel(one, secrets))
    return tuple(found)
