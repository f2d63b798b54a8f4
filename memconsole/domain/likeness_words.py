"""Words and signs that turn the meaning of a sentence around (mission §12); see `likeness.py`."""

from __future__ import annotations

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|cant"
    r"|wont|isnt|avoid(?:s|ed|ing)?|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|nunca|sin|não|niet"
    r"|geen|не|нет|никогда|без)\b|[不没沒別别未勿无無]|ない|ません|않|없",
    re.IGNORECASE,
)
_OPPOSITES: Final = (
    ("enable", "disable"),
    ("enables", "disables"),
    ("enabled", "disabled"),
    ("enabling", "disabling"),
    ("on", "off"),
    ("true", "false"),
    ("yes", "no"),
    ("allow", "deny", "forbid", "block"),
    ("allowed", "denied", "forbidden", "blocked"),
    ("add", "remove", "delete", "drop"),
    ("added", "removed", "deleted", "dropped"),
    ("start", "stop", "pause"),
    ("started", "stopped", "paused"),
    ("before", "after"),
    ("more", "less", "fewer"),
    ("up", "down"),
    ("increase", "decrease", "reduce"),
    ("increased", "decreased", "reduced"),
    ("always", "sometimes", "rarely"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("open", "close"),
    ("opened", "closed"),
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("like", "dislike"),
    ("likes", "dislikes", "hates"),
    ("love", "hate"),
    ("loves", "hates"),
    ("with", "without"),
    ("public", "private"),
    ("read", "write"),
    ("first", "last"),
    ("success", "failure"),
    ("succeeded", "failed"),
    ("passed", "failed"),
    ("works", "fails", "broken"),
    ("old", "new"),
    ("left", "right"),
    ("morning", "evening", "night"),
    ("staging", "production"),
    ("install", "uninstall"),
    ("installed", "uninstalled"),
    ("include", "exclude"),
    ("included", "excluded"),
    ("sync", "async"),
    ("lock", "unlock"),
    ("locked", "unlocked"),
)
POLES: Final = frozenset(word for words in _OPPOSITES for word in words)

NUMBER_WORDS: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty"
    " sixty seventy eighty ninety hundred thousand million once twice thrice half"
    " monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday"
    " january february march april june july august september october november december"
)
IDENTIFIER = re.compile(
    r"[A-Za-z0-9_./:@#+~$%€£-]*\d[A-Za-z0-9_./:@#+~%€£-]*"  # holds a digit
    r"|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+"  # snake_case
    r"|[A-Za-z0-9_~-]*(?:[./][A-Za-z0-9_-]+)+"  # path, host, module
    r"|--?[a-z][a-z-]+(?=[\s=]|$)"  # an option
    r"|(?<=\s)[<>=!]=?(?=\s)"  # a comparison
)
ORDER = re.compile(
    r"\b(?:over|instead of|rather than|than|in favou?r of|replac\w+|from\b.*\bto|before|after"
    r"|statt|anstatt|lieber)\b",
    re.IGNORECASE,
)
NO_NAMES: Final = _words(
    "i i'm i'd i'll i've the a an it its it's this that these those he she we they you your my our"
    " his her their and but or so if when while as at in on for to of with by from then there here"
    " what which who how why is are was were be do does did not no yes ok also"
)
