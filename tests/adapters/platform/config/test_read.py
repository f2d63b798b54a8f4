"""The platform's configuration: JSON5, tolerant, and never a secret kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.adapters.platform.config.json5_file import (
    MAX_BYTES,
    ConfigSyntaxError,
    decode_json5,
    integer,
    mapping,
    sequence,
    text,
)
from memconsole.adapters.platform.config.read import (
    AgentEntry,
    ConfigReading,
    checked_part,
    read_config,
)
from memconsole.adapters.platform.home import HomeChoice, find_home
from memconsole.domain.agents import PlatformConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import FixtureHome


@pytest.fixture
def home(user_home: Path) -> Path:
    """An empty state folder."""
    folder = user_home / ".openclaw"
    folder.mkdir()
    return folder


def read(home: Path, source: object, name: str = "openclaw.json") -> ConfigReading:
    content = source if isinstance(source, str) else json.dumps(source)
    (home / name).write_text(content, encoding="utf-8")
    return read_config(find_home(None, {}, home.parent), {})


def test_no_configuration_is_no_fault(home: Path) -> None:
    reading = read_config(find_home(None, {}, home.parent), {})

    assert reading == ConfigReading(PlatformConfig())


def test_everything_that_is_used(home: Path) -> None:
    reading = read(
        home,
        """
        { // JSON5
          meta: { lastTouchedVersion: '2026.9.6', },
          gateway: { port: 19789, auth: { token: 'example-token-not-real' } },
          session: { mainKey: ' Home ', scope: ' Global ', store: '~/sessions/{agentId}.json' },
          models: { providers: {
            a: { apiKey: 'example-token-not-real', models: [
              { id: 'big', contextWindow: 200000 }, { id: 'odd', contextWindow: 8000 },
              { id: 'none' }, 'x' ] },
            b: { models: [
              { id: 'odd', contextWindow: 16000 }, { id: 'big', contextWindow: 2e5 }, ] },
          } },
          agents: { defaults: {
            userTimezone: 'Asia/Kathmandu', workspace: '~/ws', model: { primary: 'a/big' },
            bootstrapMaxChars: 5000, bootstrapTotalMaxChars: 9000,
            compaction: { reserveTokens: 30000, reserveTokensFloor: 1000 },
          } },
        }
        """,
    )

    assert reading.config == PlatformConfig(
        path=home / "openclaw.json",
        user_timezone="Asia/Kathmandu",
        windows={
            "a/big": 200_000,
            "a/odd": 8000,
            "b/odd": 16_000,
            "b/big": 200_000,
            "big": 200_000,
        },
        default_model="a/big",
        main_key="home",
        session_scope="global",
        reserve_tokens=30_000,
        bootstrap_max_chars=5000,
        bootstrap_total_max_chars=9000,
        gateway_port=19_789,
        last_version="2026.9.6",
    )
    assert reading.store == "~/sessions/{agentId}.json"
    assert reading.default_workspace == "~/ws"
    assert reading.notices == ()
    assert "example-token" not in repr(reading)


@pytest.mark.parametrize(
    ("compaction", "reserve"),
    [({}, 20_000), ({"reserveTokensFloor": 0}, 0), ({"reserveTokens": 25_000}, 25_000)],
)
def test_the_reserve_is_the_larger_of_two(
    home: Path, compaction: dict[str, int], reserve: int
) -> None:
    reading = read(home, {"agents": {"defaults": {"compaction": compaction}}})

    assert reading.config.reserve_tokens == reserve


def test_values_of_a_wrong_type_count_as_not_given(home: Path) -> None:
    reading = read(
        home,
        {
            "agents": {
                "defaults": {"workspace": 7, "model": "plain/model", "bootstrapMaxChars": -1},
            },
            "gateway": {"port": 70_000},
            "session": {"mainKey": 7},
            "models": {"providers": {"a": {"models": [{"id": "m", "contextWindow": True}]}}},
        },
    )

    usual = PlatformConfig(path=home / "openclaw.json", default_model="plain/model")
    assert reading == ConfigReading(usual)


def test_both_forms_of_the_roster(home: Path) -> None:
    reading = read(
        home,
        {
            "agents": {
                "defaults": {"systemAgent": {"agentId": "new"}},
                "entries": {
                    "new": {"identity": {"name": "Newt"}, "agentDir": "~/d"},
                    "bare": None,
                },
                "list": [
                    {"id": " old ", "name": "Old", "workspace": "~/old", "default": True},
                    {"name": "nameless"},
                    "junk",
                ],
            }
        },
    )

    assert reading.agents == (
        AgentEntry("new", name="Newt", agent_dir="~/d", is_default=True),
        AgentEntry("bare"),
        AgentEntry("old", name="Old", workspace="~/old", is_default=True),
    )
    [notice] = reading.notices
    assert notice.code == "config-unreadable"
    assert notice.message.startswith("2 of the agents in ")


BROKEN = {
    "cut": ('{\n "agents": {\n  "list": [', "not JSON5 at line 3"),
    "stray": ("{\n a: 1,,\n}", "not JSON5 at line 2"),
    "empty": ("", "not JSON5 at line 1"),
    "list": ("[]", "it holds no object"),
    "deep": ("{a:" + "[" * 5000, "not JSON5 at line 1"),
}


@pytest.mark.parametrize(("source", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_one_sentence_with_its_line(home: Path, source: str, reason: str) -> None:
    reading = read(home, source)

    assert not reading.is_readable
    assert reading.config == PlatformConfig(path=home / "openclaw.json", is_readable=False)
    [notice] = reading.notices
    assert notice.code == "config-unreadable"
    assert notice.path == str(home / "openclaw.json")
    assert notice.message.endswith(reason)


def test_a_broken_file_shows_no_secret(home: Path) -> None:
    reading = read(home, "{gateway: {auth: {token: 'example-token-not-real'}} oops")

    assert "example-token" not in repr(reading)


@pytest.mark.parametrize(("kind", "reason"), [("pipe", "regular file"), ("folder", "directory")])
def test_something_else_in_the_files_place(home: Path, kind: str, reason: str) -> None:
    if kind == "pipe":
        os.mkfifo(home / "openclaw.json")
    else:
        (home / "openclaw.json").mkdir()

    [notice] = read_config(find_home(None, {}, home.parent), {}).notices

    assert reason in notice.message


def test_a_huge_file_and_a_dangling_link(home: Path) -> None:
    with (home / "openclaw.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    choice = find_home(None, {}, home.parent)
    assert "too large" in read_config(choice, {}).notices[0].message

    (home / "openclaw.json").unlink()
    (home / "openclaw.json").symlink_to("gone.json")
    assert "No such file" in read_config(choice, {}).notices[0].message


def test_names_in_their_order(home: Path) -> None:
    read(home, {"gateway": {"port": 3}}, "clawdbot.json")
    read(home, {"gateway": {"port": 2}}, "moltbot.json")
    assert read(home, {"gateway": {"port": 1}}).config.gateway_port == 1
    (home / "openclaw.json").unlink()
    choice = find_home(None, {}, home.parent)
    assert read_config(choice, {}).config.gateway_port == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_what_editors_write(home: Path, encoding: str) -> None:
    (home / "openclaw.json").write_bytes('{"gateway": {"port": 19000}}'.encode(encoding))

    assert read_config(find_home(None, {}, home.parent), {}).config.gateway_port == 19_000


def test_bytes_that_are_not_utf8_cost_only_themselves(home: Path) -> None:
    (home / "openclaw.json").write_bytes(b'{"agents": {"list": [{"id": "main", "name": "M\xff"}]}}')

    [agent] = read_config(find_home(None, {}, home.parent), {}).agents

    assert agent == AgentEntry("main", name="M\ufffd")


@pytest.mark.parametrize("variable", ["OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH"])
def test_a_variable_names_the_file(home: Path, variable: str) -> None:
    read(home, {"gateway": {"port": 1}})
    (home.parent / "other.json5").write_text("{gateway: {port: 2}}")
    environ = {variable: "~/other.json5"}

    assert read_config(find_home(None, {}, home.parent), environ).config.gateway_port == 2
    # The variable belongs to the usual home, not to one that was named by an option.
    assert read_config(find_home(home, {}, home.parent), environ).config.gateway_port == 1
    (home / "openclaw.json").unlink()
    assert read_config(find_home(home, {}, home.parent), environ).config.gateway_port == 2


def test_a_variable_that_names_nothing_is_said(home: Path) -> None:
    read(home, {"gateway": {"port": 1}})

    reading = read_config(
        find_home(None, {}, home.parent), {"OPENCLAW_CONFIG_PATH": str(home / "gone.json")}
    )

    assert reading.config.gateway_port == 1
    [notice] = reading.notices
    assert (notice.code, notice.path) == ("config-unreadable", str(home / "gone.json"))


def test_a_name_too_long_is_an_unreadable_file(user_home: Path) -> None:
    choice = HomeChoice(user_home, is_explicit=True, user_home=user_home)

    [notice] = read_config(choice, {"OPENCLAW_CONFIG_PATH": "/" + "x" * 300}).notices

    assert notice.message.endswith("File name too long")


@given(st.text())
@example("\ud800")
@example("1" * 5000)
def test_any_text_decodes_or_says_that_it_does_not(source: str) -> None:
    lines: list[int | None] = []

    try:
        decode_json5(source.encode("utf-8", "surrogatepass"))
    except ConfigSyntaxError as error:
        lines.append(error.line)

    assert all(line is not None and 1 <= line <= source.count("\n") + 1 for line in lines)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_plain_json_is_json5(value: object) -> None:
    assert decode_json5(json.dumps(value).encode()) == value


@given(st.none() | st.booleans() | st.floats() | st.text() | st.lists(st.none()))
def test_values_of_any_type_have_a_reading(value: object) -> None:
    number = integer(value)

    assert number is None or number >= 1
    assert text(value) is None or isinstance(value, str)
    assert list(sequence(value)) == (value if isinstance(value, list) else [])
    assert mapping(value) == {}


def test_plain_json_does_not_load_the_json5_reader(home: Path) -> None:
    read(home, {"gateway": {"port": 1}})
    program = (
        "import sys; from pathlib import Path\n"
        "from memconsole.adapters.platform.home import find_home\n"
        "from memconsole.adapters.platform.config.read import read_config\n"
        f"assert read_config(find_home(Path({str(home)!r}), {{}}, Path('/')), {{}}).is_readable\n"
        "print('pyjson5' in sys.modules)"
    )

    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, check=False, text=True)

    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("release", "port", "window"),
    [
        ("clawdbot-2026.1", 18_911, ("stub/stub-2", 32_000)),
        ("openclaw-2026.3", 18_921, ("stub/stub-2", 32_000)),
        ("openclaw-2026.7", 18_931, ("stub-1", 200_000)),
        ("openclaw-2026.9", 19_789, ("stub/stub-large", 200_000)),
    ],
)
def test_the_fixtures(
    fixture_home: FixtureHome, user_home: Path, release: str, port: int, window: tuple[str, int]
) -> None:
    reading = read_config(find_home(fixture_home(release), {}, user_home), {})

    assert reading.is_readable
    assert reading.config.gateway_port == port
    assert reading.config.windows[window[0]] == window[1]
    assert [agent.id for agent in reading.agents] == ["main", "work"]
    assert "fake-" not in repr(reading)


SECRET = "sk-example-not-real-0123456789"


def test_pruning_as_one_word_is_its_mode() -> None:
    """Older notes write `contextPruning: "adaptive"`."""
    root = {"agents": {"defaults": {"contextPruning": "adaptive"}, "list": [{"id": "a"}]}}
    assert checked_part(root) == {
        "agents": {"defaults": {"contextPruning": {"mode": "adaptive"}}, "list": [{"id": "a"}]}
    }


def test_only_named_keys_are_kept() -> None:
    root = {
        "agents": {
            "defaults": {
                "compaction": {"mode": "safeguard", "model": SECRET, "memoryFlush": {"enabled": 1}},
                "memorySearch": {"remote": {"apiKey": SECRET}, "query": {"minScore": 0.2}},
            },
            "list": [{"id": "Main", "env": SECRET, "subagents": {"allowAgents": ["*"]}}, SECRET],
            "entries": {"work": {"identity": {"name": SECRET}}},
        },
        "hooks": {"token": SECRET, "internal": {"entries": {"x": {"enabled": True, "env": 1}}}},
        "bindings": [{"agentId": "work", "match": {"channel": "telegram", "key": SECRET}}],
        "gateway": {"auth": {"token": SECRET}},
        "plugins": {
            "entries": {
                "memory-core": {"config": {"dreaming": {"enabled": True, "model": SECRET}}},
                "other": {"config": {"key": SECRET}},
            }
        },
    }
    assert checked_part(root) == {
        "agents": {
            "defaults": {
                "compaction": {"mode": "safeguard", "memoryFlush": {"enabled": 1}},
                "memorySearch": {"query": {"minScore": 0.2}},
            },
            "list": [{"id": "Main", "subagents": {"allowAgents": ["*"]}}, {}],
            "entries": {"work": {}},
        },
        "hooks": {"internal": {"entries": {"x": {"enabled": True}}}},
        "bindings": [{"agentId": "work", "match": {"channel": "telegram"}}],
        "plugins": {"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["agents", "defaults", "compaction", "list", "id", "session", "hooks"])
            | st.text(),
            inner,
        )
    ),
    max_leaves=30,
)


@given(st.dictionaries(st.text(), JSON))
def test_any_shape_is_taken(root: Mapping[str, object]) -> None:
    kept = checked_part(root)
    assert checked_part(kept) == kept


@pytest.mark.shared
@pytest.mark.parametrize(
    ("fixture", "mode"), [("openclaw-2026.9", "safeguard"), ("openclaw-2026.3", None)]
)
def test_the_fixtures_lose_their_tokens(shared: Path, fixture: str, mode: str | None) -> None:
    home = shared / "fixtures" / fixture / "home" / ".openclaw"
    checked = read_config(find_home(home, {}, Path("/home/operator")), {}).config.checked
    text = json.dumps(checked)
    assert "fake" not in text
    assert ('"mode": "safeguard"' in text) is (mode is not None)
