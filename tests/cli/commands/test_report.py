"""`report`: what it holds, what stays at home, and how its file is written."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.state.database import StateDatabase
from memconsole.cli.main import main
from memconsole.compose import report as maker
from memconsole.errors import StateError

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = (
    *(
        "hunter2hunter2",
        "Lovelace",
        "Grace",
        "491701234567",
        "zephyr",
        "ada-at-home",
        "blue cabinet",
    ),
    *("project-hydra", "5e551010", "pineapple"),
)
"""What stands in the home and its settings, and in no report."""

SECTIONS = (
    *("versions", "home", "configuration", "findings", "health", "config-check", "warnings"),
    *("jobs", "runs", "schema", "timings"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    owner = tmp_path / "ada-at-home"
    place = owner / ".openclaw"
    workspace = owner / "project-hydra"
    sessions = place / "agents" / "zephyr" / "sessions"
    sessions.mkdir(parents=True)
    (workspace / "memory").mkdir(parents=True)
    agent = {"id": "zephyr", "name": "Grace", "workspace": str(workspace)}
    (place / "openclaw.json").write_text(
        json.dumps(
            {
                "gateway": {"port": 1, "auth": {"token": "hunter2hunter2"}},
                "agents": {"list": [agent]},
            }
        )
    )
    entry = {
        "sessionId": "5e551010-0000-4000-8000-000000000001",
        "updatedAt": 1_780_000_000_000,
        "label": "Lovelace about pineapple",
        "totalTokens": 190_000,
        "totalTokensFresh": True,
        "contextTokens": 200_000,
    }
    key = "agent:zephyr:telegram:dm:+491701234567"
    (sessions / "sessions.json").write_text(json.dumps({key: entry}))
    (workspace / "MEMORY.md").write_text("- the blue cabinet is Lovelace's\n")
    (workspace / "memory" / "Lovelace and Grace.md").write_text("x" * 60_000)
    for name in list(os.environ):
        if name.startswith(("MEMCONSOLE_", "OPENCLAW_", "CLAWDBOT_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(owner))
    monkeypatch.setenv("MEMCONSOLE_HOME", str(place))
    monkeypatch.setenv("MEMCONSOLE_GATEWAY__TOKEN", "hunter2hunter2")
    monkeypatch.setenv("MEMCONSOLE_SEARCH__EXTRA_PATHS", '["/srv/project-hydra"]')
    monkeypatch.setenv("MEMCONSOLE_AGENTS__ZEPHYR__ROTATION__THRESHOLD_TOKENS", "100000")
    return place


def told(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["report", *words])
    return code, *capfd.readouterr()


def test_it_tells_what_a_bug_report_needs_and_nothing_of_people(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main(["memory", "add", "Grace likes pineapple", "--agent", "zephyr", "--force"])
    capfd.readouterr()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    code, text, _ = told(capfd)
    assert code == 0
    assert [word for word in PRIVATE if word.casefold() in text.casefold()] == []
    for fact in (
        "| Python | CPython 3",
        "sessions files",
        "| search.extra_paths | (1 given) |",
        "| agents.agent-1.rotation.threshold_tokens | 100000 |",
        "session-due | agent-1 |",
        "| memory-file-size |",
        "| memory add | agent-1 | done |",
        "workspace text",
    ):
        assert fact in text
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before


def test_a_schema_names_what_programs_name_and_repeats_nothing_else(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (home / "memory").mkdir()
    with closing(sqlite3.connect(home / "memory" / "zephyr.sqlite")) as database:
        database.execute('CREATE TABLE "my pineapple" (id INTEGER, "+491701234567" TEXT)')
        database.execute('CREATE TABLE chunks ("grace@hydra.example" VARCHAR(20), path TEXT)')
    code, text, _ = told(capfd)
    assert code == 0
    assert "| chunks | table | … varchar(20), path text |" in text
    assert [word for word in ("pineapple", "491701234567", "grace@") if word in text] == []


def test_a_section_that_cannot_be_made_says_why_and_stops_no_other(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> object:
        raise ZeroDivisionError("pineapple")

    def refused(_: object) -> None:
        raise StateError(f"{home} cannot be read")

    monkeypatch.setattr(maker, "library", lambda: broken(None))
    monkeypatch.setattr(StateDatabase, "require_readable", refused)
    code, text, _ = told(capfd)
    assert code == 0
    assert "`ZeroDivisionError`" in text
    assert "- memconsole/compose/report.py:" in text
    assert "It cannot be told: [home] cannot be read (state)" in text
    assert "pineapple" not in text
    assert "| scheduler |" in text


def test_a_home_that_is_not_there_still_has_a_report(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = told(capfd, "--json")
    assert code == 0
    assert [one["id"] for one in json.loads(text)["data"]["sections"]] == list(SECTIONS)
    home.rename(home.parent / "gone")
    code, text, _ = told(capfd, "--json")
    problems = {one["id"]: one["problem"] for one in json.loads(text)["data"]["sections"]}
    assert code == 0
    assert (problems["home"], problems["versions"]) == ("home-not-found", None)


def test_the_file_is_the_operators_alone_and_none_is_lost(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "for-the-issue.md"
    code, out, err = told(capfd, "--output", str(file))
    assert (code, file.stat().st_mode & 0o777) == (0, 0o600)
    assert "Schema of the stores" in err  # shown before it is written
    assert "wrote 11 sections" in out
    file.write_text("mine")
    code, _, err = told(capfd, "--output", str(file))
    assert (code, file.read_text()) == (2, "mine")
    assert "nothing was done" in err
    assert told(capfd, "--output", str(file), "--yes")[0] == 0
    assert file.read_text().startswith("# memconsole report\n")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".memconsole")] == []


def test_nothing_is_written_through_a_link_or_into_the_agents_folders(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "link.md"
    link.symlink_to(tmp_path / "elsewhere.md")
    for place in (link, home / "report.md", home.parent / "project-hydra" / "report.md"):
        code, _, err = told(capfd, "--output", str(place), "--yes")
        assert code == 2
        assert "was not written" in err
        assert place is link or not place.exists()
    assert not (tmp_path / "elsewhere.md").exists()


def test_a_zip_has_a_file_a_section_and_a_dry_run_writes_none(
    home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bundle.zip"
    code, out, _ = told(capfd, "--output", str(file), "--dry-run")
    assert (code, file.exists()) == (0, False)
    assert "would write 11 sections" in out
    told(capfd, "--output", str(file))
    with zipfile.ZipFile(file) as bundle:
        names = bundle.namelist()
        assert names == [f"{number:02}-{name}.md" for number, name in enumerate(SECTIONS, 1)]
        assert b"## Versions" in bundle.read(names[0])
    assert told(capfd, "--output", str(tmp_path / "x.md"), "--json")[0] == 0
    code, _, err = told(capfd, "--output", str(file), "--json")
    assert (code, "nothing was done" in err) == (2, True)


def test_a_dash_prints_it_and_no_name_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    assert main(["--home", str(home), "report", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("# ")
    assert main(["--home", str(home), "report", "-o", ""]) == 2
    assert "names no file" in capsys.readouterr().err
    assert not (home / "-").exists()
