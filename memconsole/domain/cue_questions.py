"""Puts a question in front of an answer that cannot be understood without it (mission §12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain import cue_words as cue
from memconsole.domain.cue_sentences import judged, without_label
from memconsole.domain.sentences import Sentence, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.cue_sentences import Said
    from memconsole.domain.cues import Heard

_LOOKED_AT: Final = 2_000
_SHORT_ANSWER: Final = 60
_SHORT_WORDS: Final = 2
_LONGEST_QUESTION: Final = 140
_LONGEST_BESIDE: Final = 100
"""Characters of a question before an answer that says much by itself."""


def asked(heard: Sequence[Heard], index: int, labels: frozenset[str]) -> list[str]:
    """Return the questions of the message before, when somebody else asked them."""
    if not index or heard[index - 1].role == heard[index].role:
        return []
    _, body = without_label(heard[index - 1].text, labels)
    parts = sentences(body[-_LOOKED_AT:])
    return [part.text for part in parts if cue.QUESTION.search(part.text)]


def with_question(
    said: Sequence[Said], questions: Sequence[str], labels: frozenset[str]
) -> list[Said]:
    """Put the last question in front of an answer that says nothing without it.

    That is a short one, such as a number, and one that begins with a word for what was asked
    about: "Which port does it use? — It uses 18789 on web-3."
    """
    question = questions[-1] if questions else ""
    if not question or cue.GREETS.search(question):
        return list(said)
    if _is_bare(said, question):
        answer = " ".join(part.text for part in said)
        return [replace(judged(Sentence(_joined(question, answer)), labels), is_kept=True)]
    first = next((place for place, part in enumerate(said) if part.is_kept), None)
    if first is None or not _is_about(said[first], question):
        return list(said)
    told = replace(said[first], text=_joined(question, said[first].text))
    return [*said[:first], told, *said[first + 1 :]]


def _is_bare(said: Sequence[Said], question: str) -> bool:
    """Whether an answer is so short that it says nothing by itself."""
    if not cue.ASKS_A_FACT.search(question) or len(question) > _LONGEST_QUESTION:
        return False
    answer = " ".join(part.text for part in said)
    words = {word for part in said for word in part.words}
    if not words or len(words) > _SHORT_WORDS or len(answer) > _SHORT_ANSWER:
        return False
    if answer.endswith(":") or cue.CHATTER.match(answer):
        return False
    return not any(cue.QUESTION.search(it.text) or cue.NO_SENTENCE.match(it.text) for it in said)


def _is_about(part: Said, question: str) -> bool:
    """Whether a sentence begins with a word that stands for what the question names."""
    begins = cue.STANDS_FOR.match(part.text)
    if begins is None or len(question) > _LONGEST_BESIDE:
        return False
    return cue.ASKS_A_FACT.search(question) is not None or begins["yes"] is not None


def _joined(question: str, answer: str) -> str:
    return f"{question} \N{EM DASH} {answer}"
