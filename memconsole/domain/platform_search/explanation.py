"""Says in words why an agent's own search does not see a note, and what would help.

What its index has of a note of ours is found here, too, and what its search says of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.platform_search.candidates import (
    Placed,
    PlatformChunk,
    Rules,
    age_of,
    weight_of,
)
from memconsole.domain.platform_search.index import is_memory_file
from memconsole.domain.platform_search.profile import Fallback, SecondChance
from memconsole.domain.platform_search.words import read_words
from memconsole.domain.search.agent_view import AgentFacts, AgentView, Reason
from memconsole.domain.search.query import match_spans
from memconsole.text.estimate import readable
from memconsole.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memconsole.domain.platform_search.index import Contents, IndexedChunk, IndexFacts
    from memconsole.domain.platform_search.profile import Limits
    from memconsole.domain.search.agent_view import AgentHit
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit


_DAY_S: Final = 86_400.0
_ASK: Final = "`--ask-gateway` asks the agent's own search."
_OWN_WORDS: Final = "Ask in the note's own words, or lower the platform's minScore."
_UNDATED: Final = (
    "Write what must last into MEMORY.md, or into a file of memory/ without a date in its name: "
    "those do not fade."
)


class Searched(NamedTuple):
    """The search that a note is looked for in.

    Attributes:
        now: Seconds since 1970.
        is_settled: Its scores are known, vectors included: what is no candidate has none.
        answers: How many notes the Gateway answered with; None when it was not asked.
    """

    agent: str
    facts: IndexFacts
    limits: Limits
    query: Query
    now: float
    is_settled: bool = False
    answers: int | None = None

    @property
    def reindex(self) -> str:
        """How the platform is made to index anew."""
        return f"`{self.facts.program} memory index --agent {self.agent}` takes it in."


class Evidence(NamedTuple):
    """What is known of one note.

    Attributes:
        is_indexed: Its file is in the index.
        is_current: The file is as it was indexed; None when it cannot be read.
        chunks: What the index has of its lines.
        placed: The best of them in the search, a stand-in when none is a candidate; None when the
            index has nothing of its lines.
        text_rank: Its place among all chunks with words.
    """

    hit: SearchHit
    is_indexed: bool
    is_current: bool | None
    chunks: tuple[IndexedChunk, ...]
    placed: Placed | None
    text_rank: int | None = None


class _Why(NamedTuple):
    reason: Reason
    because: str
    help: str = ""
    is_known: bool = True


def explain(note: Evidence, search: Searched) -> AgentView:
    """Return where the agent's own search has a note, and why."""
    one, unsearched = note.placed, _of_model(search)
    if unsearched is not None or one is None:
        return AgentView(None, None, *(unsearched or _absent(note, search))[:3])
    why = _of_text(note, search) or _of_chunks(note.chunks, search) or _of_rank(one, search)
    age_s = age_of(one.chunk, search.now) if search.limits.half_life_days else None
    facts = AgentFacts(
        text_rank=note.text_rank,
        text_score=_rounded(one.text),
        vector_score=_rounded(one.vector),
        age_days=None if age_s is None else round(age_s / _DAY_S, 1),
        fade=_rounded(one.fade),
        needs=_rounded(_needed(one, search)) if one.score is None else None,
    )
    return AgentView(one.rank, _rounded(one.score), *why[:3], facts, why.is_known)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _absent(note: Evidence, search: Searched) -> _Why:
    """Return why the index has nothing of a note's lines."""
    profile = search.facts.profile
    if note.is_indexed:
        lines = "these lines of its file are not in the agent's index"
        return _of_text(note, search) or _Why(Reason.NOT_INDEXED, lines, search.reindex)
    if is_memory_file(note.hit.path, profile):
        return _Why(Reason.NOT_INDEXED, "its file is not in the agent's index", search.reindex)
    where = "MEMORY.md, USER.md and memory/" if profile.reads_user else "MEMORY.md and memory/"
    return _Why(
        Reason.NOT_INDEXED,
        f"the platform indexes no such file: only Markdown of {where}",
        "Move it below memory/, or name its folder among the platform's extra paths.",
    )


def _of_text(note: Evidence, search: Searched) -> _Why | None:
    """Return why what the index has of the lines is not what stands there."""
    told = _said(note.hit.snippet, search.query)
    known = frozenset[str]().union(*(_said(one.text, search.query) for one in note.chunks))
    if note.is_current is False and (told - known or not note.chunks):
        return _Why(
            Reason.STALE, "the file has changed since the agent's index read it", search.reindex
        )
    if told and not told & known and not _said(readable(note.hit.snippet), search.query):
        return _Why(
            Reason.IN_COMMENT,
            "its words stand in a comment, and the platform leaves comments out",
            "Write them outside of <!-- -->.",
        )
    return None


def _said(text: str, query: Query) -> frozenset[str]:
    return frozenset(fold(text[start:end]) for start, end in match_spans(text, query))


