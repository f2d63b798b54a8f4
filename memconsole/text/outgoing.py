"""The one way out: every text that a file, database, log, alert, face or model gets passes here.

Secrets become `[redacted:<kind>]` before anything is cut. What is known to be none costs
next to nothing, and loads nothing.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memconsole.text.redaction import Secret

_PLAIN = r"[0-9a-f-]{1,36}|[a-z]{1,12}"
"""Ids in hexadecimal and single words: no secret looks like them, and there are thousands."""

_MARK_CHARS = 6
"""Hexadecimal digits that tell two masked names apart, and tell nothing of what was masked."""


def let_out(text: str, *, redacts: bool = True, keeps_lines: bool = False) -> str:
    """Return a text as it may leave.

    Args:
        text: Whole, not cut yet; characters that nobody sees are gone.
        redacts: False where the configuration says `redact.enabled = false`.
        keeps_lines: Lines keep their numbers, also where a secret reached over several.
    """
    if not redacts or not text or compiled(_PLAIN).fullmatch(text):
        return text
    from memconsole.text.redaction import mask  # noqa: PLC0415 - most looks need none of it

    return mask(text, keeps_lines=keeps_lines)


def let_out_all(texts: Iterable[str], *, redacts: bool = True) -> dict[str, str]:
    """Return what `let_out` makes of each of many texts, which costs less than one by one."""
    found = {one: one for one in texts}
    is_plain = compiled(_PLAIN).fullmatch
    if redacts and (unsure := [one for one in found if one and not is_plain(one)]):
        from memconsole.text.redaction import mask_all  # noqa: PLC0415 - as above

        found.update(mask_all(unsure))
    return found


def kept_in(text: str) -> list[Secret]:
    """Return where the secrets of a text stand that `let_out` masks, in order."""
    from memconsole.text.redaction import secrets_in  # noqa: PLC0415 - as above

    return secrets_in(text)


def way_out(*, redacts: bool, keeps_lines: bool = False) -> Callable[[str], str]:
    """Return `let_out` with its switches set."""
    return partial(let_out, redacts=redacts, keeps_lines=keeps_lines)


@lru_cache(maxsize=8192)
def name_out(name: str, *, redacts: bool = True) -> str:
    """Return a name by which something is found again: masked, and still one of its own.

    Two names that differ in their secret only stay two. Masking it again changes nothing.
    """
    masked = let_out(name, redacts=redacts)
    if masked == name:
        return name
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and few names are masked

    mark = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]
    return f"{masked}~{mark}"
