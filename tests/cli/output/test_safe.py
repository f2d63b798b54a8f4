from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memconsole.cli.output import safe

SECRET = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMnOpQrSt"


def test_an_undecodable_file_name_is_shown_and_not_thrown() -> None:
    name = b"caf\xe9 notes.md".decode("utf-8", "surrogateescape")
    assert safe.line(name) == "caf\\xe9 notes.md"


def test_secrets_are_masked_for_people_and_machines() -> None:
    text = f"the key is {SECRET}"
    for shown in (safe.line(text), safe.block(text), safe.values([text])[text]):
        assert SECRET[12:40] not in shown
        assert "[redacted:" in shown


def test_an_invisible_character_hides_no_secret() -> None:
    split = SECRET[:20] + "\u200b" + SECRET[20:]
    assert SECRET[24:50] not in safe.line(f"the key is {split}")


def test_masking_can_be_switched_off() -> None:
    text = f"the key is {SECRET}"
    assert safe.line(text, redact=False) == text
    assert safe.block(text, redact=False) == text
    assert safe.values([text], redact=False) == {text: text}


def test_what_only_looks_secret_stays() -> None:
    for text in (
        "agent:main:telegram:direct:1001",
        "98310a88-1b2c-4d5e-8f90-1234567890ab",
        "/home/operator/.openclaw/agents/main/sessions/98310a88-1b2c.jsonl",
    ):
        assert safe.line(text) == safe.values([text])[text] == safe.path(text) == text


def test_a_path_for_a_machine_stays_as_it_is_on_disk() -> None:
    name = "notes\x07 [/bad]é.md"
    assert safe.path(name) == name


def test_a_path_for_a_machine_is_utf8() -> None:
    assert safe.path("caf\udce9.md") == "caf\\xe9.md"
    assert safe.path("\ud800.md") == "?.md"


@given(st.text())
def test_a_line_is_one_line_without_control_characters(text: str) -> None:
    shown = safe.line(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    shown.encode("utf-8")
