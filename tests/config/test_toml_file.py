"""Reading the configuration file, and the lines it is made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.config import toml_file
from memconsole.config.show import toml_text
from memconsole.errors import ConfigError
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"[ui]\nmono = yes\n", "{path}, line 2 is no TOML: Invalid value"),
        (
            b"[ui]\nmono = true\nmono = true\n",
            "{path}, line 3 is no TOML: Cannot overwrite a value",
        ),
        (b'[ui]\ntheme = "dark', "{path}, last line is no TOML: Unterminated string"),
        (b"[ui]\n\ntheme = '\xff'\n", "{path}, line 3 is not UTF-8"),
        (b"a = " + b"[" * 5000, "{path} is nested too deeply"),
        (b"a = " + b"9" * 5000, "{path} is no TOML: Exceeds the limit"),
        (b"# " + b"x" * 1_000_000, "the configuration {path} is larger than 1 MB"),
    ],
)
def test_a_file_that_is_no_toml_is_refused_with_its_line(
    path: Path, data: bytes, fault: str
) -> None:
    path.write_bytes(data)
    with pytest.raises(ConfigError) as refused:
        toml_file.read(path)
    assert str(refused.value).startswith(fault.replace("{path}", str(path)))


def test_folders_pipes_and_files_that_are_gone_are_refused(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read: No such file"):
        toml_file.read(path)
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="is no file"):
        toml_file.read(path)
    with pytest.raises(ConfigError, match="is no file"):
        toml_file.read(path.parent)


def test_a_file_that_may_not_be_read_is_refused() -> None:
    with reachable_folder() as folder:
        path = folder / "config.toml"
        path.write_text("")
        path.chmod(0o000)
        with powerless(), pytest.raises(ConfigError, match="Permission denied") as refused:
            toml_file.read(path)
    assert "--config" in refused.value.hint


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_byte_order_mark_and_line_endings_do_not_matter(path: Path, ending: bytes) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + ending.join([b"[ui]", b"mono = true", b""]))
    file = toml_file.read(path)
    assert file.table == {"ui": {"mono": True}}
    assert file.line(("ui", "mono")) == 2


TEXT = '''\
timezone = "UTC" # [no.header]
ui.mono = true

[ "rotation" . keys ] # comment
"agent:main:main" = 5
'agent:main:"x"' = 6

[agents.work.rotation]
threshold_tokens = """
[ui]
mono = 5
"""
skip_patterns = [
  "a = 1",
]
window_ratio = """one line"""
min_interval = { hours = 5 }
[[list]]
x = 1
[[list]]
x = 2
'''


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("timezone", 1),
        ("ui mono", 2),
        ("rotation keys", 4),
        ("rotation keys agent:main:main", 5),
        ('rotation keys agent:main:"x"', 6),
        ("agents work rotation threshold_tokens", 9),
        ("agents work rotation skip_patterns", 13),
        ("agents work rotation window_ratio", 16),
        ("agents work rotation min_interval", 17),
        ("agents work rotation min_interval hours", 17),
        ("list", 18),
        ("list x", 19),
        ("ui", None),
        ("no.header", None),
    ],
)
def test_the_line_of_a_key(path: Path, name: str, line: int | None) -> None:
    path.write_text(TEXT)
    assert toml_file.read(path).line(tuple(name.split(" "))) == line


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, NAMES | st.integers(), max_size=3)))
def test_lines_of_any_names(tmp_path_factory: pytest.TempPathFactory, tables: object) -> None:
    assert isinstance(tables, dict)
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for table, entries in tables.items():
        lines += ["", f"[{toml_text(table)}]"]
        expected[(table,)] = len(lines)
        for name, value in entries.items():
            lines.append(f"{toml_text(name)} = {toml_text(value)}")
            expected[(table, name)] = len(lines)
    path = tmp_path_factory.mktemp("config") / "config.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    file = toml_file.read(path)
    assert file.table == tables
    assert {name: file.line(name) for name in expected} == expected
