"""Writes the gallery to `docs/pictures/`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.demo.pictures.scenes import pictures

GALLERY = Path(__file__).resolve().parents[3] / "docs" / "pictures"


def main() -> None:
    """Take all pictures and say how large they are."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    for name, text in asyncio.run(pictures()).items():
        (GALLERY / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"docs/pictures/{name}  {len(text.encode()) / 1024:.0f} KB\n")


if __name__ == "__main__":
    main()