def _of_model(search: Searched) -> _Why | None:
    """Return why an index that was made for another model is not searched at all."""
    facts, wanted = search.facts, search.limits.model
    if facts.is_of(wanted):
        return None
    return _Why(
        Reason.OTHER_MODEL,
        f"its index is of the model {facts.model}, and {wanted} is configured: "
        "it finds nothing until the index is made anew",
        f"`{facts.program} memory index --agent {search.agent} --force` makes it anew.",
    )


def _of_chunks(chunks: Iterable[IndexedChunk], search: Searched) -> _Why | None:
    """Return why a chunk cannot be found by its meaning; None when it can, or need not."""
    facts = search.facts
    if facts.is_text_only:
        return None
    found = tuple(chunks)
    if facts.model is not None and all(one.model != facts.model for one in found):
        return _Why(
            Reason.OTHER_MODEL,
            f"its chunk is of the model {found[0].model}, and the agent searches {facts.model}",
            search.reindex,
        )
    if not any(one.has_vector for one in found):
        return _Why(
            Reason.NO_VECTOR,
            f"its chunk has no vector, so it counts {search.limits.text_weight:.2g} at most "
            f"and needs {search.limits.min_score:.2g}",
            search.reindex,
        )
    return None


def _of_rank(one: Placed, search: Searched) -> _Why:
    """Return why the search has a note that it knows where it has it."""
    if one.rank is not None:
        return _found(one.rank, search.limits.max_results)
    return _unknown(one, search) if one.score is None else _low(one, one.score, search)


def _found(rank: int, most: int) -> _Why:
    if rank <= most:
        return _Why(Reason.FOUND, "it finds it")
    return _Why(
        Reason.FAR_DOWN,
        f"it is found, but the agent is shown {most} results",
        "Ask with more of its own words, or raise the platform's maxResults.",
    )


def _low(one: Placed, score: float, search: Searched) -> _Why:
    """Return what keeps a note that was looked at below the least score."""
    limits = search.limits
    meaning, words = limits.vector_weight * (one.vector or 0), limits.text_weight * one.words
    if meaning + words >= limits.min_score and _age_s(one, search):
        return _too_old(one, search, score)
    is_heard = limits.text_weight + meaning >= limits.min_score
    if one.words == 0 and (is_heard or search.facts.profile.second_chance is SecondChance.ANY):
        return _words(one, search)
    return _Why(
        Reason.BELOW,
        f"its meaning counts {meaning:.2f} and its words {words:.2f}: {score:.2f} in all, "
        f"below its least score {limits.min_score:.2g}",
        _OWN_WORDS,
    )


def _age_s(one: Placed, search: Searched) -> float:
    """Return the age that takes from its score; 0 for none."""
    age_s = age_of(one.chunk, search.now) if search.limits.half_life_days else None
    return age_s or 0.0


def _unknown(one: Placed, search: Searched) -> _Why:
    """Return what can be said without the vector of the query."""
    best, least = one.at_best(search.limits), search.limits.min_score
    if best < least and _age_s(one, search):
        return _too_old(one, search, best, at_best=True)
    words, needed = search.limits.text_weight * one.words * one.fade, _needed(one, search)
    because = f"its words count {words:.2f} of {least:.2g}" if one.words else _unheard(one, search)
    if search.answers is not None:
        because = f"it is not among the {search.answers} notes that it answers with; {because}"
        return _Why(Reason.BELOW, because, _OWN_WORDS)
    because += (
        f"; the rest hangs on vectors of {search.facts.source}, which memconsole is not set up to "
        "ask"
    )
    if needed > 0:
        because += f": a likeness of {needed:.2f} is enough"
    return _Why(Reason.VECTOR_UNKNOWN, because, _ASK, is_known=False)


def _needed(one: Placed, search: Searched) -> float:
    """Return the cosine from which a note reaches the least score."""
    limits = search.limits
    wanted = limits.min_score / max(one.fade, 1e-9) - limits.text_weight * one.words
    return wanted / (limits.vector_weight or 1e-9)


def _too_old(one: Placed, search: Searched, score: float, *, at_best: bool = False) -> _Why:
    days, so = _age_s(one, search) / _DAY_S, "it reaches" if at_best else "it comes to"
    because = (
        f"too old: {days:.0f} days leave {one.fade:.0%} of its score, so {so} "
        f"{score:.2f}{' at best' if at_best else ''} and needs {search.limits.min_score:.2g}"
    )
    # Where nothing reaches the least score, words alone are shown all the same.
    is_open = at_best and search.answers is None and one.words > 0
    is_open = is_open and search.facts.profile.second_chance is SecondChance.ANY
    if is_open:
        because += ", unless no other note reaches that"
    return _Why(Reason.TOO_OLD, because, _UNDATED, is_known=not is_open)


def _words(one: Placed, search: Searched) -> _Why:
    """Return why the words of the query do not count."""
    return _Why(
        Reason.WORDS,
        _unheard(one, search),
        "Ask with words that stand in the note as they are, blanks around them.",
    )


