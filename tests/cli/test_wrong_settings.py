"""A section of our configuration that is wrong stops those commands alone that need it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.compose.engine import build_engine
from memconsole.config.keys import KEYS
from memconsole.config.load import load
from memconsole.domain.agents import Origin
from memconsole.domain.settings import fault_notices
from memconsole.errors import ConfigError
from memconsole.scheduler.jobs import TABLE
from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.program import Answer

SESSION = "a1a1a1a1-1111-4222-8333-444444444444"
SECTIONS = sorted({key.path[0] for key in KEYS} - {"platform", "state", "timezone"})
LOOKING = (
    *(["status"], ["agents"], ["memory", "pool"], ["session", "agent:main:main"], ["jobs"]),
    *(["transcript", "agent:main:main"], ["runs"], ["markers"]),
)
PAGER = '[[alerts.channel]]\ntype = "pager"\n'


@pytest.fixture
def run(tmp_path: Path) -> Program:
    """The program over an empty home, and nothing else."""
    (tmp_path / ".openclaw").mkdir()
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{}")
    return Program({"HOME": str(tmp_path), "MEMCONSOLE_TRANSPORT": "none"})


def configure(tmp_path: Path, text: str) -> None:
    folder = tmp_path / ".config" / "memconsole"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def test_who_does_not_need_it_runs_and_says_so(run: Program, tmp_path: Path) -> None:
    configure(tmp_path, PAGER)

    for command in ("status", "agents", "sessions", "jobs", "runs"):
        assert run.json(command).code == 0, command
    status = run.json("status")

    [warning] = [row for row in status.warnings if row["code"] == "settings-wrong"]
    assert "alerts.channel number 1 needs a type: slack, webhook" in warning["message"]
    assert "config.toml, line 1" in warning["message"]
    assert [row["severity"] for row in status.data["attention"] if "alerts" in row["message"]]


def test_who_looks_for_faults_finds_it(run: Program, tmp_path: Path) -> None:
    configure(tmp_path, PAGER)

    check = run.json("config", "check")
    [state] = [row for row in run.json("health").data["checks"] if row["id"] == "state"]

    [finding] = [row for row in check.data if row["id"] == "settings-wrong"]
    assert (check.code, finding["severity"]) == (1, "high")
    assert finding["path"].endswith("config.toml")
    assert state["status"] == "warning"
    assert "pager" not in state["message"]
    assert "alerts.channel number 1" in state["message"]


def test_who_needs_it_is_refused(run: Program, tmp_path: Path) -> None:
    configure(tmp_path, PAGER)

    for words in (("alerts", "test", "--dry-run"), ("config", "show")):
        answer = run.json(*words)
        assert (answer.code, answer.error["code"]) == (2, "config"), words
        assert "alerts.channel number 1" in answer.error["message"]


def test_a_channel_without_its_library_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[[alerts.channel]]\nurl = "tgram://fake-secret"\n[[alerts.channel]]\ntype = "desktop"\n'
    configure(tmp_path, text)
    (tmp_path / ".openclaw").mkdir()
    monkeypatch.setitem(sys.modules, "apprise", None)
    environ = {"HOME": str(tmp_path), "MEMCONSOLE_TRANSPORT": "none"}
    settings = load({**environ, "MEMCONSOLE_HOME": str(tmp_path / ".openclaw")})

    report = build_engine(settings, Origin.CLI).config.check()

    [finding] = [one for one in report.findings if one.id == "settings-wrong"]
    assert finding.why == (
        "alert channel apprise: it needs Apprise, which is not installed. "
        "Install it: `pipx inject memconsole apprise`, or `pip install apprise`."
    )
    assert (finding.path or "").endswith("config.toml")


@pytest.mark.parametrize("kind", ["log", "desktop"])
def test_the_channels_of_the_readme_are_known(run: Program, tmp_path: Path, kind: str) -> None:
    configure(tmp_path, f'[[alerts.channel]]\ntype = "{kind}"\n')

    assert "settings-wrong" not in run.json("status").warning_codes()
    rows = {row["key"]: row for row in run.json("alerts", "test", "--dry-run").data}

    assert rows["log"]["status"] == "planned"
    assert list(rows) == list(dict.fromkeys(("log", kind)))


def test_jobs_of_other_sections_run(run: Program, tmp_path: Path) -> None:
    memory = tmp_path / ".openclaw" / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "observations.md").write_text("# Observations Log\n")
    configure(
        tmp_path, "[reflector]\nsimilarity = 7\n[index_md]\nmax_tokns = 5\n[search]\nmmr = 3\n"
    )

    rows = {row["id"]: row for row in run.json("jobs").data}

    assert rows["index_md"]["enabled"] is False
    assert "max_tokns" in rows["index_md"]["trigger"]
    assert rows["index_sync"]["enabled"] is False
    assert "search.mmr" in rows["index_sync"]["trigger"]
    assert rows["checkpoint"]["enabled"] is True
    assert run.json("reflect", "--yes").code == 2


@pytest.mark.parametrize(
    "text", ["[state]\ndir = 7\n", "[stat]\ndir = '/x'\n", "[platform]\nhmoe = '/x'\n"]
)
def test_where_to_look_stops_every_command(run: Program, tmp_path: Path, text: str) -> None:
    configure(tmp_path, text)

    answer = run.json("status")

    assert (answer.code, answer.error["code"]) == (2, "config")
    assert "config.toml, line 1" in answer.error["message"] or "line 2" in answer.error["message"]


def said(answer: Answer) -> str:
    [found] = [row["message"] for row in answer.warnings if row["code"] == "settings-wrong"]
    return str(found)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ('[ui]\ncolor = "pink"\nascii = true\n', "its other keys hold"),
        ("[log]\nlevel = 3\n", "its other keys hold"),
        ("[gateway]\ntimeout = 5\n", "the Gateway is not asked"),
        ("[tides]\nrain = 1\n", "it changes nothing"),
        ("tides = 1\n", "it changes nothing"),
        ("[rotaton]\nthreshold_tokens = 9\n", "what needs this section does not run"),
    ],
)
def test_the_rest_goes_on_with_a_warning(run: Program, tmp_path: Path, text: str, end: str) -> None:
    configure(tmp_path, text)

    answer = run.json("agents")

    assert answer.code == 0
    assert said(answer).endswith(f"; {end}")
    assert run.json("config", "show").code == 2


def test_who_needs_the_gateway_is_refused(run: Program, tmp_path: Path) -> None:
    configure(tmp_path, "[gateway]\ntimeout = 5\n")
    folder = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    key = "agent:main:main"
    (folder / "sessions.json").write_text(f'{{"{key}": {{"sessionId": "{SESSION}"}}}}')
    (folder / f"{SESSION}.jsonl").write_text("{}\n")

    for words in (("compact", key, "--yes"), ("rotate", key, "--force", "--yes")):
        answer = run.json(*words)
        assert (answer.code, answer.error["code"]) == (2, "config"), words
        assert "gateway.timeout" in answer.error["message"]


@pytest.mark.parametrize("text", ["[ui]\nread_only = 'perhaps'\n", "[ui]\nreadonly = true\n"])
def test_what_may_have_been_meant_as_read_only_is(run: Program, tmp_path: Path, text: str) -> None:
    configure(tmp_path, text)

    assert said(run.json("agents")).endswith("; its other keys hold, and every action is refused")
    answer = run("checkpoint", "--force")
    assert answer.code == 1
    assert "checkpoint was refused: memconsole runs read-only" in answer.err


def test_a_variable_that_is_unknown_is_told(run: Program) -> None:
    odd = Program({**run.environment, "MEMCONSOLE_TIDES__RAIN": "1"})
    near = Program({**run.environment, "MEMCONSOLE_READONLY": "1"})
    where = Program({**run.environment, "MEMCONSOLE_HOEM": "/x"})

    assert said(odd.json("agents")).endswith("environment variable; it changes nothing")
    assert "every action is refused" in said(near.json("agents"))
    assert where.json("agents").code == 2


def test_an_agents_own_table_stops_that_agent_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[agents.work.rotation]\nthreshold_tokens = "x"\n[observer]\nmin_lines = 3\n')

    found = load({"HOME": str(tmp_path)}, file=file)

    assert found.for_agent("main").rotation.threshold_tokens == 150_000
    assert found.for_agent("work").observer.min_lines == 3
    with pytest.raises(ConfigError, match=r"agents\.work\.rotation\.threshold_tokens must be"):
        _ = found.for_agent("work").rotation.threshold_tokens
    assert all(job.runs_under(found) for job in TABLE if job.id in ("rotation", "observer"))


def test_a_wrong_section_is_wrong_for_agents_that_differ_in_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[observer]\nmin_lines = 0\n[agents.work.observer]\nmax_items = 3\n")

    found = load({"HOME": str(tmp_path)}, file=file)

    with pytest.raises(ConfigError, match="observer"):
        _ = found.for_agent("work").observer.max_items


@pytest.mark.parametrize(
    "text",
    [
        "[rotation]\nbogus = 1\n",
        "[agents.main.rotation]\nbogus = 1\n",
        "[compaction]\nbogus = 1\n[redact]\nbogus = 1\n",
        "[config]\nbogus = 1\n[agents]\nbogus = 1\n",
        "[agents.main.rotatoin]\nbogus = 1\n",
        "".join(f"[{one}]\nbogus = 1\n" for one in SECTIONS),
        "".join(f"[agents.main.{one}]\nbogus = 1\n" for one in SECTIONS),
    ],
)
def test_who_only_looks_is_never_stopped_by_a_wrong_key(
    run: Program, tmp_path: Path, text: str
) -> None:
    told = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    told.mkdir(parents=True)
    entry = '{"agent:main:main": {"sessionId": "s1", "updatedAt": 1, "totalTokens": 5}}'
    (told / "sessions.json").write_text(entry)
    (told / "s1.jsonl").write_text('{"type": "session", "id": "s1"}\n')
    configure(tmp_path, text)

    sessions = run.json("sessions")
    codes = {" ".join(one): run.json(*one).code for one in LOOKING}
    assert codes == dict.fromkeys(codes, 0)
    health = {row["id"]: row for row in run.json("health").data["checks"]}

    assert sessions.code == 0
    assert "settings-wrong" in sessions.warning_codes()
    assert "settings-wrong" in [row["id"] for row in run.json("config", "check").data]
    assert (health["state"]["status"], health["state"]["value"]) == ("warning", "settings-wrong")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[rotation]\nbogus = 1\n", "rotate --dry-run"),
        ("[agents.main.rotation]\nbogus = 1\n", "rotate agent:main:main --dry-run --threshold 5"),
        ("[config]\nbogus = 1\n", "config fix"),
        ("[redact]\nbogus = 1\n", "config show"),
    ],
)
def test_who_works_by_a_wrong_section_is_refused(
    run: Program, tmp_path: Path, text: str, words: str
) -> None:
    told = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    told.mkdir(parents=True)
    entry = '{"agent:main:main": {"sessionId": "s1", "updatedAt": 1, "totalTokens": 5}}'
    (told / "sessions.json").write_text(entry)
    configure(tmp_path, text)

    answer = run(*words.split())

    assert answer.code == 2
    assert "bogus" in answer.err


@pytest.mark.parametrize(
    ("text", "environ"),
    [
        ("[redact]\nenabled = false\nbogus = 1\n", {}),
        ("[redact]\nbogus = 1\n", {"MEMCONSOLE_REDACT__ENABLED": "false"}),
        ("[redact]\nenabled = false\n", {"MEMCONSOLE_REDACT__ENABLED": "perhaps"}),
    ],
)
def test_secrets_stay_masked_where_the_words_about_it_are_wrong(
    tmp_path: Path, text: str, environ: dict[str, str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)

    found = load({"HOME": str(tmp_path), **environ}, file=file)

    assert found.redact is True
    [notice] = fault_notices(found)
    assert notice.message.endswith("; secrets are masked")


def test_a_time_zone_that_names_none_is_found(run: Program) -> None:
    there = Program({**run.environment, "TZ": "Mars/Olympus"})

    [finding] = [row for row in there.json("config", "check").data if "zone" in row["id"]]

    assert (finding["id"], finding["severity"]) == ("time-zone-unknown", "warning")
    assert "TZ names no zone, UTC is used: 'Mars/Olympus'" in finding["why"]


def test_a_session_starts_with_its_memory_though_recovery_is_set_wrong(
    run: Program, tmp_path: Path
) -> None:
    (tmp_path / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    configure(tmp_path, "[recovery]\nbogus = 1\n")

    assert run.json("bootstrap", "--session-key", "agent:main:main").code == 0


def test_a_wrong_section_stops_no_neighbour_that_it_is_only_a_detail_of(
    run: Program, tmp_path: Path
) -> None:
    """A start is given its memory, and a note is read and found, by the usual values."""
    workspace = tmp_path / ".openclaw" / "workspace"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Memory\n\n- The port is 8443\n")
    (tmp_path / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    calls = {
        "health": ("alerts", "list"),
        "search": ("get", "MEMORY.md"),
        "consolidate": ("search", "port", "--min-score", "0"),
        "index_md": ("bootstrap",),
        "bootstrap": ("bootstrap",),
    }
    assert run("reindex").code == 0
    configure(tmp_path, "")
    file = tmp_path / ".config" / "memconsole" / "config.toml"
    for section, words in calls.items():
        file.write_text(f"[{section}]\nbogus = 1\n")
        answer = run.json(*words)
        assert answer.code == 0, (section, answer)
    file.write_text("[search]\nbogus = 1\n")
    missing = run.json("get", "notes/other.md")

    assert "8443" in run.json("get", "MEMORY.md").data["text"]
    assert run.json("status").data["index"] == {"waiting": None, "changed": None}
    assert (missing.code, missing.error["code"]) == (2, "config")  # it may lie in an extra path


def test_a_start_is_given_no_table_of_folders_that_a_wrong_section_may_leave_out(
    run: Program, tmp_path: Path
) -> None:
    private = tmp_path / ".openclaw" / "workspace" / "memory" / "private"
    private.mkdir(parents=True)
    (private / "quokka.md").write_text("# Quokka\n\n" + "- a word of it\n" * 5000)
    (tmp_path / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    configure(tmp_path, '[index_md]\nexclude = ["private"]\nbogus = 1\n')

    given = run.json("bootstrap", "--session-key", "agent:main:main").data

    assert "MEMORY_INDEX.md" in str(given)
    assert "quokka" not in str(given).casefold()
