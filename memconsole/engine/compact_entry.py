"""The record that a compaction left in the transcript, judged like all others (A14, A15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.compaction_evidence import explain, judge_compaction
from memconsole.domain.sessions import SessionState
from memconsole.engine.tail import read_usage
from memconsole.errors import StoreError
from memconsole.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.compaction_evidence import Fault
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.transcript import Compaction, Tail
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader
    from memconsole.engine.rotation_target import Target


@dataclass(frozen=True, slots=True)
class CompactionEntry:
    """One compaction as the transcript tells it.

    Attributes:
        at: When the platform wrote it.
        fault: What is wrong with it; None when nothing is.
    """

    at: datetime
    compaction: Compaction
    fault: Fault | None

    @property
    def is_loss(self) -> bool:
        """Whether turns are certainly lost from the context."""
        return self.fault is not None and self.fault.is_loss

    @property
    def why(self) -> str | None:
        """The fault as the end of a sentence."""
        return None if self.fault is None else explain(self.fault, self.compaction)

    def as_details(self) -> dict[str, Detail]:
        """Return `details.entry` of an outcome; never the words of the summary."""
        return {
            "at": self.at.isoformat(),
            "tokens_before": self.compaction.tokens_before,
            "tokens_after": self.compaction.tokens_after,
            "summary_chars": len(self.compaction.summary.strip()),
            "from_hook": self.compaction.is_from_hook,
            "duration_ms": self.compaction.duration_ms,
            "fault": None if self.fault is None else self.fault.value,
        }


def last_compaction_at(target: Target, *, ports: Ports, reader: Reader) -> datetime | None:
    """Return the time of the compaction that the transcript shows now, if it does."""
    tail = _tail(target, ports, reader)
    return None if tail is None else tail.last_compaction_at


def new_entry(
    target: Target, known_at: datetime | None, *, ports: Ports, reader: Reader
) -> CompactionEntry | None:
    """Look for a compaction that was not there before.

    None when the transcript does not show it (yet): then only the answer can be judged. A look that
    fails proves nothing either way.

    Args:
        target: The session.
        known_at: What `last_compaction_at` returned before.
        ports: For the transcript.
        reader: For where it is now.
    """
    tail = _tail(target, ports, reader)
    if tail is None or tail.last_compaction is None or tail.last_compaction_at is None:
        return None
    if known_at is not None and tail.last_compaction_at <= known_at:
        return None
    fault = judge_compaction(tail.last_compaction, has_earlier_talk=True)
    return CompactionEntry(tail.last_compaction_at, tail.last_compaction, fault)


def _tail(target: Target, ports: Ports, reader: Reader) -> Tail | None:
    reading = reader.sessions(reader.home(), target.agent)
    for one in reading.listing.sessions:
        is_it = one.state is SessionState.LIVE and one.key is not None
        if is_it and one.key is not None and one.key.text == target.key and one.transcript:
            try:
                return read_usage(ports.sessions, one.transcript)
            except StoreError:
                return None
    return None
