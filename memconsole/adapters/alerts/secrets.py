"""Secrets of channels: `${NAME}` stands for a variable or for a line of the secrets file.

The file belongs to the user and nobody else may read it; its lines are read and never executed.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from memconsole.errors import DeliveryError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_MOST_BYTES = 65_536


class Secrets:
    """Fills in `${NAME}`; the environment wins over the file, which is read when it is needed.

    Args:
        environ: The process's environment.
        path: The secrets file; None when there is none.
    """

    def __init__(self, environ: Mapping[str, str], path: Path | None) -> None:
        self._environ = environ
        self._path = path

    def fill(self, text: str) -> str:
        """Return the text with every `${NAME}` replaced.

        Raises:
            DeliveryError: A name is unknown, or the file may not be used; names no secret.
        """
        wanted = set(_NAME.findall(text))
        if not wanted:
            return text
        known = {name: self._environ[name] for name in wanted if self._environ.get(name)}
        if self._path is not None and wanted - known.keys():
            known = {**read(self._path), **known}
        if missing := sorted(wanted - known.keys()):
            place = f" nor a line of {self._path}" if self._path is not None else ""
            raise DeliveryError(
                f"{', '.join(missing)} is neither a variable of the environment{place}"
                if place
                else f"{', '.join(missing)} is no variable of the environment",
                "Set it there, or in the file that `alerts.secrets_file` names.",
                is_final=True,
            )
        return _NAME.sub(lambda found: known[found[1]], text)


def read(path: Path) -> dict[str, str]:
    """Return the lines `KEY=VALUE` of a file; nothing in them is expanded.

    Blank lines and those that begin with `#` are passed over; one pair of quotes around a value is
    taken away.

    Raises:
        DeliveryError: It is missing, belongs to somebody else, or others may read it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DeliveryError(f"the secrets file {path}: {reason}", is_final=True) from error
    with os.fdopen(descriptor, "rb") as file:
        _require_private(path, os.fstat(descriptor))
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise DeliveryError(f"the secrets file {path} is larger than 64 KB", is_final=True)
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if not text.startswith("#") and (pair := _LINE.fullmatch(text)):
            found[pair[1]] = _unquoted(pair[2])
    return found


def _require_private(path: Path, status: os.stat_result) -> None:
    hint = f"chmod 600 {path}"
    if not stat.S_ISREG(status.st_mode):
        raise DeliveryError(f"the secrets file {path} is no file", is_final=True)
    if status.st_uid != os.geteuid():
        raise DeliveryError(f"the secrets file {path} belongs to somebody else", is_final=True)
    if status.st_mode & 0o077:
        raise DeliveryError(f"others may read the secrets file {path}", hint, is_final=True)


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
