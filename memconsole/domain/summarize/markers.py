"""Chooses the marker that a sentence deserves, by what it says and who says it.

No model: each tag has cues, words that people use when they decide, prefer, warn or find out. A cue
that is only telling from one side counts from that side alone: what an agent "prefers" is no
preference of its operator. Questions and conditions decide nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TEXT_CHARS = 240
"""Characters of one observation."""

_SHORTEST = 12
_LONGEST = 600
"""A longer sentence is a paste, not something that somebody said."""

_EITHER = ("user", "assistant")
_USER = ("user",)

_GIVEN = re.compile(r"^(?:\W*)\[(" + "|".join(MARKER_TAGS) + r")\]:?\s*")
_QUESTION = re.compile(r"[?？][\"'”’)\]*_]*$")
_CONDITION = re.compile(
    r"^(?:if|when|should|would|could|what if|whether|maybe|perhaps|in case|falls|wenn|se|si)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Tagged:
    """One observation of a session.

    Attributes:
        tag: One of the eight.
        text: One line, cut; not yet quoted.
    """

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class _Cue:
    tag: str
    roles: tuple[str, ...]
    pattern: re.Pattern[str]


def _cue(tag: str, roles: tuple[str, ...], *words: str) -> _Cue:
    return _Cue(tag, roles, re.compile("|".join(words), re.IGNORECASE))


_CUES = (
    _cue(
        "TODO",
        _EITHER,
        r"\bto-?do:",
        r"\bremind me to\b|\bremember to\b|\bdon'?t forget to\b",
        r"\b(?:still|we|i|you) (?:need|have|want) to\b",
        r"\b(?:i|we)(?:'ll| will) (?!be\b)\w+",
        r"\bnext steps?\b|\bfollow[- ]up\b|\bby (?:tomorrow|(?:mon|tues|wednes|thurs|fri)day)\b",
        r"\bmuss noch\b|\bnoch zu tun\b|\bpreciso\b|\bfalta\b",
        r"待办|需要做|要做|やること|しなければ",
    ),
    _cue(
        "PREFERENCE",
        _USER,
        r"\bi (?:really |much |usually |always |generally )?(?:prefer|like|love|hate|dislike)\b",
        r"\bi(?:'d| would) rather\b|\bmy (?:favou?rite|preference)\b",
        r"\b(?:please |pls )?(?:always|never) (?!mind\b)\w+",
        r"\b(?:from now on|in future|going forward)\b",
        r"\bi don'?t (?:like|want)\b|\bcall me\b",
        r"\blieber\b|\bbevorzuge\b|\bbitte (?:immer|nie)\b|\bprefiro\b|\bprefiero\b",
        r"我喜欢|我偏好|请总是|好みは|のほうが好き",
    ),
    _cue(
        "DECISION",
        _USER,
        r"\b(?:i|we)(?:'ve| have)? (?:decided|chosen|agreed|settled)\b",
        r"\b(?:let'?s|we(?:'ll| will| should| are going to)) "
        r"(?:go with|use|keep|stick|switch|drop|take)\b",
        r"\b(?:go|going|went) (?:with|for)\b|\bstick(?:ing)? (?:with|to)\b",
        r"\binstead of\b|\brather than\b",
        r"\bentschieden\b|\bwir nehmen\b|\bdecidimos\b|\bvamos usar\b",
        r"决定|选择了|に決め|にします",
    ),
    _cue(
        "DECISION",
        ("assistant",),
        r"\bdecision:|\b(?:i|we)(?:'ve| have)? (?:decided|chosen|settled|agreed) (?:on|to|that)\b",
        r"\b(?:chose|picked|switched to|went with|going with)\b",
    ),
    _cue(
        "TRADEOFF",
        _EITHER,
        r"\btrade-?offs?\b|\bat the (?:cost|expense|price) of\b|\bthe downside\b|\bdrawbacks?\b",
        r"\b(?:slower|faster|simpler|cheaper|heavier|larger|smaller)\b[^.]{0,60}\b(?:but|though)\b",
        r"\bpros and cons\b|\bcompromise\b|\bNachteil\b|\bdesvantagem\b|代价|权衡|トレードオフ",
    ),
    _cue(
        "GOTCHA",
        _EITHER,
        r"\bgotcha\b|\bpitfall\b|\bbeware\b|\bwatch out\b|\bcareful\b|\bcaveat\b",
        r"\bturns out\b|\bit (?:only|silently)\b|\bsilently\b",
        r"\b(?:fails?|failed|breaks?|broke|crash(?:es|ed)?|hangs?|times? out|timed out) "
        r"(?:when|if|because|with|on|unless|without)\b",
        r"\b(?:doesn'?t|does not|won'?t|cannot|can'?t) work\b|\bnot (?:supported|documented)\b",
        r"\bAchtung\b|\bVorsicht\b|\bcuidado\b|注意|坑|要注意",
    ),
    _cue(
        "SOLUTION",
        _EITHER,
        r"\bfix(?:ed|es)? (?:it|by|this|that|the|with)\b",
        r"\bthe (?:fix|solution|workaround|cure) (?:is|was)\b",
        r"\b(?:solved|resolved|worked around|works now|working again|root cause)\b",
        r"\bgelöst\b|\bbehoben\b|\bresolvido\b|\bresuelto\b|解决了|修复了|直りました|解決し",
    ),
    _cue(
        "PATTERN",
        _EITHER,
        r"\b(?:every time|each time|whenever|as a rule|by convention|rule of thumb|the pattern)\b",
        r"\bwe (?:always|usually|normally|never)\b|\bkeeps? (?:happening|failing|coming)\b",
        r"\bjedes Mal\b|\bimmer wenn\b|\bsempre que\b|每次|毎回",
    ),
    _cue(
        "FACT",
        _EITHER,
        r"\b(?:is|are|runs?|lives?|listens?|costs?|expires?|starts?|ends?|weighs|takes) "
        r"(?:on|at|in|under|until|from)?\s*[\w./:$€£#-]*\d",
        r"\bmy (?:\w+ ){1,3}is\b|\bour (?:\w+ ){1,3}(?:is|are)\b",
        r"\bnote that\b|\bfyi\b|\bfor the record\b",
    ),
)


def observations(said: Iterable[tuple[str, str]], most_per_tag: int) -> tuple[Tagged, ...]:
    """Return what a session is worth remembering for, in the order of the eight tags.

    Lines that carry a tag already keep it. A sentence is used once; of each tag the newest
    `most_per_tag` are kept, in the order they were said.

    Args:
        said: (role, text with its line feeds, secrets masked), oldest first.
        most_per_tag: `summary.max_per_tag`.
    """
    found: dict[str, list[Tagged]] = {tag: [] for tag in MARKER_TAGS}
    seen: set[str] = set()
    for role, text in said:
        for sentence in sentences(text):
            tagged = tag_of(sentence.text, role)
            if tagged is not None and tagged.text.casefold() not in seen:
                seen.add(tagged.text.casefold())
                found[tagged.tag].append(tagged)
    return tuple(one for tag in MARKER_TAGS for one in _newest(found[tag], most_per_tag))


def tag_of(sentence: str, role: str) -> Tagged | None:
    """Return the sentence with its tag, or None when it says nothing to remember.

    Args:
        sentence: One line.
        role: `user` or `assistant`.
    """
    if (given := _GIVEN.match(sentence)) is not None:
        rest = sentence[given.end() :].strip()
        return Tagged(given[1], cut(rest, TEXT_CHARS)) if rest else None
    if not _SHORTEST <= len(sentence) <= _LONGEST:
        return None
    if _QUESTION.search(sentence) is not None or _CONDITION.match(sentence) is not None:
        return None
    for cue in _CUES:
        if role in cue.roles and cue.pattern.search(sentence) is not None:
            return Tagged(cue.tag, cut(sentence, TEXT_CHARS))
    return None


def _newest(found: Sequence[Tagged], most: int) -> Sequence[Tagged]:
    return found[-most:] if most else ()
