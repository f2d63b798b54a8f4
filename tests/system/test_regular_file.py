"""What reads a file is stopped by no pipe in its place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.gateway.errors import RefusedError
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.config.host_zone import unknown_zone
from memconsole.system.regular_file import open_regular

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "b").symlink_to("a")
    with open_regular(tmp_path / "b") as file:
        assert file.read() == b"text"


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_nothing_else_is_opened(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "a"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero")
    with pytest.raises(OSError, match=r"ordinary|directory"):
        open_regular(place)


def test_a_pipe_is_no_identity_of_a_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "device.key")
    with pytest.raises(RefusedError):
        DeviceFile(tmp_path / "device.key").load()


def test_a_pipe_is_no_zone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "zone")
    environ = {"TZ": "zone", "TZDIR": str(tmp_path)}
    assert unknown_zone(environ) == "zone"
