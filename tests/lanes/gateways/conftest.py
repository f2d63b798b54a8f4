"""What the gateway lane shares: a model server, a running Gateway of each release, memconsole."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.lanes.gateways.gateway import Gateway
from tests.lanes.gateways.install import LaneError, program
from tests.lanes.gateways.model_server import ModelServer
from tests.lanes.gateways.relay import Relay
from tests.lanes.gateways.releases import RELEASES
from tests.program import Program

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.program import Answer

logger = logging.getLogger(__name__)

Json = Any
"""What foreign JSON holds."""

COMMAND_S = 400.0
"""The longest that a command may take: a Gateway may be away, the platform's program be slow."""

CHAT = (
    "Can you look at the inventory sync again? It waited for a lock last night, and nobody knows "
    "which of the shelves was being counted at that time.",
    "DECISION: SQLite stays in WAL mode, and the sync takes its lock for one shelf at a time, so "
    "that the digest can read in between. Write that down in `docs/inventory.md`, please.",
    "And the digest? It went out at 06:00 without the sales part, for the second time this week.",
)


@dataclass(frozen=True, slots=True)
class Lane:
    """One running Gateway, and memconsole with a state folder of its own.

    Attributes:
        gateway: The platform.
        run: memconsole, with nothing but `--home`.
        begun: Processes that `begin` started.
    """

    gateway: Gateway
    run: Program
    begun: list[subprocess.Popen[str]] = field(default_factory=list)

    def memconsole(
        self, *arguments: str, url: str | None = None, settings: Mapping[str, str] | None = None
    ) -> Answer:
        """Run one command over the Gateway's home.

        Args:
            arguments: The command and its options.
            url: Another way to the Gateway.
            settings: More of the environment.
        """
        program = self._through(url, settings or {})
        answer = program.json("--home", str(self.gateway.state), *arguments)
        logger.info("memconsole %s\n%s%s", " ".join(arguments), answer.out, answer.err)
        return answer

    def begin(
        self, *arguments: str, url: str | None = None, settings: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """Start one command in a process of its own and return at once; it ends with the test."""
        program = self._through(url, settings or {})
        self.begun.append(program.start("--json", "--home", str(self.gateway.state), *arguments))
        return self.begun[-1]

    def end(self, process: subprocess.Popen[str]) -> Json:
        """Wait until a command has ended; return the envelope of its answer."""
        out, err = process.communicate(timeout=COMMAND_S)
        logger.info("exit %s\n%s%s", process.returncode, out, err)
        return json.loads(out)

    def close(self) -> None:
        """End what still runs."""
        for process in self.begun:
            process.kill()
            process.communicate()

    def _through(self, url: str | None, settings: Mapping[str, str]) -> Program:
        way = {} if url is None else {"MEMCONSOLE_GATEWAY__URL": url}
        return replace(self.run, environment={**self.run.environment, **way, **settings})

    def conversation(self, key: str, tokens: int) -> None:
        """Have a conversation that ends at so many tokens of context."""
        *first, last = CHAT
        for number, text in enumerate(first, start=1):
            self.gateway.chat(key, f"{text} [tokens={number * 1000}]")
        self.gateway.chat(key, f"{last} [tokens={tokens}]")


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """The model of all Gateways."""
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture(scope="module", params=RELEASES, ids=lambda one: one.name)
def gateway(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: ModelServer
) -> Iterator[Gateway]:
    """A Gateway of each release in turn; it ends with its last test, whatever came of them."""
    try:
        program(request.param)
    except LaneError as error:
        pytest.fail(str(error))
    one = Gateway(request.param, tmp_path_factory.mktemp("home"), model)
    try:
        one.start()
        yield one
    finally:
        one.close()


@pytest.fixture
def lane(gateway: Gateway, user_home: Path) -> Iterator[Lane]:
    """The Gateway with a memconsole that was never run before."""
    one = Lane(gateway, Program({"HOME": str(user_home)}))
    yield one
    one.close()


@pytest.fixture
def relay(gateway: Gateway) -> Iterator[Relay]:
    """A way to the Gateway on which we see what is asked."""
    one = Relay(gateway.url)
    yield one
    one.close()
