"""Every key of every screen: what all screens share is pressed on each of them."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding
from textual.events import Key, MouseDown

from memconsole.domain.agents import Severity
from memconsole.domain.commands.catalogue import CATALOGUE
from memconsole.domain.config_check.finding import ConfigReport, Finding
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.health import Check, CheckStatus, HealthReport
from memconsole.ui import screens
from memconsole.ui.app import ConsoleApp
from memconsole.ui.keys import COMMON
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane
from tests.ui import sample
from tests.ui.driving import WIDE, Desk, at_work
from tests.ui.sample_checkpoints import captures
from tests.ui.sample_consolidation import PREVIEW
from tests.ui.sample_starts import furnish_starts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.dom import DOMNode

    from tests.ui.fake_engine import FakeEngine

SCREENS: dict[str, tuple[str, ...]] = {
    "overview": (),
    "session": ("2", "enter"),
    "memory": ("3", "enter"),
    "runs": ("5", "enter"),
    "search": ("a", "o", *"database", "tab"),
    "why": ("a", "o", *"database", "tab", "a", "w"),
    "findings": ("exclamation_mark",),
    "log": ("l",),
    "health": ("h",),
    "bootstrap": ("t",),
    "pruning": ("2", "a", "p"),
    "checkpoints": ("d",),
    "consolidation": ("m", "o"),
}
"""How each screen is reached; the jobs, which need a scheduler, have tests of their own."""

PANELS = {
    "overview": ("agents", "sessions", "memory", "search", "journal"),
    "session": ("messages", "state", "fill", "growth", "windows"),
    "memory": ("files", "file", "markers", "advice"),
    "runs": ("list", "run"),
    "search": ("results", "preview", "facets"),
    "why": ("list", "reason"),
    "findings": ("list", "one"),
    "log": ("list",),
    "health": ("checks", "findings", "one"),
    "bootstrap": ("sessions", "given", "loaded", "remedies"),
    "pruning": ("results", "window", "fill"),
    "checkpoints": ("list", "changes"),
    "consolidation": ("proposals", "archive", "one"),
}

SHARED = {
    *(spec.name for spec in CATALOGUE if spec.key),
    *("up", "down", "page-up", "page-down", "first", "last"),
    *("search", "next", "previous", "copy", "maximise", "next-panel", "previous-panel", "undo"),
    *(
        "help",
        "palette",
        "finding",
        "findings",
        "log",
        "freeze",
        "refresh",
        "slower",
        "faster",
        "back",
    ),
}
"""Ids of bindings that are pressed here, on every screen."""

ELSEWHERE = {
    *("open", "quit", "interrupt", "suspend", "jobs", "host", "health"),
    *("observations", "checkpoints", "consolidation", "memory", "bootstrap"),
    *("actions", "mark", "sort", "export"),
}
"""Tested where their effect is: `Enter` by each screen's own tests, the ends in `test_bytes`."""

OWN: dict[str, set[str]] = {}
"""Keys of one screen alone, with a letter that means nothing anywhere else."""

FORBIDDEN = {"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q"}
"""Keys that screen, tmux and terminals take away."""


@pytest.fixture
def engine(engine: FakeEngine) -> FakeEngine:
    """The usual home with a Gateway, so that every command can be tried."""
    engine.reading = replace(sample.usual(), gateway=GatewayStatus("up", version="2026.9.6"))
    engine.health_report = HealthReport((Check("disk", CheckStatus.OK, "half full"),), sample.NOW)
    engine.config_report = ConfigReport((Finding("reset", Severity.INFO, "none is set"),))
    furnish_starts(engine)
    engine.captures = captures()
    engine.consolidated = PREVIEW
    return engine


@pytest.mark.parametrize("screen", SCREENS)
async def test_every_key_of_every_screen(engine: FakeEngine, screen: str) -> None:
    async with at_work(engine, WIDE) as desk:
        record = logging.LogRecord("memconsole", logging.WARNING, "", 1, "a word", (), None)
        desk.app.logbook.handle(record)
        await desk.press(*SCREENS[screen])
        assert desk.screen == screen
        _every_key_is_known(desk, screen)
        await _panels(desk, screen)
        await _moves(desk)
        await _panes(desk)
        await _commands(desk, screen)
        while desk.screen != "overview":
            await desk.press("escape")
        assert desk.app.is_running


@pytest.mark.parametrize("screen", ["overview", "search", "findings"])
async def test_keys_of_the_console_itself(engine: FakeEngine, screen: str) -> None:
    """Every screen has them, as the test before shows; what they do is the same on each."""
    async with at_work(engine, WIDE) as desk:
        await desk.press(*SCREENS[screen])
        await _overlays(desk, screen)
        await _readings(desk, engine)


