"""Pictures of editing memory, of what sessions start with, and of what would be pruned."""

from __future__ import annotations

import pytest

from memconsole.domain.commands.memory import MemoryForget
from memconsole.domain.commands.outcomes import Planned, Written
from memconsole.domain.memory.advice import Advice, AdviceKind, MemoryAdvice
from memconsole.domain.memory.entries import entries_of
from memconsole.errors import HomeUnreadableError
from tests.ui import sample
from tests.ui.fake_engine import FakeEngine
from tests.ui.pictures import SIZES, SnapCompare, same_picture
from tests.ui.sample_details import furnish
from tests.ui.sample_starts import furnish_starts, with_limits

TEXT = """# Memory

## Decisions

- 2026-01-03: [TODO] Ask Mira about the larger disk
- 2026-01-05: [DECISION] The digest goes out at 06:00
- 2026-01-20: [DECISION] The digest goes out at 07:00
- 2026-01-21: The digest goes out at 07:00

The shop runs on two servers, kaveri and narmada; narmada takes over when kaveri does not answer.
"""
TODO, SIX, SEVEN, AGAIN, SERVERS = entries_of("MEMORY.md", TEXT)

SCREENS = {
    "entries": ("m", "j", "a", "e", "j", "space", "space"),
    "advice": ("m", "4"),
    "note": ("m", "a", "a", "down", "right"),
    "forget": ("m", "j", "a", "e", "a", "D"),
    "bootstrap": ("t",),
    "bootstrap-remedies": ("t", "4"),
    "pruning": ("2", "a", "p"),
    "pruning-fill": ("2", "a", "p", "3"),
}


def furnished(**ui: object) -> FakeEngine:
    """Return an engine with something to say about all of it."""
    engine = FakeEngine(ui=ui)
    furnish(engine)
    furnish_starts(engine)
    engine.reading = with_limits(sample.usual())
    engine.texts["MEMORY.md"] = TEXT
    engine.advice = MemoryAdvice(
        (
            Advice(AdviceKind.TWICE, AGAIN, SEVEN),
            Advice(AdviceKind.OUTDATED, SIX, SEVEN),
            Advice(AdviceKind.OPEN, TODO),
        ),
        40,
        5_001,
    )
    engine.outcomes["memory forget --dry-run"] = Planned(
        MemoryForget(sample.ref("main"), (TODO.id,), dry_run=True),
        f"would forget {TODO.id} MEMORY.md:5 2026-01-03: [TODO] Ask Mira about the larger disk",
        (Written("MEMORY.md", 380),),
    )
    return engine


@SIZES
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(snap_compare: SnapCompare, screen: str, size: tuple[int, int]) -> None:
    assert same_picture(snap_compare, furnished(), size, *SCREENS[screen])


@SIZES
@pytest.mark.parametrize("keys", [("t",), ("a", "p")], ids=["t", "p"])
def test_unreadable(
    snap_compare: SnapCompare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    engine = furnished()
    engine.given = HomeUnreadableError("/home/operator/.openclaw", "permission denied")
    engine.pruned = None
    assert same_picture(snap_compare, engine, size, "2", *keys)


@pytest.mark.parametrize("screen", ["note", "bootstrap", "pruning"])
@pytest.mark.parametrize("mode", ["ascii", "mono"])
def test_modes(snap_compare: SnapCompare, screen: str, mode: str) -> None:
    assert same_picture(snap_compare, furnished(**{mode: True}), (80, 24), *SCREENS[screen])


@pytest.mark.parametrize("screen", ["entries", "note", "bootstrap", "pruning"])
def test_small_terminals(snap_compare: SnapCompare, screen: str) -> None:
    assert same_picture(snap_compare, furnished(), (50, 18), *SCREENS[screen])
