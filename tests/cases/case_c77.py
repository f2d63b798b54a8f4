"""c77: after a change of the model the entry keeps the old window, or a count of 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

MAIN = "agent:main:main"
ZERO = "agent:main:telegram:direct:3"
SMALL = "agent:main:telegram:direct:4"


def list_sessions(stage: Stage) -> Answer:
    return stage.run("sessions", "--all")


for _check in ("c77.1", "c77.2", "c77.3"):
    action(_check, "list-sessions")(list_sessions)


@expects("c77.1", f"{MAIN} > window")
def window(seen: Answer, want: Json) -> None:
    assert seen.row(key=MAIN)["window"] == want


@expects("c77.1", f"{MAIN} > threshold")
def threshold(seen: Answer, want: Json) -> None:
    assert seen.row(key=MAIN)["threshold"] == want


@expects("c77.1", f"{MAIN} > due")
def is_due(seen: Answer, want: Json) -> None:
    assert seen.row(key=MAIN)["due"] is want


@expects("c77.2", f"{ZERO} > token_state", says="suspect (or estimated 160300), not fresh 0")
def is_suspect(seen: Answer, want: Json) -> None:
    row = seen.row(key=ZERO)
    assert (row["token_state"], row["tokens_estimated"]) == ("suspect", 160_300)


@expects("c77.2", f"{ZERO} > due")
def zero_is_due(seen: Answer, want: Json) -> None:
    assert seen.row(key=ZERO)["due"] is want


@expects("c77.3", f"{SMALL} > tokens")
def tokens(seen: Answer, want: Json) -> None:
    assert seen.row(key=SMALL)["tokens"] == want


@expects("c77.3", f"{SMALL} > token_state")
def state(seen: Answer, want: Json) -> None:
    assert seen.row(key=SMALL)["token_state"] == want


@expects("c77.3", f"{SMALL} > window")
def small_window(seen: Answer, want: Json) -> None:
    assert seen.row(key=SMALL)["window"] == want


@expects("c77.3", f"{SMALL} > due")
def small_is_not_due(seen: Answer, want: Json) -> None:
    assert seen.row(key=SMALL)["due"] is want
