"""Gives a line what it needs of the words around it to be understood alone.

A question and its answer are kept together, as are a request and what the agent says of it. A
sentence that begins with a word for something named before gets the sentence that names it: the
speaker's own, else, in brackets, the partner's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.observe import patterns as cue
from memconsole.domain.observe.sentences import JudgedSentence, content_words, judged
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOKED_AT: Final = 2_000
_SHORT_ANSWER: Final = 60
_SHORT_WORDS: Final = 2
_TOLD_WORDS: Final = 6
"""Words of an answer to an agent that are looked at together with its question."""
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
    """

    sentences: tuple[JudgedSentence, ...] = ()
    is_request: bool = False
    is_agents: bool = False

    @classmethod
    def of(
        cls, body: str, labels: frozenset[str], *, is_request: bool, is_agents: bool = False
    ) -> Before:
        """Return what a message says to the next one; of a long one its end."""
        parts = (judged(one, labels) for one in sentences(body[-_LOOKED_AT:]) if not one.is_note)
        return cls(tuple(parts), is_request, is_agents)

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
    if not (_is_bare(said, question) or (before.is_agents and _tells_an_agent(said, question))):
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
