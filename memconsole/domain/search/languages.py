"""Tells a question in another language than English, and whether a memory is in that language.

A script tells by itself. Latin letters tell by words that sentences cannot do without: a *sure* one
is a word of no English text and of no name; a *light* one, such as `die`, `van` or `com`, stands in
names and titles too and counts beside others only. Which words of a question say something is what
is left of them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.text.folding import STOP_WORDS, fold, is_solid, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class _Language(NamedTuple):
    """Words of one language.

    Attributes:
        sure: They stand in no English text.
        light: They stand in names and titles, too.
        usual: Notes in it hold one of these in most paragraphs; English ones do not.
    """

    sure: str
    light: str
    usual: str


_LANGUAGES: Final = (
    _Language(
        "wer wie wo wann warum wieso weshalb welche welcher welches welchem welchen wieviel wird "
        "werden wurde wurden nicht kann können darf dürfen muss müssen soll sollen haben habt "
        "hatte ihre ihrer ihrem ihren unser unsere unserem unseren seine seinem gibt eine einen "
        "einem einer seit beim schon womit woher wohin wofür wovon woran worauf wozu",
        "der die das und ein dem den des mit auf von zu zum zur hat bei nach im als viel viele man "
        "sich ihr ist sind wir ich sie es für noch während",
        "und nicht ist für",
    ),
    _Language(
        "waar waarom wanneer welke hoeveel niet heeft hebben wordt worden moet moeten onze",
        "wie wat hoe het een de van met op wij is kan ik nog voor zijn",
        "een het niet voor",
    ),
    _Language(
        "quand pourquoi combien quel quelle quels quelles quoi avait était sont avec cette",
        "qui où que comment est le la les un une des du de elle il ne pas sur en au aux son sa ses "
        "dans pour nous vous notre nos leur qu",
        "les dans pour est",
    ),
    _Language(
        "dónde cuándo quién quiénes cuál cuáles cuánto cuánta cuántos cuántas tiene tienen tengo "
        "fueron puede pueden debe deben hacemos nuestro nuestra nuestros",
        "qué que cómo por para el la los las un una del al con sin es su sus fue se de en y hay",
        "los para una por",
    ),
    _Language(
        "onde quem quando quanto quantos quanta quantas qual quais porque foram devem podemos "
        "posso são não pelo pela dele dela nosso nossa você está",
        "que como por para com em um uma os da dos das na nos nas ela ele tem o e de pode foi deve",
        "uma para não são",
    ),
    _Language(
        "quando perché quali quanto quanti quanta quante stato stata della delle degli nella "
        "abbiamo possiamo dobbiamo devo",
        "chi dove che cosa come il lo gli la le un una di del con è ha si per quale sono ancora",
        "che della sono nella",
    ),
    _Language(
        "gdzie kiedy dlaczego jaki jaka jakie który która które czy mamy kto",
        "jak co na z w do się ma jest nie ile już",
        "nie jest się",
    ),
    _Language(
        "varför vilken vilket vilka vad hvem hvad hvorfor hvordan hvornår hvilken hvilke hvor när "
        "ikke och hennes hendes många måste",
        "hur och var är har som med den det en ett et af av og på til till vi jag vem inte",
        "och inte ikke og",
    ),
    _Language(
        "nerede neden nasıl hangi kimin değil için nedir", "ne kim bir ve kaç mı", "bir için"
    ),
    _Language(
        "missä milloin miksi kuinka mikä mitä onko montako paljonko ovat hänen",
        "ja on ei kuka",
        "ja että ei",
    ),
    _Language("kde kdy kdo proč kolik jaký jaká která který", "jak co je se na v", "je se že"),
    _Language(
        "siapa kapan berapa mengapa bagaimana apakah dimana", "di yang mana apa", "yang untuk"
    ),
    _Language("đâu nào nhiêu không được", "ai gì ở là khi em cô của", "không của và"),
)
"""German, Dutch, French, Spanish, Portuguese, Italian, Polish, the Scandinavian ones, Turkish,
Finnish, Czech, Indonesian, Vietnamese: where somebody asked, and what was tried."""

_SCRIPTS: Final = "и в не на και το في من של את है के 的 是 の は 는 이 에"
"""The same as `usual`, of languages that their script tells."""

_SHARED: Final = (
    "a am an as at be by do for have he her i in is it me no of on over s so t to under was we will"
)
"""English words that stand in sentences of other languages, too."""

_OPENING: Final = "chi dove que como wo wat hoe qui ou cosa was var hur ne"
"""Light words with which a question begins, folded."""

_BEYOND_LATIN: Final = "\u024f"
_LEAST_SHARE: Final = 0.25
_LEAST_LIGHT: Final = 3
_LIGHT_SHARE: Final = 0.4

_KNOWN: Final = 0.6
"""Share of the words from which the memory knows what is asked."""

_HELD: Final = 2
"""So many of them are no chance."""

_SPOKEN: Final = 0.2
"""Share of the chunks with a usual word of its language from which a memory is in a language."""


class _Sets(NamedTuple):
    sure: frozenset[str]
    light: frozenset[str]
    english: frozenset[str]
    opening: frozenset[str]
    usual: tuple[tuple[frozenset[str], tuple[str, ...]], ...]


@cache
def _sets() -> _Sets:
    sure = _folded(one.sure for one in _LANGUAGES) - STOP_WORDS
    light = _folded(one.light for one in _LANGUAGES) - STOP_WORDS - sure
    usual = tuple(
        (_folded([one.sure, one.light]) - STOP_WORDS, tuple(sorted(_folded([one.usual]))))
        for one in _LANGUAGES
    )
    return _Sets(sure, light, STOP_WORDS - _folded([_SHARED]), _folded([_OPENING]), usual)


def _folded(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(words(" ".join(texts)))


def is_other_script(text: str) -> bool:
    """Tell whether most letters of a text are beyond Latin."""
    letters = [char for char in text if char.isalpha()]
    return sum(char > _BEYOND_LATIN for char in letters) * 2 > len(letters)


@lru_cache(maxsize=64)
def is_another_language(text: str) -> bool:
    """Tell whether a question is in another language than English; names and titles are not.

    Args:
        text: As it was typed.
    """
    if is_other_script(text):
        return True
    said = list(words(text))
    sure, light, english = _evidence(text, said)
    if sure + light <= english or not said:
        return False
    share = (sure + light) / len(said)
    is_question = text.rstrip().endswith("?")
    if sure:
        return share >= _LEAST_SHARE and (is_question or sure + light > 1)
    return is_question and light >= _LEAST_LIGHT and share >= _LIGHT_SHARE


def _evidence(text: str, said: Sequence[str]) -> tuple[int, int, int]:
    """Return how many sure and light words a question has, and English ones of no other language.

    A light word that opens a question is a sure one when there are others; a sign above or below a
    letter in the middle of a small word counts as a light one.
    """
    sets = _sets()
    sure = sum(word in sets.sure for word in said) + ("\u00bf" in text)
    light = sum(word in sets.light for word in said)
    signed = {fold(word) for word in text.split() if word.islower() and not word.isascii()}
    light += len(signed - sets.sure - sets.light)
    english = sum(word in sets.english for word in said)
    if light > 1 and text.rstrip().endswith("?") and said[0] in sets.opening:
        sure, light = sure + 1, light - 1
    return sure, light, english


@lru_cache(maxsize=64)
def usual_words(text: str) -> tuple[str, ...]:
    """Return usual words of the languages that a question may be in; none of an English one.

    Args:
        text: As it was typed.
    """
    if not is_another_language(text):
        return ()
    if is_other_script(text):
        return tuple(_SCRIPTS.split())
    said = set(words(text))
    found = [(len(said & own), usual) for own, usual in _sets().usual]
    most = max(count for count, _ in found)
    return tuple(dict.fromkeys(word for count, usual in found if count == most for word in usual))


def is_out_of_reach(text: str, asked: Sequence[str], known: set[str], spoken: float) -> bool:
    """Whether vectors that know English cannot compare a question, nor its words with the memory.

    Args:
        text: As it was typed.
        asked: Its words that are looked for.
        known: Those of them that the memory holds.
        spoken: Share of the memory's chunks with a usual word of its language.
    """
    if spoken >= _SPOKEN or not is_another_language(text):
        return False
    if any(is_solid(word) for word in known):
        return False
    slight = _sets().sure | _sets().light
    telling = [word for word in asked if word not in slight and len(word) > 1] or asked
    held = sum(word in known for word in telling)
    return held < _HELD and held < _KNOWN * len(telling)


def is_foreign(text: str, known: float) -> bool:
    """Whether a question is in another language than the memory.

    Args:
        text: As it was typed.
        known: Share of its words that the index holds.
    """
    return is_other_script(text) or (known < _KNOWN and is_another_language(text))
