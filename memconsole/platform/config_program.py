"""Sets values through the platform's own program: `openclaw config set KEY VALUE` (mission §7).

The program checks values by its own schema, orders the file anew as plain JSON and writes defaults
into it: it is only asked where an operator wants that, and where it loses no comment.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from memconsole import launch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.config_finding import Change

_PROGRAMS = ("openclaw", "moltbot", "clawdbot")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_TIMEOUT_S = 60.0
"""Of one value: measured 3 to 25 s."""


def set_values(
    changes: Sequence[Change], config: Path, home: Path, environ: Mapping[str, str]
) -> bool:
    """Set one value after the other; False when the program is not there, or refuses one.

    Args:
        changes: What to set; a key with a dot in its name is no path and is not tried.
        config: The configuration file.
        home: The state folder.
        environ: Environment of the process; the program is looked for on its PATH.
    """
    import subprocess  # noqa: PLC0415 - only a change needs a program

    found = (launch.find_program(name, environ) for name in _PROGRAMS)
    program = next((one for one in found if one is not None), None)
    if program is None or not all(map(_is_path, changes)):
        return False
    child = {**launch.environment(environ), "NO_COLOR": "1"}
    for brand in ("OPENCLAW", "MOLTBOT", "CLAWDBOT"):
        child[f"{brand}_STATE_DIR"] = os.fspath(home)
        child[f"{brand}_CONFIG_PATH"] = os.fspath(config)
    for change in changes:
        try:
            done = subprocess.run(
                [program, "config", "set", change.key, _argument(change)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=child,
                cwd=launch.FOLDER,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        if done.returncode:
            return False
    return True


def _is_path(change: Change) -> bool:
    return all(_PLAIN_KEY.fullmatch(key) for key in change.keys)


def _argument(change: Change) -> str:
    """The program reads a value as JSON5 where it can, else as a text."""
    return change.value if isinstance(change.value, str) else json.dumps(change.value)
