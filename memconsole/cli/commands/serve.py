"""`serve`: the scheduler in the foreground."""

from __future__ import annotations

import typer  # noqa: TC002  # Typer reads the annotations of these functions

from memconsole.cli.call.shared import call_of


def serve(context: typer.Context) -> int:
    """Run the jobs in the foreground, until a signal ends it.

    The same as `memconsole --serve`. Logs to stderr, one JSON object a line.
    """
    from memconsole.cli.call.serving import serve_jobs  # noqa: PLC0415 - `--help` serves nobody

    return serve_jobs(call_of(context))
