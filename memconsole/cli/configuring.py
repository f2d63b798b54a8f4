"""`config show`, `config path`, `config init`: memconsole's own configuration."""

from __future__ import annotations

import typer

from memconsole.cli.shared import DryRunOption


def show(context: typer.Context) -> int:
    """Show every setting, its value and where it came from."""
    raise NotImplementedError


def path(context: typer.Context) -> int:
    """Print where the configuration file is."""
    raise NotImplementedError


def init(context: typer.Context, dry_run: DryRunOption = False) -> int:
    """Write a commented configuration file; an existing one is left alone."""
    raise NotImplementedError
