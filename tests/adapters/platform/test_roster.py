"""Which agents a home has and where their files are; it is long as rosters fail in many ways."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.platform.disk import DiskPlatform
from memconsole.adapters.platform.home import find_home
from memconsole.adapters.sqlite.private_copy import PrivateCopies

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent, Home, Notice
    from tests.conftest import PreparedCase

AT = datetime(2026, 4, 12, 9, tzinfo=UTC)


class Place:
    """A home in the making."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.is_option = False
        state.mkdir(parents=True)

    def configure(self, config: object, name: str = "openclaw.json") -> None:
        source = config if isinstance(config, str) else json.dumps(config)
        (self.state / name).write_text(source, encoding="utf-8")

    def roster(self, *agents: dict[str, object], **defaults: object) -> None:
        self.configure({"agents": {"defaults": defaults, "list": list(agents)}})

    def add(self, *folders: str) -> None:
        for folder in folders:
            (self.state / folder).mkdir(parents=True)

    def read(self, user_home: Path | None = None) -> Home:
        explicit = self.state if self.is_option else None
        choice = find_home(explicit, {}, user_home or self.state.parent)
        return DiskPlatform(choice, environ={}, now=lambda: AT, copies=PrivateCopies()).read()

    def agent(self, agent_id: str) -> Agent:
        [found] = [agent for agent in self.read().agents if agent.id == agent_id]
        return found


@pytest.fixture
def place(user_home: Path) -> Place:
    """An empty OpenClaw state folder in the usual place."""
    return Place(user_home / ".openclaw")


def codes(notices: tuple[Notice, ...]) -> list[str]:
    return [notice.code for notice in notices]


def test_an_empty_home_has_no_agents(place: Place) -> None:
    home = place.read()

    assert (home.agents, home.notices, home.read_at) == ((), (), AT)


def test_a_configuration_without_a_roster_has_main(place: Place) -> None:
    place.configure({})

    [main] = place.read().agents

    assert (main.id, main.is_configured, main.workspace_exists) == ("main", True, False)
    assert main.workspace == place.state / "workspace"
    assert codes(main.problems) == ["workspace-missing"]


def test_without_a_configuration_agents_come_from_the_disk(place: Place) -> None:
    place.add("agents/main/sessions", "agents/work/sessions")

    main, work = place.read().agents

    assert (main.id, main.is_configured, work.id, work.is_configured) == (
        "main",
        True,
        "work",
        False,
    )
    assert codes(work.problems) == []


def test_with_a_broken_configuration_too_and_nobody_is_called_a_stranger(place: Place) -> None:
    place.configure("{agents: {list: [")
    place.add("agents/main/sessions", "agents/work/sessions")

    home = place.read()

    assert [agent.id for agent in home.agents] == ["main", "work"]
    assert codes(home.notices) == ["config-unreadable"]
    assert codes(home.agents[1].problems) == []


def test_configured_agents_come_first_in_their_order(place: Place) -> None:
    place.roster({"id": "zoe", "name": "Zoe"}, {"id": "main"})
    place.add("agents/main/sessions", "agents/bob/agent", "agents/ann/sessions")

    home = place.read()

    assert [agent.id for agent in home.agents] == ["zoe", "main", "ann", "bob"]
    assert [agent.is_configured for agent in home.agents] == [True, True, False, False]
    assert home.agents[0].name == "Zoe"
    [notice] = home.agents[2].problems
    assert (notice.code, notice.agent) == ("agent-unconfigured", "ann")
    assert notice.path == str(place.state / "agents" / "ann")


def test_agents_know_what_the_configuration_calls_their_sessions(place: Place) -> None:
    place.configure({"session": {"mainKey": "home", "scope": "global"}})

    [main] = place.read().agents

    assert (main.main_key, main.session_scope) == ("home", "global")


def test_what_under_agents_is_nobody(place: Place) -> None:
    place.configure({})
    place.add("agents/.trash/sessions", "agents/node_modules/agent", "agents/vendor/lib")
    (place.state / "agents" / "README.md").write_text("sessions")

    assert [agent.id for agent in place.read().agents] == ["main"]


def test_ids_are_compared_lower_cased_and_a_collision_is_said_once(place: Place) -> None:
    place.roster(
        {"id": "Ops", "workspace": "~/one"},
        {"id": "ops", "workspace": "~/two"},
        {"id": "main"},
        {"id": "main"},
    )
    place.add("agents/OPS/sessions")

    home = place.read()

    assert [agent.id for agent in home.agents] == ["ops", "main"]
    assert home.agents[0].workspace == place.state.parent / "one"
    assert home.agents[0].folder == place.state / "agents" / "OPS"
    assert [notice.message for notice in home.notices] == [
        "Ops and ops are the same id; the first in the configuration counts",
        "main is configured twice; the first in the configuration counts",
    ]
    assert codes(home.notices) == ["agent-collision", "agent-collision"]


