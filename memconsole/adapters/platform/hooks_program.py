"""Asks the platform's own program which hooks it would run: `openclaw hooks list --json`."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Final

from memconsole.adapters.platform.config.values import mapping, sequence, text
from memconsole.system import launch
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TIMEOUT_S: Final = 60.0
"""Measured 2 to 6 s on an idle host."""


def listed_hooks(program: str, home: Path, environ: Mapping[str, str]) -> dict[str, str] | None:
    """Return what keeps each hook that the platform lists from running; "" for nothing.

    None when nobody could be asked: no program, no answer, or one that is not understood.

    Args:
        program: Name of the platform's program.
        home: The state folder.
        environ: Environment of the process; the program is looked for on its PATH.
    """
    found = launch.find_program(program, environ)
    if found is None:
        return None
    brand = program.upper()
    child = {**launch.environment(environ), "NO_COLOR": "1", f"{brand}_STATE_DIR": os.fspath(home)}
    try:
        done = subprocess.run(
            [found, "hooks", "list", "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child,
            cwd=launch.FOLDER,
            timeout=_TIMEOUT_S,
            check=False,
        )
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    rows = mapping(answer).get("hooks")
    if not isinstance(rows, list):
        return None
    known = ((text(mapping(row).get("name")), mapping(row)) for row in rows)
    return {name: _obstacle(row) for name, row in known if name is not None}


def _obstacle(row: Mapping[str, object]) -> str:
    """Return why the platform does not run a hook; releases name the same things differently."""
    missing = mapping(row.get("missing"))
    parts = [
        f"{kind}: {', '.join(one_line(str(item)) for item in items)}"
        for kind, value in missing.items()
        if (items := sequence(value))
    ]
    if parts:
        return f"missing {'; '.join(parts)}"
    if row.get("disabled") is True or row.get("enabledByConfig") is False:
        return "switched off"
    if row.get("eligible") is False or row.get("loadable") is False:
        return text(row.get("blockedReason")) or "not eligible"
    return ""
