"""c67: a release that writes records this version does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json


@action("c67.1", "read-transcript agent:main:main")
def transcript(stage: Stage) -> Answer:
    return stage.run("transcript", "agent:main:main")


equals("c67.1", "messages", of=lambda seen: len(seen.data))


@expects("c67.1", "unknown_records", says="20, in left_out or a warning")
def unknown_records(seen: Answer, want: Json) -> None:
    assert seen.envelope["left_out"]["unknown"] == 20
    [warning] = seen.warnings
    assert warning["code"] == "unknown-records"
    assert warning["message"].startswith("20 records of agent:main:main ")


@action("c67.2", "checkpoint main")
def checkpoint(stage: Stage) -> Answer:
    return stage.run("checkpoint", "--agent", "main")


@expects("c67.2", "says", says="20 newer records were not understood (warning, message or details)")
def newer_records(seen: Answer, want: Json) -> None:
    row = seen.row(command="checkpoint")
    assert row["status"] == "done"
    assert "20 newer records were not understood" in row["message"]
    assert "unknown-records" in seen.warning_codes()
    assert row["details"]["unknown"] == 20


@action("c67.3", "checkpoint ops (no record it knows)")
def nothing_known(stage: Stage) -> Answer:
    return stage.run("checkpoint", "--agent", "ops")


equals("c67.3", "status", of=lambda seen: seen.row(command="checkpoint")["status"])


@expects(
    "c67.3",
    "says",
    says="20 records were not understood; 'holds 0 messages' alone is wrong",
)
def not_understood(seen: Answer, want: Json) -> None:
    assert "20 newer records were not understood" in seen.row(command="checkpoint")["message"]
