"""What rotation would have done: from the palette's line and from a key, and nothing is done."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

import pytest

from memconsole.domain.rotation import WouldCapture, WouldRotate
from tests.ui import sample
from tests.ui.driving import COMPACT, WIDE, at_work, words
from tests.ui.fake_engine import FakeEngine

KEY = "agent:main:main"


class Asked(NamedTuple):
    agent: str | None
    threshold: int | None
    since: datetime


class Supposing(FakeEngine):
    """An engine that knows what would have been rotated."""

    def __init__(self, *, counts: int = 1204, rotations: int = 2) -> None:
        super().__init__()
        self.rotation = self  # type: ignore[assignment]  # all that the console asks of it
        self.counts, self.rotations = counts, rotations
        self.asked_for: list[Asked] = []

    def what_if(
        self, *, agent_id: str | None, threshold_tokens: int | None, since: datetime
    ) -> tuple[tuple[tuple[WouldRotate, str | None, WouldCapture], ...], int]:
        self.asked_for.append(Asked(agent_id, threshold_tokens, since))
        saved = WouldCapture(31, None)
        made = (
            (WouldRotate("main", "s1", sample.ago(hours=number), 151_200), KEY, saved)
            for number in range(self.rotations, 0, -1)
        )
        return tuple(made), self.counts


@pytest.mark.parametrize("size", [WIDE, COMPACT])
async def test_a_line_of_the_palette_shows_what_another_threshold_would_have_rotated(
    size: tuple[int, int],
) -> None:
    engine = Supposing()
    async with at_work(engine, size) as desk:
        await desk.press("colon", *"rotate --what-if --threshold 120k --since=3d --agent main")
        assert "shows what would have been rotated; nothing is done" in desk.text("dialog")
        await desk.press("enter")
        assert desk.screen == "what if"
        text = words(desk.text("list"))
        assert "by 120K since 23 Jan 14:20: 2 rotations" in text
        assert "memconsole rotate --what-if --since 3d --threshold 120000 --agent main" in text
        assert desk.pane("list").place.rows[0].cells[0].text == "13:20"  # the newest first
        assert "13:20 151.2K 31 ? agent:main:main" in text
        await desk.press("enter")
        assert desk.screen == "session"

    assert engine.asked_for == [Asked("main", 120_000, sample.NOW - timedelta(days=3))]
    assert not engine.done


@pytest.mark.parametrize(
    ("keys", "agent"), [("j a i", "work"), ("G a i", None), ("2 enter a i", "main")]
)
async def test_a_key_shows_it_for_the_agent_that_is_meant(keys: str, agent: str | None) -> None:
    engine = Supposing(rotations=0)
    async with at_work(engine) as desk:
        await desk.press(*keys.split())
        assert "no session would have been rotated" in words(desk.text("list"))
        assert "by 1,204 counts that were kept" in words(desk.text("list"))

    assert engine.asked_for == [Asked(agent, None, sample.NOW - timedelta(days=7))]


async def test_without_counts_nobody_can_say() -> None:
    async with at_work(Supposing(counts=0, rotations=0)) as desk:
        await desk.press("a", "i")
        assert "nobody can say: no counts were kept since 19 Jan 14:20" in words(desk.text("list"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("rotate --what-if --force", "rotate --what-if takes --threshold, --since, --agent"),
        ("rotate --what-if agent:main:main", "each with a value"),
        ("rotate --what-if --threshold many", "--threshold takes a number of tokens"),
        ("rotate --what-if --threshold 0", "--threshold takes a number of tokens"),
        ("rotate --what-if --since yesterday", "--since takes such as 6h or 7d here"),
        ("rotate --what-if --agent nobody", "there is no agent 'nobody'"),
    ],
)
async def test_a_line_that_is_not_understood_whole_shows_and_does_nothing(
    line: str, problem: str
) -> None:
    engine = Supposing()
    async with at_work(engine) as desk:
        await desk.press("colon", *line)
        assert problem in words(desk.text("dialog"))
        await desk.press("enter")
        assert desk.screen == "palette"

    assert not engine.asked_for
    assert not engine.done
