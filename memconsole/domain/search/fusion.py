"""Scores the candidates of both legs.

score = 0.7 · vector + 0.3 · text, where

- text = BM25 / best BM25 of this query;
- vector = ½ · cosine + ½ · late interaction, each stretched over the candidates to 0…1; late
  interaction is taken of the best fifty. A provider whose cosines mean the same in every query
  keeps them as they are.

Words that no chunk has much of say little: a question in other words than its note meets only some
word that is there by chance, and both legs would stretch it to 1. With the share of the query that
its best chunk holds (`trust`), late interaction fades to nothing and text to a third of its weight.

What has none of the words must be near in meaning by itself; what has them and falls below the
least score fills places that would stay empty, and is called weak. Nothing depends on how many
results are asked for.

Text that only asks stands behind what answers: who asked the same before wrote the very words of
the query down, so that the question itself would lead everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.search.dates import DATE_BONUS
from memconsole.domain.search.values import LATE_CANDIDATES, Candidate
from memconsole.text.compiled import compiled
from memconsole.text.folding import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memconsole.domain.search.values import SearchHit


WORDLESS_COSINE: Final = 0.25
"""Least cosine of a chunk with none of the words; 99 % of strangers lie below 0.22 (measured)."""

UNKNOWN_COSINE: Final = 0.35
"""The same when the index knows none of the words."""

STRANGE_SHARE: Final = 0.25
"""Share of a query in its best chunk up to which its words are strange to the index."""

COMMON_SHARE: Final = 0.45
"""The same from which its words are those of the index: questions in words of their note mostly lie
above it, questions in other words mostly below (the `dev` half of our own labels)."""

SURE_COVERAGE: Final = 0.7
"""With fewer of its words in the index a query was probably for another agent."""

AGENT_WEIGHT: Final = 0.4
"""What an agent loses that knows nothing of what is asked; chosen on half of LoCoMo."""

_QUALITY: Final = 0.2

_QUALITY_STRANGE: Final = 0.5
"""Weight of the better model, and what is added where the index holds nothing of the words."""

_SURE_NEARNESS: Final = 0.825
"""Mean cosine of a chunk and its best line by the better model from which it answers, whatever its
words. Of questions about another memory the best hit mostly lies below (chosen on the `dev` half of
our own labels and on one conversation of LoCoMo)."""

_SURE_FOREIGN: Final = 0.81
"""The same of a question in another language, all of whose cosines are a little lower."""

_FILLING_TEXT: Final = 0.5

_LEAST_TEXT: Final = 1 / 3

_LATE_PART: Final = 0.5

_ANY_COSINE: Final = -1.0


class Weights(NamedTuple):
    """How much each leg counts; they are scaled to a sum of 1."""

    vector: float = 0.7
    text: float = 0.3


class Scored(NamedTuple):
    """One candidate with its scores, each 0…1; a tuple, because each search makes hundreds.

    Attributes:
        score: What it is ranked by; with a bonus it may be more than 1.
        quality: What the better model says; None when it took no part.
        nearness: Its cosine as it is, not stretched over the candidates; -1 when it took no part.
        date: How near its day is to the one asked for; None when none was.
    """

    candidate: Candidate
    score: float
    vector: float | None
    text: float | None
    is_weak: bool = False
    date: float | None = None
    quality: float | None = None
    nearness: float = _ANY_COSINE


def shortlist(candidates: Sequence[Candidate], weights: Weights) -> tuple[Candidate, ...]:
    """Return the candidates that late interaction looks at, best first."""
    ranked = _ranked(candidates, faded(candidates, weights, 1.0), {}, is_raw=False)
    return tuple(candidate for _, candidate, _, _ in ranked[:LATE_CANDIDATES])


def fuse(
    candidates: Sequence[Candidate],
    weights: Weights,
    *,
    is_raw: bool = False,
    late: Mapping[tuple[int, int], float] | None = None,
    trust: float = 1.0,
) -> Iterator[Scored]:
    """Yield every candidate with its score, best first; few searches look at all of them.

    Args:
        candidates: Of all legs and indexes, each once.
        weights: Of the legs; a leg that is missing leaves its weight to the other.
        is_raw: Cosines are kept as they are.
        late: Late interaction by (scope, id), of the shortlist.
        trust: How much the query's words say, 0…1 (`trust_in_words`).
    """
    used = faded(candidates, weights, trust)
    found = _ranked(candidates, used, late or {}, is_raw=is_raw, share=late_part(trust))
    return (Scored(one, -below, vector, text) for below, one, vector, text in found)


def faded(candidates: Sequence[Candidate], weights: Weights, trust: float) -> Weights:
    """Return the weights as they count for a query: those of the legs that take part, sum 1."""
    has_vectors = any(one.cosine is not None for one in candidates)
    has_text = any(one.text for one in candidates)
    vector = weights.vector if has_vectors else 0.0
    text = weights.text * max(trust, _LEAST_TEXT) if has_text else 0.0
    total = (vector + text) or 1.0
    return Weights(vector / total, text / total)


def late_part(trust: float) -> float:
    """Return the share of late interaction in the vector leg."""
    return _LATE_PART * trust


def trust_in_words(late: Mapping[tuple[int, int], float]) -> float:
    """Return how much the words of a query say in these indexes, 0…1.

    Args:
        late: The share of the query that each chunk of the shortlist holds; none: words are all
            there is.
    """
    best = max(late.values(), default=1.0)
    return min(1.0, max(0.0, (best - STRANGE_SHARE) / (COMMON_SHARE - STRANGE_SHARE)))


def chosen(
    scored: Iterable[Scored],
    *,
    coverage: float | None,
    min_score: float,
    max_results: int,
    words: int = 2,
    trust: float = 1.0,
    least_cosine: float = 0.0,
    quality: float = 0.0,
) -> list[Scored]:
    """Return the results, best first: those that qualify, then what fills empty places.

    Args:
        scored: Best first.
        coverage: Share of the query's words that the index knows; None without any word.
        min_score: Least score of a result.
        max_results: Most results.
        words: Words of the query; the one word of a query says exactly what is meant.
        trust: How much they say; where that is little, what is not near is weak and not left out.
        least_cosine: What a chunk with none of the words must have: its score is stretched over
            the candidates and says nothing by itself.
        quality: Weight of the better model. Where it had its say, cosines of the built-in one leave
            nothing out, and what it calls near is no weak match; at 1 the question is in another
            language.
    """
    is_unsure = coverage is None or coverage < SURE_COVERAGE
    least = WORDLESS_COSINE if coverage and words > 1 else UNKNOWN_COSINE
    shown = _ANY_COSINE if trust < 1 and least == WORDLESS_COSINE else least
    shown = max(shown, least_cosine) if least_cosine > 0 else shown
    results: list[Scored] = []
    filling: list[Scored] = []
    sure = _SURE_FOREIGN if quality == 1 else _SURE_NEARNESS
    for one in scored:
        if len(results) == max_results:
            break
        if not quality and not _is_near(one, shown):
            continue
        if one.score >= min_score:
            is_weak = one.nearness < sure and (is_unsure or not _is_near(one, least))
            results.append(one._replace(is_weak=is_weak))
        elif one.text is not None and one.text >= _FILLING_TEXT:
            filling.append(one._replace(is_weak=True))
    return [*results, *filling][:max_results]


def quality_weight(trust: float) -> float:
    """Return how much the better model counts: more where words say little."""
    return _QUALITY + _QUALITY_STRANGE * (1 - trust)


def by_quality(
    scored: Sequence[Scored], near: Mapping[tuple[int, int], tuple[float, float]], weight: float
) -> list[Scored]:
    """Mix the scores with what the better model says; best first.

    Args:
        scored: Of both legs.
        near: By (scope, id), cosines of a chunk and of the best of its lines.
        weight: Of the model, 0…1 (`quality_weight`).
    """
    found = [near.get(one.candidate[:2], (0.0, 0.0)) for one in scored]
    means = [(whole + line) / 2 for whole, line in found]
    wholes, lines = (_stretched([pair[at] for pair in found]) for at in (0, 1))
    models = _stretched([(a + b) / 2 for a, b in zip(wholes, lines, strict=True)])
    own = _stretched([one.score for one in scored])
    return sorted(
        (
            one._replace(
                score=round((1 - weight) * score + weight * model, 6), quality=model, nearness=mean
            )
            for one, score, model, mean in zip(scored, own, models, means, strict=True)
        ),
        key=_order,
    )


def _stretched(values: Sequence[float]) -> list[float]:
    least, width = _range(values)
    return [(value - least) / width if width > 0 else 1.0 for value in values]


def by_day(scored: Iterable[Scored], nearness: Callable[[Candidate], float]) -> list[Scored]:
    """Give what is of the day asked for its bonus; best first."""
    found = []
    for one in scored:
        near = nearness(one.candidate)
        found.append(one._replace(score=one.score + DATE_BONUS * near, date=near))
    return sorted(found, key=_order)


def by_agent(scored: Iterable[Scored], known: Mapping[int, float]) -> list[Scored]:
    """Let agents that know little of what is asked rank behind the one that knows most of it.

    Args:
        scored: Of several agents.
        known: By scope, how much of the query its agent knows, 0…1: the share of the words that
            occur in its indexes, times the share of the query that its best chunk holds.
    """
    most = max(known.values(), default=0.0)
    found = (
        one._replace(score=one.score - AGENT_WEIGHT * (most - known[one.candidate.scope]))
        for one in scored
    )
    return sorted(found, key=_order)


def by_age(
    scored: Iterable[Scored], age_days: Callable[[Candidate], float], half_life: float
) -> list[Scored]:
    """Let scores fade with age, halved every `half_life` days; best first."""
    faded = [
        one._replace(score=one.score * 0.5 ** (max(0.0, age_days(one.candidate)) / half_life))
        for one in scored
    ]
    return sorted(faded, key=_order)


def _is_near(one: Scored, least: float) -> bool:
    if one.text is not None:
        return True
    return one.candidate.cosine is not None and one.candidate.cosine >= least


def _ranked(
    candidates: Sequence[Candidate],
    weights: Weights,
    late: Mapping[tuple[int, int], float],
    *,
    is_raw: bool,
    share: float = _LATE_PART,
) -> list[tuple[float, Candidate, float | None, float | None]]:
    """Return (minus score, candidate, vector leg, text leg) of every candidate, best first.

    Plain tuples, because each letter that is typed ranks hundreds of them twice: they compare
    without a key, and no two of them have the same scope and id.
    """
    best_text = max((text for *_, text in candidates if text is not None), default=0.0)
    on_vector, on_text = weights
    vectors = _vector_leg(candidates, late, share, is_raw=is_raw)
    texts = [
        None if text is None else text / best_text if best_text > 0 else 1.0
        for *_, text in candidates
    ]
    below = [
        -round(on_vector * (vector or 0.0) + on_text * (text or 0.0), 6)
        for vector, text in zip(vectors, texts, strict=True)
    ]
    return sorted(zip(below, candidates, vectors, texts, strict=True))


def _vector_leg(
    candidates: Sequence[Candidate],
    late: Mapping[tuple[int, int], float],
    share: float,
    *,
    is_raw: bool,
) -> list[float | None]:
    """Return the value of the vector leg of every candidate."""
    cosines = [cosine for _, _, cosine, _ in candidates]
    if is_raw:
        return [None if one is None else min(1.0, max(0.0, one)) for one in cosines]
    least, width = _range(cosines)
    stretched = [
        None if one is None else (one - least) / width if width > 0 else 1.0 for one in cosines
    ]
    if not late:
        return list(stretched)
    least, width = _range(late.values())
    nearness = {at: (near - least) / width if width > 0 else 1.0 for at, near in late.items()}
    return [
        None if cosine is None else (1 - share) * cosine + share * nearness.get(at, 0.0)
        for at, cosine in zip([one[:2] for one in candidates], stretched, strict=True)
    ]


def _range(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the least value and the width of what lays values over 0…1; equal ones have none."""
    known = [value for value in values if value is not None]
    least = min(known, default=0.0)
    return least, max(known, default=0.0) - least


