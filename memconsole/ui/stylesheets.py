"""Finds the stylesheets: inside the wheel, or at the top level of a checkout."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.css.stylesheet import Stylesheet

_PACKAGE = Path(__file__).resolve().parent.parent


_FIRST = ("console.tcss", "overview.tcss")


def stylesheets() -> list[str | PurePath]:
    """Return the stylesheets of the first screen by absolute path, the shared one first.

    `importlib.resources` does not find a top-level folder of an editable install; `__file__` does.
    """
    return [] if (folder := _folder()) is None else [folder / name for name in _FIRST]


def read_others(stylesheet: Stylesheet) -> None:
    """Read the sheets of all other screens: parsing them would hold up the first picture."""
    folder = _folder()
    if folder is not None:
        stylesheet.read_all(sorted(set(folder.glob("*.tcss")) - {folder / one for one in _FIRST}))
        stylesheet.parse()


def _folder() -> Path | None:
    for folder in (_PACKAGE / "styles", _PACKAGE.parent / "styles"):
        if (folder / "console.tcss").is_file():
            return folder
    return None
