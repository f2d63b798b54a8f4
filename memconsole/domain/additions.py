"""What is added to the end of a text that others write too (mission §3, case c17)."""

from __future__ import annotations


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