def test_an_empty_twin_folder_is_nothing(place: Place) -> None:
    place.roster({"id": "research"})
    place.add("agents/Research/agent", "agents/research/sessions")

    home = place.read()

    [agent] = home.agents
    assert agent.folder.name == "research"
    assert home.notices == ()


def test_a_twin_folder_with_content_is_said(place: Place) -> None:
    place.roster({"id": "research"})
    place.add("agents/Research/sessions", "agents/research/sessions")
    (place.state / "agents" / "Research" / "sessions" / "x.jsonl").write_text("")

    [notice] = place.read().notices

    assert notice.code == "agent-collision"
    assert "Research is not read" in notice.message


def test_of_two_oddly_spelled_folders_the_one_with_content_is_read(place: Place) -> None:
    place.add("agents/OPS/sessions", "agents/Ops/sessions")
    (place.state / "agents" / "Ops" / "sessions" / "x.jsonl").write_text("")

    assert place.agent("ops").folder.name == "Ops"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("My Agent", "my-agent"),
        (" Ops ", "ops"),
        ("агент", "агент"),
        ("a.b", "a-b"),
        ("-", "-"),
        ("..", "-"),
        ("/", "-"),
        ("я/ы", "я-ы"),
    ],
)
def test_ids_as_the_platform_spells_them_but_never_main(
    place: Place, written: str, expected: str
) -> None:
    place.roster({"id": written})

    assert [agent.id for agent in place.read().agents] == [expected]


def test_a_folder_name_that_is_no_text_is_an_agent_all_the_same(place: Place) -> None:
    place.configure({})
    folder = Path(str(place.state / "agents") + "/odd\udcff\x1b[2J")
    (folder / "sessions").mkdir(parents=True)

    odd = place.read().agents[1]

    assert odd.id == "odd\ufffd\x1b[2j"
    assert odd.folder == folder
    assert "\x1b" not in odd.problems[0].message


def test_workspaces_of_openclaw(place: Place) -> None:
    place.roster({"id": "main"}, {"id": "work"}, {"id": "own", "workspace": "~/ws//own/"})

    found = {agent.id: agent.workspace for agent in place.read().agents}

    assert found == {
        "main": place.state / "workspace",
        "work": place.state / "workspace-work",
        "own": place.state.parent / "ws" / "own",
    }


@pytest.mark.parametrize(
    ("folder", "config"),
    [(".clawdbot", "clawdbot.json"), (".clawdbot", None), (".x", "moltbot.json")],
)
def test_workspaces_of_clawdbot(user_home: Path, folder: str, config: str | None) -> None:
    place = Place(user_home / folder)
    place.is_option = True
    if config is not None:
        place.configure({"agents": {"list": [{"id": "main"}, {"id": "work"}]}}, config)
    place.add("agents/main/sessions", "agents/work/sessions")

    found = {agent.id: agent.workspace for agent in place.read().agents}

    assert found == {"main": user_home / "clawd", "work": user_home / "clawd-work"}


def test_a_configuration_of_the_new_name_in_an_old_folder_is_of_the_new_kind(
    user_home: Path,
) -> None:
    place = Place(user_home / ".clawdbot")
    place.configure({})

    assert place.agent("main").workspace == place.state / "workspace"


def test_the_default_workspace_is_for_main(place: Place) -> None:
    place.roster({"id": "work"}, {"id": "main"}, workspace="~/base")

    assert place.agent("main").workspace == place.state.parent / "base"
    assert place.agent("work").workspace == place.state / "workspace-work"


def test_newer_releases_put_the_others_below_it(place: Place) -> None:
    place.roster({"id": "main"}, {"id": "work"}, workspace="~/base")
    (place.state.parent / "base" / "work").mkdir(parents=True)

    assert place.agent("work").workspace == place.state.parent / "base" / "work"
    place.add("workspace-work")
    assert place.agent("work").workspace == place.state / "workspace-work"


@pytest.mark.parametrize(
    ("roster", "default"),
    [
        ([{"id": "a"}, {"id": "b", "default": True}], "b"),
        ([{"id": "a"}, {"id": "b"}], "a"),
        ([{"id": "main"}, {"id": "b", "default": True}], "b"),
    ],
)
def test_without_main_the_default_agent_gets_it(
    place: Place, roster: list[dict[str, object]], default: str
) -> None:
    place.roster(*roster, workspace="~/base")

    assert place.agent(default).workspace == place.state.parent / "base"


