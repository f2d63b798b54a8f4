"""c33: nine ways a gateway can be 'not working'."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cases.gateway_script import serve
from tests.cases.registry import action, expects

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Answer, Json

VERDICTS = {
    "down": "down",
    "not a gateway": "not-a-gateway",
    "wrong token": "bad-token",
    "pairing needed": "not-paired",
    "starting": "starting",
    "other protocol version": "protocol-mismatch",
    "not answering": "wedged",
    "connected, not allowed (names the scope)": "missing-scope",
}
TOKEN = "EXAMPLE-gateway-token-000"
MAIN = "agent:main:main"
ENVIRONMENT = {"MEMCONSOLE_GATEWAY__TOKEN": TOKEN, "MEMCONSOLE_GATEWAY__TIMEOUT": "3s"}
"""Who never answers is waited for as long as the configuration says, and no longer."""


class Played:
    """What memconsole answered under each scenario.

    Attributes:
        answers: Scenario name to the answers of its commands.
        connections: Scenario name to how often the port was connected to.
    """

    def __init__(self, stage: Stage, *commands: tuple[str, ...], without: str = "") -> None:
        scenarios = json.loads((stage.folder / "scenarios.json").read_text("utf-8"))
        self.scenarios = {one["name"]: one for one in scenarios if one["name"] != without}
        self.answers: dict[str, list[Answer]] = {}
        self.connections: dict[str, int] = {}
        for name, scenario in self.scenarios.items():
            with serve(scenario) as server:
                calls = [("--gateway", server.url, *command) for command in commands]
                self.answers[name] = stage.each(calls, ENVIRONMENT)
                self.connections[name] = server.connections

    def verdict(self, name: str) -> str:
        """The verdict that a scenario must get, in the words of the contract."""
        return VERDICTS[self.scenarios[name]["verdict"]]

    def retry(self, name: str) -> str:
        """What a scenario says about trying again."""
        return str(self.scenarios[name]["retry"])


@action("c33.1", "health against each scenario")
def health(stage: Stage) -> tuple[Played, Played]:
    return Played(stage, ("status",)), Played(stage, ("health",))


@expects("c33.1", "verdict", says="as listed", part="status")
def verdict(seen: tuple[Played, Played], want: Json) -> None:
    """`status` waits a second: who is silent until then is late, and wedged only for `health`."""
    played = seen[0]
    told = {name: status.data["gateway"]["verdict"] for name, [status] in played.answers.items()}
    due = {name: played.verdict(name) for name in told}
    assert told == {name: "late" if one == "wedged" else one for name, one in due.items()}
    hints = [status.data["gateway"]["hint"] for [status] in played.answers.values()]
    assert all(hints)


@expects("c33.1", "verdict", says="as listed", part="health")
def verdict_of_health(seen: tuple[Played, Played], want: Json) -> None:
    played = seen[1]
    for name, [answer] in played.answers.items():
        [check] = [one for one in answer.data["checks"] if one["id"] == "gateway"]
        assert check["value"] == played.verdict(name)


@expects("c33.1", "connections_in_60_seconds > retry=no")
def no_second_try(seen: tuple[Played, Played], want: Json) -> None:
    played = seen[0]
    counts = {name: played.connections[name] for name in played.scenarios}
    assert {counts[name] for name in counts if played.retry(name) == "no"} == {want}


@expects("c33.1", "connections_in_60_seconds > backoff", says="at most 8")
def growing_pauses(seen: tuple[Played, Played], want: Json) -> None:
    played = seen[0]
    assert max(played.connections.values()) <= 8


@expects("c33.1", "output_never_contains")
def output_never_contains(seen: tuple[Played, Played], want: Json) -> None:
    assert want == TOKEN
    answers = [one for played in seen for answers in played.answers.values() for one in answers]
    assert len(answers) == 2 * len(seen[0].scenarios)
    assert [answer.arguments for answer in answers if want in answer.out + answer.err] == []


@action("c33.2", "list-sessions, checkpoint main, search gate under each scenario")
def file_based(stage: Stage) -> Played:
    checkpoint = ("checkpoint", "--agent", "main", "--force")
    return Played(stage, ("sessions",), checkpoint, ("search", "gate"))


@expects("c33.2", "works", part="sessions and checkpoint")
def files_work(seen: Played, want: Json) -> None:
    for name, (sessions, checkpoint, _) in seen.answers.items():
        assert ((sessions.code, checkpoint.code) == (0, 0)) is want, name
        assert checkpoint.row(agent="main")["status"] == "done"


@expects("c33.2", "works", part="search")
def search_works(seen: Played, want: Json) -> None:
    for _, _, search in seen.answers.values():
        assert (search.code == 0) is want
        assert "hits" in search.data


@expects("c33.2", "source")
def source(seen: Played, want: Json) -> None:
    for sessions, _, _ in seen.answers.values():
        assert {row["source"] for row in sessions.data} == {want}


@action("c33.3", f"rotate {MAIN} under each scenario but 'starting'")
def rotate(stage: Stage) -> Played:
    return Played(stage, ("rotate", MAIN, "--yes"), without="starting")


@expects("c33.3", "result", says="refused with the verdict, nothing changed on disk")
def refused(seen: Played, want: Json) -> None:
    # That nothing changed is looked at around every command (`Stage.untouched`).
    for name, [answer] in seen.answers.items():
        assert answer.code == 3, (name, answer)
        assert answer.error["code"] == seen.verdict(name)
