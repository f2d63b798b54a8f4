from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memconsole.cli.call.flags import own_words
from memconsole.cli.main import main


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration of two homes: one of an agent, and one that is not there."""
    home = tmp_path / "a" / ".openclaw"
    (home / "workspace").mkdir(parents=True)
    (home / "openclaw.json").write_text("{}")
    file = tmp_path / "config.toml"
    file.write_text(
        f'[state]\ndir = "{tmp_path / "state"}"\n[gateway]\ntransport = "none"\n'
        f'[[fleet.source]]\nhomes = ["{home}", "{tmp_path / "gone"}"]\n'
    )
    return file


def test_each_object_says_whose_it_is_and_a_home_that_fails_fails_no_other(
    config: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = main(["agents", "--fleet", "--json", "--config", str(config)])
    answer = json.loads(capsys.readouterr().out)
    [agent] = answer["data"]
    assert code == 1
    assert (answer["command"], agent["id"], agent["freshness"]) == ("agents", "main", "live")
    assert agent["home"] == str(tmp_path / "a" / ".openclaw")
    assert agent["host"]
    assert agent["as_of"]
    assert [one["code"] for one in answer["warnings"]] == ["home-failed"]
    assert main(["--fleet", "--config", str(config)]) == 1  # without a terminal, `status`
    shown = capsys.readouterr().out
    assert "gone does not exist" in shown
    assert [one.split()[1] for one in shown.splitlines() if one.endswith("  ?")] == ["failed"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["config", "show", "--fleet"], "config show is about one home"),
        (["rotate", "--fleet"], "nobody can answer here"),
        (["agents", "--label", "prod"], "there is no label 'prod'"),
        (["checkpoint", "--agent", "nowhere/main"], "there is no host 'nowhere'"),
        (["--serve", "--label", "prod"], "there is no label 'prod'"),
        (["agents", "--host", "elsewhere"], "there is no host 'elsewhere'"),
        (["agents", "--fleet", "--demo"], "not one that is named"),
        (["checkpoint", "--host", ""], "--host names nothing"),
        (["agents", "--label", ","], "there is no label ''"),
        (["rotate", "--home", "", "--yes"], "--home names nothing"),
        (["status", "--fleet", "--within", "1h"], "status waits for no host"),
        (["checkpoint", "--within", "1h"], "--within is for commands that are sent to other hosts"),
    ],
)
def test_what_cannot_be_carried_to_a_fleet_is_refused(
    words: list[str], why: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config", str(config), *words]) == 2
    assert why in capsys.readouterr().err


def test_without_a_fleet_there_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[state]\ndir = "{tmp_path / "state"}"\n')
    assert main(["agents", "--fleet", "--config", str(file)]) == 2
    assert "no home of a fleet is configured" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["none", "named"])
def test_a_name_with_a_slash_is_of_this_home_where_no_other_may_be_asked(
    where: str, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "named" / ".openclaw"
    (home / "agents").mkdir(parents=True)
    alone = tmp_path / "alone.toml"
    alone.write_text(f'[state]\ndir = "{tmp_path / "state"}"\n')
    file = alone if where == "none" else config
    words = ["--home", str(home), "checkpoint", "--agent", "[/bad] notes.md"]
    assert main(["--config", str(file), *words]) == 2
    assert "[/bad] notes.md" in capsys.readouterr().err


def test_global_options_stay_here_and_the_command_keeps_its_own() -> None:
    call = ["--fleet", "--config=x", "search", "--host", "a,b", "--agent", "m", "--", "--json"]
    assert own_words(call) == ["search", "--agent", "m", "--", "--json"]


def test_a_call_of_one_home_loads_nothing_of_the_fleet(config: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from memconsole.cli.main import main; main(sys.argv[1:]);"
        "print([one for one in sys.modules if 'fleet' in one], file=sys.stderr)"
    )
    alone = tmp_path / "alone.toml"
    alone.write_text(config.read_text().partition("[[fleet")[0])
    words = ["status", "--home", str(tmp_path / "a" / ".openclaw"), "--config", str(alone)]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a configuration of two other hosts, which a program named ssh plays here."""
    for host in ("alpha", "beta"):
        home = tmp_path / host / ".openclaw"
        (home / "workspace").mkdir(parents=True)
        (home / "openclaw.json").write_text("{}")
    (ssh := tmp_path / "bin" / "ssh").parent.mkdir()
    ssh.write_text(
        '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\n'
        f'export HOME="{tmp_path}/$2" MEMCONSOLE_GATEWAY__TRANSPORT=none\nexec sh -c "$3"\n'
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{Path(sys.executable).parent}:/usr/bin:/bin")
    file = tmp_path / "hosts.toml"
    file.write_text(
        f'[state]\ndir = "{tmp_path / "state"}"\n[fleet]\ndefault = true\n'
        'labels = { prod = ["beta"] }\n'
        '[[fleet.source]]\nurl = "ssh://alpha"\n[[fleet.source]]\nurl = "ssh://beta"\n'
    )
    return file


def answered(words: list[str], config: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return which host and agent each object of an answer is of."""
    main([*words, "--json", "--config", str(config)])
    return [f"{one['host']}/{one['id']}" for one in json.loads(capsys.readouterr().out)["data"]]


def test_a_fleet_by_default_a_label_and_a_name_choose_who_is_asked(
    hosts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answered(["agents"], hosts, capsys) == ["alpha/main", "beta/main"]
    assert answered(["agents", "--label", "prod"], hosts, capsys) == ["beta/main"]
    main(["checkpoint", "--agent", "alpha/main", "--dry-run", "--json", "--config", str(hosts)])
    answer = json.loads(capsys.readouterr().out)
    assert [(one["host"], one["status"]) for one in answer["data"]] == [("alpha", "skipped")]


def test_what_destroys_is_planned_by_each_host_and_asked_about_once(
    hosts: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for host in ("alpha", "beta"):
        log = tmp_path / host / ".openclaw" / "workspace" / "memory" / "observations.md"
        log.parent.mkdir()
        log.write_text("# Observations\n")
    monkeypatch.setattr("memconsole.cli.output.stream.Output.can_ask", True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: pytest.fail("nothing is planned"))
    main(["reflect", "--config", str(hosts)])
    said = capsys.readouterr()
    assert "alpha" in said.out
    assert "beta" in said.out
