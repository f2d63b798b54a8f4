"""Where the file of a moved, mounted or copied home may be now (A25); pure path arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path, PurePath


_DEEPEST = 32
"""Longer tails are not tried: no real path has them, and a hostile one has thousands."""


def moved_places(path: PurePath, home: Path) -> Iterator[Path]:
    """Yield places for an absolute path of another machine, the likeliest first.

    Args:
        path: As the configuration or a store names it.
        home: The state folder that is read.

    Yields:
        Each tail of the path, longest first, inside the home and then inside its parent.
    """
    parts = path.parts[1:][-_DEEPEST:]
    for start in range(len(parts)):
        for base in (home, home.parent):
            yield base.joinpath(*parts[start:])
