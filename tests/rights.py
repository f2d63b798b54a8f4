"""Tests of what may not be read, whoever runs them."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOBODY = 65534


@contextmanager
def reachable_folder() -> Iterator[Path]:
    """A folder that other users can reach; `tmp_path` is closed to them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


@contextmanager
def powerless() -> Iterator[None]:
    """Give up the rights of a superuser."""
    user = os.geteuid()
    os.seteuid(_NOBODY if user == 0 else user)
    try:
        yield
    finally:
        os.seteuid(user)
