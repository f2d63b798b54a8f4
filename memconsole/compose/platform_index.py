"""Puts together what only asks how the platform itself would search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.index.embedding.providers import remote_of
from memconsole.adapters.platform_index.files import PlatformIndexFiles
from memconsole.ports.search import PlatformIndexPorts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.domain.settings import SearchSettings


def platform_index_ports(copies: PrivateCopies) -> PlatformIndexPorts:
    """Return what only asks how the platform itself would search."""

    def embed(settings: SearchSettings, text: str) -> Sequence[float]:
        provider = remote_of(settings, is_patient=False)
        return [] if provider is None else provider.embed([text])[0]

    return PlatformIndexPorts(PlatformIndexFiles(copies), embed)
