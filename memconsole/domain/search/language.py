"""Tells a question in another language than the memory, by its script and its function words."""

from __future__ import annotations

from functools import cache
from typing import Final

from memconsole.text.folding import STOP_WORDS, words

_GERMAN: Final = (
    "der die das und ist nicht wir ich wer wie wo wann warum welche welcher welches was mit "
    "auf für von zu den dem ein eine einen werden wird wurde wurden haben hat kann können "
    "darf muss soll sind bei nach viel viele het een wij wat waar wanneer waarom welke niet "
    "met voor van zijn"
)
_ROMANCE: Final = (
    "que quem como onde quando porque por qual quais quanto quantos quanta o os as um uma "
    "do da dos das no na nos nas em com para é são não se foi tem deve podemos el la los "
    "las una del al con sin qué quién cómo dónde cuándo cuál cuánto es son il lo gli che "
    "chi dove quanto perché di le les des du et est sont ne pas dans avec pour qui quoi où "
    "quand pourquoi comment quel quelle quels quelles combien avait"
)

_LEAST_SHARE: Final = 0.25
"""Function words of other languages among the words of a question."""

_KNOWN: Final = 0.6
"""Share of its words from which the memory speaks the language of a question."""


@cache
def _foreign() -> frozenset[str]:
    return frozenset(words(f"{_GERMAN} {_ROMANCE}")) - STOP_WORDS


def is_foreign(text: str, known: float) -> bool:
    """Whether a question is in another language than the memory.

    Args:
        text: As it was typed.
        known: Share of its words that the index holds.
    """
    letters = [char for char in text if char.isalpha()]
    if sum(char > "\u024f" for char in letters) * 2 > len(letters):
        return True
    if known >= _KNOWN:
        return False
    said = list(words(text))
    foreign = sum(word in _foreign() for word in said)
    english = sum(word in STOP_WORDS for word in said)
    return foreign > english and foreign >= _LEAST_SHARE * len(said)
