"""What reaches the terminal: colours, letters, sequences, and how it is left."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest

from tests.lanes.terminal import RESTORED, SEQUENCE, SGR, Terminal, in_terminal
from tests.ui.foreign import STEERING

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.pty

READY = "is due: 151.2K of 150K"
WALK = (
    ("2", "Sessions"),
    ("\r", "Messages"),
    ("\x1b", "Journal"),
    ("3", "Memory"),
    ("\r", "Advice"),
    ("\x1b", "Journal"),
    ("5", "Journal"),
    ("\r", "Runs"),
    ("\x1b", "Journal"),
    ("!", "Findings"),
    ("\x1b", "Journal"),
    ("?", "Keys"),
    ("?", "Memory"),
    (":", "Commands"),
)
"""Keys through all screens and dialogs, and what is drawn when they have worked."""

COLOURS = {*range(30, 50), *range(90, 108)}


def parameters(output: bytes) -> set[int]:
    """Return every SGR parameter that was sent."""
    return {int(number) for group in SGR.findall(output) for number in group.split(b";") if number}


def walk(terminal: Terminal, ready: str = READY) -> bytes:
    """Go through all screens, and leave; return all that was written."""
    terminal.wait_for(ready)
    output = terminal.clear()
    for keys, text in WALK:
        terminal.press(keys)
        terminal.wait_for(text)
        output += terminal.clear()
    terminal.press("\x03")
    assert terminal.wait() == 0
    return output + terminal.output


def test_no_empty_screen_is_written_before_the_first_words() -> None:
    with in_terminal() as terminal:
        terminal.wait_for("memconsole")
        before = terminal.output.partition(b"memconsole")[0]

    assert before.count(b"\n") == 0  # the title is the first line, and a full screen has forty


def test_without_colour_no_colour_is_sent_from_any_screen() -> None:
    with in_terminal(ui={"mono": True}) as terminal:
        output = walk(terminal)

    sent = parameters(output)
    assert not sent & COLOURS
    assert {1, 7} <= sent


@pytest.mark.parametrize(
    "plan",
    [{"environment": {"NO_COLOR": "1"}}, {"ui": {"color": "never"}}],
    ids=["NO_COLOR", "no-color"],
)
def test_every_way_of_asking_for_no_colour_works(plan: dict[str, object]) -> None:
    with in_terminal(**plan) as terminal:  # type: ignore[arg-type]  # a plan
        terminal.wait_for(READY)
        terminal.press("q")
        terminal.wait()

    sent = parameters(terminal.output)
    assert not sent & COLOURS
    assert {1, 7} <= sent


def test_colours_and_clicks_are_asked_for_and_no_link_can_be_followed() -> None:
    with in_terminal() as terminal:
        terminal.wait_for(READY)
        terminal.press("3\rj")
        terminal.wait_for("the plan")
        terminal.press("q")
        terminal.wait()

    assert 38 in parameters(terminal.output)
    assert b"\x1b]8;" not in terminal.output
    assert b"\x1b[?1000h" in terminal.output
    assert b"\x1b[?1003h" not in terminal.output


def test_a_console_of_16_colours_gets_only_those() -> None:
    with in_terminal(term="linux", ui={"theme": ""}) as terminal:
        output = walk(terminal)

    sent = parameters(output)
    assert not {38, 48} & sent
    assert sent & set(range(30, 38))


def test_ascii_draws_with_ascii_alone() -> None:
    with in_terminal(ui={"ascii": True}, reading="crowd") as terminal:
        output = walk(terminal, "agent-")

    assert max(output) < 128
    assert b"+-" in output
    assert b"[#" in output


def test_no_sequence_of_a_transcript_reaches_the_terminal() -> None:
    with in_terminal(foreign=STEERING) as terminal:
        output = walk(terminal, "aredb")

    assert b"\x1b[31m" not in output
    assert b"window name" not in output
    sequences = {match.group() for match in SEQUENCE.finditer(output)}
    assert not {sequence for sequence in sequences if not _is_ours(sequence)}
    rest = SEQUENCE.sub(b"", output).decode("utf-8")
    assert not {character for character in rest if ord(character) < 32} - set("\r\n")
    assert not set(map(chr, range(0x80, 0xA0))) & set(rest)


def _is_ours(sequence: bytes) -> bool:
    return re.fullmatch(rb"\x1b\[(?:[\d;]*[mH]|[?>=<][\d;$]*[hlup]+)", sequence) is not None


def test_without_a_mouse_none_is_asked_for() -> None:
    with in_terminal(ui={"mouse": False}) as terminal:
        terminal.wait_for(READY)
        terminal.press("q")
        terminal.wait()

    assert b"\x1b[?1000" not in terminal.output


@pytest.mark.parametrize(
    ("ending", "code"),
    [("q", 0), ("\x03", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["q", "ctrl-c", "SIGTERM", "SIGHUP"],
)
def test_the_terminal_is_left_as_it_was_found(ending: str | signal.Signals, code: int) -> None:
    with in_terminal() as terminal:
        terminal.wait_for(READY)
        if isinstance(ending, str):
            terminal.press(ending)
        else:
            terminal.process.send_signal(ending)
        assert terminal.wait() == code
        assert terminal.after == terminal.before

    for sequence in RESTORED:
        assert sequence in terminal.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_stalled_terminal_does_not_hold_up_the_end(number: signal.Signals) -> None:
    with in_terminal() as terminal:
        terminal.wait_for(READY)
        terminal.stall()
        terminal.press("?\x1b" * 60)
        terminal.read_for(1.0)
        terminal.process.send_signal(number)
        assert terminal.process.wait(timeout=20) == 128 + number
        assert terminal.after == terminal.before


def test_a_terminal_that_nobody_reads_is_restored_when_it_is_given_up() -> None:
    with in_terminal() as terminal:
        terminal.wait_for(READY)
        for _ in range(40):
            terminal.press("?\x1b" * 10)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(timeout=20) == 143
        terminal.read_for(0.2)

    for sequence in RESTORED:
        assert sequence in terminal.output


def test_a_console_that_is_busy_with_itself_ends_all_the_same() -> None:
    with in_terminal(busy=True) as terminal:
        terminal.wait_for(READY)
        terminal.clear()
        terminal.press("2\r")
        terminal.read_for(0.5)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait() == 143
        assert terminal.after == terminal.before

    for sequence in RESTORED:
        assert sequence in terminal.output


def test_a_terminal_that_tells_no_size_is_drawn_once() -> None:
    with in_terminal((0, 0)) as terminal:
        terminal.wait_for(READY)
        terminal.read_for(1.0)
        terminal.clear()
        terminal.read_for(1.0)
        assert len(terminal.output) < 2_000
        terminal.press("q")
        assert terminal.wait() == 0


def test_a_crash_leaves_the_terminal_and_tells_no_secret(tmp_path: Path) -> None:
    with in_terminal(crash=True, state_dir=str(tmp_path)) as terminal:
        terminal.wait_for(READY)
        terminal.clear()
        terminal.press("2\r")
        assert terminal.wait() == 1
        assert terminal.after == terminal.before

    for sequence in RESTORED:
        assert sequence in terminal.output
    assert b"memconsole ended by a bug (RuntimeError)" in terminal.output
    assert b"A1b2C3d4E5" not in terminal.output
    assert b"\x1b[31m" not in terminal.output
    log = tmp_path / "console-crash.log"
    text = log.read_text()
    assert "in session" in text
    assert "A1b2C3d4E5" not in text
    assert "\x1b" not in text
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_closed_terminal_ends_the_console() -> None:
    with in_terminal() as terminal:
        terminal.wait_for(READY)
        terminal.hang_up()
        assert terminal.wait() == 129


def test_a_resize_storm_leaves_everything_in_its_place() -> None:
    with in_terminal(size=(80, 24)) as terminal:
        terminal.wait_for(READY)
        for step in range(50):
            terminal.resize(*((1, 1) if step % 2 else (80 + step, 24 + step % 20)))
            terminal.read_for(0.02)
        terminal.resize(80, 24)
        terminal.press("!")
        terminal.wait_for("next step")
        terminal.press("q")
        assert terminal.wait() == 0


def test_back_from_the_shell_the_whole_screen_is_drawn_again() -> None:
    with in_terminal() as terminal:
        terminal.wait_for(READY)
        terminal.press("\x1a")
        terminal.wait_until_stopped()
        assert terminal.after == terminal.before
        for sequence in RESTORED:
            assert sequence in terminal.output
        terminal.clear()
        terminal.process.send_signal(signal.SIGCONT)
        for text in (b"\x1b[?1049h", "Agents", "Sessions", READY):
            terminal.wait_for(text)
        terminal.press("q")
        assert terminal.wait() == 0
        assert terminal.after == terminal.before
