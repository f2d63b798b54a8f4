"""c01: token counts that are missing, null, stale or a different field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.registry import action, equals, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

MAIN = "agent:main:main"
TELEGRAM = "agent:main:telegram:direct:1001"
DISCORD = "agent:main:discord:channel:2002"
WEBCHAT = "agent:main:webchat:direct:3003"
SLACK = "agent:main:slack:channel:c4004"
IMESSAGE = "agent:main:imessage:direct:8008"
WHATSAPP = "agent:main:whatsapp:direct:7007"


@action("c01.1", "list-sessions")
def list_sessions(stage: Stage) -> Answer:
    return stage.run("sessions", "--all")


equals("c01.1", f"{MAIN} > tokens", of=lambda seen: seen.row(key=MAIN)["tokens"])
equals("c01.1", f"{MAIN} > state", of=lambda seen: seen.row(key=MAIN)["token_state"])
equals(
    "c01.1",
    f"{MAIN} > percent_of_threshold",
    of=lambda seen: seen.row(key=MAIN)["percent_of_threshold"],
)


@expects(
    "c01.1",
    f"{TELEGRAM} > state",
    says="estimated (the last usage in the transcript says 64210) or unknown",
)
def telegram_is_estimated(seen: Answer, want: Json) -> None:
    row = seen.row(key=TELEGRAM)
    assert row["token_state"] == "estimated"
    assert row["tokens"] == row["tokens_estimated"] == 64210


@expects("c01.1", f"{TELEGRAM} > never")
def telegram_is_never(seen: Answer, want: Json) -> None:
    row = seen.row(key=TELEGRAM)
    assert want not in (row["tokens"], row["tokens_reported"])
    assert row["tokens_reported"] is None


@expects("c01.1", f"{DISCORD} > state", says="unknown, or estimated and marked so")
def discord_is_unknown(seen: Answer, want: Json) -> None:
    row = seen.row(key=DISCORD)
    assert row["token_state"] in ("unknown", "estimated")
    assert (row["tokens"] is None) == (row["token_state"] == "unknown")


@expects("c01.1", f"{DISCORD} > never")
def discord_is_never(seen: Answer, want: Json) -> None:
    row = seen.row(key=DISCORD)
    assert want not in (row["tokens"], row["tokens_reported"], row["percent_of_threshold"])


@expects(
    "c01.1",
    f"{WEBCHAT} > state",
    says="stale (232764 may be shown, marked) or estimated from the transcript, which is tiny",
)
def webchat_is_stale(seen: Answer, want: Json) -> None:
    row = seen.row(key=WEBCHAT)
    assert row["token_state"] == "stale"
    assert row["tokens"] == row["tokens_reported"] == 232764
    assert not row["due"]


equals("c01.1", f"{SLACK} > tokens", of=lambda seen: seen.row(key=SLACK)["tokens"])
equals("c01.1", f"{SLACK} > state", of=lambda seen: seen.row(key=SLACK)["token_state"])


@expects("c01.1", f"{SLACK} > never")
def slack_never_shows_its_window(seen: Answer, want: Json) -> None:
    row = seen.row(key=SLACK)
    assert row["window"] == want
    assert want not in (row["tokens"], row["tokens_reported"], row["tokens_estimated"])


equals("c01.1", f"{IMESSAGE} > tokens", of=lambda seen: seen.row(key=IMESSAGE)["tokens"])


@expects(
    "c01.1",
    f"{IMESSAGE} > state",
    says="usable: a missing flag is an older gateway, not a stale count",
)
def imessage_is_usable(seen: Answer, want: Json) -> None:
    row = seen.row(key=IMESSAGE)
    assert row["token_state"] == "fresh"
    assert row["due"]


@expects("c01.1", f"{WHATSAPP} > tokens")
def whatsapp_tokens(seen: Answer, want: Json) -> None:
    row = seen.row(key=WHATSAPP)
    assert row["tokens"] == want
    assert row["percent_of_threshold"] == 0.0


equals("c01.1", f"{WHATSAPP} > state", of=lambda seen: seen.row(key=WHATSAPP)["token_state"])


@action("c01.2", "rotate-plan")
def rotate_plan(stage: Stage) -> Answer:
    return stage.run("rotate", "--dry-run")


@expects("c01.2", "threshold")
def threshold(seen: Answer, want: Json) -> None:
    assert seen.code == 0
    assert seen.data
    assert {row["details"]["threshold"] for row in seen.data} == {want}


@expects("c01.2", "candidates")
def candidates(seen: Answer, want: Json) -> None:
    assert {row["key"] for row in seen.rows(status="planned")} == set(want)


@expects("c01.2", "not")
def not_candidates(seen: Answer, want: Json) -> None:
    assert {row["key"] for row in seen.rows(status="planned")} & set(want) == set()
