"""What the homes of a fleet answer: the JSON of our own command line, judged and taken apart.

The text comes from another process and perhaps from another host, so it is foreign: too much of it,
an answer of another edition and everything that is no answer is refused as a whole, and who it
comes from is said by us, never by the answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple, NoReturn

from memconsole.domain.agents import HomeRef, Notice
from memconsole.domain.fleet.shapes import Json, Row, closed, text_of
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import clean

WIRE: Final = 1
"""Edition of the answers that we understand: `schema` of the envelope."""

MOST_BYTES: Final = 16 * 2**20
"""Longer answers are refused."""

LATE: Final = timedelta(seconds=10)
"""An answer that took longer is told as late."""

SKEW: Final = timedelta(seconds=30)
"""A clock that differs by more is told."""

_MOST_WARNINGS = 100
_UNANSWERED: Final = ("expired", "cancelled", "interrupted", "refused")
_EVER = timedelta(days=3660)


class Freshness(StrEnum):
    """How new what is shown of a home is."""

    LIVE = "live"
    LATE = "late"
    AWAY = "away"


class Copied(NamedTuple):
    """How new an answer is that was not asked of its host.

    Attributes:
        as_of: By the clock of where it was copied to.
    """

    freshness: Freshness
    as_of: datetime


class Heard(NamedTuple):
    """What a call of our command line said, as it came.

    Attributes:
        text: Its standard output.
        code: Its exit code.
        version: Release of memconsole there; empty for our own, of a home of this host.
        copied: Of an answer out of a copy.
    """

    text: bytes
    code: int
    version: str = ""
    copied: Copied | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What one home answered.

    Attributes:
        home: Who was asked; of another host the path is empty when it is the usual one there.
        freshness: `away` when there was no answer at all.
        code: Exit code of the call there; None when there was no answer.
        as_of: Moment of the reading, by the clock of that host.
        data: What the command says; None when it failed as a whole.
        failure: Why there are no data, as one sentence.
        hint: What to do next.
        version: Release of memconsole there; empty where it is ours, or nobody knows.
        reason: How a command ended that was sent there and was not answered.
    """

    home: HomeRef
    freshness: Freshness
    code: int | None = None
    as_of: datetime | None = None
    data: Json = None
    failure: str = ""
    hint: str = ""
    warnings: tuple[Notice, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    version: str = ""
    reason: str = ""


def away(home: HomeRef, because: str, hint: str = "") -> Reply:
    """Return the reply of a home that did not answer."""
    return Reply(home, Freshness.AWAY, failure=because, hint=hint)


def reply(
    home: HomeRef, heard: Heard, *, command: str, asked: datetime, now: datetime, own: str = ""
) -> Reply:
    """Return what a home answered to a command.

    Args:
        home: Who was asked.
        heard: What came.
        command: Name of the command.
        asked: When it was asked, by our clock.
        now: When the answer was there, by our clock.
        own: Our own release; one that differs is told.
    """
    other = "" if heard.version == own else heard.version
    differs = (Notice("version-differs", f"it runs memconsole {other}, this one is {own}"),)
    told = differs if other else ()
    copied = heard.copied
    freshness = Freshness.LATE if now - asked > LATE else Freshness.LIVE
    if copied is not None:
        freshness, asked, now = copied.freshness, copied.as_of, copied.as_of
    try:
        row = _envelope(heard.text)
        if "error" in row:
            error = _table(row["error"])
            said = clean(text_of(error, "message")) or "it failed without a word"
            word = text_of(error, "code")
            reason = word if word in _UNANSWERED else ""
            hint = clean(text_of(error, "hint"))
            made = Reply(home, freshness, failure=said, hint=hint, reason=reason)
        else:
            made = _answered(row, command, home.host or "this host", asked, now)
    except (ValueError, RecursionError, OverflowError) as error:
        because = str(error) if isinstance(error, ValueError) else "it is too deep or too large"
        made = away(home, f"its answer cannot be used: {because}")
        return replace(made, warnings=told, version=other)
    return replace(
        made,
        home=home,
        freshness=freshness,
        code=heard.code,
        warnings=(*told, *made.warnings),
        version=other,
    )


def _envelope(text: bytes) -> Row:
    """Return the object around an answer.

    Raises:
        ValueError: It is none of ours.
    """
    if len(text) > MOST_BYTES:
        raise ValueError(f"it is longer than {MOST_BYTES // 2**20} MiB")
    try:
        row = _table(json.loads(text, parse_constant=_no_number))
    except ValueError:
        raise ValueError("it is not JSON of memconsole") from None
    if row.get("schema") != WIRE or isinstance(row.get("schema"), bool):
        raise ValueError(f"it speaks another edition than {WIRE}; the older memconsole of the two")
    return row


def _answered(row: Row, command: str, host: str, asked: datetime, now: datetime) -> Reply:
    """Return what an envelope holds, not yet told whose it is."""
    if row.get("command") != command:
        raise ValueError("it is no answer to what was asked")
    as_of = datetime.fromisoformat(text_of(row, "at"))
    if as_of.tzinfo is None or abs(as_of - now) > _EVER:
        raise ValueError("its time is none")
    warnings = [_notice(one) for one in _list(row.get("warnings"))[:_MOST_WARNINGS]]
    off = as_of - now if as_of > now else min(as_of - asked, timedelta())
    if abs(off) > SKEW:
        way = "ahead of" if off > timedelta() else "behind"
        said = f"the clock of {host} is {abs(off) // timedelta(seconds=1)} s {way} ours"
        warnings.append(Notice("clock-skew", said))
    counts = _table(row.get("left_out", {}))
    return Reply(
        HomeRef(""),
        Freshness.LIVE,
        as_of=as_of,
        data=closed(command, row.get("data")),
        warnings=tuple(warnings),
        left_out={clean(name): count for name, count in counts.items() if type(count) is int},
    )


def _notice(value: Json) -> Notice:
    row = _table(value)
    path = clean(text_of(row, "path")) or None
    return Notice(clean(text_of(row, "code")), clean(text_of(row, "message")), path)


def _table(value: Json) -> Row:
    if isinstance(value, Mapping):
        return value
    raise ValueError("it is not made as ours are")


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def total(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of counts by name."""
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return dict(found)
