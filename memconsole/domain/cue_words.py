"""How talk begins, asks, greets and names: patterns that judge sentences (mission §12)."""

from __future__ import annotations

import re
from typing import Final

from memconsole.domain.query import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)


NOW: Final = _any(r"currently|at the moment|right now|working on|in progress|so far")
"""A fact that will not last: context."""

NO_SENTENCE: Final = re.compile(r"[|{}<\[$]|\W*$|(?:at|File|import|def|const|let|var) \S+[(.:]")
"""How rows of tables, tags, data, code and traces begin."""

QUESTION: Final = re.compile(r"[?？]\W*$")
ASKS_A_FACT: Final = _any(
    r"what|which|where|when|who|whose|why|how (?:long|many|much|old|often|did|do|does|was|come)"
)
STANDS_FOR: Final = re.compile(
    r"(?P<yes>(?:yes|yeah|yep|yup|no|nope)\b\W*)?(?:(?:well|and|but|so|oh|actually)\b\W*)*"
    r"(?:it|they|he|she|this|that|these|those|his|her|their|its)\b(?!['’]s (?:been|just))",
    re.IGNORECASE,
)
"""How a sentence begins that speaks of what was named before."""
GREETS: Final = _any(
    r"how (?:are|have|is|about|was your)|how['’]s|what['’]s (?:up|new)|anything (?:new|exciting)"
)
REACTION: Final = re.compile(
    r"(?:wow|whoa|woah|congrat\w*|that['’]s|that is|that must|awesome|cool|amazing|great"
    r"|sorry|oh|aww?|nice|way to go|impressive|incredible|so (?:cool|happy|glad|sorry)|good job"
    r"|well done|perfect|excellent|ouch)\b",
    re.IGNORECASE,
)
CHATTER: Final = re.compile(
    r"(?:wow|whoa|woah|thanks|thank you|thx|congrat\w*|great|glad|awesome|cool|good|keep|hey|hi"
    r"|hello|yeah|yep|yes|yup|no|nope|ok|okay|absolutely|definitely|sure|for sure|no problem"
    r"|no worries|anytime|take care|bye|see (?:you|ya)|talk (?:soon|later|to you)|catch (?:you|up)"
    r"|totally|agreed|exactly|of course|nice|aww?|oh|ah|haha\w*|lol|so|sorry|way to go|can['’]t"
    r"|let['’]s|let me know|really|well|you|your|that|that['’]s|it['’]s|it|sounds|looks|what an?"
    r"|how|love|hope|wish(?:ing)?|enjoy|have (?:a|fun)|best|same|me too|right|true|got it|done"
    r"|will do|perfect|excellent|understood|certainly|happy to|here (?:is|are)|here['’]s|sure thing"
    r"|i (?:see|agree|understand|appreciate|bet|can imagine|hope|get it)|check|look|take a look"
    r"|welcome|you['’]re|there you go|fingers crossed|good luck|mm+|hmm+|ooh?|yay|woo\w*)\b",
    re.IGNORECASE,
)
"""How sentences begin that mostly say nothing; with enough words of their own they still count."""

_SPAN: Final = r"(?:busy|crazy|wild|long|rough) (?:few |couple of )?(?:day|week|month|time)s?"
_HAVE: Final = r"(?:gotta|(?:got|have|had|need|wanted) to)(?: just)?"
ANNOUNCES: Final = re.compile(
    r"(?:guess what|long time(?: no \w+)?"
    rf"|(?:it['’]s )?been (?:a )?(?:while|long time|ages|{_SPAN})"
    rf"|i(?:['’]ve| have)? {_HAVE} (?:tell|share)(?: this| something)?(?: with)? (?:you|ya)"
    r"|(?:so much|a lot|lots|something \w+)(?:['’]s| has| have)?"
    r" (?:happened|changed|been going on))"
    r"(?: (?:about|since|for|to|with|from|recently|lately|here)\b.{0,30})?\W*",
    re.IGNORECASE,
)
"""Whole sentences that only say that something is coming."""

GENERAL: Final = _any(
    r"life|people|every(?:one|body|thing)|any(?:one|body|thing)|some(?:one|body)|others|world"
    r"|things?|moments?"
)
"""Words for nobody and nothing in particular: talk of the world in general holds them."""

SECOND: Final = _any(r"you|your|yours|yourself|you['’](?:re|ve|ll|d)|ya")
FIRST: Final = re.compile(
    r"\b(?:i|my|we|our|me|us|mine|ours|i['’](?:m|ve|d|ll)|we['’](?:re|ve|d|ll))\b", re.IGNORECASE
)
NAME: Final = re.compile(r"(?<=[\w,;:)'’] )[A-Z][\w'’-]+|\b[A-Z]{2,}[a-z]?\b")
LABEL: Final = re.compile(r"([A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)?): (?=\S)")

COMMON: Final = STOP_WORDS | _words(
    "also always amazing awesome back bit can't come cool could didn't doesn't don't even ever"
    " every feel feels felt fun get gets getting glad go going gonna good got great guess guys hard"
    " he's hear hey hope i'd i'll i'm i've it'll it's know let let's like lot lots love made make"
    " makes making many may maybe means might much must need new nice one oh ok okay pretty really"
    " right say see she's since so something sounds still stuff such super sure take takes taking"
    " thank thanks that's thing things think they're time totally try trying us want wanted wants"
    " way we'll we're we've what's wow yeah yes yet you'll you're you've happy help keep look looks"
    " seeing hard wait looking forward"
)
"""Words that make no sentence worth more."""
