"""Observations that the optional model found: from masked text, taken like a stranger's.

What it says about priority and time is used where a message bears it out. Ids and sources are
ours, and every text goes through the same mask, quotation and comparison as that of the cues.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import UNKNOWN_CLOCK, clock, local_day
from memconsole.domain.memory.observations import HIGH_SCORE, MEDIUM_SCORE, Priority, observation_id
from memconsole.domain.observe.relative_dates import dated
from memconsole.domain.observe.rules import BY, guarded
from memconsole.domain.summarize.markers import TEXT_CHARS
from memconsole.text.graphemes import cut
from memconsole.text.markdown import quote_line
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.memory.observations import Observation
    from memconsole.domain.observe.rules import Observer, Part
    from memconsole.domain.transcripts.records import Message

MODEL: Final = "model"
"""Value of `mc:by`."""

_MESSAGE_CHARS: Final = 2000
_SCORES: Final = {Priority.HIGH: HIGH_SCORE, Priority.MEDIUM: MEDIUM_SCORE, Priority.LOW: 1.5}


def said(observer: Observer, parts: Sequence[Part]) -> str:
    """Return the conversation for the question: one masked message a line, `HH:MM role: text`."""
    lines = []
    for part in parts:
        for message in part.messages:
            judged, _ = observer.judged(message)
            text = cut(one_line(judged.text), _MESSAGE_CHARS)
            if text:
                lines.append(f"{_clock(observer, message)} {message.role or '?'}: {text}")
    return "\n".join(lines)


def taken(
    observer: Observer, parts: Sequence[Part], answers: Sequence[Observation]
) -> tuple[Observation, ...]:
    """Return the model's lines as observations of ours, each at the message of its time.

    A time that no message has is not believed: the line is put to the last message of the batch.
    """
    judged = [(part, message) for part in parts for message in part.messages]
    return tuple(_taken(observer, one, judged) for one in answers)


def _taken(
    observer: Observer, answer: Observation, judged: Sequence[tuple[Part, Message]]
) -> Observation:
    times = (pair for pair in reversed(judged) if _clock(observer, pair[1]) == answer.clock)
    part, message = next(times, judged[-1])
    day = local_day(message.at or observer.now, observer.zone)
    told = dated(observer.mask(one_line(answer.text)), day)
    text = quote_line(cut(told.text, TEXT_CHARS))
    made = replace(
        answer,
        text=text,
        day=day,
        clock=None if message.at is None else _clock(observer, message),
        importance=_SCORES[answer.priority],
        refers_to=told.day or day,
        id=observation_id(text),
        source=observer.source(part, message),
        extra=(f"{BY}={MODEL}",),
        is_child=False,
    )
    return guarded(made, told.text, message.text)


def _clock(observer: Observer, message: Message) -> str:
    return UNKNOWN_CLOCK if message.at is None else clock(message.at, observer.zone)
