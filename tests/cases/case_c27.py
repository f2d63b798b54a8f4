"""c27: text in square brackets shown in a Textual and Rich screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


WALK = Path(__file__).with_name("console_walk.py")
SIZES = ((80, 24), (200, 50))
EVERYWHERE = [
    *(["press", key] for key in ("1", "2", "3", "4", "5", "s", "z", "z")),
    *(["press", key] for key in ("question_mark", "escape", "exclamation_mark", "escape")),
    *(
        ["press", key]
        for key in ("colon", "escape", "2", "enter", "escape", "2", "G", "enter", "escape")
    ),
    *(["press", key] for key in ("3", "enter", "escape")),
]


def walk(
    stage: Stage, size: tuple[int, int], steps: list[list[str]], *, looks: bool = False
) -> Json:
    """Take steps through the console in a process of its own, and look at it after each."""
    plan = json.dumps({"size": size, "steps": steps, "looks": looks})
    environment = stage.program(timedelta(), None).environment
    with stage.untouched():
        done = subprocess.run(
            [sys.executable, "-m", f"tests.cases.{WALK.stem}", plan],
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environment},
            cwd=WALK.parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@action("c27.1", "open every screen with this state at 80x24 and 200x50")
def every_screen(stage: Stage) -> list[Json]:
    find_the_file = [["press", "slash"], ["type", "bad"], ["press", "enter"]]
    return [walk(stage, size, [*EVERYWHERE, *find_the_file], looks=True) for size in SIZES]


@expects("c27.1", "crash")
def screens_do_not_crash(seen: list[Json], want: Json) -> None:
    assert [walked["is_running"] for walked in seen] == [not want, not want]


def missing(seen: list[Json], want: Json) -> list[str]:
    text = "\n".join(shown for walked in seen for shown in walked["seen"])
    return [literal for literal in want if literal not in text]


@expects("c27.1", "shown_literally", part="label and path")
def shown_literally(seen: list[Json], want: Json) -> None:
    # The label goes before `displayName` and `subject`, so a list of sessions shows it alone.
    assert missing(seen, [want[0], want[3]]) == []


@expects("c27.1", "shown_literally", part="every name")
def every_name_is_shown(seen: list[Json], want: Json) -> None:
    assert missing(seen, want) == []


@action("c27.2", "type each of strings.json into the search box, and press enter")
def type_strings(stage: Stage) -> Json:
    strings = json.loads((stage.folder / "strings.json").read_text("utf-8"))
    steps = [
        step
        for string in strings
        for step in (["press", "slash"], ["type", string], ["press", "enter"], ["press", "escape"])
    ]
    return walk(stage, SIZES[0], steps)


@expects("c27.2", "crash")
def typing_does_not_crash(seen: Json, want: Json) -> None:
    assert seen["is_running"] is not want


@action("c27.3", "click on the words 'press me'")
def click_press_me(stage: Stage) -> Json:
    find = [["press", "slash"], ["type", "press me"], ["press", "enter"]]
    steps = [["press", "2"], ["press", "enter"], *find, ["click", "press me"]]
    return walk(stage, SIZES[0], steps)


equals("c27.3", "program_still_running", of=lambda seen: seen["is_running"])


@action(
    "c27.4",
    "headless: list-sessions, search [/dim], checkpoint, errors naming the file '[/bad] notes.md'",
)
def headless(stage: Stage) -> dict[str, Answer]:
    (stage.workspace / "memory" / "[" / "bad] notes.md").chmod(0)
    return {
        "sessions": stage.say("sessions", "--all"),
        "checkpoint": stage.say("checkpoint", "--agent", "main"),
        "transcript": stage.say("transcript", "agent:main:main"),
        "pool": stage.say("memory", "pool"),
        "no such session": stage.say("session", "[/bad] notes.md"),
        "no such agent": stage.say("checkpoint", "--agent", "[/bad] notes.md"),
        "search": stage.say("search", "[/dim]"),
    }


@expects("c27.4", "crash", part="without search")
def no_crash(seen: dict[str, Answer], want: Json) -> None:
    codes = {name: answer.code for name, answer in seen.items() if name != "search"}
    wanted = dict.fromkeys(codes, 0) | {"no such session": 2, "no such agent": 2}
    assert (codes != wanted) is want, codes
    for name in ("no such session", "no such agent"):
        assert "[/bad] notes.md" in seen[name].err


equals("c27.4", "crash", part="search", of=lambda seen: seen["search"].code != 0)


@expects("c27.4", "output_contains")
def output_contains(seen: dict[str, Answer], want: Json) -> None:
    assert f"3 conditions{want}" in seen["transcript"].out
    assert "[/INST] label" in seen["sessions"].out
