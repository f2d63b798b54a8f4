"""Channels against receivers on the loopback interface, good and bad."""

from __future__ import annotations

import json
import os
import sys
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.alerts.channels import (
    ChildChannel,
    CommandChannel,
    LogChannel,
    RefusedChannels,
    Secrets,
    build_channels,
    log_channel,
    read,
)
from memconsole.adapters.alerts.child import send
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.domain.alerts import Issue, Notice, NoticeKind, payload
from memconsole.domain.health import CheckStatus
from memconsole.domain.settings.channels import ChannelSettings
from memconsole.domain.settings.sections import AlertSettings
from memconsole.errors import ConfigError, DeliveryError
from tests.engine.capture_place import full_disk
from tests.receiver import receiver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.commands.outcomes import Detail
    from tests.receiver import Receiver

AT = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
HARD = 'quote " backslash \\ <@U1> & \u202e \ud800 🧠 {{x}} $(id) `id`'
NONE = Secrets({}, None)


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def message(text: str = HARD) -> dict[str, Detail]:
    issue = Issue("gateway", CheckStatus.CRITICAL, text, "", AT)
    notice = Notice(NoticeKind.ALERT, (issue,), AT)
    return payload(notice, host="host-1", home="/home/one", redact=True)


def question(kind: str, url: str, **more: object) -> dict[str, object]:
    return {
        "kind": kind,
        "url": url,
        "token": "",
        "channel": "",
        "message": message(),
        "timeout_s": 0.3,
        **more,
    }


def test_a_webhook_takes_json_whatever_the_text(hook: Receiver) -> None:
    send(question("webhook", hook.url))
    assert hook.bodies == [message()]
    assert hook.headers[0]["Content-Type"] == "application/json; charset=utf-8"


@pytest.mark.parametrize(
    ("manner", "words"),
    [
        ("refuses", "it answered 503"),
        ("closes", "the connection ended without an answer"),
        ("sleeps", "no answer within 0.3 s"),
    ],
)
def test_bad_receivers_are_told_apart(manner: str, words: str, hook: Receiver) -> None:
    hook.manner = manner
    with pytest.raises(DeliveryError) as error:
        send(question("webhook", hook.url))
    assert (str(error.value), error.value.is_final) == (words, False)


@pytest.mark.parametrize(("code", "is_final"), [(404, True), (302, True), (429, False)])
def test_some_answers_make_another_try_useless(code: int, is_final: bool, hook: Receiver) -> None:
    hook.code = code
    with pytest.raises(DeliveryError, match=f"it answered {code}") as error:
        send(question("webhook", hook.url))
    assert error.value.is_final is is_final


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/fake-secret", "http://[fake-secret"])
def test_no_failure_repeats_the_address(url: str) -> None:
    with pytest.raises(DeliveryError) as error:
        send(question("webhook", url))
    assert "fake-secret" not in f"{error.value} {error.value.hint}"


def test_slack_is_posted_to_and_its_word_decides(hook: Receiver) -> None:
    asked = question("slack", hook.url, token="fake-token", channel="C1")
    send(asked)
    [body] = hook.bodies
    assert (body["channel"], body["mrkdwn"]) == ("C1", False)
    assert "&lt;@U1&gt; &amp;" in body["text"]
    assert hook.headers[0]["Authorization"] == "Bearer fake-token"
    hook.answer = b'{"ok": false, "error": "channel_not_found"}'
    with pytest.raises(DeliveryError, match="Slack says channel_not_found") as error:
        send(asked)
    assert error.value.is_final
    hook.answer = b"<html>"
    with pytest.raises(DeliveryError, match="an unknown answer"):
        send(asked)


def test_a_child_delivers_and_takes_its_libraries_with_it(hook: Receiver) -> None:
    settings = ChannelSettings("webhook", "ops", url="${HOOK}")
    ChildChannel(settings, Secrets({"HOOK": hook.url}, None)).send(message(), None)
    assert hook.bodies == [message()]
    assert "apprise" not in sys.modules


