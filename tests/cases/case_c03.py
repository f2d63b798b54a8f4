"""c03: a half-written last line, and two records glued together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cases.stage import Stage
    from tests.program import Answer, Json

MAIN = "agent:main:main"


def transcript(stage: Stage) -> Path:
    [path] = stage.sessions.glob("*.jsonl")
    return path


@action("c03.1", f"read-transcript {MAIN}")
def read_transcript(stage: Stage) -> Answer:
    return stage.run("transcript", MAIN)


@expects("c03.1", "whole_messages")
def whole_messages(seen: Answer, want: Json) -> None:
    whole = [row for row in seen.rows(kind="message") if "GLUED-SUFFIX" not in row["text"]]
    assert len(whole) == want


equals("c03.1", "damaged_lines", of=lambda seen: seen.envelope["left_out"]["damaged"])


@expects("c03.1", "in_progress")
def in_progress(seen: Answer, want: Json) -> None:
    assert seen.envelope["left_out"]["in_progress"] == want
    assert "transcript-in-progress" in seen.warning_codes()


@expects("c03.1", "may_also_recover")
def may_also_recover(seen: Answer, want: Json) -> None:
    glued = [row["text"] for row in seen.data if "GLUED" in row["text"]]
    assert set(glued) <= set(want)


equals("c03.1", "crash", of=lambda seen: seen.code != 0)


@action("c03.2", "checkpoint main")
def checkpoint(stage: Stage) -> tuple[Answer, str]:
    answer = stage.run("checkpoint", "--agent", "main")
    return answer, stage.read("ACTIVE_CONTEXT.md")


@expects("c03.2", "active_context_contains")
def active_context_contains(seen: tuple[Answer, str], want: Json) -> None:
    assert [text for text in want if text not in seen[1]] == []


@expects("c03.2", "active_context_excludes")
def active_context_excludes(seen: tuple[Answer, str], want: Json) -> None:
    assert [text for text in want if text in seen[1]] == []


@expects("c03.2", "reports", says="1 damaged line")
def reports(seen: tuple[Answer, str], want: Json) -> None:
    [outcome] = seen[0].data
    assert outcome["details"]["damaged"] == 1
    [warning] = [row for row in seen[0].warnings if row["code"] == "transcript-damaged"]
    assert want in warning["message"]


@action("c03.3", "after the file gains append-later.txt at its end: read-transcript")
def read_later(stage: Stage) -> Answer:
    with transcript(stage).open("ab") as grown:
        grown.write((stage.folder / "append-later.txt").read_bytes())
    return stage.run("transcript", MAIN)


@expects("c03.3", "whole_messages")
def more_whole_messages(seen: Answer, want: Json) -> None:
    whole_messages(seen, want)


@expects("c03.3", "in_progress")
def nothing_in_progress(seen: Answer, want: Json) -> None:
    assert seen.envelope["left_out"]["in_progress"] == want
    assert "transcript-in-progress" not in seen.warning_codes()


equals(
    "c03.3",
    "last_user_text",
    says="UNFINISHED please also attach the spreadsheet",
    of=lambda seen: seen.rows(role="user")[-1]["text"],
)


@action("c03.4", "any command")
def any_command(stage: Stage) -> tuple[bytes, bytes]:
    before = transcript(stage).read_bytes()
    for arguments in (
        ("status",),
        ("sessions", "--all"),
        ("session", MAIN),
        ("transcript", MAIN, "--all"),
        ("checkpoint", "--force"),
        ("rotate", "--dry-run"),
    ):
        assert stage.run(*arguments).code == 0, arguments
    return before, transcript(stage).read_bytes()


@expects("c03.4", "transcript_bytes")
def transcript_bytes(seen: tuple[bytes, bytes], want: Json) -> None:
    assert want == "unchanged"
    assert seen[0] == seen[1]
