"""The console and plain searches without Typer: which calls they are; the answer is the usual."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.call.flags import GLOBAL_OPTIONS
from memconsole.cli.fast_path import Plain, quick, read
from tests.program import ask_zygote

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.cli.call.flags import GlobalOption


def given(**values: str) -> tuple[tuple[GlobalOption, str], ...]:
    """Return global options with what they were given, as a call that is read names them."""
    named = {option.names[0]: option for option in GLOBAL_OPTIONS}
    return tuple((named[f"--{name.replace('_', '-')}"], value) for name, value in values.items())


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("", Plain((), is_console=True)),
        ("--home /x", Plain((), given(home="/x"), is_console=True)),
        (
            "--transport none --home /x --read-only --config /c",
            Plain(
                (),
                given(transport="none", home="/x", read_only="--read-only", config="/c"),
                is_console=True,
            ),
        ),
        ("--home /x status --json", Plain((), given(home="/x"), is_json=True, is_status=True)),
        ("status", Plain((), is_status=True)),
        ("search", Plain(())),
        ("search one two", Plain(("one", "two"))),
        ("search search", Plain(("search",))),
        ("--json search one", Plain(("one",), is_json=True)),
        ("search one --json", Plain(("one",), is_json=True)),
        ("--home /x search -a work one", Plain(("one",), given(home="/x"), "work")),
        ("search --agent work one", Plain(("one",), (), "work")),
    ],
)
def test_plain_searches(line: str, plain: Plain) -> None:
    assert read(line.split()) == plain


@pytest.mark.parametrize(
    "line",
    [
        "--json",
        "--home",
        "--home -x",
        "--home /x status more",
        "status --home /x",
        "--fleet status",
        "--within 5 status",
        "--within 5 search one",
        "-v status",
        "memory search one",
        "search --explain one",
        "search --home /x one",
        "search -- --agent",
        "search -n 3 one",
        "search --agent",
        "search --agent -x one",
        "search --agent=work one",
        "--agent work search one",
        "search --help",
        "-v search one",
        "--demo search one",
        "--demo",
        "-v",
        "--fleet",
        "--transport",
        "--read-only status more",
        "--read-only=yes",
        "--version --read-only",
        "--serve",
    ],
)
def test_all_else_goes_the_usual_way(line: str) -> None:
    assert read(line.split()) is None


@pytest.fixture
def seen(tmp_path: Path) -> dict[str, str]:
    workspace = tmp_path / "ws"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "a.md").write_text("- the staging database is orion\n", "utf-8")
    home = tmp_path / ".openclaw"
    home.mkdir()
    roster = {"agents": {"list": [{"id": "main", "workspace": str(workspace)}]}}
    (home / "openclaw.json").write_text(json.dumps(roster), "utf-8")
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "MEMCONSOLE_STATE__DIR": str(tmp_path / "state"),
        "MEMCONSOLE_NOW": "2026-04-12T09:00:00+00:00",
    }


def run(seen: dict[str, str], entry: str, *arguments: str) -> tuple[int, str, str]:
    program = f"import sys; from {entry} import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=seen, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_answer_is_the_usual_one(seen: dict[str, str]) -> None:
    def asked(*words: str, is_usual: bool) -> tuple[int, str, str]:
        job = {"calls": [words], "environment": seen, "is_usual": is_usual}
        [answer] = ask_zygote({**job, "is_plain_user": False, "is_folder_gone": False})
        return answer

    asked("search", "orion", is_usual=True)
    lines = ("search orion", "search --json orion", "search --agent nobody orion", "search")
    for line in (*lines, "status", "--json status", "--home /nowhere status --json"):
        words = line.split()
        ours, usual = asked(*words, is_usual=False), asked(*words, is_usual=True)
        assert (ours[0], ours[2]) == (usual[0], usual[2])
        assert _timeless(ours[1]) == _timeless(usual[1])


def _timeless(text: str) -> str:
    return ",".join(part for part in text.split(",") if 'at":' not in part)


@pytest.mark.parametrize("words", [["search", "orion"], ["status"]])
def test_nothing_is_loaded_that_a_plain_call_does_not_need(
    seen: dict[str, str], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    run(seen, "memconsole.cli.main", *words)
    program = (
        f"import sys; from memconsole.__main__ import main; sys.argv[1:] = {words};"
        "code = main(); loaded = {'typer', 'numpy', 'sentencepiece', 'textual', 'sqlite_utils',"
        " 'rapidfuzz', 'concurrent.futures', 'memconsole.adapters.index.build'};"
        "sys.exit(f'{code} {sorted(loaded & set(sys.modules))}')"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=seen, capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "0 []"
    monkeypatch.setenv("_MEMCONSOLE_COMPLETE", "complete_bash")
    assert quick(words) is None


def test_a_bare_call_without_a_terminal_says_what_status_says(seen: dict[str, str]) -> None:
    ours = run(seen, "memconsole.__main__")
    usual = run(seen, "memconsole.cli.main")
    assert ours == usual
    assert ours[0] == 0
    nowhere = {**seen, "HOME": "/nonexistent"}
    ours, usual = run(nowhere, "memconsole.__main__"), run(nowhere, "memconsole.cli.main")
    assert ours == usual
    assert ours[0] == 3
