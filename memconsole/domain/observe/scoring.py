"""Keeps what is worth remembering without a model; long because lines and questions go together.

A message is judged as a whole, because what makes it worth remembering often stands around it: it
answers a question, or others take it up. An answer that cannot be understood alone gets its
question in front. Of its sentences those are kept that hold most of what it says; greetings,
compliments, wishes and questions are not. One message gives at most three lines and at most 500
characters.

A line is understood alone: a question and its answer are kept together, as are a request and what
the agent says of it. A sentence that begins with a word for something named before gets the
sentence that names it: the speaker's own, else, in brackets, the partner's.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import MEDIUM_SCORE, Kind
from memconsole.domain.observe import patterns as cue
from memconsole.domain.observe.patterns import CUES
from memconsole.domain.observe.sentences import (
    MOST_NAMES,
    NAME_POINTS,
    JudgedSentence,
    content_words,
    judged,
    labels_of,
    without_label,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.graphemes import cut
from memconsole.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_LOOKED_AT: Final = 2_000

_SHORT_ANSWER: Final = 60

_SHORT_WORDS: Final = 2

_TOLD_WORDS: Final = 6
"""Words of an answer to an agent that are looked at together with its question."""

_STAYS_OPEN: Final = 5
"""Messages after which nobody answers any more what was asked."""

_LONGEST_QUESTION: Final = 140

_LONGEST_BESIDE: Final = 100
"""Characters of what stands before a sentence that says much by itself."""

_TELLS: Final = 2
"""Words that say something, from which a sentence can explain another one."""


@dataclass(frozen=True, slots=True)
class Before:
    """The message before, when somebody else wrote it.

    Attributes:
        sentences: In order, without notes of pictures.
        is_request: A person wrote it to an agent, whose reply is looked at.
        is_agents: An agent wrote it to a person, whose answer is looked at.
        is_open: It stands a few messages back: who was asked did not know, and answers now.
    """

    sentences: tuple[JudgedSentence, ...] = ()
    is_request: bool = False
    is_agents: bool = False
    is_open: bool = False

    @classmethod
    def of(
        cls,
        body: str,
        labels: frozenset[str],
        *,
        is_request: bool = False,
        is_agents: bool = False,
        is_open: bool = False,
    ) -> Before:
        """Return what a message says to the next one; of a long one its end."""
        parts = (judged(one, labels) for one in sentences(body[-_LOOKED_AT:]) if not one.is_note)
        return cls(tuple(parts), is_request, is_agents, is_open)

    @property
    def questions(self) -> tuple[str, ...]:
        """What it asks."""
        return tuple(one.text for one in self.sentences if _asks(one.text))

    @property
    def question(self) -> str:
        """What it asks last, with what that speaks of; empty when it only greets."""
        places = [n for n, one in enumerate(self.sentences) if _asks(one.text)]
        if not places or compiled(cue.GREETS).search(self.sentences[places[-1]].text):
            return ""
        last = self.sentences[places[-1]].text
        told = self.sentences[places[-1] - 1].text if places[-1] else ""
        if compiled(cue.NAMED_BEFORE).search(last) and told and not _asks(told):
            both = f"{told} {last}"
            return both if len(both) <= _LONGEST_QUESTION else last
        return last

    @property
    def request(self) -> str:
        """What it says last that tells something."""
        told = (one.text for one in reversed(self.sentences) if len(one.words) >= _TELLS)
        return next(told, "")

    @property
    def statement(self) -> str:
        """What it tells last, no question; empty when it only greets or praises."""
        told = (one.text for one in reversed(self.sentences) if one.is_kept)
        return next(told, "")


def with_question(
    said: Sequence[JudgedSentence], before: Before, labels: frozenset[str]
) -> list[JudgedSentence]:
    """Put the last question before an answer that says nothing without it, such as a number."""
    question = before.questions[-1] if before.questions else ""
    if not question or compiled(cue.GREETS).search(question):
        return list(said)
    is_told = before.is_agents and _tells_an_agent(said, question)
    if not (before.is_open or is_told or _is_bare(said, question)):
        return list(said)
    answer = " ".join(part.text for part in said)
    return [judged(Sentence(_joined(question, answer)), labels, is_kept=True)]


def in_context(
    text: str, said: Sequence[JudgedSentence], place: int, before: Before
) -> tuple[str, bool]:
    """Return a line with what it needs to be understood, and whether it still lacks something.

    Of what could explain it the first is taken that is understood alone, else the first.

    Args:
        text: The line.
        said: All sentences of its message.
        place: Of the first sentence of the line.
        before: The message before.
    """
    stands = compiled(cue.STANDS_FOR).match(text)
    begins = (compiled(one).match(text) for one in (cue.FRAGMENT, cue.NAMED_INSIDE))
    is_open = stands is not None or any(begins)
    told: list[tuple[str, str]] = []
    own = said[place - 1].text if place else ""
    if is_open and place and len(said[place - 1].words) >= _TELLS and not _asks(own):
        told.append((own, f"{own} {text}"))
    is_answer = stands is None or stands["yes"] is not None
    if is_open and _is_about(before.question, is_answer=is_answer):
        told.append((before.question, _joined(before.question, text)))
    if before.is_request and _needs_request(text, said[place], before, is_open=is_open):
        told.append((before.request, _joined(before.request, text)))
    if stands is not None and before.statement:
        told.append((before.statement, f"({before.statement}) {text}"))
    fits = [pair for pair in told if len(pair[0]) <= _LONGEST_BESIDE or pair[0] == before.question]
    for explains, whole in fits:
        if not compiled(cue.NAMED_BEFORE).search(explains):
            return whole, False
    return fits[0][1] if fits else text, is_open and (bool(fits) or stands is not None)


def _needs_request(text: str, first: JudgedSentence, before: Before, *, is_open: bool) -> bool:
    """Whether an agent's reply says too little without what it was asked for."""
    if not before.request or len(before.request) > _LONGEST_BESIDE:
        return False
    asked = next(one for one in before.sentences if one.text == before.request)
    return is_open or compiled(cue.FIRST).match(text) is not None or not asked.words & first.words


