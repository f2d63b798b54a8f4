"""Judges whether a compaction lost what it should have kept, as the transcript itself shows.

The signatures were measured on releases of every era (`docs/formats.md`, "Compactions"). Whatever a
compaction lost from the model's context still stands in the same transcript, before it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.release import version_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.transcripts.records import Compaction


_SUMMARISES_SINCE = (2026, 7)
"""Releases before only cut lines off."""

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


CASCADE = 3
CASCADE_SPAN = timedelta(minutes=10)
"""So many compactions in so short a time are a cascade."""

MIN_DURATION_MS = 100
"""A real summary takes 5 to 30 seconds."""

_LONGEST_QUOTE = 600
"""A longer summary that merely contains the words of a failure says something."""
_SHORT_CHARS, _SHORT_TOKENS = 200, 5_000
"""So short a summary of so many tokens is suspicious."""

_FILES = re.compile(r"<(read|modified)-files>.*?(?:</\1-files>|\Z)", re.DOTALL)
_LOST = re.compile(
    r"summary unavailable due to|context contained \d+ messages[^\n]*summary unavailable",
    re.IGNORECASE,
)
_LOST_WORDS = "summary unavailable"
_BLANK_WORDS = "no prior history"
_SPLIT = re.compile(r"^\**turn context \(split turn\):?\**:?\s*$", re.IGNORECASE | re.MULTILINE)
_QUOTED = ("latest user request context", "recent turns preserved verbatim", "tool failures")
"""Sections that quote the session or list tools; they are no summary of it."""
_FILLERS = frozenset({"", "none", "none captured", "no prior history", "n/a", "---", "***"})


class Fault(StrEnum):
    """What is wrong with a compaction."""

    EMPTY = "empty-summary"
    UNAVAILABLE = "summary-unavailable"
    BLANK = "blank-template"
    TOO_FAST = "too-fast"
    BLANK_HISTORY = "blank-history"
    TOO_SHORT = "too-short"

    @property
    def is_loss(self) -> bool:
        """Whether turns are certainly lost from the context; else it only looks like it."""
        return self not in (Fault.BLANK_HISTORY, Fault.TOO_SHORT)

    @property
    def severity(self) -> Severity:
        """Critical for a loss, else a warning."""
        return Severity.CRITICAL if self.is_loss else Severity.WARNING


_WORDS = {
    Fault.EMPTY: "its summary is empty",
    Fault.UNAVAILABLE: 'its summary is only "Summary unavailable"',
    Fault.BLANK: 'its summary is a blank template ("No prior history.")',
    Fault.TOO_FAST: "it took {duration} ms, and a real summary takes seconds",
    Fault.BLANK_HISTORY: 'its summary says "No prior history." of a session that has one',
    Fault.TOO_SHORT: "its summary has {chars} characters for {before} tokens",
}


@dataclass(frozen=True, slots=True)
class BadCompaction:
    """One compaction that lost something, or looks like it.

    Attributes:
        key: Session key; None for a transcript that no entry names.
        at: Time of the compaction; None when the record has no usable time.
        why: The end of a sentence that begins with the compaction.
        tokens_before: Context before it, as the platform noted.
    """

    agent: AgentRef
    key: str | None
    session_id: str
    at: datetime | None
    fault: Fault
    why: str
    tokens_before: int | None = None

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.fault.severity

    @property
    def recovery(self) -> str:
        """The call that saves what stands in the transcript before it."""
        words = ("memconsole", "observe", "--agent", self.agent.id, "--recover", self.session_id)
        return shlex.join(map(one_line, words))


@dataclass(frozen=True, slots=True)
class Cascade:
    """Compactions of one session that followed each other within minutes."""

    agent: AgentRef
    key: str | None
    session_id: str
    at: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Miscount:
    """The platform counts more compactions than the transcript holds."""

    agent: AgentRef
    key: str | None
    session_id: str
    counted: int
    found: int


@dataclass(frozen=True, slots=True)
class CompactionEvidence:
    """What the transcripts of a home say about their compactions.

    Attributes:
        bad: Newest first.
        compacted_at: Tokens before the newest compaction, by key of each live session.
        looked_at: Transcripts that were read, whole or their newest part.
        unread: Why the others were not, one sentence each; "fine" may not be said of them.
    """

    bad: tuple[BadCompaction, ...] = ()
    cascades: tuple[Cascade, ...] = ()
    miscounts: tuple[Miscount, ...] = ()
    compacted_at: Mapping[str, int] = field(default_factory=dict)
    looked_at: int = 0
    unread: tuple[str, ...] = ()

    @property
    def has_loss(self) -> bool:
        """Whether some compaction certainly lost turns."""
        return any(one.fault.is_loss for one in self.bad)


def judge_compaction(
    compaction: Compaction,
    *,
    has_earlier_words: bool | None = None,
    min_duration_ms: int = MIN_DURATION_MS,
) -> Fault | None:
    """Return what is wrong with a compaction; None when nothing is.

    Args:
        compaction: As the platform noted it.
        has_earlier_words: Whether people said something before it; None when that was not read.
        min_duration_ms: `compaction.min_duration_ms`.
    """
    fault = judge_text(compaction.summary, has_earlier_words=has_earlier_words)
    if fault is not None and fault.is_loss:
        return fault
    if compaction.duration_ms is not None and compaction.duration_ms < min_duration_ms:
        return Fault.TOO_FAST
    if fault is not None:
        return fault
    before = compaction.tokens_before or 0
    is_short = len(compaction.summary.strip()) < _SHORT_CHARS
    return Fault.TOO_SHORT if is_short and before > _SHORT_TOKENS else None


def judge_text(summary: str | None, *, has_earlier_words: bool | None = None) -> Fault | None:
    """Return what is wrong with the words of a summary; None when nothing is."""
    words = _FILES.sub("", summary or "").strip()
    if not words:
        return Fault.EMPTY
    lowered = words.lower()
    if _LOST.match(words) or (_LOST_WORDS in lowered and len(words) <= _LONGEST_QUOTE):
        return Fault.UNAVAILABLE
    if _BLANK_WORDS not in lowered or has_earlier_words is False:
        return None
    history, *turn = _SPLIT.split(words, maxsplit=1)
    if _says_something(history):
        return None
    return Fault.BLANK_HISTORY if any(_says_something(one) for one in turn) else Fault.BLANK


def _says_something(text: str) -> bool:
    """Tell whether anything is left besides headings, fillers and quotations of the session."""
    is_quoted = False
    for line in text.splitlines():
        words = line.strip().strip("*").rstrip(":")
        if words.startswith("#") or words.lower() in _QUOTED:
            is_quoted = words.lstrip("# ").lower() in _QUOTED
        elif not is_quoted and words.lstrip("-* ").rstrip(".").lower() not in _FILLERS:
            return True
    return False


def explain(fault: Fault, compaction: Compaction) -> str:
    """Return the fault as the end of a sentence; says when the safeguard hook wrote it."""
    words = _WORDS[fault].format(
        duration=compaction.duration_ms,
        before=short_kilo(compaction.tokens_before),
        chars=short_kilo(len(compaction.summary.strip())),
    )
    is_hook = compaction.is_from_hook is True and fault in (Fault.UNAVAILABLE, Fault.EMPTY)
    return f"{words}, written by the safeguard hook" if is_hook else words


def cascade(times: Iterable[datetime]) -> tuple[datetime, int] | None:
    """Return the end and size of the newest cascade among the compactions of one session."""
    ordered = sorted(times)
    for last in range(len(ordered) - 1, CASCADE - 2, -1):
        first = last
        while first and ordered[last] - ordered[first - 1] <= CASCADE_SPAN:
            first -= 1
        if last - first + 1 >= CASCADE:
            return ordered[last], last - first + 1
    return None


def newest_first(found: Iterable[BadCompaction]) -> tuple[BadCompaction, ...]:
    """Return compactions newest first; those without a time last."""
    return tuple(
        sorted(
            found,
            key=lambda one: (0.0 if one.at is None else one.at.timestamp(), one.session_id),
            reverse=True,
        )
    )
