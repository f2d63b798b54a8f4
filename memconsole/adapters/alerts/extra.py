"""Apprise is an extra: only a channel of type `apprise` needs it, and it brings many packages."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.settings import WRONG_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memconsole.domain.settings.channels import ChannelSettings

INSTALL: Final = "Install it: `pipx inject memconsole apprise`, or `pip install apprise`."


def missing(kind: str) -> str:
    """Return what a channel of a type lacks, as half a sentence; empty when it lacks nothing."""
    if kind != "apprise" or importlib.util.find_spec("apprise") is not None:
        return ""
    return "it needs Apprise, which is not installed"


def notices(channels: Iterable[ChannelSettings], file: Path | None) -> Iterator[Notice]:
    """Yield what is to be said of channels that lack something.

    Args:
        channels: Of the settings.
        file: Our configuration.
    """
    for one in channels:
        if lack := missing(one.type):
            path = None if file is None else str(file)
            yield Notice(WRONG_SETTINGS, f"alert channel {one.name}: {lack}. {INSTALL}", path)
