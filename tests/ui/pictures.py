"""What the picture tests share: a console in a state, keys to get there, both sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from tests.ui.driving import Desk, console, settle

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.pilot import Pilot

    from tests.ui.fake_engine import FakeEngine


class SnapCompare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(
        self,
        app: App[int],
        *,
        terminal_size: tuple[int, int],
        run_before: Callable[[Pilot[int]], Awaitable[None]],
    ) -> bool: ...


SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])


def same_picture(
    snap_compare: SnapCompare,
    engine: FakeEngine,
    size: tuple[int, int],
    *keys: str,
) -> bool:
    """Press keys, and compare what is seen then."""
    app = console(engine)

    async def drive(pilot: Pilot[int]) -> None:
        await settle(pilot)
        await Desk(pilot, app).press(*keys)

    return snap_compare(app, terminal_size=size, run_before=drive)
