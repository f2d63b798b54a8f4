"""Asks memsearch questions; runs in its environment and knows nothing of ours.

Reads one JSON object from standard input: `uri` of the store, `base_url` of the embedding service,
`folders` by agent, `questions` as pairs of agent and text, `top`. Writes one JSON list: for every
question its results as (file, first line, last line), best first.
"""

from __future__ import annotations

import asyncio
import json
import sys

from memsearch.core import MemSearch  # type: ignore[import-not-found, unused-ignore]


async def answer(wanted: dict) -> list[list[tuple[str, int, int]]]:  # type: ignore[type-arg]
    """Index every folder into a collection of its own, then search."""
    agents = {}
    for agent, folder in wanted["folders"].items():
        agents[agent] = MemSearch(
            [folder],
            embedding_provider="openai",
            embedding_model=f"static:{agent}",
            embedding_base_url=wanted["base_url"],
            embedding_api_key="none",
            milvus_uri=wanted["uri"],
            collection=agent.replace("-", "_"),
        )
        await agents[agent].index(force=True)
    found = []
    for agent, query in wanted["questions"]:
        hits = await agents[agent].search(query, top_k=wanted["top"])
        found.append([(hit["source"], hit["start_line"], hit["end_line"]) for hit in hits])
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(answer(json.load(sys.stdin)))))
