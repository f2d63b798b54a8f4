"""Writes a memory folder of any number of chunks out of Python's own documentation."""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from pydoc_data.topics import topics

_CHUNKS_A_FILE = 20
_CHARS = 1250


def write_corpus(workspace: Path, chunks: int, seed: int = 7) -> Path:
    """Write about `chunks` chunks of natural English in dated files; the same each time."""
    chance = random.Random(seed)
    sentences = _sentences()
    memory = workspace / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    for number in range(-(-chunks // _CHUNKS_A_FILE)):
        day = f"{2000 + number // 336:04d}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
        sections = [f"# {day}\n"]
        for section in range(min(_CHUNKS_A_FILE, chunks - number * _CHUNKS_A_FILE)):
            sections.append(f"## {section:02d}:00 - note {number}-{section}\n")
            sections.append(_section(chance, sentences))
        (memory / f"{day}.md").write_text("\n".join(sections), encoding="utf-8")
    return workspace


def _sentences() -> list[str]:
    found = (
        sentence
        for text in topics.values()
        for sentence in " ".join(text.split()).split(". ")
        if 40 <= len(sentence) <= 220 and sentence.isascii()
    )
    return sorted(found)


def _section(chance: random.Random, sentences: list[str]) -> str:
    lines: list[str] = []
    while sum(map(len, lines)) < _CHARS - 100:
        lines.append(f"- {chance.choice(sentences)}, see {chance.randrange(100_000)}.\n")
    return "".join(lines)


def main() -> None:
    """Write the corpus that the options describe and print its workspace."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, default=1000)
    chosen = parser.parse_args()
    print(write_corpus(chosen.folder, chosen.chunks))


if __name__ == "__main__":
    main()
