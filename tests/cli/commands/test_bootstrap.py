"""`bootstrap`: its shape, and what people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli.commands import bootstrap
from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    import pytest

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World


def test_what_is_given_has_its_shape(world: World, call: Caller) -> None:
    root = world.platform.agents[0].workspace
    world.workspace.files[root, "memory/ACTIVE_CONTEXT.md"] = "# Active Context — main\n"
    result = call.json("bootstrap", "--workspace", str(root))
    check_envelope(result.envelope)
    [given] = result.data["files"]
    assert given["name"] == "ACTIVE_CONTEXT.md"
    assert given["path"] == str(root / "memory/ACTIVE_CONTEXT.md")
    assert "# Active Context" in call("bootstrap", "--print").out


def test_an_unknown_workspace_is_named(call: Caller) -> None:
    result = call.json("bootstrap", "--workspace", "/elsewhere")
    assert result.code == 2
    assert "/elsewhere" in result.error["message"]


def test_a_dry_run_captures_nothing_first(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []
    monkeypatch.setattr(bootstrap, "_recover", lambda *_: begun.append(_))
    words = ("bootstrap", "--session-key", "agent:main:main")
    assert call.json(*words, "--dry-run").data["files"] == call.json(*words).data["files"]
    assert len(begun) == 1


def test_what_is_printed_is_what_the_hook_injects(world: World, call: Caller) -> None:
    root = world.platform.agents[0].workspace
    lines = "".join(
        f"- 🟡 09:00 Ada moved rack {n} to hall {n % 7} <!-- dc:type=fact mc:id=o-{n:08x} -->\n"
        for n in range(900)
    )
    world.workspace.files[root, "memory/observations.md"] = f"Date: 2025-06-01\n{lines}"
    [given] = call.json("bootstrap", "--workspace", str(root)).data["files"]
    assert given["name"] == "observations.md"
    assert "more observations in memory/observations.md: search" in given["content"]
    assert "<!-- dc:" not in given["content"]
    assert given["content"] in call("bootstrap", "--workspace", str(root)).out


def test_what_was_chosen_is_explained_and_what_other_limits_would_do(
    world: World, call: Caller
) -> None:
    root = world.platform.agents[0].workspace
    lines = "".join(
        f"- 🟡 09:00 Ada moved rack {n} to hall {n % 7} <!-- dc:type=fact mc:id=o-{n:08x} -->\n"
        for n in range(900)
    )
    world.workspace.files[root, "memory/observations.md"] = f"Date: 2025-06-01\n{lines}"
    words = ("bootstrap", "--explain", "--workspace", str(root))

    data = call.json(*words).data

    taken = [one for one in data["choice"] if one["taken"]]
    assert len(data["choice"]) == 900
    assert 0 < len(taken) < 900
    [given] = data["files"]
    assert all(one["text"] in given["content"] for one in taken)
    small, usual, large = data["limits"]
    assert [one["max_chars"] for one in data["limits"]] == [10_000, 20_000, 40_000]
    assert usual["given"] == len(taken)
    assert small["given"] < usual["given"] < large["given"] <= 900
    assert all(one["given"] + one["left_out"] == 900 for one in data["limits"])
    result = call(*words)
    shown = result.out
    assert "limit of a file" in shown
    assert shown.count("\nleft out  ") == 900 - len(taken)


def test_the_limit_in_force_stands_among_the_others(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world.platform.agents[0].workspace
    lines = "".join(f"- 🟡 09:00 Ada moved rack {n} to hall {n % 7}\n" for n in range(900))
    world.workspace.files[root, "memory/observations.md"] = f"Date: 2025-06-01\n{lines}"
    monkeypatch.setenv("MEMCONSOLE_BOOTSTRAP__MAX_CHARS", "2000")

    data = call.json("bootstrap", "--explain", "--workspace", str(root)).data

    given = sum(one["taken"] for one in data["choice"])
    limits = {one["max_chars"]: one["given"] for one in data["limits"]}
    assert (list(limits), limits[2_000]) == ([2_000, 10_000, 20_000, 40_000], given)


def test_a_limit_that_cannot_be_used_is_told(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call.json("bootstrap").envelope["warnings"] == []
    monkeypatch.setenv("MEMCONSOLE_BOOTSTRAP__MAX_CHARS", "100")
    result = call.json("bootstrap", "--explain")
    [warning] = result.envelope["warnings"]
    assert (result.code, warning["code"]) == (0, "settings-wrong")


def test_where_there_is_nothing_to_choose_nothing_is_explained(call: Caller) -> None:
    data = call.json("bootstrap", "--explain").data
    assert (data["choice"], data["limits"]) == ([], [])
