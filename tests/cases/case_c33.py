"""c33: nine ways a gateway can be 'not working'."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cases.gateway_script import serve
from tests.cases.registry import action, expects
from tests.program import tree

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


class Played:
    """What memconsole answered under each scenario.

    Attributes:
        answers: Scenario name to the answers of its commands.
        connections: Scenario name to how often the port was connected to.
    """

    def __init__(
        self, stage: Stage, *commands: tuple[str, ...], without: frozenset[str] = frozenset()
    ) -> None:
        self.scenarios = {
            one["name"]: one
            for one in json.loads((stage.folder / "scenarios.json").read_text("utf-8"))
        }
        self.answers: dict[str, list[Answer]] = {}
        self.connections: dict[str, int] = {}
        for name, scenario in self.scenarios.items():
            if name in without:
                continue
            with serve(scenario) as server:
                token = {"MEMCONSOLE_GATEWAY__TOKEN": TOKEN}
                self.answers[name] = [
                    stage.run("--gateway", server.url, *command, more=token) for command in commands
                ]
                self.connections[name] = server.connections


@action("c33.1", "health against each scenario")
def health(stage: Stage) -> Played:
    return Played(stage, ("health",), ("status",))


@expects("c33.1", "verdict", says="as listed")
def verdict(seen: Played, want: Json) -> None:
    for name, answers in seen.answers.items():
        expected = VERDICTS[seen.scenarios[name]["verdict"]]
        assert answers[1].data["gateway"]["verdict"] == expected, name


@expects("c33.1", "connections_in_60_seconds > retry=no")
def no_second_try(seen: Played, want: Json) -> None:
    for name, count in seen.connections.items():
        if seen.scenarios[name]["retry"] == "no":
            assert 1 <= count <= want * len(seen.answers[name]), name


@expects("c33.1", "connections_in_60_seconds > backoff", says="at most 8")
def growing_pauses(seen: Played, want: Json) -> None:
    for name, count in seen.connections.items():
        if seen.scenarios[name]["retry"] == "backoff":
            assert count <= 8, name


@expects("c33.1", "output_never_contains")
def output_never_contains(seen: Played, want: Json) -> None:
    assert want == TOKEN
    answers = [answer for answers in seen.answers.values() for answer in answers]
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


@expects("c33.2", "works", part="search", needs="search")
def search_works(seen: Played, want: Json) -> None:
    for _, _, search in seen.answers.values():
        assert (search.code == 0) is want
        assert "hits" in search.data


@expects("c33.2", "works", part="every scenario")
def every_scenario_is_played(seen: Played, want: Json) -> None:
    assert (len(seen.answers) == 9) is want


@expects("c33.2", "source")
def source(seen: Played, want: Json) -> None:
    for sessions, _, _ in seen.answers.values():
        assert {row["source"] for row in sessions.data} == {want}


@action("c33.3", f"rotate {MAIN} under each scenario but 'starting'")
def rotate(stage: Stage) -> tuple[Played, bool]:
    before = tree(stage.state)
    played = Played(stage, ("rotate", MAIN, "--yes"), without=frozenset({"starting"}))
    return played, tree(stage.state) == before


@expects(
    "c33.3",
    "result",
    says="refused with the verdict, nothing changed on disk",
    part="nothing changed",
)
def nothing_changed(seen: tuple[Played, bool], want: Json) -> None:
    played, is_unchanged = seen
    assert is_unchanged
    for name, [answer] in played.answers.items():
        assert answer.code == 3, name


@expects(
    "c33.3",
    "result",
    says="refused with the verdict, nothing changed on disk",
    part="verdict",
)
def refused(seen: tuple[Played, bool], want: Json) -> None:
    played, _ = seen
    for name, [answer] in played.answers.items():
        assert answer.error["code"] == VERDICTS[played.scenarios[name]["verdict"]]
