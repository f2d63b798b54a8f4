"""Answers of `--json` beside their golden examples: the same fields in order, of the same types."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from tests.program import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.program import Json

GOLDEN = ROOT / "tests" / "contract" / "golden"
FREE = {"details", "current", "recommended", "limits", "next_events"}
"""Fields that may hold anything."""

ASKED_FOR = {"data": {"windows", "unattributed", "unattributed_windows", "choice", "limits"}}
"""Fields of an example, by place, that an answer has only where an option asks for them."""

KINDS = {"<int>": int, "<float>": float}


def check_envelope(envelope: Json) -> None:
    """Assert that an answer has the shape of its golden example."""
    example = golden(envelope["command"])
    assert envelope["schema"] == 1
    assert list(envelope) == list(example)
    assert all(list(row) == ["code", "message", "path"] for row in envelope["warnings"])
    check(envelope["data"], [example["data"]], "data")
    check(envelope["left_out"], [example["left_out"]], "left_out")


def check_data(data: Json, command: str) -> None:
    """Assert that data has the shape of the example of a command."""
    check(data, [golden(command)["data"]], "data")


def golden(command: str) -> Json:
    """Return the golden example of a command."""
    return json.loads((GOLDEN / f"{command.replace(' ', '-')}.json").read_text("utf-8"))


def check(value: Json, examples: Sequence[Json], place: str) -> None:
    """Assert that a value is of a kind that its place has in the examples, if they show one."""
    shown = [one for one in examples if one is not None]
    if value is None or not shown or place.rpartition(".")[2] in FREE:
        return
    match value:
        case dict():
            objects = [one for one in shown if isinstance(one, dict)]
            wanted = [[one for one in row if one in value] for row in objects]
            spare = [set(row) - set(value) - ASKED_FOR.get(place, set()) for row in objects]
            shapes = [row for row, lacking in zip(wanted, spare, strict=True) if not lacking]
            assert list(value) in shapes, f"{place} has {list(value)}"
            for name, inner in value.items():
                check(inner, [one[name] for one in objects if name in one], f"{place}.{name}")
        case list():
            rows = [row for one in shown if isinstance(one, list) for row in one]
            for row in value:
                check(row, rows, place)
        case str() if "<time>" in shown:
            assert datetime.fromisoformat(value).tzinfo is not None, f"{place} is {value}"
        case _:
            kinds = {KINDS.get(str(one), type(one)) for one in shown}
            assert type(value) in kinds, f"{place} is {value!r}, none of {kinds}"
