"""Marked lines: the eight tags, outside of fences and comments."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.memory.markers import marked_lines
from memconsole.text.fences import hidden_spans


def found(text: str) -> list[tuple[int, str]]:
    return [(line, tag) for line, tag, _ in marked_lines(text)]


@pytest.mark.parametrize("tag", MARKER_TAGS)
def test_every_tag_counts(tag: str) -> None:
    assert list(marked_lines(f"# Title\n\n- [{tag}] words\n")) == [(3, tag, f"[{tag}] words")]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("- [TODO] buy toner", "[TODO] buy toner"),
        ("  * 🟤 [TODO] x  ", "🟤 [TODO] x"),
        ("12. [TODO]", "[TODO]"),
        ("> > - [TODO] quoted", "[TODO] quoted"),
        ("- [ ] [TODO] box", "[ ] [TODO] box"),
        ("in the middle [TODO] of it", "in the middle [TODO] of it"),
        ("[TODO]: https://example.org", "[TODO]: https://example.org"),
        ("-[TODO] no blank", "-[TODO] no blank"),
    ],
)
def test_the_text_is_the_line_without_its_bullet(line: str, text: str) -> None:
    assert list(marked_lines(line)) == [(1, "TODO", text)]


@pytest.mark.parametrize(
    "line",
    [
        "- [todo] lower case",
        "- [Todo] mixed",
        "- [ TODO ] blanks",
        "- TODO without brackets",
        "- [TODOS] another word",
        r"- \[TODO] escaped",
        r"- \\\[TODO] three backslashes escape",
        "- 🟤 the emoji alone",
        "- [DECISI\u041eN] a letter that only looks the same",
        "",
    ],
)
def test_what_is_no_marker(line: str) -> None:
    assert found(line) == []


def test_an_even_number_of_backslashes_escapes_nothing() -> None:
    assert found(r"- \\[TODO] x") == [(1, "TODO")]


def test_a_line_counts_once_under_its_first_tag_that_is_not_escaped() -> None:
    text = "- [PATTERN] a [PATTERN] b\n- \\[FACT] [GOTCHA] c [TODO]\n- [TODO]"
    assert found(text) == [(1, "PATTERN"), (2, "GOTCHA"), (3, "TODO")]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_of_every_kind(ending: str) -> None:
    text = ending.join(["# t", "", "- [FACT] a", "x", "- [TODO] b", ""])
    assert list(marked_lines(text)) == [(3, "FACT", "[FACT] a"), (5, "TODO", "[TODO] b")]


def test_separators_that_only_python_takes_for_line_ends_do_not_shift_the_numbers() -> None:
    assert found("a\x0cb\u2028c\x85d\n[TODO]") == [(2, "TODO")]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```\n[TODO]\n```\n[TODO]", [4]),
        ("~~~ text\n[TODO]\n```\n[TODO]\n~~~\n[TODO]", [6]),
        ("````\n```\n[TODO]\n````\n[TODO]", [5]),
        ("   ```\n[TODO]\n  ```\n[TODO]", [4]),
        ("```\n[TODO]\nnever closed [TODO]", []),
        ("```\n[TODO]\n``` text\n[TODO]", []),
        ("```\n[TODO]\n    ```\n[TODO]", []),
        ("``` a`b\n[TODO]", [2]),
        ("    ```\n[TODO]", [2]),
        ("``\n[TODO]\n``", [2]),
        ("- item\n  ```\n  [TODO]\n  ```\n- [TODO]", [5]),
        ("1. - deep\n\n     ~~~\n     [TODO]\n     ~~~\n     [TODO]", [6]),
        ("- ```\n  [TODO]\n- [TODO] the fence ended with its item", [3]),
        ("> ```\n> [TODO]\n[TODO] the fence ended with its quote", [3]),
        ("-\t```\n\t[TODO]\n\t```\n[TODO]", [4]),
        ("-\n  ```\n  [TODO]\n  ```", []),
        ("-\n\n  ```\n  [TODO]\n  ```\n[TODO]", [6]),
        ("```[TODO] in the info string\n```\n[TODO]", [3]),
        ("text\n```\n[TODO]\n```", []),
        ("10. x\n    ```\n    [TODO]\n    ```\n    [TODO]", [5]),
        ("> - [TODO]\n>   ```\n>   [TODO]\n\n[TODO]", [1, 5]),
        ("-     ```\n[TODO]", [2]),
        ("- a\nlazy\n===\n      ```\n[TODO]", [5]),
        ("* * *\n```\n[TODO]\n```", []),
        ("- a\n\n\n  ```\n  [TODO]\n  ```", []),
        ("# [TODO]\n```\n[TODO]", [1]),
    ],
)
def test_fences(text: str, lines: list[int]) -> None:
    assert [line for line, _ in found(text)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("<!-- [TODO] -->", []),
        ("<!-- [FACT] --> [TODO]", [1]),
        ("[TODO] x <!-- dc:type=todo -->", [1]),
        ("a <!--\n[TODO]\n\n[TODO]\n--> [TODO]\n[TODO]", [5, 6]),
        ("<!-- a --> <!-- [TODO]\n--> [TODO] <!-- [TODO]\n-->", [2]),
        ("<!--> [TODO]", [1]),
        ("<!---> [TODO]", [1]),
        ("<!-- never closed\n\n[TODO]", []),
        ("- <!-- never closed\n\n[TODO]", []),
        ("a <!-- never closed\n[TODO]", [2]),
        ("--> [TODO] <!-- a", [1]),
        (r"\<!-- [TODO] -->", [1]),
        ("`<!--` [TODO]\n-->", [1]),
        ("`` ` <!-- `` [TODO]\n-->", [1]),
        ("` <!-- [TODO]\n-->", []),
        ("```\n<!--\n```\n[TODO]\n-->", [4]),
        ("<!--\n```\n-->\n[TODO]\n<!-- ``` -->\n[TODO]", [4, 6]),
        ("- ```\n  <!--\n- [TODO]\n\n-->", [3]),
        ("<!-- a -->```\n[TODO]", [2]),
    ],
)
def test_comments(text: str, lines: list[int]) -> None:
    assert [line for line, _ in found(text)] == lines


def test_nesting_without_end_is_plain_text() -> None:
    text = "> " * 5000 + "\n" + ">" * 5000 + "```\n[TODO]"
    assert found(text) == [(3, "TODO")]


TAG = re.compile("|".join(re.escape(f"[{tag}]") for tag in MARKER_TAGS))
PIECES = ["[TODO]", "[FACT]", "[todo]", "\\", "a", " ", "- ", "\n", "\r\n", "é", "<!--", "-->", "["]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_lines_agree_with_a_slow_reading(text: str) -> None:
    visible = text.replace("\r\n", "\n").replace("\r", "\n")
    done = ""
    while opening := re.search(r"(?<!\\)((?:\\\\)*)<!--", visible):
        start = opening.end(1)
        end = visible.find("-->", start + 2)
        if end >= 0:
            hidden = "\n" * visible.count("\n", start, end)
            done, visible = done + visible[:start] + hidden + "\0", visible[end + 3 :]
            continue
        line_start = (done + visible[:start]).rsplit("\n", 1)[-1]
        is_block = not re.sub(r"\0", "x", line_start).strip(" -")
        cut = start if is_block else start + 4
        done, visible = done + visible[:cut], "" if is_block else visible[cut:]
    slow = []
    for number, line in enumerate((done + visible).split("\n"), 1):
        tags = (m for m in TAG.finditer(line) if not _is_escaped(line[: m.start()]))
        slow += [(number, tag[0][1:-1]) for tag in list(tags)[:1]]
    assert found(text) == slow


def _is_escaped(before: str) -> bool:
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


PREFIXES = ["", "", "", " ", "  ", "   ", "- ", "* ", "1. ", "2) ", "> ", ">", "10. "]
LEAVES = ["text", "```", "~~~", "````", "```py", "``` a`b", "# h", "---", "===", "", "- ", "1."]
LINE = st.tuples(st.lists(st.sampled_from(PREFIXES), max_size=3), st.sampled_from(LEAVES))


@settings(derandomize=True)
@given(st.lists(LINE.map(lambda parts: "".join(parts[0]) + parts[1]), min_size=1, max_size=8))
def test_fences_are_those_of_a_markdown_parser(lines: list[str]) -> None:
    text = "\n".join(lines)
    ours = {
        number
        for start, end in hidden_spans(text)
        for number in range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)
    }
    theirs = {
        number
        for token in MarkdownIt("commonmark").parse(text)
        if token.type == "fence" and token.map
        for number in range(*token.map)
    }
    written = {number for number, line in enumerate(lines) if line.strip(" >")}
    assert ours & written == theirs & written


@given(st.text())
def test_any_text_is_read_without_an_error_and_only_real_lines_are_named(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, tag, line in marked_lines(text):
        assert f"[{tag}]" in line
        assert line in lines[number - 1]