def _every_key_is_known(desk: Desk, screen: str) -> None:
    bindings = desk.app.screen.active_bindings
    assert not FORBIDDEN & set(bindings)
    assert all(active.binding.id and active.binding.tooltip for active in bindings.values())
    panels = {f"panel-{number}" for number in range(1, len(PANELS[screen]) + 1)}
    has_panels = len(PANELS[screen]) > 1
    ids = {active.binding.id for active in bindings.values()}
    own = OWN.get(screen, set())
    assert ids == SHARED | ELSEWHERE | own | (panels if has_panels else set())


async def _panels(desk: Desk, screen: str) -> None:
    names = PANELS[screen]
    if len(names) > 1:
        for number, name in reversed(list(enumerate(names, 1))):
            await desk.press(str(number))
            assert desk.focus == name
            await _matches(desk, name)
    else:
        await _matches(desk, names[0])
    await desk.press("tab")
    assert desk.focus == names[1 % len(names)]
    await desk.press("shift+tab")
    assert desk.focus == names[0]


async def _matches(desk: Desk, name: str) -> None:
    """`n` and `N` go round the matches of every list; without a word each line is one."""
    place = desk.pane(name).place
    places = [number for number, row in enumerate(place.rows) if not row.is_heading]
    if place.number is None or len(places) < 2:
        return
    await desk.press("g")
    assert place.number == places[0]
    for key, wanted in (("n", places[1]), ("N", places[0]), ("N", places[-1]), ("n", places[0])):
        await desk.press(key)
        assert place.number == wanted, f"{name}: {key}"


async def _moves(desk: Desk) -> None:
    pane = desk.app.screen.focused
    assert pane is not None
    place = desk.pane(pane.id or "").place
    last = len(place.rows) - 1
    for key, wanted in (("G", last), ("g", 0), ("end", last), ("home", 0)):
        await desk.press(key)
        assert place.number in (wanted, None)
    for there, back in (("j", "k"), ("down", "up"), ("pagedown", "pageup")):
        await desk.press(there)
        assert place.number is None or place.number > 0 or last == 0
        await desk.press(back)
        assert place.number in (0, None)


async def _overlays(desk: Desk, screen: str) -> None:
    for keys, wanted in (
        ("question_mark", "help"),
        ("colon", "palette"),
        ("ctrl+p", "palette"),
        ("exclamation_mark", "findings"),
        ("l", "log"),
    ):
        await desk.press(keys)
        assert desk.screen == wanted
        if wanted != screen:
            await desk.press("escape")
        assert desk.screen == screen


async def _readings(desk: Desk, engine: FakeEngine) -> None:
    interval = desk.app.readings.interval
    for key, sign in (("plus", 1), ("minus", -1), ("equals_sign", 1), ("minus", -1)):
        before = desk.app.readings.interval
        await desk.press(key)
        assert (desk.app.readings.interval > before) is (sign > 0)
    assert desk.app.readings.interval == interval
    asked = len(engine.asked)
    await desk.press("f")
    assert " frozen " in desk.bar("title")
    await desk.press("f", "r")
    assert len(engine.asked) == asked + 2


async def _panes(desk: Desk) -> None:
    await desk.press("z")
    assert desk.app.screen.has_class("-maximised")
    await desk.press("escape")
    assert not desk.app.screen.has_class("-maximised")
    await desk.press("y")
    assert "copied" in desk.bar("keys") or "nothing to copy" in desk.bar("keys")
    first = desk.focus or ""
    place = desk.pane(first).place
    await desk.press("n", "N")
    assert place.number == 0
    await desk.press("slash")
    assert desk.focus in ("filter", "query")
    await desk.press("escape")
    assert desk.focus == first


async def _commands(desk: Desk, screen: str) -> None:
    await desk.press("u")
    assert "undo: nothing was done in this console yet" in desk.bar("keys")
    for spec in (one for one in CATALOGUE if one.key):
        await desk.press(spec.key)
        if desk.screen == "action":
            assert spec.title in desk.text("dialog")
            await desk.press("escape")
        else:
            assert f"{spec.name}: there is no" in desk.bar("keys")
        assert desk.screen == screen


def every_screen() -> Iterator[type[ConsoleScreen]]:
    """Yield the class of each screen there is."""
    for module in pkgutil.walk_packages(screens.__path__, f"{screens.__name__}."):
        importlib.import_module(module.name)
    classes = ConsoleScreen.__subclasses__()
    while classes:
        one = classes.pop()
        classes += one.__subclasses__()
        yield one


def bound(kind: type[DOMNode]) -> Iterator[tuple[str, str]]:
    """Yield each key of a class, and what it does."""
    for key, bindings in kind._merge_bindings().key_to_bindings.items():
        for binding in bindings:
            yield key, binding.action


