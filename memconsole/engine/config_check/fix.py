"""`config fix`: sets what `config check` found wrong, after a copy, and looks again.

The text is changed in place, so that comments and everything else stay. Measured: `config set` of
the platform takes 20 s and more, orders the file anew and writes defaults into it, and 2026.9 left
a lock behind. So it is asked only where an operator wants that (`config.use_program`), and only for
plain JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.config_fix import ConfigFixed
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.config_check.edit import EditError, edit, with_changes
from memconsole.errors import PlatformConfigError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.domain.commands.config_fix import ConfigFix
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.config_check.edit import Edit
    from memconsole.domain.config_check.finding import Change, ConfigText
    from memconsole.ports.platform_files import ConfigFile

_STAMPED = frozenset({"meta", "$schema"})
"""What the platform's program writes of its own when it writes at all."""


def fix_config(
    command: ConfigFix, changes: Sequence[Change], file: ConfigFile, *, uses_program: bool = False
) -> Outcome:
    """Set values in the platform's configuration.

    Args:
        command: What was asked for.
        changes: What the checks recommend.
        file: The configuration.
        uses_program: Ask the platform's own program first, where it would lose nothing.

    Raises:
        ConcurrentEditError: Someone changed it meanwhile; it was left alone.
        PlatformConfigError: It cannot be read, copied or written; the old file is whole.
    """
    seen = file.read()
    if seen is None:
        raise PlatformConfigError(
            "the platform has no configuration file to change",
            "The platform writes one when it is set up.",
        )
    text, edits = _edited(seen, changes)
    if not edits:
        return Skipped(command, SkipReason.NOTHING_TO_FIX, f"nothing to set in {seen.path}")
    wanted = with_changes(seen.root, changes)
    if file.decode(text) != wanted:
        raise _not_changed(seen, "the change would touch more than it should")
    require_changeable(seen)
    if command.dry_run:
        size = len(text.encode("utf-8", "surrogateescape"))
        return Planned(
            command,
            f"would set {_words(edits)} in {seen.path}",
            wrote=(Written(str(seen.path), size, seen.mode),),
            details=_details(seen, edits),
        )
    copy = file.back_up(seen)
    if uses_program and seen.is_plain:
        done = _by_program(command, edits, copy, seen=seen, wanted=wanted, file=file)
        if done is not None:
            return done
    return _in_place(command, text, edits, copy, seen=seen, wanted=wanted, file=file)


def _edited(seen: ConfigText, changes: Sequence[Change]) -> tuple[str, Sequence[Edit]]:
    try:
        return edit(seen.text, changes)
    except EditError as error:
        raise _not_changed(seen, str(error)) from None


def require_changeable(seen: ConfigText) -> None:
    """Refuse a file that is never changed from here, a dry run too: it would promise too much.

    Raises:
        PlatformConfigError: It is a link, say.
    """
    if seen.obstacle:
        raise PlatformConfigError(
            one_line(f"{seen.path} {seen.obstacle} and was left alone"),
            "Change the file that it names, or its other names, by hand.",
        )


def _not_changed(seen: ConfigText, why: str) -> PlatformConfigError:
    return PlatformConfigError(
        f"{seen.path} was not changed: {why}",
        "Set the values by hand: `memconsole config check` names them.",
    )


def _by_program(
    command: ConfigFix,
    edits: Sequence[Edit],
    copy: Written,
    *,
    seen: ConfigText,
    wanted: Mapping[str, object],
    file: ConfigFile,
) -> Outcome | None:
    """Let the program do it; None when it did nothing, and we may."""
    file.set_by_program(tuple(dict.fromkeys(one.change for one in edits)))
    done = file.read()
    if done is not None and done.version == seen.version:
        return None
    details: dict[str, Detail] = {**_details(seen, edits), "backup": copy.path, "by": "program"}
    if done is None or not _holds(done.root, wanted):
        return Failed(
            command,
            PlatformConfigError.code,
            f"the platform's own program changed {seen.path} otherwise than it should",
            hint=f"What was there before is in {copy.path}.",
            details=details,
        )
    written = Written(str(done.path), done.version[1], done.mode)
    return _fixed(command, edits, copy, written, details)


def _in_place(
    command: ConfigFix,
    text: str,
    edits: Sequence[Edit],
    copy: Written,
    *,
    seen: ConfigText,
    wanted: Mapping[str, object],
    file: ConfigFile,
) -> Outcome:
    details: dict[str, Detail] = {**_details(seen, edits), "backup": copy.path, "by": "memconsole"}
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


def _holds(found: object, wanted: object) -> bool:
    """Whether everything that is wanted is there; what the program adds of its own is its own."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(
            key in found and _holds(found[key], value)
            for key, value in wanted.items()
            if key not in _STAMPED
        )
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(_holds, found, wanted))
    return found == wanted


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
