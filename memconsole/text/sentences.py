"""Cuts a message into sentences, for whoever judges them one by one.

Lines are boundaries: bullets, headings and table rows of an answer are no part of the sentence
before. Code fences are left out; a sentence keeps its closing signs.

Words that say nothing but goodwill: no request and no result worth logging.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.fences import hidden_spans
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


_END = r"(?:(?<!\.)\.(?!\.)|\.{2,}|…|[!?]+[!?.…]*)[\"'”’»)\]*_]*(?=\s)|[。！？]+[」』”）]*"
_LIST_ITEM: Final = """
    e.g i.e mr mrs ms dr prof st vs etc no nr fig approx dept est inc ltd jr sr cf ca z.b d.h
    bzw usw a.m p.m u.s vol pp eq sec resp al jan feb mar apr jun jul aug sep sept oct nov dec
"""
_SHORT: Final = frozenset(_LIST_ITEM.split())
_NEXT = r"(?s)\s*[\"'“‘«(\[*_]*(.)"
_MARK = r"\s*(?:>\s*)*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)?(?:\[[ xX]\]\s+)?"
_NOTE = r"\s*(\[[a-z][^\[\]]{3,300}\])\s*$"
_LONGEST_SENTENCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message.

    Attributes:
        text: On one line, without the bullet in front.
        is_note: A bracket at the end of a line, such as the caption of a picture.
        is_new_line: It begins a line.
    """

    text: str
    is_note: bool = False
    is_new_line: bool = False


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a message in order; code fences are left out.

    Args:
        text: Line feeds at line ends; what is behind 20,000 characters is not looked at.
    """
    shown = _without_code(text[:_LONGEST_SENTENCE].replace("\r\n", "\n").replace("\r", "\n"))
    return tuple(found for line in shown.split("\n") for found in _of_line(line))


def _without_code(text: str) -> str:
    if "```" not in text and "~~~" not in text:
        return text
    kept, start = [], 0
    for hidden_from, hidden_to in hidden_spans(text):
        kept.append(text[start:hidden_from])
        start = hidden_to
    return "".join([*kept, text[start:]])


def _of_line(line: str) -> Iterator[Sentence]:
    mark = compiled(_MARK).match(line)
    body = line[mark.end() if mark else 0 :].strip()
    note = compiled(_NOTE).search(body)
    body = body if note is None else body[: note.start()]
    is_new = True
    for part in _parts(body):
        if said := one_line(part):
            yield Sentence(said, is_new_line=is_new)
            is_new = False
    if note is not None:
        yield Sentence(one_line(note[1]), is_note=True, is_new_line=is_new)


def _parts(text: str) -> Iterator[str]:
    start = 0
    for end in compiled(_END).finditer(text):
        if _is_end(text, start, end):
            yield text[start : end.end()]
            start = end.end()
    yield text[start:]


def _is_end(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether a full stop ends the sentence: it may belong to a short form, a list or a name."""
    if end[0][0] != ".":
        return end[0][0] not in "…" or _begins_anew(text, end.end())
    before = text[start : end.start()].split()
    last = before[-1].lstrip("(\"'“‘").casefold() if before else ""
    if last in _SHORT or (len(last) == 1 and last.isalpha() and last != "i"):
        return False
    return _begins_anew(text, end.end())


def _begins_anew(text: str, place: int) -> bool:
    following = compiled(_NEXT).match(text, place)
    return following is None or not following[1].islower()


_LISTED = """
    thanks thank thx ty you your re youre are welcome please ok okay k great good nice cool perfect
    awesome excellent wonderful lovely fine alright very much so a lot hello hi hey bye goodbye
    cheers np no problem my pleasure anytime morning night day
    danke dankeschön vielen dank bitte gern gerne super prima toll hallo tschüss
    obrigado obrigada valeu de nada muito oi olá tchau gracias muchas hola adiós merci beaucoup rien
    grazie prego ciao
    谢谢 好的 不客气 ありがとう ありがとうございます 了解 了解です どういたしまして 감사합니다
    спасибо пожалуйста
"""
_WORDS = frozenset(_LISTED.split())
_ALONE = frozenset({"no", "you", "your", "are", "a", "so", "my", "day", "night", "de", "re"})
_LONGEST = 6
_WORD = r"\w+"


def is_courtesy(text: str) -> bool:
    """Tell whether a message is a thank-you, a greeting or an "ok" and nothing else.

    A bare "no" or "yes" is an answer, and never courtesy.
    """
    words = compiled(_WORD).findall(text.casefold())
    if not 0 < len(words) <= _LONGEST or not all(word in _WORDS for word in words):
        return False
    return any(word not in _ALONE for word in words)
