"""c21: keys spoken in a chat must not spread into memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cases.stage import Stage
    from tests.program import Answer, Json

PIECE = 12
WRITTEN = "secrets.json (whole, or any 12-character piece of one)"
PLACES = "workspace, the tool's own state, index database, logs, terminal output"


@dataclass(frozen=True, slots=True)
class Spread:
    """Where text of the chat may have gone."""

    stage: Stage
    answers: dict[str, Answer]
    texts: dict[str, bytes]

    def leaks(self) -> list[str]:
        """Return every place that holds a piece of a secret, with the piece."""
        secrets = json.loads((self.stage.folder / "secrets.json").read_text("utf-8"))
        pieces = {
            secret[start : start + PIECE].encode()
            for secret in secrets
            for start in range(len(secret) - PIECE + 1)
        }
        return [
            f"{place}: {piece.decode()}"
            for place, text in self.texts.items()
            for piece in sorted(pieces)
            if piece in text
        ]


@action("c21.1", "checkpoint main; observe main; reindex")
def spread(stage: Stage) -> Spread:
    log = stage.folder / "memconsole.log"
    loud = ("--verbose", "--log-file", str(log))
    answers = {
        "checkpoint": stage.run("checkpoint", "--agent", "main"),
        "observe": stage.run("observe", "--agent", "main"),
        "reindex": stage.run("reindex", "--agent", "main"),
        "again": stage.run(*loud, "checkpoint", "--agent", "main", "--force"),
    }
    spoken = [
        stage.say("checkpoint", "--force", "--dry-run"),
        stage.say("transcript", "agent:main:main"),
        stage.say("runs"),
        *answers.values(),
    ]
    texts = {str(answer.arguments): (answer.out + answer.err).encode() for answer in spoken}
    for folder in (stage.workspace, stage.home / ".local", stage.home / ".cache"):
        texts |= {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    if log.exists():
        texts[str(log)] = log.read_bytes()
    return Spread(stage, answers, texts)


@expects("c21.1", "no_file_written_contains_any_of", says=WRITTEN)
def nothing_leaks(seen: Spread, want: Json) -> None:
    assert seen.answers["checkpoint"].row(agent="main")["status"] == "done"
    assert seen.leaks() == []


@expects("c21.1", "where", says=PLACES)
def places_were_looked_at(seen: Spread, want: Json) -> None:
    places = " ".join(seen.texts)
    assert [
        name for name in ("ACTIVE_CONTEXT.md", "state.db", "memconsole.log") if name not in places
    ] == []


@expects(
    "c21.1",
    "no_file_written_contains_any_of",
    says=WRITTEN,
    part="observe",
)
def observations_do_not_leak(seen: Spread, want: Json) -> None:
    assert seen.answers["observe"].row(agent="main")["status"] == "done"
    assert [place for place in seen.texts if place.endswith("observations.md")] != []
    assert seen.leaks() == []


@expects(
    "c21.1",
    "no_file_written_contains_any_of",
    says=WRITTEN,
    part="reindex",
)
def the_index_does_not_leak(seen: Spread, want: Json) -> None:
    assert seen.answers["reindex"].row(agent="main")["status"] == "done"
    assert [place for place in seen.texts if "/index/" in place] != []
    assert seen.leaks() == []


@expects("c21.1", "still_contains")
def plain_words_stay(seen: Spread, want: Json) -> None:
    active = seen.stage.read("ACTIVE_CONTEXT.md")
    assert [text for text in want if text not in active] == []


@action("c21.2", "modes of written files")
def modes(stage: Stage) -> Path:
    assert stage.run("checkpoint", "--agent", "main").row(agent="main")["status"] == "done"
    return stage.workspace / "memory"


def mode(path: Path) -> str:
    return f"{path.stat().st_mode & 0o7777:04o}"


equals("c21.2", "ACTIVE_CONTEXT.md", of=lambda seen: mode(seen / "ACTIVE_CONTEXT.md"))
equals("c21.2", "daily log it created", of=lambda seen: mode(seen / "2026-04-12.md"))


@action("c21.3", "transcript")
def transcript(stage: Stage) -> tuple[bytes, bytes]:
    [path] = stage.sessions.glob("*.jsonl")
    before = path.read_bytes()
    assert stage.run("checkpoint", "--agent", "main").code == 0
    assert stage.run("transcript", "agent:main:main").code == 0
    return before, path.read_bytes()


@expects("c21.3", "bytes")
def transcript_is_left_alone(seen: tuple[bytes, bytes], want: Json) -> None:
    assert want == "unchanged"
    assert seen[0] == seen[1]
