"""`[[alerts.channel]]` and the older names of alerting in the configuration."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.config.load import load
from memconsole.config.show import describe
from memconsole.domain.settings.channels import ChannelSettings
from memconsole.domain.settings.sections import CleanupSettings
from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.settings import Settings


def settings(text: str, folder: Path, **environ: str) -> Settings:
    (folder / "config.toml").write_text(text)
    return load({"HOME": str(folder), **environ}, file=folder / "config.toml")


def test_an_address_alone_is_one_for_apprise(tmp_path: Path) -> None:
    text = '[[alerts.channel]]\nurl = "tgram://fake"\n[[alerts.channel]]\nurl = "${OTHER}"\n'
    assert settings(text, tmp_path).alerts.channels == (
        ChannelSettings("apprise", "apprise", url="tgram://fake"),
        ChannelSettings("apprise", "apprise-2", url="${OTHER}"),
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('type = "webhook"\nurl = "https://a"\ntokn = "x"', 'unknown key "tokn"'),
        ('type = "slack"\nchannel = "C"\ntoken = "fake"\nchanel = "x"', "did you mean channel?"),
        ('type = "slack"\nchannel = "C"', "of type slack needs token"),
        ('type = "webhook"', "of type webhook needs url"),
        ('type = "pager"', "slack, webhook, command, desktop, log or apprise"),
        ("name = 'x'", "needs a type"),
        ('type = "command"\ncommand = "rm -rf"', "a list of texts"),
        ('type = "webhook"\nurl = 7', "url must be a text"),
        (
            'type = "webhook"\nurl = "ftp://fake-secret"',
            "url must be a http:// or https:// address",
        ),
        ('type = "webhook"\nurl = "https://"', "url must be a http:// or https:// address"),
        ('name = "log"\nurl = "x://fake-secret"', "a channel"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_is(table: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        _ = settings(f"[[alerts.channel]]\n{table}\n", tmp_path).alerts.channels
    said = f"{error.value}"
    assert words in said
    assert said.startswith("alerts.channel number 1")
    assert f"{tmp_path}/config.toml, line 1" in said
    assert "fake" not in said.replace(str(tmp_path), "")


def test_two_channels_of_a_name_are_refused(tmp_path: Path) -> None:
    one = '[[alerts.channel]]\nname = "ops"\nurl = "x://a"\n'
    with pytest.raises(ConfigError, match="number 2: there is a channel"):
        _ = settings(one * 2, tmp_path).alerts.channels


def test_channels_can_come_from_the_environment(tmp_path: Path) -> None:
    value = '[{ type = "command", command = ["/bin/ring"] }]'
    found = settings("", tmp_path, MEMCONSOLE_ALERTS__CHANNEL=value)
    assert found.alerts.channels == (ChannelSettings("command", "command", command=("/bin/ring",)),)
    with pytest.raises(ConfigError, match=r"must be a list of tables"):
        _ = settings("", tmp_path, MEMCONSOLE_ALERTS__CHANNEL="x").alerts.channels


def test_what_is_shown_holds_no_secret(tmp_path: Path) -> None:
    text = (
        '[alerts]\nslack_token = "fake-1"\n'
        '[[alerts.channel]]\ntype = "webhook"\nname = "ops"\nurl = "https://a/fake-2"\n'
    )
    shown = {row.key: row for row in describe(settings(text, tmp_path))}
    assert shown["alerts.channel"].value == ["webhook ops"]
    assert shown["alerts.slack_token"].value == "(hidden)"
    assert "fake" not in str([(row.value, row.text) for row in shown.values()])


def test_older_names_of_sizes_are_honoured(tmp_path: Path) -> None:
    found = settings("", tmp_path, MEMORY_SIZE_THRESHOLD="80", CLAWDBOT_MAX_BACKUPS="4")
    assert (found.index_md.min_pool_bytes, found.max_backups) == (81_920, 4)
    wrong = settings("", tmp_path, MEMORY_SIZE_THRESHOLD="much")
    assert 'not "much" (environment MEMORY_SIZE_THRESHOLD)' in str(wrong.faults[0])


def test_older_names_are_honoured(tmp_path: Path) -> None:
    found = settings(
        "",
        tmp_path,
        CLAWDBOT_ALERT_COOLDOWN="45",
        CLAWDBOT_ALERT_CHANNEL="C1",
        CLAWDBOT_ALERT_SLACK_TOKEN="fake",
        CLAWDBOT_LOG_MAX_BYTES="1048576",
        CLAWDBOT_LOG_KEEP="7",
        CLAWDBOT_COMPRESS_DAYS="3",
        CLAWDBOT_DELETE_DAYS="90",
    )
    assert found.health.alert_cooldown == timedelta(minutes=45)
    assert found.alerts.all_channels() == (
        ChannelSettings("slack", "slack", channel="C1", token="fake"),
    )
    assert (found.log_rotation.max_bytes, found.log_rotation.keep) == (1_048_576, 7)
    assert found.cleanup == CleanupSettings(False, 3, 90)
    alone = settings("", tmp_path, CLAWDBOT_ALERT_CHANNEL="C1")
    assert alone.alerts.all_channels() == ()


@pytest.mark.parametrize("hours", ["22-7", "24:00-07:00", "always"])
def test_quiet_hours_are_checked(hours: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="span of hours such as 22:00-07:00"):
        _ = settings(f'[health]\nquiet_hours = "{hours}"\n', tmp_path).health.quiet_hours


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("HTTPS://Hooks.Example/Fake-Hook?a=B", "https://hooks.example/Fake-Hook?a=B"),
        ("https://${HOST}/Fake", "https://${HOST}/Fake"),
        ("${HOOK}", "${HOOK}"),
    ],
)
def test_an_address_is_kept_in_its_normal_form(written: str, kept: str, tmp_path: Path) -> None:
    text = f'[[alerts.channel]]\ntype = "webhook"\nurl = "{written}"\n'
    [channel] = settings(text, tmp_path).alerts.channels
    assert channel.url == kept
