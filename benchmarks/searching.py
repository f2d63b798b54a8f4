"""What is measured inside one process: build, its floor, warm searches, one changed file.

`python -m benchmarks.searching FOLDER WORK` prints one JSON object: a process of its own for each,
so that the memory of one is not that of another.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import time
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from memconsole.adapters.index.embedding.static import static_model
from memconsole.adapters.index.schema import create
from memconsole.adapters.sqlite.own import open_single, transaction
from memconsole.compose import engine as wiring
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.search.chunking import chunks
from memconsole.domain.search.values import SearchRequest
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import SearchSettings
from memconsole.text.folding import index_text

if TYPE_CHECKING:
    from memconsole.engine.engine import Engine

QUERIES = (
    "exception handler in a coroutine",
    "when is a descriptor called for an attribute",
    "metaclass",
    "how does the import system find a module in a package",
    "string formatting with width and precision",
    "garbage collection of reference cycles",
)

TYPED = 7


def engine_of(folder: Path, origin: Origin) -> Engine:
    """Return an engine over one workspace with a state of its own."""
    home = folder / ".openclaw"
    home.mkdir(exist_ok=True)
    roster = {"agents": {"list": [{"id": "main", "workspace": str(folder / "ws")}]}}
    (home / "openclaw.json").write_text(json.dumps(roster), encoding="utf-8")
    settings = Settings(
        state_dir=folder / "state",
        home=home,
        search=SearchSettings(debounce=timedelta()),
    )
    return wiring.build_engine(settings, origin)


def build(folder: Path) -> dict[str, float]:
    """Build the index anew, the tokenizer being loaded as it is for the floor."""
    shutil.rmtree(folder / "state", ignore_errors=True)
    engine = engine_of(folder, Origin.CLI)
    model = static_model()
    model.tokens("warm")
    start = time.perf_counter()
    outcome = engine.run(Reindex(_agent(folder), is_full=True))
    seconds = time.perf_counter() - start
    size = (folder / "state" / "index" / "main.sqlite").stat().st_size
    count = outcome.details["chunks"]
    assert isinstance(count, int), outcome
    return {"seconds": seconds, "chunks": count, "bytes": size, "peak": _peak()}


def floor(folder: Path) -> dict[str, float]:
    """Do only what no index can do without: tokenise the chunks and write their words."""
    texts = [
        one.text
        for path in sorted((folder / "ws" / "memory").glob("*.md"))
        for one in chunks(path.read_text("utf-8"))
    ]
    place = folder / "floor.sqlite"
    place.unlink(missing_ok=True)
    model = static_model()
    model.tokens("warm")
    start = time.perf_counter()
    with open_single(place) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        with transaction(connection):
            create(connection)
            for at in range(0, len(texts), 256):
                part = texts[at : at + 256]
                model.tokens_of(part)
                connection.executemany(
                    "INSERT INTO chunks_fts(rowid, body, heading) VALUES (?, ?, '')",
                    [(at + number + 1, index_text(one)) for number, one in enumerate(part)],
                )
    return {"seconds": time.perf_counter() - start, "chunks": len(texts), "peak": _peak()}


def warm(folder: Path) -> dict[str, float]:
    """Type queries letter by letter, as somebody does in the console: each letter is a search.

    All of it is done several times, each time by an engine that has seen none of the words, and the
    median of each letter counts: a slow second of the machine is no slow search.
    """
    taken: dict[str, list[float]] = {}
    for _ in range(TYPED):
        engine = engine_of(folder, Origin.CONSOLE)
        engine.search.find(SearchRequest("warm", "main", is_typing=True))
        for query in QUERIES:
            for end in range(1, len(query) + 1):
                start = time.perf_counter()
                engine.search.find(SearchRequest(query[:end], "main", is_typing=True))
                taken.setdefault(query[:end], []).append(time.perf_counter() - start)
    times = sorted(map(median, taken.values()))
    best = sorted(map(min, taken.values()))
    return {
        "p50": median(times),
        "p95": times[int(len(times) * 0.95)],
        "best": best[int(len(best) * 0.95)],
        "peak": _peak(),
    }


def changed(folder: Path) -> dict[str, float]:
    """Change one file and search for what is new in it, in a console that runs.

    What is measured begins when the quiet time after the change is over.
    """
    engine = engine_of(folder, Origin.CONSOLE)
    watch = engine.watches.index()
    path = folder / "ws" / "memory" / "changing.md"
    path.unlink(missing_ok=True)
    engine.search.find(SearchRequest("database", "main"))
    times = []
    for number in range(9):
        path.write_text(f"# Changing\n\nthe codeword is zanzibar{number}\n", encoding="utf-8")
        watch.note(frozenset({path}))
        start = time.perf_counter()
        [outcome] = watch.run_due()
        times.append(time.perf_counter() - start)
        assert outcome.details["files_changed"] == 1, outcome
        found = engine.search.find(SearchRequest(f"zanzibar{number}", "main", is_typing=True))
        assert found.hits[0].path == "memory/changing.md"
    path.unlink()
    engine.run(Reindex(_agent(folder)))
    return {"seconds": median(times[1:]), "fastest": min(times), "peak": _peak()}


def _agent(folder: Path) -> AgentRef:
    return AgentRef(HomeRef(str(folder / ".openclaw")), "main")


def _peak() -> float:
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(size if sys.platform == "darwin" else size * 1024)


WORK = {"build": build, "floor": floor, "warm": warm, "changed": changed}


def main() -> None:
    """Do one piece of work and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", choices=WORK)
    chosen = parser.parse_args()
    print(json.dumps(WORK[chosen.work](chosen.folder.resolve())))


if __name__ == "__main__":
    main()
