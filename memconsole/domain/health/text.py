"""Writes the last look at health as a file for other programs: every text masked."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from memconsole.text.outgoing import let_out
from memconsole.text.plain import clean

if TYPE_CHECKING:
    from memconsole.domain.health.checks import HealthReport

SCHEMA = 1


def status_text(report: HealthReport, home: str, *, redact: bool) -> str:
    """Return the file: one JSON object with `schema`, `at`, `home`, `overall` and `checks`."""

    def safe(value: object) -> object:
        if isinstance(value, str):
            text = clean(value.encode("utf-8", "replace").decode("utf-8"))
            return let_out(text, redacts=redact)
        if isinstance(value, datetime):
            return value.isoformat(timespec="seconds")
        if isinstance(value, dict):
            return {str(safe(str(key))): safe(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [safe(one) for one in value]
        return value

    row = {
        "schema": SCHEMA,
        "at": report.at,
        "home": home,
        "overall": report.overall.value,
        "checks": report.rows(),
    }
    return json.dumps(safe(row), ensure_ascii=False, indent=1, default=str) + "\n"
