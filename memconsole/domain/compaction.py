"""Whether a compaction kept anything (A14, A15)."""

from __future__ import annotations

from memconsole.domain.gateway import version_of

_SUMMARISES_SINCE = (2026, 7)
"""Releases before only cut lines off (formats, clawdbot-file-era §9)."""

_EMPTY_WORDS = ("summary unavailable", "no prior history")
_LONGEST_EMPTY = 600
"""A longer summary that merely quotes such words says something."""


def cuts_only(version: str | None) -> bool:
    """Tell whether `sessions.compact` of a release makes no summary; an unknown one may not."""
    known = version_of(version)
    return known is None or known < _SUMMARISES_SINCE


def judge_summary(summary: str | None) -> str | None:
    """Return what is wrong with a summary, as the end of a sentence; None when nothing is."""
    words = (summary or "").strip()
    if not words:
        return "its summary is empty"
    is_short = len(words) <= _LONGEST_EMPTY
    if is_short and any(one in words.lower() for one in _EMPTY_WORDS):
        return "its summary says nothing"
    return None
