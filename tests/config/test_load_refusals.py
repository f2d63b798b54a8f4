"""What the configuration may not hold, and how the refusal says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.config.load import load
from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

HOME = "/home/operator"


def refusal(
    text: str | None = None,
    environ: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
    *,
    folder: Path | None = None,
) -> ConfigError:
    file = None
    if text is not None:
        assert folder is not None
        file = folder / "config.toml"
        file.write_text(text)
    try:
        found = load({"HOME": HOME, **(environ or {})}, file=file, options=options or {})
    except ConfigError as error:
        return error
    [fault] = found.faults
    return fault


@pytest.mark.parametrize(
    ("text", "environ", "message"),
    [
        (
            "[search]\nchunk_tokens = 400\nchunk_overlap = 400",
            {},
            "search.chunk_overlap must be less than search.chunk_tokens: 400 of 400 "
            "({file}, line 3, {file}, line 2)",
        ),
        (
            "[search]\nchunk_overlap = 300",
            {"MEMCONSOLE_AGENTS__WORK__SEARCH__CHUNK_TOKENS": "200"},
            "agents.work.search.chunk_overlap must be less than search.chunk_tokens: 300 of 200 "
            "(environment MEMCONSOLE_AGENTS__WORK__SEARCH__CHUNK_TOKENS)",
        ),
    ],
)
def test_a_chunk_never_repeats_all_of_the_one_before(
    text: str, environ: dict[str, str], message: str, tmp_path: Path
) -> None:
    error = refusal(text, environ, folder=tmp_path)
    assert str(error) == message.format(file=tmp_path / "config.toml")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "[rotation]\n\ntreshold_tokens = 5",
            '"rotation.treshold_tokens" is an unknown key ({file}, line 3)',
            "Did you mean rotation.threshold_tokens?",
        ),
        (
            "[rotatoin]\nthreshold_tokens = 5",
            '"rotatoin" is an unknown section ({file}, line 1)',
            "Did you mean [rotation]?",
        ),
        (
            "[observations]",
            '"observations" is an unknown section ({file}, line 1)',
            "`memconsole config init` writes a file with every key.",
        ),
        (
            "threshold_tokens = 5",
            '"threshold_tokens" is an unknown key ({file}, line 1)',
            "Did you mean rotation.threshold_tokens?",
        ),
        (
            "[agents.work.rotation]\nwindow_ration = 0.5",
            '"agents.work.rotation.window_ration" is an unknown key ({file}, line 2)',
            "Did you mean agents.work.rotation.window_ratio?",
        ),
        (
            "[agents.work]\nthreshold_tokens = 5",
            '"agents.work.threshold_tokens" is an unknown key ({file}, line 2)',
            "Did you mean agents.work.rotation.threshold_tokens?",
        ),
        (
            "[agents.work.rotatoin]",
            '"agents.work.rotatoin" is an unknown section ({file}, line 1)',
            "Did you mean [agents.work.rotation]?",
        ),
        (
            "[agents.work.rotation]\ninterval = '5m'",
            "agents.work.rotation.interval cannot differ from agent to agent ({file}, line 2)",
            "Set rotation.interval for all agents.",
        ),
        (
            "rotation = 5",
            "rotation is a section, not a value ({file}, line 1)",
            "Write [rotation] on its own line.",
        ),
        (
            "[agents]\nwork = 5",
            "agents.work is a section, not a value ({file}, line 2)",
            "Write [agents.work] on its own line.",
        ),
        (
            "agents = 5",
            "agents is a section, not a value ({file}, line 1)",
            "Write [agents] on its own line.",
        ),
        (
            "[rotation]\ninterval = 20",
            'rotation.interval needs a unit: "20" must be a duration such as 90s, 20m, 6h or 7d, '
            "1m or more ({file}, line 2)",
            "",
        ),
        (
            "[ui]\nmono = 1",
            'ui.mono must be true or false, not "1" ({file}, line 2)',
            "",
        ),
        (
            "ui = { mono = true,\\\n",
            "{file}, line 1 is no TOML",
            "`memconsole config init` writes a file with every key.",
        ),
        ("[gateway]\ntoken = 12345", "gateway.token must be a text ({file}, line 2)", ""),
        (
            "platform.home = '~nobody-knows-me/x'",
            'platform.home names a user who is not known here: "~nobody-knows-me/x" '
            "({file}, line 1)",
            "",
        ),
        ("[rotation.interval]\nminutes = 5", "rotation.interval is no duration", ""),
        (
            "[[rotation]]\ninterval = '5m'",
            "rotation is a section, not a value ({file}, line 1)",
            "Write [rotation] on its own line.",
        ),
        ('"\\u001b[31mred" = 5', '"red" is an unknown key ({file}, line 1)', None),
        ('"rotation.interval" = "5m"', '"rotation.interval" is an unknown key', None),
    ],
)
def test_what_the_file_may_not_hold(
    tmp_path: Path, text: str, message: str, hint: str | None
) -> None:
    error = refusal(text, folder=tmp_path)
    assert str(error).startswith(message.replace("{file}", f"{tmp_path}/config.toml"))
    if hint is not None:
        assert error.hint == hint


def test_a_secret_is_not_repeated_in_its_refusal(tmp_path: Path) -> None:
    error = refusal("[gateway]\ntoken = ['hunter2']", folder=tmp_path)
    assert "hunter2" not in f"{error} {error.hint}"


@pytest.mark.parametrize(
    ("name", "text", "message", "hint"),
    [
        (
            "MEMCONSOLE_ROTATION__TRESHOLD_TOKENS",
            "5",
            "MEMCONSOLE_ROTATION__TRESHOLD_TOKENS is an unknown environment variable",
            "Did you mean MEMCONSOLE_ROTATION__THRESHOLD_TOKENS?",
        ),
        (
            "MEMCONSOLE_READONLY",
            "1",
            "MEMCONSOLE_READONLY is an unknown environment variable",
            "Did you mean MEMCONSOLE_READ_ONLY?",
        ),
        (
            "MEMCONSOLE_FOO__BAR",
            "1",
            "MEMCONSOLE_FOO__BAR is an unknown environment variable",
            "`memconsole config show` lists all keys.",
        ),
        (
            "MEMCONSOLE_UI__MONO",
            "maybe",
            'ui.mono must be true or false, not "maybe" (environment MEMCONSOLE_UI__MONO)',
            "",
        ),
        (
            "MEMCONSOLE_CHECKPOINT__INTERVAL",
            "20",
            'checkpoint.interval needs a unit: "20"',
            "",
        ),
        (
            "MEMCONSOLE_AGENTS__WORK__GATEWAY__URL",
            "ws://x",
            "agents.work.gateway.url cannot differ from agent to agent",
            "Set gateway.url for all agents.",
        ),
        (
            "ROTATION_THRESHOLD",
            "many",
            "rotation.threshold_tokens must be a whole number, 1 or more, not "
            '"many" (environment ROTATION_THRESHOLD)',
            "",
        ),
        (
            "MEMCONSOLE_NO_MOUSE",
            "maybe",
            'ui.mouse must be true or false, not "maybe" (environment MEMCONSOLE_NO_MOUSE)',
            "",
        ),
    ],
)
def test_what_a_variable_may_not_hold(name: str, text: str, message: str, hint: str) -> None:
    error = refusal(environ={name: text})
    assert str(error).startswith(message)
    assert error.hint == hint


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(ConfigError) as refused:
        load({"HOME": HOME}, file=missing)
    assert str(refused.value) == f"the configuration file {missing} does not exist"
    with pytest.raises(ConfigError, match="does not exist"):
        load({"HOME": HOME, "MEMCONSOLE_CONFIG": str(missing)})


def test_an_option_is_named_as_it_was_given() -> None:
    error = refusal(options={"gateway.transport": "http"})
    assert str(error) == (
        'gateway.transport must be auto, ws, cli or none, not "http" (option --transport)'
    )