def test_apprise_takes_any_of_its_addresses(hook: Receiver) -> None:
    url = hook.url.replace("http://", "json://")
    ChildChannel(ChannelSettings("apprise", "any", url=url), NONE).send(message(), None)
    [body] = hook.bodies
    assert body["title"] == "memconsole on host-1: critical: gateway"
    assert "CRITICAL gateway" in body["message"]
    unknown = ChannelSettings("apprise", "any", url="nosuch://fake-secret")
    with pytest.raises(DeliveryError, match="Apprise does not know such an address") as error:
        ChildChannel(unknown, NONE).send(message(), None)
    assert "fake-secret" not in str(error.value)


def test_without_apprise_its_channels_say_how_to_get_it(
    hook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    url = hook.url.replace("http://", "json://")
    channel = ChildChannel(ChannelSettings("apprise", "any", url=url), NONE)
    for ask in (channel.check, lambda: channel.send(message(), None)):
        with pytest.raises(DeliveryError, match="Apprise, which is not installed") as error:
            ask()
        assert error.value.is_final
        assert "pip install apprise" in error.value.hint
    ChildChannel(ChannelSettings("webhook", "ops", url=hook.url), NONE).send(message(), None)
    assert hook.bodies == [message()]


def test_a_receiver_that_drips_is_left_in_time(hook: Receiver) -> None:
    hook.manner = "drips"
    settings = ChannelSettings("webhook", "ops", url=hook.url)
    with pytest.raises(DeliveryError, match=r"no answer within 0\.4 s|without an answer"):
        ChildChannel(settings, NONE, timeout_s=0.4).send(message(), None)


def test_a_round_that_ends_ends_the_child(hook: Receiver) -> None:
    hook.manner = "sleeps"
    stop = threading.Event()
    stop.set()
    channel = ChildChannel(ChannelSettings("webhook", "ops", url=hook.url), NONE)
    with pytest.raises(DeliveryError, match="told to end"):
        channel.send(message(), stop)


def command(*words: str) -> CommandChannel:
    return CommandChannel(ChannelSettings("command", "bell", command=words), timeout_s=0.4)


def test_a_command_reads_the_message(tmp_path: Path) -> None:
    target = tmp_path / "said $(id)"
    command("tee", str(target)).send(message(), None)
    assert json.loads(target.read_text("utf-8")) == message()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("false",), "false ended with code 1"),
        (("sleep", "60"), "no answer within 0.4 s"),
        (("/no/such/program",), "there is no program /no/such/program"),
        (("sh", "-c", "kill -9 $$"), "sh ended by signal 9"),
        (("sh", "-c", "exec 0<&-; exit 3"), "sh ended with code 3"),
    ],
)
def test_a_command_that_fails_says_how(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(DeliveryError, match=said):
        command(*words).send(message("x" * 200_000), None)


def test_the_log_is_appended_to_and_never_through_a_link(tmp_path: Path) -> None:
    path = tmp_path / "health" / "alerts.log"
    LogChannel(path).send(message(), None)
    LogChannel(path).send(message(), None)
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == [message()] * 2
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    link = tmp_path / "link.log"
    link.symlink_to(path)
    with pytest.raises(DeliveryError):
        LogChannel(link).send(message(), None)


def test_a_full_disk_leaves_no_half_line_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "alerts.log"
    LogChannel(path).send(message(), None)
    before = path.read_bytes()
    with full_disk(0, room=len(before) + 5) as fill:
        fill("")
        with pytest.raises(DeliveryError, match="no space left"):
            LogChannel(path).send(message(), None)
    assert path.read_bytes() == before


SECRETS = """
# comment
export SLACK="xoxb-fake-1"
URL = 'https://hooks.example/?a=b#c'
RAW=$(touch /tmp/never)${HOME}
no line of ours
=x
"""


def test_a_secrets_file_is_read_and_never_executed(tmp_path: Path) -> None:
    path = tmp_path / "secrets.env"
    path.write_text(SECRETS)
    path.chmod(0o600)
    assert read(path) == {
        "SLACK": "xoxb-fake-1",
        "URL": "https://hooks.example/?a=b#c",
        "RAW": "$(touch /tmp/never)${HOME}",
    }
    assert Secrets({"SLACK": "mine"}, path).fill("a ${SLACK} ${URL}") == (
        "a mine https://hooks.example/?a=b#c"
    )


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_may_read_is_refused(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "secrets.env"
    path.write_text("TOKEN=fake-secret")
    path.chmod(mode)
    with pytest.raises(DeliveryError, match="others may read") as error:
        Secrets({}, path).fill("${TOKEN}")
    assert "fake-secret" not in str(error.value)


def test_a_file_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secrets.env"
    path.write_text("TOKEN=x")
    path.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(DeliveryError, match="belongs to somebody else"):
        read(path)


def test_other_secrets_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="no such file"):
        read(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(DeliveryError, match="is no file"):
        read(tmp_path / "pipe")
    big = tmp_path / "big"
    big.write_bytes(b"#" * 70_000)
    big.chmod(0o600)
    with pytest.raises(DeliveryError, match="larger"):
        read(big)


def test_a_secret_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="NOPE is no variable of the environment"):
        NONE.fill("x ${NOPE}")
    path = tmp_path / "secrets.env"
    path.write_text("TOKEN=x")
    path.chmod(0o600)
    with pytest.raises(DeliveryError, match="NOPE is neither a variable"):
        Secrets({}, path).fill("${TOKEN} ${NOPE}")
    assert NONE.fill("nothing $HOME {x}") == "nothing $HOME {x}"


def test_channels_come_from_the_settings(tmp_path: Path) -> None:
    settings = AlertSettings(
        (
            ChannelSettings("webhook", "ops", url="${NOPE}"),
            ChannelSettings("command", "bell", command=("/no/such/program",)),
            ChannelSettings("log", "log"),
        ),
        slack_channel="C1",
        slack_token="fake",
    )
    others = build_channels(settings, {})
    assert [(one.name, one.kind) for one in others] == [
        ("ops", "webhook"),
        ("bell", "command"),
        ("slack", "slack"),
    ]
    log_channel(tmp_path).check()
    others[2].check()
    for one in others[:2]:
        with pytest.raises(DeliveryError):
            one.check()


@pytest.mark.skipif(sys.platform == "darwin", reason="shows notifications by another program")
def test_a_desktop_is_told_in_words_that_are_no_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, said = tmp_path / "notify-send", tmp_path / "said"
    [channel] = build_channels(AlertSettings((ChannelSettings("desktop", "desktop"),)), {})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeliveryError, match="there is no program notify-send"):
        channel.check()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {said}\n')
    program.chmod(0o700)

    channel.send({"title": "-x", "text": "a <b> & c", "severity": "critical"}, None)

    lines = ["--app-name=memconsole", "--urgency=critical", "--", "-x", "a &lt;b&gt; &amp; c"]
    assert said.read_text().splitlines() == lines
    program.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(DeliveryError, match="notify-send ended with code 3"):
        channel.send({"title": "x", "text": "y", "severity": "ok"}, None)


