"""`--serve` begins again with the C library's memory, once, and only where that helps."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from memconsole.cli import allocator

TELLS = (
    "import os, sys; from memconsole.cli.allocator import begin_with_plain_memory as begin;"
    "print(os.getpid(), os.environ.get('PYTHONMALLOC'), sys.argv[1:], flush=True); begin();"
    "print('goes on')"
)


def told(**environment: str) -> list[str]:
    plain = {name: value for name, value in os.environ.items() if name != allocator.VARIABLE}
    done = subprocess.run(
        [sys.executable, "-c", TELLS, "an argument"],
        env=plain | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(not allocator.has_gnu_library(), reason="only the GNU C library gives back")
def test_the_same_process_begins_again_once() -> None:
    before, after, goes_on = told()
    number, _, rest = before.partition(" ")
    assert rest == "None ['an argument']"
    assert (after, goes_on) == (f"{number} malloc ['an argument']", "goes on")


def test_who_has_decided_is_left_alone() -> None:
    told_once, goes_on = told(PYTHONMALLOC="pymalloc")
    assert told_once.endswith("pymalloc ['an argument']")
    assert goes_on == "goes on"


def test_elsewhere_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_name: str) -> str | None:
        raise ValueError

    def exec_is_no_answer(*_args: object) -> None:
        raise AssertionError

    monkeypatch.delenv(allocator.VARIABLE, raising=False)
    monkeypatch.setattr(os, "confstr", none)
    monkeypatch.setattr(os, "execve", exec_is_no_answer)
    allocator.begin_with_plain_memory()


def test_a_system_that_refuses_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError

    monkeypatch.delenv(allocator.VARIABLE, raising=False)
    monkeypatch.setattr(os, "confstr", lambda _name: "glibc 2.36")
    monkeypatch.setattr(os, "execve", refuse)
    allocator.begin_with_plain_memory()
