"""What is photographed: the stills by name, and the film."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.demo.pictures.drawing import Shot, film, still
from tests.demo.pictures.recording import recording
from tests.demo.pictures.studio import studio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.demo.pictures.studio import Camera

TITLE = "memconsole --demo"

_QUERY = "database is locked"

_STILLS: Mapping[str, tuple[tuple[int, int], tuple[str, ...]]] = {
    "overview-120x40": ((120, 40), ("1", "g", "4", "slash", *_QUERY)),
    "overview-80x24": ((80, 24), ()),
    "session": ((120, 40), ("1", "g", "2", "enter")),
    "memory": ((120, 40), ("1", "g", "3", "enter")),
    "checkpoint": ((120, 40), ("1", "c")),
    "search": ((120, 40), ("1", "g", "a", "o", *_QUERY)),
}
"""Size and keys of each still."""

_FILM_SIZE = (100, 30)
_STEP = timedelta(seconds=4)


async def pictures() -> dict[str, str]:
    """Return all files of the gallery by name; the same in every run."""
    found: dict[str, str] = {}
    for name, (size, keys) in _STILLS.items():
        with studio() as stage:
            async with stage.console(*size) as camera:
                await camera.press(*keys)
                found[f"{name}.svg"] = still(camera.shoot(), TITLE)
    with studio() as stage:
        async with stage.console(*_FILM_SIZE) as camera:
            shots = await _film(camera)
    return {**found, "tour.svg": film(shots, TITLE), "tour.cast": recording(shots, TITLE)}


async def _film(camera: Camera) -> list[Shot]:
    """Look at what is due, watch a session grow, save an agent, search for what it wrote."""
    shots = [Shot(camera.shoot(), 2.5)]

    async def press(seconds: float, *keys: str) -> None:
        await camera.press(*keys)
        shots.append(Shot(camera.shoot(), seconds))

    async def grow(times: int) -> None:
        for _ in range(times):
            await camera.wait(_STEP, grows=True)
            shots.append(Shot(camera.shoot(), 0.8))

    await press(0.7, "1", "g")
    await press(0.5, "j")
    await press(1.2, "j")
    await grow(5)
    await press(2.5, "2", "enter")
    await grow(3)
    await press(1.5, "escape")
    await press(3.5, "c")
    await press(1.5, "escape")
    await press(1.0, "1", "g")
    await press(0.8, "4", "slash")
    for letters in (_QUERY[:4], _QUERY[4:8], _QUERY[8:12], _QUERY[12:]):
        await press(0.5, *letters)
    await press(2.5, "tab")
    await press(0.7, "j")
    await press(3.5, "enter")
    await press(1.0, "escape")
    return shots
