"""What is started imports and runs nothing from the folder that memconsole stands in."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.errors import FolderGoneError
from memconsole.system.launch import (
    absolute,
    environment,
    find_program,
    forget_relative_imports,
    own_module,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program that somebody else put there."""
    program = tmp_path / "openclaw"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", ["", ".", "/nowhere:", ":/nowhere", "..", "/nowhere:."])
def test_a_program_of_the_current_folder_is_not_found(path: str, planted: Path) -> None:
    assert find_program("openclaw", {"PATH": path}) is None


@pytest.mark.parametrize("name", ["./openclaw", "x/../openclaw"])
def test_a_relative_path_is_no_program(name: str, planted: Path) -> None:
    assert find_program(name, {"PATH": str(planted)}) is None


def test_a_program_is_found_by_absolute_entries_and_by_its_whole_path(planted: Path) -> None:
    whole = str(planted / "openclaw")
    assert find_program("openclaw", {"PATH": f".:{planted}"}) == whole
    assert find_program(whole, {}) == whole
    assert find_program(str(planted / "other"), {}) is None


def test_our_own_modules_are_started_without_the_current_folder() -> None:
    assert own_module("memconsole", "recover") == (
        sys.executable, "-P", "-m", "memconsole", "recover"
    )  # fmt: skip


def test_variables_mean_the_same_in_another_folder(planted: Path) -> None:
    given = {
        "PATH": ":/usr/bin:.",
        "PYTHONPATH": ":lib",
        "NODE_PATH": "x:/opt/node",
        "OPENCLAW_STATE_DIR": "state",
        "MEMCONSOLE_CONFIG": "~/config.toml",
        "MEMCONSOLE_LOG__FILE": "/var/log/x",
        "HOME": "home",
        "LANG": "C.UTF-8",
    }
    assert environment(given) == {
        "PATH": "/usr/bin",
        "NODE_PATH": "/opt/node",
        "OPENCLAW_STATE_DIR": str(planted / "state"),
        "MEMCONSOLE_CONFIG": "~/config.toml",
        "MEMCONSOLE_LOG__FILE": "/var/log/x",
        "HOME": str(planted / "home"),
        "LANG": "C.UTF-8",
        "PYTHONSAFEPATH": "1",
    }


@pytest.mark.parametrize("entries", [":/opt/lib", ".:/opt/lib", "../here"])
def test_relative_entries_of_pythonpath_are_imported_from_no_more(
    entries: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PYTHONPATH", entries)
    monkeypatch.setattr(sys, "path", ["/usr/lib", os.getcwd(), "/opt/lib"])  # noqa: PTH109
    forget_relative_imports()
    assert sys.path == ["/usr/lib", "/opt/lib"]


def test_a_relative_path_needs_a_folder_that_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inside = tmp_path / "gone"
    assert absolute(inside.relative_to(tmp_path)) == inside
    inside.mkdir()
    monkeypatch.chdir(inside)
    inside.rmdir()
    assert absolute(inside) == inside
    with pytest.raises(FolderGoneError, match="'some/rel'"):
        absolute(type(tmp_path)("some/rel"))
    assert environment({"OPENCLAW_STATE_DIR": "x"})["OPENCLAW_STATE_DIR"] == "x"
