"""Masking secrets, in both directions: nothing secret stays, nothing harmless goes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from base64 import b64encode
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.text.redaction import mask
from tests.lengths import costly

if TYPE_CHECKING:
    from pathlib import Path

PIECE = 12
"""Characters in a row that may not get out."""

# Written as patterns, so that the repository holds no string that looks like a real token.
VENDORS = {
    "anthropic-key": r"sk-ant-api03-[A-Za-z0-9_-]{40,90}AA",
    "api-key": r"sk-proj-[A-Za-z0-9_-]{40,120}|sk-[a-f0-9]{31}1|gsk_[A-Za-z0-9]{50}7",
    "github-token": r"gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "gitlab-token": r"glpat-[A-Za-z0-9_-]{20}",
    "slack-token": r"xox[abprs]-[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{24}|xapp-1-A[A-Z0-9]{10}-[0-9]{13}",
    "aws-key": r"A(KIA|SIA)[A-Z2-7]{16}",
    "google-key": r"AIza[A-Za-z0-9_-]{35}",
    "google-token": r"ya29\.[A-Za-z0-9_-]{60}",
    "stripe-key": r"(sk|rk)_(live|test)_[A-Za-z0-9]{24,99}",
    "telegram-token": r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "jwt": r"eyJ[A-Za-z0-9]{17,60}\.[A-Za-z0-9_-]{20,60}\.[A-Za-z0-9_-]{20,60}",
    "huggingface-token": r"hf_[A-Za-z]{33}7",
    "npm-token": r"npm_[A-Za-z0-9]{35}7",
    "sendgrid-key": r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    "tailscale-key": r"tskey-auth-[A-Za-z0-9]{11}-[A-Za-z0-9]{32}",
    "vault-token": r"hvs\.[A-Za-z0-9_-]{90}",
    "webhook": r"hooks\.slack\.com/services/T[A-Z0-9]{8}/B[A-Z0-9]{8}/[A-Za-z0-9]{24}",
}

ANNOUNCED = (
    "password: {}",
    "password={} please",
    'DB_PASSWORD="{}"',
    "PGPASSWORD={} psql",
    "SMTP_PASS={}",
    "my password is {} ok",
    '{{"client_secret": "{}"}}',
    '{{\\"password\\": \\"{}\\"}}',
    "api_key: {}",
    "API key = {}",
    "the token is {} now",
    "AWS_SECRET_ACCESS_KEY={}",
    "Passwort: {}",
    "Das Passwort lautet {} und",
    "mot de passe : {}",
    "contraseña: {}",
    "senha: {}",
    "hasło: {}",
    "пароль: {}",
    "密码是{}",
    "密码：{}",
    "パスワードは {} です",
    "비밀번호: {}",
    "--password {} --verbose",
    "--token={}",
    "curl -u bob:{} https://host",
    "sshpass -p {} ssh host",
    "machine x login bob password {}",
    "Authorization: Basic {}",
    "Authorization: Bearer {}",
    "curl -H 'Authorization: Bearer {}' x",
    "Cookie: sid={}; theme=dark",
    "postgres://app:{}@db.internal:5432/app",
    "https://{}@host/repo.git",
    "https://host/x?token={}&user=bob",
    "<password>{}</password>",
    "secret_key_base: {}",
    "here is the key you wanted: {}",
    "Server=db;Password={};Timeout=3",
    "password - {}",
    "пароль — {}",
)

HARMLESS = (
    "the password policy is documented in docs/passwords.md",
    "deployed build 9f2c4e7a1b3d5f60718293a4b5c6d7e8f9010203 to staging",
    "session 1b4e28ba-2fa1-41d2-883f-0016d3cca427, config in infra/staging/app.env",
    "rotated the token in commit 9f2c4e7a1b3d5f60718293a4b5c6d7e8f9010203",
    "Tokens: 83120 | Compactions: 0",
    "token: 83120 of 150000",
    "total tokens: 152940, window 200K",
    "session key: agent:main:telegram:dm:123456789",
    "Passwort: steht im Tresor",
    "password: see docs/passwords.md",
    "password: required",
    "password=****",
    "password=$DB_PASSWORD",
    "password: <your password>",
    "API_KEY=${API_KEY}",
    "token = response.data.token;",
    "password = getpass.getpass()",
    "key = os.environ['API_KEY']",
    "secret: never give up",
    "the token is base64-encoded",
    "the password is sha256-hashed",
    "tests pass: 14, fail: 0",
    "Basic authentication is enough",
    "Bearer token authentication",
    "bearer of bad news",
    "the primary key userAccountId2MappingTable",
    "the key file is /etc/ssl/private/server2.key",
    "use the secret in vault: op://work/db/password",
    "http://localhost:8080/users/bob@example.com",
    "postgresql://fleet_build-runner-07.prod.example@db.example/fleet",
    "mail bob@example.com at 10:30",
    "sk-learn-is-not-a-package-name",
    "docker pull image@sha256:9f2c4e7a1b3d5f60718293a4b5c6d7e8f90102039f2c4e7a1b3d5f6071829301",
    "the options --username and --password are gone",
    "the --password option is gone",
    "token = tokens[0]; password = config['x']; login(password=password, key=api_key)",
    "def login(password: bytes, token: str) -> None",
    "host key sk-ecdsa-sha2-nistp256 and sk-ssh-ed25519",
    'START, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"',
    "a file that begins with -----BEGIN OPENSSH PRIVATE KEY----- is a key",
    "the secret is 256-bit, the password 8-characters-long",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
    "PWD: /home/operator/project",
    "the secretary: Ms. Weber",
    "tokenizer: o200k_base_v2",
    "Cookie: chocolate chip is the best",
    "ratio 3:2, at 12:30:45, 2026-04-12T08:10:00Z",
)

SECRETS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{6,30}[a-z][0-9][a-z]", fullmatch=True)
"""Freely chosen, with a letter and a digit."""


def pieces(secret: str) -> set[str]:
    """Every stretch of a secret that may not get out."""
    length = min(PIECE, len(secret))
    return {secret[at : at + length] for at in range(len(secret) - length + 1)}


def leaks(secret: str, text: str) -> set[str]:
    return {piece for piece in pieces(secret) if piece in text}


@pytest.mark.parametrize("kind", VENDORS)
@costly(10)
@given(data=st.data())
def test_a_vendor_token_goes_and_its_sentence_stays(kind: str, data: st.DataObject) -> None:
    token = data.draw(st.from_regex(re.compile(VENDORS[kind], re.ASCII), fullmatch=True))
    before, after = data.draw(
        st.sampled_from([("use ", " now"), ("(", ")"), ("'", "'"), ("", ".")])
    )
    masked = mask(f"deploy it, {before}{token}{after} thanks")
    assert not leaks(token.rpartition("/services/")[2], masked)
    assert masked.startswith(f"deploy it, {before}")
    assert masked.endswith(f"{after} thanks")
    assert f"[redacted:{kind}]" in masked


@pytest.mark.parametrize("sentence", ANNOUNCED)
@costly(10)
@given(secret=SECRETS)
def test_an_announced_secret_goes(sentence: str, secret: str) -> None:
    if "the token is" in sentence:
        secret = secret.ljust(12, "x")
    if "here is the key" in sentence or "//{}@" in sentence:
        secret = "aB3xK9mQ7zR2" + "wL5tY81Pn4"
    shown = sentence.format(secret)
    masked = mask(shown)
    assert not leaks(secret, masked)
    assert masked.startswith(shown[: shown.index(secret)].removesuffix("sid="))


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays(text: str) -> None:
    assert mask(text) == text


@given(
    st.lists(
        st.one_of(
            st.uuids().map(str),
            st.from_regex(r"[0-9a-f]{7}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}", fullmatch=True),
            st.from_regex(
                r"(?:src|docs|lib)(?:/[a-z_]{1,12}){1,3}\.(?:py|md|json)", fullmatch=True
            ),
            st.from_regex(r"v?[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}", fullmatch=True),
            st.datetimes().map(lambda at: at.isoformat()),
            st.from_regex(r"[a-z]{2,9}(?:[A-Z][a-z]{3,8}){1,3}[0-9]?", fullmatch=True),
            st.from_regex(r"agent:[a-z]{1,9}:(?:main|telegram:dm:[0-9]{5,12})", fullmatch=True),
            st.sampled_from(["the", "and", "token", "tokens", "key", "password", "secrets", "of"]),
            st.integers(min_value=0, max_value=10**9).map(str),
        ),
        max_size=12,
    )
)
def test_hashes_ids_paths_and_names_stay_whatever_words_are_around(words: list[str]) -> None:
    text = ", ".join(words)
    assert mask(text) == text


FRAGMENTS = st.one_of(
    st.sampled_from(
        [
            *("password", "token", "secret", "api key", "PASS", "key", "пароль", "is", "Bearer"),
            *(
                ":",
                "=",
                " ",
                "\n",
                '"',
                "'",
                "\\",
                "://",
                "@",
                "/",
                "--",
                "[redacted:jwt]",
                "[",
                "]",
            ),
            *(
                "-----BEGIN PRIVATE KEY-----",
                "-----END PRIVATE KEY-----",
                "curl -u a:",
                "eyJ",
                "AKIA",
            ),
            *("sk-", "ghp_", ":AA", "Authorization: ", "cookie: a="),
        ]
    ),
    st.from_regex(r"[A-Za-z0-9]{1,44}", fullmatch=True),
    st.text(max_size=5),
)


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@given(st.text())
def test_text_without_an_anchor_is_returned_as_it_is(text: str) -> None:
    if "[redacted:" not in mask(text):
        assert mask(text) == text


KEY_LINES = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + "A1b2C3d4" * 4,
    "Zz9" * 20,
    "q1W2e3R4t5Y6u7I8o9==",
]


@pytest.mark.parametrize("before", ["key", "myKEY", "a_word", "is", "Xy9", "ключ"])
@pytest.mark.parametrize(
    "token", ["AKIA" + "Q3Z7M2X5" * 2, "ASIA" + "Q3Z7M2X5" * 2, "AIza" + "Ab3_-x9" * 5]
)
def test_a_key_of_exact_length_is_known_behind_any_word(before: str, token: str) -> None:
    assert token[4:] not in mask(f"see {before}{token}, then")


@pytest.mark.parametrize(
    "text",
    [
        "MYAKIAVELLIANISMANDMORE1 is a word",
        "the id KAMAKIA" + "Q3Z7M2X5" * 4,  # longer than a key
        "VGhpcyBpcyBub3RoaW5nIGJ1dCBhIGxpbmUgb2YgdGV4dC4=",  # a line of text
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",  # a header alone
        "ＴＯＫＹＯ２０２６　ｎｏｔｅｓ：ｐａｇｅ１２",
        "𝐁𝐨𝐥𝐝 𝐭𝐞𝐱𝐭 of 12 letters",
    ],
)
def test_what_is_only_wrapped_or_glued_stays(text: str) -> None:
    assert mask(text) == text


def test_hexadecimal_of_a_secret_goes_whole_and_a_digest_stays() -> None:
    said = b"token=ghp_" + b"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    for digits in (said.hex(), said.hex().upper()):
        assert digits not in mask(f"stored as {digits} there")
    digest = hashlib.sha256(said).hexdigest()
    assert mask(f"commit {digest} of it") == f"commit {digest} of it"


def test_base64_of_a_secret_goes_whole_and_its_surroundings_stay() -> None:
    wrapped = base64.b64encode(b"user: bob\npassword: Hunter2secret!x\n").decode()
    assert mask(f"data: {wrapped}\nkind: Secret") == "data: [redacted:password]\nkind: Secret"
    twice = base64.b64encode(wrapped.encode()).decode()
    assert mask(f"a {twice} b") == "a [redacted:password] b"
    command = base64.b64encode(("$p = 'ghp_" + "Ab3" * 12).encode("utf-16-le"))
    assert mask(f"powershell -enc {command.decode()}") == "powershell -enc [redacted:github-token]"


def test_letters_of_another_width_hide_no_token() -> None:
    token = "ghp_" + "Ab3" * 12
    bold = "".join(chr(0x1D400 + ord(one) - 65) if one.isupper() else one for one in token)
    assert mask(f"a {bold} b") == "a [redacted:github-token] b"


@pytest.mark.parametrize("end", ["\n", "\\n", " ", "\r\n"])
@pytest.mark.parametrize("label", ["RSA ", "", "OPENSSH ", "EC ", "ENCRYPTED "])
def test_a_private_key_goes_whole(label: str, end: str) -> None:
    lines = [f"-----BEGIN {label}PRIVATE KEY-----", *KEY_LINES, f"-----END {label}PRIVATE KEY-----"]
    masked = mask("here it is: " + end.join(lines) + " and thanks for it")
    assert masked == "here it is: [redacted:private-key] and thanks for it"


def test_a_private_key_with_headers_goes_whole() -> None:
    text = "\n".join(
        [
            "-----BEGIN RSA PRIVATE KEY-----",
            "Proc-Type: 4,ENCRYPTED",
            "DEK-Info: AES-256-CBC,0123456789ABCDEF0123456789ABCDEF",
            "",
            *KEY_LINES,
            "-----END RSA PRIVATE KEY-----",
        ]
    )
    assert mask(text) == "[redacted:private-key]"


def test_a_private_key_without_its_end_goes_as_far_as_it_reaches() -> None:
    text = "\n".join(["-----BEGIN PRIVATE KEY-----", *KEY_LINES[:2], "that was it, what now?"])
    assert mask(text) == "[redacted:private-key]\nthat was it, what now?"


def test_a_private_key_without_its_beginning_goes() -> None:
    text = "\n".join(["see:", *KEY_LINES, "-----END PRIVATE KEY-----", "that was it"])
    assert mask(text) == "see:\n[redacted:private-key]\nthat was it"


def test_a_badge_behind_a_token_stays() -> None:
    masked = mask("[![x](https://x/y.svg?token=GB9EmYKPAl)](https://x/z)")
    assert masked == "[![x](https://x/y.svg?token=[redacted:secret])](https://x/z)"


def test_two_private_keys_stay_two() -> None:
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *KEY_LINES, "-----END PRIVATE KEY-----"])
    assert mask(f"{key}\nand\n{key}") == "[redacted:private-key]\nand\n[redacted:private-key]"


def test_an_aws_secret_beside_its_key_id_goes() -> None:
    secret = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCY" + "EXAMPLEKEY"
    masked = mask("aws AKIA" + "IOSFODNN7EXAMPLE " + secret)
    assert masked == "aws [redacted:aws-key] [redacted:aws-secret]"


def test_a_quoted_pass_phrase_goes_with_its_blanks() -> None:
    assert mask('passphrase: "correct horse battery"') == 'passphrase: "[redacted:password]"'


def test_a_password_of_plain_letters_goes_when_nothing_else_follows() -> None:
    assert mask("password: swordfish\nthanks") == "password: [redacted:password]\nthanks"


def test_host_and_user_of_an_address_stay() -> None:
    masked = mask("postgres://app:hunter2-x@db.internal:5432/app")
    assert masked == "postgres://app:[redacted:url-password]@db.internal:5432/app"


def test_the_next_pair_behind_a_password_stays() -> None:
    masked = mask("Server=db;Password=abc1;Timeout=30")
    assert masked == "Server=db;Password=[redacted:password];Timeout=30"


@pytest.mark.shared
def test_no_piece_of_a_secret_of_case_c21_stays(shared: Path) -> None:
    case = shared / "cases" / "c21-secrets-in-transcript"
    secrets = json.loads((case / "secrets.json").read_text())
    kept = json.loads((case / "expect.json").read_text())["checks"][0]["expect"]["still_contains"]
    [transcript] = (case / "home/.openclaw/agents/main/sessions").glob("*.jsonl")
    records = [json.loads(line) for line in transcript.read_text().splitlines()]
    spoken = [one["message"]["content"][0]["text"] for one in records if "message" in one]
    text = "\n".join(map(mask, spoken))
    assert [secret for secret in secrets if leaks(secret, text)] == []
    assert [piece for piece in kept if piece not in text] == []


@pytest.mark.parametrize(
    "unit",
    [
        *("The quick brown fox jumps over it. ", "password: ", "password=a,", "token ", "key "),
        *("sk-", "eyJ", "://a:b", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\nAA"),
        *(
            "aaaaaaaaaaaa ",
            "QUJD",
            "curl ",
            "password>",
            "pass",
            "xox",
            '"password":"',
            '\\"',
            ":AA",
        ),
    ],
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    seconds(1000)
    small = min(seconds(4_000) for _ in range(3))
    large = seconds(16 * 4_000)
    assert large < 4 * 16 * max(small, 0.0005)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER ROLE app WITH PASSWORD '{}';",
        "create user app password '{}'",
        "CREATE ROLE app LOGIN ENCRYPTED PASSWORD '{}'",
        "SET PASSWORD FOR app = PASSWORD('{}')",
        "CREATE LOGIN app WITH PASSWORD = N'{}'",
    ],
)
def test_a_password_in_sql_goes_however_plain_it_is(statement: str) -> None:
    assert mask(statement.format("hunter2xyz")) == statement.format("[redacted:password]")


def test_a_pin_and_a_spanish_secret_go() -> None:
    assert mask("pin-code: 482913") == "pin-code: [redacted:pin]"
    assert mask("secreto: a1b2c3d4e5") == "secreto: [redacted:secret]"


def test_a_field_that_says_it_is_a_hash_holds_no_secret() -> None:
    digest = "IGQhW-hVn1GzyuS2vLk-qPfa4uh0tTemcJLOjqD7mKk"
    row = f'{{"key":"tool:call00005:1795816108770","sourceHash":"{digest}"}}'
    for text in (row, row.replace('"', '\\"')):
        assert mask(text) == text
    assert digest not in mask(f'{{"key":"tool","value":"{digest}"}}')


def test_a_picture_in_lines_of_base64_is_read_once() -> None:
    """Its first lines are text, and its last ones none: each line begins what could be a text."""
    text = b64encode(b"hello there friend, " * 9_000 + bytes(range(256))).decode()
    lines = "\n".join(text[at : at + 76] for at in range(0, len(text), 76))
    assert mask(lines) == lines  # minutes, were all that follows read again from every line


@pytest.mark.parametrize("word", ["", "x", "ab", "key", "value7"])
@pytest.mark.parametrize("behind", ["", "end"])
def test_base64_that_is_glued_to_a_word_is_opened(word: str, behind: str) -> None:
    said = b64encode(b"use sk-ant-" + b"api03-" + b"Ab1x" * 9 + b" for it").decode()
    assert said[8:40] not in mask(f"see {word}{said}{behind} there")
    plain = b64encode(b"the boat is blue, and the river is wide").decode()
    assert mask(f"see {word}{plain}{behind} there") == f"see {word}{plain}{behind} there"
