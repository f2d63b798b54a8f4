"""c17: a daily log that already holds a person's notes."""

from __future__ import annotations

import hashlib
import re
import signal
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Json

TODAY = "2026-04-12.md"
YESTERDAY = "2026-04-11.md"
Bytes = dict[str, bytes]
CHECKPOINT = ("checkpoint", "--agent", "main")
KILLS = 12


def memory(stage: Stage) -> Bytes:
    return {path.name: path.read_bytes() for path in (stage.workspace / "memory").glob("*.md")}


def new_entries(content: bytes) -> int:
    return len(re.findall(rb"^### Checkpoint ", content, re.MULTILINE))


@action("c17.1", "checkpoint main")
def checkpoint(stage: Stage) -> tuple[Bytes, Bytes]:
    before = memory(stage)
    assert stage.run(*CHECKPOINT).row(agent="main")["status"] == "done"
    return before, memory(stage)


@expects("c17.1", f"{TODAY} > starts_with_sha256_of_first_bytes")
def old_bytes_are_a_prefix(seen: tuple[Bytes, Bytes], want: Json) -> None:
    size, digest = want
    before, after = seen
    assert len(before[TODAY]) == size
    assert hashlib.sha256(after[TODAY][:size]).hexdigest() == digest


@expects("c17.1", f"{TODAY} > new_heading_on_its_own_line")
def heading_on_its_own_line(seen: tuple[Bytes, Bytes], want: Json) -> None:
    lines = seen[1][TODAY].splitlines()
    assert (b"### Checkpoint 08:10 (auto)" in lines) is want


@expects("c17.1", f"{TODAY} > line_ending")
def line_ending(seen: tuple[Bytes, Bytes], want: Json) -> None:
    assert want == "CRLF"
    added = seen[1][TODAY][len(seen[0][TODAY]) :]
    assert added.count(b"\n") == added.count(b"\r\n") > 3


equals(
    "c17.1",
    f"{TODAY} > new_entries",
    of=lambda seen: new_entries(seen[1][TODAY]) - new_entries(seen[0][TODAY]),
)


@expects("c17.1", YESTERDAY)
def yesterday_is_unchanged(seen: tuple[Bytes, Bytes], want: Json) -> None:
    assert want == "unchanged"
    assert seen[0][YESTERDAY] == seen[1][YESTERDAY]


def again(stage: Stage, after: timedelta) -> tuple[Bytes, Bytes]:
    assert stage.run(*CHECKPOINT).code == 0
    first = memory(stage)
    assert stage.run(*CHECKPOINT, after=after).code == 0
    return first, memory(stage)


@action("c17.2", "checkpoint main again at NOW+1 minute, transcript unchanged")
def again_soon(stage: Stage) -> tuple[Bytes, Bytes]:
    return again(stage, timedelta(minutes=1))


@action("c17.3", "checkpoint main again at NOW+20 minutes, transcript unchanged")
def again_later(stage: Stage) -> tuple[Bytes, Bytes]:
    return again(stage, timedelta(minutes=20))


@expects("c17.2", TODAY)
@expects("c17.3", TODAY)
def no_news_no_entry(seen: tuple[Bytes, Bytes], want: Json) -> None:
    assert want == "unchanged"
    assert new_entries(seen[0][TODAY]) == 1
    assert seen[0][TODAY] == seen[1][TODAY]


@action("c17.4", "two checkpoints of main started at the same moment")
def two_at_once(stage: Stage) -> tuple[Bytes, Bytes]:
    before = memory(stage)
    program = stage.program(timedelta(), None)
    processes = [program.start("--json", *CHECKPOINT) for _ in range(2)]
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0, out + err
    return before, memory(stage)


equals("c17.4", "new_entries", of=lambda seen: new_entries(seen[1][TODAY]))


@expects("c17.4", "file", says="no interleaved halves")
def no_halves(seen: tuple[Bytes, Bytes], want: Json) -> None:
    before, after = seen
    assert after[TODAY].startswith(before[TODAY])
    assert whole_entry(after[TODAY][len(before[TODAY]) :])


def whole_entry(added: bytes) -> bool:
    """One entry of a checkpoint, and nothing else."""
    text = added.decode("utf-8").replace("\r\n", "\n")
    lines = (
        r"\n*### Checkpoint \d\d:\d\d \(auto\)\n",
        r"\n- Session: `[0-9a-f]{8}` \(main\) — \d+ messages \(\d+ user, \d+ assistant\)",
        r"\n- Last request: .+\n- Last output: .+\n\n?",
    )
    return re.fullmatch("".join(lines), text) is not None


@action("c17.5", "kill -9 at any moment while writing")
def killed(stage: Stage) -> list[tuple[Bytes, Bytes]]:
    """Kill at moments spread over the whole life of a checkpoint; remember what was left."""
    started = time.monotonic()
    first = stage.run(*CHECKPOINT, more={"MEMCONSOLE_STATE__DIR": str(stage.folder / "measured")})
    lifetime = time.monotonic() - started
    assert first.code == 0
    whole = memory(stage)["ACTIVE_CONTEXT.md"]
    seen = []
    for number in range(KILLS):
        before = memory(stage)
        grow(stage, number)
        kill_after(stage, lifetime * (number + 1) / KILLS)
        seen.append((before, memory(stage)))
    assert whole
    return seen


def grow(stage: Stage, number: int) -> None:
    """Give the next checkpoint something new to say."""
    [path] = stage.sessions.glob("*.jsonl")
    last = path.read_bytes().splitlines()[-1]
    news = last.replace(b'"id":"', f'"id":"{number:02x}'.encode(), 1)
    with path.open("ab") as lines:
        lines.write(re.sub(rb'"text":"', f'"text":"news {number}: '.encode(), news) + b"\n")


def kill_after(stage: Stage, seconds: float) -> None:
    state = {"MEMCONSOLE_STATE__DIR": str(stage.folder / f"state{seconds}")}
    program = stage.program(timedelta(), state)
    with program.start("--json", *CHECKPOINT, "--force") as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()


@expects("c17.5", "ACTIVE_CONTEXT.md", says="the old or the new text, whole")
def old_or_new(seen: list[tuple[Bytes, Bytes]], want: Json) -> None:
    for _, after in seen:
        text = after["ACTIVE_CONTEXT.md"].decode("utf-8")
        assert text.startswith("# Active Context — main\n")
        assert "## Recent Requests" in text
        assert text.endswith("\n")


@expects("c17.5", TODAY, says="old bytes still a prefix")
def still_a_prefix(seen: list[tuple[Bytes, Bytes]], want: Json) -> None:
    for before, after in seen:
        assert after[TODAY].startswith(before[TODAY])
