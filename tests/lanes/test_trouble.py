"""What goes wrong at night, at the console: each in a real tmux, at both sizes, by keys alone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from websockets.exceptions import ConnectionClosedError

from memconsole.demo.gateway import LoopbackGateway
from tests.lanes.walk import NOW, environment_of, walking

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.lanes.walk import PlayedHome, Walk

pytestmark = pytest.mark.tmux


class LeavingGateway(LoopbackGateway):
    """Goes away when it is asked to reset a session, before it answers; once."""

    def __init__(self, played: PlayedHome, *, does_it: bool) -> None:
        super().__init__(lambda: played.rows, now=lambda: NOW)
        self._does_it = does_it
        self._is_leaving = True

    def answer(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        """Answer, or do what is asked or not and say nothing."""
        if method != "sessions.reset" or not self._is_leaving:
            return super().answer(method, params)
        self._is_leaving = False
        if self._does_it:
            super().answer(method, params)
        threading.Thread(target=self.close).start()  # whoever answers cannot wait for itself
        raise ConnectionClosedError(None, None)


def rotates_what_is_due(walk: Walk) -> None:
    """Go to the session that is due, and begin its rotation."""
    walk.press(".")
    while "is due" not in walk.picture().split("\n")[1]:
        walk.press(".")
    walk.press("R")
    walk.says_yes("rotate")


@pytest.mark.parametrize("does_it", [False, True], ids=["not reset", "reset"])
def test_the_gateway_goes_away_while_a_rotation_runs(
    played: PlayedHome, size: tuple[int, int], tmp_path: Path, *, does_it: bool
) -> None:
    gateway = LeavingGateway(played, does_it=does_it).start()
    port = int(gateway.url.rpartition(":")[2])
    with walking(tmp_path, size, environment_of(played.operator, gateway)) as walk:
        rotates_what_is_due(walk.opens())
        walk.sees("asked again for 60 s")
        picture = walk.sees("no answer came")
        assert "✓ summary" in picture
        assert "✗ reset" in picture
        gateway.start(port)
        if does_it:
            assert "PROVEN" in walk.sees("kept as run")
        else:
            picture = walk.sees("kept as run")
            assert "nothing was reset" in picture
            assert "Nothing was lost" in " ".join(picture.replace("│", " ").split())
        walk.press("Escape")
        assert "not by memconsole" not in walk.picture()
    gateway.close()
