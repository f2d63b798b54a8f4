"""Says what became of old files: one outcome, with each file and the totals."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.cleanup import Captured, Cleaning, OldFile, Step
from memconsole.domain.commands.cleanup import CleanedUp
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.cleanup import TakenFile
    from memconsole.domain.commands.cleanup import Cleanup
    from memconsole.domain.commands.outcomes import Detail, Outcome

STATUS = ("planned", "done", "skipped", "failed")


def outcome_of(command: Cleanup, done: Sequence[Cleaning], totals: dict[str, Detail]) -> Outcome:
    """Return what came of a cleanup."""
    details = details_of(done, totals)
    acts = [one for one in done if one.status in ("planned", "done")]
    stay = [one for one in done if one.status == "skipped"]
    if failed := [one for one in done if one.status == "failed"]:
        return _failed(command, failed, details)
    more = f"; {_staying(stay)}" if stay else ""
    said = " and ".join(_parts(command, acts, totals["bytes_deleted"]))
    if not said:
        said = f"no old file of {whose(command)} may go{more}{_waiting(totals['files'], done)}"
        return Skipped(command, SkipReason.NOTHING_NEW, said, _hint(stay), details)
    if command.dry_run:
        return Planned(command, f"would {said}{more}", (), details)
    before, after = totals["bytes_before"], totals["bytes_after"]
    assert isinstance(before, int)
    assert isinstance(after, int)
    said = f"{said}: {size_words(before)} of old files became {size_words(after)}{more}"
    return CleanedUp(command, said, (), details)  # thousands of files are in the details


def undone_of(command: Cleanup, last: Sequence[TakenFile], back: Sequence[Cleaning]) -> Outcome:
    """Return what came of bringing files back."""
    failed = [one for one in back if one.status == "failed"]
    details = details_of(back, {"files": len(last), "failed": len(failed)}, sign="+")
    many = plural(len(last), "file")
    if command.dry_run:
        return Planned(command, f"would bring {many} of {whose(command)} back", details=details)
    if failed:
        return _failed(command, failed, details)
    return CleanedUp(command, f"brought {many} of {whose(command)} back", (), details)


def whose(command: Cleanup) -> str:
    """Return whose files they are, in words."""
    return command.agent.id or "memconsole itself"


def _failed(command: Cleanup, failed: Sequence[Cleaning], details: dict[str, Detail]) -> Failed:
    first = failed[0]
    more = f", and {len(failed) - 1} more failed" if len(failed) > 1 else ""
    message = f"{first.file.path}: {first.message}{more}"
    return Failed(command, "not-written", message, details=details)


def _parts(command: Cleanup, acts: Sequence[Cleaning], deleted: Detail) -> Iterator[str]:
    """Yield what is done, or would be, in words."""
    is_plan, agent = command.dry_run, whose(command)
    for step, verb, noun, away in (
        (Step.COMPRESS, "pack" if is_plan else "packed", "file", ""),
        (Step.DELETE, "take" if is_plan else "took", "packed file", " away"),
    ):
        if own := [one for one in acts if one.step is step]:
            size = size_words(sum(one.file.size_bytes for one in own))
            only = sum(one.captured is Captured.SUMMARY for one in own)
            told = f", {only} of which only a summary tells" if only else ""
            yield f"{verb} {plural(len(own), noun)} of {agent} ({size}){away}{told}"
    if isinstance(deleted, int) and deleted:
        verb = "delete" if is_plan else "deleted"
        yield f"{verb} {size_words(deleted)} of {agent} for good, taken away before"


def _staying(stay: Sequence[Cleaning]) -> str:
    [(why, _), *others] = Counter(one.message for one in stay).most_common()
    more = f", and {plural(len(others), 'other reason')}" if others else ""
    return f"{plural(len(stay), 'file')} left alone: {why}{more}"


def _waiting(files: Detail, done: Sequence[Cleaning]) -> str:
    """Return how many files there are for which nothing is due by the settings."""
    many = files - len(done) if isinstance(files, int) else 0
    return f"; nothing is due for {plural(many, 'file')}" if many > 0 else ""


def _hint(stay: Sequence[Cleaning]) -> str:
    if not any(one.captured is Captured.NOT for one in stay):
        return ""
    return "`--uncaptured` takes what nobody captured as well."


def details_of(
    done: Sequence[Cleaning], totals: dict[str, Detail], *, sign: str = "-"
) -> dict[str, Detail]:
    """Return the files, each as the contract has it, the totals, and the lines of a plan."""
    rows: list[Detail] = [
        {
            "path": str(one.file.path),
            "kind": one.file.kind.value,
            "step": one.step.value,
            "status": one.status,
            "message": one.message,
            "session_id": one.file.session_id or None,
            "session_key": one.key,
            "modified_at": stamp(one.file.modified_at),
            "bytes": one.file.size_bytes,
            "bytes_after": one.after_bytes,
            "captured": None if one.captured is None else one.captured.value,
        }
        for one in done
    ]
    lines: list[Detail] = [_line(one, sign) for one in done if one.status == "planned"]
    return {"diff": lines, "files": rows, "totals": dict(totals)}


def _line(one: Cleaning, sign: str) -> str:
    """Return a file as a plan lists it; behind a plus what comes back."""
    size = size_words(one.file.size_bytes)
    day = f"{one.file.modified_at:%Y-%m-%d}"
    step = one.step if sign == "-" else "back"
    # Names are long, and faces cut the end of a line.
    only = "summary only  " if one.captured is Captured.SUMMARY else ""
    return f"{sign} {step:<6} {size:>8}  {one.file.kind:<10} {day}  {only}{one.file.path.name}"


def as_it_was(one: TakenFile) -> OldFile:
    """Return a file as it was before something was done to it."""
    try:
        at = datetime.fromtimestamp(one.modified_ns / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        at = one.at
    return OldFile(one.path, "", one.size_bytes, at, one.step is Step.DELETE, one.kind)


def stays(error: OSError) -> str:
    """Return why nothing was done to a file."""
    return f"it was left alone: {(error.strerror or 'no reason given').lower()}"


def stamp(at: datetime) -> str:
    """Return a time as JSON has it."""
    return at.isoformat(timespec="seconds")