def _is_bare(said: Sequence[JudgedSentence], question: str) -> bool:
    """Whether an answer is so short that it says nothing by itself."""
    if not compiled(cue.ASKS_A_FACT).search(question) or len(question) > _LONGEST_QUESTION:
        return False
    answer = " ".join(part.text for part in said)
    words = {word for part in said for word in part.words}
    if not words or len(words) > _SHORT_WORDS or len(answer) > _SHORT_ANSWER:
        return False
    if answer.endswith(":") or compiled(cue.CHATTER).match(answer):
        return False
    return not any(_asks(it.text) or compiled(cue.NO_SENTENCE).match(it.text) for it in said)


def _tells_an_agent(said: Sequence[JudgedSentence], question: str) -> bool:
    """Whether a person decides shortly what an agent asked, with more than yes or no."""
    if len(question) > _LONGEST_QUESTION or compiled(cue.OFFERS).search(question):
        return False
    answer = " ".join(part.text for part in said)
    told = compiled(cue.YES_OR_NO).sub("", answer, count=1)
    words = frozenset(content_words(told))
    if len(answer) > _SHORT_ANSWER or compiled(cue.CLUELESS).search(answer):
        return False
    if not 0 < len(words) <= _TOLD_WORDS:
        return False
    return not any(_asks(it.text) or compiled(cue.NO_SENTENCE).match(it.text) for it in said)


def _is_about(question: str, *, is_answer: bool) -> bool:
    """Whether a question explains a sentence that begins in the middle of things."""
    if not 0 < len(question) <= _LONGEST_QUESTION:
        return False
    return is_answer or compiled(cue.ASKS_A_FACT).search(question) is not None


def _asks(text: str) -> bool:
    return compiled(cue.QUESTION).search(text) is not None


def _joined(question: str, answer: str) -> str:
    return f"{question} \N{EM DASH} {answer}"


