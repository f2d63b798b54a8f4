"""`config fix`: sets what `config check` found wrong, after a copy, and looks again (mission §7).

The text is changed in place, so that comments and everything else stay. Where it is plain JSON the
platform's own program is asked first: it checks values by its own schema, and loses nothing there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.config_edit import EditError, edit, with_changes
from memconsole.domain.outcomes import ConfigFixed, Failed, Planned, Skipped, SkipReason, Written
from memconsole.errors import PlatformConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.config_ports import ConfigFile
    from memconsole.domain.commands import ConfigFix
    from memconsole.domain.config_edit import Edit
    from memconsole.domain.config_finding import Change
    from memconsole.domain.config_text import ConfigText
    from memconsole.domain.outcomes import Detail, Outcome

_STAMPED = frozenset({"meta", "$schema"})
"""What the platform's program writes of its own when it writes at all."""


def fix_config(command: ConfigFix, changes: Sequence[Change], file: ConfigFile) -> Outcome:
    """Set values in the platform's configuration.

    Args:
        command: What was asked for.
        changes: What the checks recommend.
        file: The configuration.

    Raises:
        ConcurrentEditError: Someone changed it meanwhile; it was left alone.
        PlatformConfigError: It cannot be read, copied or written; the old file is whole.
    """
    seen = file.read()
    if seen is None:
        return Failed(
            command,
            PlatformConfigError.code,
            "the platform has no configuration file to change",
            hint="The platform writes one when it is set up.",
        )
    try:
        text, edits = edit(seen.text, changes)
    except EditError as error:
        return Failed(
            command,
            PlatformConfigError.code,
            f"{seen.path} was not changed: {error}",
            hint="Set the values by hand: `memconsole config check` names them.",
        )
    if not edits:
        return Skipped(command, SkipReason.NOTHING_TO_FIX, f"nothing to set in {seen.path}")
    wanted = with_changes(seen.root, changes)
    if file.decode(text) != wanted:
        return Failed(
            command,
            PlatformConfigError.code,
            f"{seen.path} was not changed: the change would touch more than it should",
            hint="Set the values by hand: `memconsole config check` names them.",
        )
    details = _details(seen, edits)
    if command.dry_run:
        size = len(text.encode("utf-8", "surrogateescape"))
        return Planned(
            command,
            f"would set {_words(edits)} in {seen.path}",
            wrote=(Written(str(seen.path), size, seen.mode),),
            details=details,
        )
    return _apply(command, text, edits, seen=seen, wanted=wanted, file=file)


def _apply(
    command: ConfigFix,
    text: str,
    edits: Sequence[Edit],
    *,
    seen: ConfigText,
    wanted: Mapping[str, object],
    file: ConfigFile,
) -> Outcome:
    changes = tuple(dict.fromkeys(one.change for one in edits))
    copy = file.back_up(seen)
    details: dict[str, Detail] = {**_details(seen, edits), "backup": copy.path}
    if seen.is_plain and file.set_by_program(changes):
        done = file.read()
        if done is not None and _is_as_wanted(done.root, wanted):
            details["by"] = "program"
            size = done.version[1]
            return _fixed(command, edits, copy, Written(str(done.path), size, done.mode), details)
        if done is None or done.version != seen.version:
            return Failed(
                command,
                PlatformConfigError.code,
                f"the platform's own program changed {seen.path} otherwise than it should",
                hint=f"What was there before is in {copy.path}.",
                details=details,
            )
    written = file.replace(text, seen=seen)
    done = file.read()
    if done is None or done.root != wanted:
        return Failed(
            command,
            PlatformConfigError.code,
            f"{seen.path} does not hold what was set a moment ago",
            hint=f"What was there before is in {copy.path}.",
            details=details,
        )
    details["by"] = "memconsole"
    return _fixed(command, edits, copy, written, details)


def _fixed(
    command: ConfigFix,
    edits: Sequence[Edit],
    copy: Written,
    written: Written,
    details: Mapping[str, Detail],
) -> ConfigFixed:
    return ConfigFixed(
        command,
        f"set {_words(edits)}; what was there before is in {copy.path}. The Gateway takes it up by "
        "itself, or when it starts next",
        wrote=(copy, written),
        details=details,
    )


def _is_as_wanted(root: Mapping[str, object], wanted: Mapping[str, object]) -> bool:
    """Compare without what the program stamps."""
    ours = {key: value for key, value in wanted.items() if key not in _STAMPED}
    return ours == {key: value for key, value in root.items() if key not in _STAMPED}


def _words(edits: Sequence[Edit]) -> str:
    return ", ".join(dict.fromkeys(one.change.words for one in edits))


def _details(seen: ConfigText, edits: Sequence[Edit]) -> dict[str, Detail]:
    """Say what changes and nothing else: the lines around it may hold secrets."""
    changes: list[Detail] = [
        {"key": one.change.key, "line": one.line, "old": one.old or None, "new": one.new.strip()}
        for one in edits
    ]
    return {"path": str(seen.path), "changes": changes, "patch": _patch(edits)}


def _patch(edits: Sequence[Edit]) -> str:
    """Return the changed places as a reader of patches knows them."""
    lines: list[str] = []
    for one in edits:
        lines.append(f"@@ line {one.line}: {one.change.key} @@")
        lines += [f"-{line}" for line in one.old.splitlines()]
        lines += [f"+{line}" for line in one.new.strip("\r\n").splitlines()]
    return "\n".join(lines)
