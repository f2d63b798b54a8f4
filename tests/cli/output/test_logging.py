"""Lines of our own log: the moment is that of the process, and no secret stands in them."""

from __future__ import annotations

import json
import logging

from memconsole.cli.output.logging import JsonFormatter
from tests.doubles.platform import NOW

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def test_a_line_has_the_clock_of_the_process_and_is_masked() -> None:
    message = f"failed\nwith {TOKEN}"
    record = logging.LogRecord("memconsole.x", logging.WARNING, "", 0, message, None, None)
    row = json.loads(JsonFormatter(lambda: NOW).format(record))

    assert (row["at"], row["level"]) == (NOW.isoformat(timespec="milliseconds"), "warning")
    assert TOKEN not in row["message"]
    assert "\n" not in row["message"]
