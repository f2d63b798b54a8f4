"""What `config show` and `config init` print."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from memconsole.config.keys import KEYS
from memconsole.config.load import load
from memconsole.config.show import SettingRow, describe, template

if TYPE_CHECKING:
    from pathlib import Path

HOME = "/home/operator"


def rows(environ: dict[str, str], file: Path | None = None) -> dict[str, SettingRow]:
    settings = load({"HOME": HOME, **environ}, file=file)
    return {row.key: row for row in describe(settings)}


def test_every_key_is_shown_with_its_default() -> None:
    found = rows({})
    assert list(found) == [key.name for key in KEYS]
    assert {row.source for row in found.values()} == {"default"}
    threshold = found["rotation.threshold_tokens"]
    assert (threshold.value, threshold.text) == (150_000, "150_000")
    assert threshold.help == "Tokens at which a session is due for rotation"
    assert (found["checkpoint.stale_after"].value, found["checkpoint.stale_after"].text) == (
        "4h",
        '"4h"',
    )
    assert found["state.dir"].value == f"{HOME}/.local/state/memconsole"
    assert (found["rotation.skip_patterns"].value, found["rotation.keys"].value) == ([], {})
    assert (found["ui.mono"].text, found["rotation.window_ratio"].text) == ("false", "0.75")
    for name in ("timezone", "platform.home", "gateway.token", "ui.theme", "log.file"):
        assert (found[name].value, found[name].text) == (None, "unset")


def test_what_was_given_is_shown_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '[rotation]\nkeys = { "agent:main:main" = 5 }\n[agents.b.checkpoint]\nmin_bytes = 1'
    )
    environ = {
        "MEMCONSOLE_UI__MONO": "1",
        "MEMCONSOLE_AGENTS__A__ROTATION__WINDOW_RATIO": "0.5",
        "MEMCONSOLE_AGENTS__A__CHECKPOINT__STALE_AFTER": "8h",
    }
    found = rows(environ, file)
    keys = found["rotation.keys"]
    assert (keys.value, keys.text) == ({"agent:main:main": 5}, '{ "agent:main:main" = 5 }')
    assert keys.source == f"{file}, line 2"
    assert (found["ui.mono"].value, found["ui.mono"].source) == (
        True,
        "environment MEMCONSOLE_UI__MONO",
    )
    assert list(found)[len(KEYS) :] == [
        "agents.a.rotation.window_ratio",
        "agents.a.checkpoint.stale_after",
        "agents.b.checkpoint.min_bytes",
    ]
    assert found["agents.a.checkpoint.stale_after"].value == "8h"
    assert found["agents.b.checkpoint.min_bytes"].source == f"{file}, line 4"


def test_a_secret_is_never_shown() -> None:
    row = rows({"MEMCONSOLE_GATEWAY__TOKEN": "hunter2"})["gateway.token"]
    assert (row.value, row.text) == ("(hidden)", "(hidden)")
    assert "hunter2" not in repr(row)


def test_the_commented_file_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(template(), encoding="utf-8")
    settings = load({"HOME": HOME}, file=file)
    assert settings.sources == {}
    assert load({"HOME": HOME}) == load({"HOME": HOME, "MEMCONSOLE_CONFIG": ""})


def test_the_commented_file_holds_every_key_with_its_default(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    text = re.sub(r"^# (?=\w+ = )", "", template(), flags=re.MULTILINE)
    text = text.replace("# [agents", "[agents")
    file.write_text(text, encoding="utf-8")
    table = tomllib.loads(text)
    names = {(s, name) for s, keys in table.items() if isinstance(keys, dict) for name in keys}
    assert {key.path for key in KEYS if len(key.path) > 1} | {("agents", "work")} == names
    found = rows({}, file)
    usual = rows({})
    for key in KEYS:
        assert found[key.name].source.startswith(str(file))
        if not key.setting.example:
            assert found[key.name].value == usual[key.name].value
    assert found["agents.work.rotation.threshold_tokens"].value == 120_000


def test_the_commented_file_says_what_each_key_is_for() -> None:
    text = template()
    for key in KEYS:
        assert f"# {key.setting.help}.\n# {key.path[-1]} = " in text