def test_channels_that_cannot_be_used_fail_every_message() -> None:
    channel = RefusedChannels(ConfigError("alerts.channel is wrong", hint="Correct it."))
    with pytest.raises(DeliveryError, match="is wrong"):
        channel.check()
    with pytest.raises(DeliveryError, match="is wrong"):
        channel.send({}, None)


def test_the_status_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "health" / "last_status.json"
    JsonStatusFile(path).write("one")
    JsonStatusFile(path).write("two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["last_status.json"]


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("slack", "http://192.0.2.2:1/api"),
        ("slack", "HTTP://192.0.2.2:1/api"),
        ("slack", "http://127.0.0.1@192.0.2.2:1/api"),
        ("webhook", "Http://me:fake-secret@192.0.2.2:1/hook"),
    ],
)
def test_no_token_goes_over_a_network_in_the_clear(kind: str, url: str) -> None:
    with pytest.raises(DeliveryError, match="plain http://") as error:
        send(question(kind, url, token="fake-token", channel="C1"))
    assert error.value.is_final
    assert "fake" not in f"{error.value} {error.value.hint}"


@pytest.mark.parametrize("url", ["ftp://fake-secret.example", "file:///etc/passwd", "http://"])
def test_what_was_filled_in_must_be_an_address_of_the_web(url: str) -> None:
    with pytest.raises(DeliveryError, match="its address is none"):
        send(question("webhook", url))
