"""Quotes foreign text in our Markdown: the one escaping function, used by every renderer.

Quoted text is one line that adds nothing but text to a document: no heading, list, task, quote,
fence, comment, table cell, rule, front matter, link, picture, emphasis, entity or HTML, and no
marker or priority of ours. A backslash in front of a character makes it plain, so a Markdown viewer
shows the text as it was spoken. As few characters as possible are escaped, because agents read
memory files raw. Bare web addresses stay as they are: CommonMark gives them no structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    import re

PRIORITIES = "🔴🟡🟢"
"""Priority signs of observations.md; at the beginning of a line they would be ours."""

_AT_START = (
    r"#(?=#{0,5}(?:\s|$))"  # heading
    r"|[-+](?=[-+\s]|$)"  # list item, rule, front matter
    r"|=(?=[=\s]*$)"  # underline of a heading
    r"|>"  # quote
    rf"|[{PRIORITIES}]"
)
_NUMBERED = r"\d{1,9}(?=[.)](?:\s|$))"

_ANYWHERE = (
    r"[`|]"
    r"|\*(?!\s)|(?<!\s)\*"  # emphasis; `2 * 3` is none
    r"|~(?=~)|(?<=~)~"  # strike-through; `~/notes` is none
    r"|<(?=[A-Za-z/!?])|(?<=<)!"  # HTML, and the comment that counters look for
    r"|&(?=#?\w{1,40};)"  # entity
    r"|#(?=#{1,5}\s)|(?<=#)#(?=\s)"  # a heading for whoever searches without an anchor
    r"|\[(?=[A-Z][A-Z0-9 _-]{0,40}\]|[ xX-]\]|[\[^])"  # marker, box, footnote, wiki link
    r"|(?<=\])[(\[:]"  # link, reference, definition
    rf"|\\(?=[!-/:-@\[-`{{-~{PRIORITIES}]|$)"
)
_TAG_END = r"(?<=\\\[)([A-Z][A-Z0-9 _-]{0,40}|[ xX-])\]"
_QUOTED = rf"\\([!-/:-@\[-`{{-~{PRIORITIES}])"
_UNDERSCORES = r"_+"


def quote_line(text: str) -> str:
    r"""Return foreign text as one line that is only text wherever it stands in our files.

    Quoting again would quote the backslashes: call it once, last, on text that is masked and cut.
    """
    line = one_line(text)
    quoted = compiled(_ANYWHERE).sub(r"\\\g<0>", line)
    quoted = compiled(_TAG_END).sub(r"\1\\]", quoted)
    quoted = compiled(_UNDERSCORES).sub(_emphasis, quoted)
    if (number := compiled(_NUMBERED).match(line)) is not None:
        return f"{number[0]}\\{quoted[number.end() :]}"
    if compiled(_AT_START).match(line) is not None and not quoted.startswith("\\"):
        return f"\\{quoted}"
    return quoted


def unquoted(text: str) -> str:
    """Return what a reader sees of a quoted text: backslashes in front of signs are gone."""
    return compiled(_QUOTED).sub(r"\1", text)


def _emphasis(run: re.Match[str]) -> str:
    """Escape underscores unless they stand inside a word or alone."""
    before, after = run.string[: run.start()][-1:], run.string[run.end() :][:1]
    if (before.isalnum() and after.isalnum()) or (before.isspace() and after.isspace()):
        return run[0]
    return run[0].replace("_", "\\_")


def addition(tail: str | None, entry: str, header: str) -> str:
    r"""Return the text to append, in the line ending that the file already has.

    Args:
        tail: The end of the file as it is, line ends untouched; None or empty for a new file.
        entry: Lines ending in `\n`.
        header: Stands in front of the entry in a new file.
    """
    if not tail:
        return header + entry
    ending = line_ending(tail)
    gap = "" if tail.endswith(("\n", ending)) else ending
    return gap + entry.replace("\n", ending)


def line_ending(text: str) -> str:
    r"""Return the line ending that most lines of a text have; `\n` when it has none."""
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    mac = text.count("\r") - windows
    if windows > max(unix, mac):
        return "\r\n"
    return "\r" if mac > unix else "\n"