MAX_CHARS: Final = 500
"""Characters that one message may add."""

LINE_CHARS: Final = 280

_MOST_LINES: Final = 3

_MOST_SCORE: Final = 10.0

_MOST_SENTENCES: Final = 120

_BASE: Final = -1.9

_NEWS: Final = 0.9
"""Points for the words that were not heard before, by the logarithm of their number."""

_SAYS: Final = 0.6
"""The same for all of its words."""

_WORDY: Final = -0.2
"""Points for each sentence that they are spread over."""

_ANSWER: Final = 0.6

_ANSWERS_A_FACT: Final = 0.7

_OPENING: Final = 0.9

_TAKEN_UP: Final = 0.8

_PICTURE: Final = 0.4

_TO_YOU: Final = -0.4

_GENERAL: Final = -1.0
"""Points for talk of the world in general, by the share of the sentences."""

_LACKING: Final = -1.0
"""Points for a line that speaks of what stands elsewhere only."""

_HOLLOW: Final = -1.5

_MOOD: Final = -0.9

_ORDER: Final = -1.2

_SLOW: Final = 0.95

_ENOUGH: Final = 0.66
"""Share of a message's words that its kept sentences hold."""


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """One message as it is judged.

    Attributes:
        role: `user` or `assistant`.
        text: Masked, with its line feeds.
        has_media: A picture or file came with it.
    """

    role: str
    text: str
    has_media: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One line worth remembering.

    Attributes:
        index: Of the message.
        text: Sentences of the message, one line, not yet quoted.
        score: 0 to 10.
    """

    index: int
    text: str
    score: float
    kind: Kind


def find(messages: Sequence[JudgedMessage], known: Iterable[str] = ()) -> tuple[Found, ...]:
    """Return what is worth remembering, in the order of the session.

    Args:
        messages: The messages, oldest first.
        known: Texts that are remembered already: their words are no news.
    """
    labels = labels_of([one.text for one in messages])
    seen = {word for text in known for word in content_words(text)}
    found: list[Found] = []
    for index, one in enumerate(messages):
        label, body = without_label(one.text, labels)
        said = [judged(part, labels) for part in sentences(body)[:_MOST_SENTENCES]]
        before = _open_question(messages, index, labels) or _before(messages, index, labels)
        alone, said = said, with_question(said, before, labels)
        if any(part.is_kept for part in said):
            around = _around(messages, index, labels, before)
            score = _stretched(_score(one, said, seen) + around)
            lines = _lines(index, label, one.role, said, score, before=before)
            # An agent asks because it has to know, and what comes late was waited for.
            if (before.is_agents or before.is_open) and said != alone:
                lines = (replace(it, score=max(it.score, MEDIUM_SCORE)) for it in lines)
            found += lines
        seen.update(word for part in said for word in part.words)
    return tuple(found)


def _score(one: JudgedMessage, said: Sequence[JudgedSentence], seen: set[str]) -> float:
    """Return the points that a message has by itself."""
    kept = [part for part in said if part.is_kept]
    words = {word for part in kept for word in part.words}
    cues = {found.name: found for part in kept for found in part.cues}
    cues |= {found.name: found for part in said for found in part.cues if found.points < 0}
    half = one.role == "assistant"
    points = sum(c.points / 2 if half and c.is_users else c.points for c in cues.values())
    to_you = sum(_is_to_you(part.text) for part in said) / len(said)
    general = sum(compiled(cue.GENERAL).search(part.text) is not None for part in kept) / len(kept)
    names = min(MOST_NAMES, sum(part.names for part in kept))
    media = one.has_media or one.text.rstrip().endswith("]")
    return (
        _BASE
        + _NEWS * math.log1p(len(words - seen))
        + _SAYS * math.log1p(len(words))
        + _WORDY * min(len(kept), 5)
        + points
        + names * NAME_POINTS
        + to_you * _TO_YOU
        + general * _GENERAL
        + media * _PICTURE
    )


def _before(messages: Sequence[JudgedMessage], index: int, labels: frozenset[str]) -> Before:
    """Return the message before, when somebody else wrote it."""
    if not index or messages[index - 1].role == messages[index].role:
        return Before()
    label, body = without_label(messages[index - 1].text, labels)
    return Before.of(
        body,
        labels,
        is_request=not label and messages[index].role == "assistant",
        is_agents=not label and messages[index - 1].role == "assistant",
    )


def _open_question(
    messages: Sequence[JudgedMessage], index: int, labels: frozenset[str]
) -> Before | None:
    """Return the question of a few messages ago that a short answer answers late.

    Who was asked said that they do not know, and the two spoke of nothing else since: a message
    that asks, a longer one or a third person closes the question, as does an answer.
    """
    own, body = _said_by(messages[index], labels)
    if not _answers_late(body):
        return None
    others: set[tuple[str, str]] = set()
    for place in range(index - 1, max(0, index - _STAYS_OPEN), -1):
        speaker, text = _said_by(messages[place], labels)
        asker, asked = _said_by(messages[place - 1], labels)
        if len(text) > _SHORT_ANSWER or text.rstrip().endswith(
            ("?", "\N{FULLWIDTH QUESTION MARK}")
        ):
            return None
        if speaker == own and compiled(cue.CLUELESS).search(text):
            is_agents = asker == ("assistant", "")
            before = Before.of(asked, labels, is_agents=is_agents, is_open=True)
            is_theirs = asker != own and others <= {asker}
            return before if is_theirs and _may_stay_open(before.question) else None
        if speaker == own and _answers_late(text):
            return None
        others |= {speaker} - {own}
    return None


def _may_stay_open(question: str) -> bool:
    """Whether a question asks for something, and is short enough to stand before its answer."""
    return 0 < len(question) <= _LONGEST_QUESTION and not compiled(cue.OFFERS).search(question)


def _said_by(one: JudgedMessage, labels: frozenset[str]) -> tuple[tuple[str, str], str]:
    """Return who speaks, by role and name, and what they say."""
    label, body = without_label(one.text, labels)
    return (one.role, label), body


def _answers_late(body: str) -> bool:
    """Whether a message is so short that it may answer what was asked a while ago."""
    words = frozenset(content_words(body))
    if len(body) > _SHORT_ANSWER or not 0 < len(words) <= _TOLD_WORDS:
        return False
    if compiled(cue.CHATTER).match(body) or compiled(cue.ORDERS).match(body):
        return compiled(cue.STANDS_FOR).match(body) is not None
    others = (cue.QUESTION, cue.CLUELESS, cue.OF_ITSELF, cue.ANNOUNCES)
    return not any(compiled(one).search(body) for one in others)


def _around(
    messages: Sequence[JudgedMessage], index: int, labels: frozenset[str], before: Before
) -> float:
    """Return the points that a message gets from those before and behind it."""
    points = _OPENING if index == 0 else 0.0
    if questions := before.questions:
        points += _ANSWER
        if any(
            compiled(cue.ASKS_A_FACT).search(q) and not compiled(cue.GREETS).search(q)
            for q in questions
        ):
            points += _ANSWERS_A_FACT
    if index + 1 < len(messages) and messages[index + 1].role != messages[index].role:
        _, following = without_label(messages[index + 1].text, labels)
        points += _TAKEN_UP if compiled(cue.REACTION).match(following) else 0.0
    return points


def _stretched(points: float) -> float:
    """Return the score of points: below the middle they lie closer together."""
    return points if points >= MEDIUM_SCORE else MEDIUM_SCORE - (MEDIUM_SCORE - points) * _SLOW


def _is_to_you(text: str) -> bool:
    return (
        compiled(cue.SECOND).search(text) is not None and compiled(cue.FIRST).search(text) is None
    )


def _lines(
    index: int,
    label: str,
    role: str,
    said: Sequence[JudgedSentence],
    score: float,
    *,
    before: Before,
) -> Iterator[Found]:
    """Yield the lines of one message: its best sentences first, each line in their order."""
    chosen = _chosen(said)
    whole = sum(part.points for _, part in chosen) or 1.0
    left = MAX_CHARS
    for number, placed in enumerate(_grouped(chosen)):
        group = [part for _, part in placed]
        text = _joined_lines(group)
        if number >= _MOST_LINES or left < len(label) + 20:
            return
        told, is_lacking = in_context(text, said, placed[0][0], before)
        text = cut(label + told, min(LINE_CHARS + len(told) - len(text), left))
        left -= len(text)
        share = sum(part.points for part in group) / whole
        own = score if number == 0 else min(score, score * (0.5 + share))
        own += _LACKING * is_lacking + _empty(group, label, role)
        speaker = "user" if label else role  # a name in front: people talk, no model
        yield Found(index, text, round(min(_MOST_SCORE, max(0.0, own)), 1), _kind(group, speaker))


def _empty(group: Sequence[JudgedSentence], label: str, role: str) -> float:
    """Return the points of a line that only encourages, laughs, or asks an agent for work."""
    names = {found.name for part in group for found in part.cues}
    is_named = any(part.names for part in group)
    is_concrete = bool(names & cue.CONCRETE) or is_named
    text = " ".join(part.text for part in group)
    points = _HOLLOW if not is_concrete and compiled(cue.HOLLOW).search(text) else 0.0
    points += _MOOD if "mood" in names <= cue.EVERYDAY and not is_named else 0.0
    is_order = not label and role == "user" and compiled(cue.ORDERS).match(text) is not None
    return points + (_ORDER if is_order else 0.0)


def _joined_lines(group: Sequence[JudgedSentence]) -> str:
    """Return sentences in one line; items of a list, which have no full stop, get a semicolon."""
    text = group[0].text
    for part in group[1:]:
        is_open = part.is_new_line and text[-1].isalnum()
        text = f"{text}{';' if is_open else ''} {part.text}"
    return text


def _chosen(said: Sequence[JudgedSentence]) -> list[tuple[int, JudgedSentence]]:
    """Return the sentences that hold most of what a message says, in order."""
    kept = [(number, part) for number, part in enumerate(said) if part.is_kept]
    wanted = _ENOUGH * len({word for part in said for word in part.words})
    ranked = sorted(kept, key=lambda pair: -_worth(pair[1]))
    got: set[str] = set()
    chars, chosen = 0, []
    for number, part in ranked:
        is_enough = len(got) >= wanted or chars + len(part.text) > MAX_CHARS
        if got and (is_enough or not part.words - got):
            continue
        got |= part.words
        chars += len(part.text) + 1
        chosen.append((number, part))
    return sorted(chosen, key=lambda pair: pair[0])


def _worth(part: JudgedSentence) -> float:
    """Return how much a sentence says for its length."""
    return (len(part.words) + 2.0 * part.points) / math.sqrt(len(part.text) + 20)


def _grouped(
    chosen: Sequence[tuple[int, JudgedSentence]],
) -> list[list[tuple[int, JudgedSentence]]]:
    """Put sentences together that fit one line; the groups with most points first."""
    groups: list[list[tuple[int, JudgedSentence]]] = []
    size = 0
    for place, part in chosen:
        if groups and size + len(part.text) < LINE_CHARS - 20:
            groups[-1].append((place, part))
            size += len(part.text) + 1
        else:
            groups.append([(place, part)])
            size = len(part.text)
    return sorted(groups, key=lambda group: -sum(part.points for _, part in group))


def _kind(group: Sequence[JudgedSentence], role: str) -> Kind:
    names = {found.name for part in group for found in part.cues}
    for one in CUES:
        if one.kind is None or one.name not in names:
            continue
        if one.kind is Kind.FACT and any(compiled(cue.NOW).search(part.text) for part in group):
            return Kind.CONTEXT
        return one.kind
    return Kind.CONTEXT if role == "assistant" and "technical" not in names else Kind.FACT
