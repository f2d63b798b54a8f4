"""Finds the stylesheets: inside the wheel, or at the top level of a checkout (house §5)."""

from __future__ import annotations

from pathlib import Path, PurePath

_PACKAGE = Path(__file__).resolve().parent.parent


def stylesheets() -> list[str | PurePath]:
    """Return all our stylesheets by absolute path, the shared one first.

    `importlib.resources` does not find a top-level folder of an editable install; `__file__` does.
    """
    for folder in (_PACKAGE / "styles", _PACKAGE.parent / "styles"):
        if (folder / "console.tcss").is_file():
            shared = folder / "console.tcss"
            return [shared, *sorted(set(folder.glob("*.tcss")) - {shared})]
    return []
