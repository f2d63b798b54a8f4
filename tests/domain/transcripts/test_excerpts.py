"""What a checkpoint takes out of messages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.transcripts.excerpts import Spoken, files, open_items, take
from memconsole.domain.transcripts.records import Message, MessageKind
from memconsole.text.redaction import mask

AT = datetime(2026, 1, 26, 13, 5, tzinfo=UTC)


def message(text: str, role: str = "user", attachments: tuple[str, ...] = ()) -> Message:
    return Message(MessageKind.MESSAGE, text, at=AT, role=role, attachments=attachments)


def test_messages_are_masked_and_put_on_one_line() -> None:
    talk = take(
        [
            message("deploy with\nAPI_KEY=abc123def456ghi7  now", attachments=("image/png, 1 KB",)),
            message("done,\n\n- [ ] look at src/app.py\n", role="assistant"),
        ],
        mask,
    )
    assert talk.spoken == (
        Spoken("user", AT, "[image/png, 1 KB] deploy with API_KEY=[redacted:secret] now"),
        Spoken("assistant", AT, "done, - [ ] look at src/app.py"),
    )
    assert talk.open_items == ("look at src/app.py",)
    assert talk.files == ("src/app.py",)
    assert talk.masked == 1


def test_a_secret_is_masked_before_the_message_is_cut() -> None:
    text = "x" * 990 + " password=hunter2hunter2"
    [spoken] = take([message(text)], mask).spoken
    assert "hunter" not in spoken.text
    assert len(spoken.text) <= 1000


def test_a_secret_is_no_file_and_no_item() -> None:
    text = "- [ ] ask https://bob:hunter2@host/x.md with token=abc123def456ghi7"
    talk = take([message(text)], mask)
    assert talk.files == ()
    [item] = talk.open_items
    assert item == "ask https://bob:[redacted:url-password]@host/x.md with token=[redacted:secret]"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- [ ] one\n* [ ] two\n+ [ ] three\n1. [ ] four", ("one", "two", "three", "four")),
        ("  - [ ] indented\n> - [ ] quoted", ("indented", "quoted")),
        ("- [x] done\n- [X] done too\n[ ] no list\n- [] no box\n-[ ] no blank", ()),
        ("- [ ] once\n- [ ] Once\n- [ ] once ", ("once",)),
        ("- [ ] buy milk\n- [ ] call Sam\n- [x] buy milk", ("call Sam",)),
        ("- [x] buy milk\n- [ ] buy milk", ("buy milk",)),
        ("[TODO] buy toner", ("buy toner",)),
        ("- [TODO]: buy toner", ("buy toner",)),
        ("remember [TODO] buy toner", ("buy toner",)),
        ("- buy toner [TODO]", ("buy toner",)),
        ("[TODO]", ()),
        ("[todo] no\nTODO: no", ()),
        ("- [ ] " + "x" * 500, ("x" * 199 + "…",)),
    ],
)
def test_open_items(text: str, items: tuple[str, ...]) -> None:
    assert open_items([text]) == items


def test_of_many_open_items_the_newest_ten_stay() -> None:
    texts = [f"- [ ] item {number}" for number in range(15)]
    assert open_items(texts) == tuple(f"item {number}" for number in range(5, 15))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/app.py.", ("src/app.py",)),
        ("see `src/app.py`, ./a/b.md; ../c/d.txt", ("src/app.py", "./a/b.md", "../c/d.txt")),
        ("(/etc/nginx/nginx.conf) ~/notes/todo.md", ("/etc/nginx/nginx.conf", "~/notes/todo.md")),
        ("src/app.py:12 src/b_c.py:3:7 at src/d.py#L4", ("src/app.py", "src/b_c.py", "src/d.py")),
        ("--file=src/app.py Datei:docs/größe.md", ("src/app.py", "docs/größe.md")),
        (
            "infra/staging/app.env and a/b-c@2.x/d.json5",
            ("infra/staging/app.env", "a/b-c@2.x/d.json5"),
        ),
        ("https://example.com/a/b.html http://x/y.md", ()),
        ("example.com/a/b.html www.example.org/x.md docs.rs.io/a/b.md", ()),
        ("node_modules/x/index.js src/node_modules/y.js", ()),
        ("app.py README.md and/or w/o 1/2 3/4.5 2026/04/12.0", ()),
        ("a/b.c x/y.abcdefghijk", ()),
        ("src/app.py src/app.py SRC/app.py", ("src/app.py", "SRC/app.py")),
        ("日本/語.md", ("日本/語.md",)),
        ("/.hidden/x.md src/.env.local", ("/.hidden/x.md", "src/.env.local")),
        ("x" * 250 + "/a.py", ()),
    ],
)
def test_files(text: str, paths: tuple[str, ...]) -> None:
    assert files([text]) == paths


def test_of_many_files_twenty_stay_in_order() -> None:
    texts = [f"src/file{number}.py" for number in range(30)]
    assert len(files(texts)) == 20
    assert list(files(texts)) == sorted(files(texts), key=texts.index)


@given(st.lists(st.text(), max_size=5))
def test_any_text_is_survived(texts: list[str]) -> None:
    talk = take([message(text) for text in texts], mask)
    assert len(talk.spoken) == len(texts)
    for path in talk.files:
        assert "/" in path
        assert not set("`[]()<>|\n ") & set(path)
    for item in talk.open_items:
        assert len(item.splitlines()) == 1