def _order(one: Scored) -> tuple[float, int, int]:
    return -one.score, one.candidate.scope, one.candidate.id


def diverse(hits: Sequence[SearchHit], most: int, weight: float) -> tuple[SearchHit, ...]:
    """Return the results that are good and unlike each other, in the order they came.

    Maximal marginal relevance, off by default: on labelled questions it changed nothing. It helps
    where the same paragraph was written into many notes.

    One after the other is taken that has the most of weight · score - (1 - weight) · likeness,
    where likeness is the share of common words with the one taken before that is most like it. So
    the best is always among them, and asking for more results takes none away.

    Args:
        hits: All that qualify, however many are wanted.
        most: How many are wanted.
        weight: Of the score; 1 leaves likeness out.
    """
    said = [frozenset(words(hit.snippet)) for hit in hits]
    likeness = [0.0] * len(hits)
    left = sorted(range(len(hits)), key=lambda at: (-hits[at].score, at))
    taken: list[int] = []
    while left and len(taken) < most:
        best = max(left, key=lambda at: weight * hits[at].score - (1 - weight) * likeness[at])
        left.remove(best)
        taken.append(best)
        for at in left:
            likeness[at] = max(likeness[at], _likeness(said[at], said[best]))
    return tuple(hits[at] for at in sorted(taken))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0


