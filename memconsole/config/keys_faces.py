"""Keys of what is shown, written and logged."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Choice, Kind, PathName, Switch
from memconsole.config.span import Span

_EVERY_SECOND: Final = Span(timedelta(seconds=1))

FACE_KEYS: Final = (
    Key("redact.enabled", Switch(), "Mask secrets in all we write and show", field="redact"),
    Key("ui.theme", Kind(), "Theme of the console", example='"textual-dark"'),
    Key(
        "ui.color",
        Choice("auto", "always", "never"),
        "Colours of plain commands",
        option="--color",
    ),
    Key("ui.mono", Switch(), "No colours at all in the console", option="--mono"),
    Key("ui.ascii", Switch(), "Draw with ASCII characters only", option="--ascii"),
    Key("ui.mouse", Switch(), "Mouse in the console", option="--no-mouse"),
    Key("ui.interval", _EVERY_SECOND, "How often the console looks again when nothing tells it to"),
    Key("ui.read_only", Switch(), "Refuse every action, with a reason", option="--read-only"),
    Key("ui.json", Switch(), "Machine output, as with --json", option="--json"),
    Key(
        "log.level",
        Choice("warning", "info", "debug"),
        "How much is logged",
        option="--verbose",
    ),
    Key(
        "log.file",
        PathName(),
        "Log to this file, besides standard error",
        option="--log-file",
        example='"~/memconsole.log"',
    ),
)
