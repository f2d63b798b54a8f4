"""Keys of search."""

from __future__ import annotations

from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Choice, Kind, Ratio, Switch, Texts, Url, Whole
from memconsole.config.span import Span

SEARCH_KEYS: Final = (
    Key(
        "search.provider",
        Choice("static", "openai-compatible", "none"),
        "What makes the vectors: the model that is installed, a service, or nothing",
    ),
    Key("search.model", Kind(), "Model of the service"),
    Key("search.base_url", Url("http", "https"), "Address of the service"),
    Key(
        "search.api_key_env",
        Kind(),
        "Environment variable that holds the key of the service",
    ),
    Key(
        "search.dimensions",
        Whole(0, 8192),
        "Length of the service's vectors; 0 leaves it to the model",
    ),
    Key("search.sessions", Switch(), "Search transcripts as well"),
    Key(
        "search.extra_paths",
        Texts(),
        "More Markdown files and folders to search, as absolute paths",
    ),
    Key("search.max_results", Whole(1, 200), "Results of a search"),
    Key("search.min_score", Ratio(), "Least score of a result"),
    Key("search.vector_weight", Ratio(), "Weight of what words mean"),
    Key("search.text_weight", Ratio(), "Weight of the words themselves"),
    Key(
        "search.chunk_tokens",
        Whole(50, 4000),
        "Tokens of a chunk, four characters each",
    ),
    Key(
        "search.chunk_overlap",
        Whole(0, 2000),
        "Tokens of a chunk that the next one repeats",
    ),
    Key(
        "search.half_life",
        Span(),
        "Time in which the score of a dated note halves; 0s is never, under 180d hides old notes",
    ),
    Key(
        "search.mmr",
        Ratio(),
        "Weight of the score against likeness to better results, such as 0.7; 1 is off",
    ),
    Key("search.sync", Switch(), "Let the scheduler keep the indexes up to date", is_for_all=True),
    Key(
        "search.debounce", Span(), "Quiet time after a change before it is indexed", is_for_all=True
    ),
    Key(
        "search.sync_mb",
        Whole(0, 10_000),
        "Megabytes of changes that a search indexes itself",
        is_for_all=True,
    ),
)
