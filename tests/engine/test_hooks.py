"""The entry for memory as tools in the configuration: written, denied, proven, undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.config_check.finding import ConfigPart
from memconsole.domain.hooks import HOOKS, HookState, server_name
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import UiSettings
from memconsole.engine.engine import Engine
from memconsole.engine.hooks import Removed
from memconsole.errors import PlatformConfigError, ReadOnlyError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent
from tests.doubles.platform_files import PATH

if TYPE_CHECKING:
    from memconsole.domain.hooks import HookStatus
    from memconsole.engine.hooks import HookService

Json = Any
"""What a test reads out of JSON."""

BEFORE = {
    "gateway": {"auth": {"token": "secret-token-of-the-gateway"}},
    "agents": {
        "entries": {
            "main": {},
            "Work": {"tools": {"deny": ["browser"]}},
            "third": {"workspace": "/x"},
        }
    },
}
NAME = "memconsole-main"


def world(config: Json = BEFORE, version: str | None = "2026.9.6") -> World:
    agents = [fake_agent(name) for name in ("main", "work", "third")]
    made = World(*agents, config=PlatformConfig(path=PATH, last_version=version))
    made.config_file.text = json.dumps(config, indent=2)
    return made


def service(made: World, *, is_read_only: bool = False) -> HookService:
    ui = UiSettings(read_only=is_read_only)
    return Engine(made.ports, Settings(state_dir=Path("/state"), ui=ui)).hooks


def now(made: World) -> Json:
    return json.loads(made.config_file.text or "{}")


def only(found: HookService, *, asks: bool = False) -> HookStatus:
    [status] = found.tools(asks=asks)
    return status


def test_an_entry_is_written_after_a_copy_and_denied_to_the_other_agents() -> None:
    made = world()
    text = made.config_file.text

    copy, written = service(made).install_tools("main")

    assert made.config_file.backups == [text]
    assert (copy.path.endswith("config-1.json"), written.path) == (True, str(PATH))
    entry = now(made)["mcp"]["servers"][NAME]
    assert entry["command"] == "/opt/memconsole"
    assert entry["args"] == ["--home", str(HOME), "mcp", "--agent", "main"]
    assert entry["codex"] == {"agents": ["main"]}
    agents = now(made)["agents"]["entries"]
    assert agents["main"] == {}
    assert agents["Work"]["tools"]["deny"] == ["browser", f"{NAME}__*"]
    assert agents["third"]["tools"]["deny"] == [f"{NAME}__*"]
    assert service(made).install_tools("main") == ()


def test_removing_it_leaves_the_configuration_as_it_was() -> None:
    made = world()
    found = service(made)
    found.install_tools("main")
    found.install_tools("work", are_notes_allowed=True)
    assert now(made)["mcp"]["servers"]["memconsole-work"]["args"][-1] == "--allow-notes"

    found.remove_tools("work")
    assert [one.name for one in found.tools()] == [NAME]
    found.remove_tools()

    assert now(made) == BEFORE
    assert list(found.tools()) == []
    assert found.remove_tools() == Removed()


def test_what_switches_a_hook_on_goes_with_it_and_nothing_else() -> None:
    """The platform's own command writes it, by our advice; what says more is somebody's own."""
    ours = {one.name: {"enabled": True} for one in HOOKS}
    kept = {
        "session-memory": {"enabled": True},
        "memory-flush": {"enabled": True, "env": {"A": "b"}},
    }
    made = world({"hooks": {"internal": {"enabled": True, "entries": {**ours, **kept}}}})
    text, found = made.config_file.text, service(made)

    assert found.remove() == Removed()
    assert made.config_file.text == text  # no hook of ours was there: whose they are nobody knows
    found.install()
    planned = found.remove(dry_run=True).wrote
    assert ([one.path for one in planned], made.config_file.text) == ([str(PATH)], text)
    gone, (copy, _), left = found.remove()

    assert (len(gone), left) == (len(HOOKS), ())
    assert made.config_file.backups == [text]
    assert copy.path.endswith("config-1.json")
    assert now(made) == {"hooks": {"internal": {"enabled": True, "entries": kept}}}


def test_a_configuration_that_cannot_be_written_keeps_the_hooks_for_the_next_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = world({"hooks": {"internal": {"entries": {HOOKS[0].name: {"enabled": True}}}}})
    found = service(made)
    found.install()

    def full(*_: object) -> NoReturn:
        raise PlatformConfigError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(made.config_file, "back_up", full)
        with pytest.raises(PlatformConfigError):
            found.remove()
    assert len(made.hooks.installed) == len(HOOKS)
    assert len(found.remove()[0]) == len(HOOKS)
    assert now(made) == {"hooks": {"internal": {}}}


def test_a_configuration_that_cannot_be_read_keeps_no_hook() -> None:
    made = world()
    found = service(made)
    found.install()
    made.config_file.text = "{ not JSON"
    with pytest.raises(PlatformConfigError):
        found.remove()
    assert made.hooks.installed == []


def split(made: World, name: str, *keys: str) -> ConfigPart:
    """Move what stands at keys into a part, as an operator does."""
    root = now(made)
    place = root
    for key in keys[:-1]:
        place = place[key]
    value, place[keys[-1]] = place[keys[-1]], {"$include": f"./{name}"}
    made.config_file.text = json.dumps(root)
    part = ConfigPart(PATH.with_name(name), keys, value)
    made.config_file.parts = (*made.config_file.parts, part)
    return part


def test_what_was_moved_into_a_part_is_shown_and_named_and_stays() -> None:
    ours = {HOOKS[0].name: {"enabled": True}}
    made = world({**BEFORE, "hooks": {"internal": {"entries": ours}}})
    found = service(made)
    found.install()
    found.install_tools("main")
    servers = split(made, "servers.json5", "mcp", "servers")
    split(made, "hooks.json5", "hooks")
    text = made.config_file.text

    assert (only(found).name, only(found).path) == (NAME, str(servers.path))
    assert "can read" not in only(found).message
    for dry_run in (True, False):
        done = found.remove(dry_run=dry_run)
        assert (len(done.gone), done.wrote, made.config_file.text) == (len(HOOKS), (), text)
        assert done.left == (
            f"{servers.path} still has mcp.servers.{NAME}: a part ($include) is not ours",
            f"{PATH.with_name('hooks.json5')} still has hooks.internal.entries.{HOOKS[0].name}: "
            "a part ($include) is not ours",
        )
    assert f"{NAME}__*" in json.dumps(now(made))  # the entry still stands: nobody else may read it
    assert found.remove_tools("work") == Removed()
    with pytest.raises(PlatformConfigError, match=r"servers\.json5 has the entry memconsole-main"):
        found.install_tools("main")


def test_denials_in_a_part_count_and_are_named_once_the_entry_is_gone() -> None:
    made = world()
    found = service(made)
    found.install_tools("main")
    agents = split(made, "agents.json5", "agents")

    assert found.install_tools("main") == ()
    assert "can read" not in only(found).message
    done = found.remove_tools()
    work, third = (f"agents.entries.{name}.tools.deny" for name in ("Work", "third"))
    assert done.left == (f"{agents.path} still has {work}, {third}: a part ($include) is not ours",)
    assert "mcp" not in now(made)


def test_parts_that_nobody_can_read_are_said_and_keep_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = world()
    found = service(made)
    found.install_tools("main")

    def missing(*_: object) -> NoReturn:
        raise PlatformConfigError("its part a.json cannot be read")

    monkeypatch.setattr(made.config_file, "whole", missing)
    assert only(found).name == NAME
    assert found.remove().left == ("its part a.json cannot be read; what it has of ours stays",)
    assert now(made) == BEFORE


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_linked_configuration_keeps_its_entries_and_says_so(dry_run: bool) -> None:
    made = world()
    found = service(made)
    found.install()
    assert found.remove(dry_run=True).left == ()
    made.config_file.obstacle = "is a symbolic link"
    assert found.remove(dry_run=True).left == ()  # nothing of ours is in it
    with pytest.raises(PlatformConfigError, match="is a symbolic link and was left alone"):
        found.install_tools("main", dry_run=dry_run)
    made.config_file.obstacle = ""
    found.install_tools("main")
    made.config_file.obstacle = "is a symbolic link"
    text = made.config_file.text

    done = found.remove(dry_run=dry_run)
    keys = (
        f"mcp.servers.{NAME}",
        "agents.entries.Work.tools.deny",
        "agents.entries.third.tools.deny",
    )
    assert done.left == (f"{PATH} is a symbolic link: it still has {', '.join(keys)}",)
    assert (len(done.gone), done.wrote, made.config_file.text) == (len(HOOKS), (), text)
    assert (made.hooks.installed == []) is not dry_run


def test_entries_of_others_stay() -> None:
    theirs = {**BEFORE, "mcp": {"servers": {"docs": {"command": "uvx"}}, "sessionIdleTtlMs": 5}}
    made = world(theirs)
    found = service(made)
    found.install_tools("main")
    found.remove_tools()
    assert now(made) == theirs


def test_a_dry_run_and_read_only_write_nothing() -> None:
    made = world()
    [planned] = service(made, is_read_only=True).install_tools("main", dry_run=True)
    assert planned.path == str(PATH)
    patch = service(made).patch_of_tools("main")
    assert patch.startswith("@@ -")
    assert '"memconsole-main"' in patch
    assert not [line for line in patch.splitlines() if line[0] not in "+-@"]
    with pytest.raises(ReadOnlyError):
        service(made, is_read_only=True).install_tools("main")
    assert made.config_file.calls == []


@pytest.mark.parametrize(("version", "said"), [("2026.3.13", "2026.3.13"), (None, "nobody knows")])
def test_a_release_that_would_refuse_the_key_is_left_alone(version: str | None, said: str) -> None:
    made = world(version=version)
    with pytest.raises(PlatformConfigError, match=said):
        service(made).install_tools("main")
    assert now(made) == BEFORE


def test_a_gateway_that_runs_says_which_release_it_is() -> None:
    made = world(version=None)
    made.gateway.verdict = "up"
    assert service(made).install_tools("main")


def test_an_entry_of_somebody_else_is_left_alone() -> None:
    made = world({**BEFORE, "mcp": {"servers": {NAME: {"command": "other"}}}})
    with pytest.raises(PlatformConfigError, match="somebody else's"):
        service(made).install_tools("main")
    assert list(service(made).tools()) == []
    assert made.config_file.calls == []


def test_whom_we_cannot_deny_it_a_person_has_to() -> None:
    rows: Json = [
        {"id": "main"},
        {"id": "work"},
        {"id": "third", "tools": {"deny": [f"{NAME}__*"]}},
    ]
    made = world({"agents": {"list": rows}})
    with pytest.raises(PlatformConfigError, match=r"^work could read this memory") as caught:
        service(made).install_tools("main")
    assert f"{NAME}__*" in caught.value.hint

    rows[1]["tools"] = {"deny": [f"{NAME}__*"]}
    made = world({"agents": {"list": rows}})
    service(made).install_tools("main")
    assert only(service(made)).state is HookState.INSTALLED


def test_what_proves_that_the_platform_starts_it() -> None:
    made = world()
    found = service(made)
    found.install_tools("main")
    assert (only(found).proof, "no call of it was seen" in only(found).message) == (None, True)

    made.hooks.calls[NAME] = NOW
    assert (only(found).proof, only(found).called_at) == ("call", NOW)
    made.hooks.obstacles[NAME] = ""
    assert only(found, asks=True).proof == "platform"
    made.hooks.obstacles[NAME] = "spawn ENOENT"
    status = only(found, asks=True)
    assert (status.proof, "spawn ENOENT" in status.message) == (None, True)


def test_what_is_not_as_it_should_be_is_said() -> None:
    made = world()
    found = service(made)
    found.install_tools("main")
    whole = now(made)

    made.hooks.program = "/elsewhere/memconsole"
    assert only(found).state is HookState.OUTDATED
    made.hooks.program = "/opt/memconsole"

    del whole["agents"]["entries"]["third"]["tools"]
    made.config_file.text = json.dumps(whole)
    assert only(found).message.startswith("third can read this memory too")
    assert "hooks install --mcp --agent main" in only(found).hint

    whole["mcp"]["servers"][NAME]["enabled"] = False
    made.config_file.text = json.dumps(whole)
    assert (only(found).is_enabled, only(found, asks=True).proof) == (False, None)


@pytest.mark.parametrize("agent", ["a" * 20, "a" * 19 + "b", "ключ", "a.b"])
def test_a_long_or_unusual_id_keeps_a_name_of_its_own(agent: str) -> None:
    name = server_name(agent)
    assert len(name) <= 30
    assert name.removeprefix("memconsole-").replace("-", "").isascii()
    assert name != server_name(agent + "x")