def test_one_real_workspace_is_spelled_once_and_said(place: Place) -> None:
    base = place.state.parent
    (base / "ws").mkdir()
    (base / "link").symlink_to(base / "ws")
    place.roster(
        {"id": "main", "workspace": "~/link"},
        {"id": "work", "workspace": "~/ws"},
        {"id": "solo", "workspace": "~/solo"},
    )

    main, work, solo = place.read().agents

    assert main.workspace == work.workspace == base / "link"
    assert main.problems == work.problems
    [notice] = main.problems
    assert notice.code == "workspace-shared"
    assert notice.message == f"agents main and work share the workspace {base / 'link'}"
    assert codes(solo.problems) == ["workspace-missing"]


def test_a_moved_home_takes_tilde_with_it(tmp_path: Path, user_home: Path) -> None:
    place = Place(tmp_path / "mount" / "op" / ".openclaw")
    place.is_option = True
    place.roster({"id": "main", "workspace": "~/ws"})
    (tmp_path / "mount" / "op" / "ws").mkdir()
    (user_home / "ws").mkdir()

    [main] = place.read(user_home).agents

    assert main.workspace == tmp_path / "mount" / "op" / "ws"
    assert main.problems == ()


MOVED = {
    "in the home": ("/home/op/.openclaw/workspace", "state/workspace"),
    "beside the home": ("/home/op/ws-main", "ws-main"),
    "deep": ("/srv/data/team/ws", "state/team/ws"),
    "longest tail first": ("/srv/data/a/ws", "a/ws"),
    "a drive": (r"C:\Users\op\.openclaw\workspace", "state/workspace"),
    "a drive with slashes": ("d:/team/a/ws", "a/ws"),
    "a share": (r"\\server\share\op\ws-main", "ws-main"),
    "the home of Windows": (r"~\ws-main", "ws-main"),
}


@pytest.mark.parametrize(("named", "found"), MOVED.values(), ids=MOVED.keys())
def test_an_absolute_path_of_elsewhere_is_found_by_its_tail(
    tmp_path: Path, user_home: Path, named: str, found: str
) -> None:
    place = Place(tmp_path / "copy" / "state")
    place.is_option = True
    place.roster({"id": "main", "workspace": named})
    for folder in (found, "state/ws"):
        (tmp_path / "copy" / folder).mkdir(parents=True)

    [main] = place.read(user_home).agents

    assert main.workspace == tmp_path / "copy" / found
    [notice] = main.problems
    assert (notice.code, notice.path) == ("path-mapped", str(tmp_path / "copy" / found))
    shown = named.replace("/", "\\") if named[1] == ":" else named
    assert notice.message.startswith(f"{shown} does not exist here")


def test_a_path_of_windows_is_never_a_relative_one(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = r"C:\Users\op\ws"
    place.roster({"id": "main", "workspace": named, "agentDir": r"C:\dbs"})
    (tmp_path / named).mkdir()
    (place.state.parent / named).mkdir()
    monkeypatch.chdir(tmp_path)

    main = place.agent("main")

    assert not main.workspace_exists
    assert main.workspace.is_absolute()
    assert codes(main.problems) == ["workspace-missing"]
    assert f"workspace {named} of agent" in main.problems[0].message
    assert main.workspace_shown == named


def test_an_unset_variable_is_no_place(place: Place) -> None:
    place.roster(
        {"id": "main"},
        {"id": "other"},
        {"id": "own", "workspace": "${ROOT}/ws"},
        workspace="${NOTES}",
    )
    place.add("workspace", "workspace-main", "workspace-other")
    (place.state.parent / "${NOTES}").mkdir()

    main, other, own = place.read().agents

    assert (main.workspace_exists, main.workspace_doubt) == (False, "NOTES is not set")
    assert (own.workspace_exists, own.workspace_doubt) == (False, "ROOT is not set")
    assert (other.workspace, other.workspace_doubt) == (place.state / "workspace-other", "")
    assert codes(own.problems) == ["workspace-missing"]


def test_nothing_is_created_where_nothing_is_found(tmp_path: Path, user_home: Path) -> None:
    place = Place(tmp_path / "copy" / ".openclaw")
    place.is_option = True
    place.roster({"id": "main", "workspace": "/not/here/ws"})
    before = sorted(tmp_path.rglob("*"))

    [main] = place.read(user_home).agents

    assert main.workspace == Path("/not/here/ws")
    assert codes(main.problems) == ["workspace-missing"]
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "named", ["/data/research/workspace", "/data/research/memory", "/data/state"]
)
def test_no_agent_is_given_what_is_not_its_own(tmp_path: Path, user_home: Path, named: str) -> None:
    place = Place(tmp_path / "copy" / ".openclaw")
    place.is_option = True
    place.roster({"id": "main"}, {"id": "research", "workspace": named})
    place.add("workspace", "memory", "state")

    research = place.read(user_home).agents[1]

    assert research.workspace == Path(named)
    assert not research.workspace_exists


