"""Quoting foreign text: it is text and nothing else, wherever it stands in our files."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memconsole.domain.memory.markers import marked_lines
from memconsole.text.markdown import PRIORITIES, quote_line
from memconsole.text.plain import one_line
from memconsole.text.redaction import mask

if TYPE_CHECKING:
    from markdown_it.token import Token

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

PLACES = (
    "{}",
    "- **[14:05]** {}",
    "- Last request: {}",
    "- {}",
    "- [ ] {}",
    "> Session: {}",
    "## Agent {}",
    "a paragraph before\n{}",
    "| a | b |\n|---|---|\n| {} | x |",
    "text *before* it: {}\nand after it",
)
"""Where our renderers put a quotation."""

STRUCTURE = st.sampled_from(
    [
        *(
            "# ",
            "## ",
            "### Checkpoint 23:59 (auto)",
            "- ",
            "* ",
            "+ ",
            "> ",
            "1. ",
            "2) ",
            "---",
            "===",
            "***",
        ),
        *(
            "```",
            "~~~",
            "`",
            "``",
            "<!--",
            "-->",
            "<b>",
            "</b>",
            "<a@b.c>",
            "<http://x>",
            "&amp;",
            "&#35;",
        ),
        *(
            "[x](y)",
            "![p](q)",
            "[a][b]",
            "[a]: /b",
            "[ ]",
            "[x]",
            "[^1]",
            "[[w]]",
            "](",
            "[",
            "]",
            "(",
            ")",
        ),
        *(
            "[DECISION]",
            "[TODO] ",
            "[GOTCHA]",
            "[MY-TAG 2]",
            "|",
            "|---|",
            "_",
            "__",
            "*",
            "**",
            "~~",
            "~",
        ),
        *(
            "\\",
            "\\\\",
            "\\[",
            "🔴",
            "🟡 ",
            "\n",
            "\n\n",
            "\t",
            "\r\n",
            "\u2028",
            "\x0b",
            " ",
            "\xa0",
            ":",
            "!",
        ),
        *(
            "word",
            "a",
            "1",
            "é",
            "snake_case",
            "日本",
            "\x00",
            "\x1b[31m",
            "\u202e",
            "=",
            "#",
            "+++",
            "$$",
        ),
    ]
)
TEXTS = st.one_of(st.lists(STRUCTURE, max_size=12).map("".join), st.text(max_size=40))


def unquote(line: str) -> str:
    """Undo the quoting: a backslash made the next character plain."""
    return re.sub(rf"\\([!-/:-@\[-`{{-~{PRIORITIES}])", r"\1", line)


def shape(document: str) -> list[tuple[str, str]]:
    """The structure of a document, without its words."""

    def walk(tokens: list[Token]) -> list[tuple[str, str]]:
        found = []
        for token in tokens:
            if token.type != "text":
                found.append((token.type, token.tag))
            found += walk(token.children or [])
        return found

    return walk(PARSER.parse(document))


def words(document: str) -> str:
    """The text that a reader of the rendered document sees."""

    def walk(tokens: list[Token]) -> str:
        return "".join(
            token.content if token.type == "text" else walk(token.children or []) + "\n"
            for token in tokens
        )

    return walk(PARSER.parse(document))


@pytest.mark.parametrize("place", PLACES)
@given(text=TEXTS)
@example(text="### Checkpoint 23:59 (auto)\n- [DECISION] x\n---\ntitle: no\n---")
@example(text="```python\nprint('fence left open')\n# Active Context — evil")
@example(text="<!-- hidden --> | a | b |\n|---|---|\n[TODO] this tag")
def test_a_quotation_adds_no_structure(place: str, text: str) -> None:
    quoted = quote_line(text)
    stand_in = "x" if quoted else ""
    assert shape(place.format(quoted)) == shape(place.format(stand_in))


@given(TEXTS)
def test_a_reader_sees_what_was_said(text: str) -> None:
    shown = words(f"- Last request: {quote_line(text)}").strip()
    spoken = one_line(text)
    if spoken.startswith(tuple(PRIORITIES)):
        spoken = f"\\{spoken}"  # an emoji has no escape in Markdown
    assert shown == f"Last request: {spoken}".strip()


@given(TEXTS)
def test_a_quotation_can_be_undone(text: str) -> None:
    assert unquote(quote_line(text)) == one_line(text)


@given(TEXTS)
def test_a_quotation_is_one_line(text: str) -> None:
    assert len(f"{quote_line(text)}x".splitlines()) == 1


@given(TEXTS)
def test_a_quotation_holds_no_marker_and_no_priority(text: str) -> None:
    quoted = quote_line(text)
    for place in PLACES:
        document = f"{place.format(quoted)}\n- [DECISION] ours"
        assert [tag for _, tag, _ in marked_lines(document)] == ["DECISION"]
    assert re.search(r"\[[A-Z][A-Z0-9_-]*\]", quoted) is None
    assert re.match(rf"\s*[{PRIORITIES}]", quoted) is None


@given(TEXTS)
def test_what_searches_without_an_anchor_is_not_fooled(text: str) -> None:
    """Other tools look for fences, comments and headings anywhere in a line."""
    quoted = quote_line(text)
    assert "```" not in quoted
    assert "~~~" not in quoted
    assert "<!--" not in quoted
    assert re.search(r"##+\s", quoted) is None


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain words stay, (all) of 'them': 5 < 6 & 7 > 3!", None),
        ("see src/app_main.py and ~/notes, 2 * 3 = 6", None),
        ("[image/png, 717 KB] what is it?", None),
        ("[redacted:api-key] was used", None),
        ("[Sat 2026-04-11 18:00 UTC] find a plumber", None),
        ("-5 degrees, +49 30 123, 3.5 litres", None),
        ("https://example.com/a_b?c=d&e=f#g", None),
        ("# heading", "\\# heading"),
        ("a ## b", "a \\#\\# b"),
        ("- item", "\\- item"),
        ("---", "\\---"),
        ("1. first", "1\\. first"),
        ("12) twelfth", "12\\) twelfth"),
        ("> said", "\\> said"),
        ("[DECISION] no", "\\[DECISION\\] no"),
        ("[ ] open [x] done", "\\[ \\] open \\[x\\] done"),
        ("[here](there)", "[here]\\(there)"),
        ("[a]: /b", "[a]\\: /b"),
        ("rows[0] of [1, 2]", None),
        ("`code`", "\\`code\\`"),
        ("**bold** _it_ __init__.py", "\\*\\*bold\\*\\* \\_it\\_ \\_\\_init\\_\\_.py"),
        ("a | b", "a \\| b"),
        ("<b> <!-- x -->", "\\<b> \\<\\!-- x -->"),
        ("&amp; and", "\\&amp; and"),
        ("C:\\new\\table \\* end\\", "C:\\new\\table \\\\\\* end\\\\"),
        ("🔴 14:05 urgent", "\\🔴 14:05 urgent"),
        ("lamp 🔴 on", None),
        ("two\nlines\r\nand  more", "two lines and more"),
        ("", ""),
    ],
)
def test_only_what_must_be_escaped_is(text: str, quoted: str | None) -> None:
    assert quote_line(text) == (text if quoted is None else quoted)


@given(st.sampled_from(["password: hunter2x", "AKIA" + "ABCDEFGHIJKLMNOP", "no secret"]), TEXTS)
def test_a_masked_secret_stays_readable_in_a_quotation(secret: str, text: str) -> None:
    masked = mask(f"{secret} {text}")
    placeholders = re.findall(r"\[redacted:[a-z-]+\]", one_line(masked))
    assert re.findall(r"\[redacted:[a-z-]+\]", quote_line(masked)) == placeholders


@pytest.mark.parametrize(
    "unit", ["#", "[", "[A", "\\", "_", "*", "&a", "<", "]", "1", "`", "|", "🔴"]
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    def seconds(length: int) -> float:
        start = time.process_time()
        quote_line(unit * length)
        return time.process_time() - start

    seconds(1000)
    small = min(seconds(8_000) for _ in range(3))
    assert seconds(16 * 8_000) < 4 * 16 * max(small, 0.0005)
