"""Rotates the logs that have grown, ours and the platform's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.logs import LogRotation, at_the_cut, due
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.settings.sections import LogRotationSettings
    from memconsole.ports.host import LogFiles
    from memconsole.ports.platform import StopSignal


def rotate_logs(
    logs: LogFiles,
    home: Path | None,
    rules: LogRotationSettings,
    *,
    dry_run: bool = False,
    cancel: StopSignal | None = None,
) -> tuple[LogRotation, ...]:
    """Rotate every log that has reached the size; one that fails does not stop the others.

    Args:
        logs: Finds and rotates them.
        home: The platform home; None when it cannot be read.
        rules: From which size on, and how many are kept.
        dry_run: Only say which.
        cancel: Ends it between two logs.
    """
    done: list[LogRotation] = []
    for file in due(logs.found(home), rules.max_bytes):
        if cancel is not None and cancel.is_set():
            break
        if dry_run:
            message = f"would move {size_words(file.size_bytes)} to .1{at_the_cut(file)}"
            done.append(LogRotation(file, "planned", message))
        else:
            done.append(logs.rotate(file, rules.keep))
    return tuple(done)
