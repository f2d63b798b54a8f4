"""Draws frames as SVG that needs nothing from anywhere: one still, or a film of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar
from xml.sax.saxutils import escape

from tests.demo.pictures.shapes import CELL, DRAWN, LINE, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.demo.pictures.frame import Frame, Ground, Run

_SIZE: Final = 14
_BASE: Final = 12.8
_MARGIN: Final = 14
_TITLE: Final = 34
_BUTTONS: Final = ("#e07a74", "#d3a45f", "#7fa98b")
_FONTS: Final = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

_Mark = TypeVar("_Mark")


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame of a film, and how long it stays."""

    frame: Frame
    seconds: float


class _Sheet:
    """Names styles as they come up."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, style: str) -> str:
        """Return the class of a style."""
        return self._names.setdefault(style, f"s{len(self._names)}")

    def rules(self) -> str:
        """Return the rules of all classes."""
        return "".join(f".{name}{{{style}}}" for style, name in self._names.items())


def still(frame: Frame, title: str) -> str:
    """Draw one frame."""
    sheet = _Sheet()
    body = _marks(frame.grounds, frame.runs, sheet)
    return _document(frame, title, sheet.rules(), body)


def film(shots: Sequence[Shot], title: str) -> str:
    """Draw a film that starts over at its end; what several frames share is drawn once.

    Without animation (a printer, a reader who wants none) the last frame is shown.
    """
    sheet = _Sheet()
    groups: dict[frozenset[int], tuple[list[Ground], list[Run]]] = {}
    for ground, seen in _places((number, one.frame.grounds) for number, one in enumerate(shots)):
        groups.setdefault(seen, ([], []))[0].append(ground)
    for run, seen in _places((number, one.frame.runs) for number, one in enumerate(shots)):
        groups.setdefault(seen, ([], []))[1].append(run)
    ends = _ends([shot.seconds for shot in shots])
    rules, grounds, texts = [], [], []
    for number, (seen, (below, above)) in enumerate(groups.items()):
        name = ""
        if len(seen) < len(shots):
            name = f' class="f{number}"'
            rules.append(_visibility(number, seen, ends))
        if below:
            grounds.append(f"<g{name}>{_marks(below, (), sheet)}</g>")
        if above:
            texts.append(f"<g{name}>{_marks((), above, sheet)}</g>")
    timing = f"g[class]{{animation:{ends[-1]:g}s step-end infinite}}"
    quiet = "@media (prefers-reduced-motion:reduce),print{g[class]{animation:none!important}}"
    style = sheet.rules() + timing + "".join(rules) + quiet
    return _document(shots[0].frame, title, style, "".join(grounds) + "".join(texts))


def _places(
    frames: Iterable[tuple[int, Iterable[_Mark]]],
) -> Iterable[tuple[_Mark, frozenset[int]]]:
    """Return every mark once, with the numbers of the frames that have it."""
    found: dict[_Mark, set[int]] = {}
    for number, marks in frames:
        for mark in marks:
            found.setdefault(mark, set()).add(number)
    return [(mark, frozenset(seen)) for mark, seen in found.items()]


def _ends(seconds: Sequence[float]) -> list[float]:
    total, ends = 0.0, []
    for one in seconds:
        total += one
        ends.append(round(total, 3))
    return ends


def _visibility(number: int, seen: frozenset[int], ends: Sequence[float]) -> str:
    """Return the rules that show a group during its frames only."""
    steps, before = [], None
    for index in range(len(ends)):
        shown = index in seen
        if shown != before:
            start = 0.0 if index == 0 else 100 * ends[index - 1] / ends[-1]
            steps.append(f"{start:.3g}%{{visibility:{'visible' if shown else 'hidden'}}}")
            before = shown
    steps.append(f"100%{{visibility:{'visible' if before else 'hidden'}}}")
    at_rest = "" if len(ends) - 1 in seen else "visibility:hidden;"
    frames = f"@keyframes k{number}{{{''.join(steps)}}}"
    return f".f{number}{{{at_rest}animation-name:k{number}!important}}{frames}"


def _marks(grounds: Iterable[Ground], runs: Iterable[Run], sheet: _Sheet) -> str:
    drawn = [
        f'<rect x="{one.column * CELL:g}" y="{one.row * LINE:g}" width="{one.cells * CELL:g}" '
        f'height="{LINE:g}" fill="{one.colour}" shape-rendering="crispEdges"/>'
        for one in grounds
    ]
    drawn += [_mark(run, sheet) for run in runs]
    return "\n".join(drawn)


def _mark(run: Run, sheet: _Sheet) -> str:
    x, y = run.column * CELL, run.row * LINE
    if run.text[0] in DRAWN:
        return shape(run.text, x, y, run.style)
    place = f'x="{x:g}" y="{y + _BASE:g}" textLength="{run.cells * CELL:g}"'
    return f'<text class="{sheet.name(run.style)}" {place}>{escape(run.text)}</text>'


def _document(frame: Frame, title: str, rules: str, body: str) -> str:
    width = frame.columns * CELL + 2 * _MARGIN
    height = frame.rows * LINE + _TITLE + _MARGIN
    buttons = "".join(
        f'<circle cx="{20 + 18 * place}" cy="17" r="5.5" fill="{colour}"/>'
        for place, colour in enumerate(_BUTTONS)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" \
role="img" aria-label="{escape(title)}">
<style>text{{font:{_SIZE}px {_FONTS};fill:#c8cdd3}}{rules}</style>
<rect x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="9" \
fill="{frame.background}" stroke="#434d58"/>
{buttons}
<text x="{width / 2:g}" y="22" text-anchor="middle" fill-opacity=".6">{escape(title)}</text>
<g transform="translate({_MARGIN} {_TITLE})">
{body}
</g>
</svg>
"""
