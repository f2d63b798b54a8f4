"""The text of the platform's configuration, as it was read."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ConfigText:
    """A configuration on its way to being changed; it may hold secrets and is never shown.

    Attributes:
        text: Every byte of it; what is no UTF-8 comes as lone surrogates.
        version: Modification time in ns, size in bytes and SHA-256.
        root: Decoded.
        is_plain: Plain JSON without comments: a rewriting program loses nothing of it.
        mode: Such as `0600`.
    """

    path: Path
    text: str = field(repr=False)
    version: tuple[int, int, str]
    root: Mapping[str, object] = field(repr=False)
    is_plain: bool = False
    mode: str = "0600"
