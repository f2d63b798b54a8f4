"""Writes the static embedding again out of a wheel of wordllama.

Two files of that package are used, and none of its code: a table of vectors, and the tokenizer it
belongs to in the form that `tokenizer.py` makes of it. As it was published the tokenizer lies with
the tests, which compare both. Installed, the package would bring pydantic, requests, toml and
compiled modules of its own. `--wheel` takes another version: give its name with `==`, and the hash
that pip prints when it refuses the old one. Other vectors need another name in
`memconsole/adapters/index/embedding/static.py`: by that name an index knows that it must be built
again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import tokenizer
from wheels import fetched

WHEEL = "wordllama==0.4.0.post1"
HASH = "sha256:42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97"
ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "memconsole" / "adapters" / "index" / "embedding" / "model"
PUBLISHED = (
    ROOT / "tests" / "adapters" / "index" / "embedding" / "l2_supercat_tokenizer_config.json"
)
FILES = {
    "weights/l2_supercat_256.safetensors": MODEL / "l2_supercat_256.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json": PUBLISHED,
    "licenses/LICENSE": ROOT / "LICENSES" / "wordllama.txt",
}


def main() -> int:
    """Fetch and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--wheel", default=WHEEL)
    options.add_argument("--hash", default=HASH)
    given = options.parse_args()
    MODEL.mkdir(exist_ok=True)
    for target, data in zip(FILES.values(), fetched(given.wheel, given.hash, *FILES), strict=True):
        target.write_bytes(data)
        print(f"{target.relative_to(ROOT)}: {len(data):,} bytes")
    pieces, merges = tokenizer.tables(PUBLISHED.read_bytes())
    (MODEL / "l2_supercat.model").write_bytes(pieces)
    (MODEL / "l2_supercat.merges").write_bytes(merges)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
