"""Writes frames as a terminal recording: asciicast, version 2, one JSON array a line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.demo.pictures.drawing import Shot
    from tests.demo.pictures.frame import Frame

_COLOUR: Final = re.compile(r"fill: #([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})")
_STYLES: Final = {"font-weight: bold": "1", "font-style: italic": "3", "underline": "4"}
_CLEAR: Final = "\x1b[0m\x1b[2J\x1b[H"


def recording(shots: Sequence[Shot], title: str) -> str:
    """Return the recording of a film."""
    first = shots[0].frame
    header = {
        "version": 2,
        "width": first.columns,
        "height": first.rows,
        "title": title,
        "env": {"TERM": "xterm-256color"},
    }
    lines = [json.dumps(header)]
    at = 0.0
    for shot in shots:
        lines.append(json.dumps([round(at, 3), "o", _CLEAR + "".join(_screen(shot.frame))]))
        at += shot.seconds
    lines.append(json.dumps([round(at, 3), "o", ""]))
    return "\n".join(lines) + "\n"


def _screen(frame: Frame) -> Iterator[str]:
    """Yield the drawing of a frame: grounds first, then the text on them."""
    for ground in frame.grounds:
        paint = _rgb(f"fill: {ground.colour}", "48")
        yield f"{_move(ground.row, ground.column)}\x1b[{paint}m{' ' * ground.cells}\x1b[0m"
    for run in frame.runs:
        codes = [code for word, code in _STYLES.items() if word in run.style]
        below = [
            ground.colour
            for ground in frame.grounds
            if ground.row == run.row and ground.column <= run.column < ground.column + ground.cells
        ]
        codes += [_rgb(f"fill: {colour}", "48") for colour in below[-1:]]
        codes.append(_rgb(run.style, "38"))
        yield f"{_move(run.row, run.column)}\x1b[{';'.join(filter(None, codes))}m{run.text}\x1b[0m"


def _move(row: int, column: int) -> str:
    return f"\x1b[{row + 1};{column + 1}H"


def _rgb(style: str, plane: str) -> str:
    found = _COLOUR.search(style)
    return (
        ""
        if found is None
        else ";".join((plane, "2", *(str(int(one, 16)) for one in found.groups())))
    )
