"""Why a command cannot work now; the same sentence dims its key and answers its press."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.domain.command_spec import CommandSpec
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot import ConsoleSnapshot


def refusal(spec: CommandSpec, settings: Settings, snapshot: ConsoleSnapshot | None) -> str | None:
    """Return the reason, or None when the command can be tried.

    A Gateway that is late may be tried: nothing is known against it, and an action waits longer.
    """
    if settings.ui.read_only:
        return is_read_only(spec.name)
    if snapshot is None:
        return f"{spec.name}: nothing has been read yet"
    if not snapshot.agents:
        return f"{spec.name}: this home has no agents yet"
    if spec.needs_gateway and snapshot.gateway.verdict not in ("up", "late"):
        return f"{spec.name}: only the Gateway can do it, and it is {_gateway_word(snapshot)}"
    return None


def is_read_only(name: str) -> str:
    """Return why nothing that writes can be done."""
    return f"{name}: memconsole runs read-only; start it without --read-only to act"


def _gateway_word(snapshot: ConsoleSnapshot) -> str:
    gateway = snapshot.gateway
    return "not connected (its plan still works)" if gateway.verdict == "off" else gateway.words
