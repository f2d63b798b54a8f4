"""c77: after a change of the model the entry keeps the old window, or a count of 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

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


equals("c77.1", f"{MAIN} > window", of=lambda seen: seen.row(key=MAIN)["window"])
equals("c77.1", f"{MAIN} > threshold", of=lambda seen: seen.row(key=MAIN)["threshold"])
equals("c77.1", f"{MAIN} > due", of=lambda seen: seen.row(key=MAIN)["due"])


@expects("c77.2", f"{ZERO} > token_state", says="suspect (or estimated 160300), not fresh 0")
def is_suspect(seen: Answer, want: Json) -> None:
    row = seen.row(key=ZERO)
    assert (row["token_state"], row["tokens_estimated"]) == ("suspect", 160_300)


equals("c77.2", f"{ZERO} > due", of=lambda seen: seen.row(key=ZERO)["due"])
equals("c77.3", f"{SMALL} > tokens", of=lambda seen: seen.row(key=SMALL)["tokens"])
equals("c77.3", f"{SMALL} > token_state", of=lambda seen: seen.row(key=SMALL)["token_state"])
equals("c77.3", f"{SMALL} > window", of=lambda seen: seen.row(key=SMALL)["window"])
equals("c77.3", f"{SMALL} > due", of=lambda seen: seen.row(key=SMALL)["due"])
