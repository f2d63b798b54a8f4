"""`report`: what a bug report needs, without what is nobody else's business."""

from __future__ import annotations

import errno
import zipfile
from contextlib import closing
from io import BytesIO
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, YesOption, call_of
from memconsole.cli.output.printer import Column
from memconsole.compose.report import build_report
from memconsole.domain.report import markdown
from memconsole.errors import ConfirmationError, NotWrittenError, UsageError
from memconsole.system.atomic_file import whole_path, write_new
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.report import Section
    from memconsole.engine.report import ReportMaker

TITLE = "memconsole report"

_PRINTED = "-"
"""Names no file, as everywhere in a shell."""

_WRONG_PLACE = frozenset(
    {errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EPERM, errno.ELOOP}
)
"""What is wrong with the name that was given, not with the disk."""


def report(
    context: typer.Context,
    *,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write it there; a ZIP for `.zip`, `-` prints."
        ),
    ] = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Print what a bug report needs: versions, settings, findings, runs, schemas; no names.

    Secrets, names, addresses, paths of yours and everything that was said stay here.
    """
    call = call_of(context)
    file = None if output is None or output == _PRINTED else _file(output)
    if file is not None:
        call.refuse_read_only("report --output", dry_run=dry_run)
    with call.busy("making the report"):
        maker = build_report(call.settings, call.origin, call.clock)
        sections = tuple(maker.sections())
    status = "printed" if file is None else "planned"
    if file is not None and not dry_run:
        _write(call, file, sections, maker, yes=yes)
        status = "done"
    return _answer(call, file, sections, status)


def _file(typed: str) -> Path:
    if not typed.strip():
        raise UsageError("--output names no file", hint="Name one, or leave --output out.")
    try:
        return whole_path(typed)
    except OSError as error:
        raise UsageError(
            f"{typed} is no file that can be written", hint=f"{error.strerror}."
        ) from error


def _write(
    call: Call, file: Path, sections: Sequence[Section], maker: ReportMaker, *, yes: bool
) -> None:
    """Show what it holds, ask where something has that name, and write it.

    Raises:
        ConfirmationError: There is such a file, and nobody said that it may go.
        UsageError: Nothing can be written there.
        NotWrittenError: Writing failed; what was there is whole.
    """
    is_there = file.is_file() and not file.is_symlink()
    if is_there and not yes and (call.is_json or not call.output.can_ask):
        raise ConfirmationError(f"replacing {file}", is_declined=False)
    if not call.is_json:
        call.output.error(*(f"{size_words(one.size_bytes):>8}  {one.title}" for one in sections))
    is_asked = is_there and not yes
    if is_asked and not typer.confirm(f"Replace {call.line(str(file))}?", default=False, err=True):
        raise ConfirmationError(f"replacing {file}", is_declined=True)
    try:
        write_new(
            file,
            _packed(sections, call) if _is_zip(file) else markdown(TITLE, sections).encode(),
            state_dir=call.settings.state_dir,
            closed=maker.places(),
            replaces=is_there,
        )
    except OSError as error:
        kind = UsageError if error.errno in _WRONG_PLACE else NotWrittenError
        raise kind(
            f"{file} was not written: {(error.strerror or 'no reason given').lower()}",
            hint="Name another file, or leave --output out.",
        ) from error


def _is_zip(file: Path) -> bool:
    return file.suffix.lower() == ".zip"


def _packed(sections: Sequence[Section], call: Call) -> bytes:
    at = call.clock.now().timetuple()[:6]
    names = [f"{number:02}-{one.id}.md" for number, one in enumerate(sections, 1)]
    with closing(BytesIO()) as data:
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, one in zip(names, sections, strict=True):
                bundle.writestr(zipfile.ZipInfo(name, at), one.markdown, zipfile.ZIP_DEFLATED)
        return data.getvalue()


def _answer(call: Call, file: Path | None, sections: Sequence[Section], status: str) -> int:
    total = sum(one.size_bytes for one in sections)
    verbs = {"done": "wrote", "planned": "would write"}
    said = f"{verbs.get(status, 'holds')} {plural(len(sections), 'section')}, {size_words(total)}"

    def data() -> Row:
        return {
            "status": status,
            "path": file,
            "format": "zip" if file is not None and _is_zip(file) else "markdown",
            "bytes": total,
            "sections": [
                {"id": one.id, "title": one.title, "bytes": one.size_bytes, "problem": one.problem}
                for one in sections
            ],
        }

    def show(printer: Printer) -> None:
        if file is None:
            for line in markdown(TITLE, sections).splitlines():
                printer.write(line)
            return
        if status == "planned":
            columns = (Column("section"), Column("size", right=True), Column("problem"))
            rows = [[one.title, size_words(one.size_bytes), one.problem or ""] for one in sections]
            printer.table(columns, rows)
            printer.gap()
        printer.write(printer.text(f"{said}, {'to' if status == 'done' else 'into'} {file}"))

    return call.answer(Answer("report", data=data, show=show))
