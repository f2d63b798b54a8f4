"""Walks through the console in a process of its own: `console_walk.py PLAN`.

PLAN is JSON: a `size`, `steps` such as `["press", "tab"]` or `["click", "word"]`, and whether it
`looks` after each step. Prints what was seen, and whether the program was still running, as JSON.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import sys
from typing import TYPE_CHECKING

from memconsole.compose import engine, process
from memconsole.domain.agents import Origin
from memconsole.ui.app import ConsoleApp
from tests.ui.driving import settle, without_naps

if TYPE_CHECKING:
    from textual.app import App
    from textual.pilot import Pilot

    from tests.program import Json

_TEXT = re.compile(r'<text [^>]*x="([\d.]+)"[^>]*clip-path="url\(#[^"]*-line-(\d+)\)"[^>]*>([^<]*)')


async def walk(plan: Json) -> Json:
    """Take all steps; return what was seen."""
    without_naps()
    settings = process.load_settings(None, {})
    app = ConsoleApp(engine.build_engine(settings, Origin.CONSOLE), settings)
    async with app.run_test(size=tuple(plan["size"])) as pilot:
        await settle(pilot)
        seen = [text_of(app)]
        for kind, word in plan["steps"]:
            await STEPS[kind](pilot, word)
            await settle(pilot)
            if plan["looks"]:
                seen.append(text_of(app))
        return {"seen": seen, "is_running": app.is_running and app.return_code is None}


async def press(pilot: Pilot[int], key: str) -> None:
    """Press one key."""
    await pilot.press(key)


async def type_text(pilot: Pilot[int], text: str) -> None:
    """Type every character of a text."""
    await pilot.press(*text)


async def click(pilot: Pilot[int], word: str) -> None:
    """Click on the first place where a word is drawn."""
    lines = lines_of(pilot.app)
    row = next(row for row, line in enumerate(lines) if word in line)
    await pilot.click(offset=(lines[row].index(word), row))


STEPS = {"press": press, "type": type_text, "click": click}


def text_of(app: App[int]) -> str:
    """Return the screen as text."""
    return "\n".join(lines_of(app))


def lines_of(app: App[int]) -> list[str]:
    """Return the lines of the screen, from the picture that Textual exports."""
    rows: dict[int, list[tuple[float, str]]] = {}
    for x, row, text in _TEXT.findall(app.export_screenshot()):
        rows.setdefault(int(row), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
    height = max(rows, default=-1) + 1
    return ["".join(text for _, text in sorted(rows.get(row, []))) for row in range(height)]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(walk(json.loads(sys.argv[1])))))  # noqa: T201 - its answer
