"""Which state folder is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from memconsole.adapters.platform.home import find_home, is_platform_name


def test_an_option_is_taken_even_when_nothing_is_there(user_home: Path) -> None:
    (user_home / ".openclaw").mkdir()

    choice = find_home(user_home / "nowhere", {}, user_home)

    assert choice.path == user_home / "nowhere"
    assert (choice.is_explicit, choice.is_option, choice.others) == (True, True, ())


def test_a_relative_option_becomes_absolute(
    user_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(user_home)

    assert find_home(Path("a/../state"), {}, user_home).path == user_home / "state"
    assert find_home(Path("~/state"), {}, user_home).path == user_home / "state"


@pytest.mark.parametrize("names", [(".openclaw", ".clawdbot"), (".moltbot", ".clawdbot")])
def test_the_newest_name_wins_and_the_others_are_named(
    user_home: Path, names: tuple[str, str]
) -> None:
    for name in names:
        (user_home / name).mkdir()

    choice = find_home(None, {}, user_home)

    assert choice.path == user_home / names[0]
    assert not choice.is_explicit
    assert choice.others == (user_home / names[1],)
    [notice] = choice.notices
    assert (notice.code, notice.path) == ("other-home-found", str(user_home / names[1]))


def test_an_old_name_that_links_to_the_new_one_is_the_same_home(user_home: Path) -> None:
    (user_home / ".openclaw").mkdir()
    (user_home / ".clawdbot").symlink_to(user_home / ".openclaw")

    assert find_home(None, {}, user_home).others == ()


@pytest.mark.parametrize(
    "variable", ["OPENCLAW_STATE_DIR", "MOLTBOT_STATE_DIR", "CLAWDBOT_STATE_DIR", "CLAWDBOT_HOME"]
)
def test_a_state_variable_comes_before_the_usual_places(user_home: Path, variable: str) -> None:
    for name in (".openclaw", "elsewhere"):
        (user_home / name).mkdir()

    choice = find_home(None, {variable: "~/elsewhere"}, user_home)

    assert choice.path == user_home / "elsewhere"
    assert (choice.is_explicit, choice.is_option) == (True, False)
    assert choice.others == (user_home / ".openclaw",)


def test_variables_in_their_order(user_home: Path) -> None:
    for name in ("a", "b", "c"):
        (user_home / name).mkdir()
    environ = {"CLAWDBOT_HOME": "~/c", "CLAWDBOT_STATE_DIR": "~/b", "OPENCLAW_STATE_DIR": " ~/a "}

    choice = find_home(None, environ, user_home)

    assert choice.path == user_home / "a"
    assert choice.others == (user_home / "b", user_home / "c")


def test_a_variable_that_names_nothing_is_passed_over_and_said(user_home: Path) -> None:
    (user_home / ".clawdbot").mkdir()

    choice = find_home(None, {"OPENCLAW_STATE_DIR": "/not/here\x1b[31m"}, user_home)

    assert choice.path == user_home / ".clawdbot"
    assert not choice.is_explicit
    [notice] = choice.notices
    assert notice.code == "other-home-found"
    assert "OPENCLAW_STATE_DIR names /not/here, which does not exist" in notice.message


def test_an_old_home_variable_may_name_the_folder_above(user_home: Path) -> None:
    (user_home / "op" / ".clawdbot").mkdir(parents=True)

    choice = find_home(None, {"CLAWDBOT_HOME": str(user_home / "op")}, user_home)

    assert choice.path == user_home / "op" / ".clawdbot"


def test_openclaw_home_stands_for_the_operators_home(user_home: Path) -> None:
    (user_home / "op" / ".openclaw").mkdir(parents=True)
    (user_home / ".openclaw").mkdir()

    choice = find_home(None, {"OPENCLAW_HOME": "~/op"}, user_home)

    assert choice.path == user_home / "op" / ".openclaw"
    assert choice.tilde == user_home / "op"
    assert (choice.is_explicit, choice.others) == (False, ())


def test_openclaw_home_that_is_a_state_folder_itself(user_home: Path) -> None:
    (user_home / ".openclaw" / "agents").mkdir(parents=True)

    choice = find_home(None, {"OPENCLAW_HOME": "~/.openclaw"}, user_home)

    assert choice.path == user_home / ".openclaw"
    assert choice.tilde == user_home


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("work", ".openclaw-work"),
        ("default", ".openclaw"),
        ("../../etc", ".openclaw"),
        ("absent", ".openclaw"),
    ],
)
def test_a_profile_has_its_own_folder(user_home: Path, profile: str, expected: str) -> None:
    for name in (".openclaw", ".openclaw-work"):
        (user_home / name).mkdir()

    choice = find_home(None, {"OPENCLAW_PROFILE": profile}, user_home)

    assert choice.path == user_home / expected


def test_nothing_anywhere_names_what_was_asked_for(user_home: Path) -> None:
    assert find_home(None, {}, user_home).path == user_home / ".openclaw"
    named = find_home(None, {"OPENCLAW_STATE_DIR": "/not/here"}, user_home)
    assert named.path == Path("/not/here")
    assert named.is_explicit
    assert named.notices == ()


def test_a_file_in_the_folders_place_is_chosen_only_when_there_is_no_folder(
    user_home: Path,
) -> None:
    (user_home / ".openclaw").write_text("")
    assert find_home(None, {}, user_home).path == user_home / ".openclaw"

    (user_home / ".clawdbot").mkdir()
    assert find_home(None, {}, user_home).path == user_home / ".clawdbot"


def test_an_impossible_path_is_no_folder(user_home: Path) -> None:
    (user_home / "loop").symlink_to("loop")

    for odd in ("~/loop/x", "bad\x00name", "~/" + "long" * 100):
        choice = find_home(None, {"OPENCLAW_STATE_DIR": odd}, user_home)
        assert choice.is_explicit


@pytest.mark.parametrize(
    ("folder", "is_tilde_moved"),
    [
        (".openclaw", True),
        (".clawdbot", True),
        (".moltbot", True),
        (".openclaw-work", True),
        ("openclaw", False),
        (".openclaw-", False),
        ("backup", False),
    ],
)
def test_tilde_follows_a_moved_home_by_its_name(
    user_home: Path, tmp_path: Path, folder: str, *, is_tilde_moved: bool
) -> None:
    moved = tmp_path / "mount" / folder

    choice = find_home(moved, {}, user_home)

    assert is_platform_name(folder) is is_tilde_moved
    assert choice.tilde == (tmp_path / "mount" if is_tilde_moved else user_home)
