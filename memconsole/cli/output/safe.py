"""The last step of every text on its way out: readable, harmless, without secrets.

Control characters go first, so that an invisible one cannot hide a secret from the mask; cutting to
a width comes after both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memconsole.text.outgoing import let_out, let_out_all
from memconsole.text.plain import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


def visible(text: str) -> str:
    r"""Return `text` with undecodable bytes of file names written as `\xff`."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


_PLAIN = re.compile(r"[0-9a-f-]{1,36}|[a-z]{1,12}")
"""Ids in hexadecimal and single words: no secret looks like them, and there are thousands."""


@lru_cache(maxsize=8192)
def line(text: str, *, redact: bool = True) -> str:
    """Return foreign text as one line for people."""
    if _PLAIN.fullmatch(text):
        return text
    cleaned = one_line(_decoded(text))
    return let_out(cleaned, redacts=redact)


def block(text: str, *, redact: bool = True) -> str:
    """Return foreign text for people with its line feeds and tabs kept."""
    cleaned = clean(_decoded(text))
    return let_out(cleaned, redacts=redact)


def values(texts: Iterable[str], *, redact: bool = True) -> dict[str, str]:
    """Return each foreign text as it is for a machine; line feeds and tabs are kept."""
    cleaned = {one: clean(one) for one in texts}
    masked = let_out_all(cleaned.values(), redacts=redact)
    return {one: masked[text] for one, text in cleaned.items()}


@lru_cache(maxsize=8192)
def path(text: str, *, redact: bool = True) -> str:
    r"""Return a path for a machine: as on disk, so that it can be opened.

    JSON is UTF-8, and a strict reader refuses a whole answer over half a pair of surrogates: a byte
    of a name that is no UTF-8 is written as `\xff`.
    """
    return let_out(_decoded(text), redacts=redact)


def _decoded(text: str) -> str:
    try:
        return visible(text)
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return text.encode("utf-8", "replace").decode("utf-8")