def test_two_agents_of_one_moved_workspace_keep_sharing_it(tmp_path: Path, user_home: Path) -> None:
    place = Place(tmp_path / "copy" / "state")
    place.is_option = True
    shared = "/home/op/.openclaw/workspace"
    place.roster({"id": "main", "workspace": shared}, {"id": "work", "workspace": shared})
    place.add("workspace")

    main, work = place.read(user_home).agents

    assert main.workspace == work.workspace == place.state / "workspace"
    assert codes(work.problems) == ["path-mapped", "workspace-shared"]


def test_home_as_a_variable_and_relative_paths_begin_at_tilde(place: Place) -> None:
    base = place.state.parent
    place.roster(
        {"id": "a", "workspace": "${HOME}/x"},
        {"id": "b", "workspace": "y"},
        {"id": "c", "workspace": "~"},
        {"id": "d", "workspace": "~other/z"},
    )

    found = [agent.workspace for agent in place.read().agents]

    assert found == [base / "x", base / "y", base, base / "~other" / "z"]


def test_store_and_database_may_be_elsewhere(place: Place) -> None:
    base = place.state.parent
    (base / "data" / "main").mkdir(parents=True)
    place.configure(
        {
            "session": {"store": "~/data/{agentId}/sessions.json"},
            "agents": {"list": [{"id": "main", "agentDir": "~/dbs"}, {"id": "work"}]},
        }
    )

    main, work = place.read().agents

    assert main.store_file == base / "data" / "main" / "sessions.json"
    assert main.sessions_dir == place.state / "agents" / "main" / "sessions"
    assert main.database == base / "dbs" / "openclaw-agent.sqlite"
    assert work.store_file == base / "data" / "work" / "sessions.json"
    assert work.database == place.state / "agents" / "work" / "agent" / "openclaw-agent.sqlite"
    assert (main.store_agents, work.store_agents) == ((), ())


def test_agents_of_one_store_know_of_each_other(place: Place) -> None:
    place.configure(
        {"session": {"store": "~/all.json"}, "agents": {"list": [{"id": "main"}, {"id": "b"}]}}
    )

    main, other = place.read().agents

    assert main.store_file == other.store_file == place.state.parent / "all.json"
    assert main.store_agents == other.store_agents == ("main", "b")


@pytest.mark.shared
@pytest.mark.parametrize("config", ["openclaw.json", "openclaw.entries.json5"])
def test_case_c11(prepared_case: PreparedCase, config: str) -> None:
    dest, env = prepared_case("c11-agents-and-json5")
    state = dest / "home" / ".openclaw"
    if config != "openclaw.json":
        (dest / config).replace(state / "openclaw.json")
    expected = json.loads((dest / "expect.json").read_text())["checks"][0]["expect"]

    choice = find_home(None, {}, Path(env["HOME"]))
    home = DiskPlatform(choice, environ={}, now=lambda: AT, copies=PrivateCopies()).read()

    configured = [agent.id for agent in home.agents if agent.is_configured]
    others = [agent.id for agent in home.agents if not agent.is_configured]
    assert configured == expected["agents"]
    assert others == expected["on_disk_but_not_configured"]
    assert [notice.message.partition(";")[0] for notice in home.notices] == expected["warnings"]
    by_id = {agent.id: agent for agent in home.agents}
    assert by_id["ops"].workspace == dest / "home" / "ws-ops"
    assert by_id["research"].workspace == dest / "home" / "ws" / "research"
    assert by_id["research"].folder.name == "research"
    assert by_id["агент"].workspace != by_id["main"].workspace
    assert "example-token" not in repr(home)


@pytest.mark.parametrize("agents", ['"x"', "[1]", "7"])
def test_a_workspace_that_is_only_guessed_is_not_named(place: Place, agents: str) -> None:
    place.configure(f'{{"agents": {agents}}}')
    place.add("agents/main/sessions")

    main = place.agent("main")

    [notice] = [one for one in main.problems if one.code == "workspace-missing"]
    assert notice.path is None
    assert str(main.workspace) not in notice.message
    assert "is not known: the platform configuration cannot be read" in notice.message
    assert str(main.workspace) not in main.workspace_trouble
    assert main.is_configured is None
