"""Tells which lines of people's talk readers would hardly call right, by weights of their verdicts.

A line is called right when it names a matter and who did something about it. What it misses then
are words for what stands elsewhere, praise and advice. Only an English line with a speaker's name
in front is doubted: of others there are too few verdicts. Decisions, rules, failures, money,
technical matters, promises, plans and appointments with a day, and who somebody is, prefers or
must not eat never are.
"""

from __future__ import annotations

import math
from typing import Final

from memconsole.domain.memory.observations import Kind
from memconsole.domain.observe import patterns as cue
from memconsole.domain.observe.sentences import MOST_NAMES, content_words, judged, without_label
from memconsole.text.compiled import compiled
from memconsole.text.sentences import sentences

FITTED: Final = (
    ("words that say something, ln", 1.65),
    ("names", 0.47),
    ("things it introduces", 0.22),
    ("sentences with I or we", 1.04),
    ("a question in front", 0.79),
    ("a change", 0.61),
    ("people", 0.43),
    ("a comment at its end", 0.75),
    ("a word for what was named before", -0.93),
    ("more of them", -0.49),
    ("begins with one", -0.82),
    ("praise among its words", -1.52),
    ("you among its words", -9.12),
    ("thanks", -0.99),
)
"""Weights of what is counted of a line, as `benchmarks/capture_fit.py` fitted them on 2026-11-29.

They are fitted together, by logistic regression: none of them is changed alone.
"""

LEAST: Final = 3.56
"""Sum of the weighted counts below which a line is doubted."""

_SURE: Final = frozenset({"rule", "decision", "failure", "money", "technical"})
_ALSO_CHEERS: Final = frozenset({"rule", "failure"})
"""Cues that encouragement has too: "remember, failures lead to success"."""
_ENGLISH: Final = (
    r"(?i)\b(?:the|and|to|it|you|your|my|our|they|she|that|this|with|are|have|(?-i:I))\b"
)
_WHO: Final = (
    r"(?i)\b(?:allerg\w*|vegetarian|vegan|intoleran\w*|diabet\w*|favou?rite|prefer\w*|rather not"
    r"|can['’]t stand|(?:i|we)(?:['’](?:m|re)| am| are) (?:from|called|born|married|single)"
    r"|(?:i|we) (?:live|work|grew up|was born|were born)|(?:name|birthday|address)(?:['’]s| is))\b"
)
"""Who somebody is, what they prefer, what they must not have."""
_APPOINTED: Final = (
    r"(?i)\b(?:at (?:\d{1,2}|noon|midnight)\b|\d{1,2}(?::\d\d| ?[ap]m)\b"
    r"|on (?:the \d|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b))"
)
"""A clock time or a day that is set."""
_CHEERS: Final = rf"{cue.HOLLOW}|\bmake sure\b"
_EARLIER: Final = r"(?i)\b(?:it|its|they|them|their|he|she|his|her|him)\b(?!['’]s (?:been|just))"
_INTRODUCES: Final = r"(?i)\b(?:an?|my|our|his|her|their|some|new|\d+|two|three|few) \w+"
_COMMENTS: Final = (
    r"(?i)(?:it|that|this|they|these|those|everything|there)(?:['’](?:s|re|ll be)"
    r"| (?:is|are|was|were|has been|feels?|felt|makes?|made|brings?|gives?|reminds?|means?|keeps?"
    r"|helps?))\b"
)
_PRAISE: Final = (
    r"(?i)\b(?:feel(?:s|ing|ings)?|felt|amazing|awesome|great|incredible|wonderful|inspir\w+|happy"
    r"|excit\w+|proud|thankful|grateful|blessed|joy\w*|fun|rewarding|special|love(?:ly)?|beautiful"
    r"|cool|nice|important|worth|powerful|support\w*|encourag\w*|hope\w*|dreams?|passion\w*"
    r"|motivat\w*)\b"
)
_BESIDE: Final = r"(?:.{1,300}[?？]\W* — |\(.{1,300}?\) )"
_EARLY: Final = 3
"""Words that say something, before which nothing was named that a pronoun could stand for."""


def is_doubtful(text: str, kind: Kind, labels: frozenset[str]) -> bool:
    """Whether readers would hardly call a line right.

    Args:
        text: Of the line, with the speaker's name where one stands in front.
        kind: Of the line.
        labels: Names that the messages of its session begin with.
    """
    label, body = without_label(text, labels)
    if not label or compiled(_ENGLISH).search(body) is None or is_sure(body, kind, labels):
        return False
    counted = features(body, labels)
    return math.fsum(weight * counted[name] for name, weight in FITTED) < LEAST


def is_sure(body: str, kind: Kind, labels: frozenset[str]) -> bool:
    """Whether a line is of a sort that no count of words may leave out.

    Args:
        body: Without the speaker's name.
        kind: Of the line.
        labels: Names of those who talk.
    """
    cues = {one.name for part in sentences(body) for one in judged(part, labels).cues}
    is_plan = kind is Kind.GOAL or "promise" in cues
    if is_plan and "time" in cues:
        return True
    if compiled(_WHO).search(body) is not None or compiled(_APPOINTED).search(body) is not None:
        return True
    sure = cues & _SURE
    return bool(sure - _ALSO_CHEERS) or bool(sure and not compiled(_CHEERS).search(body))


def features(body: str, labels: frozenset[str]) -> dict[str, float]:
    """Return what is counted of a line.

    Args:
        body: Without the speaker's name.
        labels: Names of those who talk: they are no names of a matter.
    """
    told = body[match.end() :] if (match := compiled(_BESIDE).match(body)) else body
    parts = [judged(one, labels) for one in sentences(told)]
    cues = {one.name for part in parts for one in part.cues}
    words = frozenset(content_words(body))
    before = [
        len(frozenset(content_words(body[: one.start()])))
        for one in compiled(_EARLIER).finditer(body)
    ]
    firsts = sum(compiled(cue.FIRST).search(part.text) is not None for part in parts)
    return {
        "words that say something, ln": math.log1p(len(words)),
        "names": float(min(MOST_NAMES, sum(part.names for part in parts))),
        "things it introduces": float(min(4, len(compiled(_INTRODUCES).findall(body)))),
        "sentences with I or we": firsts / max(1, len(parts)),
        "a question in front": float(match is not None and body[0] != "("),
        "a change": float("change" in cues),
        "people": float("people" in cues),
        "a comment at its end": float(bool(parts) and _is_comment(parts[-1].text)),
        "a word for what was named before": float(any(place < _EARLY for place in before)),
        "more of them": float(min(2, sum(place < _EARLY - 1 for place in before))),
        "begins with one": float(compiled(cue.STANDS_FOR).match(told) is not None),
        "praise among its words": len(compiled(_PRAISE).findall(body)) / max(1, len(words)),
        "you among its words": len(compiled(cue.SECOND).findall(body)) / max(1, len(body.split())),
        "thanks": float("thanks" in cues),
    }


def _is_comment(text: str) -> bool:
    return compiled(_COMMENTS).match(text) is not None
