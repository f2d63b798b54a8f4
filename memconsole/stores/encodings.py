"""In which encoding a text file can be continued, as far as its first and NUL bytes tell."""

from __future__ import annotations

import codecs

_UTF8 = (codecs.BOM_UTF8, "utf-8")
_MARKS = (
    # UTF-32 first: its mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def encoding_of(head: bytes, tail: bytes, size: int) -> str | None:
    """Return the encoding in which the file can be continued; None when it is no whole text.

    Args:
        head: Its first four bytes.
        tail: Its last bytes.
        size: Its size in bytes.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return None if size % (4 if "32" in name else 2) else name
    return None if b"\0" in tail else "utf-8"


def encoded_like(text: str, head: bytes) -> bytes | None:
    """Return the bytes of a text in the encoding of the file it replaces, its mark included.

    Args:
        text: Without a mark.
        head: The first four bytes of the file.

    Returns:
        None when the encoding cannot say it.
    """
    known = ((mark, name) for mark, name in (*_MARKS, _UTF8) if head.startswith(mark))
    mark, name = next(known, (b"", "utf-8"))
    try:
        return mark + text.encode(name)
    except UnicodeEncodeError:
        return None
