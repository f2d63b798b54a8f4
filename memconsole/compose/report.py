"""Puts together what makes a report of this installation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.choice import library
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.sqlite.tables import read_schema
from memconsole.compose.engine import build_engine
from memconsole.compose.jobs import build_jobs
from memconsole.compose.process import user_home
from memconsole.config.show import DEFAULT, describe
from memconsole.domain.report import figure
from memconsole.engine.report import ReportMaker

if TYPE_CHECKING:
    from memconsole.domain.agents import Origin
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock


def build_report(settings: Settings, origin: Origin, clock: Clock) -> ReportMaker:
    """Return what makes the sections of a report; it changes nothing, whatever it is asked."""
    reading = replace(settings, ui=replace(settings.ui, read_only=True))
    engine = build_engine(reading, origin, clock=clock)
    return ReportMaker(
        engine,
        jobs=lambda: build_jobs(reading, engine, clock=clock),
        given=lambda: _given(settings),
        sqlite=_sqlite,
        schema=lambda path: read_schema(path, PrivateCopies()),
        user_home=user_home(),
    )


def _given(settings: Settings) -> list[tuple[str, object, str]]:
    found = describe(settings)
    return [(one.key, one.value, "" if one.source == DEFAULT else one.source) for one in found]


def _sqlite() -> tuple[tuple[str, str], ...]:
    found = library()
    return (
        ("SQLite", f"{found.version}, {found.name} ({found.reason})"),
        ("SQLite loads extensions", figure(found.can_load_extensions)),
    )
