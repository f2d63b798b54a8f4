"""Whether a sentence looks back or ahead at the day that it names, in English and German.

"We decided to deploy on Friday" is a plan, although its first verb is past: what counts is the verb
that the day belongs to, which mostly is the nearest one before it. Where that cannot be told, it is
not guessed: a memory without a date is worth more than one with a wrong date.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


class Tense(Enum):
    """Where a day lies, seen from the day that it was named on."""

    BACK = auto()
    AHEAD = auto()
    UNSURE = auto()


def _any(words: str) -> str:
    return rf"(?:{'|'.join(words.split())})"


_SAYING: Final = _any(
    "said|says told heard thought knew announced confirmed reported mentioned noted wrote read"
    " hoped believed guessed assumed"
)
_PLANNING: Final = _any(
    "decided agreed planned promised arranged scheduled chose chosen settled suggested proposed"
    " offered committed asked voted resolved want wants plan plans hope hopes expect expects prefer"
    " intend intends intended need needs have has ought due ready going able free"
)
_ATTEMPTS: Final = _any(
    "wanted hoped expected needed meant tried used supposed failed forgot managed refused began"
    " started happened seemed"
)
_PAST: Final = _any(
    "was were had did went got took made met saw came bought sent told lost won gave ran began"
    " broke built brought caught chose drew drove ate fell felt found flew forgot grew heard held"
    " kept knew left paid said sang sat shot slept spoke spent stood swam taught thought threw"
    " understood woke wore wrote became led rode sold wasn't weren't hadn't didn't"
)
_NOT_PAST: Final = _any("speed indeed embed exceed proceed succeed breed bleed greed")
_CONTENT: Final = r"(?:\s+\w+)?\s+(?:that|how|why|what|when|whether|if|we|they|he|she|it|i|you|the)"

_VERB = (
    r"(?i)(?<![\w'])(?:"
    # what is said of another time than that of the saying
    rf"(?P<unsure>{_SAYING}(?={_CONTENT}\b)|(?:would|could|might|may)(?:n't)?"
    r"|(?:was|were)\s+(?:going|supposed|due|planned|scheduled|expected|about|meant)\b"
    rf"|{_ATTEMPTS}\s+to\s+[a-z]+)"
    r"|(?P<passive>(?:be|being|is|are|am|gets?|getting)\s+\w{3,}ed)"
    rf"|(?P<noun>(?:the|an?|my|our|your|their|his|her|its|this|these|those|some|more|very|as)"
    rf"\s+\w{{3,}}ed|{_NOT_PAST})"
    rf"|(?P<plan>{_PLANNING}(?:\s+(?:me|us|him|her|them|it|not|[A-Z]\w+))?\s+to\s+[a-z]+"
    rf"|(?:scheduled|arranged|planned|decided|asked)(?:\s+\w+){{1,3}}\s+to\s+[a-z]+"
    rf"|(?:decided|agreed|promised|planned|suggested|proposed)(?={_CONTENT}\b)"
    r"|(?:will|won't|shall|must|should|can|can't|cannot|let's|please|gonna"
    r"|do|does|don't|doesn't|is|are|am|isn't|aren't)(?!\w)"
    r"|(?:I|you|we|they|he|she|it|that|there|who|what)[’'](?:ll|re|m|s)(?!\w))"
    rf"|(?P<past>had\s+to\s+[a-z]+|{_PAST}|\w{{3,}}ed)"
    r")(?![\w'])"
)
_CHOSEN: Final = r"(?i)\b(?:agreed|decided|settled|insisted)\s*\Z"
"""In front of "on Friday": the day that was chosen, or the day of the choice."""

_SENTENCE_END: Final = r"[.!?;:]\s|\n|[—–]"
_RELATIVE: Final = r"(?i)\b(?:who|which|that|what|because|if)(?:\s+\w+){0,2}\s*\Z"

_NEXT_CLAUSE: Final = (
    r"(?i)[^,]*(?:,\s*\w+\s+\w|\b(?:and|but|so|because|that)\s+(?:we|i|they|he|she|it|you)\b)"
)
"""Behind a verb: another clause begins before the day, whose verb may be one that is not known."""

_GERMAN_PLAN = (
    r"(?i)\bzu\s+\w+n\b|\b\w{2,}zu\w{2,}en\b"
    r"|\b(?:werden?|wirst|wird|soll(?:en|st|te)?|müssen|muss|wollen?|will|kann|können|dürfen|darf)\b"
)
_GERMAN_PAST = (
    r"(?i)\b(?:war(?:en|st)?|hatten?|wurden?|ging(?:en)?|kam(?:en)?|traf(?:en)?|sah(?:en)?|gab|\w{3,}ten?"
    r"(?=\s+(?:wir|ich|sie|er|es)\b))\b"
    r"|\b(?:habe?|haben|hat|hast|bin|ist|sind|worden)\b.*\b(?:\w*ge\w{2,}(?:t|en)|ver\w+(?:t|en)"
    r"|be\w+(?:t|en)|ent\w+(?:t|en)|\w+iert|worden)\b"
)


def tense_of(text: str, start: int, end: int) -> Tense:
    """Return where the day lies that an English sentence names.

    Args:
        text: The sentence, or several.
        start: Where the words of the day begin.
        end: Where they end.
    """
    before = _tail(text[:start])
    if compiled(_CHOSEN).search(before):
        return Tense.UNSURE
    found = list(_verbs(before))
    if not found:
        rest = compiled(_SENTENCE_END).split(text[end:], maxsplit=1)[0]
        found = list(_verbs(rest))[:1]
    return found[-1] if found else Tense.AHEAD


def german_tense_of(text: str, start: int, end: int) -> Tense:
    """Return the same for German, whose clauses are parted by commas."""
    head, rest = _tail(text[:start]), compiled(_SENTENCE_END).split(text[end:], maxsplit=1)[0]
    clause = head.rpartition(",")[2] + " … " + rest.partition(",")[0]
    is_plan = compiled(_GERMAN_PLAN).search(clause) is not None
    is_past = compiled(_GERMAN_PAST).search(clause) is not None
    if is_plan and is_past:
        return Tense.UNSURE
    return Tense.BACK if is_past else Tense.AHEAD


def _tail(text: str) -> str:
    """Return the sentence that a text ends in."""
    return compiled(_SENTENCE_END).split(text)[-1]


def _verbs(text: str) -> Iterator[Tense]:
    """Yield what the verbs of a sentence say, in their order."""
    for match in compiled(_VERB).finditer(text):
        if match["unsure"] is not None:
            yield Tense.UNSURE
        elif match["plan"] is not None or match["passive"] is not None:
            yield Tense.AHEAD
        elif match["past"] is not None and not _is_remark(text, match):
            is_aside = compiled(_RELATIVE).search(text[: match.start()]) is not None
            is_left = compiled(_NEXT_CLAUSE).match(text, match.end()) is not None
            yield Tense.UNSURE if is_aside or is_left else Tense.BACK


def _is_remark(text: str, match: re.Match[str]) -> bool:
    """Whether a participle stands alone, as in "Noted, it goes out on Friday"."""
    return not text[: match.start()].strip() and text[match.end() :].lstrip().startswith(",")