def test_one_letter_has_one_meaning_on_all_screens() -> None:
    meanings: dict[str, set[str]] = {}
    for screen in every_screen():
        for key, action in [*bound(Pane), *bound(screen)]:
            meanings.setdefault(key, set()).add(action)

    assert {key: found for key, found in meanings.items() if len(found) > 1} == {}
    assert {"a", "c", "s", "1", "j"} < set(meanings)


def test_a_screen_binds_no_letter_of_its_own() -> None:
    common = {binding.id for binding in COMMON} | {spec.name for spec in CATALOGUE}
    own = {
        binding.id
        for screen in every_screen()
        for binding in screen.BINDINGS
        if isinstance(binding, Binding) and not str(binding.id).startswith("panel-")
    }
    assert own <= common


def test_the_letters_behind_a_are_told_apart_and_never_move_or_answer() -> None:
    letters: dict[str, set[str]] = {}
    for screen in every_screen():
        keys = [verb.key for verb in screen.ACTIONS]
        assert len(set(keys)) == len(keys)
        assert not set("jkgGynY?:/ ") & set(keys)
        for verb in screen.ACTIONS:
            letters.setdefault(verb.name, set()).add(verb.key)
            assert verb.help
            assert not verb.help.endswith(".")

    assert letters["pruning"] == {"p"}
    assert [name for name, keys in letters.items() if len(keys) > 1] == []


def test_a_capital_changes_what_cannot_simply_be_repeated_and_asks() -> None:
    commands = {spec.name: spec for spec in CATALOGUE}
    capitals = {spec.key: spec.asks for spec in CATALOGUE if spec.key.isupper()}
    for screen in every_screen():
        for verb in (one for one in screen.ACTIONS if one.key.isupper()):
            capitals[f"a {verb.key}"] = commands[verb.name].asks

    assert capitals == {"R": True, "K": True, "F": True, "a D": True, "a A": True}
    others = {key for one in COMMON for key in one.key.split(",") if key.isupper()}
    assert others == {"S", "N"}  # S asks as well; N goes back to the match before


async def test_an_unknown_key_says_so_and_text_takes_every_letter(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        await desk.press("J")
        assert desk.bar("keys").strip() == "J: no such key here, ? lists them"
        await desk.press("f9")
        assert desk.bar("keys").strip() == "f9: no such key here, ? lists them"
        await desk.press("2", "slash", "J", "f9", "escape")
        assert "J:" not in desk.bar("keys")
        await desk.press("question_mark")
        assert desk.screen == "help"


@pytest.mark.parametrize("keys", [(), ("F",), ("question_mark",), ("colon",), ("slash",)], ids=str)
async def test_the_shell_can_be_gone_to_from_everywhere(
    engine: FakeEngine, keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[str] = []
    monkeypatch.setattr(
        ConsoleApp, "action_suspend_process", lambda self: went.append(str(self.screen.name))
    )
    async with at_work(engine) as desk:
        await desk.press(*keys, "ctrl+z")
        assert went == [desk.screen]


async def test_what_was_said_goes_with_the_next_key_or_click(engine: FakeEngine) -> None:
    async with at_work(engine) as desk:
        for event in (Key("j", "j"), MouseDown(None, 60, 5, 0, 0, 1, False, False, False)):
            await desk.press("plus")
            assert "refreshing every" in desk.bar("keys")
            desk.app.post_message(event)
            await desk.settle()
            assert "? help" in desk.bar("keys")


@pytest.mark.parametrize("keys", ["jR", "j2R", "j2K", "j2\r"])
async def test_keys_typed_right_behind_a_step_mean_the_agent_under_the_cursor(
    engine: FakeEngine, keys: str
) -> None:
    async with at_work(engine) as desk:
        for key in keys:
            desk.app.post_message(Key("enter" if key == "\r" else key, key))
        await desk.settle()
        said = desk.bar("title") if keys.endswith("\r") else desk.text("dialog")
        assert "work " in said


@pytest.mark.parametrize("panel", ["2", "4"])
async def test_words_typed_right_behind_the_slash_are_no_commands(
    engine: FakeEngine, panel: str
) -> None:
    async with at_work(engine) as desk:
        await desk.press(panel)
        for key in ("slash", *"back up S"):
            desk.app.post_message(Key(key, {"slash": "/"}.get(key, key)))
        await desk.settle()
        field = desk.app.focused
        assert isinstance(field, LineInput)
        assert field.value == "back up S"

    assert engine.commands == []


@pytest.mark.parametrize("keys", [("c",), ("question_mark",), ("colon",), ("2", "slash")], ids=str)
async def test_no_dialog_takes_a_key_of_screen_or_tmux(
    engine: FakeEngine, keys: tuple[str, ...]
) -> None:
    async with at_work(engine) as desk:
        await desk.press(*keys)
        assert not FORBIDDEN & set(desk.app.screen.active_bindings)