ASKING_SHARE: Final = 0.5
"""What its score is multiplied with: behind what answers, before what has nothing to do with it."""

_END: Final = r"[.!?。！？](?=[\s\"'”’»)*_`\]]|$)|\n|$|[。！？]"

_SPEAKER: Final = r"^\W*([^\W\d][\w -]{0,30}?)\W*:\W"


def only_asks(hit: SearchHit, text: str) -> bool:
    """Whether all matched words of a result stand in questions that its text does not answer.

    A question is answered when somebody else speaks behind it. A result without a matched word asks
    nothing of the kind.

    Args:
        hit: The result with its marks.
        text: The whole text of its chunk.
    """
    if not hit.marks or ("?" not in hit.snippet and "？" not in hit.snippet):
        return False
    ends = [compiled(_END).search(hit.snippet, end) for _, end in hit.marks]
    if not all(end is not None and end[0] in "?？" and end[0] for end in ends):
        return False
    last = hit.marks[-1][1]
    start = hit.snippet.rfind("\n", 0, last) + 1
    asked = hit.snippet[start:].split("\n", 1)[0]
    return not _is_answered(asked, text[text.find(asked) + len(asked) :])


def _is_answered(asked: str, behind: str) -> bool:
    following = next((line for line in behind.split("\n") if line.strip()), "")
    asker, other = _speaker(asked), _speaker(following)
    return other is not None and other != asker and not following.rstrip().endswith(("?", "？"))


def _speaker(line: str) -> str | None:
    found = compiled(_SPEAKER).match(line)
    return None if found is None else found[1].casefold()