def _unheard(one: Placed, search: Searched) -> str:
    """Say which of the query's words its search does not hear in a note."""
    profile = search.facts.profile
    asked = read_words(profile, search.query.text)
    there = frozenset(read_words(profile, one.chunk.text))
    missing = [word for word in asked if word not in there]
    if not asked:
        return "its search reads no word in the query"
    if profile.fallback is not Fallback.ALWAYS and 0 < len(missing) < len(asked):
        *others, last = missing
        lacking = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        return f"its search wants every word, and {lacking} not in it"
    return "none of the words stands in it as its search reads them"


_ROUNDING: Final = 1e-3
"""Less than this is what is left of the Gateway's rounding, and no words."""


def evidence(
    hit: SearchHit,
    contents: Contents,
    placed: Sequence[Placed],
    hashes: Mapping[str, str],
    search: Searched,
) -> Evidence:
    """Return what is known of one note.

    Args:
        hit: The note.
        contents: Of the agent's index.
        placed: What its search makes of the query, in its order.
        hashes: Of the files as they are now.
        search: What it goes by.
    """
    indexed = next((one.hash for one in contents.files if one.path == hit.path), None)
    now = hashes.get(hit.path)
    chunks = tuple(one for one in contents.chunks if _overlaps(one, hit))
    return Evidence(
        hit=hit,
        is_indexed=indexed is not None,
        is_current=None if now is None or indexed is None else now == indexed,
        chunks=chunks,
        placed=_best(chunks, placed, search),
        text_rank=_text_rank({one.id for one in chunks}, placed),
    )


def _overlaps(chunk: IndexedChunk | AgentHit, hit: SearchHit) -> bool:
    return (
        chunk.path == hit.path
        and chunk.start_line <= hit.end_line
        and hit.start_line <= chunk.end_line
    )


def _best(
    chunks: Iterable[IndexedChunk], placed: Sequence[Placed], search: Searched
) -> Placed | None:
    """Return the chunk that its search likes best; one that is no candidate has nothing."""
    known = {one.chunk.id: one for one in placed}
    found = [known.get(one.id) or _no_candidate(one, search) for one in chunks]
    return min(
        found,
        key=lambda one: (one.rank is None, one.rank or 0, -(one.score or 0), -one.words),
        default=None,
    )


def _no_candidate(chunk: IndexedChunk, search: Searched) -> Placed:
    bare = PlatformChunk(
        chunk.id, chunk.path, "memory", chunk.start_line, chunk.end_line, chunk.text
    )
    rules = Rules(search.facts.profile, search.limits, search.query.text, search.now)
    score = 0.0 if search.is_settled else None
    return Placed(bare, None, score, score, 0.0, 0.0, weight_of(bare, rules))


def _text_rank(ids: set[str], placed: Sequence[Placed]) -> int | None:
    """Return the place of the first of some chunks among all that have words, from 1."""
    worded = sorted((one for one in placed if one.words > 0), key=lambda one: -one.words)
    return next((at for at, one in enumerate(worded, 1) if one.chunk.id in ids), None)


def asked_view(hit: SearchHit, answers: Sequence[AgentHit]) -> AgentView:
    """Return where the Gateway has a note, for want of an index to look into."""
    for place, one in enumerate(answers, 1):
        if _overlaps(one, hit):
            return AgentView(place, round(one.score, 4), Reason.FOUND, "it finds it")
    because = f"it is not among its first {len(answers)} results"
    return AgentView(None, None, Reason.BELOW, because)


def as_placed(
    answers: Sequence[AgentHit], contents: Contents, rules: Rules, computed: Sequence[Placed]
) -> tuple[Placed, ...]:
    """Return what the Gateway answered as places in the agent's search, then what it did not.

    It is asked for what lies below the least score as well, so that low is told from not at all;
    what the agent is shown are those that reach it, or all when none does.
    """
    least = rules.limits.min_score
    shown = [one for one in answers if one.score >= least]
    if not shown and rules.profile.second_chance is SecondChance.ANY:
        shown = [one for one in answers if one.text_score]
    places = {one: place for place, one in enumerate(shown, 1)}
    ids = {(one.path, one.start_line, one.end_line): one for one in contents.chunks}
    found = [
        _answered(one, ids.get((one.path, one.start_line, one.end_line)), places.get(one), rules)
        for one in answers
    ]
    known = {one.chunk.id for one in found}
    return (*found, *(one._replace(rank=None) for one in computed if one.chunk.id not in known))


def _answered(one: AgentHit, known: IndexedChunk | None, place: int | None, rules: Rules) -> Placed:
    name = f"{one.path}:{one.start_line}-{one.end_line}" if known is None else known.id
    text = "" if known is None else known.text
    chunk = PlatformChunk(name, one.path, "memory", one.start_line, one.end_line, text)
    fade, limits = weight_of(chunk, rules), rules.limits
    vector = one.vector_score or 0.0
    words = (one.score / (fade or 1.0) - limits.vector_weight * vector) / limits.text_weight
    return Placed(
        chunk,
        place,
        one.score,
        one.vector_score,
        one.text_score or 0.0,
        min(1.0, words) if words > _ROUNDING else 0.0,
        fade,
    )
