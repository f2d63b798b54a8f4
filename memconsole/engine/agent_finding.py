"""Searches an index of the platform as the agent that owns it would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.platform_profile import Fallback
from memconsole.domain.platform_rank import ranked
from memconsole.domain.platform_words import path_likeness, plan, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.platform_candidates import Placed, Rules, WordsFound
    from memconsole.platform_index_ports import OpenPlatformIndex


def placed(
    index: OpenPlatformIndex, rules: Rules, vector: Sequence[float] | None
) -> tuple[Placed, ...]:
    """Return every candidate in the order in which the agent's own search has it.

    Args:
        index: Open, in one state.
        rules: Of its release and its configuration.
        vector: Of the query, by the provider of the index; None when nobody here can make it.

    Raises:
        StoreError: It cannot be read.
    """
    limit = rules.limits.candidates(rules.profile)
    found = tuple(_with_words(index, rules, limit))
    if vector is None:
        return ranked(rules, found, None)
    return ranked(rules, found, index.nearest(vector, limit, rules.limits.sources))


def _with_words(index: OpenPlatformIndex, rules: Rules, limit: int) -> Iterator[WordsFound]:
    query, profile, tokenizer = rules.query, rules.profile, index.facts.tokenizer
    whole = plan(profile, query, tokenizer)
    if whole is None:
        return
    is_by_term = rules.is_text_only and profile.fallback is Fallback.NEVER
    first = () if is_by_term else tuple(_asked(index, rules, query, limit))
    yield from first
    found = {one.chunk.id for one in first if not _is_named(rules, one)}
    if profile.fallback is Fallback.ALWAYS:
        is_more_wanted = len(found) < limit
    else:
        is_more_wanted = is_by_term or (profile.fallback is Fallback.WHEN_NOTHING and not first)
    if not is_more_wanted:
        return
    words = terms(query, tokenizer)
    together = plan(profile, " ".join(words), tokenizer)
    if first and together is not None and _same(together.match, whole.match):
        return
    for term in words or ((query,) if is_by_term else ()):
        yield from _asked(index, rules, term, limit)


def _asked(index: OpenPlatformIndex, rules: Rules, text: str, limit: int) -> Iterator[WordsFound]:
    wanted = plan(rules.profile, text, index.facts.tokenizer)
    if wanted is None:
        return
    sources = rules.limits.sources
    yield from index.with_words(wanted, limit, sources)
    if rules.profile.reads_paths:
        yield from index.with_names(wanted, limit, sources)


def _is_named(rules: Rules, one: WordsFound) -> bool:
    return rules.profile.reads_paths and path_likeness(rules.query, one.chunk.path) > 0


def _same(one: str | None, other: str | None) -> bool:
    return (one or "").lower() == (other or "").lower()
