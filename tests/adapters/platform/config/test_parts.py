"""The platform's configuration in parts: `$include` and `${NAME}`, by the platform's rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.platform.config.parts import ConfigPartError, WholeConfig, read_whole
from memconsole.adapters.platform.config.read import read_config
from memconsole.adapters.platform.gateway_address import find_place
from memconsole.adapters.platform.home import find_home

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.platform.config.read import ConfigReading


def write(folder: Path, **files: object) -> Path:
    """Write files by name, `openclaw` for the main one, and return its path."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return folder / "openclaw.json"


def whole(path: Path, environ: dict[str, str] | None = None) -> WholeConfig:
    return read_whole(path, environ or {}, path.parent, "")


def test_parts_are_merged_and_what_stands_beside_them_wins(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        openclaw={
            "$include": ["./one.json", "sub/two.json"],
            "gateway": {"port": 3},
            "rows": [3],
            "inner": [{"$include": "one.json"}],
        },
        one={"gateway": {"port": 1, "mode": "local"}, "rows": [1]},
        sub__two={
            "gateway": {"port": 2, "bind": "lan"},
            "rows": [2],
            "deep": {"$include": "x.json"},
        },
        sub__x=[7],
    )

    assert whole(path).root == {
        "gateway": {"port": 3, "mode": "local", "bind": "lan"},
        "rows": [1, 2, 3],
        "deep": [7],
        "inner": [{"gateway": {"port": 1, "mode": "local"}, "rows": [1]}],
    }


BROKEN: dict[str, tuple[object, str]] = {
    "missing": ({"$include": "gone.json"}, "its part gone.json cannot be read: No such file"),
    "circular": ({"$include": "loop.json"}, "its part openclaw.json includes itself"),
    "outside": ({"$include": "../else.json"}, "its part ../else.json lies outside of "),
    "linked": ({"$include": "link.json"}, "its part link.json lies outside of "),
    "a number": ({"a": {"$include": 7}}, "a.$include is neither a file's name nor a list"),
    "no object": ({"a": {"$include": "list.json", "b": 1}}, "a.$include names a part that is no"),
    "broken": ({"$include": "broken.json"}, "its part broken.json cannot be read: not JSON5 at"),
    "deep": ({"$include": "deep0.json"}, "its part deep10.json is nested more than 10 parts deep"),
    "wide": ({"$include": "wide0.json"}, "it has more than 500 parts"),
    "odd name": ({"$include": "a\0b"}, "its part a"),
    "a list": ([{"$include": "list.json"}], "it holds no object"),
}


