"""Words that say nothing but goodwill: no request and no result worth logging."""

from __future__ import annotations

import re

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
_WORD = re.compile(r"\w+")


def is_courtesy(text: str) -> bool:
    """Tell whether a message is a thank-you, a greeting or an "ok" and nothing else.

    A bare "no" or "yes" is an answer, and never courtesy.
    """
    words = _WORD.findall(text.casefold())
    if not 0 < len(words) <= _LONGEST or not all(word in _WORDS for word in words):
        return False
    return any(word not in _ALONE for word in words)
