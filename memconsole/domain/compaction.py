"""Whether a compaction kept anything (A14, A15)."""

from __future__ import annotations

from memconsole.domain.compaction_evidence import Fault, judge_text
from memconsole.domain.gateway import version_of

_SUMMARISES_SINCE = (2026, 7)
"""Releases before only cut lines off (formats, clawdbot-file-era §9)."""

_INSTRUCTED_AFTER = (2026, 9)
"""No release up to this one takes any: its `sessions.compact` knows a key and `maxLines`."""


def cuts_only(version: str | None) -> bool:
    """Tell whether `sessions.compact` of a release makes no summary; an unknown one may not."""
    known = version_of(version)
    return known is None or known < _SUMMARISES_SINCE


def takes_instructions(version: str | None) -> bool | None:
    """Tell whether `sessions.compact` of a release heeds instructions; None when nobody knows."""
    known = version_of(version)
    return None if known is None or known[:2] > _INSTRUCTED_AFTER else False


def judge_summary(summary: str | None) -> str | None:
    """Return what is wrong with a summary, as the end of a sentence; None when nothing is."""
    fault = judge_text(summary)
    if fault is None or not fault.is_loss:
        return None
    return "its summary is empty" if fault is Fault.EMPTY else "its summary says nothing"
