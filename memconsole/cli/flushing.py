"""`flush`: saves talks before the platform compacts them (mission §13)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from memconsole.cli import complete
from memconsole.cli.shared import DryRunOption, call_of


def flush(
    context: typer.Context,
    *,
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="[KEY]",
            help="Talk to save now.",
            autocompletion=complete.sessions,
            show_default=False,
        ),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Save a talk before the platform compacts it.

    Without a KEY every talk that came near to its compaction and was not saved since. Neither the
    Gateway nor a model is asked, and the transcript stays as it is.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import Flush  # noqa: PLC0415
    from memconsole.engine.lookup import find_session  # noqa: PLC0415

    call = call_of(context)
    if key is None:
        due = [replace(one, dry_run=dry_run) for one in call.engine.flushes_due()]
        return perform.batch(call, "flush", due, "flushing")
    view = find_session(call.engine.sessions(), key)
    command = Flush(view.agent, view.key_text or key, dry_run=dry_run)
    return perform.single(call, command, "flushing")
