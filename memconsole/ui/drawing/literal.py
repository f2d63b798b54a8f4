"""Text of others on its way to the screen: cleaned, masked, literal, in that order.

Controls first: one inside a secret would hide it from the mask.

It stays plain `str` from here on: panes draw it in spans and lines, never as markup.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.text.markdown import unquoted
from memconsole.text.outgoing import let_out
from memconsole.text.plain import clean, one_line

if TYPE_CHECKING:
    from pathlib import Path


@lru_cache(maxsize=16_384)  # the same names come with every key and every reading
def literal(text: str) -> str:
    """Return foreign text as one safe line: secrets masked, nothing cut yet."""
    return one_line(let_out(clean(text)))


def literal_block(text: str) -> str:
    """Return foreign text as safe lines; only line feeds and tabs are left of its controls."""
    return let_out(clean(text))


def literal_quoted(text: str) -> str:
    """Return a line of a file that memconsole writes, as it was said: without its backslashes."""
    return literal(unquoted(text))


def shorter(text: str, home: Path) -> str:
    """Return text with paths inside the platform home shown from there on."""
    return text.replace(f"{home}/", "")