@pytest.mark.parametrize(("main", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_part_that_cannot_be_used_is_named(tmp_path: Path, main: object, reason: str) -> None:
    home = tmp_path / "home"
    chain = {f"deep{n}": {"$include": f"deep{n + 1}.json"} for n in range(11)}
    fan = {f"wide{n}": {"$include": [f"wide{n + 1}.json"] * 9} for n in range(8)}
    path = write(
        home, openclaw=main, loop={"$include": "openclaw.json"}, list=[1], wide8={}, **chain, **fan
    )
    (home / "broken.json").write_text('{"token": "EXAMPLE-not-real" oops', encoding="utf-8")
    (tmp_path / "else.json").write_text("{}", encoding="utf-8")
    (home / "link.json").symlink_to(tmp_path / "else.json")

    with pytest.raises(ConfigPartError) as caught:
        whole(path)

    assert reason in str(caught.value)
    assert "EXAMPLE" not in str(caught.value)


def test_ten_parts_deep_is_allowed(tmp_path: Path) -> None:
    chain = {f"deep{n}": {"$include": f"deep{n + 1}.json"} for n in range(1, 10)}
    path = write(tmp_path, openclaw={"$include": "deep1.json"}, deep10={"a": 1}, **chain)

    assert whole(path).root == {"a": 1}


def test_a_tree_without_end_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "openclaw.json").write_text('{"a":"$","b":' + "[" * 900 + "]" * 900 + "}")

    with pytest.raises(ConfigPartError, match="nested too deeply"):
        whole(tmp_path / "openclaw.json")


def test_a_variable_is_looked_for_in_three_places(tmp_path: Path) -> None:
    texts = ["${A}/x", "${B}", "${C}", "${D}", "${E}", "$${A}", "${a} ${ A} $A", "${F}${G}"]
    env = {"vars": {"A": "third", "B": "two", "G": "${A}"}, "C": "three", "D": "", "n": 4}
    path = write(tmp_path, openclaw={"env": env, "texts": texts})
    (tmp_path / ".env").write_text(
        "# secrets\nexport D='four'\nB=late\nE=five # said\nF=\nX", encoding="utf-8"
    )

    found = whole(path, {"A": "first", "B": ""})

    assert found.root["texts"] == [
        "first/x",
        "two",
        "three",
        "four",
        "five",
        "${A}",
        "${a} ${ A} $A",
        "${F}${G}",
    ]
    assert found.unset == {("texts", 7): "F"}


def reading(home: Path, environ: dict[str, str] | None = None) -> ConfigReading:
    return read_config(find_home(home, {}, home.parent), environ or {})


def test_a_variable_that_is_set_nowhere_is_named_where_it_matters(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    agents = {
        "defaults": {"workspace": "${WS}"},
        "list": [{"id": "a", "workspace": "${ROOT}/a"}, {"id": "b", "agentDir": "${DIR}"}],
    }
    models = {"providers": {"p": {"apiKey": "${KEY}"}}}
    session = {"store": "${STORE}/x.json"}
    write(home, openclaw={"agents": agents, "models": models, "session": session})

    found = reading(home)

    messages = [notice.message.partition(" of ")[0] for notice in found.notices]
    assert messages == [
        "WS is not set: agents.defaults.workspace",
        "DIR is not set: agents.list[1].agentDir",
        "STORE is not set: session.store",
    ]
    assert {notice.code for notice in found.notices} == {"config-unreadable"}
    assert (found.default_unset, found.store) == ("WS", None)
    assert [(agent.unset, agent.agent_dir) for agent in found.agents] == [
        ("ROOT", None),
        (None, None),
    ]
    assert reading(home, {"WS": "/w", "DIR": "/d", "STORE": "/s", "ROOT": "/r"}).notices == ()


def test_a_name_whose_variable_is_set_nowhere_is_unknown_and_told(tmp_path: Path) -> None:
    entries = {"a": {"name": "${WHO}", "workspace": "/w"}, "b": {"identity": {"name": "${I}"}}}
    write(tmp_path / ".openclaw", openclaw={"agents": {"entries": entries}})

    found = reading(tmp_path / ".openclaw")

    assert [notice.message.partition(" of ")[0] for notice in found.notices] == [
        "WHO is not set: agents.entries.a.name",
        "I is not set: agents.entries.b.identity.name",
    ]
    assert found.agents[0].name is None
    assert [one.name for one in reading(tmp_path / ".openclaw", {"WHO": "A", "I": "B"}).agents] == [
        "A",
        "B",
    ]


@pytest.mark.parametrize(
    ("main", "sentence"),
    [
        ({"agents": {"$include": "list.json"}}, "agents is no object"),
        ({"agents": {"defaults": {"$include": "list.json"}}}, "agents.defaults is no object"),
        ({"agents": {"entries": {"$include": "list.json"}}}, "agents.entries is no object"),
        (
            {"agents": {"entries": {"a": {"$include": "list.json"}}}},
            "agents.entries.a is no object",
        ),
        ({"agents": {"list": {"id": "a"}}}, "agents.list is no list"),
    ],
)
def test_a_list_where_the_roster_needs_an_object_leaves_every_workspace_unknown(
    main: object, sentence: str, tmp_path: Path
) -> None:
    path = write(tmp_path / ".openclaw", openclaw=main, list=[{"id": "a"}])

    found = reading(tmp_path / ".openclaw")

    assert (found.is_readable, found.agents) == (False, ())
    [notice] = found.notices
    assert notice.code == "config-unreadable"
    assert notice.message == f"the platform configuration {path} cannot be read: {sentence}"


def test_another_section_that_is_a_list_is_told_and_counts_as_missing(tmp_path: Path) -> None:
    parts = {key: {"$include": "list.json"} for key in ("session", "gateway", "models")}
    path = write(tmp_path / ".openclaw", openclaw={"agents": {}, **parts}, list=[1])

    found = reading(tmp_path / ".openclaw")

    assert (found.is_readable, found.config.session_scope) == (True, "per-sender")
    assert [one.message for one in found.notices] == [
        f"{key} of {path} is no object and counts as missing"
        for key in ("session", "gateway", "models")
    ]


def test_the_home_of_a_moved_configuration_is_the_folder_it_lies_in(tmp_path: Path) -> None:
    home = tmp_path / "moved" / ".openclaw"
    write(home, openclaw={"agents": {"list": [{"id": "a", "workspace": "${HOME}/ws"}]}})

    [agent] = reading(home, {"HOME": "/root"}).agents

    assert agent.workspace == str(tmp_path / "moved" / "ws")


def test_the_gateway_is_found_through_parts_and_variables(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        openclaw={"gateway": {"$include": "gateway.json"}, "env": {"GW": "EXAMPLE-not-real"}},
        gateway={"port": 19_005, "auth": {"token": "${GW}"}},
    )

    place = find_place(path, {})

    assert (place.url, place.token) == ("ws://127.0.0.1:19005", "EXAMPLE-not-real")
    assert "EXAMPLE" not in repr(place)
